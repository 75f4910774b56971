//! Draws what happens in a turn, for people.
//!
//! In: events of a session, the report of a turn. Out: lines of the story, and the answer as the result. Never
//! shows a control character of a foreign text as one.

mod uploads;

use crate::change::visible;
use crate::failure::Failure;
use crate::output;
use anstyle::{AnsiColor, Style};
use salve_engine::session::machine::{AttentionCode, TurnEnding};
use salve_engine::session::{ChatAnswer, EventName, TurnReport, Waits, run_all_label};
use salve_types::SessionEvent;
use serde_json::Value;

/// How many lines of a check, a heal or a command are shown.
const LINES: usize = 12;

/// Shows an event. Where a result of its own is wanted, that alone is on standard output.
pub(super) fn event(event: &SessionEvent, has_output: bool) -> Result<(), Failure> {
    let Some(name) = EventName::from_name(&event.name) else { return Ok(()) };
    let payload = &event.payload;
    if let Some(waits) = waited_for(name, payload) {
        output::transient(&waits);
        return Ok(());
    }
    output::transient("");
    if name == EventName::RequestComplete {
        let answer: ChatAnswer =
            serde_json::from_value(payload["structured"].clone()).unwrap_or_default();
        let drawn = drawn_answer(&answer);
        if has_output {
            output::story(&drawn);
            return Ok(());
        }
        return output::result(&drawn);
    }
    if let Some(line) = line_of(name, payload) {
        output::story(&line);
    }
    Ok(())
}

// What takes time is shown until the next thing happens.
fn waited_for(name: EventName, payload: &Value) -> Option<String> {
    match name {
        EventName::Planning | EventName::Searching => Some(text(payload, "text")),
        EventName::ImagesStarted => Some(text(payload, "text")),
        EventName::UpdateResponseChunk => {
            let line = text(payload, "text");
            let last = line.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
            Some(format!("answering: {}", visible(last.trim())))
        }
        _ => None,
    }
}

fn line_of(name: EventName, payload: &Value) -> Option<String> {
    Some(match name {
        EventName::FilesLoaded => {
            let (files, failed) = (list(payload, "files"), list(payload, "failed"));
            let mut line = format!("{}{}\n", text(payload, "text"), named(&files));
            for pattern in failed {
                line.push_str(&format!("  nothing fits `{}`\n", visible(&pattern)));
            }
            for page in list(payload, "pages") {
                line.push_str(&format!("  read {}\n", visible(&page)));
            }
            line
        }
        EventName::FilesUploaded => uploads::line(payload),
        EventName::EditsApplied => applied(payload),
        EventName::EditsHeld => {
            format!("edits wait for you{}\n", named(&list(payload, "files")))
        }
        EventName::EditsBlocked if payload["code"] == "declined" => {
            "nothing was applied\n".to_owned()
        }
        EventName::EditsBlocked => {
            let (message, detail) = (text(payload, "message"), text(payload, "detail"));
            format!("{} {}: {}\n", bad("not applied"), visible(&message), visible(&detail))
        }
        EventName::RecoveryBanner => {
            let parts = [text(payload, "banner"), text(payload, "blocked")];
            parts.iter().filter(|part| !part.is_empty()).map(|part| format!("{part}\n")).collect()
        }
        EventName::CheckFinished => checked(payload),
        EventName::HealFinished => healed(payload),
        EventName::CommandSuggested => {
            let what = payload["description"].as_str().map(|what| format!("  {}", visible(what)));
            let line = visible(&text(payload, "command"));
            format!("🖥️ {line}{}\n", what.unwrap_or_default())
        }
        EventName::CommandFinished => command(payload),
        EventName::CliProgress => format!("{}\n\n", lines(&text(payload, "text"))),
        EventName::TodosUpdated => todos(payload),
        EventName::ImagesGenerated => images(payload),
        EventName::TurnFailed => {
            let why = visible(&text(payload, "why"));
            format!("{}: {why}\n", bad("there is no answer"))
        }
        EventName::TurnCancelled => "the turn was given up\n".to_owned(),
        EventName::HandoffOffered => {
            "the context is nearly full; `/handoff` goes on in a fresh session\n".to_owned()
        }
        _ => return None,
    })
}

fn applied(payload: &Value) -> String {
    let mut line = format!("{} {}\n", good("applied"), visible(&text(payload, "change")));
    for file in payload["files"].as_array().into_iter().flatten() {
        let (added, removed) = (&file["added"], &file["removed"]);
        let path = visible(&text(file, "path"));
        line.push_str(&format!("  {path} +{added} -{removed}\n"));
    }
    line
}

fn checked(payload: &Value) -> String {
    let ran = list(payload, "ran").join(", ");
    let mut line = match payload["verdict"].as_str() {
        Some("green") => format!("check: {} ({ran})\n", good("green")),
        Some("red") => format!("check: {} ({ran})\n", bad("red")),
        Some("nothing") => "check: nothing here can be checked\n".to_owned(),
        _ => "check: not run\n".to_owned(),
    };
    for finding in list(payload, "findings").iter().take(LINES) {
        line.push_str(&format!("  {}\n", visible(finding)));
    }
    line
}

fn healed(payload: &Value) -> String {
    let outcome = text(payload, "outcome");
    let shown = if payload["green"] == true { good(&outcome) } else { bad(&outcome) };
    let mut line = format!("heal: {shown}{}\n", named(&list(payload, "files")));
    if let Some(error) = payload["error"].as_str() {
        line.push_str(&format!("  {}\n", visible(error)));
    }
    for step in list(payload, "story").iter().take(LINES) {
        line.push_str(&format!("  {}\n", visible(step)));
    }
    line
}

fn command(payload: &Value) -> String {
    let line = visible(&text(payload, "command"));
    let why = visible(&text(payload, "why"));
    match payload["state"].as_str() {
        // Of several, the progress shows it.
        Some("ran") if payload["of"].as_u64() > Some(1) => String::new(),
        Some("declined") => format!("not run: {}\n", named(&list(payload, "commands"))),
        Some("ran") => {
            let mark = if payload["ok"] == true { good("✓") } else { bad("✗") };
            let mut shown = format!("{mark} {line}\n");
            for output in text(payload, "output").lines().take(LINES) {
                shown.push_str(&format!("  {}\n", visible(output)));
            }
            shown
        }
        Some("waiting") => String::new(),
        Some("skipped") => format!("skipped: {line} ({why})\n"),
        _ => format!("not run: {line} ({why})\n"),
    }
}

fn images(payload: &Value) -> String {
    let all = payload["images"].as_array().into_iter().flatten();
    let mut shown = format!("🎨 Generated Images ({})\n", payload["made"]);
    for image in all {
        let id = visible(&text(image, "id"));
        let prompt = visible(&text(image, "originalPrompt"));
        shown.push_str(&match image["state"].as_str() {
            Some("failed") => {
                format!("  {} {id}  {prompt}: {}\n", bad("✗"), visible(&text(image, "why")))
            }
            _ => format!("  {} {id}  {prompt}\n", good("✓")),
        });
    }
    shown
}

fn todos(payload: &Value) -> String {
    let mut shown = String::new();
    for todo in payload["todos"].as_array().into_iter().flatten() {
        let mark = if todo["completed"] == true { good("✓") } else { "·".to_owned() };
        shown.push_str(&format!("  {mark} {}\n", visible(&text(todo, "text"))));
    }
    format!("tasks\n{shown}")
}

fn drawn_answer(answer: &ChatAnswer) -> String {
    let bold = Style::new().bold();
    let mut text = String::new();
    let first = answer.summary.as_ref().or(answer.summary_fragment.as_ref());
    if let Some(words) = first.or(answer.plain_text.as_ref()) {
        text.push_str(&format!("{}\n", lines(words)));
    }
    for section in &answer.sections {
        let heading = visible(&section.heading);
        text.push_str(&format!("\n{bold}{heading}{bold:#}\n{}\n", lines(&section.content)));
    }
    if !answer.next_steps.is_empty() {
        text.push_str("\nnext:\n");
    }
    for step in &answer.next_steps {
        text.push_str(&format!("  {}\n", visible(&step.input_text)));
    }
    text
}

fn lines(text: &str) -> String {
    text.trim_end().lines().map(visible).collect::<Vec<String>>().join("\n")
}

/// Says how a turn ended, and what to do next.
pub(super) fn ended(report: &TurnReport) -> String {
    let why = report.why.as_deref().map(|why| format!(": {}", visible(why))).unwrap_or_default();
    let resume = format!("`salve sessions resume {}`", report.session);
    let mut text = match report.ending {
        TurnEnding::Completed => format!("{}\n", good("done")),
        TurnEnding::Waiting => {
            let what = match &report.waits {
                Some(Waits::Edits { .. }) => format!("; {resume} --yes applies them"),
                Some(Waits::Images { .. }) => format!("; {resume} --yes makes images"),
                Some(Waits::Command { command, .. }) => {
                    format!("; {resume} --yes runs `{}`", visible(command))
                }
                Some(Waits::Commands { commands, .. }) => {
                    format!("; {resume} --yes: {}", run_all_label(commands.len()))
                }
                None => String::new(),
            };
            format!("waiting{why}{what}\n")
        }
        TurnEnding::NeedsAttention(AttentionCode::Recovered) => {
            let choices =
                format!("{resume} asks again, with `--accept` it is taken as it is shown");
            format!("{}{why}; {choices}\n", bad("not done"))
        }
        TurnEnding::NeedsAttention(_) => format!("{}{why}\n", bad("not done")),
        TurnEnding::Failed => format!("{}{why}; {resume} tries again\n", bad("no answer")),
        TurnEnding::OverBudget => {
            format!("{}{why}; {resume} with more of it goes on\n", bad("the budget is used up"))
        }
        TurnEnding::Cancelled => "given up\n".to_owned(),
        TurnEnding::Paused => {
            format!("paused by `.salve/CONTROL.md`; without PAUSE there, {resume} goes on\n")
        }
    };
    if report.tokens > 0 {
        let dollars = report.micro_dollars as f64 / 1e6;
        let searches = match report.searches {
            0 => String::new(),
            1 => ", 1 search in uploaded files".to_owned(),
            searches => format!(", {searches} searches in uploaded files"),
        };
        text.push_str(&format!("{} tokens{searches}, ${dollars:.4}\n", report.tokens));
    }
    if report.images > 0 {
        let session = &report.session;
        text.push_str(&format!("`salve sessions images {session} --save-to DIR` saves them\n"));
    }
    if let Some(change) = report.changes.last() {
        text.push_str(&format!("`salve undo` takes {} back\n", visible(change)));
    }
    text
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn list(value: &Value, key: &str) -> Vec<String> {
    let items = value[key].as_array().into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

fn named(files: &[String]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let files: Vec<String> = files.iter().map(|file| visible(file)).collect();
    format!(": {}", files.join(", "))
}

fn good(word: &str) -> String {
    let style = AnsiColor::Green.on_default();
    format!("{style}{word}{style:#}")
}

fn bad(word: &str) -> String {
    let style = AnsiColor::Red.on_default();
    format!("{style}{word}{style:#}")
}
