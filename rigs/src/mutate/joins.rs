//! Joins nobody wrote down: the generator of `cargo xtask stitch` with further kinds.
//!
//! In: a number of cases and a seed. Out: its tables, and the goals for files that end at the cut and
//! for files with line breaks added there. Fails for a join that is not the original.

use crate::corpus::{self, CorpusOptions};
use crate::stitch;
use anyhow::{Result, bail};

/// The goal, in percent of the continuations that are to be joined.
const EQUAL: f64 = 99.5;
/// Files of each language in a sample: enough to vary, few enough to be read in a second.
const SAMPLED: usize = 25;

/// Measures and prints.
pub(super) fn run(count: usize, seed: u64, shown: usize) -> Result<()> {
    let corpus = corpus::collect(&CorpusOptions { seed, ..CorpusOptions::default() })?;
    for note in &corpus.notes {
        println!("note: {note}");
    }
    println!("{count} cases, seed {seed}; half as many with line breaks added after the cut");
    let figures = stitch::further(&corpus.files, count, seed, shown);
    let verdict = |good: bool| if good { "PASS" } else { "BELOW" };
    let percent = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
    let equal = percent(figures.joined.1, figures.joined.0);
    let (cases, originals, wrong, whole) = figures.broken;
    let broken = percent(originals, cases);
    println!("\ngoals");
    println!(
        "  {} to be joined, equal at least {EQUAL} %: {equal:.2}  {}",
        figures.joined.0,
        verdict(equal >= EQUAL)
    );
    println!(
        "  wrong of these and of {} to be kept or refused, none: {}  {}",
        figures.kept,
        figures.wrong,
        verdict(figures.wrong == 0)
    );
    println!(
        "  {cases} with line breaks added, equal at least {EQUAL} %: {broken:.2}  {}",
        verdict(broken >= EQUAL)
    );
    println!("  wrong of these, none: {wrong}, called whole: {whole}  {}", verdict(wrong == 0));
    match figures.wrong + whole {
        0 => Ok(()),
        wrong => bail!("{wrong} joins are not what was meant"),
    }
}

/// Runs a few cases on files at hand; returns how many are equal, and how many wrong.
pub(super) fn sample(count: usize, seed: u64) -> Result<(usize, usize)> {
    let options = CorpusOptions { seed, files_per_language: SAMPLED, ..CorpusOptions::default() };
    let figures = stitch::further(&corpus::at_hand(&options)?, count, seed, 3);
    Ok((figures.joined.1 + figures.broken.1, figures.wrong + figures.broken.3))
}
