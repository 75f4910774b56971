//! The system calls of a transaction, behind one trait.
//!
//! In: open directories and names inside them. Out: what is there, or the change asked for.
//! Never: a path that is looked up again from the root by its text, so that a directory which is
//! swapped for a symbolic link cannot lead a write out of the workspace.
//!
//! Every step of the protocol that changes something, and every look that a decision rests on,
//! goes through [`Disk`]. A wrapper can count the steps, end the process at one of them, refuse
//! one with an error of the system, or write less than it was given.

mod real;

use crate::{ContentHash, FileState};
use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

pub use real::RealDisk;

/// A name inside an open directory.
#[derive(Debug, Clone, Copy)]
pub struct At<'a> {
    /// The directory.
    pub dir: BorrowedFd<'a>,
    /// The name; it holds no `/`.
    pub name: &'a str,
}

/// What is under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Nothing.
    Nothing,
    /// A regular file.
    File {
        /// The hash of its content.
        hash: ContentHash,
        /// Its permission bits.
        mode: u32,
    },
    /// Something else: a directory, a symbolic link, a device.
    Other,
}

/// How a rename treats what is under the new name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenameHow {
    /// It is replaced.
    Replace,
    /// It must not exist.
    NoReplace,
    /// Both change places in one step.
    Exchange,
}

/// The system calls of a transaction. Each of them is the real one unless it is replaced, so that a
/// disk on which something is different says only what.
pub trait Disk: Debug + Send + Sync {
    /// Opens the root directory by its path.
    fn open_root(&self, path: &Path) -> io::Result<OwnedFd> {
        real::open_root(path)
    }

    /// Opens a directory below `dir` without following a symbolic link; `None` when there is none.
    fn open_dir(&self, dir: BorrowedFd<'_>, path: &str) -> io::Result<Option<OwnedFd>> {
        real::open_dir(dir, path)
    }

    /// Reads a regular file; `None` when there is nothing under the name.
    fn read(&self, at: At<'_>) -> io::Result<Option<FileState>> {
        real::read(at)
    }

    /// Looks at what is under a name and hashes it. The decisions of a transaction rest on
    /// this look.
    fn look(&self, at: At<'_>) -> io::Result<Seen> {
        real::look(at)
    }

    /// Lists the names in a directory with the sizes of what they name.
    fn list(&self, dir: BorrowedFd<'_>) -> io::Result<Vec<(String, u64)>> {
        real::list(dir)
    }

    /// Returns a number that is equal for two directories between which a rename is possible.
    fn mount(&self, dir: BorrowedFd<'_>) -> io::Result<u64> {
        real::mount(dir)
    }

    /// Takes an exclusive lock on a file without waiting; `false` when another process has it.
    fn try_lock(&self, file: &File) -> io::Result<bool> {
        real::try_lock(file)
    }

    /// Creates a file that must not exist, for writing.
    fn create(&self, at: At<'_>, mode: u32) -> io::Result<File> {
        real::create(at, mode)
    }

    /// Opens a file for reading and appending; creates it when there is none.
    fn open_append(&self, at: At<'_>) -> io::Result<File> {
        real::open_append(at)
    }

    /// Writes some of the bytes and returns how many.
    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<usize> {
        real::write(file, bytes)
    }

    /// Cuts a file at a length.
    fn truncate(&self, file: &File, len: u64) -> io::Result<()> {
        real::truncate(file, len)
    }

    /// Gives a file its permission bits and, when `like` names a file, that file's owner, group
    /// and extended attributes as far as the system lets us.
    fn dress(&self, file: &File, mode: u32, like: Option<At<'_>>) -> io::Result<()> {
        real::dress(file, mode, like)
    }

    /// Gives a name another directory or another name.
    fn rename(&self, from: At<'_>, to: At<'_>, how: RenameHow) -> io::Result<()> {
        real::rename(from, to, how)
    }

    /// Removes a file.
    fn unlink(&self, at: At<'_>) -> io::Result<()> {
        real::unlink(at)
    }

    /// Makes a directory.
    fn make_dir(&self, at: At<'_>, mode: u32) -> io::Result<()> {
        real::make_dir(at, mode)
    }

    /// Removes an empty directory.
    fn remove_dir(&self, at: At<'_>) -> io::Result<()> {
        real::remove_dir(at)
    }

    /// Makes files and directories survive a power loss, all of them before it returns.
    fn sync(&self, what: &[BorrowedFd<'_>]) -> io::Result<()> {
        real::sync(what)
    }
}

/// Writes all bytes, however few the disk takes at a time.
pub(crate) fn write_all(disk: &dyn Disk, file: &File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match disk.write(file, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Removes a file; that it is gone already is no error.
pub(crate) fn unlink_if_there(disk: &dyn Disk, at: At<'_>) -> io::Result<()> {
    match disk.unlink(at) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Opens a directory below `dir` and makes it when there is none.
pub(crate) fn ensure_dir(disk: &dyn Disk, dir: BorrowedFd<'_>, name: &str) -> io::Result<OwnedFd> {
    if let Some(found) = disk.open_dir(dir, name)? {
        return Ok(found);
    }
    match disk.make_dir(At { dir, name }, 0o700) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    disk.open_dir(dir, name)?.ok_or_else(|| io::ErrorKind::NotFound.into())
}
