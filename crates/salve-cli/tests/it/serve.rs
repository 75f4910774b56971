//! `salve serve` as it is started, killed and started again.
//!
//! In: a slow scripted model, a data folder of the test's own. Out: what the first line says, that a turn which a killed
//! server left is finished by the next one, and that every event is seen once. Never tests the API again.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::run::{folder, salve_in, toolchain_variables, write};
use rustix::process::{Pid, Signal, kill_process};
use salve_model::sim::{Script, SimServer};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A server that runs; killed if a test fails before it ended it.
struct Server {
    child: Child,
    first: Value,
    address: String,
    token: String,
    token_file: PathBuf,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    #[expect(clippy::disallowed_methods, reason = "the test starts the binary it is about")]
    fn start(place: &Path, variables: &[(&'static str, String)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_salve"))
            .args(["serve", "--no-open", "--format", "json"])
            .current_dir(place)
            .env_clear()
            .envs(variables.iter().map(|(name, value)| (*name, value.as_str())))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let first: Value = serde_json::from_str(&line).unwrap();
        let token_file = PathBuf::from(first["tokenFile"].as_str().unwrap());
        let kept: Value = serde_json::from_slice(&std::fs::read(&token_file).unwrap()).unwrap();
        let url = kept["url"].as_str().unwrap();
        Self {
            address: url.strip_prefix("http://").unwrap().to_owned(),
            token: kept["token"].as_str().unwrap().to_owned(),
            child,
            first,
            token_file,
        }
    }

    fn open(&self, head: &str, body: &str) -> TcpStream {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "{head} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        socket.write_all(head.as_bytes()).unwrap();
        socket
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let mut answer = String::new();
        let mut socket = self.open(&format!("POST {path}"), &body.to_string());
        socket.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 20"), "{answer}");
        serde_json::from_str(body).unwrap()
    }

    /// Follows the events after one until another.
    fn events(&self, after: u64, is_last: impl Fn(&Value) -> bool) -> Vec<Value> {
        let socket = self.open(&format!("GET /api/v1/events?after={after}"), "");
        let mut seen = Vec::new();
        for line in BufReader::new(socket).lines() {
            let line = line.unwrap();
            let Some(data) = line.strip_prefix("data: ") else { continue };
            let event: Value = serde_json::from_str(data).unwrap();
            let last = is_last(&event);
            seen.push(event);
            if last {
                return seen;
            }
        }
        unreachable!("the events ended: {seen:?}");
    }

    /// Ends it as a service manager does.
    fn end(mut self) -> Option<i32> {
        let id = i32::try_from(self.child.id()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), Signal::TERM).unwrap();
        self.child.wait().unwrap().code()
    }
}

fn variables(settings: &Path, port: Option<u16>) -> Vec<(&'static str, String)> {
    if let Some(port) = port {
        let config = format!(
            "auto_apply = true\nauto_apply_files = true\n\n[[provider]]\nname = \"sim\"\ndialect = \"chat\"\n\
             base_url = \"http://127.0.0.1:{port}/v1\"\n\n[roles]\nmodel = \"sim/only\"\n"
        );
        write(&settings.join("salve/config.toml"), &config);
    }
    let mut variables = toolchain_variables();
    variables.push(("XDG_CONFIG_HOME", settings.display().to_string()));
    variables.push(("SALVE_DATA", settings.join("data").display().to_string()));
    variables
}

#[test]
fn c176_a_server_that_is_killed_in_a_turn_loses_nothing() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let answer = json!({
        "summary": "Raises the limit to 7, as it was asked for, in the one file that holds it.",
        "fileChanges": [{"path": "limit.txt", "content": "7\n"}],
    });
    let reply = json!({"reply": {"text": answer.to_string(), "chunk": 4, "delay_ms": 20}});
    let script = Script::parse(&reply.to_string()).unwrap();
    let sim = runtime.block_on(SimServer::start(script, ([127, 0, 0, 1], 0).into())).unwrap();
    let (place, settings) = (folder("serve-killed"), folder("serve-killed-user"));
    write(&place.join("limit.txt"), "5\n");
    let variables = variables(&settings, Some(sim.addr().port()));

    let server = Server::start(&place, &variables);
    let url = server.first["url"].as_str().unwrap();
    assert!(url.starts_with("http://127.0.0.1:") && url.contains("/#token="), "{url}");
    assert_eq!(server.first["pid"], server.child.id());
    assert_eq!(server.first["practice"], false);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&server.token_file), 0o600);
    assert_eq!(mode(server.token_file.parent().unwrap()), 0o700);
    let session = server.post("/api/v1/sessions", &json!({}))["id"].as_str().unwrap().to_owned();
    let message =
        json!({"type": "sendMessage", "text": "raise the limit in limit.txt to 7", "images": []});
    server.post(&format!("/api/v1/sessions/{session}/messages"), &message);
    let before = server.events(0, |event| event["name"] == "updateResponseChunk");
    drop(server);

    let server = Server::start(&place, &variables);
    let is_over = |event: &Value| event["name"] == "requestComplete";
    let all = server.events(0, is_over);
    assert_eq!(all[..before.len()], before);
    let last = before.last().unwrap()["id"].as_u64().unwrap();
    assert_eq!(server.events(last, is_over), all[before.len()..]);
    let ended = all.last().unwrap();
    assert_eq!(ended["payload"]["status"], "completed", "{ended}");
    let count = |name: &str| all.iter().filter(|event| event["name"] == name).count();
    assert_eq!(
        (count("newMessagePair"), count("editsApplied"), count("requestComplete")),
        (1, 1, 1)
    );
    assert_eq!(std::fs::read_to_string(place.join("limit.txt")).unwrap(), "7\n");
    let token_file = server.token_file.clone();
    assert_eq!(server.end(), Some(0));
    assert!(!token_file.exists(), "the token is gone with the server");
}

#[test]
fn without_a_model_a_script_answers_in_a_sample_project() {
    let (place, settings) = (folder("serve-practice"), folder("serve-practice-user"));
    let variables = variables(&settings, None);
    let server = Server::start(&place, &variables);
    assert_eq!(server.first["practice"], true);
    let workspace = PathBuf::from(server.first["workspace"].as_str().unwrap());
    assert!(workspace.join("price.py").is_file(), "{workspace:?}");
    let gateway = server.first["gateway"].as_str().unwrap();
    assert!(gateway.starts_with("http://127.0.0.1:"), "{gateway}");
    let session = server.post("/api/v1/sessions", &json!({}))["id"].as_str().unwrap().to_owned();
    let message = json!({"type": "sendMessage", "text": "what can you do?"});
    server.post(&format!("/api/v1/sessions/{session}/messages"), &message);
    let all = server.events(0, |event| event["name"] == "requestComplete");
    let summary = &all.last().unwrap()["payload"]["structured"]["summary"];
    assert!(summary.as_str().unwrap().starts_with("(practice model)"), "{summary}");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn serve_check_has_one_turn_answered_and_leaves_nothing() {
    let (place, settings) = (folder("serve-check"), folder("serve-check-user"));
    let variables = variables(&settings, None);
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let ended = salve_in(&["serve", "--check", "--format", "json"], "", &place, &variables);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.json()["status"], "completed", "{ended:?}");
    assert!(!settings.join("data").exists(), "nothing of the user is touched");
}
