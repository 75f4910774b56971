//! How large the crates and files are.
//!
//! In: the repository's files and the binary's dependency tree. Out: a table, and a problem when the
//! binary needs too many packages. Never fails on a line count: sizes are printed to be looked at.

use std::collections::{BTreeMap, BTreeSet};
use xtask::process;
use xtask::workspace::SourceFile;

// 318 before the workbench. It and the line editor of conversations brought 31: axum, maud and utoipa nine, Markdown
// that is cleaned 16, colours of code four, the editor two. Each does what would be unsafe or long to write by hand.
const MOST_PACKAGES: usize = 350;
const MOST_SHARE: usize = 30;
const LONG_FILE: usize = 530;

/// Prints lines per crate with their share, and the files that may hold two ideas.
pub(super) fn print(files: &[SourceFile]) {
    let mut crates: BTreeMap<&str, Size> = BTreeMap::new();
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        let size = crates.entry(crate_of(&file.path)).or_default();
        let lines = file.text.lines().count();
        size.files += 1;
        size.lines += lines;
        size.code += lines_of_code(&file.text);
        if lines > LONG_FILE {
            size.long.push(format!("{} ({lines})", file.path));
        }
    }
    let product = |name: &str| name.starts_with("salve") && name != "salve-fuzz";
    let all: usize =
        crates.iter().filter(|(name, _)| product(name)).map(|(_, size)| size.code).sum();
    println!("{:<16} {:>6} {:>8} {:>8} {:>6}", "crate", "files", "lines", "code", "share");
    for (name, size) in &crates {
        let share = if product(name) { size.code * 100 / all.max(1) } else { 0 };
        let note =
            if share > MOST_SHARE { "above 30 %, the goal once all crates exist" } else { "" };
        let share = if product(name) { format!("{share} %") } else { "-".to_owned() };
        let row = format!(
            "{name:<16} {:>6} {:>8} {:>8} {share:>6}  {note}",
            size.files, size.lines, size.code
        );
        println!("{}", row.trim_end());
    }
    let long: Vec<_> = crates.values().flat_map(|size| &size.long).collect();
    println!("files over {LONG_FILE} lines: {}", long.len());
    for file in long {
        println!("  {file}");
    }
}

/// Counts the packages built for the binary.
pub(super) fn too_many_packages() -> anyhow::Result<Option<String>> {
    let arguments =
        ["tree", "-p", "salve-cli", "-e", "normal", "--prefix", "none", "--format", "{p}"];
    let text = process::output(&mut process::cargo(&arguments))?;
    let packages: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.split(" (").next())
        .filter(|line| !line.is_empty())
        .collect();
    println!("packages built for the binary: {} (at most {MOST_PACKAGES})", packages.len());
    Ok((packages.len() > MOST_PACKAGES)
        .then(|| format!("{} packages are built for the binary", packages.len())))
}

#[derive(Default)]
struct Size {
    files: usize,
    lines: usize,
    code: usize,
    long: Vec<String>,
}

fn crate_of(path: &str) -> &str {
    let mut parts = path.split('/');
    match parts.next() {
        Some("crates") => parts.next().unwrap_or("crates"),
        Some("fuzz") => "salve-fuzz",
        first => first.unwrap_or_default(),
    }
}

fn lines_of_code(text: &str) -> usize {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    text.lines().filter(is_code).count()
}
