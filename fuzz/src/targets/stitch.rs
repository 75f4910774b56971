//! Joining: the partial text stays, and every byte of the continuation is accounted for.
//!
//! In: a byte that chooses the language, a partial text, the separator `0x1E`, a continuation. Out:
//! a panic when the joined text is not the partial and what was kept. Never judges whether a join
//! was the right one.

use crate::input;
use salve_text::{Stitch, StitchOptions, StitchOutcome, stitch};
use salve_types::Language;

const SEPARATOR: char = '\u{1e}';

pub(super) fn check(bytes: &[u8]) {
    let (language, text) = input::language_and_text(bytes);
    let (partial, continuation) = text.split_once(SEPARATOR).unwrap_or((&text, ""));
    // The last language of the table stands for "not known", so that detection is tried too.
    let language = (language != Language::Text).then_some(language);
    let options = StitchOptions { language, ..StitchOptions::default() };
    let joined = stitch(partial, continuation, &options);
    let kept = kept_of(&joined, continuation);
    let StitchOutcome::Joined { text } = &joined.outcome else { return };
    assert!(text.starts_with(partial), "the partial text was changed");
    if joined.reindented.is_none() {
        let expected = format!("{partial}{}{kept}", joined.inserted);
        assert_eq!(*text, expected, "the joined text is not the partial and what was kept");
    } else {
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(
            bare(&text[partial.len()..]),
            bare(&kept),
            "re-indenting changed more than space"
        );
    }
}

// The continuation without what was dropped.
fn kept_of(joined: &Stitch, continuation: &str) -> String {
    let mut kept = String::new();
    let mut at = 0;
    for dropped in &joined.dropped {
        assert!(at <= dropped.span.start, "dropped parts overlap or are out of order");
        assert_eq!(continuation.get(dropped.span.range()), Some(dropped.text.as_str()));
        kept.push_str(continuation.get(at..dropped.span.start).expect("between characters"));
        at = dropped.span.end;
    }
    kept.push_str(continuation.get(at..).expect("between characters"));
    kept
}
