//! `cargo xtask cuts`: real files, cut at known places.
//!
//! In: a corpus of real files and a seed. Out: one table of how often the verdict names what the cut
//! left open (lexical machine with the grammar's second opinion, and the machine alone beside it),
//! every disagreement with its place, and every whole file that was flagged. Never tunes anything: it
//! measures, and fails below the targets.

mod report;
mod sample;
mod score;
mod truth;
mod valid;
mod whole;

pub(crate) use sample::{Cut, Place, sample};

use crate::corpus::{self, CorpusOptions, SourceFile};
use anyhow::{Context, Result};
use report::Report;
use salve_syntax::second_opinion;
use salve_text::{InspectOptions, LanguageHints, detect_language, inspect_text};
use salve_types::{Language, Verdict};
use score::Expected;
use xtask::Flags;

const PER_CELL: usize = 150;
const PRINTED: usize = 400;

/// Runs the measurement.
///
/// Flags: `--lang NAME`, `--seed N`, `--per-cell N`, `--files N` (per language), `--limit-print N`,
/// `--show N` (prints that many cuts of every cell with their truth, to check the truth by eye),
/// `--whole N` (whole files instead of cuts, of the packages on this machine or `--under DIR`).
pub(crate) fn run(flags: &mut Flags) -> Result<()> {
    let mut options = CorpusOptions::default();
    if let Some(name) = flags.value::<String>("--lang")? {
        options.languages.push(Language::from_name(&name).context("no such language")?);
    }
    options.seed = flags.value("--seed")?.unwrap_or(options.seed);
    options.files_per_language = flags.value("--files")?.unwrap_or(options.files_per_language);
    let per_cell = flags.value("--per-cell")?.unwrap_or(PER_CELL);
    let printed = flags.value("--limit-print")?.unwrap_or(PRINTED);
    let shown = flags.value("--show")?.unwrap_or(0);
    let whole = flags.value("--whole")?;
    let under = flags.value("--under")?;
    flags.finish()?;
    if let Some(count) = whole {
        return whole::run(count, options.seed, under);
    }

    let corpus = corpus::collect(&options)?;
    let (whole, per_arm): (Vec<SourceFile>, Vec<SourceFile>) =
        corpus.files.into_iter().partition(truth::brackets_balance);
    let mut report = Report::new(&whole, corpus.notes, per_cell);
    for file in &whole {
        report.add_whole(file, &Judged::new(&file.text, file.language));
    }
    for file in &corpus.unread {
        report.add_unread(file, &Judged::new(&file.text, file.language));
    }
    for file in &per_arm {
        report.add_per_arm(file, &Judged::new(&file.text, file.language));
    }
    for cut in sample(&whole, per_cell, options.seed) {
        let expected = Expected::of(&cut);
        report.show(&cut, &expected, shown);
        report.add_cut(&cut, &expected, &Judged::new(cut.prefix(), cut.file.language));
    }
    report.print(printed);
    println!("language told from content alone: {} of {} files", told(&whole), whole.len());
    report.outcome()
}

// Not part of the targets: names come first, content is the last resort.
fn told(files: &[SourceFile]) -> usize {
    let hints = LanguageHints::default();
    files.iter().filter(|file| detect_language(&file.text, &hints) == file.language).count()
}

/// Both verdicts on one text.
pub(crate) struct Judged {
    /// The lexical machine alone.
    pub lexer: Verdict,
    /// The machine with the grammar's second opinion, as the pipeline does it.
    pub both: Verdict,
}

impl Judged {
    fn new(text: &str, language: Language) -> Self {
        let options = InspectOptions { language: Some(language), ..InspectOptions::default() };
        let lexer = inspect_text(text, &options);
        Self { both: second_opinion(lexer.clone(), text), lexer }
    }
}
