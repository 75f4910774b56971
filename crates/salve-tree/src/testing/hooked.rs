//! A disk that asks a test before every step.
//!
//! In: a function. Out: the steps of the real disk, unless the function refuses one. Never: a step
//! that the function was not asked about.

use crate::FileState;
use crate::disk::{At, Disk, RealDisk, RenameHow, Seen};
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

type Hook = dyn Fn(&'static str) -> io::Result<()> + Send + Sync;

/// A disk that asks a test before every step.
pub(crate) struct Hooked(Box<Hook>);

/// Looks, which change nothing.
const LOOKS: &[&str] = &["open_root", "open_dir", "read", "look", "list", "mount", "try_lock"];

impl Hooked {
    pub(crate) fn new(
        hook: impl Fn(&'static str) -> io::Result<()> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self(Box::new(hook)))
    }

    /// From the `dying`-th change on, every step fails, as for a process that is gone.
    pub(crate) fn dying(dying: usize) -> Arc<Self> {
        let steps = AtomicUsize::new(0);
        Self::new(move |name| {
            let step = match LOOKS.contains(&name) {
                true => steps.load(Ordering::Relaxed),
                false => steps.fetch_add(1, Ordering::Relaxed) + 1,
            };
            if step >= dying { Err(io::Error::other("gone")) } else { Ok(()) }
        })
    }

    /// The `failing`-th step of any kind, and it alone, fails.
    pub(crate) fn failing(failing: usize) -> Arc<Self> {
        let steps = AtomicUsize::new(0);
        Self::new(move |_| match steps.fetch_add(1, Ordering::Relaxed) + 1 == failing {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => Ok(()),
        })
    }

    fn ask(&self, name: &'static str) -> io::Result<RealDisk> {
        (self.0)(name).map(|()| RealDisk)
    }
}

impl fmt::Debug for Hooked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Hooked")
    }
}

impl Disk for Hooked {
    fn open_root(&self, path: &Path) -> io::Result<OwnedFd> {
        self.ask("open_root")?.open_root(path)
    }
    fn open_dir(&self, dir: BorrowedFd<'_>, path: &str) -> io::Result<Option<OwnedFd>> {
        self.ask("open_dir")?.open_dir(dir, path)
    }
    fn read(&self, at: At<'_>) -> io::Result<Option<FileState>> {
        self.ask("read")?.read(at)
    }
    fn look(&self, at: At<'_>) -> io::Result<Seen> {
        self.ask("look")?.look(at)
    }
    fn list(&self, dir: BorrowedFd<'_>) -> io::Result<Vec<(String, u64)>> {
        self.ask("list")?.list(dir)
    }
    fn mount(&self, dir: BorrowedFd<'_>) -> io::Result<u64> {
        self.ask("mount")?.mount(dir)
    }
    fn try_lock(&self, file: &File) -> io::Result<bool> {
        self.ask("try_lock")?.try_lock(file)
    }
    fn create(&self, at: At<'_>, mode: u32) -> io::Result<File> {
        self.ask("create")?.create(at, mode)
    }
    fn open_append(&self, at: At<'_>) -> io::Result<File> {
        self.ask("open_append")?.open_append(at)
    }
    /// Writes little at a time, so that a file can be left half written.
    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<usize> {
        let half = bytes.get(..bytes.len().div_ceil(2).max(40)).unwrap_or(bytes);
        self.ask("write")?.write(file, half)
    }
    fn truncate(&self, file: &File, len: u64) -> io::Result<()> {
        self.ask("truncate")?.truncate(file, len)
    }
    fn dress(&self, file: &File, mode: u32, like: Option<At<'_>>) -> io::Result<()> {
        self.ask("dress")?.dress(file, mode, like)
    }
    fn rename(&self, from: At<'_>, to: At<'_>, how: RenameHow) -> io::Result<()> {
        self.ask("rename")?.rename(from, to, how)
    }
    fn unlink(&self, at: At<'_>) -> io::Result<()> {
        self.ask("unlink")?.unlink(at)
    }
    fn make_dir(&self, at: At<'_>, mode: u32) -> io::Result<()> {
        self.ask("make_dir")?.make_dir(at, mode)
    }
    fn remove_dir(&self, at: At<'_>) -> io::Result<()> {
        self.ask("remove_dir")?.remove_dir(at)
    }
    fn sync(&self, what: &[BorrowedFd<'_>]) -> io::Result<()> {
        self.ask("sync")?.sync(what)
    }
}
