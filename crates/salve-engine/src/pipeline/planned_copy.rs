//! A copy of a folder in which a plan is carried out, to be looked at and thrown away.
//!
//! In: a folder, an empty folder, a plan. Out: the copy with the plan's files as they would be. Times
//! are kept, so that build tools see what changed and what did not. Never touches the folder itself,
//! never follows a link out of it, never copies Salve's own folder.

use salve_tree::{PlannedFile, VerifiedEdits};
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// How much is copied at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyLimits {
    /// Files, folders and links.
    pub entries: usize,
    /// Bytes of files.
    pub bytes: u64,
}

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// The folder is too large.
    #[error("the workspace has more than {} files or {} MiB", .0.entries, .0.bytes >> 20)]
    TooLarge(CopyLimits),
    /// Something cannot be read or written.
    #[error("cannot copy `{}`", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
}

impl Default for CopyLimits {
    fn default() -> Self {
        Self { entries: 400_000, bytes: 8 << 30 }
    }
}

/// Copies a folder into an empty one and carries out a plan there.
///
/// # Errors
/// When the folder is larger than the limits, or cannot be read or written.
pub fn copy_with_plan(
    from: &Path,
    into: &Path,
    plan: &VerifiedEdits,
    limits: CopyLimits,
) -> Result<(), CopyError> {
    let mut left = limits;
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let source = from.join(&folder);
        for entry in fs::read_dir(&source).map_err(|error| fault(&source, error))? {
            let entry = entry.map_err(|error| fault(&source, error))?;
            if folder.as_os_str().is_empty() && entry.file_name() == ".salve" {
                continue;
            }
            let below = folder.join(entry.file_name());
            left.entries = left.entries.checked_sub(1).ok_or(CopyError::TooLarge(limits))?;
            let bytes = copy_entry(&entry, &into.join(&below)).map_err(|e| fault(&below, e))?;
            match bytes {
                Some(bytes) => {
                    let rest = left.bytes.checked_sub(bytes);
                    left.bytes = rest.ok_or(CopyError::TooLarge(limits))?;
                }
                None => folders.push(below),
            }
        }
    }
    plan.files().iter().try_for_each(|file| {
        carry_out(file, into).map_err(|error| fault(Path::new(file.path.as_str()), error))
    })
}

// Returns the bytes copied; nothing for a folder, whose content follows.
fn copy_entry(entry: &fs::DirEntry, to: &Path) -> io::Result<Option<u64>> {
    let (from, kind) = (entry.path(), entry.file_type()?);
    if kind.is_dir() {
        fs::create_dir(to)?;
        return Ok(None);
    }
    if kind.is_symlink() {
        symlink(fs::read_link(&from)?, to)?;
    } else if kind.is_file() {
        let bytes = fs::copy(&from, to)?;
        let modified = entry.metadata()?.modified()?;
        // A file that its owner may not write still has its time set where that is allowed.
        if let Ok(copy) = File::options().append(true).open(to) {
            copy.set_modified(modified)?;
        }
        return Ok(Some(bytes));
    }
    // Sockets, pipes and devices are nothing that is checked.
    Ok(Some(0))
}

fn carry_out(file: &PlannedFile, into: &Path) -> io::Result<()> {
    let path = into.join(file.path.as_str());
    let Some(after) = &file.after else {
        // An empty file in the place of one that goes would be checked as if it were there.
        return match fs::symlink_metadata(&path) {
            Ok(_) => remove(&path),
            Err(_) => Ok(()),
        };
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    if fs::symlink_metadata(&path).is_ok() {
        remove(&path)?;
    }
    let mut written = File::create_new(&path)?;
    written.write_all(&after.bytes)?;
    written.set_permissions(Permissions::from_mode(after.mode & 0o777))
}

#[expect(clippy::disallowed_methods, reason = "only in the copy, which is thrown away")]
fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

fn fault(path: &Path, source: io::Error) -> CopyError {
    CopyError::Io { path: path.to_owned(), source }
}
