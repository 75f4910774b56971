//! Edit sets as short texts, for tests.
//!
//! In: an edit set. Out: a line per file, hunk, note and fault. Never leaves out what a test might
//! want to see go wrong, except spans.

use salve_types::{EditEnd, EditSet, FileChange, Hunk, HunkBody, Occurrence};
use std::fmt::Write;

/// Writes an edit set as text; nothing for no set.
pub(in crate::edits) fn shown(set: Option<&EditSet>) -> String {
    let Some(set) = set else { return "none".to_owned() };
    let mut out = set.format.name().to_owned();
    for file in &set.files {
        let path = file.path.as_deref().unwrap_or("?");
        let _ = write!(out, "\n{path}: {}", change(&file.change));
        if let Some(to) = &file.rename_to {
            let _ = write!(out, " -> {to}");
        }
    }
    for note in &set.notes {
        let _ = write!(out, "\nnote {}", note.code.name());
    }
    if let Some(hashes) = &set.hashes {
        let _ = write!(out, "\nhashes {hashes:?}");
    }
    match &set.end {
        EditEnd::Complete => {}
        EditEnd::Truncated { at, why } => {
            let _ = write!(out, "\ntruncated at {at}: {why}");
        }
        EditEnd::Malformed { at, why } => {
            let _ = write!(out, "\nmalformed at {at}: {why}");
        }
    }
    out
}

fn change(change: &FileChange) -> String {
    match change {
        FileChange::Keep => "keep".to_owned(),
        FileChange::Create(text) => format!("create {text:?}"),
        FileChange::Write(text) => format!("write {text:?}"),
        FileChange::Lazy(text) => format!("lazy {text:?}"),
        FileChange::Delete => "delete".to_owned(),
        FileChange::Patch(hunks) => hunks.iter().map(hunk).collect::<Vec<_>>().join("; "),
    }
}

fn hunk(hunk: &Hunk) -> String {
    let mut out = match &hunk.body {
        HunkBody::Block { old, new } => format!("{old:?} => {new:?}"),
        HunkBody::Text { old, new } => format!("{old:?} -> {new:?}"),
        HunkBody::Lines(lines) => format!("{} lines", lines.len()),
        HunkBody::At(at) => {
            let expected =
                at.expected.as_ref().map_or(String::new(), |text| format!(" if {text:?}"));
            format!("{:?} {}-{} {:?}{expected}", at.kind, at.start, at.end, at.text)
        }
    };
    if let (Some(hint), false) = (hunk.hint, matches!(hunk.body, HunkBody::At(_))) {
        let _ = write!(out, " @{hint}");
    }
    if hunk.occurrence == Occurrence::All {
        out.push_str(" all");
    }
    out
}
