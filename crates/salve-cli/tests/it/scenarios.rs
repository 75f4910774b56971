//! Heals from end to end, as folders: `scenarios/NNN_name/{before/, model.jsonl, after/, verdict.json}`.
//!
//! In: a project, what the models say, the arguments. Out: the exit code, the fields of the report that
//! the verdict names, and the tree: `after/` where there is one, else `before/`. A change that was applied
//! is taken back by `salve undo` and the tree is compared with what the user had again.
//!
//! A verdict is one step or a list of `steps`, each a command (`heal` unless `command` says another) with its
//! `args` and `input`, and what is expected of it: `exit`, `report`, words of `err`, words of files in `.salve`
//! (`state`), files that heals keep (`kept`). Before it the user may `write` files, change the `config`, and a
//! disk may `damage` checkpoints; `user` are files beside the settings; `meanwhile` is done as soon as a model was
//! asked. Those of `salve chat`, `salve plan` and `salve flow` are in folders of those names, named by the row they
//! show; a step with `format` `jsonl` may
//! say which `events` it writes, what of some of them (`happened`, in order; `told`, in any), which it `has` and
//! `has_not`, and the `texts` of those of a name, word for word. `programs` of the verdict are scripts that are found
//! before others. `outside` (texts)
//! and `bytes` (hexadecimal) are files beside the project, which arguments name as `{outside}/NAME`. `out` are words
//! that are written, `silent` words that are not, `asked` is how often models were asked so far,
//! `uploads` how many files their provider was ever given, `at_provider` how many it has; `models` `files` is one with a
//! place for files, `files_mini` one whose model cannot search in them. A turn is planned by
//! what it mentions unless the `config` has a table `[chat]`.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::run::{Ended, folder, salve_in, toolchain_variables, write};
use salve_model::sim::{Script, SimHandle, SimServer};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How many run at the same time.
const AT_ONCE: usize = 2;

#[test]
fn every_scenario_ends_as_its_verdict_says() {
    play(&scenarios("."), 35);
}

#[test]
fn every_conversation_ends_as_its_verdict_says() {
    play(&scenarios("chat"), 51);
}

#[test]
fn every_plan_ends_as_its_verdict_says() {
    play(&scenarios("plan"), 20);
}

#[test]
fn every_workflow_ends_as_its_verdict_says() {
    play(&scenarios("flow"), 18);
}

#[expect(clippy::disallowed_methods, reason = "one scenario can be chosen by hand")]
fn play(all: &[PathBuf], at_least: usize) {
    assert!(all.len() >= at_least, "{all:?}");
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

fn scenarios(below: &str) -> Vec<PathBuf> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(below);
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(all).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.join("verdict.json").is_file());
    found.sort();
    found
}

// What is wrong with a scenario; nothing when it ends as it should.
fn wrong(scenario: &Path) -> Option<String> {
    let name = scenario.file_name().unwrap().to_string_lossy().into_owned();
    let verdict = std::fs::read_to_string(scenario.join("verdict.json")).unwrap();
    let verdict: Value = serde_json::from_str(&verdict).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let before = files(&scenario.join("before"));
    let script = std::fs::read_to_string(scenario.join("model.jsonl")).ok();
    let server = script.map(|script| {
        let script = Script::parse(&script).unwrap();
        runtime.block_on(SimServer::start(script, ([127, 0, 0, 1], 0).into())).unwrap()
    });
    let mut stage = Stage {
        place: folder(&format!("scenario-{name}")),
        settings: folder(&format!("scenario-{name}-user")),
        models: server.as_ref().map(|server| models(&verdict, server.addr().port())),
        server: server.as_ref(),
        wrong: Vec::new(),
        tree: before,
    };
    stage.tree.iter().for_each(|(path, text)| write(&stage.place.join(path), text));
    for (name, script) in verdict["programs"].as_object().into_iter().flatten() {
        stage.program(name, script.as_str().unwrap());
    }
    let single = vec![verdict.clone()];
    let steps = verdict["steps"].as_array().unwrap_or(&single);
    let (mut report, mut told, mut written) = (Value::Null, String::new(), BTreeSet::new());
    for (number, step) in steps.iter().enumerate() {
        let ended = stage.step(number + 1, step);
        told = format!("{}\n{}", ended.err.trim(), ended.out.trim());
        report = serde_json::from_str(&ended.out).unwrap_or_default();
        let of_turn = report["changes"].as_array().into_iter().flatten();
        let of_step: Vec<String> = of_turn
            .chain([&report["change"]])
            .filter_map(|change| change.as_str().map(str::to_owned))
            .collect();
        // What was taken back or written over in between is not taken back once more.
        let goes_back = ["undo", "rewind"].map(Value::from);
        let words = step["args"].as_array().into_iter().flatten().chain([&step["command"]]);
        if step["write"].is_object() || words.into_iter().any(|word| goes_back.contains(word)) {
            written.clear();
        }
        written.extend(of_step);
    }
    let after = scenario.join("after");
    let expected = if after.is_dir() { files(&after) } else { stage.tree.clone() };
    stage.expect_tree("after the heal", &expected);
    let ends_with_change = report["change"].is_string()
        || report["changes"].as_array().is_some_and(|changes| !changes.is_empty());
    if !ends_with_change {
        written.clear();
    }
    for _ in &written {
        let undone = stage.salve(&["undo"], "");
        if undone.code != Some(0) {
            stage.wrong.push(format!("undo: {undone:?}"));
        }
    }
    if !written.is_empty() {
        stage.expect_tree("after undo", &stage.tree.clone());
    }
    (!stage.wrong.is_empty()).then(|| format!("{name}: {}\n{told}", stage.wrong.join("; ")))
}

/// A scenario while it is played.
struct Stage<'a> {
    place: PathBuf,
    settings: PathBuf,
    models: Option<String>,
    server: Option<&'a SimHandle>,
    wrong: Vec<String>,
    /// The tree as the user left it.
    tree: BTreeMap<String, String>,
}

impl Stage<'_> {
    fn program(&self, name: &str, script: &str) {
        let path = self.settings.join("bin").join(name);
        write(&path, script);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(path, mode).unwrap();
    }

    // One command, with what the user does before it and what happens while a model is asked.
    fn step(&mut self, number: usize, step: &Value) -> Ended {
        self.prepare(step);
        let meanwhile = &step["meanwhile"];
        let (ended, other) = match meanwhile {
            Value::Null => (self.run(step), None),
            _ => self.run_beside(step, meanwhile),
        };
        if let Some(other) = other {
            self.judge(number, meanwhile, &other);
        }
        self.judge(number, step, &ended);
        ended
    }

    fn run_beside(&mut self, step: &Value, meanwhile: &Value) -> (Ended, Option<Ended>) {
        let asked = self.server.unwrap().calls().calls;
        let both = std::thread::scope(|scope| {
            let stage = &*self;
            let running = scope.spawn(move || stage.run(step));
            stage.wait_until_asked(asked, || running.is_finished());
            stage.write(meanwhile);
            let other = meanwhile["args"].is_array().then(|| stage.run(meanwhile));
            (running.join().unwrap(), other)
        });
        self.remember(meanwhile);
        both
    }

    fn write(&self, step: &Value) {
        for (path, text) in step["write"].as_object().into_iter().flatten() {
            write(&self.place.join(path), text.as_str().unwrap());
        }
    }

    fn remember(&mut self, step: &Value) {
        for (path, text) in step["write"].as_object().into_iter().flatten() {
            self.tree.insert(path.clone(), text.as_str().unwrap().to_owned());
        }
    }

    fn prepare(&mut self, step: &Value) {
        self.write(step);
        self.remember(step);
        for (path, text) in step["outside"].as_object().into_iter().flatten() {
            write(&self.settings.join(path), text.as_str().unwrap());
        }
        for (path, hex) in step["bytes"].as_object().into_iter().flatten() {
            let digits: Vec<u8> = hex.as_str().unwrap().bytes().collect();
            let digit = |one: u8| u8::try_from(char::from(one).to_digit(16).unwrap()).unwrap();
            let bytes: Vec<u8> =
                digits.chunks_exact(2).map(|pair| digit(pair[0]) * 16 + digit(pair[1])).collect();
            let mut file = std::fs::File::create(self.settings.join(path)).unwrap();
            file.write_all(&bytes).unwrap();
        }
        let more = step["config"].as_str().unwrap_or_default();
        let chat = if more.contains("[chat]") { "" } else { "[chat]\nplan = \"mentions\"\n" };
        let models = self.models.as_deref().unwrap_or_default();
        let config = format!("{more}\n{models}\n{chat}");
        write(&self.settings.join("salve/config.toml"), &config);
        for (path, text) in step["user"].as_object().into_iter().flatten() {
            write(&self.settings.join("salve").join(path), text.as_str().unwrap());
        }
        let mut checkpoints = self.kept("checkpoint-");
        match step["damage"].as_str() {
            Some("newest") => drop(checkpoints.drain(..checkpoints.len().saturating_sub(1))),
            Some("all") => {}
            _ => checkpoints.clear(),
        }
        for checkpoint in checkpoints {
            let text = std::fs::read_to_string(&checkpoint).unwrap();
            write(&checkpoint, &text[..text.len() / 2]);
        }
    }

    fn run(&self, step: &Value) -> Ended {
        let outside = self.settings.display().to_string();
        let arguments = step["args"].as_array().into_iter().flatten();
        let arguments: Vec<String> =
            arguments.map(|one| one.as_str().unwrap().replace("{outside}", &outside)).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let command = step["command"].as_str().unwrap_or("heal");
        let input = if step["input"].is_null() { String::new() } else { step["input"].to_string() };
        let format = step["format"].as_str().unwrap_or("json");
        self.salve(&[&["--format", format, command], &arguments[..]].concat(), &input)
    }

    fn salve(&self, arguments: &[&str], input: &str) -> Ended {
        let variables = variables(&self.settings);
        let variables: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        salve_in(arguments, input, &self.place, &variables)
    }

    fn wait_until_asked(&self, before: u64, is_over: impl Fn() -> bool) {
        let server = self.server.unwrap();
        for _ in 0..6_000 {
            if server.calls().calls > before || is_over() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn judge(&mut self, number: usize, step: &Value, ended: &Ended) {
        let codes: Vec<i64> = match &step["exit_any"] {
            Value::Array(any) => any.iter().map(|one| one.as_i64().unwrap()).collect(),
            _ => vec![step["exit"].as_i64().unwrap()],
        };
        let mut wrong = Vec::new();
        if !ended.code.is_some_and(|code| codes.contains(&i64::from(code))) {
            wrong.push(format!("exit {:?}, not {codes:?}", ended.code));
        }
        let report: Value = serde_json::from_str(&ended.out).unwrap_or_default();
        unlike("", &report, &step["report"], &mut wrong);
        if let Some(events) = step["events"].as_array() {
            let lines = ended.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let mut names: Vec<Value> = lines.map(|event| event["name"].clone()).collect();
            names.dedup();
            if names != *events {
                wrong.push(format!("the events are {names:?}"));
            }
        }
        let mut lines = ended.out.lines().filter_map(|line| serde_json::from_str(line).ok());
        for event in step["happened"].as_array().into_iter().flatten() {
            if !lines.by_ref().any(|line| is_like(&line, event)) {
                wrong.push(format!("{event} did not happen: {}", ended.out));
            }
        }
        for event in step["told"].as_array().into_iter().flatten() {
            let mut lines = ended.out.lines().filter_map(|line| serde_json::from_str(line).ok());
            if !lines.any(|line| is_like(&line, event)) {
                wrong.push(format!("no event is like {event}: {}", ended.out));
            }
        }
        for words in step["out"].as_array().into_iter().flatten() {
            if !ended.out.contains(words.as_str().unwrap()) {
                wrong.push(format!("{words} is not written: {}", ended.out));
            }
        }
        for words in step["silent"].as_array().into_iter().flatten() {
            if ended.out.contains(words.as_str().unwrap()) {
                wrong.push(format!("{words} is written: {}", ended.out));
            }
        }
        for (key, wanted) in [("has", true), ("has_not", false)] {
            for name in step[key].as_array().into_iter().flatten() {
                let lines =
                    ended.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
                if lines.filter(|event| event["name"] == *name).count() > 0 {
                    if !wanted {
                        wrong.push(format!("{name} happened"));
                    }
                } else if wanted {
                    wrong.push(format!("{name} did not happen"));
                }
            }
        }
        for (name, texts) in step["texts"].as_object().into_iter().flatten() {
            let lines = ended.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let of_name = lines.filter(|event| event["name"] == *name);
            let found: Vec<Value> = of_name.map(|event| event["payload"]["text"].clone()).collect();
            if Some(&found) != texts.as_array() {
                wrong.push(format!("the texts of {name} are {found:#?}"));
            }
        }
        if let Some(asked) = step["asked"].as_u64() {
            let calls = self.server.unwrap().calls().calls;
            if calls != asked {
                wrong.push(format!("models were asked {calls} times, not {asked}"));
            }
        }
        if let Some(uploads) = step["uploads"].as_u64() {
            let found = self.server.unwrap().calls().uploads;
            if found != uploads {
                wrong.push(format!("{found} files were uploaded, not {uploads}"));
            }
        }
        if let Some(files) = step["at_provider"].as_u64() {
            let found = self.server.unwrap().files().len() as u64;
            if found != files {
                wrong.push(format!("the provider has {found} files, not {files}"));
            }
        }
        for words in step["err"].as_array().into_iter().flatten() {
            if !ended.err.contains(words.as_str().unwrap()) {
                wrong.push(format!("{words} is not said"));
            }
        }
        for (path, words) in step["state"].as_object().into_iter().flatten() {
            let text = std::fs::read_to_string(self.place.join(".salve").join(path));
            let text = text.unwrap_or_default();
            if !text.contains(words.as_str().unwrap()) {
                wrong.push(format!("{words} is not in {path}: {text}"));
            }
        }
        for start in step["kept"].as_array().into_iter().flatten() {
            if self.kept(start.as_str().unwrap()).is_empty() {
                wrong.push(format!("no file {start}… is kept"));
            }
        }
        if !wrong.is_empty() {
            let wrong = wrong.join("; ");
            self.wrong.push(format!("step {number}: {wrong} [{}]", ended.err.trim()));
        }
    }

    // The files of this beginning that heals left, sorted.
    fn kept(&self, start: &str) -> Vec<PathBuf> {
        let entries = |folder: &Path| {
            let entries = std::fs::read_dir(folder).into_iter().flatten();
            entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
        };
        let attempts = entries(&self.place.join(".salve/healing-attempts"));
        let mut kept: Vec<PathBuf> = attempts
            .iter()
            .flat_map(|heal| entries(heal))
            .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(start))
            .collect();
        kept.sort();
        kept
    }

    fn expect_tree(&mut self, when: &str, expected: &BTreeMap<String, String>) {
        let own = |tree: &BTreeMap<String, String>| {
            let mut tree = tree.clone();
            tree.retain(|path, _| !path.starts_with(".salve/"));
            tree
        };
        let found = own(&files(&self.place));
        if found != own(expected) {
            self.wrong.push(format!("{when} the tree is {found:?}"));
        }
    }
}

// Every field that is expected must be there as expected; others may be there too.
fn is_like(found: &Value, expected: &Value) -> bool {
    let mut wrong = Vec::new();
    unlike("", found, expected, &mut wrong);
    wrong.is_empty()
}

fn unlike(at: &str, found: &Value, expected: &Value, wrong: &mut Vec<String>) {
    match expected {
        Value::Null if at.is_empty() => {}
        Value::Object(fields) => {
            for (key, value) in fields {
                unlike(&format!("{at}/{key}"), &found[key], value, wrong);
            }
        }
        _ if found == expected => {}
        // Of rows, what is named of each.
        Value::Array(rows) if rows.iter().any(|row| row.is_object() || row.is_array()) => {
            let count = found.as_array().map_or(0, Vec::len);
            if count != rows.len() {
                wrong.push(format!("{at} has {count} rows, not {}: {found}", rows.len()));
            }
            for (number, row) in rows.iter().enumerate() {
                unlike(&format!("{at}/{number}"), &found[number], row, wrong);
            }
        }
        _ => wrong.push(format!("{at} is {found}, not {expected}")),
    }
}

fn models(verdict: &Value, port: u16) -> String {
    let provider = format!(
        "[[provider]]\nname = \"sim\"\ndialect = \"chat\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n"
    );
    let roles = match verdict["models"].as_str() {
        Some("one") => "model = \"sim/only\"".to_owned(),
        Some("images") => ["fast", "medium", "deep", "image"]
            .map(|role| format!("{role} = \"sim/{role}\""))
            .join("\n"),
        Some("files") => "model = \"sim/grok-4\"".to_owned(),
        Some("files_mini") => "model = \"sim/grok-3-mini\"".to_owned(),
        _ => ["fast", "medium", "deep"].map(|role| format!("{role} = \"sim/{role}\"")).join("\n"),
    };
    let files = verdict["models"].as_str().is_some_and(|models| models.starts_with("files"));
    format!("{provider}files = {files}\n\n[roles]\n{roles}\n")
}

// The toolchains of the machine, and a home of Salve's own.
fn variables(settings: &Path) -> Vec<(&'static str, String)> {
    let mut variables = toolchain_variables();
    let own = settings.join("bin");
    for (name, value) in &mut variables {
        if *name == "PATH" && own.is_dir() {
            *value = format!("{}:{value}", own.display());
        }
    }
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
            let state = relative.starts_with(".salve/") && relative != ".salve/CONTROL.md";
            if own || state {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                found.insert(relative, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    found
}
