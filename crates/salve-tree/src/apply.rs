//! Stage 7: writes a plan into the tree as one transaction.
//!
//! In: [`VerifiedEdits`] and what the caller says about them. Out: a change with its inverse
//! recorded first, or a conflict with nothing changed. Never: some of the files; a byte that is in
//! the tree and not in the plan.
//!
//! The protocol: lock; keep old and new contents and write new files aside, sync; write the
//! manifest, sync, arm it, sync; per file check the hash, swap the new file in, check the hash of
//! what came out; sync the directories; append to the history, sync (the commit); clean. A crash
//! before the commit is undone at the next start, a crash after it only cleaned up.

mod swap;
mod transact;

use crate::history::{ChangeMeta, ChangeSet, ChangedFile, History, Record, Stats};
use crate::history::{append, unique};
use crate::lease;
use crate::plan::{PlannedFile, VerifiedEdits};
use crate::{NotApplied, TreeError, Workspace};
use serde::Serialize;

pub use swap::Foreign;

pub(crate) use swap::parent_of;
pub(crate) use transact::{Done, Work, begin, clean, transact, undo};

/// The outcome of an apply.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApplyOutcome {
    /// Every file is as planned, and the change is in the history.
    Applied(AppliedChange),
    /// The plan changes nothing; no transaction was made.
    NothingToDo,
    /// A file was changed between verification and now. The tree is as it was.
    Conflict(Conflict),
}

/// A change that was applied. Only `apply`, `undo` and their kin make one.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedChange {
    change: Box<ChangeSet>,
    kept: Vec<Foreign>,
}

/// A file that is not what the plan expects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// Its path.
    pub path: String,
    /// What is different, in one sentence that says what to do.
    pub why: String,
}

/// Applies verified edits as one transaction.
pub fn apply(
    workspace: &Workspace,
    edits: VerifiedEdits,
    meta: &ChangeMeta,
) -> Result<ApplyOutcome, TreeError> {
    let files: Vec<PlannedFile> = edits.into_files().into_iter().filter(changes).collect();
    if files.is_empty() {
        return Ok(ApplyOutcome::NothingToDo);
    }
    lease::waiting(workspace, || apply_files(workspace, &files, meta))
}

fn apply_files(
    workspace: &Workspace,
    files: &[PlannedFile],
    meta: &ChangeMeta,
) -> Result<ApplyOutcome, TreeError> {
    let (state, log) = begin(workspace)?;
    lease::check(&state, files.iter().map(|file| file.path.as_str()), meta.now)?;
    let work = Work::new(&state, unique("cs", meta.now), files)?;
    let history = History::of(&log);
    let change = describe(&history, &work, files, meta, &workspace.options().holder);
    match transact(&state, &log, &work, files, &[Record::Change(change.clone())])? {
        Done::Applied(kept) => Ok(ApplyOutcome::Applied(AppliedChange::seal(change, kept))),
        Done::Conflict(conflict) => Ok(ApplyOutcome::Conflict(conflict)),
    }
}

/// Records a change that did not reach the tree, so that the history tells the whole story.
pub fn record_unapplied(
    workspace: &Workspace,
    paths: &[String],
    why: NotApplied,
    meta: &ChangeMeta,
) -> Result<ChangeSet, TreeError> {
    let (state, log) = begin(workspace)?;
    let history = History::of(&log);
    let files = paths.iter().map(|path| ChangedFile::untouched(path)).collect();
    let mut change = blank(&history, unique("cs", meta.now), meta, &workspace.options().holder);
    change.files = files;
    change.applied = false;
    change.not_applied = Some(why);
    append(&state, &log, &[Record::Change(change.clone())])?;
    Ok(change)
}

impl AppliedChange {
    fn seal(change: ChangeSet, kept: Vec<Foreign>) -> Self {
        Self { change: Box::new(change), kept }
    }

    /// Returns the id of the change set.
    pub fn id(&self) -> &str {
        &self.change.id
    }

    /// Returns its number in the workspace.
    pub fn number(&self) -> u64 {
        self.change.number
    }

    /// Returns the lines it touched.
    pub fn stats(&self) -> Stats {
        self.change.total_stats
    }

    /// Lists bytes that another writer wrote in the instant of the swap and that are kept aside.
    pub fn kept(&self) -> &[Foreign] {
        &self.kept
    }

    /// Returns the change set as the history has it.
    pub fn change(&self) -> &ChangeSet {
        &self.change
    }
}

/// Describes a plan as the change set it will be.
pub(crate) fn describe(
    history: &History,
    work: &Work,
    files: &[PlannedFile],
    meta: &ChangeMeta,
    holder: &str,
) -> ChangeSet {
    let mut change = recorded(history, files, meta, holder);
    work.txn().clone_into(&mut change.id);
    change.made_dirs = work.made_dirs().to_vec();
    change
}

/// Describes what another writer did to files as a change set that needs no transaction.
pub(crate) fn recorded(
    history: &History,
    files: &[PlannedFile],
    meta: &ChangeMeta,
    holder: &str,
) -> ChangeSet {
    let mut change = blank(history, unique("cs", meta.now), meta, holder);
    change.files = files.iter().map(ChangedFile::of).collect();
    change.total_stats =
        change.files.iter().fold(Stats::default(), |sum, file| sum.plus(file.stats));
    change
}

fn blank(history: &History, id: String, meta: &ChangeMeta, holder: &str) -> ChangeSet {
    ChangeSet {
        id,
        number: history.next_number(),
        session_id: meta.session.clone(),
        timestamp: meta.now,
        files: Vec::new(),
        total_stats: Stats::default(),
        applied: true,
        not_applied: None,
        origin: meta.origin,
        cost: meta.cost,
        parent: history.position_id(),
        label: meta.label.clone(),
        holder: holder.to_owned(),
        made_dirs: Vec::new(),
        remains: meta.remains.clone(),
        takes_back: None,
    }
}

fn changes(file: &PlannedFile) -> bool {
    match (&file.before, &file.after) {
        (None, None) => false,
        (Some(old), Some(new)) => old.bytes != new.bytes || old.mode != new.mode,
        _ => true,
    }
}

#[cfg(test)]
mod tests;
