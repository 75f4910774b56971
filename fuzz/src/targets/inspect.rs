//! Inspection: one verdict for any chunking, and every place in it exists.
//!
//! In: a byte that chooses the language, then text. Out: a panic when pieces give another verdict
//! than the whole, or when something open is not a place in the text. Never judges whether a text
//! really is cut.

use crate::input;
use salve_text::{InspectOptions, Inspector, LanguageHints, inspect_text};
use salve_text::{detect_language, find_omissions};
use salve_types::{Language, OpenKind, Verdict};

pub(super) fn check(bytes: &[u8]) {
    let (language, text) = input::language_and_text(bytes);
    let options = InspectOptions { language: Some(language), ..InspectOptions::default() };
    let whole = inspect_text(&text, &options);
    assert_sound(&whole, &text);
    for pieces in input::chunkings(&text) {
        let mut inspector = Inspector::new(&options);
        pieces.iter().for_each(|piece| inspector.push(piece));
        assert_eq!(inspector.finish(), whole, "another chunking gives another verdict");
    }
    let unnamed = InspectOptions::default();
    assert_sound(&inspect_text(&text, &unnamed), &text);
    let _: Language = detect_language(&text, &LanguageHints::default());
    for finding in find_omissions(&text, language) {
        assert!(text.get(finding.span.range()).is_some(), "an omission is not a place in the text");
    }
}

fn assert_sound(verdict: &Verdict, text: &str) {
    assert!((0.0..=1.0).contains(&verdict.confidence), "confidence is out of range");
    assert_eq!(verdict.is_valid, verdict.kind.is_none(), "a kind goes with a cut");
    assert_eq!(verdict.is_valid, verdict.error_type.is_none(), "an error type goes with a cut");
    let mut before = 0;
    for open in &verdict.open {
        assert!(text.is_char_boundary(open.offset), "an opener is not a place in the text");
        // A here-document begins below its line, so brackets after its opener are around it.
        if open.kind != OpenKind::Heredoc {
            assert!(before <= open.offset, "openers are out of order: {:?}", verdict.open);
            before = open.offset;
        }
    }
    assert!(
        !verdict.open.is_empty() || verdict.closing.is_empty(),
        "nothing is open, yet it is closed by {:?}",
        verdict.closing
    );
    assert!(verdict.open.is_empty() || !verdict.is_valid, "something is open in a whole text");
    for evidence in &verdict.evidence {
        let span = evidence.span.is_none_or(|span| text.get(span.range()).is_some());
        assert!(span, "evidence {} is not a place in the text", evidence.code);
        assert!((0.0..=1.0).contains(&evidence.weight), "a weight is out of range");
    }
}
