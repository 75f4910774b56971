//! Whole replies, read and written back.
//!
//! In: bodies as providers send them, and generated replies. Out: a failure when a body says
//! something else afterwards, or when anything else in it has changed.

use super::*;
use crate::reply::ToolCall;
use proptest::prelude::*;
use salve_types::FinishReason;
use serde_json::json;

fn chat() -> Value {
    json!({
        "id": "c", "object": "chat.completion", "created": 1, "model": "m", "x_unknown": [1.50],
        "choices": [{
            "index": 0,
            "message": {
                "role": "assistant", "content": "hel", "refusal": null, "annotations": [{"a": 1}],
                "tool_calls": [
                    {"id": "x", "type": "function", "function": {"name": "f", "arguments": "{\"a\":"}, "extra": true},
                    {"id": "q", "type": "custom", "custom": {"name": "c", "input": "free"}},
                    {"id": "y", "type": "function", "function": {"name": "g", "arguments": "{}"}},
                ],
            },
            "logprobs": {"content": [{"token": "hel", "logprob": -0.1}]},
            "finish_reason": "length",
        }],
        "usage": {"prompt_tokens": 5, "completion_tokens": 6, "total_tokens": 11, "cost": 0.1},
    })
}

fn messages() -> Value {
    json!({
        "id": "m", "type": "message", "role": "assistant", "model": "claude",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "he", "citations": [{"c": 1}]},
            {"type": "text", "text": "l"},
            {"type": "server_tool_use", "id": "s", "name": "web", "input": {}},
            {"type": "tool_use", "id": "x", "name": "f", "input": {"a": 1.0}},
        ],
        "stop_reason": "max_tokens", "stop_sequence": null,
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 2, "output_tokens": 6},
    })
}

fn responses() -> Value {
    json!({
        "id": "r", "object": "response", "model": "gpt", "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": [
            {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "z"},
            {"type": "message", "id": "msg", "status": "incomplete", "role": "assistant", "content": [
                {"type": "output_text", "text": "hel", "annotations": [{"a": 1}]},
            ]},
            {"type": "function_call", "id": "fc", "call_id": "x", "name": "f", "arguments": "{\"a\":", "status": "incomplete"},
        ],
        "usage": {"input_tokens": 5, "output_tokens": 6, "total_tokens": 11},
    })
}

fn bodies() -> [(Dialect, Value); 3] {
    [(Dialect::Chat, chat()), (Dialect::Messages, messages()), (Dialect::Responses, responses())]
}

#[test]
fn replies_are_read_and_an_unchanged_one_changes_nothing() {
    for (dialect, body) in bodies() {
        let replies = read_reply(dialect, &body).unwrap();
        assert_eq!(replies.len(), 1);
        assert_eq!(replies[0].text, "hel", "{dialect:?}");
        assert_eq!(replies[0].finish, Some(FinishReason::Length));
        assert_eq!(replies[0].tool_calls[0].id, "x");
        let expected = if dialect == Dialect::Messages { 7 } else { 5 };
        assert_eq!(replies[0].usage.unwrap().input_tokens, expected);
        let mut patched = body.clone();
        patch_reply(dialect, &mut patched, &replies);
        assert_eq!(patched.to_string(), body.to_string(), "{dialect:?}");
    }
}

#[test]
fn only_what_was_healed_changes() {
    for (dialect, body) in bodies() {
        let mut replies = read_reply(dialect, &body).unwrap();
        replies[0].text = "hello".to_owned();
        replies[0].finish = Some(FinishReason::ToolCalls);
        replies[0].tool_calls[0].arguments = "{\"a\":2}".to_owned();
        let new = ToolCall { id: "n".into(), name: "h".into(), arguments: "{\"b\":1}".into() };
        replies[0].tool_calls.push(new);
        let mut patched = body.clone();
        patch_reply(dialect, &mut patched, &replies);
        assert_eq!(read_reply(dialect, &patched).unwrap(), replies, "{dialect:?}");
        let kept: &[&str] = match dialect {
            Dialect::Chat => &[
                "x_unknown",
                "/choices/0/logprobs",
                "/choices/0/message/annotations",
                "/choices/0/message/tool_calls/0/extra",
                "/choices/0/message/tool_calls/1",
                "/usage/cost",
            ],
            Dialect::Messages => &["/content/0", "/content/1", "/content/3", "/id"],
            Dialect::Responses => {
                &["/output/0", "/output/1/content/0/annotations", "/output/1/id", "/output/2/id"]
            }
        };
        for place in kept {
            assert_eq!(patched.pointer(place), body.pointer(place), "{place}");
        }
    }
    let mut patched = responses();
    let mut replies = read_reply(Dialect::Responses, &patched).unwrap();
    replies[0].finish = Some(FinishReason::Stop);
    replies[0].tool_calls.clear();
    patch_reply(Dialect::Responses, &mut patched, &replies);
    assert_eq!(patched["status"], "completed");
    assert_eq!(patched["incomplete_details"], Value::Null);
    assert_eq!(patched["output"][1]["status"], "completed");
    assert_eq!(patched["output"].as_array().unwrap().len(), 2, "the incomplete call is gone");
}

#[test]
fn forms_of_other_servers() {
    let cases = [
        // Parts instead of a text, arguments as an object, an older call, no content at all.
        json!({"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"type": "x"}]}}]}),
        json!({"choices": [{"message": {"content": null, "tool_calls": [{"id": "i", "function": {"name": "f", "arguments": {"a": 1}}}]}}]}),
        json!({"choices": [{"message": {"content": null, "function_call": {"name": "f", "arguments": "{"}}, "finish_reason": "function_call"}]}),
        json!({"choices": [{"finish_reason": "stop"}, 7]}),
    ];
    for body in cases {
        let mut replies = read_reply(Dialect::Chat, &body).unwrap();
        let mut patched = body.clone();
        patch_reply(Dialect::Chat, &mut patched, &replies);
        if body["choices"][0].get("message").is_some() {
            assert_eq!(patched, body, "nothing was healed");
        }
        for reply in &mut replies {
            reply.text.push_str("b c");
            for call in &mut reply.tool_calls {
                call.arguments = "{\"z\":true}".to_owned();
            }
        }
        patch_reply(Dialect::Chat, &mut patched, &replies[..1]);
        assert_eq!(read_reply(Dialect::Chat, &patched).unwrap()[0], replies[0], "{patched}");
    }
}

#[test]
fn a_refusal_is_no_empty_answer_and_stays_as_it_came() {
    let message = json!({"type": "message", "content": [{"type": "refusal", "refusal": "no"}]});
    let cases = [
        (
            Dialect::Chat,
            json!({"choices": [{"message": {"content": null, "refusal": "no"}, "finish_reason": "stop"}]}),
        ),
        (Dialect::Responses, json!({"status": "completed", "output": [message]})),
        (Dialect::Messages, json!({"content": [], "stop_reason": "refusal"})),
    ];
    for (dialect, body) in cases {
        let replies = read_reply(dialect, &body).unwrap();
        assert_eq!(replies[0].finish, Some(FinishReason::ContentFilter), "{dialect:?}");
        let mut patched = body.clone();
        patch_reply(dialect, &mut patched, &replies);
        assert_eq!(patched, body);
    }
}

#[test]
fn a_body_of_another_form_is_an_error_and_left_alone() {
    let odd = [
        json!(null),
        json!([]),
        json!("x"),
        json!({}),
        json!({"error": {"message": "no"}}),
        json!({"choices": 5, "content": "x", "output": {}}),
    ];
    let reply = ModelReply { text: "t".to_owned(), ..ModelReply::default() };
    for body in odd {
        for dialect in Dialect::ALL {
            assert!(read_reply(dialect, &body).is_err(), "{body}");
            let mut patched = body.clone();
            patch_reply(dialect, &mut patched, std::slice::from_ref(&reply));
            assert_eq!(patched, body);
        }
    }
}

fn healed() -> impl Strategy<Value = ModelReply> {
    let call = ("(x|y|n[0-9])", "[a-z]{1,4}", "[a-z\"]{0,6}").prop_map(|(id, name, value)| {
        ToolCall { id, name, arguments: json!({"v": value}).to_string() }
    });
    let reason = prop::sample::select(vec![
        FinishReason::Stop,
        FinishReason::Length,
        FinishReason::ContentFilter,
    ]);
    ("[a-zé\n]{0,12}", prop::collection::vec(call, 0..4), reason, 10_u64..99).prop_map(
        |(text, mut tool_calls, reason, tokens)| {
            let mut ids = std::collections::BTreeSet::new();
            tool_calls.retain(|call| ids.insert(call.id.clone()));
            let calls = !tool_calls.is_empty() && reason == FinishReason::Stop;
            let finish = if calls { FinishReason::ToolCalls } else { reason };
            let usage = Usage {
                input_tokens: tokens,
                output_tokens: tokens,
                cached_tokens: 1,
                reasoning_tokens: 3,
                search_calls: 0,
            };
            ModelReply {
                text,
                tool_calls,
                finish: Some(finish),
                usage: Some(usage),
                ..ModelReply::default()
            }
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_back_is_what_is_read((at, healed) in (0_usize..3, healed())) {
        let (dialect, mut body) = bodies()[at].clone();
        let before = read_reply(dialect, &body).unwrap().remove(0);
        let healed = ModelReply { thinking: before.thinking, model: before.model, ..healed };
        patch_reply(dialect, &mut body, std::slice::from_ref(&healed));
        prop_assert_eq!(read_reply(dialect, &body).unwrap(), vec![healed]);
    }
}
