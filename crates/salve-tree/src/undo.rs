//! Undo, redo and rewind: the tree moves to another position of its history.
//!
//! In: where to. Out: the tree as it was there, as a transaction that can be taken back like any
//! other. Never: a file overwritten that was changed since Salve wrote it, unless the caller says
//! so; and then the change is recorded in the history first, so that it can be reached again.

mod file;
mod route;

use crate::apply::{Conflict, Done, Work, begin, describe, recorded, transact};
use crate::history::{ChangeMeta, ChangeSet, History, Motion, Move, Origin, Record, Step, unique};
use crate::lease;
use crate::plan::PlannedFile;
use crate::workspace::State;
use crate::{ContentHash, NotApplied, TreeError, Workspace};
pub use file::undo_file;
use route::{Detour, Route};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What to do about files that were changed since Salve wrote them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnChanged {
    /// Nothing is moved; the files are listed.
    #[default]
    Refuse,
    /// The changes since are kept where they touch other lines; otherwise nothing is moved.
    Merge,
    /// The files are overwritten. What was there becomes a change set of its own first.
    Force,
}

/// The outcome of a move.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RewindOutcome {
    /// The tree is at the new position.
    Moved(Moved),
    /// There is nothing to undo or redo, or the tree is there already.
    NothingToDo,
    /// Files were changed since; nothing was moved.
    Changed(Vec<ChangedSince>),
    /// A file was changed in this very moment; nothing was moved.
    Conflict(Conflict),
}

/// A move that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// The change set the tree was at.
    pub from: Option<String>,
    /// The change set it is at.
    pub to: Option<String>,
    /// The files that were written or removed.
    pub files: Vec<String>,
    /// The change set that holds what was overwritten or merged, if anything was.
    pub recorded: Option<String>,
    /// What the user should know.
    pub messages: Vec<String>,
    /// The change sets that are in force no more, newest first.
    #[serde(skip)]
    pub taken_back: Vec<String>,
    /// The change sets that are in force again, oldest first.
    #[serde(skip)]
    pub made_again: Vec<String>,
    /// What the files were right before, those that were there.
    #[serde(skip)]
    pub before: BTreeMap<String, ContentHash>,
}

/// A file that was changed since Salve wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedSince {
    /// Its path.
    pub path: String,
    /// What is different, in one sentence.
    pub why: String,
    /// What a merge would do.
    pub merge: ThreeWay,
}

/// What a three-way merge of a file comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreeWay {
    /// Both changes fit together.
    Clean,
    /// They touch the same lines; the text has both, marked.
    Overlap(String),
    /// There is nothing to merge by lines: a file is gone, new, binary or no regular file.
    Impossible,
}

/// Takes back the change set the tree is at.
pub fn undo(
    workspace: &Workspace,
    on_changed: OnChanged,
    meta: &ChangeMeta,
) -> Result<RewindOutcome, TreeError> {
    undo_many(workspace, 1, on_changed, meta)
}

/// Takes back the last `count` change sets as one move.
pub fn undo_many(
    workspace: &Workspace,
    count: usize,
    on_changed: OnChanged,
    meta: &ChangeMeta,
) -> Result<RewindOutcome, TreeError> {
    travel(workspace, Motion::Undo, on_changed, meta, |history| {
        let position = history.position_id();
        let there = history.chain(position.as_deref()).count();
        if there == 0 || count == 0 {
            return Ok(None);
        }
        let last = history.chain(position.as_deref()).nth(count - 1).ok_or_else(|| {
            TreeError::Unknown { what: format!("{count} changes to undo; there are {there}") }
        })?;
        Ok(Some(last.parent.clone()))
    })
}

/// Makes the change set again that was taken back last.
pub fn redo(
    workspace: &Workspace,
    on_changed: OnChanged,
    meta: &ChangeMeta,
) -> Result<RewindOutcome, TreeError> {
    travel(workspace, Motion::Redo, on_changed, meta, |history| {
        // What was taken back by a change of its own is made again by taking that one back.
        let merged = || history.position().filter(|change| change.takes_back.is_some());
        let next = history.next().map(|change| Some(change.id.clone()));
        Ok(next.or_else(|| merged().map(|change| change.parent.clone())))
    })
}

/// Moves the tree to where it was right after a change set; `None`: before the first one. The
/// change sets in between stay in the history and can be reached again.
pub fn rewind(
    workspace: &Workspace,
    to: Option<&str>,
    on_changed: OnChanged,
    meta: &ChangeMeta,
) -> Result<RewindOutcome, TreeError> {
    travel(workspace, Motion::Rewind, on_changed, meta, |history| match to {
        None => Ok(Some(None)),
        Some(id) => match history.get(id) {
            Some(change) if change.applied => Ok(Some(Some(change.id.clone()))),
            _ => Err(TreeError::Unknown { what: format!("applied change set {id}") }),
        },
    })
}

fn travel(
    workspace: &Workspace,
    motion: Motion,
    on_changed: OnChanged,
    meta: &ChangeMeta,
    target: impl FnOnce(&History) -> Result<Option<Option<String>>, TreeError>,
) -> Result<RewindOutcome, TreeError> {
    let (state, log) = begin(workspace)?;
    let history = History::of(&log);
    let Some(to) = target(&history)? else { return Ok(RewindOutcome::NothingToDo) };
    let from = history.position_id();
    if from == to {
        return Ok(RewindOutcome::NothingToDo);
    }
    let way = history.way_to(to.as_deref());
    let route = Route::plan(&state, &history, to.as_deref())?;
    let changed = !route.detours.is_empty();
    if changed && !route.may_go(on_changed) {
        return Ok(RewindOutcome::Changed(route.detours.iter().map(Detour::report).collect()));
    }
    let holder = &workspace.options().holder;
    let records = Records { history: &history, meta, holder, motion, from: &from, to: &to };
    let files = route.files(on_changed);
    lease::check(&state, files.iter().map(|file| file.path.as_str()), meta.now)?;
    let (work, records) = match (changed, on_changed) {
        (true, OnChanged::Merge) => records.merged(&state, &route, &files)?,
        _ => records.moved(&state, &route, &files)?,
    };
    let arrived = match records.last() {
        Some(Record::Change(change)) => Some(change.id.clone()),
        _ => to.clone(),
    };
    let recorded = match records.first() {
        Some(Record::Change(change)) if changed => Some(change.id.clone()),
        _ => None,
    };
    Ok(match transact(&state, &log, &work, &files, &records)? {
        Done::Conflict(conflict) => RewindOutcome::Conflict(conflict),
        Done::Applied(_) => RewindOutcome::Moved(Moved {
            messages: messages(&history, from.as_deref(), to.as_deref()),
            taken_back: taken_back(&history, &way),
            made_again: made_again(&history, &way),
            before: hashes_before(&files),
            from,
            to: arrived,
            files: files.iter().map(|file| file.path.as_str().to_owned()).collect(),
            recorded,
        }),
    })
}

/// What the history will say about a move.
struct Records<'a> {
    history: &'a History,
    meta: &'a ChangeMeta,
    holder: &'a str,
    motion: Motion,
    from: &'a Option<String>,
    to: &'a Option<String>,
}

impl Records<'_> {
    /// The position moves; what is overwritten on the way is recorded before.
    fn moved(
        &self,
        state: &State<'_>,
        route: &Route,
        files: &[PlannedFile],
    ) -> Result<(Work, Vec<Record>), TreeError> {
        let id = unique("mv", self.meta.now);
        let work = Work::new(state, id.clone(), files)?.pruning(route.prune.clone());
        let mut records = Vec::new();
        let mut from = self.from.clone();
        if !route.detours.is_empty() {
            let since = self.since(route);
            from = Some(since.id.clone());
            records.push(Record::Change(since));
        }
        records.push(Record::Move(Move {
            id,
            motion: self.motion,
            timestamp: self.meta.now,
            from,
            to: self.to.clone(),
            holder: self.holder.to_owned(),
        }));
        Ok((work, records))
    }

    /// The changes since become a change set, and the way back becomes another one upon it.
    fn merged(
        &self,
        state: &State<'_>,
        route: &Route,
        files: &[PlannedFile],
    ) -> Result<(Work, Vec<Record>), TreeError> {
        let since = self.since(route);
        let work =
            Work::new(state, unique("cs", self.meta.now), files)?.pruning(route.prune.clone());
        let mut back = describe(self.history, &work, files, self.meta, self.holder);
        back.number = since.number + 1;
        back.parent = Some(since.id.clone());
        back.origin = Origin::User;
        back.takes_back.clone_from(self.from);
        Ok((work, vec![Record::Change(since), Record::Change(back)]))
    }

    fn since(&self, route: &Route) -> ChangeSet {
        let mut change = recorded(self.history, &route.since(), self.meta, self.holder);
        change.origin = Origin::User;
        change.label = Some("changed outside Salve".to_owned());
        change
    }
}

fn hashes_before(files: &[PlannedFile]) -> BTreeMap<String, ContentHash> {
    let hash = |file: &PlannedFile| {
        Some((file.path.as_str().to_owned(), file.before.as_ref().map(|state| state.hash)?))
    };
    files.iter().filter_map(hash).collect()
}

/// Lists what a way takes back: the steps back, and what changes that are made again are for taking back.
fn taken_back(history: &History, way: &[Step<'_>]) -> Vec<String> {
    let of = |step: &Step<'_>| match step {
        Step::Back(change) => Some(change.id.clone()),
        Step::Forth(change) => undone_by(history, change),
    };
    way.iter().filter_map(of).collect()
}

/// Lists what a way makes again, the other way round.
fn made_again(history: &History, way: &[Step<'_>]) -> Vec<String> {
    let of = |step: &Step<'_>| match step {
        Step::Forth(change) => Some(change.id.clone()),
        Step::Back(change) => undone_by(history, change),
    };
    way.iter().filter_map(of).collect()
}

/// Returns the change set that another one takes back in all its files.
fn undone_by(history: &History, change: &ChangeSet) -> Option<String> {
    let other = history.get(change.takes_back.as_deref()?)?;
    let is_in = |path: &str| change.files.iter().any(|file| file.file_path == path);
    other.files.iter().all(|file| is_in(&file.file_path)).then(|| other.id.clone())
}

/// Tells which change sets in between were never applied, each kind in its own words, and what of those
/// that are taken back remains.
fn messages(history: &History, from: Option<&str>, to: Option<&str>) -> Vec<String> {
    let number = |id: Option<&str>| id.and_then(|id| history.get(id)).map_or(0, |it| it.number);
    let past: BTreeSet<&str> = history.chain(from).map(|change| change.id.as_str()).collect();
    let between = |why| {
        let skipped = history.changes().iter().filter(|change| {
            change.not_applied == Some(why)
                && change.number > number(to)
                && change.parent.as_deref().is_none_or(|parent| past.contains(parent))
        });
        if number(to) < number(from) { skipped.count() } else { 0 }
    };
    let mut messages = Vec::new();
    let blocked = between(NotApplied::Blocked);
    if blocked > 0 {
        messages.push(format!(
            "⚠️ {blocked} change(s) failed to apply originally (AI hallucinated file content). These cannot be rolled back."
        ));
    }
    let unneeded = between(NotApplied::NoChangeNeeded);
    if unneeded > 0 {
        messages.push(format!(
            "{unneeded} change(s) found the files as intended and changed nothing; there is nothing to roll back."
        ));
    }
    let kept: BTreeSet<&str> = history.chain(to).map(|change| change.id.as_str()).collect();
    for change in history.chain(from).filter(|change| !kept.contains(change.id.as_str())) {
        for command in &change.remains {
            messages.push(format!("What `{command}` installed remains."));
        }
    }
    messages
}

#[cfg(test)]
mod tests;
