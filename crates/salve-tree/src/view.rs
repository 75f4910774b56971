//! The two trees that edits are verified against: a workspace on disk, and files in memory.
//!
//! In: a root or a map of files. Out: admitted paths and file states. Never: a write.

mod from_here;

use crate::path::{self, AdmitOptions, Root};
use crate::{FileState, FileView, TreePath, ViewError};
use std::collections::BTreeMap;

/// The permission bits of a file in memory that were not given.
const PLAIN_MODE: u32 = 0o644;

/// A workspace on disk.
#[derive(Debug)]
pub struct DiskView<'a> {
    root: &'a Root,
    options: AdmitOptions,
    /// The folder that paths are tried from too, relative to the root; empty for the root alone.
    here: &'a str,
}

/// Files in memory, under the same rules on names.
#[derive(Debug, Clone, Default)]
pub struct MemoryView {
    files: BTreeMap<String, FileState>,
    options: AdmitOptions,
}

impl<'a> DiskView<'a> {
    /// Looks at a workspace.
    pub fn new(root: &'a Root, options: AdmitOptions) -> Self {
        Self { root, options, here: "" }
    }

    /// Tries paths from a folder of the workspace too, given relative to its root.
    #[must_use]
    pub fn from_here(self, here: &'a str) -> Self {
        Self { here, ..self }
    }
}

impl FileView for DiskView<'_> {
    fn admit(&self, path: &str) -> Result<TreePath, ViewError> {
        from_here::admit(self.root, self.here, path, &self.options)
    }

    fn read(&self, path: &TreePath) -> Result<Option<FileState>, ViewError> {
        self.root.read(path)
    }
}

impl MemoryView {
    /// Takes files by their paths, with plain permission bits.
    pub fn new<P: Into<String>, B: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (P, B)>,
        options: AdmitOptions,
    ) -> Self {
        let files = files
            .into_iter()
            .map(|(path, bytes)| (path.into(), FileState::new(bytes.into(), PLAIN_MODE)))
            .collect();
        Self { files, options }
    }

    /// Puts one file, replacing what was there.
    pub fn insert(&mut self, path: impl Into<String>, state: FileState) {
        self.files.insert(path.into(), state);
    }
}

impl FileView for MemoryView {
    fn admit(&self, path: &str) -> Result<TreePath, ViewError> {
        path::admit_in_memory(path, &self.files, &self.options)
    }

    fn read(&self, path: &TreePath) -> Result<Option<FileState>, ViewError> {
        Ok(self.files.get(path.as_str()).cloned())
    }
}
