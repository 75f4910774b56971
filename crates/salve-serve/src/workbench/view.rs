//! What pages look like: plain data in, HTML out.
//!
//! In: records and events. Out: markup, and the pieces that a page swaps. Pure. Never trusts a text of a model, a file
//! name or a tool as HTML: everything is escaped where it is put in.

use maud::{DOCTYPE, Markup, html};
use salve_engine::session::WaitingTurn;
use salve_store::{SessionRecord, TurnRecord};
use salve_types::{SessionEvent, TodoItem};
use serde::Serialize;

/// What is done to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "the page knows all four; the views that use them come")]
pub(crate) enum SwapOp {
    /// The element is replaced.
    Replace,
    /// The markup is added at the end of the element.
    Append,
    /// The element is removed.
    Remove,
    /// The text is added to the text of the element.
    Text,
}

/// One change of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Swap {
    /// What is done.
    pub(crate) op: SwapOp,
    /// The id of the element.
    pub(crate) target: String,
    /// The markup or the text.
    pub(crate) html: String,
}

/// What the store knows beside an event.
#[derive(Debug, Clone, Default)]
pub(crate) struct StreamFacts {
    /// The session.
    pub(crate) session: Option<SessionRecord>,
    /// The turn of the event.
    pub(crate) turn: Option<TurnRecord>,
    /// What waits in it for a person, with the hash that an approval of it names.
    pub(crate) waiting: Option<WaitingTurn>,
    /// The tasks of the session.
    pub(crate) todos: Vec<TodoItem>,
}

/// Says what an event changes of the page that follows its session.
pub(crate) fn swaps_for(event: &SessionEvent, facts: &StreamFacts) -> Vec<Swap> {
    let turns = facts.session.as_ref().map_or(0, |session| session.turns);
    let done = facts.todos.iter().filter(|todo| todo.completed).count();
    let state = facts.turn.as_ref().map_or("", |turn| turn.status.name());
    let line = html! {
        p { (event.id) " " (event.name) " " (state) " (" (turns) " turns, " (done) " tasks done)" }
        @if let Some(waiting) = &facts.waiting { p data-approval=(waiting.approval) { "waits" } }
    };
    let target = "conversation".to_owned();
    vec![Swap { op: SwapOp::Append, target, html: line.into_string() }]
}

/// Draws the page of a person who is not let in yet.
pub(crate) fn entrance(assets: &str) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Salve" }
                link rel="stylesheet" href={ (assets) "/app.css" };
                script type="module" src={ (assets) "/enter.js" } {}
            }
            body {
                main {
                    h1 { "Salve" }
                    p #entrance role="status" {
                        "Open the address that `salve serve` printed. It lets one browser in, once; a key press in \
                         that terminal prints a fresh one."
                    }
                }
            }
        }
    }
}
