//! The way back to a checkpoint.
//!
//! In: which checkpoint, and what went wrong. Out: the tree as it was there, as a change set that
//! can be undone, and a file that tells what was left behind. Never: a restore of a file that was
//! changed beside Salve, unless the caller says so; a touch of the tree when no checkpoint is
//! whole.

use super::{Checkpoint, ListedCheckpoint, fault, is_called, list_checkpoints, read};
use crate::apply::{Conflict, Done, Work, begin, describe, transact};
use crate::disk::{At, ensure_dir, unlink_if_there, write_all};
use crate::history::{ChangeMeta, ChangeSet, History, Origin, Record, Step, is_binary, unique};
use crate::journal::Version;
use crate::lease;
use crate::plan::{FileContent, FileState, PlannedFile, TreePath};
use crate::workspace::State;
use crate::{ChangedSince, OnChanged, ThreeWay, TreeError, Workspace};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io;
use std::os::fd::AsFd as _;

const FOLDER: &str = "healing-attempts";

/// More of a difference than this is not written down; the contents are kept anyway.
const LONGEST_DIFF: usize = 256 * 1024;

/// What to restore and why.
#[derive(Debug, Clone, Copy, Default)]
pub struct RestoreRequest<'a> {
    /// The name or id of a checkpoint; `None`: the newest that is whole.
    pub name: Option<&'a str>,
    /// What went wrong, for a later reader.
    pub error: &'a str,
    /// What the caller knew at that moment, for a later reader.
    pub state: Option<&'a Value>,
    /// What to do about files that were changed beside Salve. There is no merge here.
    pub on_changed: OnChanged,
}

/// The outcome of a restore.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoreOutcome {
    /// The tree is as the checkpoint has it.
    Restored(Box<Restored>),
    /// No checkpoint is whole. Nothing was touched; what was found is written down here.
    NoneValid {
        /// The path of the report in the workspace.
        report: String,
    },
    /// Files were changed beside Salve; nothing was touched.
    Changed {
        /// The files.
        files: Vec<ChangedSince>,
    },
    /// A file was changed in this very moment; nothing was touched.
    Conflict(Conflict),
}

/// A restore that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// The change set that took the tree there; `None` when it was there already.
    pub change: Option<ChangeSet>,
    /// The path of the report in the workspace that tells what was left behind, if anything was.
    pub report: Option<String>,
}

/// Takes the tree back to a checkpoint, after writing down what is left behind.
pub fn restore_checkpoint(
    workspace: &Workspace,
    request: &RestoreRequest<'_>,
    meta: &ChangeMeta,
) -> Result<RestoreOutcome, TreeError> {
    let (state, log) = begin(workspace)?;
    let history = History::of(&log);
    let chosen = choose(workspace, request.name)?;
    let files = match &chosen {
        Some(checkpoint) => differences(&state, &history, checkpoint)?,
        None => left_by_history(&state, &history)?,
    };
    // Where the tree is already as it was, nothing is left behind.
    if let (Some(_), true) = (&chosen, files.is_empty())
        && let Some(checkpoint) = chosen
    {
        let restored = Restored { checkpoint, change: None, report: None };
        return Ok(RestoreOutcome::Restored(Box::new(restored)));
    }
    let Some(checkpoint) = chosen else {
        let report = write_report(&state, &history, request, None, &files, meta.now)?;
        return Ok(RestoreOutcome::NoneValid { report });
    };
    let changed = changed_beside(&history, &checkpoint, &files);
    if !changed.is_empty() && request.on_changed != OnChanged::Force {
        return Ok(RestoreOutcome::Changed { files: changed });
    }
    lease::check(&state, files.iter().map(|file| file.path.as_str()), meta.now)?;
    // Before anything is touched, and only where something will be: a refused restore leaves nothing
    // behind.
    let report = write_report(&state, &history, request, Some(&checkpoint), &files, meta.now)?;
    let prune = made_since(&history, &checkpoint);
    let work = Work::new(&state, unique("cs", meta.now), &files)?.pruning(prune);
    let meta = ChangeMeta { origin: Origin::Checkpoint, ..meta.clone() };
    let change = describe(&history, &work, &files, &meta, &workspace.options().holder);
    match transact(&state, &log, &work, &files, &[Record::Change(change.clone())])? {
        Done::Applied(_) => {
            let restored = Restored { checkpoint, change: Some(change), report: Some(report) };
            Ok(RestoreOutcome::Restored(Box::new(restored)))
        }
        Done::Conflict(conflict) => {
            forget_report(&state, &report);
            Ok(RestoreOutcome::Conflict(conflict))
        }
    }
}

/// Finds the checkpoint of a name, or the newest; either must be whole.
fn choose(workspace: &Workspace, name: Option<&str>) -> Result<Option<Checkpoint>, TreeError> {
    let wanted = |listed: &ListedCheckpoint| match (name, &listed.checkpoint) {
        (None, _) => true,
        (Some(name), Some(checkpoint)) => is_called(checkpoint, name),
        (Some(_), None) => false,
    };
    let listed: Vec<_> = list_checkpoints(workspace)?.into_iter().filter(wanted).collect();
    if let (Some(name), true) = (name, listed.is_empty()) {
        return Err(TreeError::Unknown { what: format!("checkpoint {name}") });
    }
    let whole = listed.into_iter().rev().find(|listed| listed.valid);
    Ok(whole.and_then(|listed| listed.checkpoint))
}

/// Plans the way from the tree as it is to the checkpoint: the files it names, and every other file
/// that Salve changed since, as the history knows it.
fn differences(
    state: &State<'_>,
    history: &History,
    checkpoint: &Checkpoint,
) -> Result<Vec<PlannedFile>, TreeError> {
    let mut goals = checkpoint.tree.clone();
    for step in history.way_to(checkpoint.position.as_deref()) {
        let (change, back) = match step {
            Step::Back(change) => (change, true),
            Step::Forth(change) => (change, false),
        };
        for file in &change.files {
            let then = if back { file.old } else { file.new };
            if !checkpoint.tree.contains_key(&file.file_path) {
                goals.insert(file.file_path.clone(), then);
            }
        }
    }
    let mut files = Vec::new();
    for (path, version) in goals {
        let before = read(state, &path)?;
        if seen(before.as_ref()) != version {
            files.push(planned(state, &path, before, version)?);
        }
    }
    Ok(files)
}

/// Lists the directories that were made since; they go where they are empty.
fn made_since(history: &History, checkpoint: &Checkpoint) -> BTreeSet<String> {
    let steps = history.way_to(checkpoint.position.as_deref());
    let made = steps.iter().filter_map(|step| match step {
        Step::Back(change) => Some(change.made_dirs.iter().cloned()),
        Step::Forth(_) => None,
    });
    made.flatten().collect()
}

/// Plans the way from the tree as it is to what the history left, only to show the difference.
fn left_by_history(state: &State<'_>, history: &History) -> Result<Vec<PlannedFile>, TreeError> {
    let mut files: Vec<PlannedFile> = Vec::new();
    let position = history.position_id();
    for file in history.chain(position.as_deref()).flat_map(|change| &change.files) {
        let path = &file.file_path;
        let before = read(state, path)?;
        let known = files.iter().any(|file| file.path.as_str() == path);
        if !known && let Ok(file) = planned(state, path, before, file.new) {
            files.push(file);
        }
    }
    Ok(files)
}

fn planned(
    state: &State<'_>,
    path: &str,
    before: Option<FileState>,
    version: Option<Version>,
) -> Result<PlannedFile, TreeError> {
    let after = version
        .map(|version| {
            let bytes = state.blobs.need(version.hash)?;
            Ok::<_, TreeError>(FileContent { bytes, mode: version.mode })
        })
        .transpose()?;
    Ok(PlannedFile { path: TreePath::admitted(path.to_owned()), before, after, moved_from: None })
}

/// Finds the files that are not what Salve left there.
fn changed_beside(
    history: &History,
    checkpoint: &Checkpoint,
    files: &[PlannedFile],
) -> Vec<ChangedSince> {
    let position = history.position_id();
    let left = |path: &str| {
        let mut past = history.chain(position.as_deref()).flat_map(|change| &change.files);
        let last = past.find(|file| file.file_path == path);
        last.map_or_else(|| checkpoint.tree.get(path).copied().flatten(), |file| file.new)
    };
    let changed =
        files.iter().filter(|file| seen(file.before.as_ref()) != left(file.path.as_str()));
    changed
        .map(|file| ChangedSince {
            path: file.path.as_str().to_owned(),
            why: "it was changed beside Salve".to_owned(),
            merge: ThreeWay::Impossible,
        })
        .collect()
}

fn seen(file: Option<&FileState>) -> Option<Version> {
    file.map(|file| Version { hash: file.hash, mode: file.mode })
}

/// Writes down what is left behind and makes it last before anything else happens.
fn write_report(
    state: &State<'_>,
    history: &History,
    request: &RestoreRequest<'_>,
    checkpoint: Option<&Checkpoint>,
    files: &[PlannedFile],
    now: u64,
) -> Result<String, TreeError> {
    for file in files.iter().filter_map(|file| file.before.as_ref()) {
        let blob = state.blobs.put(file.hash, &file.bytes)?;
        state.workspace.sync(&[blob.as_fd()]).map_err(fault)?;
    }
    let report = json!({
        "timestamp": now,
        "error": request.error,
        "position": history.position_id(),
        "checkpoint": checkpoint.map(|checkpoint| &checkpoint.id),
        "state": {
            "heal": request.state,
            "files": files.iter().map(|file| json!({
                "filePath": file.path.as_str(),
                "content": seen(file.before.as_ref()),
            })).collect::<Vec<_>>(),
        },
        "diff": files.iter().map(|file| json!({
            "filePath": file.path.as_str(),
            "unified": unified(file),
        })).collect::<Vec<_>>(),
    });
    keep_report(state, &report, now).map_err(|e| TreeError::io(format!(".salve/{FOLDER}"), e))
}

fn keep_report(state: &State<'_>, report: &Value, now: u64) -> io::Result<String> {
    let dir = ensure_dir(state.disk, state.dir.as_fd(), FOLDER)?;
    let text = serde_json::to_string_pretty(report).map_err(io::Error::other)?;
    for number in 0..10_000 {
        let more = if number == 0 { String::new() } else { format!("-{number}") };
        let name = format!("corrupted-state-{}{more}.json", stamp(now));
        let file = match state.disk.create(At { dir: dir.as_fd(), name: &name }, 0o600) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            other => other?,
        };
        write_all(state.disk, &file, text.as_bytes())?;
        let blobs = state.blobs.dir().as_fd();
        state.workspace.sync(&[file.as_fd(), dir.as_fd(), blobs, state.dir.as_fd()])?;
        return Ok(format!("{}/{FOLDER}/{name}", crate::workspace::STATE));
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Takes a report away of a restore that was rolled back. One that stays says nothing wrong, so that
/// a failure here is none of the restore.
fn forget_report(state: &State<'_>, report: &str) {
    let name = report.rsplit('/').next().unwrap_or_default();
    if let Ok(dir) = ensure_dir(state.disk, state.dir.as_fd(), FOLDER) {
        let _ = unlink_if_there(state.disk, At { dir: dir.as_fd(), name });
    }
}

/// The difference from the checkpoint to what is left behind; `None` where lines mean nothing.
fn unified(file: &PlannedFile) -> Option<String> {
    let then = file.after.as_ref().map_or(&[][..], |content| &content.bytes);
    let now = file.before.as_ref().map_or(&[][..], |content| &content.bytes);
    if is_binary(then) || is_binary(now) || then.len().max(now.len()) > LONGEST_DIFF {
        return None;
    }
    let (then, now) = (String::from_utf8_lossy(then), String::from_utf8_lossy(now));
    Some(diffy::create_patch(&then, &now).to_string())
}

/// A time as a name: `20261116T004512123Z`.
fn stamp(millis: u64) -> String {
    let (seconds, millis) = (millis / 1000, millis % 1000);
    let (days, seconds) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}{millis:03}Z")
}

/// Turns days since 1970 into a date, counting from the first of March of the year 0, so that the
/// leap day is the last of its year.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::stamp;

    #[test]
    fn h33_a_time_becomes_a_name() {
        for (millis, name) in [
            (0, "19700101T000000000Z"),
            (951_782_399_999, "20000228T235959999Z"),
            (951_868_799_001, "20000229T235959001Z"),
            (1_709_251_200_000, "20240301T000000000Z"),
            (1_794_789_912_123, "20261116T004512123Z"),
        ] {
            assert_eq!(stamp(millis), name);
        }
    }
}
