//! A disk on which things go wrong.
//!
//! In: a disk and the faults to come. Out: the same disk, whose steps are counted and on which the
//! faults happen at their steps. Never unwinds: a process that shall end is ended by the system,
//! as it would be from outside.

use super::fault::{Deed, Fault, Planned, USER_BYTES};
use rustix::io::Errno;
use salve_tree::{At, Disk, FileState, RenameHow, Seen};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What a step of a transaction is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// The call.
    pub(crate) call: &'static str,
    /// The name it is about, where it has one.
    pub(crate) name: String,
}

/// A disk on which things go wrong.
#[derive(Debug)]
pub(crate) struct FaultyDisk {
    inner: Box<dyn Disk>,
    root: PathBuf,
    faults: Vec<Planned>,
    steps: Mutex<Vec<Step>>,
}

/// The calls that change nothing; a process that ends before one of them has ended after the last
/// change, which is a point of its own.
const LOOKS: &[&str] = &["open_dir", "read", "look", "list", "mount"];

impl Step {
    /// Returns whether the step changes the disk.
    pub(crate) fn changes(call: &str) -> bool {
        !LOOKS.contains(&call)
    }
}

impl FaultyDisk {
    /// Puts faults on a disk; `root` is where the user works meanwhile.
    pub(crate) fn new(inner: Box<dyn Disk>, root: &Path, faults: Vec<Planned>) -> Self {
        Self { inner, root: root.to_owned(), faults, steps: Mutex::new(Vec::new()) }
    }

    /// Returns the steps so far.
    pub(crate) fn steps(&self) -> Vec<Step> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts a step and lets its faults happen; returns how much of a write is allowed.
    fn step(&self, call: &'static str, name: &str) -> io::Result<Allowed> {
        let now = {
            let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
            steps.push(Step { call, name: name.to_owned() });
            steps.len()
        };
        let mut allowed = Allowed::All;
        for planned in &self.faults {
            let is_full = planned.fault == Fault::Full && now >= planned.at;
            if planned.at != now && !is_full {
                continue;
            }
            match &planned.fault {
                Fault::Kill => end(),
                Fault::Torn(eighths) if call == "write" => allowed = Allowed::ThenEnd(*eighths),
                Fault::Torn(_) => end(),
                Fault::Refuse(errno) => return Err((*errno).into()),
                Fault::Full if matches!(call, "create" | "write" | "make_dir") => {
                    return Err(Errno::NOSPC.into());
                }
                Fault::Full => {}
                Fault::Short => allowed = Allowed::Half,
                Fault::Hold => hold(),
                Fault::Meanwhile(deed, path) => meanwhile(*deed, &self.root.join(path)),
            }
        }
        Ok(allowed)
    }
}

/// How much of a write is allowed.
enum Allowed {
    All,
    Half,
    /// How many eighths, and then the end.
    ThenEnd(usize),
}

/// Ends this process as `kill -9` does.
fn end() -> ! {
    let own = rustix::process::getpid();
    let _ = rustix::process::kill_process(own, rustix::process::Signal::KILL);
    std::process::abort()
}

/// Tells the parent that the step is reached and waits for the end; should the parent be gone, the
/// process ends all the same.
fn hold() -> ! {
    println!("held");
    let _ = io::stdout().flush();
    let _ = io::stdin().read_line(&mut String::new());
    end()
}

fn meanwhile(deed: Deed, path: &Path) {
    let done = match deed {
        Deed::InPlace => std::fs::write(path, USER_BYTES),
        Deed::Replace => {
            // The editor's own temporary file is outside the tree that is compared.
            let beside = path.with_extension("users-editor");
            std::fs::write(&beside, USER_BYTES).and_then(|()| std::fs::rename(&beside, path))
        }
        Deed::Remove => std::fs::remove_file(path),
    };
    match done {
        Ok(()) => println!("meanwhile done"),
        Err(error) => println!("meanwhile failed {error}"),
    }
}

impl Disk for FaultyDisk {
    fn open_root(&self, path: &Path) -> io::Result<OwnedFd> {
        self.inner.open_root(path)
    }

    fn open_dir(&self, dir: BorrowedFd<'_>, path: &str) -> io::Result<Option<OwnedFd>> {
        self.step("open_dir", path)?;
        self.inner.open_dir(dir, path)
    }

    fn read(&self, at: At<'_>) -> io::Result<Option<FileState>> {
        self.step("read", at.name)?;
        self.inner.read(at)
    }

    fn look(&self, at: At<'_>) -> io::Result<Seen> {
        self.step("look", at.name)?;
        self.inner.look(at)
    }

    fn list(&self, dir: BorrowedFd<'_>) -> io::Result<Vec<(String, u64)>> {
        self.step("list", "")?;
        self.inner.list(dir)
    }

    fn mount(&self, dir: BorrowedFd<'_>) -> io::Result<u64> {
        self.step("mount", "")?;
        self.inner.mount(dir)
    }

    fn try_lock(&self, file: &File) -> io::Result<bool> {
        self.step("try_lock", "")?;
        self.inner.try_lock(file)
    }

    fn create(&self, at: At<'_>, mode: u32) -> io::Result<File> {
        self.step("create", at.name)?;
        self.inner.create(at, mode)
    }

    fn open_append(&self, at: At<'_>) -> io::Result<File> {
        self.step("open_append", at.name)?;
        self.inner.open_append(at)
    }

    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<usize> {
        let some = |eighths: usize| {
            let count = (bytes.len() * eighths).div_ceil(8);
            bytes.get(..count).unwrap_or(bytes)
        };
        match self.step("write", "")? {
            Allowed::All => self.inner.write(file, bytes),
            Allowed::Half => self.inner.write(file, some(4)),
            Allowed::ThenEnd(eighths) => {
                let _ = self.inner.write(file, some(eighths));
                end()
            }
        }
    }

    fn truncate(&self, file: &File, len: u64) -> io::Result<()> {
        self.step("truncate", "")?;
        self.inner.truncate(file, len)
    }

    fn dress(&self, file: &File, mode: u32, like: Option<At<'_>>) -> io::Result<()> {
        self.step("dress", like.map_or("", |at| at.name))?;
        self.inner.dress(file, mode, like)
    }

    fn rename(&self, from: At<'_>, to: At<'_>, how: RenameHow) -> io::Result<()> {
        self.step("rename", to.name)?;
        self.inner.rename(from, to, how)
    }

    fn unlink(&self, at: At<'_>) -> io::Result<()> {
        self.step("unlink", at.name)?;
        self.inner.unlink(at)
    }

    fn make_dir(&self, at: At<'_>, mode: u32) -> io::Result<()> {
        self.step("make_dir", at.name)?;
        self.inner.make_dir(at, mode)
    }

    fn remove_dir(&self, at: At<'_>) -> io::Result<()> {
        self.step("remove_dir", at.name)?;
        self.inner.remove_dir(at)
    }

    fn sync(&self, what: &[BorrowedFd<'_>]) -> io::Result<()> {
        self.step("sync", "")?;
        self.inner.sync(what)
    }
}
