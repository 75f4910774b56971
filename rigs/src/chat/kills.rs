//! Turns that are killed at random moments, and gone on with.
//!
//! In: how many. Out: how many were killed, and how many of those had begun. After each: what was printed is in the
//! log, once; files are all old or all new; the turn that was gone on with is complete, its tasks are done,
//! and there is one change, one request and one completion. Never a run without these questions.

use super::stage::{AFTER, BEFORE, REQUEST, Stage, files_of, lines};
use crate::corpus::Random;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);
const CHAT: [&str; 6] = ["--format", "jsonl", "chat", "--yes", "-p", REQUEST];

/// Runs turns and kills them.
pub(super) fn run(salve: &Path, runs: usize, random: &mut Random) -> Result<String> {
    let stage = Stage::new(salve, &script())?;
    let began = Instant::now();
    let ended = stage.run(&CHAT)?;
    ensure!(ended.code == Some(0), "undisturbed: {:?} {}", ended.code, ended.told);
    ensure!(stage.files()? == files_of(AFTER), "undisturbed: {:?}", stage.files()?);
    let took = began.elapsed();
    let (mut killed, mut begun) = (0, 0);
    for number in 0..runs {
        stage.reset()?;
        let mut running = stage.start(&CHAT)?;
        let moment = random.below(1_100);
        std::thread::sleep(took.mul_f64(moment as f64 / 1_000.0));
        running.crash();
        let ended = running.wait(PATIENCE)?;
        killed += usize::from(ended.code.is_none());
        let printed = lines(&ended.printed);
        let when = || format!("run {number}, killed at {moment} of 1,000 after {printed:?}");
        begun += usize::from(gone_on_with(&stage, &printed).with_context(when)?);
    }
    Ok(format!(
        "chat: {killed} of {runs} turns killed, {begun} had begun and were finished, 0 lost"
    ))
}

// Whether the turn had begun. If so it is finished, and everything is as it would have been.
fn gone_on_with(stage: &Stage, printed: &[Value]) -> Result<bool> {
    let files = stage.files()?;
    ensure!(files == files_of(BEFORE) || files == files_of(AFTER), "half a change: {files:?}");
    let sessions = stage.json(&["--format", "json", "sessions", "list"])?;
    let sessions = sessions.as_array().cloned().unwrap_or_default();
    ensure!(sessions.len() <= 1, "{sessions:?}");
    let Some(id) = sessions.first().and_then(|one| one.get("id")).and_then(Value::as_str) else {
        ensure!(printed.is_empty(), "printed, and not in the store: {printed:?}");
        return Ok(false);
    };
    let before = events(stage, id)?;
    for line in printed.iter().filter(|line| line.get("id").is_some()) {
        let is_it =
            |event: &&Value| ["id", "name", "payload"].iter().all(|key| event[key] == line[key]);
        ensure!(before.iter().any(|event| is_it(&event)), "printed, and not in the log: {line}");
    }
    // Killed between the session and its first turn: nothing was asked.
    if before.is_empty() {
        return Ok(false);
    }
    let resumed = stage.run(&["--format", "jsonl", "sessions", "resume", id, "--yes"])?;
    ensure!(resumed.code == Some(0), "resumed: {:?} {}", resumed.code, resumed.told);
    let after = events(stage, id)?;
    ensure!(after.starts_with(&before), "the log changed: {before:?} {after:?}");
    for (name, wanted) in [("newMessagePair", 1), ("editsApplied", 1), ("requestComplete", 1)] {
        let found = after.iter().filter(|event| name_of(event) == name).count();
        ensure!(found == wanted, "{found} times {name}: {after:?}");
    }
    ensure!(stage.files()? == files_of(AFTER), "finished: {:?}", stage.files()?);
    let todos = stage.json(&["--format", "json", "todos", id])?.to_string();
    let done = todos.matches("\"completed\":true").count();
    ensure!(done == 2, "{done} tasks are done: {todos}");
    let undone = stage.run(&["undo"])?;
    ensure!(undone.code == Some(0), "undo: {:?} {}", undone.code, undone.told);
    ensure!(stage.files()? == files_of(BEFORE), "one undo takes it back: {:?}", stage.files()?);
    Ok(true)
}

fn name_of(event: &Value) -> &str {
    event.get("name").and_then(Value::as_str).unwrap_or_default()
}

fn events(stage: &Stage, id: &str) -> Result<Vec<Value>> {
    let ended = stage.run(&["--format", "jsonl", "sessions", "show", id, "--events"])?;
    ensure!(ended.code == Some(0), "events: {:?} {}", ended.code, ended.told);
    let events = lines(&ended.printed);
    let ids: Vec<u64> =
        events.iter().filter_map(|event| event.get("id").and_then(Value::as_u64)).collect();
    ensure!(ids.len() == events.len(), "events without an id: {events:?}");
    ensure!(ids.is_sorted_by(|one, next| one < next), "events out of order: {ids:?}");
    Ok(events)
}

/// The model: slow enough to be killed while it answers.
fn script() -> String {
    let reply = json!({ "text": answer().to_string(), "chunk": 40, "delay_ms": 10 });
    format!("{}\n", json!({ "reply": reply }))
}

/// What the model answers.
pub(super) fn answer() -> Value {
    let changes: Vec<Value> = AFTER
        .iter()
        .enumerate()
        .map(|(index, (path, text))| json!({ "path": path, "content": text, "todoIndex": index }))
        .collect();
    json!({
        "summary": "Raises the limit.",
        "sections": [{ "heading": "What", "content": "The limit is 7." }],
        "todos": [
            { "text": "Raise the limit", "completed": false },
            { "text": "Say so in the notes", "completed": false }
        ],
        "fileChanges": changes,
        "commands": [],
        "nextSteps": [{ "html": "Run the tests", "inputText": "run the tests" }]
    })
}
