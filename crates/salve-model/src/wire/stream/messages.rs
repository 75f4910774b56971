//! Frames of Anthropic Messages.
//!
//! In: `message_start` to `message_stop`. Out: steps. Never counts a thinking block or a tool of
//! the provider's own as something that can be healed.

use super::super::lax::{self, Lax, LaxText, lax_object};
use super::super::words::UsageForm;
use super::chat::error_message;
use super::sound::{
    NEVER_BEGAN, NO_KIND, NO_PIECE, NOT_JSON, SKIPPED, has_damaged_key, is_damaged, is_heartbeat,
    kind_of,
};
use super::{Block, Delta, Dialect, Open, SseFrame, StreamReader, Why};
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

const KINDS: &[&str] = &[
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "error",
    "ping",
];

pub(super) fn read(reader: &mut StreamReader, frame: &SseFrame) -> Result<Vec<Delta>, Why> {
    let mut spare = None;
    let event: Event<'_> = lax::parse(&frame.data, &mut spare).ok_or(NOT_JSON)?;
    let mut deltas = Vec::new();
    let index = event.index.0;
    // Servers between here and the provider tell errors in a shape of their own.
    let said = event.r#type.text().or_else(|| (!event.error.is_null()).then_some("error"));
    let kind = kind_of(said, frame.event_name(), KINDS)?;
    if !matches!(kind, "ping" | "error") {
        reader.says_kind.keep(said.is_some())?;
    }
    if kind.starts_with("content_block_") {
        reader.says_place.keep(index.is_some())?;
    }
    match kind {
        "content_block_delta" => {
            let last = reader.open.last().map(|open| open.index);
            let index = index.or(last).ok_or(NEVER_BEGAN)?;
            read_step(reader, index, &event.delta.0.ok_or(NO_PIECE)?, &mut deltas)?;
        }
        "content_block_start" => {
            let index = index.unwrap_or(reader.begun);
            check_start(frame)?;
            start(reader, index, &event.content_block.0.ok_or(NO_PIECE)?, &mut deltas)?;
        }
        "content_block_stop" => {
            if index.is_some_and(|index| index >= reader.begun) {
                return Err(NEVER_BEGAN);
            }
            stop(reader, index.unwrap_or(0), &mut deltas);
        }
        "message_start" => {
            let message = event.message.0.unwrap_or_default();
            reader.tail.opened_by(frame);
            reader.answer(0);
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
        "ping" if is_heartbeat(&frame.data) => {}
        "ping" => return Err(NO_KIND),
        // What has the fields of a piece, or comes between pieces, may be what is left of one.
        _ if event.delta.0.is_some() || event.content_block.0.is_some() => return Err(NO_KIND),
        _ if reader.open.iter().any(|open| !matches!(open.kind, Block::Other)) => {
            return Err(NO_KIND);
        }
        _ => {}
    }
    Ok(deltas)
}

// A piece of a kind that its block does not have is one whose kind was damaged.
fn read_step(
    reader: &mut StreamReader,
    index: u64,
    step: &Step<'_>,
    deltas: &mut Vec<Delta>,
) -> Result<(), Why> {
    let open = reader.open.iter().rfind(|open| open.index == index).ok_or(NEVER_BEGAN)?;
    match (step.r#type.text(), &open.kind) {
        (Some("text_delta"), Block::Text { .. }) => {
            reader.text(0, step.text.text().ok_or(NO_PIECE)?, deltas);
        }
        (Some("input_json_delta"), Block::Call { call, .. }) => {
            let call = *call;
            reader.arguments(0, call, step.partial_json.text().ok_or(NO_PIECE)?, deltas);
        }
        (Some("thinking_delta"), Block::Other) => {
            reader.thinking(0, step.thinking.text().ok_or(NO_PIECE)?, deltas);
        }
        (Some("citations_delta"), Block::Text { .. }) => {}
        (Some("text_delta"), _) | (_, Block::Text { .. } | Block::Call { .. }) => {
            return Err(NO_PIECE);
        }
        (_, Block::Other) => {}
    }
    Ok(())
}

// More blocks than this are never open at once; in fact it is one.
const MOST_OPEN: usize = 64;

const BLOCKS: &[&str] = &[
    "text",
    "tool_use",
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "mcp_tool_use",
    "mcp_tool_result",
    "tool_result",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "container_upload",
    "compaction",
    "document",
    "image",
    "search_result",
];
const BLOCK_KEYS: &[&str] = &["type", "text", "thinking", "id", "name", "input"];

// A block may begin with a text or an input; under a damaged name it would be none. Blocks are few, so
// that a tree costs nothing.
fn check_start(frame: &SseFrame) -> Result<(), Why> {
    let event: Value = serde_json::from_slice(&frame.data).map_err(|_| NOT_JSON)?;
    let block = event.get("content_block").and_then(Value::as_object).ok_or(NO_PIECE)?;
    let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_call = block.contains_key("name") && block.contains_key("input");
    if is_call && !BLOCKS.contains(&kind) {
        return Err(NO_KIND);
    }
    if has_damaged_key(block, BLOCK_KEYS) { Err(NO_PIECE) } else { Ok(()) }
}

fn start(
    reader: &mut StreamReader,
    index: u64,
    block: &Start<'_>,
    deltas: &mut Vec<Delta>,
) -> Result<(), Why> {
    let kind = block.r#type.text().filter(|kind| !is_damaged(kind, BLOCKS)).ok_or(NO_KIND)?;
    if index > reader.begun {
        return Err(SKIPPED);
    }
    let kind = match kind {
        "text" => {
            let start = reader.answer(0).map_or(0, |(_, answer)| answer.reply.text.len());
            reader.text(0, block.text.text().unwrap_or_default(), deltas);
            Block::Text { start }
        }
        "tool_use" => {
            let id = block.id.text().unwrap_or_default();
            let name = block.name.text().ok_or(NO_PIECE)?;
            let call = reader.start_call(0, index, (id, name), deltas).ok_or(NO_PIECE)?;
            Block::Call { call, given: given_input(&block.input) }
        }
        "thinking" => {
            reader.thinking(0, block.thinking.text().unwrap_or_default(), deltas);
            Block::Other
        }
        _ => Block::Other,
    };
    reader.begun = reader.begun.max(index + 1);
    reader.open.retain(|open| open.index != index);
    if reader.open.len() < MOST_OPEN {
        reader.open.push(Open { index, kind });
    }
    Ok(())
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
