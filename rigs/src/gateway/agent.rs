//! A real coding agent, headless, with and without the gateway.
//!
//! In: aider from the package registry and an upstream that stops in the middle of a file and
//! claims to be done. Out: the outcome of the file. Fails unless the file is whole with the gateway
//! and is not without it.

use super::clients::environment;
use super::servers::{self, Server};
use anyhow::{Context, ensure};
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};
use xtask::process;

const PINNED: &[&str] = &["aider-chat==0.86.2"];

const BEFORE: &str = "def greet(name):\n    return \"Hello\"\n";
const AFTER: &str = "import sys\n\n\ndef greet(name):\n    if not name:\n        raise ValueError(\"a name is needed\")\n    return f\"Hello, {name}!\"\n\n\ndef main():\n    for name in sys.argv[1:]:\n        print(greet(name))\n\n\nif __name__ == \"__main__\":\n    main()\n";

/// Runs the agent twice and says how it went.
pub(super) fn run() -> anyhow::Result<String> {
    let python = environment("aider", PINNED)?;
    let salve = servers::salve(false)?;
    let folder = tempfile::tempdir()?;
    let answer = format!("Here is the new file.\n\ngreeting.py\n```\n{AFTER}```\n");
    let cut = answer.find("print(greet").context("the answer changed")?;
    let reply = json!({ "text": answer, "continues": true, "cuts": [cut], "finish": "stop" });
    let script = folder.path().join("agent.jsonl");
    std::fs::write(&script, format!("{}\n", json!({ "when": {}, "reply": reply })))?;
    let (bare, behind) = (servers::sim(&salve, &script)?, servers::sim(&salve, &script)?);
    let gateway = servers::gateway(&salve, behind.address, folder.path(), &[])?;
    let without = edited(&python, &bare)?;
    let with = edited(&python, &gateway)?;
    ensure!(with == AFTER, "through the gateway the agent left another file:\n{with}");
    ensure!(without != AFTER, "the agent is not harmed without the gateway");
    let lost = if without == BEFORE { "left the file as it was" } else { "wrote half a file" };
    Ok(format!("aider: whole file through the gateway; without it, it {lost}"))
}

fn edited(python: &Path, server: &Server) -> anyhow::Result<String> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("greeting.py");
    std::fs::write(&file, BEFORE)?;
    let mut command = Command::new(python);
    command
        .args(["-m", "aider", "--model", "openai/scripted", "--edit-format", "whole"])
        .args(["--openai-api-base", &format!("http://{}/v1", server.address)])
        .args(["--openai-api-key", "sk-not-a-key", "--yes-always", "--no-git", "--no-stream"])
        .args(["--no-check-update", "--no-show-model-warnings", "--analytics-disable"])
        .args(["--map-tokens", "0", "--no-auto-lint", "--no-suggest-shell-commands"])
        .args(["--no-detect-urls", "--no-show-release-notes"])
        .args(["--message", "Greet by name, and refuse an empty one."])
        .arg("greeting.py")
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let _ = process::answers(&mut command);
    std::fs::read_to_string(&file).context("the agent removed the file")
}
