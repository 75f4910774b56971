//! Omissions: places where a text stands for more than it says.
//!
//! In: a text and its language. Out: findings for "rest of the code unchanged" and its relatives,
//! for merge conflict markers and for line numbers copied from a listing, each with its span.
//! Never changes the text, and never goes by an ellipsis alone: spread, variadics and Python's
//! `...` are code, and three dots in a comment are a habit of people.

mod comment;
mod conflict;
mod pattern;
mod wording;

use crate::clean::numbered_lines;
use salve_types::{Finding, FindingCode, Language, Span};

/// Finds the places where a text stands for more than it says, in the order of the text.
pub fn find_omissions(text: &str, language: Language) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        for candidate in comment::candidates(line, language) {
            if wording::stands_for_more(candidate.words, candidate.place) {
                let span = candidate.span;
                findings.push(marker(&line[span.range()], start, span));
            }
        }
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
