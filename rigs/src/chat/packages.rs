//! A task in real packages, with a model that is as sloppy as real ones are.
//!
//! In: three packages from the registries, each in another language, and a scripted model: its first edit is stale,
//! the next answer is cut, what it wrote fails its own test, and the repair comes in the wrong fence. Out: a line for
//! each package. It ends green by the package's own tools, both tasks are done by then, and after `sessions rewind`
//! every byte is as it was. Never a package changed in place, and never a model beyond loopback.

use crate::gateway::servers;
use crate::heal::case::Bench;
use crate::heal::programs::Verdict;
use crate::heal::{folder, projects};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;
use xtask::workspace;

/// A package and the task in it.
struct Task {
    package: &'static str,
    /// The file that gets a function, and the wrong line in it with the right one.
    file: &'static str,
    function: &'static str,
    wrong: &'static str,
    right: &'static str,
    /// The file of the test.
    test: (&'static str, &'static str),
}

const TASKS: [Task; 3] = [
    Task {
        package: "strsim",
        file: "src/lib.rs",
        function: "\n/// Returns the value, kept within bounds.\npub fn within(value: i64, low: i64, high: i64) -> i64 {\n    value.min(low).max(high)\n}\n",
        wrong: "    value.min(low).max(high)",
        right: "    value.max(low).min(high)",
        test: (
            "tests/within.rs",
            "use strsim::within;\n\n#[test]\nfn a_value_is_kept_within_its_bounds() {\n    assert_eq!(within(5, 1, 3), 3);\n    assert_eq!(within(0, 1, 3), 1);\n    assert_eq!(within(2, 1, 3), 2);\n}\n",
        ),
    },
    Task {
        package: "xmltodict",
        file: "xmltodict.py",
        function: "\n\ndef within(value, low, high):\n    \"\"\"Returns the value, kept within bounds.\"\"\"\n    return max(min(value, low), high)\n",
        wrong: "    return max(min(value, low), high)",
        right: "    return min(max(value, low), high)",
        test: (
            "tests/test_within.py",
            "from xmltodict import within\n\n\ndef test_a_value_is_kept_within_its_bounds():\n    assert within(5, 1, 3) == 3\n    assert within(0, 1, 3) == 1\n    assert within(2, 1, 3) == 2\n",
        ),
    },
    Task {
        package: "ml-xsadd",
        file: "src/XSadd.ts",
        function: "\nexport function within(value: number, low: number, high: number): number {\n  return Math.max(Math.min(value, low), high);\n}\n",
        wrong: "  return Math.max(Math.min(value, low), high);",
        right: "  return Math.min(Math.max(value, low), high);",
        test: (
            "src/__tests__/within.test.ts",
            "import { expect, test } from 'vitest';\n\nimport { within } from '../XSadd';\n\ntest('a value is kept within its bounds', () => {\n  expect(within(5, 1, 3)).toBe(3);\n  expect(within(0, 1, 3)).toBe(1);\n  expect(within(2, 1, 3)).toBe(2);\n});\n",
        ),
    },
];

/// Does the task in each package.
pub(super) fn run(salve: &Path) -> Result<String> {
    let root = workspace::target_dir()?.join("heal-bench");
    std::fs::create_dir_all(&root)?;
    let mut done = Vec::new();
    for task in &TASKS {
        let project = projects::fetch(&root, task.package)?;
        let private = tempfile::Builder::new().prefix("salve-chat-").tempdir()?;
        let bench = Bench::open(&project, salve, private).with_context(|| task.package)?;
        done.push(worked(&bench, salve, task).with_context(|| task.package)?);
    }
    Ok(format!(
        "chat: {}; green, tasks done, every byte as it was after the rewind",
        done.join(", ")
    ))
}

fn worked(bench: &Bench, salve: &Path, task: &Task) -> Result<String> {
    let scratch = tempfile::Builder::new().prefix("salve-chat-").tempdir()?;
    let text = std::fs::read_to_string(bench.folder.join(task.file))?;
    let path = scratch.path().join("script.jsonl");
    std::fs::write(&path, script(task, &text))?;
    let model = servers::sim(salve, &path)?;
    let settings = format!(
        "[[provider]]\nname = 'sim'\ndialect = 'chat'\nbase_url = 'http://{}/v1'\n\
         key = {{ environment = 'SIM_KEY' }}\n\n[roles]\nmodel = 'sim/sloppy'\n",
        model.address
    );
    let config = scratch.path().join("salve");
    std::fs::create_dir_all(&config)?;
    std::fs::write(config.join("config.toml"), settings)?;
    let ran = |words: &[&str]| bench.salve(words, Some(scratch.path()));
    let request = format!("add a function within with a test to {}", task.file);
    let chat = ran(&["--format", "json", "chat", "--yes", "-p", &request])?;
    let told = || format!("{}\n{}", chat.printed, chat.told);
    let report: Value = serde_json::from_str(&chat.printed).with_context(told)?;
    ensure!(chat.code == Some(0) && report["status"] == "completed", "{}", told());
    ensure!(
        report["changes"].as_array().map(Vec::len) == Some(2),
        "a change and its heal: {}",
        told()
    );
    let verdict = bench.plain()?;
    ensure!(verdict == Verdict::Green, "its own tools say {verdict:?} then");
    let todos = ran(&["--format", "json", "todos"])?;
    let tasks: Value = serde_json::from_str(&todos.printed).with_context(|| todos.told.clone())?;
    ensure!(tasks["done"] == 2 && tasks["total"] == 2, "the tasks: {tasks}");
    let back = ran(&["sessions", "rewind", "last", "--turn", "1"])?;
    ensure!(back.code == Some(0), "rewind: {} {}", back.printed, back.told);
    let now = folder::read(&bench.folder)?;
    let differences = folder::differences(&bench.truth, &now);
    ensure!(now == bench.truth, "after the rewind: {differences:?}");
    Ok(format!("{} ({} questions, {:.1?})", task.package, report["asked"], chat.took))
}

fn script(task: &Task, text: &str) -> String {
    let whole = |hashes: Value| {
        json!({
            "summary": "Adds `within`, which keeps a value within bounds, and a test for it.",
            "todos": [
                { "text": "Write the function within", "completed": false },
                { "text": "Write a test for it", "completed": false }
            ],
            "fileChanges": [
                { "path": task.file, "content": format!("{text}{}", task.function), "todoIndex": 0 },
                { "path": task.test.0, "content": task.test.1, "todoIndex": 1 }
            ],
            "fileHashes": hashes,
        })
        .to_string()
    };
    let fitting = whole(json!({}));
    let middle = fitting.len() / 2;
    let repair = format!(
        "The bounds are the wrong way round.\n\n```text\n{}\n<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n```\n\nConfidence: 0.9",
        task.file, task.wrong, task.right
    );
    let stale = whole(json!({ task.file: "0123456789abcdef0123456789abcdef" }));
    [
        json!({ "when": { "contains": "were not applied" }, "reply": { "text": fitting, "continues": true, "cuts": [middle] } }),
        json!({ "times": 1, "reply": { "text": stale } }),
        json!({ "reply": { "text": repair } }),
    ]
    .map(|rule| format!("{rule}\n"))
    .concat()
}
