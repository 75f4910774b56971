//! The batch forms: one answer per line, in order, never a stop.
//!
//! In: JSON lines, good and bad. Out: the same number of answers. Never depends on a stage's detail.

use crate::run::salve;

#[test]
fn every_line_is_answered_in_order_and_echoes_its_id() {
    let input = "{\"id\": 7, \"lang\": \"rust\", \"text\": \"fn f() {\", \"unknown\": 1}\n\
                 not json at all\n\
                 {\"id\": \"b\", \"lang\": \"rust\", \"text\": \"fn f() {}\"}\n\
                 {\"id\": \"c\"}\n";
    let ended = salve(&["inspect", "--batch"], input);
    let lines = ended.lines();
    assert_eq!(ended.code, Some(0));
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["id"], 7);
    assert_eq!(lines[0]["isValid"], false);
    assert!(lines[1]["error"].is_string());
    assert_eq!(lines[2]["isValid"], true);
    assert_eq!(lines[3]["id"], "c");
    assert!(lines[3]["error"].as_str().unwrap().contains("text"));
}

#[test]
fn half_a_surrogate_pair_does_not_lose_the_line() {
    let lines = salve(&["parse", "--batch"], "{\"id\": 1, \"input\": \"[1, \\ud83d]\"}\n").lines();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["id"], 1);
}

#[test]
fn parse_answers_value_complete_and_repairs() {
    let lines = salve(&["parse", "--batch"], "{\"id\": \"x\", \"input\": \"{a: 1,}\"}\n").lines();
    assert_eq!(lines[0]["value"], serde_json::json!({ "a": 1 }));
    assert!(lines[0]["complete"].is_boolean());
    assert!(!lines[0]["repairs"].as_array().unwrap().is_empty());
}

#[test]
fn stitch_answers_ok_text_and_dropped() {
    let input = "{\"id\": 1, \"partial\": \"x = [1, 2\", \"continuation\": \", 3]\\n\", \"lang\": \"python\"}\n";
    let lines = salve(&["resume", "stitch", "--batch"], input).lines();
    assert_eq!(lines[0]["ok"], true);
    assert_eq!(lines[0]["text"], "x = [1, 2, 3]\n");
    assert!(lines[0]["dropped"].is_array());
}

#[test]
fn clean_answers_text_and_what_was_set_aside() {
    let input = "{\"id\": 1, \"text\": \"Sure!\\n```py\\nx = 1\\n```\\nBye\"}\n";
    let lines = salve(&["clean", "--batch"], input).lines();
    assert_eq!(lines[0]["text"], "x = 1\n");
    assert!(!lines[0]["aside"].as_array().unwrap().is_empty());
}
