//! The repairs: their codes, their places, and what they leave untouched.

use super::super::{Kind, NodeState, ParseMode, RepairCode};
use super::parse;
use std::borrow::Cow;

fn listed(text: &str, mode: ParseMode) -> Vec<String> {
    let repairs = parse(text, mode).repairs();
    repairs
        .iter()
        .map(|repair| {
            let at = repair.span.start;
            format!("{} {at} {:?} -> {:?}", repair.code.name(), repair.before, repair.after)
        })
        .collect()
}

#[test]
fn repairs_say_what_stood_where() {
    insta::assert_debug_snapshot!(listed("Hi {a: 'x', /* c */ \"b\": None,} bye", ParseMode::Llm), @r#"
    [
        "TALK_DROPPED 0 \"Hi \" -> \"\"",
        "UNQUOTED_KEY 4 \"\" -> \"\\\"\"",
        "UNQUOTED_KEY 5 \"\" -> \"\\\"\"",
        "SINGLE_QUOTES 7 \"'\" -> \"\\\"\"",
        "SINGLE_QUOTES 9 \"'\" -> \"\\\"\"",
        "COMMENT 12 \"/* c */\" -> \"\"",
        "PYTHON_LITERAL 25 \"None\" -> \"null\"",
        "TRAILING_COMMA 29 \",\" -> \"\"",
        "TALK_DROPPED 31 \" bye\" -> \"\"",
    ]
    "#);
    insta::assert_debug_snapshot!(listed("[1 {\"a\": \"b", ParseMode::Llm), @r#"
    [
        "MISSING_COMMA 3 \"\" -> \",\"",
        "TRUNCATED_STRING 11 \"\" -> \"\\\"\"",
        "MISSING_CLOSER 11 \"\" -> \"}\"",
        "MISSING_CLOSER 11 \"\" -> \"]\"",
    ]
    "#);
}

#[test]
fn a_key_that_comes_twice_is_reported_and_the_last_counts() {
    let parsed = parse(r#"{"a": 1, "b": 2, "a": 3}"#, ParseMode::Llm);
    assert_eq!(parsed.value(), serde_json::json!({"a": 3, "b": 2}));
    let repairs = parsed.repairs();
    assert_eq!(repairs.len(), 1);
    assert_eq!((repairs[0].code, repairs[0].span.start), (RepairCode::DuplicateKey, 17));
    assert!(!parsed.complete, "a value is gone");
    assert_eq!(parsed.incomplete_paths(), ["$.a"]);
}

#[test]
fn code_names_are_unique_and_in_capitals() {
    let mut names: Vec<&str> = RepairCode::ALL.iter().map(|code| code.name()).collect();
    assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')));
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn the_tree_borrows_what_needs_no_decoding() {
    let text = r#"{"plain": "as it stands", "escaped": "a\nb", "n": 1.50, "list": [true, null]}"#;
    let tree = parse(text, ParseMode::Text).tree;
    let root = tree.root().expect("there is a value");
    assert_eq!((tree.kind(root), tree.state(root)), (Kind::Object, NodeState::Complete));
    assert_eq!(&tree.source()[tree.span(root).range()], text);
    let members: Vec<_> = tree.entries(root).collect();
    assert!(matches!(tree.text(members[0].1), Cow::Borrowed("as it stands")));
    assert_eq!(tree.text(members[1].1), "a\nb");
    assert_eq!((tree.kind(members[2].1), tree.text(members[2].1)), (Kind::Number, "1.50".into()));
    let kinds: Vec<Kind> = tree.items(members[3].1).map(|item| tree.kind(item)).collect();
    assert_eq!(kinds, [Kind::Bool(true), Kind::Null]);
}
