//! Streams as providers send them, and broken ones.
//!
//! In: data lines. Out: a failure when they do not mean what is written next to them.

mod damaged;

use super::*;
use salve_types::Usage;

fn read(dialect: Dialect, frames: &[&str]) -> (Vec<ModelReply>, Vec<Vec<Delta>>) {
    let mut reader = StreamReader::new(dialect);
    let deltas = frames.iter().map(|data| reader.read(&SseFrame::of("", data))).collect();
    (reader.replies(), deltas)
}

fn reply_of(dialect: Dialect, frames: &[&str]) -> ModelReply {
    let mut replies = read(dialect, frames).0;
    assert_eq!(replies.len(), 1);
    replies.remove(0)
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    let owned = str::to_owned;
    ToolCall { id: owned(id), name: owned(name), arguments: owned(arguments) }
}

fn text(choice: usize, text: &str) -> Delta {
    Delta::Text { choice, text: text.to_owned() }
}

#[test]
fn chat_text_thoughts_calls_and_usage() {
    let frames = [
        r#"{"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
        r#"{"id":"c","model":"m","choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"a\u00e9\n"}}],"usage":null}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"f","arguments":""}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}},{"index":1,"id":"y","function":{"name":"g","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":2},"completion_tokens_details":{"reasoning_tokens":3}}}"#,
        "[DONE]",
    ];
    let (replies, deltas) = read(Dialect::Chat, &frames);
    let usage = Usage {
        input_tokens: 5,
        output_tokens: 7,
        cached_tokens: 2,
        reasoning_tokens: 3,
        search_calls: 0,
    };
    let expected = ModelReply {
        text: "aé\n".to_owned(),
        thinking: "hm".to_owned(),
        tool_calls: vec![call("x", "f", "{\"a\":1}"), call("y", "g", "{}")],
        finish: Some(FinishReason::ToolCalls),
        usage: Some(usage),
        model: Some("m".to_owned()),
        ..ModelReply::default()
    };
    assert_eq!(replies, [expected]);
    assert_eq!(deltas[0], []);
    assert_eq!(deltas[2], [text(0, "aé\n")]);
    assert_eq!(deltas[7], [Delta::Usage(usage)]);
    assert_eq!(deltas[8], [Delta::End]);
}

#[test]
fn chat_in_the_ways_of_other_servers() {
    // Every call is numbered 0, or none is; the content is a list; the call has the older form.
    let frames = [
        r#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"y","function":{"name":"g","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"id":"z","function":{"name":"h","arguments":"["}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"]"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":7,"type":"custom","id":"q","custom":{"name":"c","input":"x"}}]}}]}"#,
    ];
    let reply = reply_of(Dialect::Chat, &frames);
    assert_eq!(reply.text, "ab");
    let expected = [call("x", "f", "{}"), call("y", "g", "{}"), call("z", "h", "[]")];
    assert_eq!(reply.tool_calls, expected);
    assert_eq!(reply.finish, None);

    let frames = [
        r#"{"choices":[{"index":0,"delta":{"function_call":{"name":"f","arguments":""}}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"function_call":{"arguments":"{}"}}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"function_call"}]}"#,
    ];
    let reply = reply_of(Dialect::Chat, &frames);
    assert_eq!(reply.tool_calls, [call("", "f", "{}")]);
    assert_eq!(reply.finish, Some(FinishReason::ToolCalls));
}

#[test]
fn chat_answers_are_kept_apart() {
    let frames = [
        r#"{"choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"a"}}]}"#,
        r#"{"choices":[{"index":1,"delta":{},"finish_reason":"length"}]}"#,
    ];
    let (replies, deltas) = read(Dialect::Chat, &frames);
    let texts: Vec<&str> = replies.iter().map(|reply| reply.text.as_str()).collect();
    assert_eq!(texts, ["a", "b"]);
    assert_eq!(deltas[0], [text(1, "b"), text(0, "a")]);
    assert_eq!(replies[1].finish, Some(FinishReason::Length));
}

#[test]
fn messages_blocks_and_counts_that_replace_each_other() {
    let frames = [
        r#"{"type":"message_start","message":{"id":"m","model":"claude","usage":{"input_tokens":10,"cache_creation_input_tokens":3,"cache_read_input_tokens":5,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"hi"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"server_tool_use","id":"s","name":"web","input":{}}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}}"#,
        r#"{"type":"content_block_stop","index":2}"#,
        r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}"#,
        r#"{"type":"content_block_stop","index":3}"#,
        r#"{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"u","name":"g","input":{}}}"#,
        r#"{"type":"content_block_stop","index":4}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let (replies, deltas) = read(Dialect::Messages, &frames);
    let usage = Usage {
        input_tokens: 18,
        output_tokens: 9,
        cached_tokens: 5,
        reasoning_tokens: 0,
        search_calls: 0,
    };
    let expected = ModelReply {
        text: "hi".to_owned(),
        thinking: "hm".to_owned(),
        tool_calls: vec![call("t", "f", "{\"a\":1}"), call("u", "g", "{}")],
        finish: Some(FinishReason::ToolCalls),
        usage: Some(usage),
        model: Some("claude".to_owned()),
        ..ModelReply::default()
    };
    assert_eq!(replies, [expected]);
    assert_eq!(deltas[4], [], "the end of thoughts holds nothing up");
    assert_eq!(deltas[8], [Delta::BlockEnd { choice: 0, call: None }]);
    assert_eq!(deltas[15], [Delta::BlockEnd { choice: 0, call: Some(0) }]);
    assert_eq!(deltas[19], [Delta::End]);
}

#[test]
fn responses_items_and_what_only_their_ends_tell() {
    let frames = [
        r#"{"type":"response.created","sequence_number":0,"response":{"id":"r","model":"gpt"}}"#,
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs"}}"#,
        r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"hm"}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs"}}"#,
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"m","content":[]}}"#,
        r#"{"type":"response.content_part.added","output_index":1,"content_index":0,"part":{"type":"output_text","text":""}}"#,
        r#"{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"h"}"#,
        r#"{"type":"response.output_text.done","output_index":1,"content_index":0,"text":"hi"}"#,
        r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"message","id":"m","content":[{"type":"output_text","text":"hi"}]}}"#,
        r#"{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"a\""}"#,
        r#"{"type":"response.function_call_arguments.done","output_index":2,"arguments":"{\"a\":1}"}"#,
        r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":"{\"a\":1}"}}"#,
        r#"{"type":"response.output_item.done","output_index":3,"item":{"type":"function_call","id":"fd","call_id":"d","name":"g","arguments":"{}"}}"#,
        r#"{"type":"response.completed","response":{"status":"completed","output":[],"usage":{"input_tokens":4,"output_tokens":6,"input_tokens_details":{"cached_tokens":1},"output_tokens_details":{"reasoning_tokens":2}}}}"#,
    ];
    let (replies, deltas) = read(Dialect::Responses, &frames);
    let usage = Usage {
        input_tokens: 4,
        output_tokens: 6,
        cached_tokens: 1,
        reasoning_tokens: 2,
        search_calls: 0,
    };
    let expected = ModelReply {
        text: "hi".to_owned(),
        thinking: "hm".to_owned(),
        tool_calls: vec![call("c", "f", "{\"a\":1}"), call("d", "g", "{}")],
        finish: Some(FinishReason::ToolCalls),
        usage: Some(usage),
        model: Some("gpt".to_owned()),
        ..ModelReply::default()
    };
    assert_eq!(replies, [expected]);
    assert_eq!(deltas[7], [text(0, "i"), Delta::BlockEnd { choice: 0, call: None }]);
    assert_eq!(deltas[14].last(), Some(&Delta::End));
}

#[test]
fn c259_every_dialect_says_that_the_limit_was_reached() {
    let cases = [
        (Dialect::Chat, r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#),
        (Dialect::Messages, r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}"#),
        (
            Dialect::Responses,
            r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}"#,
        ),
    ];
    for (dialect, frame) in cases {
        let reply = reply_of(dialect, &[frame]);
        assert_eq!(reply.finish, Some(FinishReason::Length), "{dialect:?}");
    }
}

#[test]
fn a_refusal_is_no_empty_answer() {
    let cases: [(Dialect, &[&str]); 3] = [
        (
            Dialect::Chat,
            &[
                r#"{"choices":[{"index":0,"delta":{"refusal":"no"}}]}"#,
                r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
            ],
        ),
        (
            Dialect::Responses,
            &[
                r#"{"type":"response.refusal.delta","output_index":0,"delta":"no"}"#,
                r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#,
            ],
        ),
        (Dialect::Messages, &[r#"{"type":"message_delta","delta":{"stop_reason":"refusal"}}"#]),
    ];
    for (dialect, frames) in cases {
        let reply = reply_of(dialect, frames);
        assert_eq!(reply.finish, Some(FinishReason::ContentFilter), "{dialect:?}");
    }
}

#[test]
fn errors_in_the_middle_are_told() {
    let cases = [
        (Dialect::Chat, r#"{"error":{"message":"overloaded","code":529}}"#),
        (Dialect::Chat, r#"{"error":"overloaded"}"#),
        (Dialect::Messages, r#"{"type":"error","error":{"type":"x","message":"overloaded"}}"#),
        (Dialect::Responses, r#"{"type":"error","code":"x","message":"overloaded"}"#),
        (
            Dialect::Responses,
            r#"{"type":"response.failed","response":{"status":"failed","error":{"message":"overloaded"}}}"#,
        ),
    ];
    for (dialect, frame) in cases {
        let (_, deltas) = read(dialect, &[frame]);
        let error = Delta::Error { message: "overloaded".to_owned() };
        assert!(deltas[0].contains(&error), "{frame}: {deltas:?}");
    }
}

#[test]
fn a_text_that_only_its_part_tells_is_read_once() {
    let frames = [
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message"}}"#,
        r#"{"type":"response.content_part.done","output_index":0,"part":{"type":"output_text","text":"hi"}}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"hi"}]}}"#,
    ];
    assert_eq!(reply_of(Dialect::Responses, &frames).text, "hi");
}

#[test]
fn a_response_that_comes_all_at_once_is_read() {
    let frame = r#"{"type":"response.completed","response":{"model":"g","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"hi"}]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}}"#;
    let reply = reply_of(Dialect::Responses, &[frame]);
    assert_eq!((reply.text.as_str(), reply.tool_calls), ("hi", vec![call("c", "f", "{}")]));
}

fn is_lost(deltas: &[Delta]) -> bool {
    matches!(deltas, [Delta::Lost { .. }])
}

// The frames up to the last of a case are readable, and the last is not.
#[test]
fn frames_that_lost_their_piece_are_told_and_take_nothing() {
    let chat = r#"{"choices":[{"index":0,"delta":{"content":"a"}}]}"#;
    let start =
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let tool = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#;
    let created = r#"{"type":"response.created","sequence_number":0,"response":{"id":"r"}}"#;
    let going = r#"{"type":"response.in_progress","sequence_number":1,"response":{"id":"r"}}"#;
    let piece = r#"{"type":"response.output_text.delta","sequence_number":2,"output_index":0,"delta":"ab"}"#;
    let cases: &[(Dialect, &[&str])] = &[
        (Dialect::Chat, &[chat, "NOT "]),
        (Dialect::Chat, &[chat, "{}"]),
        (Dialect::Chat, &[chat, r#"{"type":"mystery"}"#]),
        (Dialect::Chat, &[chat, r#"{"chohces":[{"index":0,"delta":{"content":"b"}}]}"#]),
        (Dialect::Chat, &[chat, r#"{"choices":[{"index":0,"dflta":{"content":"b"}}]}"#]),
        (Dialect::Chat, &[chat, r#"{"choices":[{"index":0,"dflta":{},"finish_reason":"stop"}]}"#]),
        (Dialect::Chat, &[chat, r#"{"choices":[{"index":0,"delta":{"contnt":"b"}}]}"#]),
        (
            Dialect::Chat,
            &[chat, r#"{"choices":[{"index":0,"delta":{"role":"assistant","":"b"}}]}"#],
        ),
        (Dialect::Chat, &[chat, r#"{"choices":[{"index":0,"delta":{"content":7}}]}"#]),
        (Dialect::Chat, &[chat, r#"{"choices":[{"index":0,"delta":7}]}"#]),
        (Dialect::Chat, &[chat, r#"{"choices":[{"index":1,"delta":{"content":"b"}}]}"#]),
        (
            Dialect::Chat,
            &[
                chat,
                r#"{"choices":[{"delta":{"tool_calls":[{"index":3,"function":{"arguments":"b"}}]}}]}"#,
            ],
        ),
        (
            Dialect::Chat,
            &[
                chat,
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","argumnts":"{}"}}]}}]}"#,
            ],
        ),
        (
            Dialect::Chat,
            &[
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}]}}]}"#,
                r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"y","function":{"name":"f","arguments":""}}]}}]}"#,
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}}]}"#,
            ],
        ),
        (
            Dialect::Chat,
            &[
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":""}}]}}]}"#,
                r#"{"choices":[{"delta":{"tool_calls":[{"iwxvx":0,"function":{"arguments":"{"}}]}}]}"#,
            ],
        ),
        (
            Dialect::Messages,
            &[start, r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#],
        ),
        (
            Dialect::Responses,
            &[created, going, r#"{"tqqe":"response.queued","sequence_number":2,"response":{}}"#],
        ),
        (Dialect::Responses, &[piece, r#"{"type":"response.output_text.delta","delta":"c"}"#]),
        (Dialect::Messages, &["NOT "]),
        (Dialect::Messages, &[start, r#"{"type":"content_block_delta","index":0}"#]),
        (
            Dialect::Messages,
            &[
                start,
                r#"{"type":"content_block_dflta","index":0,"delta":{"type":"text_delta","text":"b"}}"#,
            ],
        ),
        (
            Dialect::Messages,
            &[
                start,
                r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"b"}}"#,
            ],
        ),
        (
            Dialect::Messages,
            &[
                start,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_dflta","text":"b"}}"#,
            ],
        ),
        (
            Dialect::Messages,
            &[
                start,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","tfxt":"b"}}"#,
            ],
        ),
        (
            Dialect::Messages,
            &[
                start,
                r#"{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}"#,
            ],
        ),
        (
            Dialect::Messages,
            &[
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_usf","id":"t","name":"f","input":{}}}"#,
            ],
        ),
        (Dialect::Messages, &[start, r#"{"type":"mystery"}"#]),
        (
            Dialect::Messages,
            &[
                tool,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jsn":"b"}}"#,
            ],
        ),
        (Dialect::Responses, &[created, "NOT "]),
        (
            Dialect::Responses,
            &[
                created,
                going,
                piece,
                r#"{"type":"response.output_text.delta","sequence_number":4,"output_index":0,"delta":"d"}"#,
            ],
        ),
        (Dialect::Responses, &[created, going, piece, r#"{"type":"mystery"}"#]),
        (
            Dialect::Responses,
            &[
                created,
                going,
                r#"{"type":"response.output_text.delta","sequence_number":2,"dflta":"b"}"#,
            ],
        ),
        (
            Dialect::Responses,
            &[
                created,
                going,
                r#"{"type":"response.output_tfxt.delta","sequence_number":2,"delta":"b"}"#,
            ],
        ),
        (
            Dialect::Responses,
            &[
                created,
                going,
                piece,
                r#"{"type":"response.output_text.done","sequence_number":3,"output_index":0,"text":"axb"}"#,
            ],
        ),
        (
            Dialect::Responses,
            &[
                created,
                going,
                r#"{"type":"response.function_call_arguments.delta","sequence_number":2,"output_index":0,"delta":"b"}"#,
            ],
        ),
        (
            Dialect::Responses,
            &[created, r#"{"type":"response.completed","sequence_number":1,"rfsponse":{}}"#],
        ),
        // The first event is another one, or has no number: the others count all the same.
        (
            Dialect::Responses,
            &[
                r#"{"type":"mystery","index":0}"#,
                going,
                piece,
                r#"{"type":"response.output_text.done","sequence_number":4,"output_index":0,"text":"ab"}"#,
            ],
        ),
        (
            Dialect::Responses,
            &[
                r#"{"type":"response.created","response":{"id":"r"}}"#,
                going,
                piece,
                r#"{"type":"response.output_text.delta","sequence_number":4,"output_index":0,"delta":"d"}"#,
            ],
        ),
        (
            Dialect::Responses,
            &[
                r#"{"type":"response.created","sequence_number":70,"response":{"id":"r"}}"#,
                going,
                piece,
                r#"{"type":"response.output_text.delta","sequence_number":4,"output_index":0,"delta":"d"}"#,
            ],
        ),
        // The end has more than the pieces, which is all that a client joins.
        (
            Dialect::Responses,
            &[
                r#"{"type":"response.output_text.delta","output_index":0,"delta":"ab"}"#,
                r#"{"type":"response.output_text.done","output_index":0,"text":"abc"}"#,
            ],
        ),
        // A piece under an unknown name.
        (
            Dialect::Responses,
            &[
                r#"{"type":"response.output_text.delta","output_index":0,"delta":"ab"}"#,
                r#"{"type":"response.output_tssvaybuns","output_index":0,"delta":"c"}"#,
            ],
        ),
        (
            Dialect::Responses,
            &[
                r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":""}}"#,
                r#"{"type":"mystery"}"#,
            ],
        ),
    ];
    for (dialect, frames) in cases {
        let mut reader = StreamReader::for_client(&Asked::new(*dialect, "m"));
        let (last, before) = frames.split_last().unwrap();
        for frame in before {
            assert!(!is_lost(&reader.read(&SseFrame::of("", frame))), "{dialect:?} {frame}");
        }
        assert!(is_lost(&reader.read(&SseFrame::of("", last))), "{dialect:?} {last}");
        let text = reader.reply(0).map_or("", |reply| reply.text.as_str());
        assert!(["", "a", "ab"].contains(&text), "{dialect:?} {last}: {text}");
    }
}

#[test]
fn what_a_provider_may_add_is_no_loss() {
    let start =
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let cases: &[(Dialect, &[&str])] = &[
        (Dialect::Chat, &[r#"{"choices":[],"prompt_filter_results":[{}]}"#]),
        (
            Dialect::Chat,
            &[
                r#"{"id":"","object":"","choices":[{"index":0,"finish_reason":null,"content_filter_results":{},"content_filter_offsets":{}}]}"#,
            ],
        ),
        (Dialect::Chat, &[r#"{"usage":{"prompt_tokens":1,"completion_tokens":2}}"#]),
        (
            Dialect::Chat,
            &[
                r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"annotations":[]}}],"x_groq":{}}"#,
            ],
        ),
        (Dialect::Chat, &[r#"{"choices":[{"index":0,"delta":{"thinking":"hm"}}]}"#]),
        (Dialect::Chat, &[r#"{"choices":[{"index":0,"delta":{}}],"obfuscation":"x"}"#]),
        (Dialect::Chat, &[r#"{"choices":[{"index":0,"delta":null,"finish_reason":"stop"}]}"#]),
        (Dialect::Messages, &[r#"{"type":"vendor_note","data":1}"#]),
        (Dialect::Messages, &[start, r#"{"type":"ping"}"#]),
        (
            Dialect::Messages,
            &[
                start,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}}}"#,
            ],
        ),
        (
            Dialect::Messages,
            &[
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"container_upload"}}"#,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"upload_delta"}}"#,
            ],
        ),
        (
            Dialect::Responses,
            &[r#"{"type":"response.output_text.annotation.added","sequence_number":7}"#],
        ),
        (
            Dialect::Responses,
            &[r#"{"type":"response.web_search_call.searching","output_index":0}"#],
        ),
        (
            Dialect::Responses,
            &[
                r#"{"type":"response.output_text.delta","sequence_number":0,"delta":"a"}"#,
                r#"{"type":"response.output_text.delta","sequence_number":2,"delta":"b"}"#,
                r#"{"type":"response.output_text.done","sequence_number":4,"text":"ab"}"#,
            ],
        ),
        (
            Dialect::Responses,
            &[
                r#"{"type":"response.output_text.delta","delta":"a "}"#,
                r#"{"type":"response.output_text.done","text":"a"}"#,
            ],
        ),
        // Only some events have numbers.
        (
            Dialect::Responses,
            &[
                r#"{"type":"response.created","response":{"id":"r"}}"#,
                r#"{"type":"response.output_text.delta","sequence_number":0,"delta":"a"}"#,
                r#"{"type":"response.output_text.delta","sequence_number":1,"delta":"b"}"#,
                r#"{"type":"response.completed","response":{"id":"r","status":"completed"}}"#,
            ],
        ),
        // All at the end, without pieces.
        (
            Dialect::Responses,
            &[
                r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message","content":[]}}"#,
                r#"{"type":"response.output_text.done","output_index":0,"text":"ab"}"#,
            ],
        ),
    ];
    for (dialect, frames) in cases {
        let mut reader = StreamReader::for_client(&Asked::new(*dialect, "m"));
        for frame in *frames {
            let deltas = reader.read(&SseFrame::of("", frame));
            assert!(!is_lost(&deltas), "{dialect:?} {frame}: {deltas:?}");
        }
    }
}

#[test]
fn hostile_frames_mean_nothing_and_take_nothing() {
    let deep = format!(r#"{{"choices":{}"#, "[".repeat(100_000));
    let deep_value = format!(r#"{{"error":{}"#, r#"{"a":"#.repeat(100_000));
    let invalid = SseFrame::read(bytes::Bytes::from_static(
        b"data: {\"choices\":[{\"delta\":{\"content\":\"\xff\xfe\"}}]}\n\n",
    ));
    let unseen = SseFrame::read(bytes::Bytes::from_static(
        b"data: {\"type\":\"ping\",\"choices\":[],\"note\":\"\xff\",\"usage\":{}}\n\n",
    ));
    for dialect in Dialect::ALL {
        let mut reader = StreamReader::new(dialect);
        assert!(is_lost(&reader.read(&invalid)), "{dialect:?}");
        assert!(is_lost(&reader.read(&unseen)), "{dialect:?}");
        assert_eq!(reader.tail().forward(&invalid, &[]), invalid.raw, "it is passed on as it came");
        let frames = [
            deep.as_str(),
            &deep_value,
            "",
            "null",
            "[]",
            "42",
            "\u{0}",
            "{",
            r#"{"choices":[{"index":4000000000,"delta":{"content":"x"}}]}"#,
            r#"{"choices":[{"index":4000000000,"delta":{"tool_calls":[{"index":0,"id":"a"}]}}]}"#,
            r#"{"choices":[{"index":-1,"delta":7}],"usage":"none"}"#,
            r#"{"type":"content_block_delta","index":4000000000,"delta":{"type":"input_json_delta","partial_json":"x"}}"#,
            r#"{"type":"content_block_stop","index":4000000000}"#,
            r#"{"type":"response.function_call_arguments.delta","output_index":4000000000,"delta":"x"}"#,
            r#"{"type":7,"index":{},"delta":[]}"#,
        ];
        for frame in frames {
            let frame = SseFrame::of("", frame);
            let deltas = reader.read(&frame);
            assert!(deltas.is_empty() || is_lost(&deltas), "{dialect:?}: {deltas:?}");
            reader.tail().forward(&frame, &deltas);
        }
        assert!(reader.replies().len() <= 1);
    }
}

#[test]
fn calls_beyond_the_most_are_not_followed() {
    let frames: Vec<String> = (0..2 * MOST_CALLS)
        .map(|n| {
            format!(
                r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":{n},"id":"c{n}","function":{{"name":"f"}}}}]}}}}]}}"#
            )
        })
        .collect();
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    assert_eq!(reply_of(Dialect::Chat, &frames).tool_calls.len(), MOST_CALLS);
}
