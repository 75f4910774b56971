//! A folder that Salve works in, and its own state inside it.
//!
//! In: the path of a folder. Out: an open root and, once something is written, `.salve` with its
//! lock. Never: a `.salve` made for the sake of reading; a lock taken for the sake of reading.

mod error;

use crate::blobs::Blobs;
use crate::disk::{At, Disk, RealDisk, ensure_dir, write_all};
use crate::path::Root;
use crate::recover::{Recovery, recover};
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use error::TreeError;

/// The name of Salve's own folder.
pub(crate) const STATE: &str = ".salve";

/// How a workspace is used.
#[derive(Debug, Clone)]
pub struct WorkspaceOptions {
    /// The disk; tests put one in that fails.
    pub disk: Arc<dyn Disk>,
    /// What survives a power loss.
    pub durability: FileSync,
    /// How long to wait for another writer.
    pub wait: Duration,
    /// Who writes, in words that tell another writer whom to wait for.
    pub holder: String,
    /// How many bytes of contents the history keeps.
    pub history_cap: u64,
}

/// What survives a power loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileSync {
    /// Every applied change does.
    #[default]
    Full,
    /// Nothing is promised. The end of the process at any instant is survived anyway,
    /// because the system keeps what it was given. Meant for folders that do not outlive the
    /// machine, such as shadow copies and tests.
    None,
}

/// A folder that Salve works in.
#[derive(Debug)]
pub struct Workspace {
    path: PathBuf,
    root: OwnedFd,
    options: WorkspaceOptions,
}

/// Salve's own folder, open and locked for writing until it is dropped.
pub(crate) struct State<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) disk: &'a dyn Disk,
    pub(crate) dir: OwnedFd,
    pub(crate) journal: OwnedFd,
    pub(crate) temps: OwnedFd,
    pub(crate) history: OwnedFd,
    pub(crate) blobs: Blobs<'a>,
    _lock: File,
}

impl Default for WorkspaceOptions {
    fn default() -> Self {
        Self {
            disk: Arc::new(RealDisk),
            durability: FileSync::Full,
            wait: Duration::from_secs(10),
            holder: "salve".to_owned(),
            history_cap: 512 * 1024 * 1024,
        }
    }
}

impl Workspace {
    /// Opens a folder and brings it to rest if a transaction was interrupted there.
    pub fn open(path: &Path, options: WorkspaceOptions) -> Result<(Self, Recovery), TreeError> {
        let root = options
            .disk
            .open_root(path)
            .map_err(|e| TreeError::io(path.display().to_string(), e))?;
        let workspace = Self { path: path.to_owned(), root, options };
        let recovery = recover(&workspace)?;
        Ok((workspace, recovery))
    }

    /// Opens the folder for path checks.
    ///
    /// # Errors
    /// When it is not there any more.
    pub fn open_root(&self) -> Result<Root, TreeError> {
        Root::open(&self.path).map_err(|e| TreeError::io(self.path.display().to_string(), e))
    }

    /// Returns the path it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the options it was opened with.
    pub fn options(&self) -> &WorkspaceOptions {
        &self.options
    }

    pub(crate) fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    pub(crate) fn disk(&self) -> &dyn Disk {
        &*self.options.disk
    }

    /// Makes files and directories survive a power loss, if that is asked for.
    pub(crate) fn sync(&self, what: &[BorrowedFd<'_>]) -> io::Result<()> {
        match self.options.durability {
            FileSync::Full => self.disk().sync(what),
            FileSync::None => Ok(()),
        }
    }

    /// Opens a folder of Salve's own for reading; `None` when there is none yet.
    pub(crate) fn state_dir(&self, name: &str) -> Result<Option<OwnedFd>, TreeError> {
        let path = if name.is_empty() { STATE.to_owned() } else { format!("{STATE}/{name}") };
        self.disk().open_dir(self.root(), &path).map_err(|e| TreeError::io(path, e))
    }

    /// Opens the kept contents for reading; `None` when there are none yet.
    pub(crate) fn blobs(&self) -> Result<Option<Blobs<'_>>, TreeError> {
        Ok(self.state_dir("blobs")?.map(|dir| Blobs::new(self.disk(), dir)))
    }

    /// Makes `.salve` where it is missing and takes its lock, waiting as long as the options say.
    pub(crate) fn lock(&self) -> Result<State<'_>, TreeError> {
        self.lock_within(self.options.wait)?.map_err(|holder| TreeError::Locked { holder })
    }

    /// The same for at most `wait`; the inner error names who has the lock.
    pub(crate) fn lock_within(
        &self,
        wait: Duration,
    ) -> Result<Result<State<'_>, String>, TreeError> {
        let disk = self.disk();
        let fault = |error| TreeError::io(STATE, error);
        let dir = ensure_dir(disk, self.root(), STATE).map_err(fault)?;
        let lock = disk.open_append(At { dir: dir.as_fd(), name: "lock" }).map_err(fault)?;
        let step = Duration::from_millis(5);
        let mut waited = Duration::ZERO;
        while !disk.try_lock(&lock).map_err(fault)? {
            if waited >= wait {
                return Ok(Err(holder_in(&lock)));
            }
            std::thread::sleep(step);
            waited += step;
        }
        self.open_state(dir, lock).map(Ok).map_err(fault)
    }

    fn open_state(&self, dir: OwnedFd, lock: File) -> io::Result<State<'_>> {
        let disk = self.disk();
        disk.truncate(&lock, 0)?;
        write_all(disk, &lock, self.options.holder.as_bytes())?;
        ignore_in_git(disk, dir.as_fd())?;
        let open = |name| ensure_dir(disk, dir.as_fd(), name);
        Ok(State {
            journal: open("journal")?,
            temps: open("tmp")?,
            history: open("history")?,
            blobs: Blobs::new(disk, open("blobs")?),
            workspace: self,
            disk,
            _lock: lock,
            dir,
        })
    }
}

impl State<'_> {
    pub(crate) fn temp<'b>(&'b self, name: &'b str) -> At<'b> {
        At { dir: self.temps.as_fd(), name }
    }
}

/// `.salve` ignores itself, so that no `git add` of the user's takes it along.
fn ignore_in_git(disk: &dyn Disk, dir: BorrowedFd<'_>) -> io::Result<()> {
    let at = At { dir, name: ".gitignore" };
    match disk.create(at, 0o600) {
        Ok(file) => write_all(disk, &file, b"*\n"),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn holder_in(mut lock: &File) -> String {
    let mut name = String::new();
    let read = lock.rewind().and_then(|()| lock.take(200).read_to_string(&mut name));
    if read.is_err() || name.is_empty() { "another process".to_owned() } else { name }
}
