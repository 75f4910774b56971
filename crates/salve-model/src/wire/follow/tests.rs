//! Requests that follow a reply.
//!
//! In: a client's request and what is asked next. Out: a failure when the body is not the one that
//! the provider takes.

use super::*;
use crate::request::Turn;

fn ask(turns: Vec<Turn>, keep_tools: bool, limit: Option<u64>) -> FollowUp {
    FollowUp { purpose: Purpose::Resume, turns, keep_tools, max_output_tokens: limit }
}

fn resume() -> Vec<Turn> {
    vec![Turn::assistant("half of "), Turn::user("go on")]
}

#[test]
fn chat_goes_on_with_one_answer_that_is_counted() {
    let original = json!({
        "model": "m", "messages": [{"role": "user", "content": "q"}], "n": 3, "stream": true,
        "logprobs": true, "top_logprobs": 2, "stream_options": {"include_usage": false}, "seed": 7,
        "max_completion_tokens": 50, "tools": [{}], "tool_choice": "auto", "x_unknown": {"a": 1},
        "response_format": {"type": "json_object"}, "temperature": 0.20,
    });
    let next = follow_up(Dialect::Chat, &original, &ask(resume(), false, Some(200)), true);
    let expected = json!({
        "model": "m", "stream": true, "stream_options": {"include_usage": true}, "seed": 7,
        "max_completion_tokens": 200, "x_unknown": {"a": 1}, "temperature": 0.20,
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": "half of "},
            {"role": "user", "content": "go on"},
        ],
    });
    assert_eq!(next, expected);
    let kept = follow_up(Dialect::Chat, &original, &ask(resume(), true, None), false);
    assert_eq!(kept["tools"], original["tools"]);
    assert_eq!(kept["response_format"], original["response_format"]);
    assert_eq!(kept["max_completion_tokens"], 50);
    assert_eq!((&kept["stream"], kept.get("stream_options")), (&json!(false), None));
    let again = FollowUp { purpose: Purpose::Retry, ..ask(vec![], true, None) };
    assert_eq!(follow_up(Dialect::Chat, &original, &again, false).get("seed"), None);
}

#[test]
fn the_limit_goes_where_the_client_had_it() {
    let cases = [
        (Dialect::Chat, json!({"model": "llama", "max_tokens": 5}), "max_tokens"),
        (
            Dialect::Chat,
            json!({"model": "llama", "max_completion_tokens": 5}),
            "max_completion_tokens",
        ),
        (Dialect::Chat, json!({"model": "llama"}), "max_tokens"),
        (Dialect::Chat, json!({"model": "openai/gpt-5.1-mini"}), "max_completion_tokens"),
        (Dialect::Responses, json!({}), "max_output_tokens"),
        (Dialect::Messages, json!({"max_tokens": 5}), "max_tokens"),
    ];
    let names = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
    for (dialect, original, name) in cases {
        let next = follow_up(dialect, &original, &ask(resume(), true, Some(900)), true);
        for key in names {
            let expected = (key == name).then(|| json!(900));
            assert_eq!(next.get(key), expected.as_ref(), "{original} {key}");
        }
    }
}

#[test]
fn responses_keep_what_they_go_on_from_and_are_not_kept_themselves() {
    let original = json!({
        "model": "m", "input": "q", "instructions": "be short", "previous_response_id": "r0",
        "text": {"format": {"type": "json_object"}, "verbosity": "low"}, "tools": [{}], "store": true,
        "include": ["reasoning.encrypted_content", "message.output_text.logprobs"], "background": true,
    });
    let next = follow_up(Dialect::Responses, &original, &ask(resume(), false, Some(9)), true);
    let expected = json!({
        "model": "m", "instructions": "be short", "previous_response_id": "r0", "stream": true,
        "text": {"verbosity": "low"}, "store": false, "include": ["reasoning.encrypted_content"],
        "max_output_tokens": 9,
        "input": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": "half of "},
            {"role": "user", "content": "go on"},
        ],
    });
    assert_eq!(next, expected);
}

#[test]
fn speakers_take_turns() {
    let user = |content: Value| json!({"role": "user", "content": content});
    let cases = [
        (json!([user(json!("q"))]), vec![Turn::user("note")], json!([user(json!("q\n\nnote"))])),
        (
            json!([user(json!([{"type": "text", "text": "q"}, {"type": "image"}]))]),
            vec![Turn::user("note")],
            json!([user(
                json!([{"type": "text", "text": "q"}, {"type": "image"}, {"type": "text", "text": "note"}])
            )]),
        ),
        // The client's own beginning of the answer and what came belong together.
        (
            json!([user(json!("q")), {"role": "assistant", "content": "It is ("}]),
            vec![Turn::assistant("B) and"), Turn::user("go on")],
            json!([user(json!("q")), {"role": "assistant", "content": "It is (B) and"}, user(json!("go on"))]),
        ),
        (
            json!([user(json!("q")), {"role": "assistant", "content": [{"type": "text", "text": "a"}]}]),
            vec![Turn::assistant("b"), Turn::assistant("")],
            json!([user(json!("q")), {"role": "assistant", "content": [{"type": "text", "text": "ab"}]}]),
        ),
        (json!(null), vec![Turn::user("q")], json!([user(json!("q"))])),
    ];
    for (messages, turns, expected) in cases {
        let original = json!({"messages": messages});
        let next = follow_up(Dialect::Messages, &original, &ask(turns, true, None), false);
        assert_eq!(next["messages"], expected);
    }
    // A call is no plain turn: nothing is joined to it.
    let original = json!({"messages": [{"role": "assistant", "content": "x", "tool_calls": [{}]}]});
    let next =
        follow_up(Dialect::Chat, &original, &ask(vec![Turn::assistant("y")], true, None), false);
    assert_eq!(next["messages"].as_array().unwrap().len(), 2);
}

#[test]
fn messages_end_without_white_space_and_think_only_where_it_fits() {
    let thinking = |budget: u64| json!({"type": "enabled", "budget_tokens": budget});
    let body = |budget: u64, limit: u64| json!({"max_tokens": limit, "thinking": thinking(budget), "messages": []});
    let prefill = || vec![Turn::user("q"), Turn::assistant("half \n")];
    let next = follow_up(Dialect::Messages, &body(2000, 4000), &ask(prefill(), true, None), false);
    assert_eq!(next["messages"][1]["content"], "half");
    assert_eq!(next.get("thinking"), None, "an answer that is begun is not thought about");
    let cases = [
        (2000, 4000, Some(thinking(2000))),
        (5000, 4000, Some(thinking(2000))),
        (5000, 1500, None),
    ];
    for (budget, limit, expected) in cases {
        let ask = ask(vec![Turn::user("q")], true, Some(limit));
        let next = follow_up(Dialect::Messages, &body(budget, 9000), &ask, false);
        assert_eq!(next.get("thinking"), expected.as_ref(), "{budget} of {limit}");
    }
}

#[test]
fn messages_with_calls_keep_their_tools_unused() {
    let tools = json!([{"name": "f", "input_schema": {}}]);
    let plain = json!({"tools": tools, "tool_choice": {"type": "any"}, "messages": [],
        "output_config": {"format": {}, "effort": "low"}, "output_format": {}});
    let next = follow_up(Dialect::Messages, &plain, &ask(resume(), false, None), false);
    assert_eq!(
        (next.get("tools"), next.get("tool_choice"), next.get("output_format")),
        (None, None, None)
    );
    assert_eq!(next["output_config"], json!({"effort": "low"}));
    let with_call = json!({"tools": tools, "messages": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]},
    ]});
    let next = follow_up(Dialect::Messages, &with_call, &ask(resume(), false, None), false);
    assert_eq!(next["tools"], tools);
    assert_eq!(next["tool_choice"], json!({"type": "none"}));
}

#[test]
fn odd_bodies_are_no_panic() {
    for odd in [
        json!(null),
        json!([]),
        json!({"messages": 5, "input": {}, "text": [], "include": 1, "thinking": 3}),
    ] {
        for dialect in Dialect::ALL {
            for keep in [true, false] {
                let next = follow_up(dialect, &odd, &ask(resume(), keep, Some(1)), keep);
                let list = if dialect == Dialect::Responses { "input" } else { "messages" };
                assert_eq!(next[list].as_array().map(Vec::len), Some(2));
            }
        }
    }
}
