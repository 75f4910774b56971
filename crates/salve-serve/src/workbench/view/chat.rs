//! The chat: a conversation with what became of it, the tasks beside it and the input below it.
//!
//! In: what the store has of a session, as plain data. Out: the screen, and each region of it alone, so that a
//! page can be brought up to date piece by piece. Never reads anything, and never takes a text of a model,
//! a file or a command for HTML.

mod commands;
mod composer;
mod data;
mod files;
mod gallery;
mod panel;
mod questions;
mod todos;
mod turn;
mod uploads;

pub use commands::command_list;
pub use composer::{composer, stop_button};
pub use data::{
    Banner, ChatView, CommandQuestion, CommandState, CommandView, DoneLine, FileChangeKind,
    FileState, FileView, FoldedTurn, HandoffView, HunkView, ImageQuestion, PanelRowView, PanelView,
    SessionHead, TurnView, UploadView, UploadsView,
};
pub use files::file_list;
pub use gallery::image_gallery;
pub use panel::cli_panel;
pub use questions::questions;
pub use todos::todo_list;
pub use turn::{body_region, final_blocks, folded_turn, render_block, turn_article, turn_regions};

use super::chart::{dollars, thousands};
use maud::{Markup, html};
use serde_json::Value;

/// A part of the screen that is replaced as a whole.
#[derive(Debug, Clone)]
pub struct Region {
    /// The id of its element.
    pub id: String,
    /// The element, with that id.
    pub html: Markup,
}

/// Writes what a button asks for, as the page sends it.
fn action(kind: &str, mut facts: Value) -> String {
    facts["type"] = kind.into();
    facts.to_string()
}

/// Draws the screen.
pub fn chat_screen(view: &ChatView) -> Markup {
    html! {
        div.chat {
            (session_head(&view.head))
            div.chat-main {
                div.talk {
                    div #log.log role="log" aria-label="Conversation" aria-live="off" {
                        @if view.turns.is_empty() { (welcome(view)) }
                        @for turn in &view.folded { (folded_turn(&view.head.id, turn)) }
                        @for turn in &view.turns { (turn_article(turn)) }
                    }
                    div.dock {
                        div #summary-bar.summary-bar role="group" aria-label="Summary" hidden {}
                        (cli_panel(view.panel.as_ref()))
                        (questions(&view.questions, view.handoff.as_ref()))
                        (composer(&view.head, view.is_running()))
                    }
                }
                div.rail { (todo_list(&view.todos)) }
            }
        }
    }
}

/// Draws the head of a session: its name, what it took, and the others.
pub fn session_head(head: &SessionHead) -> Markup {
    html! {
        header #session-head.session-head {
            h1 { @if head.title.is_empty() { "New session" } @else { (head.title) } }
            @if head.turns > 0 { p.dim {
                span.nowrap { (head.turns) @if head.turns == 1 { " turn" } @else { " turns" } }
                span.nowrap { (thousands(head.tokens)) " tokens" }
                span.nowrap { (dollars(head.micro_dollars)) }
                @if let Some(parent) = &head.parent {
                    a.nowrap href={ "/chat/" (parent) } { "Earlier session" }
                }
            } }
            div.actions {
                @if !head.others.is_empty() {
                    details #sessions.menu {
                        summary { "Sessions" }
                        ul {
                            @for (id, title) in &head.others {
                                li { a href={ "/chat/" (id) } aria-current=[(*id == head.id).then_some("true")] {
                                    @if title.is_empty() { "New session" } @else { (title) }
                                } }
                            }
                        }
                    }
                }
                button.small type="button" data-do="new-session" { "New session" }
            }
        }
    }
}

fn welcome(view: &ChatView) -> Markup {
    html! {
        div #welcome.empty.welcome {
            h2 { "What should change?" }
            p {
                "Ask in your own words. Every change is checked against the file on disk, shown to you hunk by hunk, "
                "and can be taken back."
            }
            @if !view.suggestions.is_empty() {
                ul.steps aria-label="Suggestions" {
                    @for words in &view.suggestions {
                        li { button.step type="button" data-fill=(words) { (words) } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
