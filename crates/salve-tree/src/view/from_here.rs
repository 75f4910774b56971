//! Which file a path means in a folder below the root: seen from the root, or from the folder.
//!
//! In: a path as written and the folder. Out: the one admitted path that is there; where two files
//! are there, a refusal that names both. Never prefers one of two files that exist: a model may have
//! been shown either name.

use crate::path::{AdmitOptions, PathRule, Root};
use crate::{TreePath, ViewError};
use rustix::fs::{Mode, OFlags};

/// Admits a path seen from the root or from `here`.
///
/// What exists decides. Of a file that is new, the folder it would be in decides; where that says
/// nothing, it is the current one, where every tool puts a new file.
pub(super) fn admit(
    root: &Root,
    here: &str,
    written: &str,
    options: &AdmitOptions,
) -> Result<TreePath, ViewError> {
    let from_root = root.admit_with(written, options);
    if here.is_empty() || written.starts_with('/') || is_same_from_anywhere(&from_root) {
        return from_root;
    }
    let below = format!("{here}/{written}");
    let from_here = root.admit_with(&below, options).map_err(|error| as_written(error, written));
    match (exists(root, &from_root, written), exists(root, &from_here, &below)) {
        (true, true) if from_root != from_here => Err(ambiguous(written, here)),
        (true, _) => from_root,
        (false, true) => from_here,
        (false, false) if from_root.is_err() || from_here.is_err() => from_here.or(from_root),
        (false, false) if has_folder(root, &from_root) && !has_folder(root, &from_here) => {
            from_root
        }
        (false, false) => from_here,
    }
}

// Refused by its text: no folder makes it better.
fn is_same_from_anywhere(admitted: &Result<TreePath, ViewError>) -> bool {
    use PathRule as Rule;
    matches!(
        admitted,
        Err(ViewError::Refused {
            rule: Rule::BlankPath
                | Rule::Backslash
                | Rule::ControlCharacter
                | Rule::BidirectionalCharacter
                | Rule::InvisibleCharacter
                | Rule::OddSpace
                | Rule::DisguisedSeparator
                | Rule::HomeDirectory
                | Rule::DrivePath,
            ..
        })
    )
}

// Whether something is at a path, also where it is refused: a file that may not be changed is still
// the one that may be meant.
fn exists(root: &Root, admitted: &Result<TreePath, ViewError>, path: &str) -> bool {
    match admitted {
        Ok(path) => root.open_beneath(path, OFlags::PATH, Mode::empty()).is_ok(),
        Err(ViewError::Refused { rule: PathRule::OutsideWorkspace, .. }) => false,
        Err(_) => root.path().join(path).symlink_metadata().is_ok(),
    }
}

fn has_folder(root: &Root, admitted: &Result<TreePath, ViewError>) -> bool {
    admitted.as_ref().is_ok_and(|path| root.open_parent(path).is_ok())
}

fn ambiguous(written: &str, here: &str) -> ViewError {
    let below = format!("{here}/{written}");
    ViewError::Refused {
        path: written.to_owned(),
        rule: PathRule::AmbiguousPath,
        why: format!(
            "two files may be meant: {written:?} seen from the root of the workspace, and {below:?}; \
             write {below:?} for that one, or run the command in the root for the other"
        ),
    }
}

fn as_written(error: ViewError, written: &str) -> ViewError {
    match error {
        ViewError::Refused { rule, why, .. } => {
            ViewError::Refused { path: written.to_owned(), rule, why }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Files, the folder, the path as written, and the file that is meant or the rule that refuses.
    type Case = (&'static [&'static str], &'static str, &'static str, &'static str);

    const CASES: &[Case] = &[
        (&["src/a.rs"], "src", "src/a.rs", "src/a.rs"),
        (&["src/a.rs"], "src", "a.rs", "src/a.rs"),
        (&["src/a.rs"], "src", "./a.rs", "src/a.rs"),
        (&["src/a.rs", "b.rs"], "src", "../b.rs", "b.rs"),
        (&["src/a.rs", "b.rs"], "src", "b.rs", "b.rs"),
        (&["src/a.rs", "a.rs"], "src", "a.rs", "!ambiguous_path"),
        (&["src/a.rs", "a.rs"], "src", "../a.rs", "a.rs"),
        (&["src/a.rs", "a.rs"], "src", "src/a.rs", "src/a.rs"),
        (&["c/b/src/a.rs", "src/a.rs"], "c/b", "src/a.rs", "!ambiguous_path"),
        (&["c/b/src/a.rs", "src/a.rs"], "c/b", "c/b/src/a.rs", "c/b/src/a.rs"),
        (&["c/b/x"], "c/b", "../../../x", "!outside_workspace"),
        // New files.
        (&["c/b/x"], "c/b", "../../y", "y"),
        (&["c/b/src/a.rs"], "c/b", "src/new.rs", "c/b/src/new.rs"),
        (&["c/b/src/a.rs", "docs/x"], "c/b", "docs/new.md", "docs/new.md"),
        (&["c/b/src/a.rs"], "c/b", "c/b/src/new.rs", "c/b/src/new.rs"),
        (&["c/b/src/a.rs"], "c/b", "new.txt", "c/b/new.txt"),
        (&["c/b/src/a.rs"], "c/b", "deep/down/new.txt", "c/b/deep/down/new.txt"),
        // What may not be changed is still what is meant.
        (&[".env", "c/x"], "c", ".env", "!protected_secret"),
        (&[".env", "c/.env"], "c", ".env", "!protected_secret"),
        (&["c/x"], "c", "/etc/passwd", "!absolute_path"),
        (&["c/x"], "c", ".git/config", "!repository"),
        (&["c/x"], "c", "~/x", "!home_directory"),
    ];

    #[expect(clippy::disallowed_methods, reason = "a test's own scratch folder")]
    fn make(folder: &std::path::Path, files: &[&str]) {
        for file in files {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, file).unwrap();
        }
    }

    #[test]
    fn what_exists_decides_and_two_files_are_refused() {
        for (files, here, written, expected) in CASES {
            let folder = tempfile::tempdir().unwrap();
            make(folder.path(), files);
            let root = Root::open(folder.path()).unwrap();
            let found = match admit(&root, here, written, &AdmitOptions::default()) {
                Ok(path) => path.as_str().to_owned(),
                Err(ViewError::Refused { rule, .. }) => format!("!{rule}"),
                Err(error) => panic!("{error}"),
            };
            assert_eq!(found, *expected, "{written:?} in {here:?} among {files:?}");
        }
    }

    #[test]
    fn a_link_to_the_same_file_is_no_second_file() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), &["a.rs", "src/b.rs"]);
        std::os::unix::fs::symlink("../a.rs", folder.path().join("src/a.rs")).unwrap();
        let root = Root::open(folder.path()).unwrap();
        let found = admit(&root, "src", "a.rs", &AdmitOptions::default()).unwrap();
        assert_eq!(found.as_str(), "a.rs");
    }

    #[test]
    fn at_the_root_nothing_is_tried_twice() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), &["a.rs"]);
        let root = Root::open(folder.path()).unwrap();
        let refused = admit(&root, "", "../a.rs", &AdmitOptions::default()).unwrap_err();
        assert!(matches!(refused, ViewError::Refused { rule: PathRule::OutsideWorkspace, .. }));
    }
}
