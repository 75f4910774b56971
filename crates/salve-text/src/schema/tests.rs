//! What the schema stage promises, as tables.

use super::*;
use crate::parse::ParseOptions;
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(text: &str, schema: &Value, options: SchemaOptions) -> SchemaOutcome {
    let schema = CompiledSchema::new(schema.clone()).expect("the schema compiles");
    parse_with_schema(text, &ParseOptions::default(), &schema, &options)
}

fn value(text: &str, schema: &Value) -> Value {
    read(text, schema, SchemaOptions::default()).value
}

fn partial(text: &str, schema: &Value) -> Value {
    let options = SchemaOptions { arrival: Arrival::Partial, ..SchemaOptions::default() };
    read(text, schema, options).value
}

fn codes(outcome: &SchemaOutcome) -> Vec<(&str, CoercionCode)> {
    outcome.coercions.iter().map(|coercion| (coercion.path.as_str(), coercion.code)).collect()
}

fn object(properties: Value, required: &[&str]) -> Value {
    let mut schema = json!({ "type": "object", "required": required });
    schema["properties"] = properties;
    schema
}

#[test]
fn scalars_are_read_from_what_models_write() {
    let colour = json!({ "enum": ["RED", "DARK_BLUE"] });
    let integer = json!({ "type": "integer" });
    let number = json!({ "type": "number" });
    let boolean = json!({ "type": "boolean" });
    let cases = [
        ("41", &integer, json!(41)),
        ("\"41\"", &integer, json!(41)),
        ("41,500", &integer, json!(41500)),
        ("41.0", &integer, json!(41)),
        ("The answer is 41.", &integer, json!(41)),
        ("[41]", &integer, json!(41)),
        ("{\"n\": 41}", &integer, json!(41)),
        ("3/8", &number, json!(0.375)),
        ("True", &boolean, json!(true)),
        ("**False**", &boolean, json!(false)),
        ("The claim is true.", &boolean, json!(true)),
        ("1", &boolean, json!(true)),
        ("red", &colour, json!("RED")),
        ("I would say dark blue", &colour, json!("DARK_BLUE")),
        ("```json\n\"RED\"\n```", &colour, json!("RED")),
        ("null", &json!({ "type": ["integer", "null"] }), json!(null)),
        ("plain words", &json!({ "type": "string" }), json!("plain words")),
    ];
    for (text, schema, expected) in cases {
        assert_eq!(value(text, schema), expected, "{text:?} as {schema}");
    }
}

#[test]
fn what_cannot_be_read_stays_and_is_a_violation() {
    let colour = json!({ "enum": ["RED", "BLUE"] });
    for (text, schema) in [("RED or BLUE", &colour), ("3 of 5", &json!({ "type": "integer" }))] {
        let outcome = read(text, schema, SchemaOptions::default());
        assert_eq!(outcome.value, json!(text));
        assert_eq!(outcome.violations.len(), 1, "{text:?}");
    }
}

#[test]
fn objects_are_matched_by_name_alias_and_fold() {
    let schema = json!({
        "type": "object",
        "properties": {
            "street": { "type": "string", "x-alias": "Straße" },
            "zip": { "type": "string" },
            "tags": { "type": "array", "items": { "type": "string" } },
            "note": { "type": "string" },
        },
        "required": ["street", "zip"],
        "additionalProperties": false,
    });
    let text = r#"{" STRASSE ": "Am Hang 3", "Zip": 10115, "tags": "one", "mood": "good"}"#;
    let outcome = read(text, &schema, SchemaOptions::default());
    assert_eq!(outcome.value, json!({ "street": "Am Hang 3", "zip": "10115", "tags": ["one"] }));
    assert_eq!(outcome.violations, []);
    let mut found = codes(&outcome);
    found.sort_by_key(|found| found.0);
    assert_eq!(
        found,
        [
            ("$.mood", CoercionCode::ExtraKey),
            ("$.street", CoercionCode::KeyFolded),
            ("$.tags", CoercionCode::SingleToArray),
            ("$.zip", CoercionCode::KeyFolded),
            ("$.zip", CoercionCode::ScalarToString),
        ]
    );
}

#[test]
fn keys_that_a_schema_does_not_forbid_are_kept() {
    let schema = object(json!({ "a": { "type": "integer" } }), &["a"]);
    let outcome = read(r#"{"a": 1, "b": {"c": [2]}}"#, &schema, SchemaOptions::default());
    assert_eq!(outcome.value, json!({ "a": 1, "b": { "c": [2] } }));
    assert_eq!(outcome.coercions, []);
}

#[test]
fn what_the_schema_grants_is_complete_and_what_is_filled_in_is_not() {
    let schema = object(
        json!({
            "size": { "type": "integer", "default": 10 },
            "owner": { "type": ["string", "null"] },
            "name": { "type": "string" },
        }),
        &["owner", "name"],
    );
    let outcome = read(r#"{"name": "n"}"#, &schema, SchemaOptions::default());
    assert_eq!(outcome.value, json!({ "size": 10, "owner": null, "name": "n" }));
    assert_eq!(
        codes(&outcome),
        [("$.size", CoercionCode::DefaultUsed), ("$.owner", CoercionCode::AbsentAsEmpty)]
    );
    assert!(outcome.complete);
    let list = object(json!({ "list": { "type": "array" } }), &["list"]);
    let outcome = read("{}", &list, SchemaOptions::default());
    assert_eq!(outcome.value, json!({ "list": [] }));
    assert_eq!(outcome.incomplete_paths, ["$.list"]);
}

#[test]
fn unions_take_the_cheapest_member() {
    let circle = object(json!({ "radius": { "type": "number" } }), &["radius"]);
    let square =
        object(json!({ "side": { "type": "number" }, "name": { "type": "string" } }), &["side"]);
    let schema = json!({ "anyOf": [circle, square, { "type": "string" }] });
    let cases = [
        (r#"{"radius": 2}"#, json!({ "radius": 2 })),
        (r#"{"side": "2", "name": "a"}"#, json!({ "side": 2, "name": "a" })),
        ("just words", json!("just words")),
        ("Here you go: {\"side\": 3}", json!({ "side": 3 })),
    ];
    for (text, expected) in cases {
        assert_eq!(value(text, &schema), expected, "{text:?}");
    }
}

#[test]
fn recursive_types_end() {
    let schema = json!({
        "$ref": "#/$defs/Tree",
        "$defs": { "Tree": {
            "type": "object",
            "properties": { "next": { "anyOf": [{ "$ref": "#/$defs/Tree" }, { "type": "null" }] } },
        } },
    });
    assert_eq!(value(r#"{"next": {"next": null}}"#, &schema), json!({ "next": { "next": null } }));
    let circle =
        json!({ "$ref": "#/$defs/A", "$defs": { "A": { "anyOf": [{ "$ref": "#/$defs/A" }] } } });
    if let Ok(schema) = CompiledSchema::new(circle) {
        let options = SchemaOptions::default();
        let _ = parse_with_schema("{}", &ParseOptions::default(), &schema, &options);
    }
}

#[test]
fn long_chains_of_references_are_followed() {
    let mut definitions = serde_json::Map::new();
    for at in 0..1_000 {
        let next = object(json!({ "next": { "$ref": format!("#/$defs/T{}", at + 1) } }), &["next"]);
        definitions.insert(format!("T{at}"), next);
    }
    definitions.insert("T1000".to_owned(), json!({ "type": "integer" }));
    let schema = json!({ "$ref": "#/$defs/T0", "$defs": definitions });
    let near = json!({ "$ref": "#/$defs/T997", "$defs": schema["$defs"] });
    let text = r#"{"next": {"next": {"next": "7"}}}"#;
    assert_eq!(value(text, &near), json!({ "next": { "next": { "next": 7 } } }));
    // Nobody means a thousand implied objects; it only must end.
    let _ = value("7", &schema);
}

#[test]
fn a_stream_is_read_while_it_arrives() {
    let schema =
        object(json!({ "n": { "type": "integer" }, "text": { "type": "string" } }), &["n"]);
    let schema = CompiledSchema::new(schema).expect("the schema compiles");
    let options = SchemaOptions { arrival: Arrival::Partial, ..SchemaOptions::default() };
    let mut parser = crate::parse::JsonParser::new(&ParseOptions::default());
    let mut seen = Vec::new();
    for piece in ["Sure: {\"n\": 4", "2, \"te", "xt\": \"he", "llo\"}"] {
        parser.push(piece);
        seen.push(coerce(parser.snapshot(), &schema, &options).value);
    }
    assert_eq!(
        seen,
        [
            json!({ "n": null, "text": null }),
            json!({ "n": 42, "text": null }),
            json!({ "n": 42, "text": "he" }),
            json!({ "n": 42, "text": "hello" }),
        ]
    );
}

#[test]
fn hostile_texts_are_read_in_bounded_work() {
    let json_value = json!({
        "$ref": "#/$defs/V",
        "$defs": { "V": { "anyOf": [
            { "type": "integer" }, { "type": "number" }, { "type": "boolean" }, { "type": "string" },
            { "type": "null" }, { "type": "array", "items": { "$ref": "#/$defs/V" } },
            { "type": "object", "additionalProperties": { "$ref": "#/$defs/V" } },
        ] } },
    });
    let deep = format!("{}1{}", "{\"a\":[".repeat(300), "]}".repeat(300));
    let texts = [
        format!("{{\"a\": \"{}", "x}".repeat(20_000)),
        "[".repeat(100_000),
        "{\"a\":".repeat(20_000),
        "\"".repeat(20_001),
        "```json\n{".repeat(3_000),
        "{}".repeat(5_000),
        deep,
    ];
    for text in &texts {
        let _ = value(text, &json_value);
        let _ = partial(text, &json_value);
    }
}

#[test]
fn what_a_long_list_needs_is_not_remembered_item_by_item() {
    let list = json!({ "type": "array", "items": { "type": ["integer", "string", "object"] } });
    let numbers = json!({ "type": "array", "items": { "type": "number" } });
    // Schema, an item, and how many plans a thousand of them may take.
    let cases = [
        (&list, "1", 0),
        (&list, "\"x\"", 0),
        (&list, "{}", 0),
        (&list, "{\"a\":0}", 0),
        (&list, "[]", 1),
        (&list, "true", 1),
        (&numbers, "{\"a\":0,\"b\":1}", 1),
    ];
    for (schema, item, most) in cases {
        let text = format!("[{}0]", format!("{item},").repeat(1_000));
        let parsed = crate::parse::parse_json(&text, &ParseOptions::default());
        let schema = CompiledSchema::new(schema.clone()).expect("the schema compiles");
        let mut forest = forest::Forest::new(&parsed.tree);
        let root = forest.add_tree(parsed.tree.root().expect("a list"));
        let mut planner = plan::Planner::new(&schema, forest, plan::Rules::default());
        let _ = planner.plan(root, schema.root());
        assert!(planner.made() <= most, "{item}: {} plans", planner.made());
    }
}

#[test]
fn more_changes_and_violations_than_anybody_reads_are_counted() {
    let numbers = json!({ "type": "array", "items": { "type": "number" } });
    for count in [10, 15_000] {
        let text = format!("[{}1]", "\"1\",".repeat(count));
        let outcome = read(&text, &numbers, SchemaOptions::default());
        assert_eq!(outcome.coercions.len(), count.min(1_000));
        assert_eq!(outcome.coercions.len() + outcome.coercions_left_off, count);
        assert_eq!(outcome.violations, []);
    }
    for (count, told) in [(10, 10), (5_000, 1_000), (60_000, 1)] {
        let schema = CompiledSchema::new(numbers.clone()).expect("the schema compiles");
        let lists = Value::Array(vec![json!([]); count]);
        assert_eq!(validate(&lists, &schema).len(), told, "{count}");
    }
}

#[test]
fn unfinished_places_are_named() {
    let schema = object(
        json!({ "a": { "type": "string" }, "list": { "type": "array", "items": { "type": "string" } } }),
        &["a", "list"],
    );
    let outcome = read(r#"{"a": "cut he"#, &schema, SchemaOptions::default());
    assert_eq!(outcome.value, json!({ "a": "cut he", "list": [] }));
    assert!(!outcome.complete);
    assert_eq!(outcome.incomplete_paths, ["$", "$.a", "$.list"]);
    let outcome = read(r#"{"a": "b", "list": []}"#, &schema, SchemaOptions::default());
    assert!(outcome.complete);
}

#[test]
fn partial_values_follow_the_stream_rules() {
    let item = json!({
        "type": "object",
        "properties": {
            "id": { "type": "integer", "x-stream-not_null": true },
            "text": { "type": "string", "x-stream-done": true },
        },
        "required": ["id", "text"],
    });
    let schema = object(json!({ "items": { "type": "array", "items": item } }), &["items"]);
    let cases = [
        ("", json!(null)),
        ("{", json!({ "items": [] })),
        (r#"{"items": [{"id": 1"#, json!({ "items": [] })),
        (r#"{"items": [{"id": 1,"#, json!({ "items": [{ "id": 1, "text": null }] })),
        (r#"{"items": [{"id": 1, "text": "hal"#, json!({ "items": [{ "id": 1, "text": null }] })),
        (
            r#"{"items": [{"id": 1, "text": "half""#,
            json!({ "items": [{ "id": 1, "text": "half" }] }),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(partial(text, &schema), expected, "{text:?}");
    }
}

#[test]
fn o02_a_missing_or_empty_field_fails_at_its_path() {
    let places = |text: &str| {
        let outcome = parse_named(text, &ParseOptions::default(), SchemaName::CodeAndExplanation);
        let violations = outcome.expect("the schema compiles").violations;
        violations.into_iter().map(|found| (found.path, found.message)).collect::<Vec<_>>()
    };
    assert_eq!(places(r#"{"code": "x = 1", "explanation": "sets x"}"#), []);
    assert_eq!(places(r#"{"code": "x = 1"}"#)[0].0, "$.explanation");
    assert_eq!(
        places(r#"{"code": "", "explanation": "why"}"#),
        [("$.code".to_owned(), EMPTY_CODE.to_owned())]
    );
}

#[test]
fn o03_white_space_is_empty_and_the_messages_are_exact() {
    let text = r#"{"code": " \n\t", "explanation": "  "}"#;
    let outcome = parse_named(text, &ParseOptions::default(), SchemaName::CodeAndExplanation);
    let violations = outcome.expect("the schema compiles").violations;
    let messages: Vec<&str> = violations.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(messages, ["Code snippet cannot be empty.", "Explanation cannot be empty."]);
}

#[test]
fn o04_raw_code_passes_and_empty_code_does_not() {
    let read = |text: &str| {
        let outcome = parse_named(text, &ParseOptions::default(), SchemaName::CodeOnly);
        let outcome = outcome.expect("the schema compiles");
        let messages = outcome.violations.into_iter().map(|found| found.message).collect();
        (outcome.value, messages)
    };
    let none: Vec<String> = Vec::new();
    assert_eq!(read("fn main() {}\n"), (json!("fn main() {}\n"), none));
    for text in ["", " \n\t "] {
        assert_eq!(read(text), (json!(text), vec!["Code snippet cannot be empty.".to_owned()]));
    }
}

#[test]
fn o29_a_preamble_needs_a_title() {
    let valid = |text: &str| {
        let outcome = parse_named(text, &ParseOptions::default(), SchemaName::Preamble);
        outcome.expect("the schema compiles").violations.is_empty()
    };
    assert!(valid("---\ntitle: On parsing\n---\nText"));
    assert!(!valid("---\nauthor: me\n---\nText"));
    assert!(!valid("---\ntitle: \"  \"\n---\n"));
    assert!(!valid("No front matter at all"));
}

#[test]
fn salvage_reads_more_than_standard() {
    let inner = object(json!({ "a": { "type": "string" } }), &["a"]);
    let schema = object(
        json!({ "inner": inner, "list": { "type": "array", "items": { "type": "string" } } }),
        &[],
    );
    let run = |text: &str, mode: RepairMode| {
        read(text, &schema, SchemaOptions { mode, ..SchemaOptions::default() }).value
    };
    let valid = r#"{"inner": "{\"a\": \"b\"}"}"#;
    for mode in [RepairMode::Standard, RepairMode::Salvage] {
        assert_eq!(run(valid, mode), json!({ "inner": { "a": "b" } }));
    }
    let broken = r#"{"inner": "{a: b}"}"#;
    assert_eq!(run(broken, RepairMode::Salvage), json!({ "inner": { "a": "b" } }));
    assert_ne!(run(broken, RepairMode::Standard), json!({ "inner": { "a": "b" } }));
    let list = r#"{"list": "[a, b]"}"#;
    assert_eq!(run(list, RepairMode::Standard), json!({ "list": ["[a, b]"] }));
    assert_eq!(run(list, RepairMode::Salvage), json!({ "list": ["a", "b"] }));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((".{0,6}", inner), 0..5)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn any_order() -> impl Strategy<Value = Value> {
    let line = (".{0,8}", 0..50_i64, prop_oneof![Just("KG"), Just("PIECE")])
        .prop_map(|(name, count, unit)| json!({ "name": name, "count": count, "unit": unit }));
    (prop::collection::vec(line, 0..4), prop::option::of(any::<bool>()), ".{0,10}").prop_map(
        |(lines, paid, note)| {
            let mut order = json!({ "lines": lines, "note": note, "extra": { "a": [1, null] } });
            if let Some(paid) = paid {
                order["paid"] = json!(paid);
            }
            order
        },
    )
}

fn order_schema() -> Value {
    let line = object(
        json!({
            "name": { "type": "string" },
            "count": { "type": "integer" },
            "unit": { "enum": ["KG", "PIECE"] },
        }),
        &["name", "count", "unit"],
    );
    json!({
        "type": "object",
        "properties": {
            "lines": { "type": "array", "items": { "anyOf": [{ "type": "null" }, line] } },
            "paid": { "type": "boolean" },
            "note": { "type": "string" },
        },
        "required": ["lines", "note"],
        "additionalProperties": true,
    })
}

proptest! {
    #[test]
    fn without_a_schema_valid_json_is_itself(expected in any_json()) {
        prop_assume!(expected.is_object() || expected.is_array());
        let outcome = read(&expected.to_string(), &json!({}), SchemaOptions::default());
        prop_assert_eq!(&outcome.value, &expected);
        prop_assert!(outcome.complete);
    }

    #[test]
    fn what_fits_already_is_left_alone(expected in any_order()) {
        let outcome = read(&expected.to_string(), &order_schema(), SchemaOptions::default());
        prop_assert_eq!(&outcome.value, &expected);
        prop_assert_eq!(outcome.coercions, []);
        prop_assert_eq!(outcome.violations, []);
        prop_assert!(outcome.complete);
    }

    #[test]
    fn a_prefix_never_holds_what_the_whole_does_not(order in any_order(), share in 0.0..1.0_f64) {
        let text = order.to_string();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss,
            reason = "a share of a short text")]
        let mut cut = (text.len() as f64 * share) as usize;
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let part = partial(&text[..cut], &order_schema());
        for (at, line) in part["lines"].as_array().into_iter().flatten().enumerate() {
            let whole = &order["lines"][at];
            for key in ["count", "unit"] {
                prop_assert!(line[key].is_null() || line[key] == whole[key], "{} of {}", part, text);
            }
            let (some, all) = (line["name"].as_str().unwrap_or(""), whole["name"].as_str());
            prop_assert!(all.unwrap_or("").starts_with(some), "{} of {}", part, text);
        }
    }

    #[test]
    fn no_text_stops_the_reader(text in ".{0,200}", json in any_json()) {
        let mixed = format!("{text}{json}{text}");
        let _ = read(&mixed, &order_schema(), SchemaOptions::default());
        let _ = partial(&mixed, &order_schema());
        let _ = recover_chat(&mixed);
    }
}
