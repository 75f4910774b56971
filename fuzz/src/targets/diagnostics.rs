//! What tools print: any text is read, by every parser, and what is read can be told to others.
//!
//! In: a byte that chooses the parser, then standard output, and after a NUL standard error. Out: a
//! panic when a place lies before the first one, when a file outside the folder is asked for, when
//! two readings differ, or when a report loses a diagnostic or breaks its own form. Never judges
//! whether a diagnostic is right.

use crate::input;
use salve_check::{
    CheckedFolder, OutputParser, for_model, github_commands, parse_output, sarif_log,
};
use salve_types::{Diagnostic, SourceSpan};
use std::path::Path;

pub(super) fn check(bytes: &[u8]) {
    let (&first, rest) = bytes.split_first().unwrap_or((&0, bytes));
    let parser = OutputParser::ALL[usize::from(first) % OutputParser::ALL.len()];
    let text = input::text(rest);
    let (stdout, stderr) = text.split_once('\0').unwrap_or((&text, ""));
    let source = |path: &str| {
        assert!(!path.starts_with('/') && !path.split('/').any(|part| part == ".."), "{path}");
        Some("é = \"😀\";\tx\n".repeat(9))
    };
    let folder = CheckedFolder { path: Path::new("/project"), source: &source };
    let found = parse_output(parser, stdout, stderr, folder);
    assert_eq!(found, parse_output(parser, stdout, stderr, folder), "two readings differ");
    found.iter().for_each(check_places);
    check_reports(&found);
}

fn check_places(one: &Diagnostic) {
    let noted = one.notes.iter().flat_map(|note| &note.spans);
    let edited = one.suggestions.iter().flat_map(|suggestion| &suggestion.edits);
    let spans = one.spans.iter().chain(noted).chain(edited.map(|edit| &edit.span));
    let is_place = |span: &SourceSpan| {
        let places = span.start.into_iter().chain(span.end);
        places.into_iter().all(|place| place.line > 0 && place.column > 0)
            && span.start.zip(span.end).is_none_or(|(start, end)| start <= end)
            && span.bytes.is_none_or(|bytes| bytes.start <= bytes.end)
    };
    spans.for_each(|span| assert!(is_place(span), "{span:?} is no place"));
}

fn check_reports(found: &[Diagnostic]) {
    let commands = github_commands(found);
    assert_eq!(commands.lines().count(), found.len(), "a command is more or less than a line");
    let log = sarif_log(found, &|_| Vec::new()).expect("a log can be written");
    let unread = CheckedFolder::unread(Path::new("/project"));
    let again = parse_output(OutputParser::Sarif, &log, "", unread);
    assert_eq!(again.len(), found.len(), "a log loses diagnostics");
    let all = for_model(found, 400);
    assert!(all.len() <= 400 || found.is_empty(), "the budget is not kept");
}
