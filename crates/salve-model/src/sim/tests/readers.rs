//! What is written here is what the readers of the wire understand.

use crate::reply::{ModelReply, ToolCall};
use crate::sim::{Chunk, Envelope, write_reply, write_stream};
use crate::wire::{Dialect, SseFrame, StreamReader, read_reply};
use bytes::Bytes;
use proptest::prelude::*;
use salve_types::{FinishReason, Usage};
use serde_json::{Value, json};

fn envelope() -> Envelope {
    Envelope {
        tag: "0".repeat(16),
        model: "m".to_owned(),
        created: 1,
        include_usage: true,
        request: Value::Null,
    }
}

fn reply() -> impl Strategy<Value = ModelReply> {
    let text = "[a-z \\n\"\\\\{}üß🎉]{0,40}";
    let call = ("[a-z_]{1,8}", text).prop_map(|(name, value)| ToolCall {
        id: format!("id_{name}"),
        name,
        arguments: json!({ "value": value }).to_string(),
    });
    let calls = proptest::collection::vec(call, 0..3);
    let usage = (1_u64..1000, 1_u64..1000).prop_map(|(input, output)| Usage {
        input_tokens: input,
        output_tokens: output,
        cached_tokens: input / 2,
        reasoning_tokens: output / 2,
        search_calls: 0,
    });
    (text, text, calls, any::<bool>(), usage).prop_map(
        |(text, thinking, tool_calls, cut, usage)| {
            let whole =
                if tool_calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
            ModelReply {
                text,
                thinking,
                tool_calls,
                finish: Some(if cut { FinishReason::Length } else { whole }),
                usage: Some(usage),
                model: Some("m".to_owned()),
                ..ModelReply::default()
            }
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(reply in reply(), chunk in 1_usize..20) {
        for dialect in Dialect::ALL {
            let body: Value = serde_json::from_slice(&write_reply(dialect, &envelope(), std::slice::from_ref(&reply))).unwrap();
            let read = read_reply(dialect, &body).unwrap();
            prop_assert_eq!(&read[0], &reply, "{:?}", dialect);
            let frames = write_stream(dialect, &envelope(), std::slice::from_ref(&reply), &Chunk(vec![chunk]));
            let mut reader = StreamReader::new(dialect);
            for frame in frames.iter() {
                reader.read(&SseFrame::read(Bytes::copy_from_slice(frame)));
            }
            prop_assert_eq!(&reader.replies()[0], &reply, "{:?} streamed", dialect);
        }
    }
}
