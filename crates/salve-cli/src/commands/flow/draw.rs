//! What is shown of a workflow.
//!
//! In: reports, traces, problems. Out: text for people, and the documents of the wire. Never decides anything.

use crate::change::visible;
use salve_engine::workflow::{BlockRun, Broken, FlowManifest, FlowReport, StepLine};
use serde_json::{Value, json};
use std::fmt::Write;

/// One step, in a line.
pub(super) fn step(line: &StepLine) -> String {
    let run = if line.run > 1 { format!("  (run {})", line.run) } else { String::new() };
    format!("{}  {}{run}\n", visible(&line.block), line.signal.name())
}

/// How a workflow ended.
pub(super) fn report(report: &FlowReport, with_steps: bool) -> String {
    let mut out = String::new();
    if with_steps {
        report.steps.iter().for_each(|line| out.push_str(&step(line)));
    }
    let end = &report.end;
    let _ = match end.code {
        None => writeln!(out, "Completed in {} steps.", report.steps.len()),
        Some(code) => {
            let why = end.why.as_deref().unwrap_or_default().lines();
            let why: String = why.map(|line| format!("\n  {}", visible(line))).collect();
            let (block, signal) = (visible(&end.block), end.signal.name());
            writeln!(out, "Halted ({}) after `{block}` with {signal}.{why}", code.name())
        }
    };
    match (&report.path, report.changes.last()) {
        (Some(path), Some(_)) => {
            let _ = writeln!(out, "Written: {}\n`salve undo` takes it back.", visible(path));
        }
        _ if !report.taken_back.is_empty() => {
            out.push_str("What was written is taken back; every file is as it was.\n");
        }
        _ => out.push_str("Nothing was written.\n"),
    }
    for warning in &report.warnings {
        let _ = writeln!(out, "warning: {}", visible(warning));
    }
    if report.tokens > 0 {
        let _ = writeln!(out, "{} tokens, ${:.4}", report.tokens, dollars(report.micro_dollars));
    }
    out
}

/// The same for programs.
pub(super) fn document(report: &FlowReport, trace: &[BlockRun]) -> Value {
    json!({
        "outcome": report.outcome(),
        "code": report.end.code,
        "block": report.end.block,
        "signal": report.end.signal,
        "why": report.end.why,
        "steps": report.steps,
        "path": report.path,
        "change": report.changes.last(),
        "changes": report.changes,
        "takenBack": report.taken_back,
        "needsApproval": report.needs_approval,
        "tokens": report.tokens,
        "cost": dollars(report.micro_dollars),
        "warnings": report.warnings,
        "trace": trace,
    })
}

/// What was removed from outputs, a line each.
pub(super) fn removed(trace: &[BlockRun]) -> String {
    let mut out = String::new();
    for run in trace {
        for one in &run.removed {
            let text: String = one.text.trim().chars().take(60).collect();
            let _ = writeln!(
                out,
                "{} run {}: removed {}..{} ({}): {}",
                visible(&run.block),
                run.run,
                one.start,
                one.end,
                one.reason,
                visible(&text.replace('\n', " "))
            );
        }
    }
    if out.is_empty() { "nothing was removed\n".to_owned() } else { out }
}

/// A manifest that can be run.
pub(super) fn checked(name: &str, manifest: &FlowManifest) -> String {
    let count = manifest.blocks.len();
    let (name, start) = (visible(name), visible(&manifest.start));
    let mut out = format!("{name}: {count} blocks, begins with `{start}`. It can be run.\n");
    for note in manifest.notes() {
        let _ = writeln!(out, "note: {}", visible(&note));
    }
    out
}

/// A manifest that cannot be run, a line for each problem.
pub(super) fn broken(name: &str, broken: &Broken) -> String {
    let line = |problem| format!("{}\n", visible(&format!("{name}:{problem}")));
    broken.problems.iter().map(line).collect()
}

#[expect(clippy::cast_precision_loss, reason = "amounts of money are far below 2^53")]
fn dollars(micro: u64) -> f64 {
    micro as f64 / 1e6
}
