//! The names of a workspace, ready to be asked for.
//!
//! In: the paths of its files, and which file defines which symbol. Out: the files and folders of a name, in
//! the order of their paths. Letters count alike in both cases where a name is looked up.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The files, folders and symbols of a workspace.
#[derive(Debug, Clone, Default)]
pub struct WorkspaceNames {
    paths: Vec<String>,
    /// Indices of files by their name in lower case.
    by_name: HashMap<String, Vec<usize>>,
    /// The same by what is before the first dot of the name.
    by_stem: HashMap<String, Vec<usize>>,
    /// Folders by their path.
    folders: BTreeSet<String>,
    /// Folders by their last name in lower case.
    folders_by_name: HashMap<String, Vec<String>>,
    symbols: BTreeMap<String, Vec<String>>,
}

impl WorkspaceNames {
    /// Takes paths relative to the workspace, separated by `/`.
    pub fn new(mut paths: Vec<String>) -> Self {
        paths.sort_unstable();
        paths.dedup();
        let mut names = Self::default();
        for (index, path) in paths.iter().enumerate() {
            let (above, file) = path.rsplit_once('/').unwrap_or(("", path));
            let lower = file.to_lowercase();
            let stem = lower.split('.').next().unwrap_or_default();
            if !stem.is_empty() {
                names.by_stem.entry(stem.to_owned()).or_default().push(index);
            }
            names.by_name.entry(lower).or_default().push(index);
            let mut folder = above;
            // Where a folder is known, so are those around it.
            while !folder.is_empty() && !names.folders.contains(folder) {
                names.folders.insert(folder.to_owned());
                folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            }
        }
        for folder in &names.folders {
            let name = folder.rsplit('/').next().unwrap_or(folder).to_lowercase();
            names.folders_by_name.entry(name).or_default().push(folder.clone());
        }
        names.paths = paths;
        names
    }

    /// Adds symbols, each with the file that defines it.
    #[must_use]
    pub fn with_symbols<'a>(mut self, found: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        for (name, path) in found {
            let paths = self.symbols.entry(name.to_owned()).or_default();
            if !paths.iter().any(|other| other == path) {
                paths.push(path.to_owned());
            }
        }
        self
    }

    /// Returns the paths of all files, sorted.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    pub(crate) fn has_file(&self, path: &str) -> bool {
        self.paths.binary_search_by(|other| other.as_str().cmp(path)).is_ok()
    }

    pub(crate) fn has_folder(&self, path: &str) -> bool {
        self.folders.contains(path)
    }

    /// Returns a file's name as the workspace spells it.
    pub(super) fn named(&self, name: &str) -> Option<&str> {
        let found = self.by_name.get(&name.to_lowercase())?;
        let spelled = found.iter().map(|&index| last_name(&self.paths[index]));
        let same = spelled.clone().find(|other| *other == name);
        same.or_else(|| spelled.min())
    }

    /// Lists the files whose name is this one before its first dot.
    pub(super) fn with_stem(&self, stem: &str) -> impl Iterator<Item = &str> {
        let found = self.by_stem.get(&stem.to_lowercase());
        found.into_iter().flatten().map(|&index| self.paths[index].as_str())
    }

    /// Lists the files that a path may mean which was written from elsewhere: it ends as theirs, or theirs as it.
    pub(super) fn ending_with(&self, path: &str) -> Vec<&str> {
        let written = path.trim_start_matches('/');
        let same_name = self.by_name.get(&last_name(written).to_lowercase());
        let files = || same_name.into_iter().flatten().map(|&index| self.paths[index].as_str());
        let ends = |long: &str, short: &str| {
            long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let inner: Vec<&str> = files().filter(|file| ends(file, written)).collect();
        if !inner.is_empty() {
            return inner;
        }
        // Of an absolute path, or one from above the workspace, the end that is longest.
        let outer = files().filter(|file| file.contains('/') && ends(written, file));
        if let Some(file) = outer.max_by_key(|file| file.len()) {
            return vec![file];
        }
        // Of a path whose first folders are wrong, the longest end that fits, down to a folder and a name.
        for (at, _) in written.match_indices('/') {
            let end = written.get(at + 1..).unwrap_or_default();
            let found: Vec<&str> = files().filter(|file| ends(file, end)).collect();
            if end.contains('/') && !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Lists the folders of a name.
    pub(super) fn folders_named(&self, name: &str) -> impl Iterator<Item = &str> {
        let found = self.folders_by_name.get(&name.to_lowercase());
        found.into_iter().flatten().map(String::as_str)
    }

    /// Lists the files that define a symbol.
    pub(super) fn defining(&self, symbol: &str) -> impl Iterator<Item = &str> {
        self.symbols.get(symbol).into_iter().flatten().map(String::as_str)
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
