//! Texts that end too early: what is complete is right, what is not says so.

use super::super::{Kind, NodeId, NodeState, ParseMode, Tree};
use super::{check_table, parse, value};
use serde_json::{Value, json};

const CHAT: &str = r#"{
  "summary": "Adds a {cache}, \"fast\" and small: done, \"next\": test.\nSecond line 😀 \ud83d\ude00 \u00e9",
  "todos": [{"id": 1, "text": "write, it", "done": true}, {"id": 20, "text": "", "done": false}],
  "fileChanges": [
    {"path": "src/a.rs", "content": "fn main() {\n    println!(\"{}\", [1, 2]);\n}\n"},
    {"path": "b.json", "content": "{\"a\": [1, {\"b\": null}]}"}
  ],
  "commands": ["cargo test -- --exact 'a b'", "ls // x /* y */ # z"],
  "score": -12.50e+3, "big": 123456789012345678901234567890, "none": null,
  "nested": [[[1, 2], [3]], {}, []]
}"#;

// Of the two readings this is the one for replies: the other takes a bracket at the very end of the
// text as a sign that only a quote was lost.
#[test]
fn c189_cut_at_every_byte_fields_are_missing_or_right() {
    let whole: Value = serde_json::from_str(CHAT).expect("the fixture is strict JSON");
    for text in [CHAT.to_owned(), format!("Here you are:\n```json\n{CHAT}\n```\n")] {
        for (end, _) in text.char_indices() {
            let parsed = parse(&text[..end], ParseMode::Llm);
            let Some(root) = parsed.tree.root() else { continue };
            assert_eq!(parsed.tree.kind(root), Kind::Object, "after {:?}", &text[..end]);
            check_part(&parsed.tree, root, &whole, &text[..end]);
        }
    }
}

// What is marked complete equals the original; what is not is at most a part of it.
fn check_part(tree: &Tree, id: NodeId, whole: &Value, text: &str) {
    let state = tree.state(id);
    match (tree.kind(id), whole) {
        (Kind::Object, Value::Object(members)) => {
            for (key, child) in tree.entries(id) {
                let name = tree.text(key).into_owned();
                let Some(original) = members.get(&name) else {
                    panic!("key {name:?} was invented after {text:?}");
                };
                check_part(tree, child, original, text);
            }
            let same = tree.entries(id).count() == members.len();
            assert!(state != NodeState::Complete || same, "members are absent after {text:?}");
        }
        (Kind::Array, Value::Array(items)) => {
            let ids: Vec<NodeId> = tree.items(id).collect();
            assert!(ids.len() <= items.len(), "items were invented after {text:?}");
            assert!(state != NodeState::Complete || ids.len() == items.len(), "{text:?}");
            for (child, original) in ids.into_iter().zip(items) {
                check_part(tree, child, original, text);
            }
        }
        (Kind::String, Value::String(original)) if state != NodeState::Complete => {
            let part = tree.text(id);
            assert!(original.starts_with(part.trim_end()), "{part:?} is no part, after {text:?}");
        }
        _ if state != NodeState::Complete => {}
        _ => assert_eq!(&tree.to_value(id), whole, "after {text:?}"),
    }
}

#[test]
fn cut_values_are_kept_and_marked() {
    let rows = [
        (r#"{"a": "on"#, json!({"a": "on"}), vec!["$", "$.a"]),
        (r#"{"a": 1, "b"#, json!({"a": 1}), vec!["$"]),
        (r#"{"a": 1, "b""#, json!({"a": 1, "b": null}), vec!["$", "$.b"]),
        (r#"{"a": 1, "b":"#, json!({"a": 1, "b": null}), vec!["$", "$.b"]),
        (r#"{"a": [1, 2"#, json!({"a": [1, 2]}), vec!["$", "$.a", "$.a[1]"]),
        (r#"{"a": [1, 2,"#, json!({"a": [1, 2]}), vec!["$", "$.a"]),
        (r#"{"a": tr"#, json!({"a": true}), vec!["$", "$.a"]),
        (r#"{"a": -1.5e"#, json!({"a": -1.5}), vec!["$", "$.a"]),
        (r#"{"a": "x\"#, json!({"a": "x"}), vec!["$", "$.a"]),
        (r#"{"a": "x\u00"#, json!({"a": "x"}), vec!["$", "$.a"]),
        (r#"{"a b": {"c": ["#, json!({"a b": {"c": []}}), vec!["$", "$[\"a b\"]", "$[\"a b\"].c"]),
    ];
    for (text, want, paths) in rows {
        let parsed = parse(text, ParseMode::Llm);
        assert_eq!(value(&parsed), Some(want), "{text}");
        assert_eq!(parsed.incomplete_paths(), paths, "{text}");
        assert!(!parsed.complete, "{text}");
    }
}

#[test]
fn t40_complete_means_the_root_value_reached_its_end() {
    for text in ["{\"a\": 1}", "[]", "{\"a\": 1}\n\nDone.", "```json\n[1]\n```", "{'a': True,}"] {
        assert!(parse(text, ParseMode::Llm).complete, "{text}");
    }
    for text in ["{\"a\": 1", "[", "[\"a]", "```json\n[1\n```", "{\"a\": }", "[{\"a\": 1]", ""] {
        assert!(!parse(text, ParseMode::Llm).complete, "{text}");
    }
}

#[test]
fn a_lost_quote_is_told_from_a_cut_by_the_brackets_behind_it() {
    check_table(
        ParseMode::Llm,
        &[
            (r#"{"a": "one, two}"#, r#"{"a": "one, two"}"#),
            (r#"{"a": ["one, two]}"#, r#"{"a": ["one, two"]}"#),
        ],
    );
    check_table(
        ParseMode::Text,
        &[(r#"["one, two]"#, r#"["one", "two"]"#), (r#"{"a": "one, two"#, r#"{"a": "one, two"}"#)],
    );
}
