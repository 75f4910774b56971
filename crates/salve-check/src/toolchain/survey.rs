//! The files of a folder, as far as toolchains care.
//!
//! In: a folder. Out: the relative paths of its files, sorted, without what tools themselves put
//! there, and without what the project ignores. Bounded in number and depth, and it says when a bound
//! was met. Never follows a symlink, never reads a file's content except `.gitignore`.

use super::{Reach, ToolchainError};
use crate::RunPrograms;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

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
    /// Where files lie that are in a layer over the folder.
    pub(crate) located: BTreeMap<String, PathBuf>,
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

/// Tells whether a folder of this name belongs to tools.
pub(crate) fn is_tool_folder(name: &OsStr) -> bool {
    TOOL_FOLDERS.iter().any(|other| name == *other)
}

/// Walks a folder as programs find it.
pub(crate) fn survey_for(
    folder: &Path,
    runner: &dyn RunPrograms,
) -> Result<Survey, ToolchainError> {
    let mut found = survey(folder)?;
    let laid = runner.laid_over(folder);
    if laid.is_empty() {
        return Ok(found);
    }
    let mut files: BTreeSet<String> = std::mem::take(&mut found.files).into_iter().collect();
    for over in laid {
        let located = runner.locate(&folder.join(&over.path)).filter(|place| place.is_file());
        match located.filter(|_| over.is_there) {
            Some(place) => {
                files.insert(over.path.clone());
                found.located.insert(over.path, place);
            }
            None => files.retain(|file| !is_in(file, &over.path)),
        }
    }
    found.files = files.into_iter().collect();
    Ok(found)
}

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
                || !is_tool_folder(entry.file_name())
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

/// Lists the files of a project: what is neither ignored nor put there by tools, relative to the folder,
/// with `/`, sorted. A very large folder is not listed to its end.
///
/// # Errors
///
/// Fails when the folder cannot be read.
pub fn project_files(folder: &Path) -> Result<Vec<String>, ToolchainError> {
    Ok(survey(folder)?.files)
}

impl Survey {
    /// Returns where a file of the folder lies.
    pub(super) fn place_of(&self, folder: &Path, file: &str) -> PathBuf {
        self.located.get(file).cloned().unwrap_or_else(|| folder.join(file))
    }

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

/// What a folder's own `.gitignore` files leave out.
pub(crate) struct Ignored {
    root: PathBuf,
    rules: RefCell<HashMap<PathBuf, Gitignore>>,
}

impl Ignored {
    /// Looks at no file yet.
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), rules: RefCell::default() }
    }

    /// Tells whether a file, relative to the folder, is left out. The rules nearest to it win.
    pub(crate) fn holds(&self, file: &str) -> bool {
        let path = self.root.join(file);
        let above = path.ancestors().skip(1).take_while(|above| above.starts_with(&self.root));
        let mut rules = self.rules.borrow_mut();
        for folder in above {
            let known = rules.entry(folder.to_owned()).or_insert_with(|| rules_of(folder));
            let matched = known.matched_path_or_any_parents(&path, false);
            if !matched.is_none() {
                return matched.is_ignore();
            }
        }
        false
    }
}

fn rules_of(folder: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    // A line that is no pattern says nothing, as for git.
    let _ = builder.add(folder.join(".gitignore"));
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
