//! Journals: any bytes are recovered from or refused, and no content is lost either way.
//!
//! In: a byte that says whether the right hash is put before the rest, and the bytes of a journal
//! in which `OLD`, `NEW` and `OTHER` stand for the hashes of contents that exist. Out: a panic when
//! a journal that is refused is gone, or a content that was in the tree is nowhere any more. Never
//! keeps its folder.

use salve_tree::{ContentHash, FileSync, Manifest, Workspace, WorkspaceOptions, recover};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const OLD: &str = "old\n";
const NEW: &str = "new\n";
const OTHER: &str = "other\n";
const JOURNAL: &str = ".salve/journal/t.armed";

pub(super) fn check(bytes: &[u8]) {
    let (first, rest) = bytes.split_first().map_or((0, bytes), |(first, rest)| (*first, rest));
    let journal = if first & 1 == 1 { with_right_hash(rest) } else { rest.to_vec() };
    match Manifest::decode(&journal) {
        Err(why) => assert!(!why.is_empty()),
        Ok(manifest) => {
            let again = manifest.encode().expect("what was read can be written");
            assert_eq!(Manifest::decode(&again), Ok(manifest), "written and read again");
            check_recovery(&journal);
        }
    }
    // A refusal is decided by the bytes alone, so a few of them stand for all.
    if bytes.len().is_multiple_of(16) {
        check_recovery(&journal);
    }
}

fn with_right_hash(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let hash = |content: &str| ContentHash::of(content.as_bytes()).hex();
    let body =
        text.replace("OLD", &hash(OLD)).replace("NEW", &hash(NEW)).replace("OTHER", &hash(OTHER));
    let head = format!("salve-journal 1 {}\n", ContentHash::of(body.as_bytes()).hex());
    (head + &body).into_bytes()
}

#[expect(clippy::disallowed_methods, reason = "makes the tree that the journal is about")]
fn check_recovery(journal: &[u8]) {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let folder = folder.expect("a folder");
    let at = |path: &str| folder.path().join(path);
    for dir in ["d", ".salve/journal", ".salve/tmp"] {
        fs::create_dir_all(at(dir)).expect("a folder");
    }
    let files = [("a", OLD), ("b", NEW), ("d/c", OTHER), (".salve/tmp/.salve-t-0", "out\n")];
    for (path, content) in files {
        fs::write(at(path), content).expect("a file");
    }
    fs::write(at(JOURNAL), journal).expect("a file");
    let options = WorkspaceOptions { durability: FileSync::None, ..WorkspaceOptions::default() };
    // What the system refuses (a name that is too long, a content that is not kept) leaves the
    // journal for the next time.
    let Ok((workspace, recovery)) = Workspace::open(folder.path(), options) else {
        assert_eq!(fs::read(at(JOURNAL)).ok().as_deref(), Some(journal));
        return;
    };
    if recovery.damaged_journals.is_empty() {
        assert!(recover(&workspace).expect("recovers twice").is_clean(), "twice is once");
    } else {
        assert_eq!(fs::read(at(JOURNAL)).ok().as_deref(), Some(journal), "a journal is gone");
        assert_eq!(fs::read(at("a")).ok().as_deref(), Some(OLD.as_bytes()));
    }
    let left = contents(folder.path());
    for content in [OLD, NEW, OTHER] {
        assert!(left.contains(content.as_bytes()), "{content:?} is lost");
    }
}

/// Collects every content in a folder.
fn contents(folder: &Path) -> BTreeSet<Vec<u8>> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) => found.extend(fs::read(entry.path())),
                Err(_) => {}
            }
        }
    }
    found
}
