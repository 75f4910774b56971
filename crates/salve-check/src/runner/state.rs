//! Salve's own folder in a workspace, as the runner sees it.
//!
//! In: a workspace. Out: files below its `.salve`, opened without following a symlink, readable by
//! their owner only. Never touches a file of the project.

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{Read, Result, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// The name of the folder.
pub(super) const STATE: &str = ".salve";

/// An open folder of Salve's own.
#[derive(Debug)]
pub(super) struct StateFolder {
    folder: OwnedFd,
    path: PathBuf,
}

impl StateFolder {
    /// Opens `.salve`, making it if need be, ignored by git as a whole.
    pub(super) fn open(workspace: &Path) -> Result<Self> {
        let root = open_folder(CWD, workspace, OFlags::empty())?;
        let made = make_folder(&root, STATE)?;
        let state = Self {
            folder: open_folder(&root, Path::new(STATE), OFlags::NOFOLLOW)?,
            path: workspace.join(STATE),
        };
        if made {
            state.create(".gitignore")?.write_all(b"*\n")?;
        }
        Ok(state)
    }

    /// Opens `.salve` if it is there.
    pub(super) fn find(workspace: &Path) -> Result<Option<Self>> {
        let path = workspace.join(STATE);
        match open_folder(CWD, &path, OFlags::NOFOLLOW) {
            Ok(folder) => Ok(Some(Self { folder, path })),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a folder in this one, making it if need be.
    pub(super) fn subfolder(&self, name: &str) -> Result<Self> {
        make_folder(&self.folder, name)?;
        let folder = open_folder(&self.folder, Path::new(name), OFlags::NOFOLLOW)?;
        Ok(Self { folder, path: self.path.join(name) })
    }

    /// Makes a file that must not be there yet.
    pub(super) fn create(&self, name: &str) -> Result<File> {
        self.open_file(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)
    }

    /// Opens a file to add to it and to look at its end, making it if need be.
    pub(super) fn open_to_append(&self, name: &str) -> Result<File> {
        self.open_file(name, OFlags::RDWR | OFlags::CREATE | OFlags::APPEND)
    }

    /// Opens a file to read it.
    pub(super) fn open_to_read(&self, name: &str) -> Result<File> {
        // A pipe someone put there must not hold us up.
        self.open_file(name, OFlags::RDONLY | OFlags::NONBLOCK)
    }

    /// Reads at most `limit` bytes of a file; nothing when it is not there.
    pub(super) fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>> {
        match self.open_to_read(name) {
            Ok(file) => {
                let mut bytes = Vec::new();
                file.take(limit).read_to_end(&mut bytes)?;
                Ok(Some(bytes))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replaces a file as a whole: a reader sees the old text or the new one.
    pub(super) fn replace(&self, name: &str, text: &[u8]) -> Result<()> {
        let temporary = format!("{name}.{}.new", std::process::id());
        self.remove(&temporary)?;
        let mut file = self.create(&temporary)?;
        file.write_all(text)?;
        file.sync_all()?;
        rustix::fs::renameat(&self.folder, temporary.as_str(), &self.folder, name)?;
        Ok(())
    }

    /// Removes a file; one that is not there is removed already.
    pub(super) fn remove(&self, name: &str) -> Result<()> {
        match rustix::fs::unlinkat(&self.folder, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the path of a file in this folder.
    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Returns the path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn open_file(&self, name: &str, flags: OFlags) -> Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        Ok(File::from(rustix::fs::openat(&self.folder, name, flags, mode)?))
    }
}

fn make_folder(parent: &OwnedFd, name: &str) -> Result<bool> {
    match rustix::fs::mkdirat(parent, name, Mode::RWXU) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn open_folder(at: impl std::os::fd::AsFd, path: &Path, flags: OFlags) -> Result<OwnedFd> {
    let flags = flags | OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(at, path, flags, Mode::empty())?)
}
