//! Coercion: what fits a schema stays as it is, and a cut never makes a field wrong.
//!
//! In: a byte that chooses the schema, then a reply. Out: a panic when a fitting value is changed,
//! when the listed violations are not those of the value, or when a cut chat reply has a field that
//! the whole one has not. Never judges whether the cheapest reading is the best one.

use crate::input::{self, Random};
use salve_text::{
    Arrival, CompiledSchema, ParseMode, ParseOptions, RecoveredChat, RepairMode, SchemaName,
    SchemaOptions, SchemaOutcome, parse_json, parse_with_schema, recover_chat, validate,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;

// Compiling a schema costs more than using it; the compiled ones never change.
static SCHEMAS: LazyLock<Vec<CompiledSchema>> = LazyLock::new(|| {
    let named = SchemaName::ALL.iter().map(|name| name.schema());
    named.chain(own_schemas()).filter_map(|schema| CompiledSchema::new(schema).ok()).collect()
});

pub(super) fn check(bytes: &[u8]) {
    let (first, rest) = bytes.split_first().map_or((0, bytes), |(first, rest)| (*first, rest));
    let text = input::text(rest);
    // Seeds begin with a digit.
    let index = usize::from(first.wrapping_sub(b'0')) % SCHEMAS.len().max(1);
    let Some(schema) = SCHEMAS.get(index) else { return };
    for mode in [ParseMode::Llm, ParseMode::Text] {
        let options = ParseOptions { mode, ..ParseOptions::default() };
        for arrival in [Arrival::Whole, Arrival::Partial] {
            for repair in [RepairMode::Standard, RepairMode::Salvage] {
                let schema_options = SchemaOptions { arrival, mode: repair };
                assert_sound(&parse_with_schema(&text, &options, schema, &schema_options), schema);
            }
        }
    }
    if index >= SchemaName::ALL.len() {
        assert_fitting_is_kept(&text, schema);
    }
    assert_cut_chat_is_right(&text);
}

fn assert_sound(outcome: &SchemaOutcome, schema: &CompiledSchema) {
    assert_eq!(outcome.violations, validate(&outcome.value, schema), "other violations");
    assert!(!outcome.complete || outcome.incomplete_paths.is_empty(), "complete with open places");
}

fn assert_fitting_is_kept(text: &str, schema: &CompiledSchema) {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    if !value.is_object() || !validate(&value, schema).is_empty() {
        return;
    }
    let options = ParseOptions { mode: ParseMode::Text, ..ParseOptions::default() };
    let outcome = parse_with_schema(text, &options, schema, &SchemaOptions::default());
    assert_eq!(outcome.value, value, "a fitting value was changed");
    assert!(outcome.complete, "a fitting value is not complete");
}

fn assert_cut_chat_is_right(text: &str) {
    // Without a summary the whole reply is no chat reply, and its words may be read as one.
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    if !value.get("summary").is_some_and(Value::is_string) {
        return;
    }
    // Of two members with one name the last one counts, and a cut may be between them. Names are
    // the same in any case and with any signs between their letters.
    let tree = parse_json(text, &ParseOptions::default()).tree;
    let Some(root) = tree.root() else { return };
    let mut names = BTreeSet::new();
    if !tree.entries(root).all(|(key, _)| names.insert(plain(&tree.text(key)))) {
        return;
    }
    let Ok(whole) = recover_chat(text) else { return };
    let mut random = Random::from_text(text);
    for _ in 0..6 {
        let mut at = random.below(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let Ok(cut) = recover_chat(&text[..at]) else { continue };
        assert_missing_or_right(&cut, &whole, &text[..at]);
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn assert_missing_or_right(cut: &RecoveredChat, whole: &RecoveredChat, text: &str) {
    assert!(cut.summary.is_none() || cut.summary == whole.summary, "a wrong summary: {text}");
    let lists = |chat: &RecoveredChat| {
        let lists = [&chat.sections, &chat.todos, &chat.file_changes, &chat.commands];
        lists.map(Clone::clone).into_iter().chain([chat.next_steps.clone()]).collect::<Vec<_>>()
    };
    for (cut, whole) in lists(cut).iter().zip(&lists(whole)) {
        assert!(whole.starts_with(cut), "{cut:?} is not the beginning of {whole:?}: {text}");
    }
    for (path, hash) in &cut.file_hashes {
        assert_eq!(whole.file_hashes.get(path), Some(hash), "a wrong hash of {path}: {text}");
    }
}

// Closed schemas: a key that none of them names is folded into one that is, which is meant and would
// look like a change of a fitting value.
fn own_schemas() -> [Value; 4] {
    [
        json!({
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "age": { "type": "integer", "minimum": 0 },
                "tags": { "type": "array", "items": { "type": "string" } },
                "status": { "enum": ["active", "inactive"] },
            },
            "required": ["name", "age"],
            "additionalProperties": false,
        }),
        json!({ "anyOf": [
            {
                "type": "object",
                "properties": { "kind": { "const": "circle" }, "radius": { "type": "number" } },
                "required": ["kind", "radius"],
                "additionalProperties": false,
            },
            {
                "type": "object",
                "properties": { "side": { "type": "number" } },
                "required": ["side"],
                "additionalProperties": false,
            },
        ] }),
        json!({
            "$ref": "#/$defs/node",
            "$defs": { "node": {
                "type": "object",
                "properties": {
                    "value": { "type": ["integer", "null"] },
                    "children": { "type": "array", "items": { "$ref": "#/$defs/node" } },
                },
                "required": ["value"],
                "additionalProperties": false,
            } },
        }),
        json!({ "type": "number" }),
    ]
}
