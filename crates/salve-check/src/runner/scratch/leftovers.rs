//! Folders of runs that were killed before they could remove them.
//!
//! In: the folder for temporary files and the time. Out: the leftovers in it are gone, a bounded number at
//! a time. Never follows a link, and never touches a folder of another user, of a run that lives, or one
//! that is young.

use super::{PREFIX, empty, locked, names_in};
use rustix::fs::{AtFlags, Mode, OFlags};
use std::ffi::CStr;
use std::io::Result;
use std::os::fd::OwnedFd;
use std::path::Path;

/// How many folders one process removes at most; the next process removes more.
const MOST_REMOVED: usize = 64;
/// How many folders one process looks at.
const MOST_LOOKED_AT: usize = 4096;
/// A folder is younger than this between being made and being locked.
const SECONDS_OF_YOUTH: u64 = 60 * 60;

/// Removes what killed runs of this user left behind. Returns how many folders that were.
pub(in crate::runner) fn remove_leftovers(parent: &Path, now: u64) -> usize {
    // They are in nobody's way: what cannot be removed now is tried again by a later process.
    remove_older(parent, now.saturating_sub(SECONDS_OF_YOUTH)).unwrap_or(0)
}

fn remove_older(parent: &Path, oldest: u64) -> Result<usize> {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let parent = rustix::fs::open(parent, flags, Mode::empty())?;
    let names = names_in(&parent)?;
    let removed = names
        .iter()
        .filter(|name| is_ours(name))
        .take(MOST_LOOKED_AT)
        .filter(|name| is_removed(&parent, name, oldest))
        .take(MOST_REMOVED);
    Ok(removed.count())
}

/// Whether a run may have made this name: the prefix, and numbers to the base of sixteen.
fn is_ours(name: &CStr) -> bool {
    let number = name.to_bytes().strip_prefix(PREFIX.as_bytes()).unwrap_or_default();
    !number.is_empty() && number.iter().all(|it| it.is_ascii_hexdigit() || *it == b'-')
}

fn is_removed(parent: &OwnedFd, name: &CStr, oldest: u64) -> bool {
    let Some(folder) = locked(parent, name) else { return false };
    // Of what was opened, not of the name: this is the folder that is emptied.
    let is_leftover = rustix::fs::fstat(&folder).is_ok_and(|found| {
        found.st_uid == rustix::process::geteuid().as_raw()
            && u64::try_from(found.st_mtime).is_ok_and(|made| made < oldest)
    });
    is_leftover
        && empty(&folder).is_ok()
        && rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR).is_ok()
}

#[cfg(test)]
mod tests {
    use super::super::Scratch;
    use super::*;

    // The time as the file system has it: when something was last made in the folder.
    fn now(parent: &Path) -> u64 {
        u64::try_from(rustix::fs::stat(parent).unwrap().st_mtime).unwrap()
    }

    fn names(parent: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(parent)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test's own files")]
    fn only_what_a_killed_run_left_behind_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let parent = place.path();
        let alive = Scratch::create(parent, std::iter::once("1-a-0".to_owned())).unwrap();
        // A run that is killed drops nothing, and the system lets go of its lock.
        std::fs::create_dir_all(parent.join("salve-run-1-b-0/home/a/b")).unwrap();
        let outside = parent.join("outside");
        std::fs::create_dir_all(outside.join("kept")).unwrap();
        std::os::unix::fs::symlink(&outside, parent.join("salve-run-1-b-0/home/link")).unwrap();
        std::os::unix::fs::symlink(&outside, parent.join("salve-run-2-c-0")).unwrap();
        std::fs::create_dir(parent.join("salve-run-notes")).unwrap();
        std::fs::write(parent.join("salve-run-3-d-0"), "a file").unwrap();

        assert_eq!(remove_leftovers(parent, now(parent)), 0, "all of them are young");
        let later = now(parent) + SECONDS_OF_YOUTH + 60;
        assert_eq!(remove_leftovers(parent, later), 1);
        let left = ["outside", "salve-run-1-a-0", "salve-run-2-c-0", "salve-run-3-d-0"];
        assert_eq!(names(parent), [&left[..], &["salve-run-notes"]].concat());
        assert_eq!(names(&outside), ["kept"]);
        drop(alive);
        assert!(!parent.join("salve-run-1-a-0").exists());
    }

    #[test]
    fn a_sweep_is_bounded() {
        let place = tempfile::tempdir().unwrap();
        for number in 0..MOST_REMOVED + 3 {
            let path = place.path().join(format!("{PREFIX}{number:x}"));
            rustix::fs::mkdir(&path, Mode::RWXU).unwrap();
        }
        let later = now(place.path()) + SECONDS_OF_YOUTH + 60;
        assert_eq!(remove_leftovers(place.path(), later), MOST_REMOVED);
        assert_eq!(remove_leftovers(place.path(), later), 3);
    }
}
