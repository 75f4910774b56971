//! The files a plan asks for, read and hashed.
//!
//! In: an open workspace, its names, the actions of a plan, limits. Out: texts with their hashes, each search
//! that found nothing with its reason, each file that was left out with its own. What git ignores is not
//! found; what holds secrets by its name, is no text, or leads out of the workspace is not read. Never above
//! the limits; the same tree and plan give the same files in the same order.

mod file;
mod map_index;
mod pattern;

pub(super) use file::{beginning, read_known, read_text};
pub use map_index::{MapLimits, map_index};

use super::plan::{PlanAction, WorkspaceNames};
use super::urls::UrlRefusal;
use pattern::{Found, find};
use salve_check::project_files;
use salve_tree::Root;
use salve_types::Language;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// How many files that were left out are named; the others are counted.
pub const MAX_OMITTED: usize = 100;

/// How much is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadLimits {
    /// The most files.
    pub files: usize,
    /// The most bytes of one file that are shown; a longer one is cut at the end of a line.
    pub bytes_per_file: usize,
    /// The most bytes that are shown of all files together.
    pub bytes_total: usize,
    /// The largest file that is read at all.
    pub largest: u64,
}

impl Default for LoadLimits {
    fn default() -> Self {
        Self { files: 20, bytes_per_file: 96 << 10, bytes_total: 384 << 10, largest: 4 << 20 }
    }
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedFile {
    /// Its path in the workspace.
    pub path: String,
    /// The BLAKE3 hash of all of it.
    pub hash: String,
    /// The MD5 of all of it, for labels.
    pub md5: String,
    /// Its size in bytes.
    pub size: u64,
    /// What it is written in.
    pub language: Language,
    /// Its text, or the beginning of it.
    pub text: String,
    /// Whether `text` is only the beginning.
    pub cut: bool,
}

/// Why a search found nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchCode {
    /// No file of the workspace fits.
    NoMatch,
    /// It is no pattern.
    BadPattern,
    /// It leads out of the workspace.
    Outside,
    /// The file is there, and the project ignores it.
    Ignored,
    /// What fits was left out, for this reason.
    LeftOut(OmitCode),
    /// Addresses are not fetched here.
    UrlsOff,
    /// The address was not fetched, for this reason.
    Url(UrlRefusal),
}

/// Why a file was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OmitCode {
    /// It holds secrets by its name.
    Secret,
    /// It leads out of the workspace, or into a repository.
    Outside,
    /// It is no text.
    Binary,
    /// Its encoding is not known.
    Encoding,
    /// It is larger than what is read.
    TooLarge,
    /// Its name is none that can be shown safely.
    Name,
    /// There were enough files.
    FileLimit,
    /// There were enough bytes.
    ByteLimit,
    /// It could not be read, or is gone.
    Unreadable,
}

/// A search that found nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchFailure {
    /// The pattern or address as it was written.
    pub pattern: String,
    /// Why.
    pub code: SearchCode,
}

/// A file that fits and was not loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OmittedFile {
    /// Its path.
    pub path: String,
    /// Why.
    pub code: OmitCode,
    /// Its size in bytes, where it is known.
    pub size: u64,
}

/// What came of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Loaded {
    /// The files, in the order of the actions.
    pub files: Vec<LoadedFile>,
    /// The searches without a result.
    pub failures: Vec<SearchFailure>,
    /// What was left out.
    pub omitted: Vec<OmittedFile>,
    /// How many more were left out than are named.
    pub omitted_more: usize,
}

/// Lists the files of a workspace as plans know them: without what is ignored.
///
/// # Errors
/// When the folder cannot be read.
pub fn workspace_names(root: &Root) -> io::Result<WorkspaceNames> {
    let files = project_files(root.path()).map_err(io::Error::other)?;
    Ok(WorkspaceNames::new(files))
}

/// Loads what a plan asks for.
///
/// # Errors
/// When the workspace cannot be opened or listed.
pub fn load(root: &Path, actions: &[PlanAction], limits: &LoadLimits) -> io::Result<Loaded> {
    let root = Root::open(root)?;
    let names = workspace_names(&root)?;
    Ok(load_from(&root, &names, actions, limits))
}

/// Loads what a plan asks for from a workspace whose names are known. Addresses are answered with
/// [`SearchCode::UrlsOff`]: who may fetch them takes them out of the plan first.
pub fn load_from(
    root: &Root,
    names: &WorkspaceNames,
    actions: &[PlanAction],
    limits: &LoadLimits,
) -> Loaded {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut loaded = Loaded::default();
    for action in actions {
        let (written, code) = match action {
            PlanAction::Url { url } => (url, SearchCode::UrlsOff),
            PlanAction::File { pattern } => match find(root, names, pattern) {
                Found::Files(files) => {
                    found.push((pattern, files));
                    continue;
                }
                Found::Nothing(code) => (pattern, code),
            },
        };
        loaded.failures.push(SearchFailure { pattern: written.clone(), code });
    }
    let mut loading = Loading { root, limits, seen: BTreeSet::new(), bytes: 0, loaded };
    // In turns, so that a broad pattern does not use up the room of a narrow one after it.
    let rounds = found.iter().map(|(_, files)| files.len()).max().unwrap_or(0);
    for round in 0..rounds {
        for (_, files) in &found {
            if let Some(path) = files.get(round) {
                loading.take(path);
            }
        }
    }
    let mut loaded = loading.loaded;
    for (pattern, files) in &found {
        let is_there = |path: &&str| loaded.files.iter().any(|file| file.path == **path);
        let first = loaded.omitted.iter().find(|one| files.contains(&one.path.as_str()));
        if let Some(code) = first.map(|one| one.code).filter(|_| !files.iter().any(is_there)) {
            let code = SearchCode::LeftOut(code);
            loaded.failures.push(SearchFailure { pattern: (*pattern).to_owned(), code });
        }
    }
    loaded
}

struct Loading<'a> {
    root: &'a Root,
    limits: &'a LoadLimits,
    seen: BTreeSet<&'a str>,
    bytes: usize,
    loaded: Loaded,
}

impl<'a> Loading<'a> {
    fn take(&mut self, path: &'a str) {
        if !self.seen.insert(path) {
            return;
        }
        if self.loaded.files.len() >= self.limits.files {
            return self.omit(path, OmitCode::FileLimit, None);
        }
        let left = self.limits.bytes_total.saturating_sub(self.bytes);
        match read_text(self.root, path, self.limits.largest) {
            Err((code, size)) => self.omit(path, code, Some(size)),
            Ok(read) => {
                let file = read.into_loaded(path, self.limits.bytes_per_file);
                if file.text.len() > left {
                    return self.omit(path, OmitCode::ByteLimit, Some(file.size));
                }
                self.bytes += file.text.len();
                self.loaded.files.push(file);
            }
        }
    }

    fn omit(&mut self, path: &str, code: OmitCode, size: Option<u64>) {
        if self.loaded.omitted.len() >= MAX_OMITTED {
            self.loaded.omitted_more += 1;
            return;
        }
        let on_disk = || self.root.path().join(path).symlink_metadata().map_or(0, |it| it.len());
        let size = size.unwrap_or_else(on_disk);
        self.loaded.omitted.push(OmittedFile { path: path.to_owned(), code, size });
    }
}

#[cfg(test)]
mod tests;
