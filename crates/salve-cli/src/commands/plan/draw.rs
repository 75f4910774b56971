//! Plans for people: the parts, the three orders, what became of them, both sides of a conflict.
//!
//! In: a plan and its report. Out: text. Never a figure that is not in them.

use crate::change::visible;
use salve_engine::plan::{
    PlanReport, StrategyCard, SubTask, SubTaskConflict, SubTaskPlan, SubTaskStatus, TaskReport,
};
use salve_store::{PlanRecord, SubTaskRecord};
use serde_json::Value;

/// How many letters of an instruction are shown.
const TITLE: usize = 72;
/// How many lines of a side of a conflict are shown.
const MOST_LINES: usize = 20;

/// Draws a plan with its orders.
pub(super) fn plan(kept: &PlanRecord, plan: &SubTaskPlan) -> String {
    let mut text = format!("📋 Execution Plan: \"{}\"\n", short(&plan.request));
    text.push_str(&format!(
        "Plan {}, found {} sub-tasks ({}):\n\n",
        kept.id,
        plan.tasks.len(),
        granularity(kept, plan)
    ));
    for task in &plan.tasks {
        text.push_str(&format!("  {}. {}{}\n", task.id, short(&task.instruction), waits(task)));
    }
    text.push('\n');
    let cards = kept.estimate.get("strategies").cloned().unwrap_or_default();
    let cards: Vec<StrategyCard> = serde_json::from_value(cards).unwrap_or_default();
    for card in &cards {
        let mark = if card.execution_order == plan.execution_order { '●' } else { '○' };
        let measured = match card.estimate.success {
            Some(share) => {
                format!(
                    "measured: the medians of {} plans, {:.0} % of them completed",
                    card.estimate.plans,
                    share * 100.0
                )
            }
            None => {
                "computed from prompt sizes, limits and prices; no plans were measured".to_owned()
            }
        };
        text.push_str(&format!(
            "  {mark} {}) {}\n      Speed: {}  Cost: ${:.4}  Risk: {}  about {}\n      {}\n      ({measured})\n",
            card.letter,
            card.name,
            card.speed,
            card.estimate.estimated_cost,
            card.risk,
            seconds(card.estimate.estimated_time_ms),
            card.text,
        ));
    }
    if kept.status == "draft" {
        let id = &kept.id;
        text.push_str(&format!("\n`salve plan edit {id}` changes it, `salve plan run {id} --strategy a|b|c` starts it.\n"));
    }
    text
}

fn granularity(kept: &PlanRecord, plan: &SubTaskPlan) -> String {
    match kept.estimate.get("reason").and_then(Value::as_str) {
        Some(reason) if !reason.is_empty() => {
            format!("{}: {}", plan.granularity.name(), visible(reason))
        }
        _ => plan.granularity.name().to_owned(),
    }
}

fn waits(task: &SubTask) -> String {
    match task.depends_on.is_empty() {
        true => String::new(),
        false => format!(" (depends on {})", task.depends_on.join(", ")),
    }
}

/// Draws where the parts of a plan are.
pub(super) fn states(kept: &PlanRecord, plan: &SubTaskPlan, parts: &[SubTaskRecord]) -> String {
    if kept.status == "draft" {
        return String::new();
    }
    let mut text = format!("\nStatus: {}\n", kept.status);
    for task in &plan.tasks {
        let Some(part) = parts.iter().find(|part| part.note.id == task.id) else { continue };
        let note = &part.note;
        text.push_str(&line(
            &task.id,
            &note.status,
            &short(&task.instruction),
            &note.summary,
            task,
        ));
    }
    let took = &kept.took;
    text.push_str(&format!(
        "Took {} tokens, ${:.4}, {}.\n",
        took.tokens,
        took.micro_dollars as f64 / 1e6,
        seconds(took.ms)
    ));
    text
}

fn line(id: &str, status: &str, title: &str, summary: &str, task: &SubTask) -> String {
    let said =
        if summary.is_empty() { String::new() } else { format!("\n      {}", short(summary)) };
    match status {
        "completed" => format!("  ✓ {id}. {title}{said}\n"),
        "waiting" | "pending" => format!("  ⏳ Waiting: {id}. {title}{}\n", waits(task)),
        "running" => format!("  🔄 {id}. {title}\n"),
        other => format!("  ✗ {id}. {title}: {other}{said}\n"),
    }
}

/// Draws what a plan does now, in one line.
pub(super) fn progress(detail: &Value) -> String {
    if detail.get("merges").is_some() {
        return "merging, and checking the whole".to_owned();
    }
    let names = detail.get("running").and_then(Value::as_array).into_iter().flatten();
    let names: Vec<&str> = names.filter_map(Value::as_str).collect();
    let number = |name: &str| detail.get(name).and_then(Value::as_u64).unwrap_or(0);
    let (done, of) = (number("done"), number("of"));
    let filled =
        usize::try_from((done * 20).checked_div(of.max(1)).unwrap_or(0)).unwrap_or(0).min(20);
    let bar = format!("{}{}", "█".repeat(filled), "░".repeat(20 - filled));
    format!(
        "🔄 {bar} {done}/{of} done, running {} in parallel: {}",
        names.len(),
        visible(&names.join(", "))
    )
}

/// Draws what a plan came to.
pub(super) fn report(kept: &PlanRecord, report: &PlanReport) -> String {
    let mut text = format!("Plan {}: {}\n", kept.id, report.outcome);
    for TaskReport { id, status, attempts, tokens, summary, .. } in &report.tasks {
        let mark = if *status == SubTaskStatus::Completed { '✓' } else { '✗' };
        let tries = if *attempts > 1 { format!(", {attempts} attempts") } else { String::new() };
        text.push_str(&format!(
            "  {mark} {id}. {} ({tokens} tokens{tries}): {}\n",
            status.name(),
            short(summary)
        ));
    }
    text.push_str(&conflicts(&report.conflicts));
    for finding in &report.findings {
        text.push_str(&format!("  {}\n", visible(finding)));
    }
    for warning in &report.warnings {
        text.push_str(&format!("warning: {}\n", visible(warning)));
    }
    let estimated = kept.estimate.get("estimatedCost").and_then(Value::as_f64).unwrap_or(0.0);
    let time = kept.estimate.get("estimatedTimeMs").and_then(Value::as_u64).unwrap_or(0);
    text.push_str(&format!(
        "Took {} tokens, ${:.4} and {}; estimated were ${estimated:.4} and {}.\n",
        report.tokens,
        report.cost,
        seconds(kept.took.ms),
        seconds(time)
    ));
    let id = &kept.id;
    match &report.change {
        Some(change) => text.push_str(&format!(
            "Written: {} (change {change}). `salve undo` takes all of it back, `salve plan undo {id} TASK` one part.\n",
            report.files.join(", ")
        )),
        None if report.outcome == "needs_attention" => text.push_str(&format!(
            "Nothing was written. `salve plan run {id} --yes --retry TASK` does a part again, `--skip TASK` leaves it \
             out, `--cancel` gives up.\n"
        )),
        None => text.push_str("Nothing was written.\n"),
    }
    text
}

/// Draws overlaps with both sides.
pub(super) fn conflicts(conflicts: &[SubTaskConflict]) -> String {
    let mut text = String::new();
    for conflict in conflicts {
        let with = match conflict.with.is_empty() {
            true => "your own change of the file".to_owned(),
            false => format!("part {}", conflict.with.join(", ")),
        };
        text.push_str(&format!(
            "Conflict in {}: part {} and {with}\n",
            visible(&conflict.path),
            conflict.task
        ));
        for side in &conflict.sides {
            text.push_str(&format!("  before:\n{}", block(&side.base)));
            text.push_str(&format!("  {with}:\n{}", block(&side.present)));
            text.push_str(&format!("  part {}:\n{}", conflict.task, block(&side.wanted)));
        }
    }
    text
}

fn block(text: &str) -> String {
    let mut lines: String =
        text.lines().take(MOST_LINES).map(|line| format!("    | {}\n", visible(line))).collect();
    let more = text.lines().count().saturating_sub(MOST_LINES);
    if more > 0 {
        lines.push_str(&format!("    … {more} more lines\n"));
    }
    if lines.is_empty() { "    (nothing)\n".to_owned() } else { lines }
}

fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(TITLE).collect();
    visible(&if line.chars().count() > TITLE { format!("{cut}…") } else { cut })
}

fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1_000, ms % 1_000 / 100)
}
