//! Real files to measure with.
//!
//! In: a folder for downloads, a seed, how many files per language. Out: files that their grammar
//! reads without error, the same ones for the same seed and sources, and a note for everything that
//! could not be had. Never copies a file into the repository: the sources stay in their packages.

pub(crate) mod fetch;
mod random;

pub(crate) use random::Random;

use anyhow::{Context, Result};
use salve_types::Language;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use xtask::workspace;

/// What to collect.
pub(crate) struct CorpusOptions {
    /// The languages wanted; empty means all of [`LANGUAGES`].
    pub languages: Vec<Language>,
    /// How many files of each language.
    pub files_per_language: usize,
    /// Chooses the files.
    pub seed: u64,
}

/// The files and what is to be said about them.
pub(crate) struct Corpus {
    pub files: Vec<SourceFile>,
    /// Files on the way that their grammar does not read without error: whole all the same.
    pub unread: Vec<SourceFile>,
    /// Sources that were unavailable and languages that came out short, in words.
    pub notes: Vec<String>,
}

/// One real file.
pub(crate) struct SourceFile {
    pub language: Language,
    /// Where it comes from, below the folder of the corpus; the same on every machine.
    pub name: String,
    pub text: String,
}

/// The languages that have both a grammar and enough real files at hand.
pub(crate) const LANGUAGES: &[Language] = &[
    Language::Rust,
    Language::TypeScript,
    Language::Tsx,
    Language::JavaScript,
    Language::Python,
    Language::Go,
    Language::C,
    Language::Cpp,
    Language::Java,
    Language::Json,
    Language::Bash,
    Language::Html,
    Language::Css,
];

const SMALLEST: usize = 1_000;
const LARGEST: usize = 60_000;
// Generated and minified files are not written by people; their lines give them away.
const LONGEST_LINE: usize = 1_000;

impl Default for CorpusOptions {
    fn default() -> Self {
        Self { languages: Vec::new(), files_per_language: 60, seed: 20_260_101 }
    }
}

/// Fetches the sources where they are absent and picks the files.
pub(crate) fn collect(options: &CorpusOptions) -> Result<Corpus> {
    let root = workspace::target_dir()?.join("corpus");
    std::fs::create_dir_all(&root).context("making the folder of the corpus")?;
    let root = root.canonicalize()?;
    let (sources, mut notes) = fetch::fetch_all(&root);
    let mut candidates: BTreeMap<Language, BTreeMap<String, Vec<Candidate>>> = BTreeMap::new();
    for source in &sources {
        list_source(source, &mut candidates)?;
    }
    let (mut files, mut unread) = (Vec::new(), Vec::new());
    let wanted = if options.languages.is_empty() { LANGUAGES } else { &options.languages };
    for &language in wanted {
        let packages = candidates.remove(&language).unwrap_or_default();
        let picked = pick(language, packages, options, &mut unread);
        if picked.len() < options.files_per_language {
            notes.push(format!("{}: only {} files at hand", language.name(), picked.len()));
        }
        files.extend(picked);
    }
    Ok(Corpus { files, unread, notes })
}

/// Picks files of this repository and of the machine's Python, without fetching anything.
pub(crate) fn at_hand(options: &CorpusOptions) -> Result<Vec<SourceFile>> {
    let own = fetch::Source { name: "own".to_owned(), folder: workspace::root().join("crates") };
    let mut candidates = BTreeMap::new();
    for source in [Some(own), fetch::python()].into_iter().flatten() {
        list_source(&source, &mut candidates)?;
    }
    let mut files = Vec::new();
    for (language, packages) in candidates {
        files.extend(pick(language, packages, options, &mut Vec::new()));
    }
    Ok(files)
}

struct Candidate {
    name: String,
    path: PathBuf,
}

fn list_source(
    source: &fetch::Source,
    candidates: &mut BTreeMap<Language, BTreeMap<String, Vec<Candidate>>>,
) -> Result<()> {
    let mut folders = vec![source.folder.clone()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                // What a person installed beside the library is not the same on every machine.
                if entry.file_name() != "site-packages" {
                    folders.push(entry.path());
                }
            } else if kind.is_file() && within_bounds(entry.metadata()?.len()) {
                let path = entry.path();
                let below = path.strip_prefix(&source.folder).unwrap_or(&path);
                let name = format!("{}/{}", source.name, below.display());
                if let Some(language) = language_of(&name) {
                    let package = package_of(&source.name, below);
                    let list = candidates.entry(language).or_default().entry(package).or_default();
                    list.push(Candidate { name, path });
                }
            }
        }
    }
    Ok(())
}

fn within_bounds(length: u64) -> bool {
    (SMALLEST as u64..=LARGEST as u64).contains(&length)
}

// Headers are left out: their name does not say whether they are C or C++. Declarations without
// code (`.d.ts`) are left out because packages ship hundreds of generated ones.
fn language_of(name: &str) -> Option<Language> {
    if name.contains("bash-completion/completions/") {
        return Some(Language::Bash);
    }
    let (_, ending) = name.rsplit_once('.')?;
    let is_generated = name.ends_with(".d.ts") || name.contains(".min.") || name.contains("/dist/");
    match ending {
        "rs" | "ts" | "tsx" | "js" | "mjs" | "py" | "go" | "c" | "cc" | "cpp" | "hh" | "hpp"
        | "java" | "json" | "sh" | "html" | "css"
            if !is_generated =>
        {
            Language::from_path(name)
        }
        _ => None,
    }
}

// A package is the unit of variety: files are taken from the packages in turn.
fn package_of(source: &str, below: &Path) -> String {
    let first = below.components().next().map(|part| part.as_os_str().to_string_lossy());
    format!("{source}/{}", first.unwrap_or_default())
}

fn pick(
    language: Language,
    packages: BTreeMap<String, Vec<Candidate>>,
    options: &CorpusOptions,
    unread: &mut Vec<SourceFile>,
) -> Vec<SourceFile> {
    let mut random = Random::new(options.seed).for_name(language.name());
    let mut queues: Vec<Vec<Candidate>> = packages.into_values().collect();
    for queue in &mut queues {
        queue.sort_by(|left, right| left.name.cmp(&right.name));
        random.shuffle(queue);
    }
    random.shuffle(&mut queues);
    let mut picked = Vec::new();
    while picked.len() < options.files_per_language && !queues.is_empty() {
        queues.retain_mut(|queue| {
            if picked.len() < options.files_per_language {
                // A queue gives one file per turn; files that do not qualify cost it no turn.
                while let Some(candidate) = queue.pop() {
                    let Some(file) = read(language, candidate) else { continue };
                    if is_clean(&file) {
                        picked.push(file);
                        break;
                    }
                    unread.push(file);
                }
            }
            !queue.is_empty()
        });
    }
    picked
}

fn read(language: Language, candidate: Candidate) -> Option<SourceFile> {
    let text = String::from_utf8(std::fs::read(&candidate.path).ok()?).ok()?;
    let is_written = text.lines().all(|line| line.len() <= LONGEST_LINE);
    is_written.then_some(SourceFile { language, name: candidate.name, text })
}

fn is_clean(file: &SourceFile) -> bool {
    salve_syntax::check_syntax(&file.text, file.language).is_some_and(|report| report.is_clean())
}
