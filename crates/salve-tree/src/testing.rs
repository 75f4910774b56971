//! What the tests of transactions share: a workspace in a temporary folder and plans for it.
//!
//! In: contents by path. Out: a tree on disk, plans against it, and pictures of it to compare.
//! Never: a plan that the tree does not fit, unless the test says so.
#![expect(clippy::disallowed_methods, reason = "tests play the user, who writes files as he likes")]

mod hooked;

use crate::disk::Disk;
use crate::plan::{FileContent, FileState, PlannedFile, TreePath};
use crate::{
    ApplyOutcome, ChangeMeta, ChangeSet, FileSync, History, Moved, OnChanged, RewindOutcome,
    VerifiedEdits, Workspace, WorkspaceOptions, apply,
};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use hooked::Hooked;

/// A tree as it is: files with content and mode, directories with neither.
pub(crate) type Picture = BTreeMap<String, Option<(Vec<u8>, u32)>>;

/// A workspace in a temporary folder.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
    disk: Option<Arc<dyn Disk>>,
}

/// What is to be at a path.
pub(crate) type Wish<'a> = (&'a str, Option<(&'a [u8], u32)>);

impl Desk {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let memory = Path::new("/dev/shm");
        let folder =
            if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let desk = Self { folder: folder.unwrap(), disk: None };
        for (path, text) in files {
            desk.write(path, text.as_bytes());
        }
        desk
    }

    pub(crate) fn on(mut self, disk: Arc<dyn Disk>) -> Self {
        self.disk = Some(disk);
        self
    }

    /// Goes back to the disk of this machine.
    pub(crate) fn on_real_disk(mut self) -> Self {
        self.disk = None;
        self
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn options(&self) -> WorkspaceOptions {
        let options = WorkspaceOptions {
            durability: FileSync::None,
            wait: Duration::from_millis(20),
            holder: "test".to_owned(),
            ..WorkspaceOptions::default()
        };
        match &self.disk {
            Some(disk) => WorkspaceOptions { disk: disk.clone(), ..options },
            None => options,
        }
    }

    /// Opens the workspace anew, as another process would.
    pub(crate) fn open(&self) -> Workspace {
        Workspace::open(self.root(), self.options()).unwrap().0
    }

    pub(crate) fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn chmod(&self, path: &str, mode: u32) {
        fs::set_permissions(self.root().join(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> Option<Vec<u8>> {
        fs::read(self.root().join(path)).ok()
    }

    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.read(path).unwrap()).unwrap()
    }

    pub(crate) fn mode(&self, path: &str) -> u32 {
        fs::metadata(self.root().join(path)).unwrap().permissions().mode() & 0o7777
    }

    /// Takes a picture of everything but Salve's own folder.
    pub(crate) fn picture(&self) -> Picture {
        let mut picture = Picture::new();
        self.walk(self.root(), &mut picture);
        picture
    }

    fn walk(&self, dir: &Path, picture: &mut Picture) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(self.root()).unwrap().to_str().unwrap().to_owned();
            if name == ".salve" {
                continue;
            }
            if path.is_dir() {
                self.walk(&path, picture);
                picture.insert(name, None);
            } else {
                let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
                picture.insert(name, Some((fs::read(&path).unwrap(), mode)));
            }
        }
    }

    /// Lists what is left of interrupted work.
    pub(crate) fn leftovers(&self) -> Vec<String> {
        let mut names = Vec::new();
        for dir in ["journal", "tmp"] {
            let Ok(entries) = fs::read_dir(self.root().join(".salve").join(dir)) else { continue };
            names.extend(entries.map(|entry| entry.unwrap().path().display().to_string()));
        }
        names
    }

    /// Plans against the tree as it is now.
    pub(crate) fn plan(&self, wishes: &[Wish<'_>]) -> VerifiedEdits {
        let files = wishes.iter().map(|(path, after)| PlannedFile {
            path: TreePath::admitted((*path).to_owned()),
            before: self.read(path).map(|bytes| FileState::new(bytes, self.mode(path))),
            after: after.map(|(bytes, mode)| FileContent { bytes: bytes.to_vec(), mode }),
            moved_from: None,
        });
        VerifiedEdits::seal(files.collect())
    }

    /// Plans texts with the mode the files have, or the usual one.
    pub(crate) fn texts(&self, wishes: &[(&str, Option<&str>)]) -> VerifiedEdits {
        let mode = |path: &str| if self.read(path).is_some() { self.mode(path) } else { 0o644 };
        let wishes: Vec<Wish<'_>> = wishes
            .iter()
            .map(|(path, text)| (*path, text.map(|text| (text.as_bytes(), mode(path)))))
            .collect();
        self.plan(&wishes)
    }

    /// Applies texts, which must succeed.
    pub(crate) fn apply(&self, wishes: &[(&str, Option<&str>)]) -> ChangeSet {
        match apply(&self.open(), self.texts(wishes), &at(1_000)).unwrap() {
            ApplyOutcome::Applied(change) => change.change().clone(),
            other => panic!("not applied: {other:?}"),
        }
    }

    pub(crate) fn history(&self) -> History {
        History::load(&self.open()).unwrap()
    }

    pub(crate) fn undo(&self) -> Moved {
        moved(crate::undo(&self.open(), OnChanged::Refuse, &at(2_000)).unwrap())
    }

    pub(crate) fn redo(&self) -> Moved {
        moved(crate::redo(&self.open(), OnChanged::Refuse, &at(3_000)).unwrap())
    }

    pub(crate) fn rewind(&self, to: Option<&str>) -> Moved {
        moved(crate::rewind(&self.open(), to, OnChanged::Refuse, &at(4_000)).unwrap())
    }
}

pub(crate) fn at(now: u64) -> ChangeMeta {
    ChangeMeta { now, ..ChangeMeta::default() }
}

pub(crate) fn moved(outcome: RewindOutcome) -> Moved {
    match outcome {
        RewindOutcome::Moved(moved) => moved,
        other => panic!("not moved: {other:?}"),
    }
}
