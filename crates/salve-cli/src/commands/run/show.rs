//! What people and programs see of a command: before it runs, and after.
//!
//! In: verdicts, plans, finished runs. Out: text and JSON. Never shows a word otherwise than quoted
//! and with its control characters visible.

use crate::change::visible;
use crate::wrap;
use anstyle::AnsiColor;
use salve_check::{
    CommandVerdict, FinishedRun, Joiner, Plan, PlannedCommand, RedirectTarget, RunEvent, RunRecord,
    likely_obstacle, quote_for_display,
};
use serde_json::{Value, json};
use std::io::IsTerminal;

/// Writes a plan as the line it came from.
pub(crate) fn line(plan: &Plan) -> String {
    let mut text = String::new();
    for (index, pipeline) in plan.pipelines.iter().enumerate() {
        if index > 0 {
            text.push_str(match pipeline.joiner {
                Joiner::Then => "; ",
                Joiner::And => " && ",
                Joiner::Or => " || ",
            });
        }
        let commands: Vec<String> = pipeline.commands.iter().map(command).collect();
        text.push_str(&commands.join(" | "));
    }
    visible(&text)
}

fn command(command: &PlannedCommand) -> String {
    let mut text = quote_for_display(&command.argv);
    for redirect in &command.redirects {
        let number = redirect.descriptor;
        let target = |path: &String| quote_for_display(std::slice::from_ref(path));
        text.push_str(&match &redirect.target {
            RedirectTarget::Read(path) => format!(" < {}", target(path)),
            RedirectTarget::Write(path) => format!(" {number}> {}", target(path)),
            RedirectTarget::Append(path) => format!(" {number}>> {}", target(path)),
            RedirectTarget::Same(other) => format!(" {number}>&{other}"),
        });
    }
    text
}

/// Says what would run and why it does not: the policy's objection, or the setting that holds it.
pub(super) fn question(verdict: &CommandVerdict, plan: &Plan, held: Option<&str>) -> String {
    let warn = AnsiColor::Yellow.on_default().bold();
    let why = held.map_or_else(|| objection(verdict), visible);
    format!("{warn}asks{warn:#}  {}\n  {why}\n", shown(plan))
}

/// Says what a rule forbids.
pub(super) fn denied(verdict: &CommandVerdict, plan: &Plan) -> String {
    let red = AnsiColor::Red.on_default().bold();
    format!("{red}denied{red:#}  {}\n  {}\n", shown(plan), objection(verdict))
}

fn shown(plan: &Plan) -> String {
    let bold = anstyle::Style::new().bold();
    format!("{bold}{}{bold:#}", line(plan))
}

fn objection(verdict: &CommandVerdict) -> String {
    format!("{}: {}", crate::output::word(&verdict.rule), visible(&verdict.why))
}

/// Says why a line cannot be run at all.
pub(super) fn refused(verdict: &CommandVerdict) -> String {
    let red = AnsiColor::Red.on_default().bold();
    let calm = AnsiColor::Cyan.on_default();
    format!(
        "{red}not run{red:#}: {}\n {calm}hint{calm:#}: no shell runs here; give the program and its words after `--`, or `-- bash -c '…'`, which asks\n",
        objection(verdict),
    )
}

/// Says how a run ended; in full on a terminal, else only what its reader would not expect.
pub(super) fn ended(run: &FinishedRun) -> String {
    let record = &run.record;
    let mut text = String::new();
    let told = std::io::stderr().is_terminal();
    if told || !run.succeeded() {
        text.push_str(&format!("{} in {} ms\n", sign(record), record.duration_ms));
    }
    let mut note = |words: String| text.push_str(&format!("  {words}\n"));
    if !record.missing_guarantees.is_empty() {
        note(format!("ran without the guarantee {}", record.missing_guarantees.join(", ")));
    }
    if record.orphans > 0 {
        note(format!("{} processes outlived it and were ended", record.orphans));
    }
    for event in &run.events {
        if let RunEvent::BreakerTripped { control_file, .. } = event {
            note(format!(
                "too many processes were left behind: PAUSE is written to `{control_file}`"
            ));
        }
    }
    for event in &run.events {
        if let RunEvent::NotLookedAt { folders } = event {
            note(format!(
                "it left too many files to look at: {folders} folders may hold what editors, hooks, build \
                 servers or agents obey"
            ));
        }
    }
    for event in &run.events {
        if let RunEvent::MovedAside { paths, folder } = event {
            let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            note(crate::change::visible(&format!(
                "moved to `{folder}`, because editors, hooks, build servers or agents would obey it: {}; \
                 `--allow-protected` leaves it",
                paths.join(", ")
            )));
        }
    }
    for event in &run.events {
        if let RunEvent::CachesBusy { added } = event {
            note(match added {
                true => {
                    "what it fetched is not kept: another run had the workspace's caches; run it \
                         again to keep it"
                        .to_owned()
                }
                false => "it ran without the workspace's caches: another run was adding to them"
                    .to_owned(),
            });
        }
    }
    if let (Some(file), true) =
        (&record.output_file, !run.stdout.is_whole() || !run.stderr.is_whole())
    {
        note(format!("all of its output: {file}"));
    }
    if let Some(obstacle) = likely_obstacle(run) {
        let calm = AnsiColor::Cyan.on_default();
        let hint = format!(" {calm}hint{calm:#}: {obstacle}\n");
        text.push_str(&wrap::wrap(&hint, wrap::width_of_story(), 7));
    }
    text
}

/// Writes the ending with a sign and a colour.
pub(crate) fn sign(record: &RunRecord) -> String {
    let good = record.ending == salve_check::RunEnding::Exited { code: 0 };
    let (style, sign) = if good {
        (AnsiColor::Green.on_default().bold(), "✓")
    } else {
        (AnsiColor::Red.on_default().bold(), "✗")
    };
    format!("{style}{sign} {}{style:#}", record.ending.in_words())
}

/// The run as JSON: its record, and what a model and a person would be shown.
pub(super) fn document(run: &FinishedRun) -> Value {
    json!({
        "record": run.record,
        "succeeded": run.succeeded(),
        "model": run.for_model(),
        "display": run.for_display(),
        "events": run.events,
        "hint": likely_obstacle(run).map(|obstacle| obstacle.to_string()),
    })
}
