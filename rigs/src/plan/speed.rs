//! What plans take beside models and toolchains.
//!
//! In: the program under test. Out: milliseconds of one sub-task, and seconds of a graph of 200 with 8 at once. The model
//! answers at once, and no toolchain fits the files. Never a limit that a slow machine fails.

use super::stage::{Model, Stage, block};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

const TASKS: usize = 200;
const AT_ONCE: &str = "8";

/// Measures.
pub(super) fn run(salve: &Path) -> Result<String> {
    let rules: Vec<Value> = (0..TASKS).map(|at| rule(at, 0)).collect();
    let model = Model::new(&rules)?;
    let stage = Stage::new(salve, model.port(), &std::env::temp_dir(), &[])?;
    let (few, _) = timed(&stage, 1)?;
    let (all, files) = timed(&stage, TASKS)?;
    ensure!(files == after(TASKS), "not everything was written");
    let each = (all - few) * 1_000.0 / (TASKS - 1) as f64;
    Ok(format!(
        "{TASKS} sub-tasks, {AT_ONCE} at once: {all:.2} s (goal 15), {each:.1} ms for each beyond the first (goal 20)"
    ))
}

// Seconds of a run of this many, and the files after it.
fn timed(stage: &Stage, count: usize) -> Result<(f64, BTreeMap<String, String>)> {
    stage.reset(&before(count))?;
    let tasks = stage.beside("tasks.json", &document(count))?;
    let made = stage.run(&["plan", "make", "-p", "values", "--import", &tasks])?;
    ensure!(made.code == Some(0), "made: {}", made.told);
    let began = Instant::now();
    let ended = stage.run(&["plan", "run", "last", "--yes", "--parallel", AT_ONCE])?;
    let took = began.elapsed().as_secs_f64();
    ensure!(ended.code == Some(0), "run: {:?} {}", ended.code, ended.told);
    Ok((took, stage.files()?))
}

/// A layered graph: each part depends on two of the layer before.
pub(super) fn document(count: usize) -> String {
    let task = |at: usize| {
        let layer = at / 8;
        let before: Vec<String> = match layer {
            0 => Vec::new(),
            _ => vec![format!("t{}", at - 8), format!("t{}", (layer - 1) * 8 + (at + 1) % 8)],
        };
        json!({ "id": format!("t{at}"), "instruction": "Set the value.",
                "contextFiles": [name(at)], "dependsOn": before })
    };
    json!((0..count).map(task).collect::<Vec<_>>()).to_string()
}

/// The answer to a part, after this many milliseconds.
pub(super) fn rule(at: usize, delay: u64) -> Value {
    let text = format!("{}Summary: done.\n", block(&name(at), "value = 1\n", &text_after(at)));
    json!({ "when": { "contains": format!("Your part (t{at}):") },
            "reply": { "text": text, "chunk": 100_000, "delay_ms": { "first": delay, "between": 0 } } })
}

/// The files before.
pub(super) fn before(count: usize) -> BTreeMap<String, String> {
    (0..count).map(|at| (name(at), "value = 1\n".to_owned())).collect()
}

/// The files after.
pub(super) fn after(count: usize) -> BTreeMap<String, String> {
    (0..count).map(|at| (name(at), text_after(at))).collect()
}

// No toolchain reads these.
fn name(at: usize) -> String {
    format!("part_{at}.txt")
}

fn text_after(at: usize) -> String {
    format!("value = {}\n", (at + 1) * 10)
}
