//! Protected paths that do not exist: an empty folder stands in for each while a run lasts.
//!
//! In: paths such as `.git` that a program must not create. Out: for each that is missing, an empty
//! folder that no user can write to, which the view then mounts read-only over itself. Never removes
//! a folder that holds anything, and never one that another run still relies on.
//!
//! Mounts need something to be mounted on, and neither Landlock nor seccomp can forbid one name in
//! a folder that is otherwise writable. To look after the run whether `.git` has appeared would be
//! too late: an editor beside it would already have asked git, and git runs what its configuration
//! says. An empty folder means nothing to git. Every run that relies on a placeholder holds a shared
//! lock on it; only who gets the exclusive lock may remove it, because the kernel takes away the
//! mounts of a folder that is removed. Placeholders of a run that was killed are known by their mode
//! and removed by the next.

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// No other folder is made like this: not even its owner can write to it.
const MODE: u32 = 0o500;
/// How often a placeholder may be removed by another run while this one takes its lock.
const TRIES: usize = 16;
/// How often, a millisecond apart, it is looked whether a run has let go of its placeholder.
const LOOKS: usize = 300;

/// The placeholders of one run; they last as long as this value and are removed with it.
#[derive(Debug, Default)]
#[must_use = "placeholders are removed when this is dropped"]
pub(crate) struct Placeholders {
    held: Vec<(PathBuf, OwnedFd)>,
}

impl Placeholders {
    /// Makes or joins a placeholder for each path that is missing.
    pub(super) fn stand_in_for(paths: &[PathBuf]) -> std::io::Result<Self> {
        let mut held = Vec::new();
        for path in paths {
            if let Some(lock) = stand_in(path)? {
                held.push((path.clone(), lock));
            }
        }
        Ok(Self { held })
    }
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        for (path, lock) in self.held.drain(..) {
            let _ = remove(&path, &lock);
        }
    }
}

/// Removes placeholders of a run that has ended or was killed, unless another run relies on them.
///
/// The launcher of the run holds its lock until the kernel has taken its namespaces apart, some
/// milliseconds after its programs have ended; that is waited for, so that nothing is seen after it.
pub(crate) fn remove_placeholders(paths: &[PathBuf]) {
    let is_left = |path: &PathBuf| match open_placeholder(path) {
        Ok(Some(lock)) => !remove(path, &lock),
        _ => false,
    };
    let mut left: Vec<&PathBuf> = paths.iter().filter(|path| is_left(path)).collect();
    for _ in 0..LOOKS {
        if left.is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
        left.retain(|path| is_left(path));
    }
}

fn stand_in(path: &Path) -> std::io::Result<Option<OwnedFd>> {
    for _ in 0..TRIES {
        match rustix::fs::mkdir(path, Mode::from_raw_mode(MODE)) {
            Ok(()) | Err(Errno::EXIST) => {}
            // Who cannot create it here cannot create it in the sandbox either.
            Err(Errno::ACCESS | Errno::ROFS | Errno::PERM | Errno::NOENT | Errno::NOTDIR) => {
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        }
        let Some(lock) = open_placeholder(path)? else {
            if path.symlink_metadata().is_ok() {
                return Ok(None);
            }
            continue;
        };
        rustix::fs::flock(&lock, FlockOperation::LockShared)?;
        if is_still_at(path, &lock) {
            return Ok(Some(lock));
        }
    }
    Err(std::io::Error::other(format!("`{}` appears and vanishes", path.display())))
}

/// Opens the folder if it is one of ours: empty, of our mode and our user.
fn open_placeholder(path: &Path) -> std::io::Result<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(folder) = rustix::fs::open(path, flags, Mode::empty()) else { return Ok(None) };
    let status = rustix::fs::fstat(&folder)?;
    let ours = Mode::from_raw_mode(status.st_mode) == Mode::from_raw_mode(MODE)
        && status.st_uid == rustix::process::geteuid().as_raw()
        && is_empty(path);
    Ok(ours.then_some(folder))
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

fn is_still_at(path: &Path, folder: &OwnedFd) -> bool {
    match (rustix::fs::lstat(path), rustix::fs::fstat(folder)) {
        (Ok(there), Ok(held)) => (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino),
        _ => false,
    }
}

/// Returns whether nothing else relies on it; then it is gone, or no placeholder any more.
fn remove(path: &Path, lock: &OwnedFd) -> bool {
    let alone = rustix::fs::flock(lock, FlockOperation::NonBlockingLockExclusive).is_ok();
    if alone && is_still_at(path, lock) {
        // Fails for a folder that is not empty, which is then no placeholder any more.
        let _ = std::fs::remove_dir(path);
    }
    alone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_lasts_as_long_as_the_last_run_that_relies_on_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".git");
        let first = Placeholders::stand_in_for(std::slice::from_ref(&path)).unwrap();
        let second = Placeholders::stand_in_for(std::slice::from_ref(&path)).unwrap();
        drop(first);
        assert!(path.is_dir());
        drop(second);
        assert!(!path.exists());
    }

    #[test]
    fn what_exists_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".git");
        std::fs::create_dir(&path).unwrap();
        drop(Placeholders::stand_in_for(std::slice::from_ref(&path)).unwrap());
        remove_placeholders(std::slice::from_ref(&path));
        assert!(path.is_dir());
    }

    #[test]
    fn what_a_killed_run_left_is_removed_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".git");
        std::mem::forget(Placeholders::stand_in_for(std::slice::from_ref(&path)).unwrap());
        // The lock of the forgotten run is held by this very process, so it still counts.
        remove_placeholders(std::slice::from_ref(&path));
        assert!(path.is_dir());
        let other = folder.path().join(".salve");
        rustix::fs::mkdir(&other, Mode::from_raw_mode(MODE)).unwrap();
        remove_placeholders(std::slice::from_ref(&other));
        assert!(!other.exists());
    }
}
