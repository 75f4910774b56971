//! Edits: any text in any pieces is one set of edits, and every place in it is a place of the text.
//!
//! In: a byte that says whether a target is known, and a reply. Out: a panic when two ways of
//! cutting the reply give two sets, a span lies outside the text, or hunks hold line breaks. Never
//! judges whether a format was recognised rightly.

use crate::input;
use salve_text::{EditOptions, EditReader, parse_edits};
use salve_types::{EditEnd, EditSet, FileChange, Hunk, HunkBody, Span};

pub(super) fn check(bytes: &[u8]) {
    let (first, rest) = bytes.split_first().map_or((0, bytes), |(first, rest)| (*first, rest));
    let text = input::text(rest);
    let target = (first & 1 == 1).then(|| "target.txt".to_owned());
    let hints = if first & 2 == 2 { vec![3, 7] } else { Vec::new() };
    let options = EditOptions { target, hints, ..EditOptions::default() };
    let set = parse_edits(&text, &options);
    check_places(&set, &text);
    for pieces in input::chunkings(&text) {
        let mut reader = EditReader::new(&options);
        for piece in pieces {
            reader.push(piece);
        }
        assert_eq!(reader.finish(), set, "the pieces change what is read");
    }
}

fn check_places(set: &EditSet, text: &str) {
    let holds = |span: Span| text.get(span.range()).is_some();
    for file in &set.files {
        assert!(holds(file.span), "a file stands outside the reply");
        assert!(file.path.as_deref() != Some(""), "a file has an empty name");
        if let FileChange::Patch(hunks) = &file.change {
            for hunk in hunks {
                assert!(holds(hunk.span), "a hunk stands outside the reply");
                check_lines(hunk);
            }
        }
    }
    assert!(set.notes.iter().all(|note| holds(note.span)), "a note stands outside the reply");
    match &set.end {
        EditEnd::Complete => assert!(!set.files.is_empty(), "complete without an edit"),
        EditEnd::Truncated { at, why } | EditEnd::Malformed { at, why } => {
            assert!(*at <= text.len() && !why.is_empty());
        }
    }
}

fn check_lines(hunk: &Hunk) {
    let whole_line = |line: &str| !line.contains('\n');
    match &hunk.body {
        HunkBody::Lines(lines) => {
            assert!(lines.iter().all(|line| whole_line(&line.text)));
            if let Some(split) = hunk.split_merged() {
                let more = matches!(&split.body, HunkBody::Lines(more) if more.len() > lines.len());
                assert!(more, "splitting merged lines gave no more lines");
            }
        }
        HunkBody::Block { old, new } => {
            assert!(old.iter().chain(new).all(|line| whole_line(line)));
        }
        HunkBody::Text { .. } => {}
        HunkBody::At(operation) => assert!(operation.start <= operation.end),
    }
}
