//! The temporary home of a run.
//!
//! In: a folder for temporary files. Out: a private folder with a home and a place for temporary
//! files in it, gone with the run. What a killed run left behind is removed by a later one. Never removes
//! anything else.

mod leftovers;

pub(super) use leftovers::remove_leftovers;

use rustix::fs::{AtFlags, CWD, Dir, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use rustix::path::Arg;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{Result, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

/// The user's own settings of git are not there, and a commit in a temporary repository needs a name.
/// As settings of the home they count less than those of a repository.
const GIT_IDENTITY: &str = "[user]\n\tname = Salve Run\n\temail = run@salve.invalid\n";

/// How the names of these folders begin.
const PREFIX: &str = "salve-run-";

/// Folders of one run; removed when dropped.
#[derive(Debug)]
pub(super) struct Scratch {
    folder: PathBuf,
    /// The HOME of the programs.
    pub(super) home: PathBuf,
    /// Their TMPDIR.
    pub(super) temporary: PathBuf,
    /// Locked as long as the run lives, so that no other one takes the folder for a leftover. The system
    /// lets go of it however the run ends.
    _lock: Option<OwnedFd>,
}

impl Scratch {
    /// Makes the folders under a name that is not taken.
    pub(super) fn create(parent: &Path, names: impl Iterator<Item = String>) -> Result<Self> {
        for name in names {
            let folder = parent.join(format!("{PREFIX}{name}"));
            match rustix::fs::mkdirat(CWD, &folder, Mode::RWXU) {
                Ok(()) => {
                    let (home, temporary) = (folder.join("home"), folder.join("tmp"));
                    let lock = locked(CWD, &folder);
                    let scratch = Self { home, temporary, folder, _lock: lock };
                    rustix::fs::mkdirat(CWD, &scratch.home, Mode::RWXU)?;
                    rustix::fs::mkdirat(CWD, &scratch.temporary, Mode::RWXU)?;
                    let mut settings = File::create_new(scratch.home.join(".gitconfig"))?;
                    settings.write_all(GIT_IDENTITY.as_bytes())?;
                    return Ok(scratch);
                }
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(std::io::ErrorKind::AlreadyExists.into())
    }

    /// Returns the folder that holds both.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays in the folder for temporary files, as with any program.
        let _ = remove_all(&self.folder);
    }
}

/// Removes a folder however deep programs made it: folders inside of others are moved up and
/// emptied one after the other, with two of them open at a time.
pub(crate) fn remove_all(folder: &Path) -> Result<()> {
    empty(&open_folder(CWD, folder)?)?;
    Ok(rustix::fs::unlinkat(CWD, folder, AtFlags::REMOVEDIR)?)
}

fn empty(root: &OwnedFd) -> Result<()> {
    let mut pending = names_in(root)?;
    let mut moved: u64 = 0;
    while let Some(name) = pending.pop() {
        if is_removed(root, &name) {
            continue;
        }
        let inner = open_folder(root, name.as_c_str())?;
        for entry in names_in(&inner)? {
            if is_removed(&inner, &entry) {
                continue;
            }
            let _ = rustix::fs::chmodat(&inner, &entry, Mode::RWXU, AtFlags::empty());
            pending.push(move_up(&inner, &entry, root, &mut moved)?);
        }
        rustix::fs::unlinkat(root, &name, AtFlags::REMOVEDIR)?;
    }
    Ok(())
}

/// Opens a folder and locks it; nothing where another one has it, or the file system has no locks.
fn locked(at: impl AsFd, name: impl Arg + Copy) -> Option<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(at, name, flags, Mode::empty()).ok()?;
    rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(folder)
}

/// Removes anything that is not a folder.
fn is_removed(folder: &OwnedFd, name: &CStr) -> bool {
    rustix::fs::unlinkat(folder, name, AtFlags::empty()).is_ok()
}

/// Moves a folder to the root under a name that nothing has there.
fn move_up(from: &OwnedFd, name: &CStr, root: &OwnedFd, moved: &mut u64) -> Result<CString> {
    loop {
        *moved += 1;
        let free = CString::new(format!("moved-{moved}"))?;
        match rustix::fs::renameat_with(from, name, root, &free, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(free),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn names_in(folder: &OwnedFd) -> Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_owned();
        if name.as_bytes() != b"." && name.as_bytes() != b".." {
            names.push(name);
        }
    }
    Ok(names)
}

/// Package caches make folders read-only, so that they are made ours before they are opened.
fn open_folder(at: impl AsFd, name: impl Arg + Copy) -> Result<OwnedFd> {
    let _ = rustix::fs::chmodat(&at, name, Mode::RWXU, AtFlags::empty());
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(at, name, flags, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scratch_folder_vanishes_with_what_programs_made_of_it() {
        let parent = tempfile::tempdir().unwrap();
        let names = || ["a", "b"].into_iter().map(str::to_owned);
        let first = Scratch::create(parent.path(), names()).unwrap();
        let second = Scratch::create(parent.path(), names()).unwrap();
        assert_ne!(first.folder(), second.folder());
        let deep = second.home.join("x/y");
        std::fs::create_dir_all(&deep).unwrap();
        rustix::fs::chmod(second.home.join("x"), Mode::RUSR | Mode::XUSR).unwrap();
        drop((first, second));
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
