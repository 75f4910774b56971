//! The files of a state: the user's tree with a patch on top.
//!
//! In: a folder, the patch. Out: texts. Never follows a link, never leaves the folder, never reads what is
//! too large to be source code.

use crate::heal::{Patch, Sources};
use salve_check::project_files;
use std::path::{Component, Path};

const MOST_BYTES: u64 = 4 << 20;

/// Reads the files of a state.
pub(super) struct ShadowSources<'a> {
    root: &'a Path,
    patch: &'a Patch,
}

impl<'a> ShadowSources<'a> {
    pub(super) fn new(root: &'a Path, patch: &'a Patch) -> Self {
        Self { root, patch }
    }
}

impl Sources for ShadowSources<'_> {
    fn read(&self, path: &str) -> Option<String> {
        if let Some(patched) = self.patch.files.get(path) {
            return patched.clone();
        }
        let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        let file = self.root.join(path);
        let found = file.symlink_metadata().ok()?;
        if !inside || !found.is_file() || found.len() > MOST_BYTES {
            return None;
        }
        std::fs::read_to_string(file).ok()
    }

    fn list(&self) -> Vec<String> {
        let mut files = project_files(self.root).unwrap_or_default();
        for (path, text) in &self.patch.files {
            match (files.binary_search(path), text) {
                (Err(at), Some(_)) => files.insert(at, path.clone()),
                (Ok(at), None) => drop(files.remove(at)),
                _ => {}
            }
        }
        files
    }
}
