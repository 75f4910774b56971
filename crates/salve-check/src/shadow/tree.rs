//! Whether the user's tree is still what it was when the shadow was opened.
//!
//! In: the workspace, and the moment of opening. Out: the files that were written, made or removed
//! since, of what git does not ignore. Compares what the file system knows of a file, and reads none.
//! Never holds up the opening: the first look at a large tree is taken beside the first run.

use super::{ShadowError, system};
use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// How many entries are looked at.
const MOST_ENTRIES: usize = 1_000_000;

/// What the file system knows of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: (i64, i64),
    changed: (i64, i64),
    size: u64,
    inode: u64,
}

type Stamps = HashMap<PathBuf, Stamp>;

/// The tree as it was.
#[derive(Debug)]
pub(super) struct TreeWatch {
    workspace: PathBuf,
    /// When the shadow was opened.
    since: (i64, i64),
    then: OnceLock<Stamps>,
    looking: Mutex<Option<JoinHandle<Stamps>>>,
}

impl TreeWatch {
    /// Begins to look at the tree.
    pub(super) fn start(workspace: &Path, since: (i64, i64)) -> Result<Self, ShadowError> {
        let folder = workspace.to_owned();
        let thread = std::thread::Builder::new().name("tree".to_owned());
        let looking = thread.spawn(move || look(&folder));
        let looking = looking.map_err(system("look at the workspace"))?;
        Ok(Self {
            workspace: workspace.to_owned(),
            since,
            then: OnceLock::new(),
            looking: Mutex::new(Some(looking)),
        })
    }

    /// Lists what differs now, sorted.
    pub(super) fn changes(&self) -> Result<Vec<String>, ShadowError> {
        std::fs::read_dir(&self.workspace).map_err(system("read the workspace"))?;
        let then = self.then()?;
        let now = look(&self.workspace);
        // Where the first look was late, the time of the last change tells: no program can set it.
        let is_same = |path: &PathBuf, stamp: &Stamp| {
            then.get(path) == Some(stamp) && stamp.changed <= self.since
        };
        let differs =
            now.iter().filter(|(path, stamp)| !is_same(path, stamp)).map(|(path, _)| path);
        let removed = then.keys().filter(|path| !now.contains_key(*path));
        let mut paths: Vec<String> =
            differs.chain(removed).map(|path| path.to_string_lossy().into_owned()).collect();
        paths.sort_unstable();
        Ok(paths)
    }

    fn then(&self) -> Result<&Stamps, ShadowError> {
        let looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(looking) = looking {
            let stamps = looking.join().map_err(|_| std::io::Error::other("the look was ended"));
            let stamps = stamps.map_err(system("look at the workspace"))?;
            let _ = self.then.set(stamps);
        }
        let lost = || system("look at the workspace")(std::io::Error::other("the look was lost"));
        self.then.get().ok_or_else(lost)
    }
}

impl Drop for TreeWatch {
    fn drop(&mut self) {
        let looking = self.looking.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        looking.into_iter().for_each(|looking| drop(looking.join()));
    }
}

/// Walks what git does not ignore, without Salve's own folder and git's.
pub(super) fn walk(workspace: &Path) -> ignore::Walk {
    ignore::WalkBuilder::new(workspace)
        .hidden(false)
        .ignore(false)
        .git_global(false)
        .require_git(false)
        .filter_entry(|entry| {
            let name = entry.file_name();
            name != ".git" && !(entry.depth() == 1 && name == ".salve")
        })
        .build()
}

fn look(workspace: &Path) -> Stamps {
    let mut stamps = Stamps::new();
    for entry in walk(workspace).flatten().take(MOST_ENTRIES) {
        if entry.file_type().is_none_or(|kind| kind.is_dir()) {
            continue;
        }
        let (Ok(path), Ok(found)) = (entry.path().strip_prefix(workspace), entry.metadata()) else {
            continue;
        };
        let stamp = Stamp {
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
            size: found.len(),
            inode: found.ino(),
        };
        stamps.insert(path.to_owned(), stamp);
    }
    stamps
}
