//! The private folder of a shadow.
//!
//! In: a folder for all shadows. Out: one of this shadow's own, locked while it lives and removed with
//! it; what killed processes left is removed too. Never touches a folder that another process holds.

use super::{ShadowError, system};
use crate::runner::remove_all;
use rustix::fs::{FlockOperation, Mode};
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const START: &str = "shadow-";
const LOCK: &str = "lock";
/// How many names are tried before something else is wrong.
const NAMES_TRIED: u32 = 10_000;

/// A folder that is removed when dropped.
#[derive(Debug)]
pub(super) struct PrivateFolder {
    path: PathBuf,
    lock: File,
}

impl PrivateFolder {
    /// Makes one in a folder, which is made if need be.
    pub(super) fn create(parent: &Path, workspace: &Path) -> Result<Self, ShadowError> {
        let failed = |error| system(format!("use the folder `{}`", parent.display()))(error);
        std::fs::create_dir_all(parent).map_err(failed)?;
        let parent = parent.canonicalize().map_err(failed)?;
        if parent.starts_with(workspace) {
            return Err(ShadowError::PrivateInside(parent));
        }
        sweep(&parent);
        Self::make(&parent).map_err(failed)
    }

    fn make(parent: &Path) -> io::Result<Self> {
        let process = std::process::id();
        for number in 0..NAMES_TRIED {
            let path = parent.join(format!("{START}{process:x}-{number:x}"));
            match rustix::fs::mkdir(&path, Mode::RWXU) {
                Ok(()) => {}
                Err(rustix::io::Errno::EXIST) => continue,
                Err(error) => return Err(error.into()),
            }
            let lock = File::create_new(path.join(LOCK))?;
            rustix::fs::flock(&lock, FlockOperation::LockExclusive)?;
            // Another process may have taken it for one that was left, before the lock.
            if is_still_at(&path.join(LOCK), &lock) {
                return Ok(Self { path, lock });
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns when it was made, as the file system counts: seconds and nanoseconds.
    pub(super) fn made_at(&self) -> Result<(i64, i64), ShadowError> {
        let found = self.lock.metadata().map_err(system("look at the folder for shadows"))?;
        Ok((found.mtime(), found.mtime_nsec()))
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next shadow.
        let _ = remove_all(&self.path);
    }
}

fn is_still_at(path: &Path, lock: &File) -> bool {
    match (path.symlink_metadata(), lock.metadata()) {
        (Ok(there), Ok(ours)) => (there.dev(), there.ino()) == (ours.dev(), ours.ino()),
        _ => false,
    }
}

/// Removes what killed processes left.
fn sweep(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_one = entry.file_name().to_str().is_some_and(|name| name.starts_with(START));
        let Ok(lock) = File::open(entry.path().join(LOCK)) else { continue };
        let free = rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok();
        if is_one && free {
            let _ = remove_all(&entry.path());
        }
    }
}
