//! Where things are: the repository, its build folder, its files.
//!
//! In: nothing but the file system. Out: paths and texts. Never lists what git would ignore.

use crate::process;
use anyhow::Context;
use std::path::{Path, PathBuf};

/// Returns the repository's root.
pub fn root() -> PathBuf {
    // Cargo names the manifest at run time; the compiled-in path would be wrong in a moved checkout.
    let manifest = std::env::var("CARGO_MANIFEST_DIR")
        .unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
    let manifest = PathBuf::from(manifest);
    manifest.parent().map_or_else(|| manifest.clone(), Path::to_path_buf)
}

/// Returns what cargo knows of the workspace, dependencies left out.
pub fn metadata() -> anyhow::Result<serde_json::Value> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let text = process::output(&mut process::cargo(&arguments))?;
    serde_json::from_str(&text).context("could not read cargo's metadata")
}

/// Returns the folder cargo builds into.
pub fn target_dir() -> anyhow::Result<PathBuf> {
    let metadata = metadata()?;
    let folder =
        metadata["target_directory"].as_str().context("metadata names no target folder")?;
    Ok(PathBuf::from(folder))
}

/// A text file of the repository.
pub struct SourceFile {
    /// Path from the root, with `/` between its parts.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// Reads every text file of the repository, ordered by path.
pub fn text_files() -> anyhow::Result<Vec<SourceFile>> {
    let root = root();
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("could not list {}", folder.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("could not list {}", folder.display()))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().with_context(|| format!("could not look at {name}"))?;
            if kind.is_dir() && !is_ignored(&name) {
                folders.push(entry.path());
            }
            if kind.is_file()
                && !is_ignored(&name)
                && let Ok(text) = std::fs::read_to_string(entry.path())
            {
                files.push(SourceFile { path: relative(&root, &entry.path()), text });
            }
        }
    }
    files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(files)
}

/// Returns the folder of acceptance cases, or nothing where the machine has none.
pub fn cases() -> Option<PathBuf> {
    let named = std::env::var_os("SALVE_CASES").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join("../shared/cases"));
    folder.is_dir().then_some(folder)
}

// The folders of .gitignore, and git's own; in a linked worktree `.git` is a file.
fn is_ignored(name: &str) -> bool {
    matches!(name, ".git" | "target" | "artifacts" | ".salve" | "node_modules")
}

fn relative(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}
