//! The undo of one file: its last change is taken back, the others stay.
//!
//! In: a path. Out: the file as it was before the last change that is in effect and touched it, as a
//! change set of its own. Never: another file; and a second undo goes one change further back, not
//! forth again.

use super::route::{Detour, Ends, Route};
use super::{Moved, OnChanged, RewindOutcome, hashes_before, undone_by};
use crate::apply::{Done, Work, begin, describe, recorded, transact};
use crate::history::{ChangeMeta, ChangeSet, History, Origin, Record, unique};
use crate::lease;
use crate::plan::TreePath;
use crate::{TreeError, Workspace};

/// Takes back the last change of one file.
pub fn undo_file(
    workspace: &Workspace,
    path: &TreePath,
    on_changed: OnChanged,
    meta: &ChangeMeta,
) -> Result<RewindOutcome, TreeError> {
    let (state, log) = begin(workspace)?;
    let history = History::of(&log);
    let Some((change, ends)) = last_change(&history, path.as_str()) else {
        return Ok(RewindOutcome::NothingToDo);
    };
    let route = Route::of_file(&state, path.as_str(), ends)?;
    let changed = !route.detours.is_empty();
    if changed && !route.may_go(on_changed) {
        return Ok(RewindOutcome::Changed(route.detours.iter().map(Detour::report).collect()));
    }
    let files = route.files(on_changed);
    if files.is_empty() {
        return Ok(RewindOutcome::NothingToDo);
    }
    lease::check(&state, files.iter().map(|file| file.path.as_str()), meta.now)?;
    let holder = &workspace.options().holder;
    let work = Work::new(&state, unique("cs", meta.now), &files)?;
    let mut back = describe(&history, &work, &files, meta, holder);
    back.origin = Origin::User;
    back.takes_back = Some(change.id.clone());
    back.label = Some(format!("undo of change #{} in {path}", change.number));
    let mut records = Vec::new();
    let mut kept = None;
    if changed {
        let mut since = recorded(&history, &route.since(), meta, holder);
        since.origin = Origin::User;
        since.label = Some("changed outside Salve".to_owned());
        back.number = since.number + 1;
        back.parent = Some(since.id.clone());
        kept = Some(since.id.clone());
        records.push(Record::Change(since));
    }
    let to = Some(back.id.clone());
    let whole = undone_by(&history, &back);
    records.push(Record::Change(back));
    Ok(match transact(&state, &log, &work, &files, &records)? {
        Done::Conflict(conflict) => RewindOutcome::Conflict(conflict),
        Done::Applied(_) => RewindOutcome::Moved(Moved {
            from: history.position_id(),
            to,
            files: vec![path.as_str().to_owned()],
            recorded: kept,
            messages: Vec::new(),
            taken_back: whole.into_iter().collect(),
            made_again: Vec::new(),
            before: hashes_before(&files),
        }),
    })
}

// The newest change of the file that no later one took back, with what the file is now and was before.
fn last_change<'h>(history: &'h History, path: &str) -> Option<(&'h ChangeSet, Ends)> {
    let position = history.position_id();
    let mut taken_back: Vec<&str> = Vec::new();
    let mut now = None;
    for change in history.chain(position.as_deref()) {
        let Some(file) = change.files.iter().find(|file| file.file_path == path) else { continue };
        let now = *now.get_or_insert(file.new);
        match &change.takes_back {
            Some(other) => taken_back.push(other),
            None if taken_back.contains(&change.id.as_str()) => {}
            None => return Some((change, (now, file.old))),
        }
    }
    None
}
