//! Turns that are killed, and gone on with.
//!
//! In: a conversation with a slow scripted model, killed at some moments. Out: after `salve sessions resume`, the
//! tree, the tasks and the log are those of a turn that was never killed: nothing lost, nothing twice.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::run::{folder, salve_in, toolchain_variables, write};
use salve_model::sim::{Script, SimServer};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const BEFORE: &str = "LIMIT = 5\n";
const AFTER: &str = "LIMIT = 7\n";

fn script() -> Script {
    let answer = json!({
        "summary": "Raises the limit to 7, as it was asked for, in the one file that holds it.",
        "todos": [{"text": "Raise the limit", "completed": false}],
        "fileChanges": [{"path": "limit.py", "content": AFTER, "todoIndex": 0}],
    });
    let plan = json!({
        "todos": ["Raise the limit to 7, as it was asked for"],
        "actions": [{"type": "file", "pattern": "limit.py"}], "steps": 1,
    });
    let plan = json!({
        "when": {"model": "fast"},
        "reply": {"text": plan.to_string(), "chunk": 8, "delay_ms": 10, "continues": true},
    });
    let reply = json!({"reply": {"text": answer.to_string(), "chunk": 8, "delay_ms": 10}});
    Script::parse(&format!("{plan}\n{reply}")).unwrap()
}

fn variables(settings: &Path, port: u16) -> Vec<(&'static str, String)> {
    let config = format!(
        "[[provider]]\nname = \"sim\"\ndialect = \"chat\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n\n\
         [roles]\nmodel = \"sim/only\"\nfast = \"sim/fast\"\n"
    );
    write(&settings.join("salve/config.toml"), &config);
    let mut variables = toolchain_variables();
    variables.push(("XDG_CONFIG_HOME", settings.display().to_string()));
    variables.push(("SALVE_DATA", settings.join("data").display().to_string()));
    variables
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test starts the binary it is about, and kills it"
)]
fn c176_a_turn_that_is_killed_goes_on_and_does_nothing_twice() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = SimServer::start(script(), ([127, 0, 0, 1], 0).into());
    let server = runtime.block_on(server).unwrap();
    for (number, moment) in [60_u64, 150, 250, 350, 450, 600, 800].into_iter().enumerate() {
        let place = folder(&format!("chat-killed-{number}"));
        let settings = folder(&format!("chat-killed-{number}-user"));
        write(&place.join("limit.py"), BEFORE);
        let variables = variables(&settings, server.addr().port());
        let variables: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut child = Command::new(env!("CARGO_BIN_EXE_salve"))
            .args(["chat", "-p", "raise the limit in limit.py to 7"])
            .current_dir(&place)
            .env_clear()
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(moment));
        child.kill().unwrap();
        child.wait().unwrap();
        let sessions = salve_in(&["--format", "json", "sessions", "list"], "", &place, &variables);
        if sessions.json().as_array().is_none_or(Vec::is_empty) {
            // It was killed before it could say what it was asked.
            assert_eq!(std::fs::read_to_string(place.join("limit.py")).unwrap(), BEFORE);
            continue;
        }
        let resumed = salve_in(&["sessions", "resume", "last"], "", &place, &variables);
        if resumed.err.contains("the session has no turn") {
            continue;
        }
        assert_eq!(resumed.code, Some(0), "killed after {moment} ms: {resumed:?}");
        assert_eq!(std::fs::read_to_string(place.join("limit.py")).unwrap(), AFTER, "{resumed:?}");
        let shown = ["--format", "jsonl", "sessions", "show", "last", "--events"];
        let events = lines(&salve_in(&shown, "", &place, &variables).out);
        let ids: Vec<u64> = events.iter().map(|event| event["id"].as_u64().unwrap()).collect();
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
        for once in [
            "newMessagePair",
            "planning",
            "searching",
            "filesLoaded",
            "editsApplied",
            "requestComplete",
        ] {
            let count = events.iter().filter(|event| event["name"] == once).count();
            assert_eq!(count, 1, "{once} after a kill at {moment} ms: {events:?}");
        }
    }
    runtime.block_on(server.stop());
}
