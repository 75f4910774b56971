//! Draws what a heal does and came to.
//!
//! In: events and the report. Out: lines for people, a document for programs, commands for GitHub. Never
//! shows a control character of a foreign text as one.

use super::patch_file::unified;
use crate::change::visible;
use anstyle::{AnsiColor, Style};
use salve_engine::heal::{HealReport, Outcome};
use serde_json::{Value, json};
use std::path::Path;

/// Says what is being waited for.
pub(super) fn next(event: &Value) -> Option<String> {
    let number = |key: &str| event.get(key).and_then(Value::as_u64).unwrap_or_default();
    match event.get("step").and_then(Value::as_str)? {
        "check" => Some("checking".to_owned()),
        "try" => Some(format!("trying {}", counted(number("candidates"), "candidate"))),
        "ask" => {
            let role = event.get("role").and_then(Value::as_str).map(visible).unwrap_or_default();
            Some(format!("asking {role}, up to {} tokens", number("tokens")))
        }
        "consult" => Some("asking agents".to_owned()),
        "confirm" => Some("running the project's own build and tests".to_owned()),
        _ => None,
    }
}

/// Draws one event as a line; nothing for what is not worth one.
pub(super) fn event(event: &Value) -> Option<String> {
    let text = |key: &str| event.get(key).and_then(Value::as_str).map(visible).unwrap_or_default();
    let number = |key: &str| event.get(key).and_then(Value::as_u64);
    match event.get("event").and_then(Value::as_str)? {
        "checked" if event.get("green") == Some(&Value::Bool(true)) => {
            Some("the check passes\n".to_owned())
        }
        "checked" => {
            let errors = number("errors").unwrap_or_default();
            Some(format!("the check fails: {}\n", counted(errors, "error")))
        }
        "attempt" => {
            let good = event.get("helped") == Some(&Value::Bool(true));
            let (mark, style) = match good {
                true => ('✓', AnsiColor::Green.on_default()),
                false => ('✗', AnsiColor::Red.on_default()),
            };
            let left =
                number("errors_left").map(|left| format!(", {} left", counted(left, "error")));
            let tokens = number("tokens").filter(|tokens| *tokens > 0);
            let tokens = tokens.map(|tokens| format!(", {tokens} tokens")).unwrap_or_default();
            let description = Some(text("description")).filter(|text| !text.is_empty());
            Some(format!(
                "{style}{mark}{style:#} {} {}{} ({}{}{tokens})\n",
                text("source"),
                text("author"),
                description.map(|text| format!(": {text}")).unwrap_or_default(),
                text("why"),
                left.unwrap_or_default(),
            ))
        }
        "agent" => {
            let detail = text("detail");
            let detail = if detail.is_empty() { detail } else { format!(" ({detail})") };
            Some(format!("agent {}: {}{detail}\n", text("agent"), text("code")))
        }
        "rollback" => Some("too many failures in a row: back to where it began\n".to_owned()),
        _ => None,
    }
}

/// Draws the report for people; `applied` is the change as drawn, where one was written.
pub(super) fn report(report: &HealReport, applied: &str, root: &Path) -> String {
    let bold = Style::new().bold();
    let mut text = format!("{bold}{}{bold:#}\n{applied}", headline(report));
    if let Some(patch) = &report.patch {
        text.push_str(&visible_lines(&String::from_utf8_lossy(&unified(patch, root))));
    }
    if matches!(report.ending, Outcome::Repaired { .. }) && !report.checked_by.is_empty() {
        text.push_str(&format!("Believed because it passes: {}.\n", report.checked_by.join(", ")));
    }
    if !report.not_checked.is_empty() {
        let missing = report.not_checked.join(", ");
        text.push_str(&format!("Not checked, because not installed: {}.\n", visible(&missing)));
    }
    if let Some(error) = report.ending.compiler_error() {
        text.push_str(&format!("\nStill wrong:\n{}\n", visible_lines(error)));
    }
    if report.model_calls > 0 {
        let calls = counted(u64::from(report.model_calls), "call");
        text.push_str(&format!("{calls}, {} tokens, ${:.4}\n", report.tokens, report.cost));
    }
    if report.tokens_saved > 0 {
        text.push_str(&format!(
            "The fix was known: no model was asked, which usually takes {} tokens.\n",
            report.tokens_saved
        ));
    }
    if let Some(first) = report.learned.first() {
        let more = match report.learned.len() {
            1 => String::new(),
            all => format!(
                " (and {})",
                counted(u64::try_from(all - 1).unwrap_or(u64::MAX), "wider form")
            ),
        };
        text.push_str(&format!(
            "Learned {}{more}; `salve knowledge list` shows it.\n",
            visible(first)
        ));
    }
    for flag in &report.flags {
        text.push_str(&format!("look at: {}\n", visible(&flag.in_words())));
    }
    for command in &report.could_run {
        text.push_str(&format!(
            "You could run `{}`; with `--commands` the heal tries it.\n",
            visible(command)
        ));
    }
    for command in &report.installed {
        text.push_str(&format!(
            "What `{}` installed is not part of the change and remains after `salve undo`.\n",
            visible(command)
        ));
    }
    for warning in &report.warnings {
        text.push_str(&format!("warning: {}\n", visible(warning)));
    }
    if let Some(change) = report.change.as_deref().filter(|change| !change.is_empty()) {
        text.push_str(&format!("Change {change}: `salve undo` takes it back.\n"));
    }
    text
}

fn headline(report: &HealReport) -> String {
    let files = report.files.join(", ");
    if report.partial {
        let left = counted(u64::try_from(report.errors_after).unwrap_or(u64::MAX), "error");
        return match report.change {
            Some(_) => format!("Healed in part: {files}. {left} left."),
            None => format!("A part can be healed: {files}. Nothing was written."),
        };
    }
    match &report.ending {
        Outcome::FirstTrySuccess => "Nothing to heal: the check passes.".to_owned(),
        Outcome::Repaired { attempts, .. } if report.change.is_some() => {
            let attempts = counted(u64::from(*attempts), "attempt");
            format!("Healed after {attempts}: {files}. The check passes.")
        }
        Outcome::Repaired { .. } => {
            format!("A fix passes the check: {files}. Nothing was written.")
        }
        Outcome::RejectedLowConfidence { confidence, .. } => {
            format!(
                "Not healed: the model is not sure of its fix ({confidence}). Nothing was changed."
            )
        }
        Outcome::Exhausted { attempts, .. } => {
            let attempts = counted(u64::from(*attempts), "attempt");
            format!("Not healed after {attempts}. Nothing was changed.")
        }
        Outcome::NoProvider { .. } => {
            "Not healed: no free fix holds, and no model is configured. Nothing was changed."
                .to_owned()
        }
        Outcome::ProductionBlocked { .. } => {
            "Not healed: in production only pinned fixes act. Nothing was changed.".to_owned()
        }
        Outcome::ProviderError { message, .. } => {
            format!("Not healed: no provider answered ({}). Nothing was changed.", visible(message))
        }
        Outcome::Halted { reason, .. } => {
            format!("Ended: {}. Nothing was changed.", reason.in_words())
        }
        Outcome::Paused { reason } => {
            format!("Paused: {}. Nothing was changed; start it again to go on.", reason.in_words())
        }
    }
}

/// Returns the report as other programs read it.
pub(super) fn document(report: &HealReport) -> Value {
    serde_json::to_value(report).unwrap_or_default()
}

/// Returns the last line of a stream of events.
pub(super) fn ended(report: &HealReport) -> Value {
    let mut document = document(report);
    document["event"] = json!("ended");
    document
}

/// Draws the report as workflow commands.
pub(super) fn github(report: &HealReport) -> String {
    let escaped = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let kind = if report.ending.is_success() { "notice" } else { "error" };
    let mut text = format!("::{kind} title=salve heal::{}\n", escaped(&headline(report)));
    for error in &report.remaining {
        text.push_str(&format!("::error title=salve heal::{}\n", escaped(error)));
    }
    text
}

fn counted(number: u64, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

fn visible_lines(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", visible(line))).collect()
}
