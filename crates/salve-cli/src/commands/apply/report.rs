//! Says the outcome of an edit set.
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

/// The outcome of the edits.
#[derive(Clone, Copy)]
pub(super) enum End<'a> {
    /// They do not fit.
    Refused(&'a Refusal),
    /// They were only to be shown.
    Planned,
    /// A setting holds them back, as the words say.
    Held(&'a str),
    /// The transaction was begun.
    Of(&'a ApplyOutcome),
}

/// Shows what would be written.
pub(super) fn planned(edits: &EditSet, report: &Report, end: End<'_>) -> String {
    let style = Style::new().bold();
    let head = match end {
        End::Held(why) => {
            let style = AnsiColor::Yellow.on_default().bold();
            let calm = AnsiColor::Cyan.on_default();
            format!(
                "{style}held{style:#}  nothing was changed: {}\n \
                 {calm}hint{calm:#}: `--yes` applies it, `--interactive` asks about every hunk\n",
                visible(why),
            )
        }
        _ => format!("{style}would apply{style:#}\n"),
    };
    format!("{head}{}{}", notes(edits), files(report))
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
    end: End<'_>,
    format: Format,
) -> Result<(), Failure> {
    let mut document = json!({
        "ok": matches!(end, End::Planned | End::Of(ApplyOutcome::Applied(_) | ApplyOutcome::NothingToDo)),
        "format": edits.format,
        "notes": edits.notes,
        "files": report.files,
    });
    if let End::Of(ApplyOutcome::Conflict(conflict)) = end {
        document["rolledBack"] = json!(conflict);
    } else {
        document["change"] = Value::Null;
    }
    match end {
        End::Refused(refusal) => {
            document["code"] = json!(refusal.code);
            document["message"] = json!(refusal.message);
            document["error"] = json!(refusal.message_for_model());
        }
        End::Held(why) => document["held"] = json!(why),
        End::Of(ApplyOutcome::Applied(change)) => {
            document["change"] = json!({
                "id": change.id(), "number": change.number(), "stats": change.stats(),
            });
        }
        End::Planned | End::Of(ApplyOutcome::Conflict(_) | ApplyOutcome::NothingToDo) => {}
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
        // What a person left out is nothing that was done.
        FileOutcome::Declined => return String::new(),
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
        HunkOutcome::Declined { first_line, last_line } => {
            format!("{}  (left out)", lines(*first_line, (*last_line).max(*first_line)))
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
