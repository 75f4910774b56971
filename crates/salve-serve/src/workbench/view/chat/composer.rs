//! The input below the conversation.
//!
//! In: the session, and whether a turn runs. Out: a form that the page sends; while a turn runs, what is written
//! is guidance for the next request. Never sends by itself.

use super::action;
use super::data::SessionHead;
use crate::workbench::view::icons::icon;
use maud::{Markup, html};

/// Draws the input.
pub fn composer(head: &SessionHead, is_running: bool) -> Markup {
    html! {
        form #composer.composer autocomplete="off" {
            ul #completions.completions role="listbox" aria-label="Files and symbols" hidden {}
            div.field {
                textarea #message name="text" rows="1" aria-label="Message" aria-describedby="message-hint"
                    aria-autocomplete="list" aria-controls="completions" placeholder="Ask for a change"
                    spellcheck="true" { (head.prefilled) }
                (stop_button(is_running))
                button.quiet type="button" data-do="attach" { "Attach image" }
                input #images.unseen type="file" accept="image/png,image/jpeg,image/webp,image/gif" multiple tabindex="-1" aria-hidden="true";
                button #send.primary type="submit" { (icon("send")) span { "Send" } }
            }
            ul #attached.attached aria-label="Attached images" hidden {}
            p #message-hint.hint {
                span { kbd { "Enter" } " sends" }
                span { kbd { "Shift Enter" } " new line" }
                span { kbd { "@" } " names a file" }
                span { kbd { "?" } " all keys" }
            }
        }
    }
}

/// Draws the button that gives up the turn that runs, or its empty place.
pub fn stop_button(is_running: bool) -> Markup {
    html! {
        span #stop { @if is_running { button type="button" data-act=(action("cancel", serde_json::json!({}))) { "Stop" } } }
    }
}
