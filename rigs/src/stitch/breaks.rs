//! `cargo xtask stitch --breaks`: files that end in a line break which is not the model's.
//!
//! In: real files, cut anywhere, with and without line breaks added after the cut, and continuations
//! that start there or say the last line again. Out: one table of how many joins are right and how
//! many are called whole. Fails for a wrong join that is called whole.

use super::report::{around, boundary};
use super::stitched;
use crate::corpus::{Random, SourceFile};
use anyhow::{Result, bail};
use salve_text::StitchOutcome;
use std::collections::BTreeMap;

const ADDED: &[&str] = &["", "\n", "\n\n", "\r\n"];
const KINDS: &[&str] = &["at_the_cut", "last_line", "part_of_line", "two_lines"];

/// What became of some joins.
#[derive(Default)]
pub(super) struct Row {
    pub(super) cases: usize,
    pub(super) whole: usize,
    pub(super) doubted: usize,
    refused: usize,
    pub(super) wrong: usize,
    pub(super) wrong_whole: usize,
}

struct Case<'a> {
    file: &'a SourceFile,
    at: usize,
    added: &'static str,
    kind: &'static str,
    continuation: &'a str,
}

/// Joins `count` generated cases and prints the table.
pub(super) fn run(files: &[SourceFile], count: usize, seed: u64, shown: usize) -> Result<()> {
    match measure(files, count, seed, shown).wrong_whole {
        0 => Ok(()),
        wrong => bail!("{wrong} wrong joins are called whole"),
    }
}

/// Joins `count` generated cases, prints the table and returns all of them in one row.
pub(super) fn measure(files: &[SourceFile], count: usize, seed: u64, shown: usize) -> Row {
    let mut random = Random::new(seed).for_name("breaks");
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let (mut made, mut printed) = (0, 0);
    while made < count && !files.is_empty() {
        let Some(case) = case(&files[random.below(files.len())], &mut random) else { continue };
        made += 1;
        let partial = format!("{}{}", &case.file.text[..case.at], case.added);
        let joined = stitched(&partial, case.continuation, case.file.language);
        let is_whole = joined.verdict.is_valid;
        let names = [
            case.file.language.name().to_owned(),
            format!("added {:?}", case.added),
            case.kind.to_owned(),
            "all".to_owned(),
        ];
        let right = match &joined.outcome {
            StitchOutcome::Refused { .. } => None,
            StitchOutcome::Joined { text } => Some(*text == case.file.text),
        };
        for name in names {
            let row = rows.entry(name).or_default();
            row.cases += 1;
            match right {
                None => row.refused += 1,
                Some(true) if is_whole => row.whole += 1,
                Some(true) => row.doubted += 1,
                Some(false) if is_whole => row.wrong_whole += 1,
                Some(false) => row.wrong += 1,
            }
        }
        if let StitchOutcome::Joined { text } = &joined.outcome
            && right == Some(false)
            && (is_whole || printed < shown)
        {
            printed += usize::from(!is_whole);
            show(&case, text, is_whole);
        }
    }
    print(&rows);
    rows.remove("all").unwrap_or_default()
}

fn case<'a>(file: &'a SourceFile, random: &mut Random) -> Option<Case<'a>> {
    let text = &file.text;
    let at = boundary(text, 40 + random.below(text.len().saturating_sub(60).max(1)));
    let added = ADDED[random.below(ADDED.len())];
    let kind = KINDS[random.below(KINDS.len())];
    let line_start = |end: usize| text[..end].rfind('\n').map_or(0, |at| at + 1);
    let own = line_start(text[..at].trim_end().len());
    let start = match kind {
        "at_the_cut" => at,
        "last_line" => own,
        "part_of_line" => boundary(text, own + random.below((at - own).max(1))),
        _ => line_start(own.saturating_sub(1)),
    };
    (!text[at..].trim().is_empty() && start > 0).then(|| Case {
        file,
        at,
        added,
        kind,
        continuation: &text[start..],
    })
}

fn show(case: &Case<'_>, text: &str, is_whole: bool) {
    let same = text.bytes().zip(case.file.text.bytes()).take_while(|(one, two)| one == two).count();
    println!(
        "{} {} {}:{} added {:?}\n  right {:?}\n  seen  {:?}",
        if is_whole { "WRONG AND WHOLE" } else { "wrong" },
        case.kind,
        case.file.name,
        case.at,
        case.added,
        around(&case.file.text, same),
        around(text, same),
    );
}

fn print(rows: &BTreeMap<String, Row>) {
    println!(
        "{:<16} {:>6} {:>6} {:>8} {:>8} {:>6} {:>12}",
        "", "cases", "whole", "doubted", "refused", "wrong", "wrong, whole"
    );
    for (name, row) in rows {
        println!(
            "{name:<16} {:>6} {:>6} {:>8} {:>8} {:>6} {:>12}",
            row.cases, row.whole, row.doubted, row.refused, row.wrong, row.wrong_whole
        );
    }
}
