//! Frames of Anthropic Messages.
//!
//! In: `message_start` to `message_stop`. Out: steps. Never counts a thinking block or a tool of
//! the provider's own as something that can be healed.

use super::super::lax::{self, Lax, LaxText, lax_object};
use super::super::words::UsageForm;
use super::chat::error_message;
use super::{Block, Delta, Dialect, Open, SseFrame, StreamReader};
use salve_types::FinishReason;
use serde::Deserialize;
use serde_json::Value;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Event<'a> {
    #[serde(borrow)]
    r#type: LaxText<'a>,
    index: Lax<u64>,
    #[serde(borrow)]
    delta: Lax<Step<'a>>,
    #[serde(borrow)]
    content_block: Lax<Start<'a>>,
    #[serde(borrow)]
    message: Lax<Message<'a>>,
    usage: Lax<UsageForm>,
    error: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Step<'a> {
    #[serde(borrow)]
    r#type: LaxText<'a>,
    #[serde(borrow)]
    text: LaxText<'a>,
    #[serde(borrow)]
    thinking: LaxText<'a>,
    #[serde(borrow)]
    partial_json: LaxText<'a>,
    #[serde(borrow)]
    stop_reason: LaxText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Start<'a> {
    #[serde(borrow)]
    r#type: LaxText<'a>,
    #[serde(borrow)]
    text: LaxText<'a>,
    #[serde(borrow)]
    thinking: LaxText<'a>,
    #[serde(borrow)]
    id: LaxText<'a>,
    #[serde(borrow)]
    name: LaxText<'a>,
    input: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow)]
    model: LaxText<'a>,
    usage: Lax<UsageForm>,
}

lax_object!(Event<'a>, Step<'a>, Start<'a>, Message<'a>);

pub(super) fn read(reader: &mut StreamReader, frame: &SseFrame) -> Option<Vec<Delta>> {
    let mut spare = None;
    let event: Event<'_> = lax::parse(&frame.data, &mut spare)?;
    let mut deltas = Vec::new();
    let index = event.index.0.unwrap_or(0);
    match event.r#type.text().or_else(|| frame.event_name())? {
        "content_block_delta" => read_step(reader, index, &event.delta.0?, &mut deltas),
        "content_block_start" => start(reader, index, &event.content_block.0?, &mut deltas),
        "content_block_stop" => stop(reader, index, &mut deltas),
        "message_start" => {
            let message = event.message.0.unwrap_or_default();
            reader.tail.opened_by(frame);
            reader.answer(0)?;
            reader.note_model(message.model.filled());
            let counts = message.usage.0.unwrap_or_default().counts(Dialect::Messages);
            reader.count(counts, &mut deltas);
        }
        "message_delta" => {
            let step = event.delta.0.unwrap_or_default();
            let counts = event.usage.0.unwrap_or_default().counts(Dialect::Messages);
            reader.count(counts, &mut deltas);
            if let Some(reason) = step.stop_reason.filled() {
                reader.finish(0, FinishReason::from_name(reason), &mut deltas);
            }
        }
        "message_stop" => deltas.push(Delta::End),
        "error" => deltas.push(Delta::Error { message: error_message(&event.error) }),
        _ => {}
    }
    Some(deltas)
}

fn read_step(reader: &mut StreamReader, index: u64, step: &Step<'_>, deltas: &mut Vec<Delta>) {
    match step.r#type.text() {
        Some("text_delta") => {
            reader.text(0, step.text.text().unwrap_or_default(), deltas);
        }
        Some("thinking_delta") => {
            reader.thinking(0, step.thinking.text().unwrap_or_default(), deltas);
        }
        Some("input_json_delta") => {
            let open = reader.open.iter().rfind(|open| open.index == index);
            let Some(Block::Call { call, .. }) = open.map(|open| &open.kind) else { return };
            let call = *call;
            reader.arguments(0, call, step.partial_json.text().unwrap_or_default(), deltas);
        }
        _ => {}
    }
}

// More blocks than this are never open at once; in fact it is one.
const MOST_OPEN: usize = 64;

fn start(reader: &mut StreamReader, index: u64, block: &Start<'_>, deltas: &mut Vec<Delta>) {
    let kind = match block.r#type.text() {
        Some("text") => {
            let start = reader.answer(0).map_or(0, |(_, answer)| answer.reply.text.len());
            reader.text(0, block.text.text().unwrap_or_default(), deltas);
            Block::Text { start }
        }
        Some("tool_use") => {
            let id = block.id.text().unwrap_or_default();
            let name = block.name.text().unwrap_or_default();
            let Some(call) = reader.start_call(0, index, (id, name), deltas) else { return };
            Block::Call { call, given: given_input(&block.input) }
        }
        Some("thinking") => {
            reader.thinking(0, block.thinking.text().unwrap_or_default(), deltas);
            Block::Other
        }
        _ => Block::Other,
    };
    reader.open.retain(|open| open.index != index);
    if reader.open.len() < MOST_OPEN {
        reader.open.push(Open { index, kind });
    }
}

fn stop(reader: &mut StreamReader, index: u64, deltas: &mut Vec<Delta>) {
    let Some(at) = reader.open.iter().rposition(|open| open.index == index) else { return };
    match reader.open.remove(at).kind {
        Block::Text { .. } => deltas.push(Delta::BlockEnd { choice: 0, call: None }),
        Block::Call { call, given } => {
            // A call whose input came with its start, or which takes none, has no pieces.
            let came = reader.reply(0).and_then(|reply| reply.tool_calls.get(call));
            if came.is_some_and(|came| came.arguments.is_empty()) {
                reader.arguments(0, call, &given, deltas);
            }
            deltas.push(Delta::BlockEnd { choice: 0, call: Some(call) });
        }
        Block::Other => {}
    }
}

/// Returns the text of a call's input object.
fn given_input(input: &Value) -> String {
    match input {
        Value::Null => "{}".to_owned(),
        Value::String(text) => text.clone(),
        input => input.to_string(),
    }
}
