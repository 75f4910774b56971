//! The protected set in a run: what exists is kept, what is new is moved aside.
//!
//! In: a workspace, before and after a run. Out: the files and folders that tools outside of every
//! sandbox execute or obey (editors, hooks, build servers, agents), and after the run a list of those
//! that are new, now in `.salve/aside`. Never goes below a folder that package managers fill and git
//! does not track, and never follows a link.
//!
//! What exists is read-only for a run by the sandbox itself. A name that does not exist cannot be
//! guarded at every depth, so it is looked for afterwards: the moment between is as short as the end
//! of the run is near, and the user's tools read such files when they start, not when they appear.

mod tracked;

use super::state::StateFolder;
use salve_types::{Binds, DEPENDENCY_FOLDERS, ProtectedForm, protected_entries, protected_entry};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tracked::Tracked;

/// How many entries of a workspace are looked at before a run, nearest to its folder first.
const ENTRIES: usize = 200_000;
/// And after it. To list a name is far quicker than to make it, so that this is more than a run makes
/// within its deadline.
const ENTRIES_AFTER: usize = 10_000_000;
/// In how many folders the names of the table are asked for one by one when even that is used up.
const ASKED_FOLDERS: usize = 2_000;
/// Where new ones go, below Salve's own folder.
pub(super) const ASIDE: &str = "aside";

/// The protected files of a workspace, relative to it, and which folder each of them is in. The file
/// itself may become another one meanwhile: the user saves, and a run cannot. But a run can move the
/// folder away and make one of the same name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ProtectedFiles {
    files: BTreeMap<PathBuf, (u64, u64)>,
    /// The folders that were too many to look at.
    unseen: HashSet<PathBuf>,
    /// When the run began, in seconds.
    since: u64,
}

/// What was moved aside, and whether everything was looked at.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MovedFiles {
    /// Where they were, relative to the workspace.
    pub(super) paths: Vec<PathBuf>,
    /// How many folders held too much to look at.
    pub(super) unseen: usize,
}

impl ProtectedFiles {
    /// Looks for them before a run that begins at this time, in seconds.
    pub(super) fn find(workspace: &Path, since: u64) -> Self {
        Self { since, ..Self::find_within(workspace, ENTRIES) }
    }

    fn find_within(workspace: &Path, mut left: usize) -> Self {
        let mut found = Self::default();
        let (names, tracked) = (Names::of_the_table(), Tracked::of(workspace));
        for place in &tracked.gitlinks {
            found.look_at(workspace, place, ".git");
        }
        let mut open = VecDeque::from([PathBuf::new()]);
        while let Some(folder) = open.pop_front() {
            let path = workspace.join(&folder);
            let Ok(above) = path.metadata() else { continue };
            if left == 0 {
                found.ask_for(workspace, &folder, &names);
                continue;
            }
            let mut entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            for entry in entries.by_ref().take(left) {
                left -= 1;
                let path = folder.join(entry.file_name());
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if names.may_name(&path) && is_protected(&path) {
                    found.files.insert(path, (above.dev(), above.ino()));
                } else if is_folder && !is_left_alone(&path, &tracked) {
                    open.push_back(path);
                }
            }
            if left == 0 && entries.next().is_some() {
                found.ask_for(workspace, &folder, &names);
            }
        }
        found
    }

    // What is too much to list is asked for by the names of the table.
    fn ask_for(&mut self, workspace: &Path, folder: &Path, names: &Names) {
        if self.unseen.len() < ASKED_FOLDERS {
            for name in &names.whole {
                if is_protected(&folder.join(name)) {
                    self.look_at(workspace, folder, name);
                }
            }
        }
        self.unseen.insert(folder.to_owned());
    }

    fn look_at(&mut self, workspace: &Path, folder: &Path, name: &str) {
        let path = folder.join(name);
        let above = workspace.join(folder).symlink_metadata();
        if let (Ok(above), Ok(_)) = (above, workspace.join(&path).symlink_metadata()) {
            self.files.insert(path, (above.dev(), above.ino()));
        }
    }

    /// Returns their paths.
    pub(super) fn paths(&self, workspace: &Path) -> Vec<PathBuf> {
        self.files.keys().map(|path| workspace.join(path)).collect()
    }

    /// Moves those aside that were not there before. Returns their paths, in the workspace.
    pub(super) fn move_new_aside(
        before: &Self,
        workspace: &Path,
        state: &StateFolder,
        run: &str,
    ) -> io::Result<MovedFiles> {
        let after = Self::find_within(workspace, ENTRIES_AFTER);
        before.move_aside(after, workspace, state, run)
    }

    #[expect(clippy::disallowed_methods, reason = "what the run has made goes out of the tree")]
    fn move_aside(
        &self,
        after: Self,
        workspace: &Path,
        state: &StateFolder,
        run: &str,
    ) -> io::Result<MovedFiles> {
        let unseen = after.unseen.len();
        let mut moved = MovedFiles { paths: Vec::new(), unseen };
        for (path, file) in after.files {
            if !self.is_new(workspace, &path, file) {
                continue;
            }
            let aside = state.subfolder(ASIDE)?.subfolder(run)?.path().join(&path);
            if let Some(folder) = aside.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::rename(workspace.join(&path), &aside)?;
            moved.paths.push(path);
        }
        Ok(moved)
    }

    // Where nothing was looked at before, the time of the last change tells: no program can set it.
    fn is_new(&self, workspace: &Path, path: &Path, file: (u64, u64)) -> bool {
        if self.files.get(path) == Some(&file) {
            return false;
        }
        let was_unseen = path.ancestors().skip(1).any(|folder| self.unseen.contains(folder));
        let changed = workspace.join(path).symlink_metadata().map(|status| status.ctime());
        let since = i64::try_from(self.since).unwrap_or(i64::MAX);
        !was_unseen || changed.is_ok_and(|changed| changed >= since)
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
                ProtectedForm::Start(start) | ProtectedForm::Stem(start) => {
                    names.starts.push(start);
                }
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

/// Package managers and git fill those by themselves, unless git tracks what is in them; `.git` and
/// `.salve` are guarded as a whole.
fn is_left_alone(folder: &Path, tracked: &Tracked) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    name == ".git"
        || name == super::state::STATE
        || (DEPENDENCY_FOLDERS.contains(&name.as_str()) && !tracked.holds(folder))
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
        let before = ProtectedFiles::find(root, 0);
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
        let moved: Vec<_> = moved.paths.iter().map(|path| path.to_str().unwrap()).collect();
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
        assert_eq!(again, MovedFiles { paths: Vec::new(), unseen: 0 });
    }

    fn aside(before: &ProtectedFiles, root: &Path, left: usize) -> (Vec<String>, usize) {
        let state = StateFolder::open(root).unwrap();
        let after = ProtectedFiles::find_within(root, left);
        let moved = before.move_aside(after, root, &state, "1").unwrap();
        (moved.paths.iter().map(|path| path.display().to_string()).collect(), moved.unseen)
    }

    #[test]
    fn more_files_than_are_looked_at_hide_nothing_that_has_a_name_of_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        make(root, "a/b/old.txt");
        let before = ProtectedFiles::find_within(root, 100);
        for number in 0..300 {
            make(root, &format!("a/junk/{number}"));
            make(root, &format!("junk{number}"));
        }
        make(root, "a/b/.vscode/tasks.json");
        make(root, "a/.envrc");
        // As many as there are entries, and far fewer.
        let (moved, unseen) = aside(&before, root, ENTRIES_AFTER);
        assert_eq!((moved, unseen), (vec!["a/.envrc".to_owned(), "a/b/.vscode".to_owned()], 0));
        make(root, ".vscode/tasks.json");
        let (moved, unseen) = aside(&before, root, 20);
        assert_eq!(moved, [".vscode"]);
        assert!(unseen > 0, "what was not looked at is counted");
    }

    #[test]
    fn what_was_too_much_to_look_at_before_is_told_by_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for number in 0..50 {
            make(root, &format!("many/{number}"));
        }
        make(root, "many/deep/AGENTS.md");
        let mut before = ProtectedFiles::find_within(root, 10);
        assert!(before.unseen.contains(Path::new("many")));
        before.since = u64::MAX;
        assert_eq!(aside(&before, root, ENTRIES), (Vec::new(), 0));
        before.since = 0;
        assert_eq!(aside(&before, root, ENTRIES).0, ["many/deep/AGENTS.md"]);
    }

    // An index of version 2 with these entries.
    fn index(entries: &[(&str, u32)]) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x02".to_vec();
        bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
        for (name, mode) in entries {
            let start = bytes.len();
            bytes.extend([0; 24]);
            bytes.extend(mode.to_be_bytes());
            bytes.extend([0; 32]);
            bytes.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
            bytes.extend(name.bytes().chain([0]));
            while !(bytes.len() - start).is_multiple_of(8) {
                bytes.push(0);
            }
        }
        bytes.extend([7; 20]);
        bytes
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test's own files")]
    fn what_git_tracks_is_no_dependency_folder_and_a_submodule_gets_no_repository() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        make(root, "lib/vendor/x/go.mod");
        make(root, "node_modules/x/index.js");
        make(root, "sub/.git");
        make(root, ".git/HEAD");
        std::fs::create_dir_all(root.join("empty")).unwrap();
        let entries =
            [("empty", 0o160_000), ("lib/vendor/x/go.mod", 0o100_644), ("sub", 0o160_000)];
        std::fs::write(root.join(".git/index"), index(&entries)).unwrap();
        let before = ProtectedFiles::find(root, 0);
        for path in [
            "lib/vendor/x/.vscode/tasks.json",
            "node_modules/x/.vscode/tasks.json",
            "vendor/y/.vscode/tasks.json",
            "empty/.git/config",
            "other/.git/config",
        ] {
            make(root, path);
        }
        let (moved, _) = aside(&before, root, ENTRIES);
        assert_eq!(moved, ["empty/.git", "lib/vendor/x/.vscode"]);
        std::fs::write(root.join(".git/index"), "no index").unwrap();
        let (moved, _) = aside(&before, root, ENTRIES);
        assert_eq!(moved, ["node_modules/x/.vscode", "vendor/y/.vscode"]);
    }
}
