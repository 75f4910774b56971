//! The walk through files that are only in memory.
//!
//! In: a map of files. Out: what is at each step. Never: symlinks; a map has none.

use super::resolve::{Entry, Kind, Walk};
use super::{Objection, PathRule};
use crate::FileState;
use std::collections::{BTreeMap, BTreeSet};

/// A walk through a map of files.
pub(super) struct MemoryWalk<'a> {
    files: &'a BTreeMap<String, FileState>,
    /// The current directory with a final `/`; empty at the root.
    current: String,
    looked: String,
}

impl<'a> MemoryWalk<'a> {
    pub(super) fn new(files: &'a BTreeMap<String, FileState>) -> Self {
        Self { files, current: String::new(), looked: String::new() }
    }

    fn below<'b>(&'b self, directory: &'b str) -> impl Iterator<Item = &'b str> {
        self.files
            .range(directory.to_owned()..)
            .map_while(move |(path, _)| path.strip_prefix(directory))
    }
}

impl Walk for MemoryWalk<'_> {
    fn look(&mut self, name: &str) -> Result<Option<Entry>, Objection> {
        let path = format!("{}{name}", self.current);
        let entry = |kind, mode, bytes| Entry { kind, links: 1, mode, bytes, immutable: false };
        if let Some(file) = self.files.get(&path) {
            return Ok(Some(entry(Kind::File, file.mode, file.bytes.len() as u64)));
        }
        self.looked = format!("{path}/");
        let exists = self.below(&self.looked).next().is_some();
        Ok(exists.then(|| entry(Kind::Directory, 0o755, 0)))
    }

    fn link_target(&mut self) -> Result<String, Objection> {
        Err(Objection::new(PathRule::Unreadable, "files in memory have no symlinks"))
    }

    fn enter(&mut self) {
        self.current = std::mem::take(&mut self.looked);
    }

    fn leave(&mut self) {
        let above = self.current.trim_end_matches('/').rfind('/').map_or(0, |slash| slash + 1);
        self.current.truncate(above);
    }

    fn is_repository(&self) -> bool {
        let has = |name: &str| {
            let path = format!("{}{name}", self.current);
            self.files.contains_key(&path) || self.below(&format!("{path}/")).next().is_some()
        };
        super::resolve::looks_like_a_repository(has)
    }

    fn siblings(&self) -> Vec<String> {
        let names: BTreeSet<&str> =
            self.below(&self.current).filter_map(|path| path.split('/').next()).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    fn writable(&self) -> bool {
        true
    }
}
