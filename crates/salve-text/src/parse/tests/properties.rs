//! What must hold for every text, checked on generated ones.

use super::super::{JsonParser, ParseMode, ParseOptions, Parsed, Repair, parse_json, replay};
use super::value;
use proptest::prelude::*;
use serde_json::{Map, Value};

// Everything about a parse that a caller can see.
fn picture(parsed: &Parsed) -> (Option<Value>, Vec<Repair>, bool, Vec<String>) {
    (value(parsed), parsed.repairs(), parsed.complete, parsed.incomplete_paths())
}

fn options(mode: ParseMode) -> ParseOptions {
    ParseOptions { mode, max_depth: 24 }
}

fn in_pieces(text: &str, mode: ParseMode, size: usize) -> Parsed {
    let mut parser = JsonParser::new(&options(mode));
    let mut start = 0;
    while start < text.len() {
        let mut end = (start + size).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        parser.push(&text[start..end]);
        start = end;
    }
    parser.finish()
}

fn check_replay(text: &str, mode: ParseMode) {
    let parsed = parse_json(text, &options(mode));
    let Some(ours) = value(&parsed) else { return };
    let strict = replay(text, &parsed.repairs());
    let theirs: Result<Value, _> = serde_json::from_str(&strict);
    assert_eq!(theirs.ok(), Some(ours), "{mode:?} {text:?} became {strict:?}");
}

fn check_pieces(text: &str, mode: ParseMode, size: usize) {
    let whole = parse_json(text, &options(mode));
    let pieces = in_pieces(text, mode, size);
    assert_eq!(picture(&whole), picture(&pieces), "{mode:?} in pieces of {size}: {text:?}");
}

fn check_snapshots(text: &str, mode: ParseMode) {
    let mut parser = JsonParser::new(&options(mode));
    for (start, character) in text.char_indices() {
        let end = start + character.len_utf8();
        parser.push(&text[start..end]);
        let tree = parser.snapshot();
        let seen = (tree.root().map(|root| tree.to_value(root)), tree.incomplete_paths());
        // A snapshot is what the text was read as while it came.
        let mut parser = JsonParser::new(&options(mode));
        parser.push(&text[..end]);
        let prefix = parser.first_reading();
        let want = (value(&prefix), prefix.incomplete_paths());
        assert_eq!(seen, want, "{mode:?} snapshot after {:?}", &text[..end]);
    }
    let whole = parse_json(text, &options(mode));
    assert_eq!(picture(&parser.finish()), picture(&whole), "{mode:?} {text:?}");
}

fn check_all(text: &str) {
    for mode in [ParseMode::Llm, ParseMode::Text] {
        check_replay(text, mode);
        for size in [1, 3, 7] {
            check_pieces(text, mode, size);
        }
        check_snapshots(text, mode);
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,25})?(e[+-]?[0-9]{1,3})?"
            .prop_map(|digits| Value::Number(digits.parse().unwrap())),
        any::<String>().prop_map(Value::from),
        "[a-z\", :{}\\[\\]\\\\/'`n]{0,16}".prop_map(Value::from),
    ];
    scalar.prop_recursive(5, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[a-z\":,{}]{0,8}", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

// Text from the signs of JSON and its relatives, so that every odd neighbourhood comes up.
fn noise() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        ",",
        ":",
        "\"",
        "'",
        "`",
        "```",
        "```json\n",
        "\\",
        "\\\"",
        "\\u12",
        "\\ud83d",
        "\\ude00",
        "\n",
        " ",
        "\t",
        "a",
        "key",
        "true",
        "None",
        "tr",
        "1",
        "-",
        "2.",
        "e5",
        ".5",
        "007",
        "1_0",
        "+",
        "...",
        "//",
        "/*",
        "*/",
        "#",
        "=",
        ";",
        "“",
        "”",
        "é",
        "\u{a0}",
        "\u{0}",
        "f(",
        "x=",
        "new ",
        "\"k\":",
        "\"k\": \"v\"",
        "http://a",
        "<t>",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

// Valid JSON with some bytes taken out, put in or doubled.
fn damaged() -> impl Strategy<Value = String> {
    let spot = (any::<prop::sample::Index>(), 0..4_u8, "[\"'{}\\[\\],:\\\\a ]");
    (any_value(), any::<bool>(), prop::collection::vec(spot, 1..4)).prop_map(
        |(value, pretty, spots)| {
            let mut text = if pretty { format!("{value:#}") } else { value.to_string() };
            for (index, kind, sign) in spots {
                let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
                let Some(&at) = places.get(index.index(places.len().max(1))) else { continue };
                match kind {
                    0 => text.truncate(at),
                    1 => text.insert_str(at, &sign),
                    2 => drop(text.remove(at)),
                    _ => text = text[at..].to_owned(),
                }
            }
            text
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn valid_json_is_read_as_it_is(value in any_value(), pretty: bool) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        for mode in [ParseMode::Llm, ParseMode::Text] {
            let parsed = parse_json(&text, &ParseOptions { mode, ..ParseOptions::default() });
            prop_assert_eq!(super::value(&parsed), Some(value.clone()), "{}", text);
            prop_assert_eq!(parsed.repairs(), &[], "{}", text);
            prop_assert!(parsed.complete);
        }
    }

    #[test]
    fn c150_noise_keeps_every_promise(text in noise()) {
        check_all(&text);
    }

    #[test]
    fn c150_damage_keeps_every_promise(text in damaged()) {
        check_all(&text);
    }
}
