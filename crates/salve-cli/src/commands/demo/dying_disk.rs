//! A disk on which the process is killed half-way.
//!
//! In: how many files may be swapped in. Out: the real disk until then, and SIGKILL at the next
//! one. Never used outside the demo: it is how a crash is shown without waiting for one.

use salve_tree::{At, Disk, FileState, RealDisk, RenameHow, Seen};
use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The real disk with a bound on the files that are swapped in.
#[derive(Debug)]
pub(super) struct DyingDisk {
    swaps_left: AtomicUsize,
}

impl DyingDisk {
    /// Lets so many files be swapped in before the process is killed.
    pub(super) fn after_swaps(count: usize) -> Self {
        Self { swaps_left: AtomicUsize::new(count) }
    }
}

/// Ends this process as `kill -9` does: nothing unwinds, nothing is cleaned up.
fn die() {
    let own = rustix::process::getpid();
    let _ = rustix::process::kill_process(own, rustix::process::Signal::KILL);
}

impl Disk for DyingDisk {
    fn rename(&self, from: At<'_>, to: At<'_>, how: RenameHow) -> io::Result<()> {
        if how == RenameHow::Exchange {
            let spent = self
                .swaps_left
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            if spent.is_err() {
                die();
            }
        }
        RealDisk.rename(from, to, how)
    }

    fn open_root(&self, path: &Path) -> io::Result<OwnedFd> {
        RealDisk.open_root(path)
    }

    fn open_dir(&self, dir: BorrowedFd<'_>, path: &str) -> io::Result<Option<OwnedFd>> {
        RealDisk.open_dir(dir, path)
    }

    fn read(&self, at: At<'_>) -> io::Result<Option<FileState>> {
        RealDisk.read(at)
    }

    fn look(&self, at: At<'_>) -> io::Result<Seen> {
        RealDisk.look(at)
    }

    fn list(&self, dir: BorrowedFd<'_>) -> io::Result<Vec<(String, u64)>> {
        RealDisk.list(dir)
    }

    fn mount(&self, dir: BorrowedFd<'_>) -> io::Result<u64> {
        RealDisk.mount(dir)
    }

    fn try_lock(&self, file: &File) -> io::Result<bool> {
        RealDisk.try_lock(file)
    }

    fn create(&self, at: At<'_>, mode: u32) -> io::Result<File> {
        RealDisk.create(at, mode)
    }

    fn open_append(&self, at: At<'_>) -> io::Result<File> {
        RealDisk.open_append(at)
    }

    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<usize> {
        RealDisk.write(file, bytes)
    }

    fn truncate(&self, file: &File, len: u64) -> io::Result<()> {
        RealDisk.truncate(file, len)
    }

    fn dress(&self, file: &File, mode: u32, like: Option<At<'_>>) -> io::Result<()> {
        RealDisk.dress(file, mode, like)
    }

    fn unlink(&self, at: At<'_>) -> io::Result<()> {
        RealDisk.unlink(at)
    }

    fn make_dir(&self, at: At<'_>, mode: u32) -> io::Result<()> {
        RealDisk.make_dir(at, mode)
    }

    fn remove_dir(&self, at: At<'_>) -> io::Result<()> {
        RealDisk.remove_dir(at)
    }

    fn sync(&self, what: &[BorrowedFd<'_>]) -> io::Result<()> {
        RealDisk.sync(what)
    }
}
