//! The temporary home of a run.
//!
//! In: a folder for temporary files. Out: a private folder with a home and a place for temporary
//! files in it, gone with the run. Never removes anything outside of it.

use rustix::fs::{CWD, Mode};
use rustix::io::Errno;
use std::io::Result;
use std::path::{Path, PathBuf};

/// Folders of one run; removed when dropped.
#[derive(Debug)]
pub(super) struct Scratch {
    folder: PathBuf,
    /// The HOME of the programs.
    pub(super) home: PathBuf,
    /// Their TMPDIR.
    pub(super) temporary: PathBuf,
}

impl Scratch {
    /// Makes the folders under a name that nobody has taken.
    pub(super) fn create(parent: &Path, names: impl Iterator<Item = String>) -> Result<Self> {
        for name in names {
            let folder = parent.join(format!("salve-run-{name}"));
            match rustix::fs::mkdirat(CWD, &folder, Mode::RWXU) {
                Ok(()) => {
                    let scratch =
                        Self { home: folder.join("home"), temporary: folder.join("tmp"), folder };
                    rustix::fs::mkdirat(CWD, &scratch.home, Mode::RWXU)?;
                    rustix::fs::mkdirat(CWD, &scratch.temporary, Mode::RWXU)?;
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
        if std::fs::remove_dir_all(&self.folder).is_err() {
            // Package caches make folders read-only.
            make_writable(&self.folder, 64);
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

fn make_writable(folder: &Path, depth: u32) {
    if depth == 0 {
        return;
    }
    let _ = rustix::fs::chmod(folder, Mode::RWXU);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_writable(&entry.path(), depth - 1);
        }
    }
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
