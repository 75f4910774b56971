//! `salve gateway` as it is started: its banner, its log, and a port that is taken.
//!
//! In: a scripted provider and a data folder of the test's own. Out: what goes to which stream. Never
//! tests healing again: only what a person sees of it.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::run::{folder, salve_in, write};
use crate::sim::Sim;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A gateway that runs; killed if a test fails before it ended it.
struct Gateway {
    child: Child,
    url: String,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Gateway {
    #[expect(clippy::disallowed_methods, reason = "the test starts the binary it is about")]
    fn start(folder: &Path, upstream: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_salve"))
            .args(["gateway", "--port", "0", "--upstream", upstream])
            .current_dir(folder)
            .env_clear()
            .env("XDG_CONFIG_HOME", folder)
            .env("SALVE_DATA", folder.join("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, url: line.trim().to_owned() }
    }

    fn ask(&self, model: &str) -> String {
        let body = serde_json::json!({
            "model": model, "messages": [{ "role": "user", "content": "hello" }],
        });
        let (body, address) = (body.to_string(), self.url.trim_start_matches("http://"));
        let mut socket = TcpStream::connect(address).unwrap();
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\n\
             content-type: application/json\r\nauthorization: Bearer sk-planted\r\n\
             connection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        socket.write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer
    }

    // Asks it to end, and returns what it wrote to standard error.
    fn end(mut self) -> String {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        self.child.wait().unwrap();
        let mut story = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut story).unwrap();
        story
    }
}

#[test]
fn the_lines_to_paste_and_a_line_for_what_failed_are_in_a_redirected_log() {
    let place = folder("gateway_log");
    write(&place.join("script.jsonl"), "{\"reply\":{\"status\":400,\"body\":\"no\"}}\n");
    let sim = Sim::start(&place, &["--script", "script.jsonl"]);
    let gateway = Gateway::start(&place, &format!("{}/v1", sim.line));
    let url = gateway.url.clone();
    assert!(url.starts_with("http://127.0.0.1:"), "the address is all of standard output: {url}");
    let answer = gateway.ask("model-of-the-test");
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    let story = gateway.end();
    for words in [
        "Paste one line:",
        &format!("export OPENAI_BASE_URL={url}/v1"),
        &format!("export ANTHROPIC_BASE_URL={url}"),
        "model-of-the-test",
        "call=1",
        "400",
    ] {
        assert!(story.contains(words), "{words}: {story}");
    }
    assert!(!story.contains("sk-planted"), "{story}");
    assert!(!story.contains('\u{1b}'), "colours in a file: {story}");
}

#[test]
fn a_port_that_is_taken_is_answered_with_the_flag_for_another() {
    let place = folder("gateway_port");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let arguments = ["gateway", "--upstream", "http://127.0.0.1:1/v1", "--port", &port];
    let data = place.join("data");
    let ended = salve_in(&arguments, "", &place, &[("SALVE_DATA", data.to_str().unwrap())]);
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.err.contains("`--port NUMBER` takes another port"), "{}", ended.err);
}
