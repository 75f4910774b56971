//! What a person is asked: about a command that is not on the list, and about a context that is nearly full.
//!
//! In: the questions. Out: dialogs, closed: the page opens them, and takes no focus from a person
//! who is writing. Never an
//! answer that is chosen in advance.

use super::action;
use super::commands::{once_of, question_id};
use super::data::{CommandQuestion, HandoffView};
use maud::{Markup, html};
use serde_json::json;

/// Draws the questions, or their empty place.
pub fn questions(commands: &[CommandQuestion], handoff: Option<&HandoffView>) -> Markup {
    html! {
        div #questions.questions {
            @for question in commands { (command(question)) }
            @if let Some(handoff) = handoff { (handoff_offer(handoff)) }
        }
    }
}

fn command(question: &CommandQuestion) -> Markup {
    let id = question_id(question.turn, question.early);
    let act =
        |choice: &str| action("runCommand", once_of(&question.approval, choice, question.early));
    html! {
        dialog id=(id) .question data-row=[question.row.then_some("")] aria-labelledby={ (id) "-title" } {
            h2 id={ (id) "-title" } { "Run this command?" }
            pre.command-line tabindex="0" { code { (question.command) } }
            @if let Some(cwd) = question.cwd.as_deref().filter(|cwd| !matches!(*cwd, "" | ".")) {
                p.dim { "in " code { (cwd) } }
            }
            p { (question.why) }
            div.actions {
                button.primary type="button" data-act=(act("once")) { "Run Once" }
                @if question.can_add { button type="button" data-act=(act("add")) { "Add & Run" } }
                button type="button" data-act=(act("skip")) { "Skip" }
            }
        }
    }
}

fn handoff_offer(handoff: &HandoffView) -> Markup {
    html! {
        dialog #handoff.question aria-labelledby="handoff-title" {
            h2 #handoff-title { "The context is nearly full" }
            p {
                (handoff.percent) " % is used. A fresh session takes over the changed files, the history and "
                @match handoff.open_todos {
                    0 => "what was done.",
                    1 => "the open task.",
                    count => { "the " (count) " open tasks." },
                }
            }
            div.actions {
                button.primary type="button" data-act=(action("handoff", json!({ "choice": "handoff" }))) { "Handoff" }
                button type="button" data-act=(action("handoff", json!({ "choice": "extend" }))) { "Extend" }
                button type="button" data-act=(action("handoff", json!({ "choice": "cancel" }))) { "Cancel" }
            }
        }
    }
}
