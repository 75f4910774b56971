//! The files that edits are made of: the sources of this repository, and a Python library's.
//!
//! In: the repository's folder. Out: texts of ordinary length with line feeds alone. Never: a file
//! whose lines are not those of a person.

use crate::corpus::{self, CorpusOptions, Random};
use anyhow::Result;
use std::path::{Path, PathBuf};
use xtask::workspace;

const FEWEST_LINES: usize = 30;
const MOST_LINES: usize = 400;
const MOST_FILES: usize = 400;

/// A file that is edited.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// Its path in the case.
    pub(super) path: String,
    /// Its lines without terminators.
    pub(super) lines: Vec<String>,
    /// What ends a line.
    pub(super) ending: &'static str,
}

/// Collects the files.
pub(super) fn collect() -> Result<Vec<Source>> {
    let root = workspace::root();
    let mut sources = below(&root.join("crates"), MOST_FILES)?;
    for library in ["/usr/lib/python3", "/usr/lib/python3.11", "/usr/lib/python3.12"] {
        sources.extend(below(Path::new(library), 60)?);
    }
    Ok(sources)
}

/// Collects the same and more: files of every language of the corpus, some with the line ends of
/// Windows; and what could not be had, in words.
pub(super) fn further(seed: u64) -> Result<(Vec<Source>, Vec<String>)> {
    let mut sources = collect()?;
    let corpus = corpus::collect(&CorpusOptions { seed, ..CorpusOptions::default() })?;
    sources.extend(corpus.files.iter().filter_map(|file| ordinary(file.name.clone(), &file.text)));
    let mut random = Random::new(seed).for_name("line ends");
    for source in &mut sources {
        if random.below(6) == 0 {
            source.ending = "\r\n";
        }
    }
    Ok((sources, corpus.notes))
}

fn below(folder: &Path, most: usize) -> Result<Vec<Source>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() && !entry.file_name().to_string_lossy().starts_with('.') {
                folders.push(entry.path());
            } else if kind.is_file() {
                paths.push(entry.path());
            }
        }
    }
    paths.sort();
    let step = (paths.len() / most).max(1);
    let read = paths.into_iter().step_by(step).filter_map(|path| source(folder, &path));
    Ok(read.take(most).collect())
}

fn source(folder: &Path, path: &Path) -> Option<Source> {
    let known = ["rs", "py", "toml", "md"];
    if !known.contains(&path.extension()?.to_str()?) {
        return None;
    }
    let text = String::from_utf8(std::fs::read(path).ok()?).ok()?;
    ordinary(path.strip_prefix(folder).ok()?.to_str()?.to_owned(), &text)
}

fn ordinary(path: String, text: &str) -> Option<Source> {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let ordinary = (FEWEST_LINES..=MOST_LINES).contains(&lines.len())
        && text.ends_with('\n')
        && !text.contains('\r')
        && !text.contains(['\u{2028}', '\u{c}'])
        // What looks like a mark of some format is another question.
        && !lines.iter().any(|line| is_mark(line));
    // The last line says something, so that "the end of the file" is one place.
    ordinary
        .then_some(Source { path, lines, ending: "\n" })
        .filter(|it| it.lines.last().is_some_and(|line| !line.trim().is_empty()))
}

fn is_mark(line: &str) -> bool {
    let body = line.trim_start();
    ["<<<<", "====", ">>>>", "@@", "*** ", "--- ", "+++ ", "```", "~~~", "----", "<think"]
        .iter()
        .any(|mark| body.contains(mark))
        || body.contains("...")
        || body.contains('…')
}
