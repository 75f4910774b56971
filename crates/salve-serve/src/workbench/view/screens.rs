//! The screens beside the chat, and the small parts that they share.
//!
//! In: plain data. Out: the body of each page. Never reads anything; and each button says in its attributes what it
//! sends, so that only the server decides.

pub(crate) mod audit;
pub(crate) mod files;
pub(crate) mod heal;
pub(crate) mod history;
pub(crate) mod home;
pub(crate) mod jobs;
pub(crate) mod knowledge;
pub(crate) mod plans;
pub(crate) mod settings;

use super::diff::{DiffHunk, hunk_lines};
use super::parts::{Tone, badge};
use maud::{Markup, html};
use serde_json::Value;

/// Where what concerns the whole workspace is sent.
pub(crate) const ACTIONS: &str = "/api/v1/actions";

/// A session that can be chosen on a screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SessionChoice {
    /// Its id.
    pub(crate) id: String,
    /// What people know it by.
    pub(crate) title: String,
}

/// A file with what differs in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileDiff {
    /// The file.
    pub(crate) path: String,
    /// The changed places; none where there is nothing to show.
    pub(crate) hunks: Vec<DiffHunk>,
    /// Why there is nothing to show, or what else is to be known.
    pub(crate) note: Option<String>,
}

/// A button that sends something; the page is drawn again afterwards.
pub(crate) fn post_button(words: &str, path: &str, body: &Value, class: &str) -> Markup {
    html! {
        button class=(class) type="button" data-post=(path) data-body=(body.to_string()) { (words) }
    }
}

/// A button that goes to another page.
pub(crate) fn go_button(words: &str, path: &str, class: &str) -> Markup {
    html! { button class=(class) type="button" data-go=(path) { (words) } }
}

/// A line for the terminal.
pub(crate) fn terminal(line: &str) -> Markup {
    html! { code.terminal { (line) } }
}

/// The beginning of a hash; all of it on demand.
pub(crate) fn hash(hash: &str) -> Markup {
    let shown: String = hash.chars().take(12).collect();
    html! { code title=(hash) { (shown) } }
}

/// The sessions to choose from.
pub(crate) fn sessions_menu(
    screen: &str,
    chosen: Option<&str>,
    sessions: &[SessionChoice],
) -> Markup {
    if sessions.is_empty() {
        return html! {};
    }
    html! {
        details.menu {
            summary { "Sessions" }
            ul {
                @for session in sessions {
                    li {
                        a href={ (screen) "?session=" (session.id) }
                            aria-current=[(chosen == Some(session.id.as_str())).then_some("true")] {
                            (titled(&session.title))
                        }
                    }
                }
            }
        }
    }
}

/// The title of a session, also where it has none yet.
pub(crate) fn titled(title: &str) -> &str {
    if title.is_empty() { "New session" } else { title }
}

/// Says how many there are.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// The files of a difference, each a group.
pub(crate) fn file_diffs(files: &[FileDiff]) -> Markup {
    html! {
        div.files {
            @for file in files {
                @let stats = file.hunks.iter().map(DiffHunk::stats).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
                div.file role="group" aria-label=(file.path) {
                    header.file-head {
                        code.path title=(file.path) { (file.path) }
                        @if !file.hunks.is_empty() {
                            span.numbers { span.plus { "+" (stats.0) } " " span.minus { "-" (stats.1) } }
                        }
                    }
                    @if let Some(note) = &file.note { p.note { (note) } }
                    @if !file.hunks.is_empty() {
                        div.hunks {
                            @for hunk in &file.hunks {
                                div.hunk {
                                    div.hunk-head { span.place { (hunk.place()) } }
                                    div.diff tabindex="0" role="group" aria-label={ "Changes of " (file.path) ", " (hunk.place()) } {
                                        div.diff-lines { (hunk_lines(hunk, &file.path)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A text of a model or a tool, as it is; closed at first.
pub(crate) fn raw_text(name: &str, text: &str, open: bool) -> Markup {
    html! {
        details.raw open[open] {
            summary { (name) }
            pre.code tabindex="0" role="group" aria-label=(name) { code { (text) } }
        }
    }
}

/// A link to what comes after a page of a list.
pub(crate) fn older(link: Option<&str>) -> Markup {
    html! { @if let Some(link) = link { p.pages { a href=(link) { "Older" } } } }
}

/// A word for how something went.
pub(crate) fn outcome_badge(name: &str) -> Markup {
    let tone = match name {
        "whole" | "healed" | "completed" | "done" | "applied" | "accepted" | "success" | "ok"
        | "active" => Tone::Good,
        "failed" | "incomplete" | "stuck" | "cancelled" | "fail" | "blocked" | "quarantined" => {
            Tone::Bad
        }
        "open" | "unknown" | "running" | "waiting" | "needs_attention" | "missing" | "paused"
        | "pending" | "completed_partial" => Tone::Wait,
        _ => Tone::Plain,
    };
    badge(tone, &name.replace('_', " "))
}
