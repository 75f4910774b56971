//! The protected set in a run: what exists is kept, what is new is moved aside.
//!
//! In: a workspace, before and after a run. Out: the files and folders that tools outside of every
//! sandbox execute or obey (editors, hooks, build servers, agents), and after the run a list of those
//! that are new, now in `.salve/aside`. Never goes below a folder that package managers fill, and
//! never follows a link.
//!
//! What exists is read-only for a run by the sandbox itself. A name that does not exist cannot be
//! guarded at every depth, so it is looked for afterwards: the moment between is as short as the end
//! of the run is near, and the user's tools read such files when they start, not when they appear.

use super::state::StateFolder;
use salve_types::{Binds, DEPENDENCY_FOLDERS, ProtectedForm, protected_entries, protected_entry};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How many entries of a workspace are looked at, nearest to its folder first.
const ENTRIES: usize = 200_000;
/// Where new ones go, below Salve's own folder.
pub(super) const ASIDE: &str = "aside";

/// The protected files of a workspace, relative to it, and which folder each of them is in. The file
/// itself may become another one meanwhile: the user saves, and a run cannot. But a run can move the
/// folder away and make one of the same name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ProtectedFiles {
    files: BTreeMap<PathBuf, (u64, u64)>,
}

impl ProtectedFiles {
    /// Looks for them.
    pub(super) fn find(workspace: &Path) -> Self {
        let mut files = BTreeMap::new();
        let names = Names::of_the_table();
        let mut left = ENTRIES;
        let mut open = VecDeque::from([PathBuf::new()]);
        while let Some(folder) = open.pop_front() {
            let path = workspace.join(&folder);
            let Ok(above) = path.metadata() else { continue };
            for entry in std::fs::read_dir(path).into_iter().flatten().flatten().take(left) {
                left -= 1;
                let path = folder.join(entry.file_name());
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if names.may_name(&path) && is_protected(&path) {
                    files.insert(path, (above.dev(), above.ino()));
                } else if is_folder && !is_left_alone(&entry.file_name().to_string_lossy()) {
                    open.push_back(path);
                }
            }
        }
        Self { files }
    }

    /// Returns their paths.
    pub(super) fn paths(&self, workspace: &Path) -> Vec<PathBuf> {
        self.files.keys().map(|path| workspace.join(path)).collect()
    }

    /// Moves those aside that were not there before. Returns their paths, in the workspace.
    #[expect(clippy::disallowed_methods, reason = "what the run has made goes out of the tree")]
    pub(super) fn move_new_aside(
        before: &Self,
        workspace: &Path,
        state: &StateFolder,
        run: &str,
    ) -> io::Result<Vec<PathBuf>> {
        let after = Self::find(workspace);
        let new =
            after.files.into_iter().filter(|(path, file)| before.files.get(path) != Some(file));
        let mut moved = Vec::new();
        for (path, _) in new {
            let aside = state.subfolder(ASIDE)?.subfolder(run)?.path().join(&path);
            if let Some(folder) = aside.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::rename(workspace.join(&path), &aside)?;
            moved.push(path);
        }
        Ok(moved)
    }
}

/// The last names of the table's entries: most files of a workspace have none of them, and need no
/// look at the whole table.
struct Names {
    whole: HashSet<&'static str>,
    starts: Vec<&'static str>,
    endings: Vec<&'static str>,
}

impl Names {
    fn of_the_table() -> Self {
        let mut names = Self { whole: HashSet::new(), starts: Vec::new(), endings: Vec::new() };
        for entry in protected_entries().filter(|entry| entry.binds == Binds::EditsAndRuns) {
            match entry.form {
                ProtectedForm::Folder(name)
                | ProtectedForm::File(name)
                | ProtectedForm::Pair(_, name)
                | ProtectedForm::PairEnding(_, name) => {
                    names.whole.insert(name);
                }
                ProtectedForm::Start(start) => names.starts.push(start),
                ProtectedForm::Ending(ending) => names.endings.push(ending),
            }
        }
        names
    }

    fn may_name(&self, path: &Path) -> bool {
        let Some(name) = path.file_name() else { return false };
        let name = name.to_string_lossy().to_lowercase();
        self.whole.contains(name.as_str())
            || self.starts.iter().any(|start| name.starts_with(start))
            || self.endings.iter().any(|ending| name.ends_with(ending))
    }
}

/// Only the names of the last two levels can be new here: nothing below a protected folder is looked
/// at.
fn is_protected(path: &Path) -> bool {
    let names: Vec<String> =
        path.iter().map(|name| name.to_string_lossy().to_lowercase()).collect();
    let last = names.get(names.len().saturating_sub(2)..).unwrap_or_default();
    protected_entry(last).is_some_and(|entry| entry.binds == Binds::EditsAndRuns)
}

/// Package managers and git fill those by themselves; `.git` and `.salve` are guarded as a whole.
fn is_left_alone(name: &str) -> bool {
    let name = name.to_lowercase();
    name == ".git" || name == super::state::STATE || DEPENDENCY_FOLDERS.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "the test's own files")]
    fn make(root: &Path, path: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test's own files")]
    fn what_is_new_and_protected_is_moved_aside_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in [".vscode/settings.json", "a/AGENTS.md", "src/main.rs"] {
            make(root, path);
        }
        let before = ProtectedFiles::find(root);
        let known: Vec<_> = before.files.keys().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(known, [".vscode", "a/AGENTS.md"]);
        let kept = [
            "node_modules/x/.vscode/tasks.json",
            "node_modules/.bin/x",
            ".venv/bin/x",
            "a/__pycache__/x.pyc",
            ".yarn/cache/x",
            "target/debug/.npmrc",
            "src/lib.rs",
            "Makefile",
        ];
        let new = [".husky/pre-commit", ".github/workflows/x.yml", "a/b/.envrc", ".idea/x/y.xml"];
        for path in kept.iter().chain(&new) {
            make(root, path);
        }
        std::fs::rename(root.join("a"), root.join("moved")).unwrap();
        make(root, "a/AGENTS.md");
        make(root, "saved");
        std::fs::rename(root.join("saved"), root.join(".vscode/settings.json")).unwrap();
        let state = StateFolder::open(root).unwrap();
        let moved = ProtectedFiles::move_new_aside(&before, root, &state, "1").unwrap();
        let moved: Vec<_> = moved.iter().map(|path| path.to_str().unwrap()).collect();
        let expected = [
            ".github/workflows",
            ".husky",
            ".idea",
            "a/AGENTS.md",
            "moved/AGENTS.md",
            "moved/b/.envrc",
        ];
        assert_eq!(moved, expected);
        assert!(root.join(".salve/aside/1/.github/workflows/x.yml").is_file());
        assert!(kept.iter().all(|path| root.join(path.replace("a/_", "moved/_")).is_file()));
        assert!(root.join(".vscode/settings.json").is_file());
        let again = ProtectedFiles::move_new_aside(&before, root, &state, "2").unwrap();
        assert_eq!(again, [PathBuf::new(); 0]);
    }
}
