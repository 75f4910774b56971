//! Announced changes, and prose that announces none.

use super::read;
use crate::edits::EditOptions;
use crate::edits::blocks::shown::shown;
use proptest::prelude::*;

fn parsed(text: &str) -> String {
    shown(read(text, &EditOptions::default()).as_ref())
}

#[test]
fn headings_of_every_kind_announce_a_pair() {
    let cases = [
        "ORIGINAL LINES:\nx = 1\n\nCHANGED LINES:\nx = 2\n",
        "ORIGINAL LINES:\n```\nx = 1\n```\nCHANGED LINES:\n```\nx = 2\n```\n",
        "Before:\n\n```python\nx = 1\n```\n\nAfter:\n\n```python\nx = 2\n```\n\nThis is right.\n",
        "### Original code\n```\nx = 1\n```\n### Modified code\n```\nx = 2\n```\n",
        "**Original:**\n```\nx = 1\n```\n**Updated:**\n```\nx = 2\n```\n",
        "Replace:\n```\nx = 1\n```\nWith:\n```\nx = 2\n```\n",
        "Replace this code:\n~~~\nx = 1\n~~~\nwith this:\n~~~\nx = 2\n~~~\n",
    ];
    for text in cases {
        assert_eq!(parsed(text), "original_changed\n?: [\"x = 1\"] => [\"x = 2\"]", "{text}");
    }
}

#[test]
fn paths_numbers_and_several_pairs() {
    let text = "src/a.py\n\nORIGINAL LINES:\n1 | import os\n2 | \n\nCHANGED LINES:\n1 | import os\n\
                2 | import re\n\nORIGINAL LINES:\nb\n\nCHANGED LINES:\nc\n";
    insta::assert_snapshot!(parsed(text), @r#"
    original_changed
    src/a.py: ["import os", ""] => ["import os", "import re"] @1; ["b"] => ["c"]
    note LOOSE_MARKER
    "#);
}

#[test]
fn a_pair_that_is_not_whole_is_refused() {
    let cases = [
        ("ORIGINAL LINES:\nx\n", "truncated at 0: the old text is not followed"),
        ("ORIGINAL LINES:\nx\nCHANGED LINES:\n", "truncated at 18: nothing is under"),
        ("Before:\n```\nx\n```\nAfter:\n```\ny\n", "truncated at 18"),
        ("Before:\n```\nx\n", "none"),
        ("ORIGINAL LINES:\nx\nORIGINAL LINES:\ny\nCHANGED LINES:\nz\n", "malformed at 18"),
        ("CHANGED LINES:\nx\nORIGINAL LINES:\ny\n", "malformed at 0"),
        ("ORIGINAL LINES:\n\nCHANGED LINES:\nz\n", "malformed at 0: the old text is empty"),
    ];
    for (text, expected) in cases {
        let shown = parsed(text);
        assert!(shown.contains(expected), "{text}\n{shown}");
    }
}

#[test]
fn the_same_twice_is_no_change() {
    let shown = parsed("Before:\n```\nx\n```\nAfter:\n```\nx\n```\n");
    assert!(shown.contains("NO_EFFECT"), "{shown}");
}

#[test]
fn sentences_may_state_a_replacement() {
    let text = "Two typos:\n\n- In `a.py`, replace `teh` with `the`.\n- Change `fo` to `of`.\n";
    insta::assert_snapshot!(parsed(text), @r#"
    original_changed
    a.py: "teh" -> "the"; "fo" -> "of"
    "#);
}

#[test]
fn prose_announces_nothing() {
    let cases = [
        "",
        "The original code is fine.\n",
        "Before you begin, install it.\nAfter that, run it.\n",
        "# New features\n\n- one\n",
        "Replace the call with another.\n```\nx\n```\n",
        "With:\nno fence\n",
    ];
    for text in cases {
        assert_eq!(parsed(text), "none", "{text}");
    }
}

#[test]
fn hostile_texts_are_survived() {
    for text in [
        "ORIGINAL LINES:\n".repeat(20_000),
        "Before:\n```\n".repeat(5_000),
        "Before:\n\n".repeat(20_000),
        "`".repeat(100_000),
        "Replace `\u{0}` with `\u{2028}`\n".repeat(1_000),
    ] {
        let _ = read(&text, &EditOptions::default());
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("ORIGINAL LINES:".to_owned()), Just("CHANGED LINES:".to_owned()),
                Just("Before:".to_owned()), Just("After:".to_owned()), Just("```".to_owned()),
                Just("```py".to_owned()), Just(String::new()), Just("a.py".to_owned()),
                Just("Replace `a` with `b`".to_owned()), "\\PC{0,12}",
            ],
            0..16,
        ),
    ) {
        let text = parts.join("\n");
        if let Some(set) = read(&text, &EditOptions::default()) {
            for file in &set.files {
                prop_assert!(text.get(file.span.range()).is_some());
            }
        }
    }
}
