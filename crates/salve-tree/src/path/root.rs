//! The root of a workspace: one open directory through which every file is reached.
//!
//! In: a directory, then paths below it. Out: open files that are below it for certain. Never: a
//! file reached by an absolute name after the root was opened, a symlink followed on opening.

use super::resolve::{Entry, Kind, Walk};
use super::{AdmitOptions, MAX_FILE_BYTES, Objection, PathRule, PathVerdict, Purpose};
use crate::{FileState, TreePath, ViewError};
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// How often a lookup is repeated that the kernel could not finish because the tree moved.
const RETRIES: usize = 16;
/// How many names of a directory are compared with a new one.
const MAX_SIBLINGS: usize = 10_000;

/// An open workspace.
#[derive(Debug)]
pub struct Root {
    directory: OwnedFd,
    /// The name it was opened by, and its real name.
    names: [PathBuf; 2],
}

impl Root {
    /// Opens a workspace.
    pub fn open(directory: &Path) -> io::Result<Self> {
        let real = directory.canonicalize()?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = fs::open(&real, flags, Mode::empty())?;
        Ok(Self { directory: opened, names: [real, directory.to_path_buf()] })
    }

    /// Returns the real name of the workspace, for messages.
    pub fn path(&self) -> &Path {
        &self.names[0]
    }

    /// Returns the open directory.
    pub fn directory(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    /// Admits a path as a reply writes it, or says which rule refuses it.
    pub fn admit(&self, written: &str) -> Result<TreePath, ViewError> {
        self.admit_with(written, &AdmitOptions::default())
    }

    /// Admits a path with what the user allows beyond the rules.
    pub fn admit_with(&self, written: &str, options: &AdmitOptions) -> Result<TreePath, ViewError> {
        self.admit_for(written, options, Purpose::Write)
    }

    /// Admits a path of a file that is only read: protected, read-only and linked files too. Whether it
    /// holds secrets is for the caller to ask.
    pub fn admit_to_read(&self, written: &str) -> Result<TreePath, ViewError> {
        let options = AdmitOptions { allow_protected: true, ..AdmitOptions::default() };
        self.admit_for(written, &options, Purpose::Read)
    }

    fn admit_for(
        &self,
        written: &str,
        options: &AdmitOptions,
        purpose: Purpose,
    ) -> Result<TreePath, ViewError> {
        let mut walk = DiskWalk { root: self, entered: Vec::new(), looked: None };
        let names: Vec<&Path> = self.names.iter().map(PathBuf::as_path).collect();
        super::admit(written, &names, &mut walk, options, purpose)
            .map_err(|objection| objection.about(written))
    }

    /// Judges a path without using it: `salve policy path`.
    pub fn judge(&self, written: &str, options: &AdmitOptions) -> PathVerdict {
        PathVerdict::of(&self.admit_with(written, options))
    }

    /// Opens what is at an admitted path. No symlink is followed, not even one that was put
    /// in the way after the path was admitted.
    pub fn open_beneath(&self, path: &TreePath, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        open_below(self.directory(), path.as_str(), flags, mode)
    }

    /// Opens a file for reading by a path that a listing of the workspace gave. No symlink is followed and
    /// nothing above the root is reached; whether it may be read is for the caller to have asked.
    pub fn open_listed(&self, path: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let opened = open_below(self.directory(), path, flags, Mode::empty())?;
        let kind = FileType::from_raw_mode(fs::fstat(&opened)?.st_mode);
        if kind != FileType::RegularFile {
            return Err(Errno::INVAL.into());
        }
        Ok(File::from(opened))
    }

    /// Opens the directory of an admitted path; returns it with the last name of the path.
    pub fn open_parent<'a>(&self, path: &'a TreePath) -> io::Result<(OwnedFd, &'a str)> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        match path.as_str().rsplit_once('/') {
            Some((above, name)) => {
                Ok((open_below(self.directory(), above, flags, Mode::empty())?, name))
            }
            None => {
                let flags = flags | OFlags::CLOEXEC;
                Ok((fs::openat(self.directory(), ".", flags, Mode::empty())?, path.as_str()))
            }
        }
    }

    /// Reads a regular file; `None` when there is none.
    pub fn read(&self, path: &TreePath) -> Result<Option<FileState>, ViewError> {
        let unreadable = |why: String| ViewError::Unreadable { path: path.to_string(), why };
        // Without O_NONBLOCK a pipe put in the place of the file would hold the opener for ever.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let opened = match self.open_beneath(path, flags, Mode::empty()) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error.to_string())),
        };
        let status = fs::fstat(&opened).map_err(|error| unreadable(error.to_string()))?;
        if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
            return Err(unreadable("it is not a regular file".to_owned()));
        }
        let mut bytes =
            Vec::with_capacity(usize::try_from(status.st_size).unwrap_or(0).min(1 << 26));
        File::from(opened)
            .take(MAX_FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(error.to_string()))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(unreadable("it is larger than 64 MiB".to_owned()));
        }
        Ok(Some(FileState::new(bytes, status.st_mode & 0o7777)))
    }
}

/// Opens a path below a directory without following any symlink.
fn open_below(
    directory: BorrowedFd<'_>,
    path: &str,
    flags: OFlags,
    mode: Mode,
) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    for _ in 0..RETRIES {
        match fs::openat2(directory, path, flags, mode, resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            // Old kernels do not have the call, and old sandboxes forbid it.
            Err(Errno::NOSYS | Errno::PERM) => return open_stepwise(directory, path, flags, mode),
            other => return Ok(other?),
        }
    }
    Err(Errno::AGAIN.into())
}

/// Does the same one directory at a time.
pub(super) fn open_stepwise(
    directory: BorrowedFd<'_>,
    path: &str,
    flags: OFlags,
    mode: Mode,
) -> io::Result<OwnedFd> {
    let step_flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut current: Option<OwnedFd> = None;
    for step in above.split('/').chain([name]).filter(|step| !step.is_empty()) {
        if matches!(step, "." | "..") {
            return Err(Errno::XDEV.into());
        }
        let last = std::ptr::eq(step, name);
        let at = current.as_ref().map_or(directory, AsFd::as_fd);
        let opened = if last {
            fs::openat(at, step, flags, mode)?
        } else {
            fs::openat(at, step, step_flags, Mode::empty())?
        };
        current = Some(opened);
    }
    current.ok_or_else(|| Errno::INVAL.into())
}

/// A walk through open directories.
struct DiskWalk<'a> {
    root: &'a Root,
    entered: Vec<OwnedFd>,
    looked: Option<OwnedFd>,
}

impl DiskWalk<'_> {
    fn current(&self) -> BorrowedFd<'_> {
        self.entered.last().map_or(self.root.directory.as_fd(), AsFd::as_fd)
    }
}

impl Walk for DiskWalk<'_> {
    fn look(&mut self, name: &str) -> Result<Option<Entry>, Objection> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = match fs::openat(self.current(), name, flags, Mode::empty()) {
            Ok(opened) => opened,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(unreadable(name, error)),
        };
        let status = fs::fstat(&opened).map_err(|error| unreadable(name, error))?;
        let kind = match FileType::from_raw_mode(status.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Directory,
            FileType::Symlink => Kind::Symlink,
            _ => Kind::Other,
        };
        let entry = Entry {
            kind,
            links: status.st_nlink,
            mode: status.st_mode & 0o7777,
            bytes: u64::try_from(status.st_size).unwrap_or(0),
            immutable: kind == Kind::File && is_immutable(&opened),
        };
        self.looked = Some(opened);
        Ok(Some(entry))
    }

    fn link_target(&mut self) -> Result<String, Objection> {
        let looked = self.looked.take().ok_or_else(|| unreadable("", Errno::BADF))?;
        let target = fs::readlinkat(&looked, "", Vec::new())
            .map_err(|error| unreadable("symlink", error))?;
        target.into_string().map_err(|_| {
            Objection::new(PathRule::UndecodableName, "a symlink of the path is not valid UTF-8")
        })
    }

    fn enter(&mut self) {
        self.entered.extend(self.looked.take());
    }

    fn leave(&mut self) {
        self.entered.pop();
    }

    fn is_repository(&self) -> bool {
        let here = self.current();
        let has = |name: &str| fs::statat(here, name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        super::resolve::looks_like_a_repository(has)
    }

    fn siblings(&self) -> Vec<String> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(opened) = fs::openat(self.current(), ".", flags, Mode::empty()) else {
            return Vec::new();
        };
        let Ok(entries) = fs::Dir::read_from(&opened) else { return Vec::new() };
        entries
            .take(MAX_SIBLINGS)
            .filter_map(|entry| entry.ok()?.file_name().to_str().ok().map(str::to_owned))
            .filter(|name| name != "." && name != "..")
            .collect()
    }

    fn writable(&self) -> bool {
        let wanted = fs::Access::WRITE_OK | fs::Access::EXEC_OK;
        let permitted = fs::accessat(self.current(), ".", wanted, AtFlags::EACCESS).is_ok();
        // A privileged user may write anywhere; a directory closed to all was closed on purpose.
        let open = fs::fstat(self.current()).is_ok_and(|status| status.st_mode & 0o222 != 0);
        permitted && open
    }
}

/// Tells whether the file system refuses to change a file, where it can say so.
fn is_immutable(file: &OwnedFd) -> bool {
    let fixed = fs::StatxAttributes::IMMUTABLE | fs::StatxAttributes::APPEND;
    fs::statx(file, "", AtFlags::EMPTY_PATH, fs::StatxFlags::BASIC_STATS)
        .is_ok_and(|status| status.stx_attributes.intersects(fixed))
}

fn unreadable(name: &str, error: Errno) -> Objection {
    Objection::new(PathRule::Unreadable, format!("{name:?} cannot be looked at: {error}"))
}
