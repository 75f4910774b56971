//! Omissions: places where a text stands for more than it says; no other file recognises them.
//!
//! In: a text and its language. Out: findings for "rest of the code unchanged" and its relatives,
//! for merge conflict markers and for line numbers copied from a listing, each with its span; and,
//! for a text that is known to leave code out, every comment that may do so. Never goes by an
//! ellipsis alone to find a text incomplete: spread, variadics and Python's `...` are code, and three
//! dots in a comment are a habit of people.

mod comment;
mod conflict;
mod loose;
mod pattern;
mod wording;

use crate::clean::numbered_lines;
pub(crate) use loose::without_removal_marks;
use salve_types::{Finding, FindingCode, Language, Span};

/// A line of a text that stands for code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Omission {
    /// The number of the line, from 1.
    pub line: usize,
    /// What it stands for.
    pub kind: OmissionKind,
}

/// What an omission stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OmissionKind {
    /// Code that stays; the words have no other meaning.
    Kept,
    /// Code that stays, in a text that leaves code out; elsewhere it is a comment like others.
    MaybeKept,
    /// Code that goes.
    Removed,
}

/// Lists the lines of a text that stand for code, where the text is known to leave code out.
pub fn list_omissions(text: &str, language: Language) -> Vec<Omission> {
    let kind = |line: &str| match loose::kind_of(line) {
        Some(OmissionKind::Removed) => Some(OmissionKind::Removed),
        loose => omission_spans(line, language).next().map(|_| OmissionKind::Kept).or(loose),
    };
    let lines = (1..).zip(text.lines());
    lines.filter_map(|(line, words)| Some(Omission { line, kind: kind(words)? })).collect()
}

// The parts of a line that stand for more, whatever the text is.
fn omission_spans(line: &str, language: Language) -> impl Iterator<Item = Span> {
    let candidates = comment::candidates(line, language).into_iter();
    candidates
        .filter(|candidate| wording::stands_for_more(candidate.words, candidate.place))
        .map(|candidate| candidate.span)
}

/// Finds the places where a text stands for more than it says, in the order of the text.
pub fn find_omissions(text: &str, language: Language) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let spans = omission_spans(line, language);
        findings.extend(spans.map(|span| marker(&line[span.range()], start, span)));
        start += line.len();
    }
    findings.extend(conflict::find_conflicts(text));
    findings.extend(leaked_numbers(text, language));
    findings.sort_by_key(|finding| finding.span);
    findings
}

fn marker(words: &str, line_start: usize, span: Span) -> Finding {
    Finding {
        code: FindingCode::OmissionMarker,
        message: format!("stands for text that is not there: {words}"),
        span: Span::new(line_start + span.start, line_start + span.end),
    }
}

// In prose and tables, numbers before lines are often meant.
fn leaked_numbers(text: &str, language: Language) -> Option<Finding> {
    const FEWEST: usize = 4;
    if matches!(language, Language::Markdown | Language::Text | Language::Yaml | Language::Json) {
        return None;
    }
    let run = numbered_lines(text).filter(|run| run.prefixes.len() >= FEWEST)?;
    Some(Finding {
        code: FindingCode::LeakedLineNumbers,
        message: format!("line numbers stand before {} lines", run.prefixes.len()),
        span: run.span,
    })
}

#[cfg(test)]
mod tests;
