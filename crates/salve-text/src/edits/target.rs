//! What the caller knows, put where the reply says nothing: the file and the lines.
//!
//! In: a set as read, and the caller's options. Out: the set with paths and hints filled in.
//! Never: a path or a line in the place of one that leaves no doubt.

use super::EditOptions;
use salve_types::{EditNote, EditNoteCode, EditSet, FileChange, FileEdit, HunkBody};
use std::collections::BTreeSet;

/// Fills in the target and the hints.
pub(super) fn fill_in(set: &mut EditSet, options: &EditOptions) {
    fill_paths(set, options.target.as_deref());
    fill_hints(set, &options.hints);
}

// A reply to "change this file" that names one other file means the file it was asked about: it
// saw it under another name. Creations, deletions and moves mean the name they say.
fn fill_paths(set: &mut EditSet, target: Option<&str>) {
    for file in &mut set.files {
        file.path = file.path.take().filter(|path| !path.is_empty());
    }
    let named: BTreeSet<String> = set.files.iter().filter_map(|file| file.path.clone()).collect();
    let only = (named.len() == 1).then(|| named.first().cloned()).flatten();
    let Some(target) = target else {
        // Hunks without a header below hunks of the only file there is.
        if let Some(only) = only {
            for file in set.files.iter_mut().filter(|file| file.path.is_none()) {
                file.path = Some(only.clone());
            }
        }
        return;
    };
    let deletes = set.files.iter().any(|file| file.change == FileChange::Delete);
    let mistaken = only.filter(|only| only != target && !deletes);
    for file in &mut set.files {
        match &file.path {
            None => file.path = Some(target.to_owned()),
            Some(path) if Some(path) == mistaken.as_ref() && changes_in_place(file) => {
                let message = format!("the reply names `{path}`; the target `{target}` is meant");
                let (code, span) = (EditNoteCode::MissingHeader, file.span);
                set.notes.push(EditNote { code, message, span });
                file.path = Some(target.to_owned());
            }
            Some(_) => {}
        }
    }
}

fn changes_in_place(file: &FileEdit) -> bool {
    file.rename_to.is_none()
        && matches!(
            file.change,
            FileChange::Patch(_) | FileChange::Write(_) | FileChange::Lazy(_) | FileChange::Keep
        )
}

// One hint is for every hunk, several are one per hunk in the order of the reply.
fn fill_hints(set: &mut EditSet, hints: &[u32]) {
    let hunks = set.files.iter_mut().flat_map(|file| match &mut file.change {
        FileChange::Patch(hunks) => hunks.as_mut_slice(),
        _ => &mut [],
    });
    for (number, hunk) in hunks.enumerate() {
        let hint = if hints.len() == 1 { hints.first() } else { hints.get(number) };
        if hunk.hint.is_none() && !matches!(hunk.body, HunkBody::At(_)) {
            hunk.hint = hint.copied();
        }
    }
}
