//! The table of `cargo xtask cuts`.
//!
//! In: one cut after the other, right or not. Out: the table, the disagreements with their places,
//! and whether the targets are met. Never drops a disagreement without saying how many were left out.

use super::sample::{Cut, Place};
use super::score::Expected;
use crate::corpus::SourceFile;
use anyhow::{Result, bail};
use salve_types::{Language, Position, Verdict};
use std::collections::BTreeMap;

const OVERALL: f64 = 99.5;
const EVERY_CELL: f64 = 98.0;
const LEAST_CUTS: usize = 100;
const LEAST_FILES: usize = 300;
const LEAST_LANGUAGES: usize = 8;
const TAIL: usize = 60;

/// Everything counted so far.
pub(crate) struct Report {
    files: BTreeMap<Language, usize>,
    notes: Vec<String>,
    per_cell: usize,
    cells: BTreeMap<(Language, Place), Cell>,
    disagreements: Vec<Disagreement>,
    flagged: Vec<Flagged>,
    per_arm: Vec<String>,
}

#[derive(Default)]
struct Cell {
    cuts: usize,
    right: usize,
    shown: usize,
}

/// A verdict that is not right.
pub(crate) struct Disagreement {
    language: Language,
    place: Place,
    file: String,
    at: usize,
    line: u32,
    expected: String,
    got: String,
    tail: String,
}

/// A whole file that was called cut.
pub(crate) struct Flagged {
    file: String,
    got: String,
}

impl Report {
    /// Starts a report on `files`.
    pub(crate) fn new(files: &[SourceFile], notes: Vec<String>, per_cell: usize) -> Self {
        let mut counts: BTreeMap<Language, usize> = BTreeMap::new();
        for file in files {
            *counts.entry(file.language).or_default() += 1;
        }
        Self {
            files: counts,
            notes,
            per_cell,
            cells: BTreeMap::new(),
            disagreements: Vec::new(),
            flagged: Vec::new(),
            per_arm: Vec::new(),
        }
    }

    /// Counts a whole file.
    pub(crate) fn add_whole(&mut self, flagged: Option<Flagged>) {
        self.flagged.extend(flagged);
    }

    /// Lists a file whose brackets balance only in each arm of its `#if`.
    pub(crate) fn add_per_arm(&mut self, file: &SourceFile, verdict: &Verdict) {
        self.per_arm.push(format!("{}: {}", file.name, words(verdict)));
    }

    /// Counts a cut.
    pub(crate) fn add_cut(&mut self, cut: &Cut<'_>, disagreement: Option<Disagreement>) {
        let cell = self.cells.entry((cut.file.language, cut.place)).or_default();
        cell.cuts += 1;
        cell.right += usize::from(disagreement.is_none());
        self.disagreements.extend(disagreement);
    }

    /// Prints the first `limit` cuts of each cell with their truth.
    pub(crate) fn show(&mut self, cut: &Cut<'_>, expected: &Expected, limit: usize) {
        let cell = self.cells.entry((cut.file.language, cut.place)).or_default();
        if cell.shown < limit {
            cell.shown += 1;
            let (language, place) = (cut.file.language.name(), cut.place.name());
            println!("{language:<11} {place:<10} {:<36} {}", expected.words(), tail(cut.prefix()));
        }
    }

    /// Prints everything, at most `limit` disagreements in full.
    pub(crate) fn print(&self, limit: usize) {
        let files: usize = self.files.values().sum();
        println!("{files} files in {} languages", self.files.len());
        for note in &self.notes {
            println!("note: {note}");
        }
        println!("\n{:<12} {:<10} {:>6} {:>6} {:>8}", "language", "place", "cuts", "right", "%");
        for ((language, place), cell) in &self.cells {
            let name = language.name();
            let share = percent(cell.right, cell.cuts);
            let few = if cell.cuts < LEAST_CUTS { "  (all there are)" } else { "" };
            let low = if share < EVERY_CELL { "  below" } else { "" };
            let (cuts, right, place) = (cell.cuts, cell.right, place.name());
            println!("{name:<12} {place:<10} {cuts:>6} {right:>6} {share:>7.2}{low}{few}");
        }
        let (cuts, right) = self.totals();
        println!("{:<23} {cuts:>6} {right:>6} {:>7.2}", "all", percent(right, cuts));
        println!("\nwhole files flagged: {} of {files}", self.flagged.len());
        for flagged in &self.flagged {
            println!("  {}: {}", flagged.file, flagged.got);
        }
        println!("files whose brackets balance only per #if arm: {}", self.per_arm.len());
        for file in &self.per_arm {
            println!("  {file}");
        }
        self.print_disagreements(limit);
    }

    fn print_disagreements(&self, limit: usize) {
        println!("\ndisagreements: {}", self.disagreements.len());
        for it in self.disagreements.iter().take(limit) {
            let (language, place) = (it.language.name(), it.place.name());
            println!("  {language} {place} {} byte {} line {}", it.file, it.at, it.line);
            println!("    expected {}, got {}", it.expected, it.got);
            println!("    {}", it.tail);
        }
        let left_out = self.disagreements.len().saturating_sub(limit);
        if left_out > 0 {
            println!("  … and {left_out} more (--limit-print)");
        }
    }

    /// Fails when a target is missed.
    pub(crate) fn outcome(&self) -> Result<()> {
        let mut missed = Vec::new();
        let (cuts, right) = self.totals();
        if percent(right, cuts) < OVERALL {
            missed.push(format!("{:.2} % of {OVERALL} % overall", percent(right, cuts)));
        }
        let low = self.cells.values().filter(|it| percent(it.right, it.cuts) < EVERY_CELL).count();
        if low > 0 {
            missed.push(format!("{low} cells below {EVERY_CELL} %"));
        }
        if !self.flagged.is_empty() {
            missed.push(format!("{} whole files flagged", self.flagged.len()));
        }
        // A part of the corpus may be asked for; then only its figures count.
        let files: usize = self.files.values().sum();
        let is_full = self.files.len() > 1 && self.per_cell >= LEAST_CUTS;
        if is_full && (files < LEAST_FILES || self.files.len() < LEAST_LANGUAGES) {
            missed.push(format!("only {files} files in {} languages", self.files.len()));
        }
        if missed.is_empty() { Ok(()) } else { bail!("targets missed: {}", missed.join(", ")) }
    }

    fn totals(&self) -> (usize, usize) {
        self.cells.values().fold((0, 0), |sum, cell| (sum.0 + cell.cuts, sum.1 + cell.right))
    }
}

impl Disagreement {
    /// Describes a wrong verdict.
    pub(crate) fn of(cut: &Cut<'_>, expected: &Expected, verdict: &Verdict) -> Self {
        Self {
            language: cut.file.language,
            place: cut.place,
            file: cut.file.name.clone(),
            at: cut.at,
            line: Position::of(&cut.file.text, cut.at).line,
            expected: expected.words(),
            got: words(verdict),
            tail: tail(cut.prefix()),
        }
    }
}

impl Flagged {
    /// Describes a whole file that was called cut; nothing when it was not.
    pub(crate) fn of(file: &SourceFile, verdict: &Verdict) -> Option<Self> {
        let flagged = Self { file: file.name.clone(), got: words(verdict) };
        (!verdict.is_valid).then_some(flagged)
    }
}

fn words(verdict: &Verdict) -> String {
    let kind = verdict.kind.map_or("no kind", |kind| kind.name());
    match (verdict.is_valid, verdict.opened_at_line) {
        (true, _) => "whole".to_owned(),
        (false, Some(line)) => format!("{kind} opened at line {line}"),
        (false, None) => kind.to_owned(),
    }
}

fn tail(prefix: &str) -> String {
    let skip = prefix.chars().count().saturating_sub(TAIL);
    format!("{:?}", prefix.chars().skip(skip).collect::<String>())
}

fn percent(part: usize, all: usize) -> f64 {
    if all == 0 { 100.0 } else { part as f64 * 100.0 / all as f64 }
}
