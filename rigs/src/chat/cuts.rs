//! A structured answer that is cut at every byte, and never continued.
//!
//! In: every how many bytes. Out: how many cuts, and how many were shown in part. After each: no file is written,
//! no command ran, and no field says what the model did not. Never a continuation: the model repeats the cut.

use super::kills;
use super::stage::{BEFORE, REQUEST, Stage, files_of};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;

const CHAT: [&str; 6] = ["--format", "json", "chat", "--yes", "-p", REQUEST];
/// How long the answer is made by its sections.
const LENGTH: usize = 4_096;

/// Cuts the answer.
pub(super) fn run(salve: &Path, every: usize) -> Result<String> {
    let mut whole = kills::answer();
    let length = whole.to_string().len();
    let filler = "A limit of seven is what the team agreed on. ".repeat(LENGTH / 45);
    let filler = filler.get(..LENGTH.saturating_sub(length)).unwrap_or_default();
    whole["sections"][0]["content"] = json!(filler);
    whole["commands"] = json!([{ "command": "touch ran.txt" }]);
    let text = whole.to_string();
    let (mut cuts, mut shown) = (0, 0);
    for end in (0..text.len()).step_by(every.max(1)) {
        let Some(part) = text.get(..end) else { continue };
        let reply = json!({ "text": part, "finish": "length" });
        let stage = Stage::new(salve, &format!("{}\n", json!({ "reply": reply })))?;
        let ended = stage.run(&CHAT)?;
        let when = || format!("cut after {end} bytes: {} {}", ended.printed, ended.told);
        ensure!(ended.code == Some(1), "ended with {:?}: {}", ended.code, when());
        ensure!(stage.files()? == files_of(BEFORE), "a file was written: {}", when());
        let report: Value = serde_json::from_str(&ended.printed).with_context(when)?;
        let summary = report.get("summary").and_then(Value::as_str).unwrap_or_default();
        let wanted = whole["summary"].as_str().unwrap_or_default();
        ensure!(wanted.starts_with(summary), "a wrong summary: {}", when());
        shown += usize::from(!summary.is_empty());
        cuts += 1;
    }
    Ok(format!("chat: {cuts} cuts of {} bytes, {shown} shown in part, 0 acted on", text.len()))
}
