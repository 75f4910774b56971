//! The files of a folder, as far as toolchains care.
//!
//! In: a folder. Out: the relative paths of its files, sorted, without what tools themselves put
//! there, and without what the project ignores. Bounded in number and depth, and it says when a bound
//! was met. Never follows a symlink, never reads a file's content except `.gitignore`.

use super::{Reach, ToolchainError};
use std::path::Path;

/// What a walk found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Survey {
    /// Paths relative to the folder, with `/`, sorted.
    pub(crate) files: Vec<String>,
    /// Whether there was more than the bounds let in.
    pub(crate) cut: bool,
    /// The files and folders that are to be checked, relative to the folder; all when empty.
    pub(crate) scope: Vec<String>,
    /// Which of the projects around the scope is checked.
    pub(crate) reach: Reach,
}

/// The most entries of a folder that are looked at.
const MOST_ENTRIES: usize = 50_000;
const MOST_LEVELS: usize = 24;

/// Folders that belong to tools, whatever is in them.
const TOOL_FOLDERS: &[&str] = &[
    ".git",
    ".gradle",
    ".hg",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".salve",
    ".svn",
    ".tox",
    ".venv",
    "__pycache__",
    "node_modules",
    "site-packages",
    "target",
    "vendor",
    "venv",
];

/// Walks a folder.
pub(crate) fn survey(folder: &Path) -> Result<Survey, ToolchainError> {
    let unreadable = |source| ToolchainError::Unreadable { path: folder.to_owned(), source };
    // The walk itself passes over what it cannot read; the folder itself must be there.
    std::fs::read_dir(folder).map_err(unreadable)?;
    let walk = ignore::WalkBuilder::new(folder)
        .hidden(false)
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .max_depth(Some(MOST_LEVELS))
        .filter_entry(|entry| {
            entry.depth() == 0
                || !entry.file_type().is_some_and(|kind| kind.is_dir())
                || !TOOL_FOLDERS.iter().any(|name| entry.file_name() == *name)
        })
        .build();
    let mut found = Survey::default();
    for (count, entry) in walk.flatten().enumerate() {
        if count >= MOST_ENTRIES {
            found.cut = true;
            break;
        }
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let relative = entry.path().strip_prefix(folder).ok().and_then(Path::to_str);
        if let (true, Some(relative)) = (is_file, relative) {
            found.files.push(relative.to_owned());
        }
    }
    found.files.sort_unstable();
    Ok(found)
}

impl Survey {
    /// Tells whether what runs in a folder checks something of the scope: what is in it, or around it.
    pub(super) fn concerns(&self, folder: &str) -> bool {
        self.scope.is_empty()
            || self.scope.iter().any(|path| is_in(path, folder) || is_in(folder, path))
    }

    /// Tells whether a file is to be checked.
    pub(super) fn covers(&self, file: &str) -> bool {
        self.scope.is_empty() || self.scope.iter().any(|path| is_in(file, path))
    }
}

/// Tells whether a path is a folder or below it.
pub(crate) fn is_in(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
