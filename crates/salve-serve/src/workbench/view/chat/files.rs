//! The files that an answer changes, each a group with its hunks.
//!
//! In: files with their hunks and what became of them. Out: groups named by path, with the buttons that fit the
//! state: each says to the server what it does. Never offers to apply what is only shown.

use super::action;
use super::data::{FileChangeKind, FileState, FileView, HunkView, TurnView};
use crate::workbench::view::diff::hunk_lines;
use crate::workbench::view::parts::{Tone, badge};
use maud::{Markup, html};
use serde_json::json;

/// A file of more changed lines than this is closed at first.
const OPEN_LINES: usize = 240;

/// Draws the files of a turn.
pub fn file_list(turn: &TurnView) -> Markup {
    let id = format!("t{}-files", turn.number);
    html! {
        div id=(id) .files {
            @if turn.files.iter().any(|file| !file.hunks.is_empty()) {
                div.files-head {
                    h3 { (turn.files.len()) @if turn.files.len() == 1 { " file" } @else { " files" } }
                    button.quiet.small type="button" data-do="split" aria-pressed="false" { "Side by side" }
                }
            }
            @for (at, file) in turn.files.iter().enumerate() { (file_group(turn.number, at, file)) }
        }
    }
}

fn file_group(turn: u32, at: usize, file: &FileView) -> Markup {
    let id = format!("t{turn}-f{at}");
    let waits = file.state == FileState::Waiting && file.approval.is_some();
    let left = waits && file.is_left();
    let act = |name: &str| action(name, json!({ "approval": file.approval, "path": file.path }));
    html! {
        div.file id=(id) role="group" aria-label=(file.path) {
            header.file-head {
                code.path title=(file.path) { (split_path(&file.path)) }
                @if let Some(new_path) = &file.new_path { span aria-hidden="true" { "→" } code.path { (split_path(new_path)) } }
                (kind_badge(file))
                span.numbers {
                    span.plus { "+" (file.added) } " " span.minus { "-" (file.removed) }
                }
                (state_badge(if left { FileState::Rejected } else { file.state }))
                @if left {
                    span.actions { button.small.quiet type="button" data-act=(act("reopen")) { "Undo" } }
                } @else if waits {
                    span.actions {
                        button.primary.small type="button" data-act=(act("apply")) { "Apply" }
                        button.small type="button" data-act=(act("reject")) { "Reject" }
                    }
                }
            }
            @if let Some(note) = &file.note { p.note { (note) } }
            @if !file.hunks.is_empty() { (hunks(file, &id, waits && !left)) }
        }
    }
}

// The folder is less than the name.
fn split_path(path: &str) -> Markup {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    html! { @if !folder.is_empty() { span.folder { (folder) "/" } } (name) }
}

fn kind_badge(file: &FileView) -> Markup {
    match file.kind {
        FileChangeKind::Update => html! {},
        FileChangeKind::Create => badge(Tone::Plain, "new"),
        FileChangeKind::Delete => badge(Tone::Plain, "deleted"),
        FileChangeKind::Rename => badge(Tone::Plain, "renamed"),
    }
}

fn state_badge(state: FileState) -> Markup {
    match state {
        FileState::Waiting => html! {},
        FileState::Applied => badge(Tone::Good, "✓ Applied"),
        FileState::Rejected => badge(Tone::Plain, "Rejected"),
        FileState::Blocked => badge(Tone::Bad, "🚫 Blocked"),
        FileState::Reverted => badge(Tone::Plain, "↩ Taken back"),
        FileState::Shown => badge(Tone::Wait, "Shown only"),
    }
}

fn hunks(file: &FileView, id: &str, waits: bool) -> Markup {
    let lines: usize = file.hunks.iter().map(|hunk| hunk.hunk.lines.len()).sum();
    let drawn = html! {
        div.hunks {
            @for (at, hunk) in file.hunks.iter().enumerate() { (hunk_group(file, hunk, id, at, waits)) }
        }
    };
    if lines <= OPEN_LINES {
        return drawn;
    }
    html! { details id={ (id) "-more" } { summary { "Show " (lines) " lines" } (drawn) } }
}

fn hunk_group(file: &FileView, hunk: &HunkView, id: &str, at: usize, waits: bool) -> Markup {
    let class = match hunk.decision {
        Some(true) => "hunk kept",
        Some(false) => "hunk dropped",
        None => "hunk",
    };
    // A file that comes or goes is one decision: that of the file.
    let by_hunk = waits && file.kind == FileChangeKind::Update;
    let act = |name: &str| {
        action(name, json!({ "approval": file.approval, "path": file.path, "hunk": hunk.id }))
    };
    html! {
        div class=(class) id={ (id) "-h" (at) } tabindex=[by_hunk.then_some("-1")] {
            div.hunk-head {
                span.place { (hunk.hunk.place()) }
                @match hunk.decision {
                    Some(true) => (badge(Tone::Good, "Kept")),
                    Some(false) => (badge(Tone::Plain, "Rejected")),
                    None => {},
                }
                @if by_hunk {
                    span.actions {
                        button.small type="button" data-act=(act("keepHunk")) aria-pressed=(hunk.decision == Some(true)) { "Keep hunk" }
                        button.small type="button" data-act=(act("rejectHunk")) aria-pressed=(hunk.decision == Some(false)) { "Reject hunk" }
                    }
                }
            }
            div.diff tabindex="0" role="group" aria-label={ "Changes of " (file.path) ", " (hunk.hunk.place()) } {
                div.diff-lines { (hunk_lines(&hunk.hunk, &file.path)) }
            }
        }
    }
}
