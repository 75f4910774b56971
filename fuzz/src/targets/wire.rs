//! Providers' bytes: any of them, in any pieces, in every dialect.
//!
//! In: bytes, as a stream and as a body. Out: a panic when bytes are lost, when another cutting
//! gives other frames, when passing every frame on changes what they say, or when writing back what
//! was read changes a body. Never judges whether an answer is good.

use crate::input;
use salve_model::wire::{
    Delta, Dialect, SseFrame, SseSplitter, StreamReader, follow_up, patch_reply, read_reply,
    read_request,
};
use salve_model::{FollowUp, ModelReply, Purpose, ToolCall, Turn};
use salve_types::{FinishReason, Usage};
use serde_json::Value;

pub(super) fn check(bytes: &[u8]) {
    let frames = split([bytes]);
    assert_pieces_agree(bytes, &frames);
    for dialect in Dialect::ALL {
        assert_passed_on(dialect, &frames);
    }
    if let Ok(body) = serde_json::from_slice::<Value>(bytes) {
        for dialect in Dialect::ALL {
            assert_body(dialect, &body);
        }
    }
}

fn split<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<SseFrame> {
    let mut splitter = SseSplitter::default();
    let mut frames = Vec::new();
    for piece in pieces {
        splitter.push(piece.to_vec());
        while let Ok(Some(frame)) = splitter.next_frame() {
            assert!(frame.is_ended(), "a frame was given out before its end: {frame:?}");
            frames.push(frame);
        }
    }
    frames.extend(splitter.finish());
    frames
}

fn assert_pieces_agree(bytes: &[u8], frames: &[SseFrame]) {
    let raw: Vec<u8> = frames.iter().flat_map(|frame| frame.raw.to_vec()).collect();
    assert_eq!(raw, bytes, "the frames are not the stream");
    let mut random = input::Random::from_text(&input::text(bytes));
    let mut rest = bytes;
    let mut uneven = Vec::new();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at((1 + random.below(24)).min(rest.len()));
        uneven.push(piece);
        rest = after;
    }
    for pieces in [bytes.chunks(1).collect(), bytes.chunks(7).collect(), uneven] {
        assert_eq!(split(pieces), frames, "another cutting gives other frames");
    }
}

// The caller that passes every frame on and then ends the stream says what the provider said. A
// provider whose own numbers are wrong gets other ones, and what it said of which item is anyone's
// guess.
fn assert_passed_on(dialect: Dialect, frames: &[SseFrame]) {
    let mut reader = StreamReader::new(dialect);
    let mut sent = Vec::new();
    let (mut over, mut as_they_came, mut lost) = (false, true, false);
    for frame in frames.iter().filter(|frame| frame.is_ended()) {
        let deltas = reader.read(frame);
        // What cannot be read ends a stream, and is not passed on.
        if matches!(deltas[..], [Delta::Lost { .. }]) {
            lost = true;
            break;
        }
        let bytes = reader.tail().forward(frame, &deltas);
        as_they_came &= bytes == frame.raw;
        sent.extend(bytes);
        over |= deltas.iter().any(|delta| matches!(delta, Delta::End | Delta::Error { .. }));
        if over {
            break;
        }
    }
    let said = reader.replies();
    sent.extend(reader.tail().end());
    let mut client = StreamReader::new(dialect);
    for frame in split([sent.as_slice()]) {
        client.read(&frame);
    }
    let texts = |replies: &[ModelReply]| -> Vec<String> {
        let texts = replies.iter().map(|reply| reply.text.clone());
        texts.filter(|text| !text.is_empty()).collect()
    };
    let (heard, said) = (texts(&client.replies()), texts(&said));
    if as_they_came && lost {
        // An end that contradicts its pieces takes back what was not sure; the client has it by then.
        assert!(heard.concat().starts_with(&said.concat()), "the client reads another text");
    } else if as_they_came {
        assert_eq!(heard, said, "the client reads another text");
    }
    write_anything(reader);
}

fn write_anything(mut reader: StreamReader) {
    let call = ToolCall { id: String::new(), name: "f".to_owned(), arguments: "{".to_owned() };
    let tail = reader.tail();
    for choice in [0, usize::MAX] {
        tail.text(choice, "a");
        tail.tool_call(choice, &call);
        tail.finish(choice, &FinishReason::Disconnect);
    }
    tail.usage(Usage::default());
    tail.error("e");
    tail.end();
}

fn assert_body(dialect: Dialect, body: &Value) {
    let asked = read_request(dialect, body);
    assert_eq!(asked.is_ok(), body.is_object(), "only an object is a request");
    for keep_tools in [true, false] {
        let turns = vec![Turn::assistant("half "), Turn::user("go on")];
        let next =
            FollowUp { purpose: Purpose::Resume, turns, keep_tools, max_output_tokens: Some(9) };
        let next = follow_up(dialect, body, &next, keep_tools);
        assert!(read_request(dialect, &next).is_ok_and(|asked| asked.stream == keep_tools));
    }
    let Ok(replies) = read_reply(dialect, body) else { return };
    let mut patched = body.clone();
    patch_reply(dialect, &mut patched, &replies);
    assert_eq!(&patched, body, "what was not healed has changed");
    let call = ToolCall { id: "n".to_owned(), name: "f".to_owned(), arguments: "{}".to_owned() };
    let healed =
        ModelReply { text: "t".to_owned(), tool_calls: vec![call], ..ModelReply::default() };
    patch_reply(dialect, &mut patched, &vec![healed; replies.len()]);
}
