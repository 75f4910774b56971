//! `cargo xtask clients`: unmodified clients from the package registries at the gateway.
//!
//! In: the official SDKs, and with `--agent` a real coding agent, each asked once straight at a
//! scripted upstream that cuts, garbles and lies, and once through the gateway. Out: what each call
//! gave. Fails when one through the gateway is not whole and right, or when none fails without it,
//! because then the upstream proves nothing.

use super::servers::{self, Server};
use super::{agent, answers};
use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::{Flags, Outcome, process, workspace};

const PINNED: &[&str] = &["openai==3.49.0", "anthropic==2.8.0", "pydantic>=2"];

/// Calls that must be whole; the rest may be honest errors, and is printed.
const FLOOR: usize = 96;

/// Spoils a reply of the script at this byte.
type Spoil = fn(&mut Value, usize);

/// The ways in which an upstream fails, as the script says it.
const FAULTS: &[(&str, Spoil)] = &[
    ("cut", |reply, half| reply["cuts"] = json!([half])),
    ("lies", |reply, half| {
        reply["cuts"] = json!([half]);
        let tool = !reply["tool_calls"].is_null();
        reply["finish"] = json!(if tool { "tool_calls" } else { "stop" });
    }),
    ("drops", |reply, half| reply["disconnect_at"] = json!({ "answer": half })),
    ("mute", |reply, half| {
        reply["cuts"] = json!([half]);
        reply["finish"] = Value::Null;
    }),
    ("twice", |reply, half| reply["cuts"] = json!([half / 2, half])),
];

/// Runs the clients.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let with_agent = flags.switch("--agent");
    flags.finish()?;
    if with_agent {
        println!("{}", agent::run()?);
    }
    println!("{}", sdks()?);
    Ok(())
}

/// The SDKs alone, as part of the tests.
pub(crate) fn short() -> anyhow::Result<Outcome> {
    if !process::answers(Command::new("python3").arg("--version")) {
        return Ok(Outcome::Skipped("python3 is not installed".to_owned()));
    }
    sdks().map(Outcome::Passed)
}

fn sdks() -> anyhow::Result<String> {
    let python = environment("sdk", PINNED)?;
    let salve = servers::salve(false)?;
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("clients.jsonl");
    std::fs::write(&script, script_text())?;
    let expected = folder.path().join("answers.json");
    std::fs::write(&expected, answers::expected().to_string())?;
    // A rule counts its cuts, so each side has an upstream of its own.
    let (bare, behind) = (servers::sim(&salve, &script)?, servers::sim(&salve, &script)?);
    let gateway = servers::gateway(&salve, behind.address, folder.path(), &[])?;
    let without = ask(&python, &bare, &expected)?;
    let with = ask(&python, &gateway, &expected)?;
    let failed = without.iter().filter(|line| line["ok"] != true).count();
    let wrong: Vec<&Value> = with.iter().filter(|line| line["ok"] != true).collect();
    let line = format!(
        "{} SDK calls: {} whole through the gateway; {failed} fail without it",
        with.len(),
        with.len() - wrong.len()
    );
    for line in &wrong {
        println!("through the gateway: {} {}", line["case"], line["detail"]);
    }
    // An honest error is not an answer, and not a wrong one either.
    let honest = |line: &&Value| {
        line["detail"].as_str().is_some_and(|text| text.contains("Error code: 502"))
    };
    ensure!(wrong.iter().all(honest), "{line}");
    ensure!(with.len() - wrong.len() >= FLOOR, "{line}; the floor is {FLOOR}");
    ensure!(failed * 2 > without.len(), "{line}: the upstream is too kind");
    Ok(line)
}

/// Makes a Python environment with pinned packages under `target/tools`, once. Those with a `+` before
/// their name are installed without what they depend on.
pub(crate) fn environment(name: &str, packages: &[&str]) -> anyhow::Result<PathBuf> {
    let folder = workspace::target_dir()?.join("tools").join(format!("python-{name}"));
    let python = folder.join("bin").join("python");
    let mark = folder.join("installed");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&mark).is_ok_and(|text| text == wanted) {
        return Ok(python);
    }
    process::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    let (alone, with_all): (Vec<&str>, Vec<&str>) =
        packages.iter().partition(|package| package.starts_with('+'));
    for (option, packages) in [(None, with_all), (Some("--no-deps"), alone)] {
        let names = packages.iter().map(|package| package.trim_start_matches('+'));
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip.args(option).args(names);
        if !packages.is_empty() {
            process::run(&mut pip)
                .with_context(|| format!("could not install {}", packages.join(" ")))?;
        }
    }
    std::fs::write(&mark, wanted)?;
    Ok(python)
}

fn ask(python: &Path, server: &Server, expected: &Path) -> anyhow::Result<Vec<Value>> {
    let mut command = Command::new(python);
    command
        .arg(workspace::root().join("rigs/clients/sdk.py"))
        .arg(format!("http://{}", server.address))
        .arg(expected);
    for kind in ["text", "tool", "json"] {
        for (fault, _) in FAULTS {
            command.arg(format!("{kind}-{fault}"));
        }
    }
    command.arg("tool-garbled");
    let printed = process::output(&mut command)?;
    let lines: Result<Vec<Value>, _> = printed.lines().map(serde_json::from_str).collect();
    match lines {
        Ok(lines) => Ok(lines),
        Err(error) => bail!("the client printed something else: {error}"),
    }
}

fn script_text() -> String {
    let mut lines = String::new();
    for kind in ["text", "tool", "json"] {
        for (fault, spoil) in FAULTS {
            let mut reply = answers::reply(kind);
            reply["continues"] = json!(true);
            spoil(&mut reply, answers::of(kind).len() / 2);
            let rule = json!({ "when": { "model": format!("{kind}-{fault}") }, "reply": reply });
            lines += &format!("{rule}\n");
        }
    }
    // Balanced, misnested arguments that a closer of brackets would call whole; the second is right.
    let garbled = answers::of("tool").replace("\"overwrite\":true,", "\"overwrite\":]true,");
    let call = json!({ "tool_calls": [{ "name": "write_file", "arguments": garbled }] });
    let odd: Vec<u64> = (1..64).step_by(2).collect();
    let when = json!({ "model": "tool-garbled", "nth": odd });
    lines += &format!("{}\n", json!({ "when": when, "reply": call }));
    let right = json!({ "when": { "model": "tool-garbled" }, "reply": answers::reply("tool") });
    lines + &format!("{right}\n")
}
