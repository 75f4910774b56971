//! JSON in prose, fences and tags: what is found, and what becomes the answer.

use super::super::ParseMode;
use super::{check_table, parse, value};

#[test]
fn c012_json_is_found_in_talk() {
    check_table(
        ParseMode::Llm,
        &[
            ("Sure! Here it is:\n{\"a\": 1}\nAnything else?", r#"{"a": 1}"#),
            ("See [1] and [note].\n\n{\"a\": [1]}", r#"{"a": [1]}"#),
            ("Use `x[0]`:\n```json\n{\"a\": 1}\n```\nwhere {\"b\": 2} is odd.", r#"{"a": 1}"#),
            ("<tool_call>\n{\"name\": \"f\"}\n</tool_call>", r#"{"name": "f"}"#),
            ("<t>{\"a\": 1}</t>\n<t>{\"b\": 2}</t>", r#"[{"a": 1}, {"b": 2}]"#),
            ("{\"a\": 1}[2]", r#"[{"a": 1}, [2]]"#),
            ("[]{\"a\": 1}", r#"{"a": 1}"#),
            ("```\n(1, 2)\n```", "[1, 2]"),
            ("fn main() { println!(\"{x}\"); }\n{\"a\": 1}", r#"{"a": 1}"#),
            ("call: search(query='rust', limit=5)", r#"{"search": {"query": "rust", "limit": 5}}"#),
            ("\"only a string\"", r#""only a string""#),
            ("42", "42"),
        ],
    );
}

#[test]
fn c012_text_without_json_gives_nothing() {
    for text in ["", "  \n", "I cannot do that.", "1. First do this, 2. then that.", "it's \"x\" y"]
    {
        assert_eq!(value(&parse(text, ParseMode::Llm)), None, "{text}");
    }
}

#[test]
fn fences_inside_strings_do_not_end_the_value() {
    let text = "{\"md\": \"```js\\nlet x = {};\\n```\", \"n\": 1}";
    check_table(ParseMode::Llm, &[(text, "{\"md\": \"```js\\nlet x = {};\\n```\", \"n\": 1}")]);
}

#[test]
fn candidates_come_in_order_with_their_places() {
    let text = "first [1, 2], then\n```json\n{\"a\": 1}\n```\nand {\"b\": 2}.";
    let parsed = parse(text, ParseMode::Llm);
    let seen: Vec<(&str, bool)> =
        parsed.candidates().map(|found| (&text[found.span.range()], found.fenced)).collect();
    assert_eq!(seen, [("[1, 2]", false), ("{\"a\": 1}", true), ("{\"b\": 2}", false)]);
    assert_eq!(parsed.value(), serde_json::json!({"a": 1}));
}
