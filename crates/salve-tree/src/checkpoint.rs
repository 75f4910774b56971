//! Checkpoints: named states of the tree that can be checked and restored.
//!
//! In: a name and the files that Salve has touched, or others. Out: a record of their contents,
//! whether it is still whole, and the way back to it, for these files and for all that Salve changed
//! since. Never: a restore before the state that is
//! left behind is written down and synced; a restore from a checkpoint that is not whole.

mod restore;

use crate::apply::{begin, parent_of};
use crate::disk::{At, ensure_dir, write_all};
use crate::history::{History, unique};
use crate::journal::{Version, is_tree_path};
use crate::plan::{FileState, TreePath};
use crate::workspace::State;
use crate::{ContentHash, TreeError, Workspace};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::fd::AsFd as _;

pub use restore::{RestoreOutcome, RestoreRequest, Restored, restore_checkpoint};

const FOLDER: &str = "checkpoints";
const MAGIC: &str = "salve-checkpoint 1";

/// A named state of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// Unique.
    pub id: String,
    /// Its number in the workspace, from 1.
    pub number: u64,
    /// The name it was given.
    pub name: String,
    /// Milliseconds since 1970.
    pub timestamp: u64,
    /// The change set the tree was at.
    pub position: Option<String>,
    /// The files; nothing where there was none.
    pub tree: BTreeMap<String, Option<Version>>,
    /// What the caller wants back with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<serde_json::Value>,
}

/// A checkpoint as the list shows it.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedCheckpoint {
    /// Its number.
    pub number: u64,
    /// The checkpoint; `None` when its record cannot be read.
    pub checkpoint: Option<Checkpoint>,
    /// Whether it can be restored.
    pub valid: bool,
    /// Why not, if not.
    pub why: Option<String>,
}

/// Records the files that Salve has touched, and those of `paths`, under a name.
pub fn create_checkpoint(
    workspace: &Workspace,
    name: &str,
    paths: &[TreePath],
    heal_state: Option<serde_json::Value>,
    now: u64,
) -> Result<Checkpoint, TreeError> {
    let (state, log) = begin(workspace)?;
    let history = History::of(&log);
    let touched = history.changes().iter().flat_map(|change| &change.files);
    let mut wanted: BTreeSet<&str> = touched.map(|file| file.file_path.as_str()).collect();
    wanted.extend(paths.iter().map(TreePath::as_str));
    let mut tree = BTreeMap::new();
    for path in wanted.into_iter().filter(|path| is_tree_path(path)) {
        let now = read(&state, path)?;
        if let Some(file) = &now {
            let blob = state.blobs.put(file.hash, &file.bytes)?;
            workspace.sync(&[blob.as_fd()]).map_err(fault)?;
        }
        let version = now.map(|file| Version { hash: file.hash, mode: file.mode });
        tree.insert(path.to_owned(), version);
    }
    let number = listed_numbers(workspace)?.last().map_or(1, |last| last + 1);
    let checkpoint = Checkpoint {
        id: unique("cp", now),
        number,
        name: name.to_owned(),
        timestamp: now,
        position: history.position_id(),
        tree,
        state: heal_state,
    };
    write(&state, &checkpoint).map_err(fault)?;
    Ok(checkpoint)
}

/// Lists the checkpoints, oldest first, each checked by reading every content it names.
pub fn list_checkpoints(workspace: &Workspace) -> Result<Vec<ListedCheckpoint>, TreeError> {
    listed_numbers(workspace)?.into_iter().map(|number| check(workspace, number)).collect()
}

/// Checks the newest checkpoint of a name.
pub fn validate_checkpoint(
    workspace: &Workspace,
    name: &str,
) -> Result<ListedCheckpoint, TreeError> {
    let named = |listed: &ListedCheckpoint| {
        listed.checkpoint.as_ref().is_some_and(|it| is_called(it, name))
    };
    let found = list_checkpoints(workspace)?.into_iter().rev().find(named);
    found.ok_or_else(|| TreeError::Unknown { what: format!("checkpoint {name}") })
}

/// Tells whether a checkpoint is meant: by its name, its id, or its number with `#`.
fn is_called(checkpoint: &Checkpoint, name: &str) -> bool {
    let number = name.strip_prefix('#').and_then(|number| number.parse().ok());
    checkpoint.name == name || checkpoint.id == name || number == Some(checkpoint.number)
}

/// Lists the contents that checkpoints need.
pub(crate) fn needed(workspace: &Workspace) -> Result<BTreeSet<ContentHash>, TreeError> {
    let mut hashes = BTreeSet::new();
    for number in listed_numbers(workspace)? {
        if let Ok(checkpoint) = load(workspace, number)? {
            hashes.extend(checkpoint.tree.values().flatten().map(|version| version.hash));
        }
    }
    Ok(hashes)
}

/// Reads a file of the tree as it is now.
fn read(state: &State<'_>, path: &str) -> Result<Option<FileState>, TreeError> {
    let fault = |error| TreeError::io(path, error);
    match parent_of(state, path).map_err(fault)? {
        Some((dir, name)) => state.disk.read(At { dir: dir.as_fd(), name }).map_err(fault),
        None => Ok(None),
    }
}

fn check(workspace: &Workspace, number: u64) -> Result<ListedCheckpoint, TreeError> {
    let (checkpoint, why) = match load(workspace, number)? {
        Ok(checkpoint) => {
            let why = first_fault(workspace, &checkpoint)?;
            (Some(checkpoint), why)
        }
        Err(why) => (None, Some(why)),
    };
    Ok(ListedCheckpoint { number, checkpoint, valid: why.is_none(), why })
}

fn first_fault(
    workspace: &Workspace,
    checkpoint: &Checkpoint,
) -> Result<Option<String>, TreeError> {
    if checkpoint.tree.values().all(Option::is_none) {
        return Ok(None);
    }
    let Some(blobs) = workspace.blobs()? else {
        return Ok(Some("no contents are kept".to_owned()));
    };
    for (path, version) in &checkpoint.tree {
        let Some(version) = version else { continue };
        match blobs.need(version.hash) {
            Ok(_) => {}
            Err(error @ (TreeError::BlobMissing { .. } | TreeError::BlobDamaged { .. })) => {
                return Ok(Some(format!("{path}: {error}")));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

fn listed_numbers(workspace: &Workspace) -> Result<Vec<u64>, TreeError> {
    let Some(dir) = workspace.state_dir(FOLDER)? else { return Ok(Vec::new()) };
    let names = workspace.disk().list(dir.as_fd()).map_err(fault)?;
    let mut numbers: Vec<u64> =
        names.iter().filter_map(|(name, _)| name.strip_suffix(".json")?.parse().ok()).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Reads a checkpoint; the inner error says why it cannot be believed.
fn load(workspace: &Workspace, number: u64) -> Result<Result<Checkpoint, String>, TreeError> {
    let gone = || Err("it cannot be found".to_owned());
    let Some(dir) = workspace.state_dir(FOLDER)? else { return Ok(gone()) };
    let name = file_name(number);
    let found = workspace.disk().read(At { dir: dir.as_fd(), name: &name }).map_err(fault)?;
    Ok(found.map_or_else(gone, |file| decode(&file.bytes)))
}

fn decode(bytes: &[u8]) -> Result<Checkpoint, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is no text")?;
    let (head, body) = text.split_once('\n').ok_or("it is incomplete")?;
    if head != format!("{MAGIC} {}", ContentHash::of(body.as_bytes()).hex()) {
        return Err("its hash does not fit its content".to_owned());
    }
    let checkpoint: Checkpoint = serde_json::from_str(body).map_err(|e| e.to_string())?;
    match checkpoint.tree.keys().find(|path| !is_tree_path(path)) {
        Some(path) => Err(format!("it names the path {path:?}")),
        None => Ok(checkpoint),
    }
}

fn write(state: &State<'_>, checkpoint: &Checkpoint) -> io::Result<()> {
    let body = serde_json::to_string(checkpoint).map_err(io::Error::other)?;
    let text = format!("{MAGIC} {}\n{body}", ContentHash::of(body.as_bytes()).hex());
    let dir = ensure_dir(state.disk, state.dir.as_fd(), FOLDER)?;
    let name = file_name(checkpoint.number);
    let file = state.disk.create(At { dir: dir.as_fd(), name: &name }, 0o600)?;
    write_all(state.disk, &file, text.as_bytes())?;
    let blobs = state.blobs.dir().as_fd();
    state.workspace.sync(&[file.as_fd(), dir.as_fd(), blobs, state.dir.as_fd()])
}

fn file_name(number: u64) -> String {
    format!("{number:06}.json")
}

fn fault(source: io::Error) -> TreeError {
    TreeError::io(format!(".salve/{FOLDER}"), source)
}

#[cfg(test)]
mod tests;
