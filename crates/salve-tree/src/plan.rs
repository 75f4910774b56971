//! What stages 6 and 7 hand to each other: the planned bytes of every file.
//!
//! In: verified edits or the inverse of a change. Out: per file the state before and after. Never:
//! a plan made by anybody but this crate: only `verify` and the history build one.

use crate::{ContentHash, PathRule};
use std::fmt;

/// A path inside the workspace: relative, `/`-separated, normalised, symlinks resolved. Made only
/// by a [`FileView`] that admitted it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TreePath(String);

/// A file as it is: its bytes, their hash, its permission bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    /// The content.
    pub bytes: Vec<u8>,
    /// Its hash, computed when it was read.
    pub hash: ContentHash,
    /// The permission bits.
    pub mode: u32,
}

/// A file as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    /// The content.
    pub bytes: Vec<u8>,
    /// The permission bits.
    pub mode: u32,
}

/// One file of a plan. A move is two: the old path goes, the new path comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// The path.
    pub path: TreePath,
    /// What must be there when it is written; `None`: nothing.
    pub before: Option<FileState>,
    /// What will be there; `None`: nothing.
    pub after: Option<FileContent>,
    /// Where the content came from, when the file was moved here.
    pub moved_from: Option<TreePath>,
}

/// Edits that fit the tree as it was read. The only thing that can be applied.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedEdits {
    files: Vec<PlannedFile>,
}

/// A tree that edits are verified against: a workspace on disk or files in memory.
pub trait FileView {
    /// Admits a path as a reply writes it, or says which rule refuses it.
    fn admit(&self, path: &str) -> Result<TreePath, ViewError>;

    /// Reads a file; `None` when there is none.
    fn read(&self, path: &TreePath) -> Result<Option<FileState>, ViewError>;
}

/// Why a path or a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// A rule refuses the path.
    #[error("{path:?} is refused ({rule}): {why}")]
    Refused {
        /// The path as written.
        path: String,
        /// The rule's name.
        rule: PathRule,
        /// What is wrong with it and what to do, in one sentence.
        why: String,
    },
    /// The file could not be read.
    #[error("cannot read {path:?}: {why}")]
    Unreadable {
        /// The path.
        path: String,
        /// The system's words.
        why: String,
    },
}

impl TreePath {
    /// Makes a path that the caller has admitted.
    pub(crate) fn admitted(path: String) -> Self {
        Self(path)
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl FileState {
    /// Takes a content as read.
    pub fn new(bytes: Vec<u8>, mode: u32) -> Self {
        let hash = ContentHash::of(&bytes);
        Self { bytes, hash, mode }
    }
}

impl VerifiedEdits {
    /// Seals a plan.
    pub(crate) fn seal(files: Vec<PlannedFile>) -> Self {
        Self { files }
    }

    /// Returns the files of the plan.
    pub fn files(&self) -> &[PlannedFile] {
        &self.files
    }

    /// Takes the plan apart.
    pub(crate) fn into_files(self) -> Vec<PlannedFile> {
        self.files
    }
}
