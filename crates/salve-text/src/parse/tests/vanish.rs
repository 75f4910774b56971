//! Values that damage would make vanish are kept, or the answer is not called complete.

use super::{check_both, check_table, parse, value};
use crate::parse::ParseMode;
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn a_lost_brace_between_two_objects_keeps_both() {
    check_both(&[
        (r#"[{"i":1{"i":2}]"#, r#"[{"i":1},{"i":2}]"#),
        (r#"[{"i":1,{"i":2},{"i":3}]"#, r#"[{"i":1},{"i":2},{"i":3}]"#),
        (r#"{"a":[{"i":1 {"i":2}],"b":3}"#, r#"{"a":[{"i":1},{"i":2}],"b":3}"#),
        (r#"[{"a":1},"a":2},{"a":3}]"#, r#"[{"a":1},{"a":2},{"a":3}]"#),
        (r#"[{"k":"v"}},{"k":"w"}]"#, r#"[{"k":"v"},{"k":"w"}]"#),
    ]);
    check_table(
        ParseMode::Llm,
        &[
            (r#""a":"x","b":[1,2],"c":"z"}"#, r#"{"a":"x","b":[1,2],"c":"z"}"#),
            ("{\"content\":\"a\nb\n\",\"n\":1}", r#"{"content":"a\nb\n","n":1}"#),
            (r#"{'s':'F: Send + 'static,','n':1}"#, r#"{"s":"F: Send + 'static,","n":1}"#),
            ("{\"a\":\"x\", # it's\n \"b\":\"y\"}", r#"{"a":"x","b":"y"}"#),
        ],
    );
}

#[test]
fn what_is_lost_is_not_called_complete() {
    for text in [r#"{"a":1,"a":2}"#, r#"{"x":{"a":[1],"b":0,"a":"y"}}"#, r#"[{"i":1{"i":2}]"#] {
        for mode in [ParseMode::Llm, ParseMode::Text] {
            let parsed = parse(text, mode);
            assert!(!parsed.complete, "{mode:?} {text} {:?}", value(&parsed));
            assert!(!parsed.incomplete_paths().is_empty(), "{text}");
        }
    }
    assert!(!parse(r#""b":[1,2],"c":"z"}"#, ParseMode::Llm).complete);
    // A member that says the same twice loses nothing.
    assert!(parse(r#"{"a":1,"a":1}"#, ParseMode::Llm).complete);
}

fn scalars(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| scalars(item, found)),
        Value::Object(members) => members.values().for_each(|item| scalars(item, found)),
        Value::String(text) => found.push(text.clone()),
        other => found.push(other.to_string()),
    }
}

fn documents() -> impl Strategy<Value = Value> {
    let row =
        (0..1000_u32, "[a-z]{3,8}").prop_map(|(number, word)| json!({"id": number, "name": word}));
    prop::collection::vec(row, 1..5)
        .prop_map(|rows| json!({"rows": rows, "note": "all of them", "last": 77_777}))
}

proptest! {
    #[test]
    fn a_scalar_is_in_the_answer_or_the_answer_is_not_complete(
        document in documents(),
        pretty in any::<bool>(),
        place in any::<prop::sample::Index>(),
    ) {
        let whole = if pretty {
            serde_json::to_string_pretty(&document).unwrap()
        } else {
            document.to_string()
        };
        let signs: Vec<usize> = whole.match_indices(['{', '}', '[', ']', ',']).map(|it| it.0).collect();
        let lost = signs[place.index(signs.len())];
        let damaged = format!("{}{}", &whole[..lost], &whole[lost + 1..]);
        for mode in [ParseMode::Llm, ParseMode::Text] {
            let parsed = parse(&damaged, mode);
            let (mut wanted, mut got) = (Vec::new(), Vec::new());
            scalars(&document, &mut wanted);
            scalars(&value(&parsed).unwrap_or_default(), &mut got);
            wanted.retain(|it| !got.contains(it));
            prop_assert!(wanted.is_empty() || !parsed.complete, "{mode:?} {damaged} lost {wanted:?}");
        }
    }

    #[test]
    fn the_view_writes_what_the_value_is(text in r#"[\[\]{}",:a1 ]{0,40}"#) {
        for mode in [ParseMode::Llm, ParseMode::Text] {
            let parsed = parse(&text, mode);
            let written = serde_json::to_string(&parsed.view()).unwrap();
            prop_assert_eq!(written, parsed.value().to_string());
        }
    }
}

#[test]
fn the_listed_repairs_are_bounded() {
    let parsed = parse(&"{".repeat(5_000), ParseMode::Text);
    let (listed, more) = parsed.first_repairs();
    let all = parsed.repairs();
    assert!(listed.len() <= crate::MOST_REPAIRS);
    assert_eq!(listed.len() + more, all.len());
    assert_eq!(listed[..], all[..listed.len()]);
}
