//! Whether the user's tree is still what it was when the shadow was opened.
//!
//! In: the workspace, and the moment of opening. Out: the files that were written, made or removed
//! since, of what git does not ignore, and a name for the tree as it was. Compares what the file system
//! knows of a file; the bytes are read only of a file that was written, and only where the tree is small
//! enough to have been read before. Never holds up the opening: the first look at a large tree is taken
//! beside the first run.

use super::{ShadowError, system};
use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// How many entries are looked at.
const MOST_ENTRIES: usize = 1_000_000;
/// A tree of more files or bytes than these is not read: a file of it that was written counts as changed.
const MOST_READ: (usize, u64) = (20_000, 64 << 20);

/// What the file system knows of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: (i64, i64),
    changed: (i64, i64),
    size: u64,
    inode: u64,
}

impl Stamp {
    fn of(found: &Metadata) -> Self {
        Self {
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
            size: found.len(),
            inode: found.ino(),
        }
    }

    fn at(path: &Path) -> Option<Self> {
        Some(Self::of(&path.symlink_metadata().ok()?))
    }
}

type Stamps = HashMap<PathBuf, Stamp>;

/// One look at a tree.
#[derive(Debug, Default)]
struct Look {
    files: Stamps,
    /// Their folders: as long as one is the same, so are the names in it.
    folders: Stamps,
    /// The hashes of what is in the files, where they were read.
    contents: HashMap<PathBuf, blake3::Hash>,
}

/// The tree as it was.
#[derive(Debug)]
pub(super) struct TreeWatch {
    workspace: PathBuf,
    /// When the shadow was opened.
    since: (i64, i64),
    then: OnceLock<Look>,
    name: OnceLock<String>,
    looking: Mutex<Option<JoinHandle<Look>>>,
}

impl TreeWatch {
    /// Begins to look at the tree.
    pub(super) fn start(workspace: &Path, since: (i64, i64)) -> Result<Self, ShadowError> {
        let folder = workspace.to_owned();
        let thread = std::thread::Builder::new().name("tree".to_owned());
        let looking = thread.spawn(move || Look::at(&folder).read(&folder));
        let looking = looking.map_err(system("look at the workspace"))?;
        Ok(Self {
            workspace: workspace.to_owned(),
            since,
            then: OnceLock::new(),
            name: OnceLock::new(),
            looking: Mutex::new(Some(looking)),
        })
    }

    /// Lists what differs now, sorted.
    pub(super) fn changes(&self) -> Result<Vec<String>, ShadowError> {
        std::fs::read_dir(&self.workspace).map_err(system("read the workspace"))?;
        let then = self.then()?;
        let now = self.now(then);
        let differs = now.iter().filter(|(path, stamp)| !self.is_same(then, path, stamp));
        let removed = then.files.keys().filter(|path| !now.contains_key(*path));
        let mut paths: Vec<String> = differs
            .map(|(path, _)| path)
            .chain(removed)
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        paths.sort_unstable();
        Ok(paths)
    }

    /// Returns a name of the tree as it was: the same name is the same tree. One that was written while
    /// it was looked at has a name of its own.
    pub(super) fn name(&self) -> Result<String, ShadowError> {
        if let Some(known) = self.name.get() {
            return Ok(known.clone());
        }
        let then = self.then()?;
        let mut files: Vec<(&PathBuf, &Stamp)> = then.files.iter().collect();
        files.sort_unstable_by_key(|(path, _)| *path);
        let mut hasher = blake3::Hasher::new();
        for (path, stamp) in files {
            let name = path.as_os_str().as_encoded_bytes();
            hasher.update(&u64::try_from(name.len()).unwrap_or(u64::MAX).to_le_bytes());
            hasher.update(name);
            let late = stamp.changed > self.since;
            let times = [stamp.modified, stamp.changed, if late { self.since } else { (0, 0) }];
            for number in times.into_iter().flat_map(|(seconds, rest)| [seconds, rest]) {
                hasher.update(&number.to_le_bytes());
            }
            hasher.update(&stamp.size.to_le_bytes());
            hasher.update(&stamp.inode.to_le_bytes());
        }
        Ok(self.name.get_or_init(|| hasher.finalize().to_hex().to_string()).clone())
    }

    // Where the first look was late, the time of the last change tells: no program can set it.
    fn is_same(&self, then: &Look, path: &Path, now: &Stamp) -> bool {
        let Some(before) = then.files.get(path).filter(|before| before.changed <= self.since)
        else {
            return false;
        };
        if before == now {
            return true;
        }
        let content = then.contents.get(path).filter(|_| before.size == now.size);
        content.is_some_and(|content| hash_of(&self.workspace.join(path)) == Some(*content))
    }

    // Names can only have come or gone where a folder is another one; else the files known are looked at.
    fn now(&self, then: &Look) -> Stamps {
        let root = &self.workspace;
        let same = |(path, before): (&PathBuf, &Stamp)| {
            before.changed <= self.since && Stamp::at(&root.join(path)).as_ref() == Some(before)
        };
        let rules = then.files.iter().filter(|(path, _)| path.ends_with(".gitignore"));
        if !then.folders.iter().all(same) || !rules.into_iter().all(same) {
            return Look::at(root).files;
        }
        let files = then.files.keys();
        files.filter_map(|path| Some((path.clone(), Stamp::at(&root.join(path))?))).collect()
    }

    fn then(&self) -> Result<&Look, ShadowError> {
        let looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(looking) = looking {
            let seen = looking.join().map_err(|_| std::io::Error::other("the look was ended"));
            let seen = seen.map_err(system("look at the workspace"))?;
            let _ = self.then.set(seen);
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

impl Look {
    fn at(workspace: &Path) -> Self {
        let mut look = Self::default();
        for entry in walk(workspace).flatten().take(MOST_ENTRIES) {
            let (Ok(path), Ok(found)) = (entry.path().strip_prefix(workspace), entry.metadata())
            else {
                continue;
            };
            let stamps = if found.is_dir() { &mut look.folders } else { &mut look.files };
            stamps.insert(path.to_owned(), Stamp::of(&found));
        }
        look
    }

    // What is in the files, so that one which was only touched is known again.
    fn read(mut self, workspace: &Path) -> Self {
        let bytes: u64 = self.files.values().map(|stamp| stamp.size).sum();
        if self.files.len() > MOST_READ.0 || bytes > MOST_READ.1 {
            return self;
        }
        for (path, stamp) in &self.files {
            let file = workspace.join(path);
            // One that was written meanwhile is not what the stamp is of.
            if let (Some(hash), Some(true)) =
                (hash_of(&file), Stamp::at(&file).map(|now| now == *stamp))
            {
                self.contents.insert(path.clone(), hash);
            }
        }
        self
    }
}

fn hash_of(file: &Path) -> Option<blake3::Hash> {
    if !file.symlink_metadata().ok()?.is_file() {
        return None;
    }
    Some(blake3::hash(&std::fs::read(file).ok()?))
}
