//! Heals from end to end, as folders: `scenarios/NNN_name/{before/, model.jsonl, after/, verdict.json}`.
//!
//! In: a project, what the models say, the arguments. Out: the exit code, the fields of the report that
//! the verdict names, and the tree: `after/` where there is one, else `before/`. A change that was applied
//! is taken back by `salve undo` and the tree is compared with `before/` again.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::run::{folder, salve_in, write};
use salve_model::sim::{Script, SimServer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many run at the same time.
const AT_ONCE: usize = 2;

#[test]
#[expect(clippy::disallowed_methods, reason = "one scenario can be chosen by hand")]
fn every_scenario_ends_as_its_verdict_says() {
    let all = scenarios();
    assert!(all.len() >= 15, "{all:?}");
    let only = std::env::var("SALVE_SCENARIO").ok();
    let wanted = |path: &&PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        only.as_deref().is_none_or(|only| name.contains(only))
    };
    let wanted: Vec<&PathBuf> = all.iter().filter(wanted).collect();
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(path) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    failed.lock().unwrap().extend(wrong(path));
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

fn scenarios() -> Vec<PathBuf> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(all).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

// What is wrong with a scenario; nothing when it ends as it should.
fn wrong(scenario: &Path) -> Option<String> {
    let name = scenario.file_name().unwrap().to_string_lossy().into_owned();
    let verdict: Value =
        serde_json::from_str(&std::fs::read_to_string(scenario.join("verdict.json")).unwrap())
            .unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let place = folder(&format!("scenario-{name}"));
    let before = files(&scenario.join("before"));
    before.iter().for_each(|(path, text)| write(&place.join(path), text));
    let settings = folder(&format!("scenario-{name}-user"));
    let script = std::fs::read_to_string(scenario.join("model.jsonl")).ok();
    let server = script.map(|script| {
        let script = Script::parse(&script).unwrap();
        runtime.block_on(SimServer::start(script, ([127, 0, 0, 1], 0).into())).unwrap()
    });
    if let Some(server) = &server {
        write(&settings.join("salve/config.toml"), &models(&verdict, server.addr().port()));
    }
    let arguments: Vec<&str> =
        verdict["args"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    let heal = [&["--format", "json", "heal"], &arguments[..]].concat();
    let variables = variables(&settings);
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let ended = salve_in(&heal, "", &place, &variables);
    let mut wrong = Vec::new();
    let codes: Vec<i64> = match &verdict["exit_any"] {
        Value::Array(any) => any.iter().map(|one| one.as_i64().unwrap()).collect(),
        _ => vec![verdict["exit"].as_i64().unwrap()],
    };
    if !ended.code.is_some_and(|code| codes.contains(&i64::from(code))) {
        wrong.push(format!("exit {:?}, not {codes:?}", ended.code));
    }
    let report: Value = serde_json::from_str(&ended.out).unwrap_or_default();
    for (key, expected) in verdict["report"].as_object().unwrap() {
        if report[key] != *expected {
            wrong.push(format!("{key} is {}, not {expected}", report[key]));
        }
    }
    let after = scenario.join("after");
    let expected = if after.is_dir() { files(&after) } else { before.clone() };
    wrong.extend(differs("after the heal", &files(&place), &expected));
    if report["change"].is_string() {
        let undone = salve_in(&["undo"], "", &place, &variables);
        if undone.code != Some(0) {
            wrong.push(format!("undo: {undone:?}"));
        }
        wrong.extend(differs("after undo", &files(&place), &before));
    }
    (!wrong.is_empty()).then(|| {
        format!("{name}: {}\n{}\n{}", wrong.join("; "), ended.err.trim(), ended.out.trim())
    })
}

fn models(verdict: &Value, port: u16) -> String {
    let provider = format!(
        "[[provider]]\nname = \"sim\"\ndialect = \"chat\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n"
    );
    let roles = match verdict["models"].as_str() {
        Some("one") => "model = \"sim/only\"".to_owned(),
        _ => ["fast", "medium", "deep"].map(|role| format!("{role} = \"sim/{role}\"")).join("\n"),
    };
    format!("{provider}\n[roles]\n{roles}\n")
}

// The toolchains of the machine, and a home of Salve's own.
#[expect(clippy::disallowed_methods, reason = "the toolchains of the machine that runs the test")]
fn variables(settings: &Path) -> Vec<(&'static str, String)> {
    let own = |name| std::env::var(name).ok().map(|value| (name, value));
    let mut variables: Vec<(&'static str, String)> =
        ["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME"].into_iter().filter_map(own).collect();
    variables.push(("XDG_CONFIG_HOME", settings.display().to_string()));
    variables.push(("SALVE_DATA", settings.join("data").display().to_string()));
    variables
}

// The files of a folder, without what tools and Salve put there.
fn files(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let relative = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            let own = [".git", "target", "Cargo.lock", "__pycache__"].contains(&relative.as_str());
            if own
                || (relative.starts_with(".salve") && relative != ".salve")
                    && !is_control(&relative)
            {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(relative, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

fn is_control(relative: &str) -> bool {
    relative == ".salve/CONTROL.md"
}

fn differs(
    when: &str,
    found: &BTreeMap<String, String>,
    expected: &BTreeMap<String, String>,
) -> Option<String> {
    (found != expected).then(|| format!("{when} the tree is {found:?}"))
}
