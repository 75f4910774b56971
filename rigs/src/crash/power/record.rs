//! A disk that writes down what is done to it.
//!
//! In: the disk of this machine and a folder at rest. Out: the operations, in the words of the
//! model. Never changes what is done.

use super::model::{Inode, Memory, Op, Place};
use rustix::fs::fstat;
use salve_tree::{At, Disk, RealDisk, RenameHow};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A disk that writes down what is done to it.
#[derive(Debug)]
pub(crate) struct RecordingDisk {
    tape: Mutex<Tape>,
}

/// What was done so far.
#[derive(Debug)]
struct Tape {
    ops: Vec<Op>,
    /// Inodes by the system's own numbers, which it gives out anew after a removal.
    numbers: BTreeMap<u64, Inode>,
    next: Inode,
}

impl RecordingDisk {
    /// Begins with a folder at rest.
    pub(crate) fn new(memory: &Memory, numbers: BTreeMap<u64, Inode>) -> Self {
        let next = memory.nodes.len();
        Self { tape: Mutex::new(Tape { ops: Vec::new(), numbers, next }) }
    }

    /// Notes that an act is promised to be done.
    pub(crate) fn ack(&self) {
        self.tape().ops.push(Op::Ack);
    }

    /// Returns the operations.
    pub(crate) fn ops(&self) -> Vec<Op> {
        self.tape().ops.clone()
    }

    fn tape(&self) -> MutexGuard<'_, Tape> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tape {
    fn inode(&self, fd: BorrowedFd<'_>) -> io::Result<Inode> {
        let number = fstat(fd)?.st_ino;
        let known = self.numbers.get(&number).copied();
        known.ok_or_else(|| io::Error::other("a file that nobody made"))
    }

    fn place(&self, at: At<'_>) -> io::Result<Place> {
        Ok((self.inode(at.dir)?, at.name.to_owned()))
    }

    fn made(&mut self, at: At<'_>, fd: BorrowedFd<'_>) -> io::Result<()> {
        let inode = self.next;
        self.next += 1;
        self.numbers.insert(fstat(fd)?.st_ino, inode);
        let at = self.place(at)?;
        self.ops.push(Op::Link { at, inode });
        Ok(())
    }

    fn look_up(&self, at: At<'_>) -> io::Result<Option<Inode>> {
        use rustix::fs::{AtFlags, statat};
        match statat(at.dir, at.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(self.numbers.get(&stat.st_ino).copied()),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl Disk for RecordingDisk {
    fn create(&self, at: At<'_>, mode: u32) -> io::Result<File> {
        let file = RealDisk.create(at, mode)?;
        let mut tape = self.tape();
        tape.made(at, file.as_fd())?;
        let bits = file.metadata()?.permissions().mode() & 0o7777;
        let inode = tape.inode(file.as_fd())?;
        tape.ops.push(Op::Dress { inode, mode: bits });
        Ok(file)
    }

    fn open_append(&self, at: At<'_>) -> io::Result<File> {
        let mut tape = self.tape();
        let is_new = tape.look_up(at)?.is_none();
        let file = RealDisk.open_append(at)?;
        if is_new {
            tape.made(at, file.as_fd())?;
        }
        Ok(file)
    }

    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<usize> {
        let count = RealDisk.write(file, bytes)?;
        let mut tape = self.tape();
        let inode = tape.inode(file.as_fd())?;
        let bytes = bytes.get(..count).unwrap_or_default().into();
        tape.ops.push(Op::Append { inode, bytes });
        Ok(count)
    }

    fn truncate(&self, file: &File, len: u64) -> io::Result<()> {
        RealDisk.truncate(file, len)?;
        let mut tape = self.tape();
        let inode = tape.inode(file.as_fd())?;
        tape.ops.push(Op::Truncate { inode, len: usize::try_from(len).unwrap_or(usize::MAX) });
        Ok(())
    }

    fn dress(&self, file: &File, mode: u32, like: Option<At<'_>>) -> io::Result<()> {
        RealDisk.dress(file, mode, like)?;
        let mut tape = self.tape();
        let inode = tape.inode(file.as_fd())?;
        tape.ops.push(Op::Dress { inode, mode });
        Ok(())
    }

    fn rename(&self, from: At<'_>, to: At<'_>, how: RenameHow) -> io::Result<()> {
        let mut tape = self.tape();
        let (moved, other) = (tape.look_up(from)?, tape.look_up(to)?);
        RealDisk.rename(from, to, how)?;
        let (from, to) = (tape.place(from)?, tape.place(to)?);
        let moved = moved.ok_or_else(|| io::Error::other("a rename of nothing"))?;
        tape.ops.push(Op::Rename { from, to, moved, other, how });
        Ok(())
    }

    fn unlink(&self, at: At<'_>) -> io::Result<()> {
        RealDisk.unlink(at)?;
        let mut tape = self.tape();
        let at = tape.place(at)?;
        tape.ops.push(Op::Unlink { at });
        Ok(())
    }

    fn make_dir(&self, at: At<'_>, mode: u32) -> io::Result<()> {
        RealDisk.make_dir(at, mode)?;
        let Some(made) = RealDisk.open_dir(at.dir, at.name)? else { return Ok(()) };
        self.tape().made(at, made.as_fd())
    }

    fn remove_dir(&self, at: At<'_>) -> io::Result<()> {
        RealDisk.remove_dir(at)?;
        let mut tape = self.tape();
        let at = tape.place(at)?;
        tape.ops.push(Op::Unlink { at });
        Ok(())
    }

    fn sync(&self, what: &[BorrowedFd<'_>]) -> io::Result<()> {
        RealDisk.sync(what)?;
        let mut tape = self.tape();
        let all: io::Result<Vec<Inode>> = what.iter().map(|fd| tape.inode(*fd)).collect();
        tape.ops.push(Op::Sync(all?));
        Ok(())
    }
}
