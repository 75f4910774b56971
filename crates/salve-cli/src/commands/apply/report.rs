//! Says what became of an edit set.
//!
//! In: the report of the verifier and the outcome of the transaction. Out: aligned text for people,
//! one document for programs. Never decides anything.

use crate::arguments::Format;
use crate::change::visible;
use crate::failure::Failure;
use crate::output;
use anstyle::{AnsiColor, Style};
use salve_tree::{ApplyOutcome, FileOutcome, FileReport, HunkOutcome, Refusal, Report};
use salve_types::EditSet;
use serde_json::{Value, json};

/// Shows a refusal: what a person needs first, then the words for the model.
pub(super) fn refusal(edits: &EditSet, refusal: &Refusal) -> String {
    let red = AnsiColor::Red.on_default().bold();
    let mut text = format!("{red}refused{red:#}  nothing was changed\n");
    text.push_str(&notes(edits));
    text.push_str(&visible_lines(&refusal.message_for_model()));
    text
}

/// Shows what would be written.
pub(super) fn planned(edits: &EditSet, report: &Report) -> String {
    let bold = Style::new().bold();
    format!("{bold}would apply{bold:#}\n{}{}", notes(edits), files(report))
}

/// Shows what was written.
pub(super) fn applied(edits: &EditSet, report: &Report, outcome: &ApplyOutcome) -> String {
    let green = AnsiColor::Green.on_default().bold();
    let red = AnsiColor::Red.on_default().bold();
    match outcome {
        ApplyOutcome::Applied(change) => {
            let stats = change.stats();
            format!(
                "{green}applied{green:#}  change #{} (+{} -{}), `salve undo` takes it back\n{}{}",
                change.number(),
                stats.added,
                stats.removed,
                notes(edits),
                files(report),
            )
        }
        ApplyOutcome::NothingToDo => {
            format!("{green}no changes needed{green:#}\n{}{}", notes(edits), files(report))
        }
        ApplyOutcome::Conflict(conflict) => format!(
            "{red}rolled back{red:#}  {}: {}\n\
             All files are as they were. Run the command again to verify against the new content.\n",
            visible(&conflict.path),
            visible(&conflict.why),
        ),
    }
}

/// Writes everything as one JSON document or line.
pub(super) fn document(
    edits: &EditSet,
    report: &Report,
    refusal: Option<&Refusal>,
    outcome: Option<&ApplyOutcome>,
    format: Format,
) -> Result<(), Failure> {
    let mut document = json!({
        "ok": refusal.is_none() && !matches!(outcome, Some(ApplyOutcome::Conflict(_))),
        "format": edits.format,
        "notes": edits.notes,
        "files": report.files,
    });
    if let Some(refusal) = refusal {
        document["code"] = json!(refusal.code);
        document["message"] = json!(refusal.message);
        document["error"] = json!(refusal.message_for_model());
    }
    match outcome {
        Some(ApplyOutcome::Applied(change)) => {
            document["change"] = json!({
                "id": change.id(), "number": change.number(), "stats": change.stats(),
            });
        }
        Some(ApplyOutcome::Conflict(conflict)) => document["rolledBack"] = json!(conflict),
        Some(ApplyOutcome::NothingToDo) | None => document["change"] = Value::Null,
    }
    output::value(format, &document)
}

fn notes(edits: &EditSet) -> String {
    let dim = Style::new().dimmed();
    edits
        .notes
        .iter()
        .map(|note| format!("  {dim}{}: {}{dim:#}\n", note.code.name(), visible(&note.message)))
        .collect()
}

fn files(report: &Report) -> String {
    report.files.iter().map(file).collect()
}

fn file(file: &FileReport) -> String {
    let cyan = AnsiColor::Cyan.on_default();
    let red = AnsiColor::Red.on_default();
    let path = match &file.moved_to {
        Some(to) => format!("{} → {}", visible(&file.path), visible(to)),
        None => visible(&file.path),
    };
    let word = match &file.outcome {
        FileOutcome::Planned => output::word(&file.operation),
        FileOutcome::NoChange => "no changes needed".to_owned(),
        FileOutcome::Refused { message, detail, .. } => {
            format!("{red}left out{red:#} ({message}): {}", visible(detail))
        }
        _ => String::new(),
    };
    let rebased = if file.rebased { ", carried over to the present version" } else { "" };
    let mut text = format!("  {cyan}{path}{cyan:#}  {word}{rebased}\n");
    for (number, hunk) in file.hunks.iter().enumerate() {
        text.push_str(&format!("    hunk {}  {}\n", number + 1, hunk_words(hunk)));
    }
    for note in &file.notes {
        text.push_str(&format!("    {}\n", visible(note)));
    }
    text
}

fn hunk_words(hunk: &HunkOutcome) -> String {
    match hunk {
        HunkOutcome::Placed { rung, first_line, last_line, score, in_result } => {
            let place = if last_line < first_line {
                format!("before line {first_line}")
            } else {
                lines(*first_line, *last_line)
            };
            let score = if *score < 1.0 { format!(", {score:.2} alike") } else { String::new() };
            let after = if *in_result { ", after the hunks before it" } else { "" };
            format!("{place}  ({}{score}{after})", output::word(rung).replace('_', " "))
        }
        HunkOutcome::AlreadyApplied { first_line, last_line } => {
            format!("{}  (already applied)", lines(*first_line, *last_line))
        }
        HunkOutcome::Refused(refusal) => format!("refused: {}", visible(&refusal.message)),
    }
}

fn lines(first: usize, last: usize) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first}–{last}") }
}

fn visible_lines(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", visible(line))).collect()
}
