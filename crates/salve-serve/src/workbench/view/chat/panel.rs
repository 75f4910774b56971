//! A row of commands at a glance (C-071).
//!
//! In: counts, rows and what is next. Out: the panel, red where a command failed. Never more than the last rows.

use super::action;
use super::data::PanelView;
use crate::workbench::view::shell::close_button;
use maud::{Markup, html};
use serde_json::json;

/// How many rows are shown.
const ROWS: usize = 8;
/// How many commands are named as next.
const NEXT: usize = 3;

/// Draws the panel, or its empty place.
pub fn cli_panel(panel: Option<&PanelView>) -> Markup {
    let Some(panel) = panel else { return html! { div #cli-panel {} } };
    let first = panel.rows.len().saturating_sub(ROWS);
    html! {
        section #cli-panel.cli-panel .failed[panel.failed > 0] aria-labelledby="cli-title" data-batch=(panel.turn) {
            header {
                h2 #cli-title { span aria-hidden="true" { "🖥️ " } "CLI Execution" }
                span.good { "✓ " (panel.succeeded) }
                span.bad { "✗ " (panel.failed) }
                span.count { (panel.done) "/" (panel.total) }
                (close_button())
            }
            div.meter {
                progress max="100" value=(panel.percent) aria-label="Commands done" {}
                span { "(" (panel.percent) "%)" }
            }
            ul {
                @for row in panel.rows.iter().skip(first) {
                    li class=(if row.mark == "✗" { "bad" } else { "good" }) {
                        span.mark { (row.mark) }
                        code { (row.command) }
                        span.preview { (row.preview) }
                    }
                }
            }
            @if let Some(why) = &panel.paused {
                p.paused { (why) " " button.small type="button" data-act=(action("resume", json!({}))) { "Resume" } }
            }
            @if !panel.next.is_empty() {
                p.next {
                    "Next: "
                    @for (at, command) in panel.next.iter().take(NEXT).enumerate() {
                        @if at > 0 { ", " } code { (command) }
                    }
                    @if panel.next.len() > NEXT { " and " (panel.next.len() - NEXT) " more" }
                }
            }
        }
    }
}
