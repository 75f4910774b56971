//! Files, from the log of what was done to them in a session.
//!
//! In: a session. Out: its registry, asked against the disk, and what was done turn by turn. Never reads a file that the
//! session does not name, and no more than a page of them.

use super::super::answer::{Answer, Fault};
use super::super::state::WorkbenchState;
use super::super::view::screens::files::{
    FileRow, FilesView, Freshness, OperationRow, TurnFiles, files_screen,
};
use super::chosen::{Chosen, drawn};
use super::shell;
use axum::extract::{Query, State};
use axum::response::Response;
use salve_engine::session::{FileRegistry, RegistryEntry};
use salve_tree::{AdmitOptions, DiskView, FileView, Root};
use salve_types::FileOperation;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// How many files are listed.
const LISTED: usize = 200;
/// Longer files are not hashed for a page.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// How many turns are told.
const TURNS: usize = 20;
/// How many operations of a turn are told.
const OPERATIONS: usize = 50;

/// What is wanted.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Wanted {
    /// The session.
    session: Option<String>,
}

/// Answers `GET /files`.
pub(super) async fn files(
    State(state): State<Arc<WorkbenchState>>,
    Query(wanted): Query<Wanted>,
) -> Answer<Response> {
    let chosen = Chosen::find(&state, wanted.session.as_deref()).await?;
    let mut view =
        FilesView { session: chosen.choice(), sessions: chosen.offered, ..FilesView::default() };
    if let Some(session) = chosen.session {
        let log = state.store().file_operations(&session.id).await?;
        let root = state.root().to_owned();
        let known = tokio::task::spawn_blocking(move || (known(&log, &root), by_turn(&log)));
        let ((files, left_out), turns) = known.await.map_err(|error| Fault::broken(&error))?;
        view.turn = session.turns;
        (view.files, view.left_out, view.turns) = (files, left_out, turns);
    }
    drawn(shell(&state, "Files"), move || files_screen(&view)).await
}

// What the model has to see again comes first, then what it saw last.
fn known(log: &[FileOperation], root: &Path) -> (Vec<FileRow>, usize) {
    let registry = FileRegistry::fold(log, &BTreeMap::new());
    let mut entries: Vec<&RegistryEntry> = registry.entries().collect();
    entries
        .sort_by_key(|entry| (!entry.changed_since_seen, std::cmp::Reverse(entry.last_seen_turn)));
    let left_out = entries.len().saturating_sub(LISTED);
    let root = Root::open(root).ok();
    let disk = root.as_ref().map(|root| DiskView::new(root, AdmitOptions::default()));
    let row = |entry: &&RegistryEntry| file_row(entry, disk.as_ref());
    (entries.iter().take(LISTED).map(row).collect(), left_out)
}

fn file_row(entry: &RegistryEntry, disk: Option<&DiskView<'_>>) -> FileRow {
    FileRow {
        path: entry.path.clone(),
        freshness: freshness(entry, disk),
        language: entry.language.map(|language| language.name().to_owned()).unwrap_or_default(),
        size: entry.size,
        loaded_by: entry.loaded_by.name().to_owned(),
        seen: entry.last_seen_turn,
        modified: entry.last_modified_turn,
        hash: entry.hash.clone(),
        md5: entry.md5.clone(),
    }
}

fn freshness(entry: &RegistryEntry, disk: Option<&DiskView<'_>>) -> Freshness {
    let small = entry.size <= MOST_BYTES;
    let found =
        disk.filter(|_| small).and_then(|disk| disk.read(&disk.admit(&entry.path).ok()?).ok());
    match found {
        None if entry.changed_since_seen => Freshness::Changed,
        None => Freshness::Unknown,
        Some(None) => Freshness::Gone,
        Some(Some(state)) if entry.hash.as_deref() != Some(state.hash.hex().as_str()) => {
            Freshness::ChangedOutside
        }
        Some(Some(_)) if entry.changed_since_seen => Freshness::Changed,
        Some(Some(_)) => Freshness::Fresh,
    }
}

fn by_turn(log: &[FileOperation]) -> Vec<TurnFiles> {
    let mut turns: BTreeMap<u32, Vec<&FileOperation>> = BTreeMap::new();
    for operation in log {
        turns.entry(operation.turn).or_default().push(operation);
    }
    let turn = |(turn, operations): (u32, Vec<&FileOperation>)| TurnFiles {
        turn,
        left_out: operations.len().saturating_sub(OPERATIONS),
        operations: operations.into_iter().take(OPERATIONS).map(operation_row).collect(),
    };
    turns.into_iter().rev().take(TURNS).map(turn).collect()
}

fn operation_row(operation: &FileOperation) -> OperationRow {
    OperationRow {
        op: operation.op.name().to_owned(),
        by: operation.by.name().to_owned(),
        path: operation.path.clone(),
        size: operation.size,
        hashes: (operation.hash_before.clone(), operation.hash_after.clone()),
        at: operation.at.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_types::{FileOpBy, FileOpKind, Timestamp};

    fn operation(path: &str, op: FileOpKind, turn: u32, content: &[u8]) -> FileOperation {
        FileOperation {
            path: path.to_owned(),
            op,
            hash_before: None,
            hash_after: Some(blake3::hash(content).to_hex().to_string()),
            md5: None,
            size: content.len() as u64,
            by: FileOpBy::Ai,
            at: Timestamp(1),
            turn,
        }
    }

    #[test]
    fn c246_c247_what_changed_in_or_outside_the_session_is_told() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("a.txt", "one"), ("b.txt", "other"), ("c.txt", "new")] {
            let mut file = std::fs::File::create_new(folder.path().join(name)).unwrap();
            std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        }
        let log = [
            operation("a.txt", FileOpKind::Read, 2, b"one"),
            operation("b.txt", FileOpKind::Read, 2, b"one"),
            operation("c.txt", FileOpKind::Read, 1, b"old"),
            operation("c.txt", FileOpKind::Update, 3, b"new"),
            operation("d.txt", FileOpKind::Read, 1, b"gone"),
        ];
        let (files, left_out) = known(&log, folder.path());
        let told: Vec<_> = files.iter().map(|file| (file.path.as_str(), file.freshness)).collect();
        let expected = [
            ("c.txt", Freshness::Changed),
            ("a.txt", Freshness::Fresh),
            ("b.txt", Freshness::ChangedOutside),
            ("d.txt", Freshness::Gone),
        ];
        assert_eq!((told.as_slice(), left_out), (&expected[..], 0));
        let turns: Vec<_> =
            by_turn(&log).iter().map(|turn| (turn.turn, turn.operations.len())).collect();
        assert_eq!(turns, [(3, 1), (2, 2), (1, 2)]);
    }
}
