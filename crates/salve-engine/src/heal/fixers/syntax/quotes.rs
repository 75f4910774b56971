//! Quotes that are lost.
//!
//! In: a diagnostic that a string is not closed, and its place. Out: edits that write a quote somewhere in
//! that line where a string may begin or end. The grammar finds the one that fits.

use super::super::view::SourceFile;
use super::edits::Edit;
use salve_types::{Diagnostic, Hint, Span};

// The most places of one line that are tried.
const TRIED: usize = 60;

/// Lists edits that write the quote which is missing.
pub(super) fn edits(diagnostic: &Diagnostic, file: &SourceFile, place: Span) -> Vec<Edit> {
    let quote = diagnostic.hints.iter().find_map(|hint| match hint {
        Hint::Unclosed { token, .. } if token.starts_with(['"', '\'', '`']) => Some(token.as_str()),
        _ => None,
    });
    let Some(quote) = quote else { return Vec::new() };
    let Some(line) = file.line(file.line_of(place.start)) else { return Vec::new() };
    let text = file.text().get(line.range()).unwrap_or_default();
    // A tool may say `"` of any string; the quote that is written there is the one.
    let written = file
        .text()
        .get(place.start..)
        .and_then(|rest| rest.chars().find(|one| matches!(one, '"' | '\'' | '`')));
    let quote = match written {
        Some(found) if quote.len() == 1 => found.to_string(),
        _ => quote.to_owned(),
    };
    let mut places: Vec<usize> = Vec::new();
    let mut before = None;
    for (at, one) in text.char_indices() {
        let is_edge = |one: char| !one.is_alphanumeric() && one != '_';
        if is_edge(one) || before.is_some_and(is_edge) {
            places.push(at);
        }
        before = Some(one);
    }
    places.push(text.trim_end().len());
    // A string ends before the brackets and semicolons that end the line.
    let tail = text.trim_end().trim_end_matches([')', ';', ',', ']', '}', ':']).len();
    let rank = |at: usize| if at >= tail { (at - tail) * 2 } else { 6 + (tail - at) };
    let edit = |at: usize| Edit {
        span: Span::new(line.start + at, line.start + at),
        replacement: quote.clone(),
        token: quote.clone(),
        what: format!("insert `{quote}`"),
        rank: rank(at),
        is_hinted: true,
        is_here: false,
    };
    let mut edits: Vec<Edit> = places.into_iter().map(edit).collect();
    edits.sort_by_key(|edit| edit.rank);
    edits.truncate(TRIED);
    edits
}
