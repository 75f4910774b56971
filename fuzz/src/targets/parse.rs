//! Tolerant JSON: what is valid stays as it is, and every repair can be made again.
//!
//! In: text, strict JSON or anything else. Out: a panic when valid JSON is changed, when replaying
//! the repairs does not give strict JSON with the same value, or when pieces give another answer
//! than the whole. Never judges whether a repair is the best one.

use crate::input;
use salve_text::{
    JsonParser, ParseMode, ParseOptions, Parsed, RepairCode, Tree, parse_json, replay,
};
use serde_json::Value;

pub(super) fn check(bytes: &[u8]) {
    let text = input::text(bytes);
    for mode in [ParseMode::Llm, ParseMode::Text] {
        let options = ParseOptions { mode, ..ParseOptions::default() };
        let parsed = parse_json(&text, &options);
        assert_valid_is_kept(&text, mode, &parsed);
        assert_replays(&text, &parsed);
        assert_pieces_agree(&text, &options, &parsed);
    }
}

fn assert_valid_is_kept(text: &str, mode: ParseMode, parsed: &Parsed) {
    let Ok(strict) = serde_json::from_str::<Value>(text) else { return };
    // In a model's reply a bare word or number is talk, not an answer.
    if mode == ParseMode::Llm && !strict.is_object() && !strict.is_array() {
        return;
    }
    assert_eq!(value_of(&parsed.tree).as_ref(), Some(&strict), "valid JSON was changed");
    // Of two values under one key one is not in the answer.
    assert!(parsed.complete || parsed.has_lost_values(), "valid JSON is not complete");
    let is_note = |code| code == RepairCode::DuplicateKey;
    assert!(parsed.repairs().iter().all(|repair| is_note(repair.code)), "valid JSON was repaired");
}

fn assert_replays(text: &str, parsed: &Parsed) {
    let mut end = 0;
    for repair in &parsed.repairs() {
        assert!(end <= repair.span.start, "repairs overlap or are out of order");
        assert_eq!(text.get(repair.span.range()), Some(repair.before.as_str()));
        end = repair.span.end;
    }
    let Some(value) = value_of(&parsed.tree) else {
        assert!(!parsed.complete, "complete without a value");
        return;
    };
    // The strict parser gives up on deep nesting, which is not what is compared here.
    if depth_of(&value) > 100 {
        return;
    }
    let replayed = replay(text, &parsed.repairs());
    let strict = serde_json::from_str::<Value>(&replayed).map_err(|error| error.to_string());
    assert_eq!(strict, Ok(value), "the replay is not strict JSON of the same value: {replayed}");
}

fn assert_pieces_agree(text: &str, options: &ParseOptions, whole: &Parsed) {
    let expected = value_of(&whole.tree);
    for pieces in input::chunkings(text) {
        let mut parser = JsonParser::new(options);
        // Only some snapshots are taken: each is compared with that of the text so far in one piece, and the
        // whole check must stay quick.
        let stride = pieces.len() / 8 + 1;
        let mut length = 0;
        for (index, piece) in pieces.iter().enumerate() {
            parser.push(piece);
            length += piece.len();
            if index % stride == 0 {
                let now = value_of(parser.snapshot());
                let mut again = JsonParser::new(options);
                again.push(&text[..length]);
                let then = value_of(again.snapshot());
                assert_eq!(now, then, "a snapshot is not that of {:?}", &text[..length]);
            }
        }
        let parsed = parser.finish();
        assert_eq!(value_of(&parsed.tree), expected, "another chunking gives another value");
        assert_eq!(parsed.repairs(), whole.repairs(), "another chunking gives other repairs");
        assert_eq!(parsed.complete, whole.complete);
        assert_eq!(parsed.incomplete_paths(), whole.incomplete_paths());
        assert!(parsed.candidates().eq(whole.candidates()));
    }
}

fn value_of(tree: &Tree) -> Option<Value> {
    tree.root().map(|root| tree.to_value(root))
}

fn depth_of(value: &Value) -> usize {
    let mut deepest = 0;
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        deepest = deepest.max(depth);
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => open.extend(members.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    deepest
}
