//! Takes paths out of a folder, for rules that can only grant.
//!
//! In: a folder, paths that must stay out. Out: the largest folders and files that together are all
//! of it but those paths, and the folders that had to be taken apart. Never follows a link, and
//! never lists a folder that nothing has to be taken out of.

use std::path::{Path, PathBuf};

/// A folder, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Split {
    /// What can be granted with everything below it.
    pub(super) whole: Vec<PathBuf>,
    /// Folders that something was taken out of.
    pub(super) folders: Vec<PathBuf>,
}

/// Takes `closed` out of a folder. A path that does not exist is taken out too: its folder is not
/// granted, so that it cannot be made.
pub(super) fn around(folder: &Path, closed: &[PathBuf]) -> Split {
    let mut split = Split::default();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if closed.contains(&path) {
            continue;
        }
        if !closed.iter().any(|closed| closed.starts_with(&path)) {
            split.whole.push(path);
            continue;
        }
        let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
        let entries =
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
        open.extend(entries.map(|entry| entry.path()));
        split.folders.push(path);
    }
    split
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test's own files")]
    fn a_folder_is_taken_apart_only_where_something_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in ["src/deep", ".git/hooks", "sub/.git", "sub/lib"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        std::fs::write(root.join("file"), "").unwrap();
        std::os::unix::fs::symlink("/etc", root.join("link")).unwrap();
        let closed = [".git", "sub/.git", ".salve"].map(|name| root.join(name));
        let mut split = around(root, &closed);
        split.whole.sort();
        assert_eq!(split.whole, ["file", "src", "sub/lib"].map(|name| root.join(name)));
        assert_eq!(split.folders, [root.to_owned(), root.join("sub")]);
        let apart = around(&root.join("src"), &closed);
        assert_eq!((apart.whole, apart.folders), (vec![root.join("src")], vec![]));
        assert_eq!(around(&root.join(".git"), &closed), Split::default());
    }
}
