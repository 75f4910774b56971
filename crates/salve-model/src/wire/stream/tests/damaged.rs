//! Frames that lost their piece in ways that leave a frame which looks like another one, and frames
//! of real servers that look odd and are whole.
//!
//! In: raw frames. Out: a failure when one of the first kind is passed over, or when one of the
//! second kind is called lost.

use super::super::StreamReader;
use super::is_lost;
use crate::wire::{Asked, Delta, Dialect, SseSplitter};

// The steps of every frame of a stream.
fn steps(dialect: Dialect, stream: &str) -> Vec<Vec<Delta>> {
    let mut reader = StreamReader::for_client(&Asked::new(dialect, "m"));
    let mut splitter = SseSplitter::default();
    splitter.push(stream.to_owned());
    let mut all = Vec::new();
    while let Some(frame) = splitter.next_frame().unwrap() {
        all.push(reader.read(&frame));
    }
    all
}

const CHAT: &str = "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"The \"}}]}\n\n";
const CHAT_CALL: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}}]}\n\n";

#[test]
fn a_chat_frame_whose_piece_lost_its_name_is_lost() {
    let step = |step: &str| {
        format!("data: {{\"id\":\"c\",\"choices\":[{{\"index\":0,\"delta\":{step}}}]}}\n\n")
    };
    let mut cases: Vec<String> = [
        "cont",
        "nt",
        "t",
        "c",
        "",
        "conABCDtent",
        "content3",
        "qcontent",
        "cXYZWnt",
        "contents",
        "zzz",
        "answer",
    ]
    .iter()
    .map(|key| step(&format!("{{\"{key}\":\"NOT \"}}")))
    .collect();
    cases.extend(
        [
            r#"{"content":[{"type":"text","texu":"NOT "}]}"#,
            r#"{"content":[{"type":"text","text":7}]}"#,
            r#"{"content":[{"type":"text","text":"a"},{"type":"text","t":"NOT "}]}"#,
            r#"{"content":[{"type":"text"}]}"#,
            r#"{"content":[{"tpe":"text","txt":"NOT "}]}"#,
            r#"{"content":["NOT "]}"#,
            r#"{"reasoning":"hm","contnt":"NOT "}"#,
            r#"{"reasoning_content":"hm","ntent":"NOT "}"#,
            r#"{"content":"a","tool_clls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}]}"#,
            r#"{"tool_":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"x","fution":{"name":"f","arguments":"{}"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"x","function":{"ne":"f","arguments":"{}"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","argts":"{}"}}]}"#,
        ]
        .map(step),
    );
    let chunk = r#"{"id":"c","choices":[{"index":0,"delta":{"content":"NOT "}}]}"#;
    for line in [": ", ":", ":qx", ":ta: ", ":ta:", "id: ", "retry: ", "retry:", "da: ", " "] {
        cases.push(format!("{line}{chunk}\n\n"));
    }
    let counted = r#""usage":{"prompt_tokens":1,"completion_tokens":2}"#;
    for key in ["chohces", "chs", "c", "", "choiQQQces", "zzz"] {
        let list = r#"[{"index":0,"delta":{"content":"NOT "}}]"#;
        cases.push(format!("data: {{\"id\":\"c\",\"{key}\":{list},{counted}}}\n\n"));
    }
    for key in ["dlta", "d", "ta", "deXXlta", "zzz"] {
        let choice =
            format!(r#"{{"index":0,"{key}":{{"content":"NOT "}},"content_filter_results":{{}}}}"#);
        cases.push(format!("data: {{\"choices\":[{choice}],{counted}}}\n\n"));
    }
    cases.push(format!(
        "event: ping\ndata: {}\n\n",
        step(r#"{"cont":"NOT "}"#).trim().replace("data: ", "")
    ));
    for case in cases {
        let all = steps(Dialect::Chat, &format!("{CHAT}{case}"));
        assert!(all.iter().skip(1).any(|deltas| is_lost(deltas)), "{case}: {all:?}");
        let all = steps(Dialect::Chat, &format!("{CHAT_CALL}{case}"));
        assert!(all.iter().skip(1).any(|deltas| is_lost(deltas)), "after a call, {case}: {all:?}");
    }
}

#[test]
fn a_call_whose_kind_was_damaged_is_read() {
    let frame = CHAT_CALL.replace("\"type\":\"function\"", "\"type\":\"fution\"");
    let all = steps(Dialect::Chat, &frame);
    assert!(matches!(all[0][..], [Delta::ToolStart { .. }]), "{all:?}");
}

#[test]
fn a_messages_frame_whose_piece_cannot_be_read_is_lost() {
    let start = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n";
    let text = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";
    let delta =
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"NOT "}}"#;
    let ping = delta.replace("content_block_delta", "ping");
    let call = |kind: &str, input: &str| {
        format!(
            "data: {{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{{\"type\":\"{kind}\",\"id\":\"t\",\"name\":\"f\",\"{input}\":{{\"a\":1}}}}}}\n\n"
        )
    };
    let cases = [
        format!(": {delta}\n\n"),
        format!("event: content_block_delta\n: {delta}\n\n"),
        format!(": content_block_delta\n: {delta}\n\n"),
        ": content_block_delta\n\n".to_owned(),
        format!("id: {delta}\n\n"),
        format!("event: ping\ndata: {ping}\n\n"),
        format!("data: {ping}\n\n"),
        format!("event: ping\n: {delta}\n\n"),
        format!("data: {}\n\n", delta.replace("content_block_delta", "conten_delta")),
        format!("data: {}\n\n", delta.replace("content_block_delta", "mystery")),
        format!("data: {}\n\n", delta.replace("text_delta", "text")),
        format!("data: {}\n\n", delta.replace("\"text\":", "\"t\":")),
        call("tool", "input"),
        call("mystery", "input"),
        call("tool_use", "inXYput"),
        call("tool_use", "in"),
        "data: {\"type\":\"content_block_stop\",\"index\":1}\n\n".to_owned(),
    ];
    for case in cases {
        let all = steps(Dialect::Messages, &format!("{start}{text}{case}"));
        assert!(is_lost(&all[2]), "{case}: {all:?}");
        // The same between two blocks.
        let stop = "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n";
        let all = steps(Dialect::Messages, &format!("{start}{text}{stop}{case}"));
        assert!(is_lost(&all[3]), "between blocks, {case}: {all:?}");
    }
}

#[test]
fn a_responses_frame_whose_piece_cannot_be_read_is_lost() {
    let begun = "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"message\"}}\n\n";
    let delta = r#"{"type":"response.output_text.delta","output_index":0,"delta":"NOT "}"#;
    let with = |from: &str, to: &str| format!("data: {}\n\n", delta.replace(from, to));
    let cases = [
        format!(": {delta}\n\n"),
        format!("id: {delta}\n\n"),
        format!("event: response.output_text.delta\n: {delta}\n\n"),
        with("response.output_text.delta", "ping"),
        with("response.output_text.delta", "keepalive"),
        with("output_text", "out"),
        with("output_text", "outXXXXput_text"),
        with("response.output_text.delta", "delta"),
        with("\"delta\":", "\"de\":"),
    ];
    for case in cases {
        let all = steps(Dialect::Responses, &format!("{begun}{case}"));
        assert!(is_lost(&all[1]), "{case}: {all:?}");
    }
}

// Frames as real servers send them: none of them is damaged.
#[test]
fn odd_frames_of_real_servers_are_no_loss() {
    let chat: &[&str] = &[
        r#"{"id":"x","choices":[{"index":0,"delta":{"vendor_field":"hm"}}]}"#,
        // Azure: filters before, beside and without a step, and documents that an answer draws on.
        r#"{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}"#,
        r#"{"choices":[{"content_filter_offsets":{"check_offset":1,"start_offset":1,"end_offset":2},"content_filter_results":{"hate":{"filtered":false}},"finish_reason":null,"index":0}],"created":0,"id":"","model":"","object":""}"#,
        r#"{"choices":[{"content_filter_results":{"hate":{"filtered":false}},"delta":{"content":"Hi","refusal":null},"finish_reason":null,"index":0,"logprobs":null}],"id":"x","obfuscation":"aBc"}"#,
        r#"{"choices":[{"index":0,"delta":{"role":"assistant","context":{"citations":[{"content":"x"}],"intent":"[]"}},"end_turn":false}]}"#,
        // vLLM: counts in every frame, a role alone, reasons to stop.
        r#"{"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null,"token_ids":null}],"usage":{"prompt_tokens":5,"total_tokens":5,"completion_tokens":0},"prompt_token_ids":null}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"reasoning_content":"hm","reasoning":"hm"},"finish_reason":null}]}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"content":""},"logprobs":null,"finish_reason":"stop","stop_reason":null}]}"#,
        r#"{"id":"x","choices":[],"usage":{"prompt_tokens":5,"total_tokens":9,"completion_tokens":4}}"#,
        // llama.cpp and Ollama.
        r#"{"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"system_fingerprint":"b1","object":"chat.completion.chunk"}"#,
        r#"{"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"prompt_progress":{"total":9,"cache":0,"processed":3}}"#,
        r#"{"choices":[],"usage":{"completion_tokens":1,"prompt_tokens":1},"timings":{"prompt_n":1}}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"hm"},"finish_reason":null}]}"#,
        // OpenRouter, and what it passes on.
        r#"{"id":"gen","provider":"P","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","format":"unknown","index":0}]},"finish_reason":null,"native_finish_reason":null,"logprobs":null}]}"#,
        r#"{"id":"gen","provider":"P","choices":[{"index":0,"delta":{"role":"assistant","content":"","annotations":[{"type":"url_citation","url_citation":{"url":"u"}}]}}]}"#,
        r#"{"id":"gen","provider":"P","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning":null,"images":[{"type":"image_url","image_url":{"url":"u"}}]}}]}"#,
        // Groq, Mistral, Gemini, DeepSeek, Perplexity, xAI, Copilot and proxies.
        r#"{"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":null,"channel":"analysis","reasoning":"hm"}}],"x_groq":{"id":"req"}}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"executed_tools":[{"index":0,"type":"search"}]}}]}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}}],"p":"abc"}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"content":[{"type":"text","text":"Hi"},{"type":"reference","reference_ids":[1]}]}}]}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"content":[{"type":"tool_reference","tool":"web","title":"t","url":"u"}]}}]}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"role":"assistant","extra_content":{"google":{"thought_signature":"s"}}}}]}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"content":null,"reasoning_content":"hm"},"logprobs":null,"finish_reason":null}]}"#,
        r#"{"id":"x","citations":["u"],"search_results":[{"title":"t"}],"choices":[{"index":0,"finish_reason":null,"message":{"role":"assistant","content":"Hi"},"delta":{"role":"assistant","content":""}}]}"#,
        r#"{"choices":[],"copilot_references":[{"type":"x"}],"cost":"0"}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"content":"","provider_specific_fields":{"a":1},"thinking_blocks":[{"type":"thinking","thinking":"hm","signature":null}]}}]}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"reasoning_opaque":"s","reasoning_text":"hm"}}]}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"vendor_field":"hm"}}]}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""},"extra_content":{"google":{"thought_signature":"s"}}}]}}]}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{"vendor_field":"hm"}}]}"#,
        r#"{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls","native_finish_reason":"x"}]}"#,
        r#"{"usage":{"prompt_tokens":1,"completion_tokens":2},"id":"x","object":"chat.completion.chunk"}"#,
    ];
    let messages: &[&str] = &[
        r#"{"type":"message_start","message":{"id":"m","usage":{"input_tokens":1}}}"#,
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"web_search_tool_result","tool_use_id":"s","caller":{"type":"direct"},"content":[{"type":"web_search_result","title":"t"}]}}"#,
        r#"{"type":"content_block_stop","index":2}"#,
        r#"{"type":"content_block_start","index":3,"content_block":{"type":"text","text":"","citations":[]}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location"}}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"Hi"}}"#,
        r#"{"type":"ping","time":17}"#,
        r#"{"type":"content_block_stop","index":3}"#,
        r#"{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"t","name":"f","input":{},"caller":{"type":"direct"}}}"#,
        r#"{"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":""}}"#,
        r#"{"type":"content_block_stop","index":4}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null,"container":null},"usage":{"output_tokens":5},"context_management":{"applied_edits":[]}}"#,
        r#"{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":1}}"#,
    ];
    let responses: &[&str] = &[
        r#"{"type":"response.created","sequence_number":0,"response":{"id":"r"}}"#,
        r#"{"type":"response.in_progress","sequence_number":1,"response":{"id":"r"}}"#,
        r#"{"type":"keepalive","sequence_number":2}"#,
        r#"{"type":"response.output_item.added","sequence_number":3,"output_index":0,"item":{"id":"rs","type":"reasoning","summary":[]}}"#,
        r#"{"type":"response.reasoning_summary_part.added","sequence_number":4,"output_index":0,"part":{"type":"summary_text","text":""}}"#,
        r#"{"type":"response.reasoning_summary_text.delta","sequence_number":5,"output_index":0,"delta":"hm","obfuscation":"x"}"#,
        r#"{"type":"response.reasoning_summary_text.done","sequence_number":6,"output_index":0,"text":"hm"}"#,
        r#"{"type":"response.output_item.done","sequence_number":7,"output_index":0,"item":{"id":"rs","type":"reasoning"}}"#,
        r#"{"type":"response.output_item.added","sequence_number":8,"output_index":1,"item":{"type":"code_interpreter_call","id":"ci","status":"in_progress"}}"#,
        r#"{"type":"response.code_interpreter_call_code.delta","sequence_number":9,"output_index":1,"delta":"print"}"#,
        r#"{"type":"response.output_item.added","sequence_number":10,"output_index":2,"item":{"type":"message","content":[]}}"#,
        r#"{"type":"response.content_part.added","sequence_number":11,"output_index":2,"part":{"type":"output_text","text":""}}"#,
        r#"{"type":"response.output_text.delta","sequence_number":12,"output_index":2,"delta":"Hi","logprobs":[]}"#,
        r#"{"type":"response.output_text.annotation.added","sequence_number":13,"output_index":2,"annotation":{}}"#,
        r#"{"type":"response.vendor_thing.happened","sequence_number":14,"output_index":2}"#,
        r#"{"type":"response.output_text.done","sequence_number":15,"output_index":2,"text":"Hi"}"#,
    ];
    let lines =
        |events: &[&str]| events.iter().map(|it| format!("data: {it}\n\n")).collect::<String>();
    let between = ": keep-alive\n\n:\n\n: OPENROUTER PROCESSING\n\n: ping - 2026-01-01 00:00:00+00:00\n\n\
        event: ping\n\nevent: ping\ndata: {}\n\nid: 7\nretry: 3000\n\n";
    for (dialect, events) in
        [(Dialect::Chat, chat), (Dialect::Messages, messages), (Dialect::Responses, responses)]
    {
        let between = match dialect {
            Dialect::Chat => between.to_owned(),
            _ => between.replace("data: {}", "data: {\"type\":\"ping\"}"),
        };
        let stream = format!("{between}{}{between}", lines(events));
        let all = steps(dialect, &stream);
        let lost = all.iter().position(|deltas| is_lost(deltas));
        let frames: Vec<&str> = stream.split("\n\n").collect();
        assert_eq!(lost.and_then(|at| frames.get(at)), None, "{dialect:?}");
    }
}
