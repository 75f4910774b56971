//! `cargo xtask stitch`: cut files and the continuations a model might write.
//!
//! In: a corpus of real files, cut with a fixed seed. Out: one table of how often the joined text is
//! the original, every wrong join with its place, and a failure below the targets. Never asks the
//! stitcher what a continuation should look like: the generator knows the original.

mod breaks;
mod further;
mod generate;
mod report;
mod talk;

use crate::corpus::{self, CorpusOptions, SourceFile};
use crate::cuts;
use anyhow::{Context, Result, bail};
use generate::{Case, Truth, generate};
use report::{Mark, Report};
use salve_syntax::grammar_opinion;
use salve_text::{FinalBreak, Stitch, StitchOptions, StitchOutcome, stitch_with};
use salve_types::Language;
use xtask::Flags;

const CASES: usize = 10_000;
const CUTS_PER_CELL: usize = 150;

/// Runs the measurement.
///
/// Flags: `--n N` cases, `--seed N`, `--lang NAME`, `--files N` (per language), `--show N` failures,
/// `--breaks` joins files that end in line breaks added after the cut.
pub(crate) fn run(flags: &mut Flags) -> Result<()> {
    let mut options = CorpusOptions::default();
    if let Some(name) = flags.value::<String>("--lang")? {
        options.languages.push(Language::from_name(&name).context("no such language")?);
    }
    options.seed = flags.value("--seed")?.unwrap_or(options.seed);
    options.files_per_language = flags.value("--files")?.unwrap_or(options.files_per_language);
    let count = flags.value("--n")?.unwrap_or(CASES);
    let shown = flags.value("--show")?.unwrap_or(40);
    let breaks = flags.switch("--breaks");
    let only = flags.value::<String>("--kind")?;
    flags.finish()?;

    let corpus = corpus::collect(&options)?;
    for note in &corpus.notes {
        println!("note: {note}");
    }
    if breaks {
        return breaks::run(&corpus.files, count, options.seed, shown);
    }
    let cuts = cuts::sample(&corpus.files, CUTS_PER_CELL, options.seed);
    let cases = generate(&corpus.files, &cuts, count, options.seed);
    let mut report = Report::new(shown);
    for case in
        cases.iter().filter(|case| only.as_ref().is_none_or(|kind| case.kind.name() == kind))
    {
        let (mark, why) = judge(case);
        report.add(case, mark, &why);
    }
    report.print();
    if report.reaches_targets() { Ok(()) } else { bail!("below the targets") }
}

/// How joins went, with files that end where they were cut and with line breaks added there.
pub(crate) struct Figures {
    /// Cases that are to be joined, and how many became the original.
    pub joined: (usize, usize),
    /// Cases that are to be kept or refused.
    pub kept: usize,
    /// Joins of either sort that are not the original.
    pub wrong: usize,
    /// The same where a line break was added after the cut: cases, originals, wrong, wrong but whole.
    pub broken: (usize, usize, usize, usize),
}

/// Joins cases of every kind, also those that no fixed seed has.
pub(crate) fn further(files: &[SourceFile], count: usize, seed: u64, shown: usize) -> Figures {
    let cuts = cuts::sample(files, CUTS_PER_CELL, seed);
    let mut report = Report::new(shown);
    for case in &further::further(files, &cuts, count, seed) {
        let (mark, why) = judge(case);
        report.add(case, mark, &why);
    }
    report.print();
    let (join, keep) = report.totals();
    let broken = breaks::measure(files, count / 2, seed, shown);
    Figures {
        joined: (join.cases, join.equal),
        kept: keep.cases,
        wrong: join.wrong + keep.wrong,
        broken: (
            broken.cases,
            broken.whole + broken.doubted,
            broken.wrong + broken.wrong_whole,
            broken.wrong_whole,
        ),
    }
}

fn judge(case: &Case<'_>) -> (Mark, String) {
    let stitched = stitched(&case.partial, &case.continuation, case.file.language);
    match (stitched.outcome, &case.truth) {
        (StitchOutcome::Refused { why, .. }, _) => (Mark::Refused, why.name().to_owned()),
        (StitchOutcome::Joined { text }, Truth::Text(expected)) => {
            let at =
                text.bytes().zip(expected.bytes()).take_while(|(one, other)| one == other).count();
            let mark = if text == *expected { Mark::Equal } else { Mark::Wrong };
            (mark, report::around(&text, at))
        }
        (StitchOutcome::Joined { text }, Truth::Nothing) => {
            (Mark::Wrong, report::around(&text, case.partial.len()))
        }
    }
}

// As `salve resume stitch` joins two files.
fn stitched(partial: &str, continuation: &str, language: Language) -> Stitch {
    let options = StitchOptions {
        language: Some(language),
        final_break: FinalBreak::Unknown,
        ..StitchOptions::default()
    };
    stitch_with(partial, continuation, &options, &grammar_opinion)
}
