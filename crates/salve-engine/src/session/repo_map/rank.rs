//! Which files and symbols matter most.
//!
//! In: the files of an index with their words, and what a request mentions. Out: an order. A file counts by how
//! many files speak of it, a symbol by how many use its name; what the request mentions comes first. Whole
//! numbers only, and ties by path and line, so that the order is the same everywhere.

use super::words::word_hash;
use super::{MapFile, MapIndex};
use salve_syntax::SymbolKind;
use std::collections::{HashMap, HashSet};

/// What a request mentions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mentioned {
    /// In lower case, as written.
    words: Vec<String>,
    /// As they are spelled in code.
    hashes: Vec<u32>,
}

impl Mentioned {
    pub(crate) fn new(mentions: &[String]) -> Self {
        const MOST: usize = 200;
        let mut mentioned = Self::default();
        for word in mentions.iter().take(MOST).filter(|word| word.len() > 1) {
            mentioned.hashes.push(word_hash(word));
            let mut letters = word.chars();
            if let Some(first) = letters.next().filter(|first| first.is_lowercase()) {
                let upper: String = first.to_uppercase().chain(letters).collect();
                mentioned.hashes.push(word_hash(&upper));
            }
            mentioned.words.push(word.to_lowercase());
        }
        mentioned.hashes.sort_unstable();
        mentioned.hashes.dedup();
        mentioned
    }

    /// Tells whether a file is mentioned by its path or its whole name.
    pub(crate) fn names(&self, path: &str) -> bool {
        let path = path.to_lowercase();
        let name = path.rsplit('/').next().unwrap_or(&path);
        self.words.iter().any(|word| word.contains('.') && (*word == name || *word == path))
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }

    // A word of at least this length may be a part of a name.
    fn is_part_of(&self, name: &str) -> bool {
        const SHORTEST: usize = 4;
        let name = name.to_lowercase();
        self.words.iter().any(|word| word.len() >= SHORTEST && name.contains(word.as_str()))
    }
}

/// Counts the files that hold each of some words.
struct Counts {
    /// One bit for each word by the end of its hash: most words are of no interest, and this says so cheaply.
    bits: Vec<u64>,
    counts: HashMap<u32, u32>,
}

impl Counts {
    const MASK: u32 = (1 << 20) - 1;

    fn of(wanted: impl Iterator<Item = u32>, files: &[MapFile]) -> Self {
        let counts: HashMap<u32, u32> = wanted.map(|hash| (hash, 0)).collect();
        let mut counts = Self { bits: vec![0; (Self::MASK as usize + 1) / 64], counts };
        for hash in counts.counts.keys() {
            let at = hash & Self::MASK;
            counts.bits[(at / 64) as usize] |= 1 << (at % 64);
        }
        for hash in files.iter().flat_map(|file| &file.words) {
            let at = hash & Self::MASK;
            if counts.bits[(at / 64) as usize] & (1 << (at % 64)) != 0
                && let Some(count) = counts.counts.get_mut(hash)
            {
                *count += 1;
            }
        }
        counts
    }

    fn get(&self, hash: u32) -> u64 {
        self.counts.get(&hash).copied().unwrap_or(0).into()
    }
}

// Four times the logarithm to the base of two.
fn logarithm(number: u64) -> u64 {
    u64::from((number.min(60_000) + 1).pow(4).ilog2())
}

/// Orders the files, those that matter most first.
pub(crate) fn file_order(files: &[MapFile], mentioned: &Mentioned) -> Vec<usize> {
    let stems: Vec<(String, u32)> = files
        .iter()
        .map(|file| {
            let stem = stem_of(&file.path);
            let hash = word_hash(stem);
            (stem.to_lowercase(), hash)
        })
        .collect();
    let wanted = stems.iter().map(|(_, hash)| *hash).chain(mentioned.hashes.iter().copied());
    let counts = Counts::of(wanted, files);
    let mut order: Vec<(u64, usize)> = Vec::with_capacity(files.len());
    for (at, (file, (stem, hash))) in files.iter().zip(&stems).enumerate() {
        let mut score = 10 * logarithm(counts.get(*hash));
        if is_aside(&file.path) {
            score /= 2;
        }
        order.push((score + mention_score(file, stem, mentioned, &counts), at));
    }
    order.sort_by(|one, two| two.0.cmp(&one.0).then(one.1.cmp(&two.1)));
    order.into_iter().map(|(_, at)| at).collect()
}

fn mention_score(file: &MapFile, stem: &str, mentioned: &Mentioned, counts: &Counts) -> u64 {
    if mentioned.words.is_empty() {
        return 0;
    }
    let mut score = 0;
    if mentioned.has(stem) || mentioned.names(&file.path) {
        score += 100_000;
    }
    let folders = file.path.rsplit_once('/').map_or("", |(above, _)| above);
    if folders.split('/').any(|folder| mentioned.has(folder)) {
        score += 20_000;
    }
    // A word that few files hold says more about those that do.
    for hash in &mentioned.hashes {
        if file.words.binary_search(hash).is_ok() {
            score += 50_000 / counts.get(*hash).max(1);
        }
    }
    score
}

// The name by which other files speak of this one.
fn stem_of(path: &str) -> &str {
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    match stem {
        "mod" | "index" | "__init__" | "main" | "lib" | "init" | "__main__" => {
            above.rsplit('/').next().filter(|folder| !folder.is_empty() && *folder != "src")
        }
        stem => Some(stem),
    }
    .unwrap_or(stem)
}

// Tests, examples and what others wrote.
fn is_aside(path: &str) -> bool {
    const ASIDE: &[&str] =
        &["test", "spec", "example", "fixture", "bench", "vendor", "third_party", "mock"];
    let path = path.to_lowercase();
    ASIDE.iter().any(|word| path.contains(word))
}

/// A symbol with its rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RankedSymbol {
    pub(super) file: usize,
    pub(super) symbol: usize,
    score: u64,
}

/// Orders the symbols that are shown, those that matter most first.
pub(super) fn symbols(index: &MapIndex, mentioned: &Mentioned) -> Vec<RankedSymbol> {
    let mut definers: HashMap<u32, u64> = HashMap::new();
    for (_, _, symbols) in index.shown() {
        let mut hashes: Vec<u32> = symbols.iter().map(|one| word_hash(&one.name)).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes.into_iter().for_each(|hash| *definers.entry(hash).or_default() += 1);
    }
    let wanted = definers.keys().chain(&mentioned.hashes).copied();
    let counts = Counts::of(wanted, &index.files);
    let mut ranked: Vec<RankedSymbol> = Vec::new();
    for (at, file, symbols) in index.shown() {
        let of_file = mention_score(file, &stem_of(&file.path).to_lowercase(), mentioned, &counts);
        let is_aside = is_aside(&file.path);
        let mut seen: HashSet<u32> = HashSet::new();
        for (number, symbol) in symbols.iter().enumerate() {
            let hash = word_hash(&symbol.name);
            let by = definers.get(&hash).copied().unwrap_or(1).max(1);
            let mut score = 10 * logarithm(counts.get(hash).saturating_sub(by))
                + 4 * u64::from(symbol.is_exported)
                + kind_score(symbol.kind);
            // A name that many files define says little: `new`, `run`.
            score = score * 2 / by.max(2);
            if is_aside || symbol.name.starts_with('_') {
                score /= 2;
            }
            if mentioned.hashes.binary_search(&hash).is_ok() {
                score += 100_000;
            } else if mentioned.is_part_of(&symbol.name) {
                score += 5_000;
            }
            score += of_file / 10;
            // The second implementation of a method says little after the first.
            if !seen.insert(hash) {
                score /= 50;
            }
            ranked.push(RankedSymbol { file: at, symbol: number, score });
        }
    }
    ranked.sort_by(|one, two| {
        two.score.cmp(&one.score).then(one.file.cmp(&two.file)).then(one.symbol.cmp(&two.symbol))
    });
    ranked
}

const fn kind_score(kind: SymbolKind) -> u64 {
    match kind {
        SymbolKind::Type => 8,
        SymbolKind::Function | SymbolKind::Macro => 6,
        SymbolKind::Method => 3,
        _ => 1,
    }
}
