//! What others did to the files that a session knows, since it last looked.
//!
//! In: the hashes that the session's log ends with, and the files. Out: an operation for each file that is another
//! one now, or gone. Never says who it was: it was not Salve.

use super::super::load::{LoadLimits, read_known};
use super::super::state::SavedTurn;
use salve_tree::{ContentHash, Root, md5_label};
use salve_types::{FileOpBy, FileOpKind, FileOperation, Timestamp};
use std::io::ErrorKind;
use std::path::Path;

/// Notes what became of known files beside the session.
pub(super) fn notice(root: &Root, folder: &Path, saved: &mut SavedTurn, turn: u32, now: u64) {
    note_seen(saved);
    let most = LoadLimits::default().largest;
    let at = Timestamp(i64::try_from(now).unwrap_or(i64::MAX));
    for (path, hash) in &saved.seen {
        let found = read_known(root, path, most);
        let after = found.as_deref().map(|bytes| ContentHash::of(bytes).hex());
        if after.as_deref() == Some(hash) || (after.is_none() && !is_gone(&folder.join(path))) {
            continue;
        }
        let op = if after.is_some() { FileOpKind::Update } else { FileOpKind::Delete };
        saved.effects.file_operations.push(FileOperation {
            path: path.clone(),
            op,
            hash_before: Some(hash.clone()),
            hash_after: after,
            md5: found.as_deref().map(md5_label),
            size: found.map_or(0, |bytes| bytes.len() as u64),
            by: FileOpBy::External,
            at,
            turn,
        });
    }
    note_seen(saved);
}

/// Takes what a step did to files into what the session knows of them.
pub(super) fn note_seen(saved: &mut SavedTurn) {
    for operation in &saved.effects.file_operations {
        let hash = operation.hash_after.clone().filter(|_| operation.op != FileOpKind::Delete);
        match hash {
            Some(hash) => drop(saved.seen.insert(operation.path.clone(), hash)),
            None => drop(saved.seen.remove(&operation.path)),
        }
    }
}

// What cannot be read now may be the same as ever.
fn is_gone(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
}
