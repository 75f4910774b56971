//! Files of other owners below a private layer.
//!
//! In: a folder, and where the writes of its layer go. Out: when the folder holds files of users or
//! groups that the user namespace does not map, as a shared `CARGO_HOME` does, its first levels
//! again, as files of this user. Never copies what is large: what is only read need not be there.
//!
//! The kernel copies a file into the layer when it is opened for writing, and with it every folder
//! above, owners included; for an owner that has no number inside it answers "Value too large for
//! defined data type". Programs keep their lock files and small databases near the top, so these are
//! copied beforehand. What is deeper can be read, and new files can be made beside it.

use std::collections::VecDeque;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// How deep folders are made again: `registry/cache/<name>` is the place for what is fetched.
const LEVELS: usize = 3;
/// How many entries are made again, and how large a file may be.
const ENTRIES: usize = 4096;
const LARGEST: u64 = 1 << 20;

/// Copies the first levels of `lower` into `upper` if there is anything of other owners.
pub(super) fn copy_up(lower: &Path, upper: &Path) -> io::Result<()> {
    if !is_any(lower) {
        return Ok(());
    }
    let mut left = ENTRIES;
    let mut open = VecDeque::from([(lower.to_owned(), upper.to_owned(), 0)]);
    while let Some((from, to, depth)) = open.pop_front() {
        for entry in std::fs::read_dir(&from).into_iter().flatten().flatten() {
            if left == 0 {
                return Ok(());
            }
            left -= 1;
            let (from, to) = (entry.path(), to.join(entry.file_name()));
            if again(&from, &to)? == Made::Folder && depth + 1 < LEVELS {
                open.push_back((from, to, depth + 1));
            }
        }
    }
    Ok(())
}

/// Returns whether a folder, or something directly in it, may belong to another.
pub(super) fn is_any(folder: &Path) -> bool {
    let foreign = |path: &Path| path.symlink_metadata().is_ok_and(|found| is_foreign(&found));
    let mut first = std::fs::read_dir(folder).into_iter().flatten().flatten();
    foreign(folder) || first.any(|entry| foreign(&entry.path()))
}

/// The namespace maps one user and one group; where the number that stands for all others is this
/// user's own, everything may be another's.
fn is_foreign(found: &Metadata) -> bool {
    const ALL_OTHERS: u32 = 65534;
    let user = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    found.uid() != user || found.gid() != group || user == ALL_OTHERS || group == ALL_OTHERS
}

#[derive(PartialEq, Eq)]
enum Made {
    Folder,
    Other,
}

fn again(from: &Path, to: &Path) -> io::Result<Made> {
    let Ok(found) = from.symlink_metadata() else { return Ok(Made::Other) };
    if found.is_dir() {
        let mode = found.mode() & 0o777 | 0o700;
        std::fs::DirBuilder::new().mode(mode).create(to)?;
        return Ok(Made::Folder);
    }
    if found.is_file() && found.len() <= LARGEST {
        // What this user cannot read stays as it is, below.
        if std::fs::copy(from, to).is_err() {
            let _ = rustix::fs::unlink(to);
        }
    }
    Ok(Made::Other)
}
