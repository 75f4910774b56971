//! The table of `cargo xtask cuts`.
//!
//! In: one cut after the other, right or not. Out: the table, the disagreements with their places,
//! and whether the targets are met. Never drops a disagreement without saying how many were left out.

use super::Judged;
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
    flagged: Vec<String>,
    unread: usize,
    unread_flagged: Vec<String>,
    per_arm: Vec<String>,
}

#[derive(Default)]
struct Cell {
    cuts: usize,
    right: usize,
    right_by_lexer: usize,
    shown: usize,
}

/// A verdict that is not right.
struct Disagreement {
    language: Language,
    place: Place,
    file: String,
    at: usize,
    line: u32,
    expected: String,
    got: String,
    tail: String,
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
            unread: 0,
            unread_flagged: Vec::new(),
            per_arm: Vec::new(),
        }
    }

    /// Counts a whole file.
    pub(crate) fn add_whole(&mut self, file: &SourceFile, judged: &Judged) {
        self.flagged.extend(flagged(file, judged));
    }

    /// Counts a whole file that its grammar does not read: not part of the targets, but it
    /// is not to be flagged either.
    pub(crate) fn add_unread(&mut self, file: &SourceFile, judged: &Judged) {
        self.unread += 1;
        self.unread_flagged.extend(flagged(file, judged));
    }

    /// Lists a file whose brackets balance only in each arm of its `#if`.
    pub(crate) fn add_per_arm(&mut self, file: &SourceFile, judged: &Judged) {
        self.per_arm.push(format!("{}: {}", file.name, words(&judged.both)));
    }

    /// Counts a cut.
    pub(crate) fn add_cut(&mut self, cut: &Cut<'_>, expected: &Expected, judged: &Judged) {
        let is_right = expected.accepts(&judged.both);
        let cell = self.cells.entry((cut.file.language, cut.place)).or_default();
        cell.cuts += 1;
        cell.right += usize::from(is_right);
        cell.right_by_lexer += usize::from(expected.accepts(&judged.lexer));
        if !is_right {
            self.disagreements.push(Disagreement::of(cut, expected, &judged.both));
        }
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
        self.print_cells();
        println!("\nwhole files flagged: {} of {files}", self.flagged.len());
        print_list(&self.flagged);
        let unread = self.unread_flagged.len();
        println!("files that their grammar does not read, flagged: {unread} of {}", self.unread);
        print_list(&self.unread_flagged);
        println!("files whose brackets balance only per #if arm: {}", self.per_arm.len());
        print_list(&self.per_arm);
        self.print_disagreements(limit);
    }

    fn print_cells(&self) {
        println!("\nlanguage     place        cuts  right       %  machine alone");
        for ((language, place), cell) in &self.cells {
            let share = percent(cell.right, cell.cuts);
            let alone = percent(cell.right_by_lexer, cell.cuts);
            let few = if cell.cuts < LEAST_CUTS { "  (all there are)" } else { "" };
            let low = if share < EVERY_CELL { "  below" } else { "" };
            let (cuts, right) = (cell.cuts, cell.right);
            let (language, place) = (language.name(), place.name());
            println!(
                "{language:<12} {place:<10} {cuts:>6} {right:>6} {share:>7.2} {alone:>14.2}{low}{few}"
            );
        }
        let (cuts, right) = self.totals();
        let alone = self.cells.values().map(|cell| cell.right_by_lexer).sum();
        let (share, alone) = (percent(right, cuts), percent(alone, cuts));
        println!("{:<23} {cuts:>6} {right:>6} {share:>7.2} {alone:>14.2}", "all");
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
    fn of(cut: &Cut<'_>, expected: &Expected, verdict: &Verdict) -> Self {
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

fn flagged(file: &SourceFile, judged: &Judged) -> Option<String> {
    let by = if judged.lexer.is_valid { "the grammar" } else { "the machine" };
    let line = || format!("{}: {} by {by}", file.name, words(&judged.both));
    (!judged.both.is_valid).then(line)
}

fn print_list(lines: &[String]) {
    for line in lines {
        println!("  {line}");
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

#[cfg(test)]
mod tests {
    use super::*;

    fn report(cells: &[(Language, usize, usize)]) -> Report {
        let mut report = Report::new(&[], Vec::new(), 1);
        for &(language, cuts, right) in cells {
            let cell = Cell { cuts, right, ..Cell::default() };
            report.cells.insert((language, Place::String), cell);
        }
        report
    }

    fn missed(report: &Report) -> String {
        report.outcome().map_or_else(|error| error.to_string(), |()| "nothing".to_owned())
    }

    #[test]
    fn the_targets_are_the_whole_each_cell_and_no_whole_file_flagged() {
        assert_eq!(missed(&report(&[(Language::Rust, 1000, 996)])), "nothing");
        let low = report(&[(Language::Rust, 10_000, 10_000), (Language::Go, 100, 97)]);
        assert_eq!(missed(&low), "targets missed: 1 cells below 98 %");
        let overall = report(&[(Language::Rust, 1000, 990)]);
        assert_eq!(missed(&overall), "targets missed: 99.00 % of 99.5 % overall");
        let mut flagged = report(&[(Language::Rust, 100, 100)]);
        flagged.flagged.push("a.rs".to_owned());
        assert_eq!(missed(&flagged), "targets missed: 1 whole files flagged");
        assert_eq!(percent(0, 0), 100.0);
    }
}
