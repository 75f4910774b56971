//! One part of a plan taken back, the others kept.
//!
//! In: the results that were merged and the task that goes. Out: a change set that takes its lines out of the files as
//! they are now. Never takes a line of another part with it: where that cannot be told apart, both sides are shown.

use super::ResultFolder;
use crate::heal::{Patch, RepairError, Sources, sources_of, verified};
use crate::host::OpenWorkspace;
use crate::plan::{SubTaskConflict, TaskResult, merge_results};
use salve_tree::{ApplyOutcome, ChangeMeta, Origin, WorkspaceOptions, apply};
use std::collections::BTreeMap;
use std::path::Path;

/// What became of taking a part back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartUndone {
    /// It is out of the files.
    Undone {
        /// The change set that took it out.
        change: String,
        /// The files that changed.
        files: Vec<String>,
    },
    /// There was nothing of it in the files.
    Nothing,
    /// Its lines cannot be told from others.
    Conflict(Vec<SubTaskConflict>),
}

/// Takes the part of one task out of the files.
///
/// # Errors
/// When the plan was not merged here, has no such task, or the tree cannot be read or written.
pub fn undo_part(
    root: &Path,
    folder: &ResultFolder,
    task: &str,
    now: u64,
) -> Result<PartUndone, RepairError> {
    let merged = folder.merged()?.filter(|merged| merged.change.is_some());
    let merged =
        merged.ok_or_else(|| RepairError::Io("the plan has written nothing here".to_owned()))?;
    if !merged.order.iter().any(|one| one == task) {
        return Err(RepairError::Io(format!("the plan has no part `{task}` in its change set")));
    }
    let mut results = Vec::new();
    for one in &merged.order {
        let saved = folder.result(one)?;
        results.push(
            saved.ok_or_else(|| RepairError::Io(format!("the result of `{one}` is lost")))?.result,
        );
    }
    // What the files were before any of it: the first to change one saw it so.
    let mut base: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for (path, seen) in results.iter().flat_map(|result| &result.seen) {
        base.entry(path).or_insert_with(|| seen.clone());
    }
    let before = |path: &str| base.get(path).cloned().flatten();
    let with = merge_results(&results, &before);
    let others: Vec<TaskResult> =
        results.iter().filter(|result| result.task != task).cloned().collect();
    let without = merge_results(&others, &before);
    if !without.conflicts.is_empty() {
        return Ok(PartUndone::Conflict(without.conflicts));
    }
    let state = |merged: &BTreeMap<String, Option<String>>, path: &str| match merged.get(path) {
        Some(text) => text.clone(),
        None => before(path),
    };
    let mut back = TaskResult { task: format!("undo of {task}"), ..TaskResult::default() };
    for path in with.files.keys().chain(without.files.keys()) {
        let (seen, wanted) = (state(&with.files, path), state(&without.files, path));
        if seen != wanted {
            back.seen.insert(path.clone(), seen);
            back.files.insert(path.clone(), wanted);
        }
    }
    let none = Patch::default();
    let disk = sources_of(root, &none);
    let out = merge_results(&[back], &|path| disk.read(path));
    if !out.conflicts.is_empty() {
        return Ok(PartUndone::Conflict(out.conflicts));
    }
    if out.files.is_empty() {
        return Ok(PartUndone::Nothing);
    }
    let io = |error: &dyn std::fmt::Display| RepairError::Io(error.to_string());
    let options =
        WorkspaceOptions { holder: "salve plan undo".to_owned(), ..WorkspaceOptions::default() };
    let workspace = OpenWorkspace::open(root, options).map_err(|error| io(&error))?;
    let patch = Patch { files: out.files };
    let edits = verified(&workspace, &patch)?;
    let label = format!("undo of sub-task {task} of {}", merged.change.unwrap_or_default());
    let meta =
        ChangeMeta { now, origin: Origin::User, label: Some(label), ..ChangeMeta::default() };
    match apply(&workspace.tree, edits, &meta).map_err(|error| io(&error))? {
        ApplyOutcome::Applied(change) => Ok(PartUndone::Undone {
            change: change.id().to_owned(),
            files: patch.files.into_keys().collect(),
        }),
        ApplyOutcome::NothingToDo => Ok(PartUndone::Nothing),
        ApplyOutcome::Conflict(conflict) => Err(RepairError::Io(conflict.why)),
    }
}
