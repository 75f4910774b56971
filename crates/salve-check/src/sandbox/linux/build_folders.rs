//! Folders that toolchains make directly in a workspace's folder.
//!
//! In: a workspace, before a launch by rules. Out: those of the folders that its toolchains are known
//! to make and that are missing, made in advance, so that the rules can grant them. Never leaves an
//! empty one behind.
//!
//! Landlock grants what exists: the right to make something in a folder is the right to make it in
//! every folder below, `.git` among them.

use std::path::{Path, PathBuf};

/// What a file of the workspace says about folders to come. A file is made like a folder where the
/// tool takes an empty one for none and writes it in place: cargo, npm and go do. Others (uv, yarn)
/// write a file of another name first, which no rule can grant; for those there is the hint.
const MADE_BY_TOOLS: &[(&str, &[&str])] = &[
    ("Cargo.toml", &["target/", "Cargo.lock"]),
    ("pom.xml", &["target/"]),
    ("build.gradle", &["build/", ".gradle/"]),
    ("build.gradle.kts", &["build/", ".gradle/"]),
    ("CMakeLists.txt", &["build/"]),
    ("package.json", &["node_modules/", "dist/", "build/", "coverage/", NPM_LOCK]),
    ("next.config.js", &[".next/"]),
    ("next.config.mjs", &[".next/"]),
    ("next.config.ts", &[".next/"]),
    ("tsconfig.json", &["dist/"]),
    ("go.mod", &["go.sum"]),
    ("pyproject.toml", PYTHON),
    ("setup.py", PYTHON),
    ("setup.cfg", PYTHON),
    ("pytest.ini", PYTHON),
    ("conftest.py", PYTHON),
    ("requirements.txt", PYTHON),
];
const PYTHON: &[&str] = &[
    ".venv/",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    ".tox/",
    ".nox/",
    "__pycache__/",
    "build/",
    "dist/",
    "htmlcov/",
];
const NPM_LOCK: &str = "package-lock.json";
/// Where one of these is, another tool than npm locks the dependencies.
const OTHER_LOCKS: &[&str] =
    &["yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "npm-shrinkwrap.json"];

/// The folders and files of one launch; those that are empty are removed with it.
#[derive(Debug, Default)]
#[must_use = "what is empty is removed when this is dropped"]
pub(crate) struct BuildFolders {
    made: Vec<PathBuf>,
}

/// Makes what is missing. What cannot be made is not there for the launch either.
pub(crate) fn make_build_folders(workspace: &Path) -> BuildFolders {
    let found = MADE_BY_TOOLS.iter().filter(|(marker, _)| workspace.join(marker).is_file());
    let has_other_lock = OTHER_LOCKS.iter().any(|name| workspace.join(name).exists());
    let names = found.flat_map(|(_, names)| names.iter());
    let names = names.filter(|name| **name != NPM_LOCK || !has_other_lock);
    let made = names.filter_map(|name| make(workspace, name));
    BuildFolders { made: made.collect() }
}

fn make(workspace: &Path, name: &str) -> Option<PathBuf> {
    let path = workspace.join(name.trim_end_matches('/'));
    let made = if name.ends_with('/') {
        std::fs::create_dir(&path)
    } else {
        std::fs::File::create_new(&path).map(drop)
    };
    made.ok().map(|()| path)
}

impl Drop for BuildFolders {
    fn drop(&mut self) {
        for path in self.made.drain(..) {
            match path.symlink_metadata() {
                // Fails for a folder that something is in.
                Ok(found) if found.is_dir() => {
                    let _ = std::fs::remove_dir(&path);
                }
                Ok(found) if found.is_file() && found.len() == 0 => {
                    let _ = rustix::fs::unlink(&path);
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test's own files")]
    fn only_what_was_used_is_left() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        std::fs::create_dir(folder.path().join("target")).unwrap();
        drop(make_build_folders(folder.path()));
        assert!(
            folder.path().join("target").is_dir() && !folder.path().join("Cargo.lock").exists()
        );
        std::fs::write(folder.path().join("package.json"), "{}").unwrap();
        let made = make_build_folders(folder.path());
        std::fs::write(folder.path().join("dist/x"), "").unwrap();
        drop(made);
        let mut names: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["Cargo.toml", "dist", "package.json", "target"]);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test's own files")]
    fn what_package_managers_make_can_be_made() {
        for (files, made, not_made) in [
            (&["package.json"][..], &["node_modules", "package-lock.json"][..], &["yarn.lock"][..]),
            (&["package.json", "yarn.lock"], &["node_modules"], &["package-lock.json"]),
            (&["go.mod"], &["go.sum"], &["vendor"]),
            (&["requirements.txt"], &[".venv"], &["node_modules"]),
            (&["README.md"], &[], &["build", "dist"]),
        ] {
            let folder = tempfile::tempdir().unwrap();
            files.iter().for_each(|name| std::fs::write(folder.path().join(name), "").unwrap());
            let held = make_build_folders(folder.path());
            let there = |name: &&&str| folder.path().join(name).exists();
            assert!(made.iter().all(|name| there(&name)), "{files:?}");
            assert!(!not_made.iter().any(|name| there(&name)), "{files:?}");
            drop(held);
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), files.len());
        }
    }
}
