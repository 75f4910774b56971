//! `salve parse`: value, schema, exit codes.
//!
//! In: replies. Out: the contract of the command. Never tests the parser itself.

use crate::run::{folder, salve, salve_in, write};
use serde_json::json;

#[test]
fn the_value_is_the_result_and_a_cut_is_exit_code_1() {
    let whole = salve(&["parse"], "Sure: {\"a\": [1, 2]} Bye");
    assert_eq!(whole.code, Some(0), "{whole:?}");
    assert_eq!(whole.json(), json!({ "a": [1, 2] }));
    let cut = salve(&["parse", "--format", "json"], "{\"a\": [1, 2");
    assert_eq!(cut.code, Some(1));
    let answer = cut.json();
    assert_eq!(answer["value"], json!({ "a": [1, 2] }));
    assert_eq!(answer["complete"], false);
    assert!(!answer["incomplete_paths"].as_array().unwrap().is_empty());
}

#[test]
fn o09_a_fenced_answer_with_a_preamble_validates() {
    let text = "Of course!\n```json\n{\"code\": \"x = 1\", \"explanation\": \"sets x\"}\n```\nBye!";
    let ended = salve(&["parse", "--schema", "CodeAndExplanation"], text);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.json()["code"], "x = 1");
}

#[test]
fn o03_the_messages_reach_the_user() {
    let text = "{\"code\": \" \", \"explanation\": \"\"}";
    let ended = salve(&["parse", "--schema", "CodeAndExplanation", "--format", "json"], text);
    assert_eq!(ended.code, Some(1));
    assert!(ended.out.contains("Code snippet cannot be empty."), "{}", ended.out);
    assert!(ended.out.contains("Explanation cannot be empty."), "{}", ended.out);
}

#[test]
fn o04_raw_code_passes_the_text_carrier() {
    let raw = salve(&["parse", "--schema", "CodeOnly"], "fn main() {}\n");
    assert_eq!(raw.code, Some(0), "{raw:?}");
    let empty = salve(&["parse", "--schema", "CodeOnly"], "  \n");
    assert_eq!(empty.code, Some(1));
    assert!(empty.err.contains("Code snippet cannot be empty."), "{}", empty.err);
}

#[test]
fn o01_user_schemas_come_from_files() {
    let place = folder("user_schema");
    write(
        &place.join("point.json"),
        "{\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}}, \"required\": [\"x\"]}",
    );
    let good = salve_in(&["parse", "--schema", "point.json"], "{x: \"3\"}", &place, &[]);
    assert_eq!(good.json(), json!({ "x": 3 }));
    let bad = salve_in(&["parse", "--schema", "point.json"], "{y: 1}", &place, &[]);
    assert_eq!(bad.code, Some(1));
    let unknown = salve_in(&["parse", "--schema", "Pont"], "{}", &place, &[]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("CodeOnly"), "{}", unknown.err);
}

#[test]
fn c012_the_stage_that_read_a_chat_reply_is_named() {
    let stage = |text: &str| {
        let ended = salve(&["parse", "--schema", "ChatResponse", "--format", "json"], text);
        ended.json()["chat"]["stage"].clone()
    };
    assert_eq!(stage("{\"summary\": \"ok\"}"), "direct");
    assert_eq!(stage("Sure! {summary: 'ok',}"), "repaired");
    assert_eq!(stage("{\"summary\": \"ok\", \"todos\": [\"a"), "recovered");
}
