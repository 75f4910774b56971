//! A set of edits as a few lines of text, for tests.
//!
//! In: a set. Out: its files, hunks, end and the codes of its notes. Never: part of the product.

use salve_types::{EditEnd, EditSet, FileChange, Hunk, HunkBody, LineKind, Occurrence};
use std::fmt::Write;

/// Draws a set: one line per file, hunk header and changed line, then the end and the notes.
pub(super) fn sketch(set: &EditSet) -> String {
    let mut out = format!("{}\n", set.format.name());
    for file in &set.files {
        let path = file.path.as_deref().unwrap_or("?");
        let kind = match &file.change {
            FileChange::Keep => "keep".to_owned(),
            FileChange::Create(content) => format!("create {content:?}"),
            FileChange::Write(content) => format!("write {content:?}"),
            FileChange::Lazy(content) => format!("lazy {content:?}"),
            FileChange::Patch(hunks) => format!("patch {}", hunks.len()),
            FileChange::Delete => "delete".to_owned(),
        };
        let _ = write!(out, "{path}: {kind}");
        if let Some(to) = &file.rename_to {
            let _ = write!(out, " to {to}");
        }
        if let Some(mode) = file.mode {
            let _ = write!(out, " mode {mode:o}");
        }
        out.push('\n');
        if let FileChange::Patch(hunks) = &file.change {
            for hunk in hunks {
                draw_hunk(&mut out, hunk);
            }
        }
    }
    let _ = match &set.end {
        EditEnd::Complete => writeln!(out, "complete"),
        EditEnd::Truncated { at, why } => writeln!(out, "truncated at {at}: {why}"),
        EditEnd::Malformed { at, why } => writeln!(out, "malformed at {at}: {why}"),
    };
    let codes: Vec<&str> = set.notes.iter().map(|note| note.code.name()).collect();
    if !codes.is_empty() {
        let _ = writeln!(out, "{}", codes.join(" "));
    }
    out
}

fn draw_hunk(out: &mut String, hunk: &Hunk) {
    out.push_str("@@");
    if let Some(hint) = hunk.hint {
        let _ = write!(out, " {hint}");
    }
    for anchor in &hunk.anchors {
        let _ = write!(out, " [{anchor}]");
    }
    if hunk.at_end {
        out.push_str(" at end");
    }
    if hunk.occurrence == Occurrence::All {
        out.push_str(" all");
    }
    out.push('\n');
    match &hunk.body {
        HunkBody::Lines(lines) => {
            for line in lines {
                let mark = match line.kind {
                    LineKind::Context => '=',
                    LineKind::Remove => '-',
                    LineKind::Add => '+',
                };
                let end = if line.no_newline { "$" } else { "" };
                let _ = writeln!(out, "{mark}{}{end}", line.text);
            }
        }
        HunkBody::Block { old, new } => {
            let _ = writeln!(out, "block {old:?} {new:?}");
        }
        HunkBody::Text { old, new } => {
            let _ = writeln!(out, "text {old:?} {new:?}");
        }
        HunkBody::At(operation) => {
            let _ = writeln!(out, "{operation:?}");
        }
    }
}
