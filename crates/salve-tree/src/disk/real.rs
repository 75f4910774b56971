//! The disk of this machine.
//!
//! In: open directories and names. Out: the system's answers. Never: a symbolic link followed, a
//! file opened that is not a regular one, a call that waits for a pipe's other end.

use super::{At, Disk, RenameHow, Seen};
use crate::{ContentHash, FileState};
use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RawMode, RenameFlags, ResolveFlags, StatxFlags,
    XattrFlags,
};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// The disk of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

const BITS: u32 = 0o7777;

impl Disk for RealDisk {}

pub(super) fn open_root(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

pub(super) fn open_dir(dir: BorrowedFd<'_>, path: &str) -> io::Result<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let path = if path.is_empty() { "." } else { path };
    match open_beneath(dir, path, flags) {
        Ok(found) => Ok(Some(found)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn read(at: At<'_>) -> io::Result<Option<FileState>> {
    match open_regular(at)? {
        Opened::Nothing => Ok(None),
        Opened::Other => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
        Opened::File(file, mode) => Ok(Some(FileState::new(read_to_end(&file)?, mode))),
    }
}

pub(super) fn look(at: At<'_>) -> io::Result<Seen> {
    Ok(match open_regular(at)? {
        Opened::Nothing => Seen::Nothing,
        Opened::Other => Seen::Other,
        Opened::File(file, mode) => {
            Seen::File { hash: ContentHash::of(&read_to_end(&file)?), mode }
        }
    })
}

pub(super) fn list(dir: BorrowedFd<'_>) -> io::Result<Vec<(String, u64)>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().to_str() else { continue };
        if name == "." || name == ".." {
            continue;
        }
        match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => names.push((name.to_owned(), u64::try_from(stat.st_size).unwrap_or(0))),
            Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
    names.sort();
    Ok(names)
}

pub(super) fn mount(dir: BorrowedFd<'_>) -> io::Result<u64> {
    match rustix::fs::statx(dir, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID) {
        Ok(stat) => Ok(stat.stx_mnt_id),
        Err(_) => Ok(rustix::fs::fstat(dir)?.st_dev),
    }
}

pub(super) fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(std::fs::TryLockError::WouldBlock) => Ok(false),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}

pub(super) fn create(at: At<'_>, mode: u32) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(at.dir, at.name, flags, bits(mode))?.into())
}

pub(super) fn open_append(at: At<'_>) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(at.dir, at.name, flags, bits(0o600))?.into())
}

pub(super) fn write(mut file: &File, bytes: &[u8]) -> io::Result<usize> {
    file.write(bytes)
}

pub(super) fn truncate(file: &File, len: u64) -> io::Result<()> {
    file.set_len(len)
}

pub(super) fn dress(file: &File, mode: u32, like: Option<At<'_>>) -> io::Result<()> {
    if let Some(at) = like
        && let Opened::File(model, _) = open_regular(at)?
    {
        copy_owner(&model, file);
        copy_attributes(&model, file)?;
    }
    // Last, because a change of owner clears the set-id bits.
    Ok(rustix::fs::fchmod(file, bits(mode))?)
}

pub(super) fn rename(from: At<'_>, to: At<'_>, how: RenameHow) -> io::Result<()> {
    let flags = match how {
        RenameHow::Replace => RenameFlags::empty(),
        RenameHow::NoReplace => RenameFlags::NOREPLACE,
        RenameHow::Exchange => RenameFlags::EXCHANGE,
    };
    Ok(rustix::fs::renameat_with(from.dir, from.name, to.dir, to.name, flags)?)
}

pub(super) fn unlink(at: At<'_>) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(at.dir, at.name, AtFlags::empty())?)
}

pub(super) fn make_dir(at: At<'_>, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::mkdirat(at.dir, at.name, bits(mode))?)
}

pub(super) fn remove_dir(at: At<'_>) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(at.dir, at.name, AtFlags::REMOVEDIR)?)
}

pub(super) fn sync(what: &[BorrowedFd<'_>]) -> io::Result<()> {
    for fd in what {
        rustix::fs::fsync(fd)?;
    }
    Ok(())
}

enum Opened {
    Nothing,
    Other,
    File(File, u32),
}

fn open_regular(at: At<'_>) -> io::Result<Opened> {
    // Without NONBLOCK, the opening of a pipe would wait for its other end.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let fd = match rustix::fs::openat(at.dir, at.name, flags, Mode::empty()) {
        Ok(fd) => fd,
        Err(Errno::NOENT) => return Ok(Opened::Nothing),
        Err(Errno::LOOP | Errno::NXIO | Errno::NODEV) => return Ok(Opened::Other),
        Err(error) => return Err(error.into()),
    };
    let stat = rustix::fs::fstat(&fd)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(Opened::Other);
    }
    Ok(Opened::File(fd.into(), stat.st_mode & BITS))
}

fn read_to_end(mut file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn bits(mode: u32) -> Mode {
    Mode::from_raw_mode(RawMode::from(mode & BITS))
}

/// Opens below `dir`, refusing every symbolic link on the way. The kernel may ask to try again
/// when a directory is renamed at the same time.
fn open_beneath(dir: BorrowedFd<'_>, path: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    for _ in 0..128 {
        match rustix::fs::openat2(dir, path, flags, Mode::empty(), how) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::NOSYS | Errno::PERM) => return walk(dir, path, flags),
            other => return other,
        }
    }
    Err(Errno::AGAIN)
}

/// The same without `openat2`: one component at a time, none of them a link.
fn walk(dir: BorrowedFd<'_>, path: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let mut here = rustix::io::dup(dir)?;
    for part in path.split('/') {
        if part == ".." || part.is_empty() {
            return Err(Errno::XDEV);
        }
        here = rustix::fs::openat(here.as_fd(), part, flags, Mode::empty())?;
    }
    Ok(here)
}

/// Keeps the owner where the system lets us; only the superuser may give a file away.
fn copy_owner(model: &File, file: &File) {
    let (Ok(old), Ok(new)) = (rustix::fs::fstat(model), rustix::fs::fstat(file)) else { return };
    if old.st_uid != new.st_uid || old.st_gid != new.st_gid {
        let uid = rustix::fs::Uid::from_raw(old.st_uid);
        let gid = rustix::fs::Gid::from_raw(old.st_gid);
        if rustix::fs::fchown(file, Some(uid), Some(gid)).is_err() {
            let _ = rustix::fs::fchown(file, None, Some(gid));
        }
    }
}

/// Keeps the extended attributes where the file system has them and lets us.
// Attributes that we may not read or set, or that the file system does not know, stay behind; any
// other failure is one.
fn copy_attributes(model: &File, file: &File) -> io::Result<()> {
    let tolerated = |error: Errno| match error {
        Errno::NOTSUP | Errno::PERM | Errno::ACCESS | Errno::NODATA => Ok(()),
        other => Err(io::Error::from(other)),
    };
    let mut names = vec![0u8; 16 * 1024];
    let len = match rustix::fs::flistxattr(model, &mut names[..]) {
        Ok(len) => len,
        Err(error) => return tolerated(error),
    };
    for name in names.get(..len).unwrap_or_default().split(|byte| *byte == 0) {
        let Ok(name) = std::str::from_utf8(name) else { continue };
        let mut value = vec![0u8; 64 * 1024];
        if name.is_empty() {
            continue;
        }
        let copied = rustix::fs::fgetxattr(model, name, &mut value[..]).and_then(|len| {
            let value = value.get(..len).unwrap_or_default();
            rustix::fs::fsetxattr(file, name, value, XattrFlags::empty())
        });
        copied.or_else(tolerated)?;
    }
    Ok(())
}
