//! `cargo xtask cuts --whole N`: whole real files, none of which may be called cut.
//!
//! In: folders with packages as they were published (the registry's sources, the libraries of Python
//! and Node, or `--under DIR`), and a seed. Out: how many of N files of each language are called cut,
//! and which. Fails for one. The languages take turns, those without a grammar too, so that a rare one
//! is not drowned. Files that are cut or broken on purpose, as tests of parsers have them, are told by
//! their folder or by their first words and left out.

use super::Judged;
use crate::corpus::Random;
use anyhow::{Context, Result, bail};
use salve_text::{LanguageHints, detect_language};
use salve_types::Language;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const LARGEST: u64 = 400_000;
// Folders in which parsers keep what they must refuse.
const BROKEN_ON_PURPOSE: &[&str] = &[
    "invalid",
    "fail",
    "failures",
    "errors",
    "err",
    "bad",
    "broken",
    "corpus",
    "fuzz",
    "fixtures",
    "test_data",
    "testdata",
    "ui",
    "compile-fail",
    "bad_coding",
    "badsyntax",
    "conformance",
];

/// Judges `count` files.
pub(super) fn run(count: usize, seed: u64, under: Option<PathBuf>) -> Result<()> {
    let folders = under.map_or_else(places, |folder| vec![folder]);
    let mut files = Vec::new();
    for folder in &folders {
        list(folder, &mut files);
    }
    files.sort();
    Random::new(seed).for_name("whole").shuffle(&mut files);
    let mut rows: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut judged, mut flagged) = (0, 0);
    for (path, _) in in_turn(files) {
        if judged == count {
            break;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if text.trim().is_empty() || text.starts_with("// errorcheck") {
            continue;
        }
        // As the product tells it: the ending of the name, and what the text says itself.
        let hints = LanguageHints { path: path.to_str(), ..LanguageHints::default() };
        let language = detect_language(&text, &hints);
        judged += 1;
        let verdict = Judged::new(&text, language).both;
        let row = rows.entry(language.name()).or_default();
        row.0 += 1;
        if !verdict.is_valid {
            row.1 += 1;
            flagged += 1;
            let why = verdict.error_message.unwrap_or_default();
            println!("called cut: {} ({}): {why}", path.display(), language.name());
        }
    }
    println!("{:<12} {:>6} {:>10}", "language", "files", "called cut");
    for (name, (files, cut)) in rows {
        println!("{name:<12} {files:>6} {cut:>10}");
    }
    println!("{judged} files, {flagged} called cut");
    if flagged == 0 { Ok(()) } else { bail!("{flagged} whole files are called cut") }
}

// One file of each language, then the next of each.
fn in_turn(files: Vec<(PathBuf, Language)>) -> impl Iterator<Item = (PathBuf, Language)> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut numbered: Vec<_> = files
        .into_iter()
        .map(|(path, language)| {
            let turn = seen.entry(language.name()).or_default();
            *turn += 1;
            (*turn, path, language)
        })
        .collect();
    numbered.sort_by_key(|(turn, ..)| *turn);
    numbered.into_iter().map(|(_, path, language)| (path, language))
}

// Where packages lie on a machine that builds this repository.
fn places() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let mut places = vec![cargo.join("registry/src"), PathBuf::from("/usr/lib/node_modules")];
    places.extend(["/usr/lib/python3", "/usr/share"].map(PathBuf::from));
    if let Ok(target) = xtask::workspace::target_dir().context("no target folder") {
        places.push(target.join("corpus"));
    }
    places
}

fn list(folder: &Path, files: &mut Vec<(PathBuf, Language)>) {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().to_lowercase();
            if kind.is_dir() && !BROKEN_ON_PURPOSE.contains(&name.as_str()) {
                folders.push(path);
            } else if kind.is_file()
                && entry.metadata().is_ok_and(|it| it.len() <= LARGEST)
                && let Some(language) =
                    Language::from_path(&name).filter(|it| *it != Language::Text)
            {
                files.push((path, language));
            }
        }
    }
}
