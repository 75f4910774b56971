//! A copy of the workspace, for machines and runs that an overlay cannot serve.
//!
//! In: the workspace, and the layers that lie over it. Out: a folder with everything that git does not
//! ignore, with times and modes kept, so that build tools see what changed and what did not; folders
//! of packages are shown read-only instead, and build output of old is left out unless copying it
//! costs nothing. Never hard links, never follows a link, never copies Salve's own folder or git's.

use super::contents::{Entry, entries};
use super::tree::walk;
use super::{ShadowError, system};
use crate::runner::remove_all;
use std::collections::HashSet;
use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// How much is copied at most.
const MOST_ENTRIES: usize = 400_000;
const MOST_BYTES: u64 = 8 << 30;

/// Folders that hold packages: read, and written by package managers alone.
const PACKAGES: &[&str] = &[
    "node_modules",
    ".venv",
    "venv",
    "vendor",
    "site-packages",
    "bower_components",
    "__pypackages__",
    "Pods",
    "deps",
];
/// Folders that tools write and can make again.
const OUTPUTS: &[&str] = &[
    "target",
    "build",
    "dist",
    "out",
    "_build",
    "coverage",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".gradle",
    ".next",
    ".tox",
    ".nox",
];

/// How folders of packages and of build output get into the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// They are copied like all others: a run needs to move or to write what is in them.
    Copied,
    /// Packages are mounted there in each run; output is left out.
    Mounted,
    /// A link leads to packages; output is left out.
    Linked,
}

/// A copy that was made.
#[derive(Debug, Default)]
pub(super) struct Copied {
    /// Folders of the workspace that it shows, relative to it.
    pub(super) shown: Vec<PathBuf>,
    /// Whether its files share their blocks with the originals.
    pub(super) is_reflink: bool,
}

/// Copies a workspace into a folder that is made.
pub(super) fn copy_workspace(
    workspace: &Path,
    into: &Path,
    shown: Shown,
) -> Result<Copied, ShadowError> {
    let mut copier = Copier::new(workspace, into)?;
    let mut kept: HashSet<PathBuf> = HashSet::new();
    let mut folders = vec![PathBuf::new()];
    for entry in walk(workspace).flatten().filter(|entry| entry.depth() > 0) {
        let Ok(path) = entry.path().strip_prefix(workspace) else { continue };
        if copier.entry(path)? == Kind::Folder {
            folders.push(path.to_owned());
        }
        kept.insert(path.to_owned());
    }
    let mut copied = Copied::default();
    for folder in &folders {
        for name in names_in(&workspace.join(folder)) {
            let path = folder.join(&name);
            if !kept.contains(&path) && name != ".git" && path != Path::new(".salve") {
                copier.ignored(&path, shown, &mut copied)?;
            }
        }
    }
    if shown != Shown::Linked && copier.place_for(Path::new(".git"))? {
        copied.shown.push(PathBuf::from(".git"));
    }
    copier.keep_times();
    copied.is_reflink = copier.reflinks == Some(true);
    Ok(copied)
}

/// Copies all of a copy, for a candidate that stands on it.
pub(super) fn copy_copy(from: &Path, into: &Path) -> Result<(), ShadowError> {
    let mut copier = Copier::new(from, into)?;
    copier.all_below(Path::new(""))?;
    copier.keep_times();
    Ok(())
}

/// Lays what an overlay's layer holds over a copy.
pub(super) fn lay_over(layer: &Path, copy: &Path) -> Result<(), ShadowError> {
    let mut copier = Copier { from: layer.to_owned(), ..Copier::into(copy) };
    for Entry { path, is_there } in entries(layer, |_| false) {
        let target = copy.join(&path);
        match target.symlink_metadata() {
            Ok(found) if found.is_dir() => remove_all(&target),
            // A file of the layer replaces it in a moment.
            Ok(_) if is_there => Ok(()),
            Ok(_) => rustix::fs::unlink(&target).map_err(io::Error::from),
            Err(_) => Ok(()),
        }
        .map_err(system(format!("remove `{}` from a copy", path.display())))?;
    }
    copier.all_below(Path::new(""))
}

#[derive(PartialEq, Eq)]
enum Kind {
    Folder,
    Other,
}

struct Copier {
    from: PathBuf,
    into: PathBuf,
    entries: usize,
    bytes: u64,
    /// Whether the file system shares blocks; unknown until it was tried.
    reflinks: Option<bool>,
    folders: Vec<(PathBuf, Metadata)>,
}

impl Copier {
    fn new(from: &Path, into: &Path) -> Result<Self, ShadowError> {
        std::fs::create_dir(into).map_err(system("make a folder for a copy"))?;
        Ok(Self { from: from.to_owned(), ..Self::into(into) })
    }

    fn into(into: &Path) -> Self {
        Self {
            from: PathBuf::new(),
            into: into.to_owned(),
            entries: MOST_ENTRIES,
            bytes: MOST_BYTES,
            reflinks: None,
            folders: Vec::new(),
        }
    }

    /// Copies one entry; of a folder, the folder alone.
    fn entry(&mut self, path: &Path) -> Result<Kind, ShadowError> {
        let failed = || system(format!("copy `{}`", path.display()));
        // What is gone meanwhile was not there.
        let Ok(found) = self.from.join(path).symlink_metadata() else { return Ok(Kind::Other) };
        let too_large = ShadowError::TooLarge { entries: MOST_ENTRIES, bytes: MOST_BYTES };
        let bytes = if found.is_file() { found.len() } else { 0 };
        match (self.entries.checked_sub(1), self.bytes.checked_sub(bytes)) {
            (Some(entries), Some(bytes)) => (self.entries, self.bytes) = (entries, bytes),
            _ => return Err(too_large),
        }
        if found.is_dir() {
            self.folder(path, found).map_err(failed())?;
            return Ok(Kind::Folder);
        }
        let (from, to) = (self.from.join(path), self.into.join(path));
        if found.is_symlink() {
            let target = std::fs::read_link(&from).map_err(failed())?;
            let _ = rustix::fs::unlink(&to);
            std::os::unix::fs::symlink(target, to).map_err(failed())?;
        } else if found.is_file() {
            match self.file(&from, &to, &found) {
                // What this user cannot read, its programs cannot read either.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
                done => done.map_err(failed())?,
            }
        }
        // Sockets, pipes and devices are nothing that is checked.
        Ok(Kind::Other)
    }

    fn folder(&mut self, path: &Path, found: Metadata) -> io::Result<()> {
        let to = self.into.join(path);
        if to.symlink_metadata().is_ok_and(|there| !there.is_dir()) {
            rustix::fs::unlink(&to)?;
        }
        match std::fs::create_dir(&to) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && to.is_dir() => {}
            made => made?,
        }
        std::fs::set_permissions(&to, Permissions::from_mode(found.mode() & 0o777 | 0o700))?;
        self.folders.push((to, found));
        Ok(())
    }

    fn file(&mut self, from: &Path, to: &Path, found: &Metadata) -> io::Result<()> {
        let mut source = File::open(from)?;
        let _ = rustix::fs::unlink(to);
        let mut target = File::create_new(to)?;
        let shares = self.reflinks != Some(false) && clone(&source, &target);
        self.reflinks = self.reflinks.or(Some(shares));
        if !shares {
            io::copy(&mut source, &mut target)?;
        }
        target.set_permissions(Permissions::from_mode(found.mode() & 0o777))?;
        target.set_modified(found.modified()?)
    }

    /// Decides about something that git ignores.
    fn ignored(&mut self, path: &Path, how: Shown, into: &mut Copied) -> Result<(), ShadowError> {
        let from = self.from.join(path);
        let Ok(found) = from.symlink_metadata() else { return Ok(()) };
        let name = path.file_name().unwrap_or_default();
        let is_one_of = |names: &[&str]| names.iter().any(|other| name == *other);
        if !found.is_dir() {
            return self.entry(path).map(drop);
        }
        if is_one_of(PACKAGES) && how != Shown::Copied {
            if how == Shown::Linked {
                let linked = std::os::unix::fs::symlink(&from, self.into.join(path));
                linked.map_err(system(format!("link `{}`", path.display())))?;
            } else {
                self.place_for(path)?;
            }
            into.shown.push(path.to_owned());
            return Ok(());
        }
        if is_one_of(OUTPUTS) && how != Shown::Copied && self.reflinks != Some(true) {
            return Ok(());
        }
        self.entry(path)?;
        self.all_below(path)
    }

    /// Makes what something of the workspace can be mounted on; returns whether there is anything.
    fn place_for(&mut self, path: &Path) -> Result<bool, ShadowError> {
        let failed = || system(format!("make a place for `{}`", path.display()));
        let Ok(found) = self.from.join(path).symlink_metadata() else { return Ok(false) };
        let to = self.into.join(path);
        if found.is_dir() {
            std::fs::create_dir(&to).map_err(failed())?;
        } else if found.is_file() {
            File::create_new(&to).map_err(failed())?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn all_below(&mut self, folder: &Path) -> Result<(), ShadowError> {
        let mut open = vec![folder.to_owned()];
        while let Some(folder) = open.pop() {
            for name in names_in(&self.from.join(&folder)) {
                let path = folder.join(name);
                if self.entry(&path)? == Kind::Folder {
                    open.push(path);
                }
            }
        }
        Ok(())
    }

    fn keep_times(&mut self) {
        for (folder, found) in self.folders.drain(..).rev() {
            // Times of folders matter to few tools, and to none so much that it should fail.
            let opened = File::open(folder);
            let _ = opened.and_then(|folder| folder.set_modified(found.modified()?));
        }
    }
}

fn names_in(folder: &Path) -> Vec<std::ffi::OsString> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).collect()
}

#[cfg(target_os = "linux")]
fn clone(source: &File, target: &File) -> bool {
    rustix::fs::ioctl_ficlone(target, source).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn clone(_: &File, _: &File) -> bool {
    false
}
