//! A working folder: its files as they are, put back, and compared.
//!
//! In: a folder. Out: every file that git does not ignore, by path. Never looks into what tools build or
//! install, nor into what git and the product keep for themselves.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// The files of a folder, by their path with `/`.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

const IGNORED: &[&str] = &[
    ".git",
    ".salve",
    "target",
    "build",
    "node_modules",
    "__pycache__",
    ".pytest_cache",
    ".vitest",
];

/// Reads every file.
pub(crate) fn read(root: &Path) -> Result<Files> {
    let mut files = Files::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type()?;
            if kind.is_dir() && !IGNORED.contains(&name.as_str()) {
                folders.push(entry.path());
            } else if kind.is_file() {
                let path = entry.path();
                let own = path.strip_prefix(root)?.to_string_lossy().into_owned();
                files.insert(own, std::fs::read(&path)?);
            }
        }
    }
    Ok(files)
}

/// Brings a folder back to what it was; files that are right are not touched.
pub(crate) fn restore(root: &Path, wanted: &Files) -> Result<()> {
    let found = read(root)?;
    for path in found.keys().filter(|path| !wanted.contains_key(*path)) {
        std::fs::remove_file(root.join(path))?;
    }
    for (path, bytes) in wanted {
        if found.get(path) != Some(bytes) {
            let path = root.join(path);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(path, bytes)?;
        }
    }
    let kept = root.join(".salve");
    if kept.exists() {
        std::fs::remove_dir_all(kept)?;
    }
    Ok(())
}

/// Returns whether two folders differ in white space alone.
pub(crate) fn same_but_for_space(left: &Files, right: &Files) -> bool {
    let squeezed = |bytes: &[u8]| -> Vec<u8> {
        bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
    };
    left.len() == right.len()
        && left.iter().all(|(path, bytes)| {
            right
                .get(path)
                .is_some_and(|other| bytes == other || (squeezed(bytes) == squeezed(other)))
        })
}

/// Returns the paths at which two folders differ.
pub(crate) fn differences(left: &Files, right: &Files) -> Vec<String> {
    let paths = left.keys().chain(right.keys().filter(|path| !left.contains_key(*path)));
    paths.filter(|path| left.get(*path) != right.get(*path)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(texts: &[(&str, &str)]) -> Files {
        texts.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn a_folder_is_put_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let wanted = files(&[("a", "1"), ("b/c", "2")]);
        restore(folder.path(), &wanted).expect("written");
        std::fs::write(folder.path().join("a"), "3").expect("written");
        std::fs::write(folder.path().join("d"), "4").expect("written");
        std::fs::create_dir(folder.path().join("target")).expect("made");
        std::fs::write(folder.path().join("target/e"), "5").expect("written");
        let found = read(folder.path()).expect("read");
        assert_eq!(differences(&wanted, &found), ["a", "d"]);
        restore(folder.path(), &wanted).expect("restored");
        assert_eq!(read(folder.path()).expect("read"), wanted);
        assert!(folder.path().join("target/e").exists());
    }

    #[test]
    fn white_space_does_not_count() {
        let plain = files(&[("a", "x = 1;\n")]);
        assert!(same_but_for_space(&plain, &files(&[("a", "x=1;")])));
        assert!(!same_but_for_space(&plain, &files(&[("a", "x=2;")])));
        assert!(!same_but_for_space(&plain, &files(&[("b", "x=1;")])));
    }
}
