//! `cargo xtask cuts`: real files, cut at known places.
//!
//! In: a corpus of real files and a seed. Out: one table of how often the inspector names what the
//! cut left open, every disagreement with its place, and every whole file that was flagged. Never
//! tunes anything: it measures, and fails below the targets.

mod sample;
mod score;
mod truth;

pub(crate) use sample::{Cut, Place, sample};

use crate::corpus::{self, Corpus, CorpusOptions};
use crate::flags::Flags;
use anyhow::{Context, Result};
use salve_types::Language;
use std::collections::BTreeMap;

const PER_CELL: usize = 150;

/// Runs the measurement.
///
/// Flags: `--lang NAME`, `--seed N`, `--per-cell N`, `--files N` (per language), `--limit-print N`.
pub(crate) fn run(flags: &mut Flags) -> Result<()> {
    let mut options = CorpusOptions::default();
    if let Some(name) = flags.value::<String>("--lang")? {
        options.languages.push(Language::from_name(&name).context("no such language")?);
    }
    options.seed = flags.value("--seed")?.unwrap_or(options.seed);
    options.files_per_language = flags.value("--files")?.unwrap_or(options.files_per_language);
    let per_cell = flags.value("--per-cell")?.unwrap_or(PER_CELL);
    flags.finish()?;

    let corpus = corpus::collect(&options)?;
    print_corpus(&corpus);
    let cuts = sample(&corpus.files, per_cell, options.seed);
    let mut cells: BTreeMap<(Language, Place), usize> = BTreeMap::new();
    for cut in &cuts {
        *cells.entry((cut.file.language, cut.place)).or_default() += 1;
    }
    for ((language, place), count) in cells {
        println!("{:<12} {:<10} {count}", language.name(), place.name());
    }
    Ok(())
}

fn print_corpus(corpus: &Corpus) {
    let mut counts: BTreeMap<Language, usize> = BTreeMap::new();
    for file in &corpus.files {
        *counts.entry(file.language).or_default() += 1;
    }
    println!("{} files in {} languages", corpus.files.len(), counts.len());
    for note in &corpus.notes {
        println!("note: {note}");
    }
}
