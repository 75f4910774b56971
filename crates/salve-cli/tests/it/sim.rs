//! `salve sim`: a provider that a test can start, read the address of, and end.
//!
//! In: scripts, recordings, a provider to record. Out: that the address line, the answers, the story
//! and the exit code are what other programs rely on.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::run::{folder, salve, write};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A `salve sim` that runs; killed if a test fails before it ended it.
pub(crate) struct Sim {
    child: Child,
    /// Its first line: the address.
    pub(crate) line: String,
}

impl Drop for Sim {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Sim {
    #[expect(clippy::disallowed_methods, reason = "the test starts the binary it is about")]
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_salve"))
            .arg("sim")
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .env("XDG_CONFIG_HOME", folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, line: line.trim().to_owned() }
    }

    fn ask(&self, url: &str, text: &str) -> String {
        let body = serde_json::json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": text }] });
        let body = body.to_string();
        let address = url.trim_start_matches("http://");
        let mut socket = TcpStream::connect(address).unwrap();
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer sk-planted\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        socket.write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    // Asks it to end, and returns its exit code and story.
    fn end(mut self, signal: rustix::process::Signal) -> (Option<i32>, String) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, signal).unwrap();
        let code = self.child.wait().unwrap().code();
        let mut story = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut story).unwrap();
        (code, story)
    }
}

#[test]
fn a_script_is_played_recorded_and_replayed() {
    let folder = folder("sim_recorded");
    write(
        &folder.join("s.jsonl"),
        "{\"times\":1,\"reply\":{\"text\":\"hällo\",\"chunk\":2}}\n{\"when\":{\"model\":\"x\"},\"reply\":{}}\n",
    );
    let played = Sim::start(&folder, &["--script", "s.jsonl"]);
    assert!(played.line.starts_with("http://127.0.0.1:"), "{}", played.line);
    let recorded = Sim::start(
        &folder,
        &["--record", "tape.jsonl", "--upstream", &played.line, "--format", "json"],
    );
    let line: serde_json::Value = serde_json::from_str(&recorded.line).unwrap();
    let live = recorded.ask(line["url"].as_str().unwrap(), "go");
    assert!(live.contains("h\u{e4}") && live.contains("[DONE]"), "{live}");
    assert_eq!(recorded.end(rustix::process::Signal::INT).0, Some(0));
    let (code, story) = played.end(rustix::process::Signal::TERM);
    assert_eq!(code, Some(0));
    assert!(story.contains("1 calls, 0 without an answer"), "{story}");
    assert!(story.contains("The rule in line 2 was never used."), "{story}");

    let tape = std::fs::read_to_string(folder.join("tape.jsonl")).unwrap();
    assert!(!tape.contains("sk-planted"));
    let replayed = Sim::start(&folder, &["--replay", "tape.jsonl"]);
    let url = replayed.line.clone();
    assert_eq!(replayed.ask(&url, "go"), live);
    assert!(replayed.ask(&url, "other").contains("messages[0].content"));
    assert_eq!(replayed.end(rustix::process::Signal::TERM).0, Some(0));
}

#[test]
fn a_bad_script_is_refused_before_anything_listens() {
    let folder = folder("sim_bad");
    write(&folder.join("s.jsonl"), "\n{\"reply\":{\"txt\":1}}\n");
    let path = folder.join("s.jsonl").display().to_string();
    let ended = salve(&["sim", "--script", &path], "");
    assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""));
    assert!(ended.err.contains("line 2 of the script: unknown field `txt`"), "{}", ended.err);
    assert!(ended.err.contains("docs/sim.md"));
    for arguments in [
        &["sim"][..],
        &["sim", "--script", "no-such-file"],
        &["sim", "--record", "x"],
        &["sim", "--script", &path, "--replay", &path],
        &["sim", "--record", "x", "--upstream", "nonsense"],
        &["sim", "--script", &path, "--format", "sarif"],
    ] {
        assert_eq!(salve(arguments, "").code, Some(2), "{arguments:?}");
    }
}
