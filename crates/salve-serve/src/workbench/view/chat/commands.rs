//! The commands that an answer proposes.
//!
//! In: commands and how far they are. Out: a list with a button for what may run, and the output of what ran.
//! Never runs anything, and never hides why something did not run.

use super::action;
use super::data::{CommandState, CommandView, TurnView};
use crate::workbench::view::parts::{Tone, badge};
use maud::{Markup, html};
use serde_json::{Value, json};

/// What is said where a command cannot run yet.
pub(super) const LATER: &str = "Decide about the changes first; then the commands can run.";
/// Outputs of more lines than this are closed at first.
const OPEN_LINES: usize = 12;

/// Draws the commands of a turn.
pub fn command_list(turn: &TurnView) -> Markup {
    let id = format!("t{}-commands", turn.number);
    html! {
        div id=(id) .commands {
            @if !turn.commands.is_empty() {
                ul aria-label="Commands" {
                    @for command in &turn.commands { (command_item(turn, command)) }
                }
            }
        }
    }
}

fn command_item(turn: &TurnView, command: &CommandView) -> Markup {
    html! {
        li.command id={ "t" (turn.number) "-c" (command.number) } {
            div.command-head {
                (mark(&command.state))
                code.line { span.prompt aria-hidden="true" { "$ " } (command.command) }
                @if command.state.is_open() { (run_button(turn, command)) }
                (ending(command))
            }
            @if let Some(words) = &command.description { p.dim { (words) } }
            @if let Some(cwd) = command.cwd.as_deref().filter(|cwd| !matches!(*cwd, "" | ".")) {
                p.dim { "in " code { (cwd) } }
            }
            @if let Some(why) = &command.why { p.note { (why) } }
            (output(turn.number, command))
        }
    }
}

// What is on the list runs, the rest is asked about; what does not wait yet waits for a decision before it.
fn run_button(turn: &TurnView, command: &CommandView) -> Markup {
    let early = command.early.then_some(command.number);
    let act = command.approval.as_ref().filter(|_| !command.asks);
    let act = act.map(|approval| action("runCommand", once_of(approval, "once", early)));
    let ask = command.asks.then(|| question_id(turn.number, early));
    let later = (act.is_none() && ask.is_none()).then_some(LATER);
    html! {
        button.small type="button" data-act=[act] data-ask=[ask] data-later=[later] {
            span aria-hidden="true" { "▶ " } "Run"
        }
    }
}

/// What a decision about a command says; `early` is its place, where the changes before it wait.
pub(super) fn once_of(approval: &str, choice: &str, early: Option<u32>) -> Value {
    match early {
        Some(number) => json!({ "approval": approval, "choice": choice, "number": number }),
        None => json!({ "approval": approval, "choice": choice }),
    }
}

/// The id of the question about a command.
pub(super) fn question_id(turn: u32, early: Option<u32>) -> String {
    early.map_or_else(|| format!("q{turn}"), |number| format!("q{turn}-{number}"))
}

fn mark(state: &CommandState) -> Markup {
    let (sign, tone, words) = match state {
        CommandState::Open => return html! { span.mark aria-hidden="true" { "🖥️" } },
        CommandState::Asked => ("?", Tone::Wait, "waits"),
        CommandState::Running => ("⏳", Tone::Wait, "running"),
        CommandState::Succeeded => ("✓", Tone::Good, "succeeded"),
        CommandState::Failed => ("✗", Tone::Bad, "failed"),
        CommandState::Skipped => ("-", Tone::Plain, "skipped"),
        CommandState::Denied => ("🚫", Tone::Bad, "not allowed"),
    };
    html! { span class={ "mark " (tone.class()) } role="img" aria-label=(words) { (sign) } }
}

fn ending(command: &CommandView) -> Markup {
    html! {
        @match (&command.state, command.exit) {
            (CommandState::Failed, Some(code)) => (badge(Tone::Bad, &format!("exit {code}"))),
            (CommandState::Failed, None) => (badge(Tone::Bad, "ended")),
            _ => {},
        }
        @if let Some(time) = command.duration_ms { span.dim.time { (seconds(time)) } }
    }
}

fn seconds(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        _ => format!("{:.1} s", milliseconds as f64 / 1e3),
    }
}

fn output(turn: u32, command: &CommandView) -> Markup {
    let has_run = matches!(command.state, CommandState::Succeeded | CommandState::Failed);
    if !has_run {
        return html! {};
    }
    if command.output.trim().is_empty() {
        return html! { p.dim { "(no output)" } };
    }
    let lines = command.output.lines().count();
    let is_open = lines <= OPEN_LINES || command.state == CommandState::Failed;
    html! {
        details id={ "t" (turn) "-c" (command.number) "-out" } open[is_open] {
            summary { "Output, " (lines) @if lines == 1 { " line" } @else { " lines" } }
            pre.output tabindex="0" { (command.output) }
        }
    }
}
