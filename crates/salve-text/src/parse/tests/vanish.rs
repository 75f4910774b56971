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
            ("{\"a\":\"\n```{}```\n\",\"n\":1}", r#"{"a":"\n```{}```","n":1}"#),
            (r#"{'s':'F: Send + 'static,','n':1}"#, r#"{"s":"F: Send + 'static,","n":1}"#),
            ("{\"a\":\"x\", # it's\n \"b\":\"y\"}", r#"{"a":"x","b":"y"}"#),
        ],
    );
}

#[test]
fn the_reading_with_the_least_repairs_is_chosen() {
    let cases = [
        // The bracket of a list of objects was lost.
        (
            r#"{"n":1,"rows":{"a":1,"b":2},{"a":3,"b":4}]}"#,
            r#"{"n":1,"rows":[{"a":1,"b":2},{"a":3,"b":4}]}"#,
        ),
        (r#"{"a":[true],"e":null, null]}"#, r#"{"a":[true],"e":[null,null]}"#),
        // Semicolons for commas, one of them after the last member.
        (
            "{\"a\": \"x\";\n \"b\": {\"c\": \"y\";\n };\n \"d\": [\"p\"; null; \"q\"]}",
            r#"{"a":"x","b":{"c":"y"},"d":["p",null,"q"]}"#,
        ),
    ];
    check_table(ParseMode::Llm, &cases);
    for (text, _) in cases {
        let parsed = parse(text, ParseMode::Llm);
        assert!(text.contains(';') || !parsed.complete, "{text}");
        // The repairs are those of the text as it is.
        let strict = crate::parse::replay(text, &parsed.repairs());
        assert_eq!(serde_json::from_str::<Value>(&strict).ok(), value(&parsed), "{text} {strict}");
    }
}

#[test]
fn words_in_quotes_stay_in_their_string() {
    check_table(
        ParseMode::Llm,
        &[
            (
                r#"{"x": "an object {"k": "v"}, inside words"}"#,
                r#"{"x":"an object {\"k\": \"v\"}, inside words"}"#,
            ),
            (r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#),
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

#[test]
fn a_member_that_lost_a_sign_does_not_take_its_neighbour_along() {
    check_both(&[
        (r#"{"a":"x","b""y","c":1}"#, r#"{"a":"x","b":"y","c":1}"#),
        (r#"{"a":"x","b:"y","c":1}"#, r#"{"a":"x","b":"y","c":1}"#),
        (r#"{"a":"x","b"2,"c":1}"#, r#"{"a":"x","b":2,"c":1}"#),
        (r#"[{"k":"v},{"k":"w"}]"#, r#"[{"k":"v"},{"k":"w"}]"#),
        (r#"{"a":"x","b"true}"#, r#"{"a":"x","b":true}"#),
        (r#"{"b:2,"c":3}"#, r#"{"b":2,"c":3}"#),
        (r#"{"a":"x","n":1,b":2}"#, r#"{"a":"x","n":1,"b":2}"#),
        (r#"{"a"":1}"#, r#"{"a":1}"#),
        (r#"{"a":"x"","b":1}"#, r#"{"a":"x","b":1}"#),
        (r#"{"a":"5'10"","b":1}"#, r#"{"a":"5'10\"","b":1}"#),
    ]);
    let fence = "{\n # note\n \"t\": \"see ```py\\nx()\\n```\",\n \"n\": 5\n}";
    check_table(ParseMode::Llm, &[(fence, r#"{"t":"see ```py\nx()\n```","n":5}"#)]);
}

#[test]
fn a_value_without_a_key_makes_its_object_incomplete() {
    let rows = [
        (r#"{"x":1,2,"y":3}"#, "$"),
        (r#"{"x":1,:2,"y":3}"#, "$"),
        (r#"{"o":{"m":1,000}}"#, "$.o"),
        (r#"{7,"x":1}"#, "$"),
        (r#"{"x":1, true "y":3}"#, "$"),
        (r#"{"x":1,lost,"y":3}"#, "$"),
        (r#"{"x":5 true,"y":3}"#, "$"),
        (r#"{"size": 5 MB}"#, "$"),
        (r#"{"x":None 5,"y":3}"#, "$.x"),
    ];
    for (text, place) in rows {
        let parsed = parse(text, ParseMode::Llm);
        assert!(!parsed.complete, "{text} {:?}", value(&parsed));
        assert!(parsed.incomplete_paths().iter().any(|path| path == place), "{text}");
    }
    // Talk before a key is no value.
    assert!(parse(r#"{"a": "x", STRAY "b": "y"}"#, ParseMode::Llm).complete);
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
    prop::collection::vec(row, 1..5).prop_map(|rows| {
        json!({
            "rows": rows,
            "note": "all of them",
            "tags": ["one two", "three", true, null],
            "last": 77_777,
            "end": "release 2",
        })
    })
}

// What one fault makes of a text: signs deleted or doubled, stray values put in.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Delete(char),
    Double(char),
    Insert(&'static str),
}

const FAULTS: &[Fault] = &[
    Fault::Delete('"'),
    Fault::Delete(':'),
    Fault::Delete(','),
    Fault::Double('"'),
    Fault::Double(':'),
    Fault::Double(','),
    Fault::Insert("5,"),
    Fault::Insert(":5,"),
    Fault::Insert("true,"),
    Fault::Insert("\"stray\","),
    Fault::Insert(",000"),
    Fault::Insert("-1.5 "),
];

impl Fault {
    // Nothing where the text has no place for it.
    fn applied(self, text: &str, place: prop::sample::Index) -> Option<String> {
        let sign = match self {
            Self::Delete(sign) | Self::Double(sign) => sign,
            Self::Insert(_) => ',',
        };
        let places: Vec<usize> = text.match_indices(sign).map(|found| found.0).collect();
        let at = *places.get(place.index(places.len().max(1)))?;
        let (before, after) = text.split_at(at);
        Some(match self {
            Self::Delete(_) => format!("{before}{}", &after[1..]),
            Self::Double(sign) => format!("{before}{sign}{after}"),
            Self::Insert(stray) if stray.starts_with(',') => format!("{before}{stray}{after}"),
            Self::Insert(stray) => format!("{before},{stray}{}", &after[1..]),
        })
    }

    // What else must be in the answer.
    fn stray(self) -> Option<&'static str> {
        match self {
            Self::Insert(stray) => Some(stray.trim_matches([',', ':', ' ', '"'])),
            _ => None,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_fault_makes_a_scalar_vanish_from_a_complete_answer(
        document in documents(),
        pretty in any::<bool>(),
        fault in prop::sample::select(FAULTS),
        place in any::<prop::sample::Index>(),
    ) {
        let whole = if pretty { format!("{document:#}") } else { document.to_string() };
        let Some(damaged) = fault.applied(&whole, place) else { return Ok(()) };
        let (mut wanted, mut got) = (Vec::new(), Vec::new());
        scalars(&document, &mut wanted);
        wanted.extend(fault.stray().map(str::to_owned));
        for mode in [ParseMode::Llm, ParseMode::Text] {
            let parsed = parse(&damaged, mode);
            got.clear();
            scalars(&value(&parsed).unwrap_or_default(), &mut got);
            let lost: Vec<&String> = wanted.iter().filter(|it| !got.contains(it)).collect();
            prop_assert!(lost.is_empty() || !parsed.complete, "{mode:?} {damaged} lost {lost:?}");
            prop_assert!(parsed.complete || !parsed.incomplete_paths().is_empty(), "{mode:?} {damaged}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

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
