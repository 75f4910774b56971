//! Frames of OpenAI Responses.
//!
//! In: `response.created` to `response.completed`, `.incomplete` or `.failed`. Out: steps. Never
//! trusts that every text came in pieces: what only an ending event has is a step as well.

use super::super::lax::{self, Lax, LaxText, lax_object};
use super::super::words::UsageForm;
use super::super::{read_reply, reply};
use super::chat::error_message;
use super::{Block, Delta, Dialect, Open, SseFrame, StreamReader, beyond};
use serde::Deserialize;
use serde_json::Value;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Event<'a> {
    #[serde(borrow)]
    r#type: LaxText<'a>,
    output_index: Lax<u64>,
    #[serde(borrow)]
    delta: LaxText<'a>,
    #[serde(borrow)]
    text: LaxText<'a>,
    #[serde(borrow)]
    arguments: LaxText<'a>,
    #[serde(borrow)]
    item: Lax<Item<'a>>,
    #[serde(borrow)]
    part: Lax<Part<'a>>,
    #[serde(borrow)]
    response: Lax<Response<'a>>,
    #[serde(borrow)]
    message: LaxText<'a>,
    error: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Item<'a> {
    #[serde(borrow)]
    r#type: LaxText<'a>,
    #[serde(borrow)]
    id: LaxText<'a>,
    #[serde(borrow)]
    call_id: LaxText<'a>,
    #[serde(borrow)]
    name: LaxText<'a>,
    #[serde(borrow)]
    arguments: LaxText<'a>,
    #[serde(borrow)]
    content: Lax<Vec<Part<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow)]
    r#type: LaxText<'a>,
    #[serde(borrow)]
    text: LaxText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Response<'a> {
    #[serde(borrow)]
    model: LaxText<'a>,
    #[serde(borrow)]
    status: LaxText<'a>,
    #[serde(borrow)]
    incomplete_details: Lax<Incomplete<'a>>,
    usage: Lax<UsageForm>,
    error: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Incomplete<'a> {
    #[serde(borrow)]
    reason: LaxText<'a>,
}

lax_object!(Event<'a>, Item<'a>, Part<'a>, Response<'a>, Incomplete<'a>);

pub(super) fn read(reader: &mut StreamReader, frame: &SseFrame) -> Option<Vec<Delta>> {
    let mut spare = None;
    let event: Event<'_> = lax::parse(&frame.data, &mut spare)?;
    let mut deltas = Vec::new();
    let out = &mut deltas;
    let index = event.output_index.0.unwrap_or(0);
    let delta = event.delta.text().unwrap_or_default();
    match event.r#type.text().or_else(|| frame.event_name())? {
        "response.output_text.delta" => {
            begin_text(reader, index);
            reader.text(0, delta, out);
        }
        "response.function_call_arguments.delta" => {
            if let Some(call) = open_call(reader, index) {
                reader.arguments(0, call, delta, out);
            }
        }
        "response.refusal.delta" | "response.refusal.done" => reader.refused(0),
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            reader.thinking(0, delta, out);
        }
        "response.output_text.done" => end_text(reader, index, event.text.text(), out),
        "response.function_call_arguments.done" => {
            end_call(reader, index, event.arguments.text(), out);
        }
        "response.output_item.added" => add_item(reader, index, &event.item.0?, out),
        "response.output_item.done" => end_item(reader, index, &event.item.0?, out),
        "response.content_part.added" => {
            let part = event.part.0.filter(|part| part.r#type.text() == Some("output_text"))?;
            reader.open.retain(|open| open.index != index);
            begin_text(reader, index);
            reader.text(0, part.text.text().unwrap_or_default(), out);
        }
        "response.content_part.done" => {
            let part = event.part.0.filter(|part| part.r#type.text() == Some("output_text"))?;
            end_text(reader, index, part.text.text(), out);
        }
        "response.created" | "response.in_progress" | "response.queued" => {
            reader.tail.opened_by(frame);
            reader.answer(0)?;
            let response = event.response.0.unwrap_or_default();
            reader.note_model(response.model.filled());
        }
        "response.completed" | "response.incomplete" | "response.failed" => {
            end(reader, frame, event.response.0.unwrap_or_default(), out);
        }
        "error" => {
            let message = event.message.filled().map(str::to_owned);
            let message = message.unwrap_or_else(|| error_message(&event.error));
            out.push(Delta::Error { message });
        }
        _ => {}
    }
    Some(deltas)
}

fn add_item(reader: &mut StreamReader, index: u64, item: &Item<'_>, deltas: &mut Vec<Delta>) {
    reader.open.retain(|open| open.index != index);
    match item.r#type.text() {
        Some("message") => begin_text(reader, index),
        Some("function_call") => {
            let id = item.call_id.filled().or_else(|| item.id.filled()).unwrap_or_default();
            let name = item.name.text().unwrap_or_default();
            let Some(call) = reader.start_call(0, index, (id, name), deltas) else { return };
            open(reader, index, Block::Call { call, given: String::new() });
            reader.arguments(0, call, item.arguments.text().unwrap_or_default(), deltas);
        }
        _ => open(reader, index, Block::Other),
    }
}

fn end_item(reader: &mut StreamReader, index: u64, item: &Item<'_>, deltas: &mut Vec<Delta>) {
    match item.r#type.text() {
        Some("message") => {
            // Parts that ended were taken with their own events; a part that never came at all is
            // taken from here.
            if reader.reply(0).is_none_or(|reply| reply.text.is_empty()) {
                let parts = item.content.0.iter().flatten();
                let texts = parts.filter(|part| part.r#type.text() == Some("output_text"));
                for text in texts.filter_map(|part| part.text.text()) {
                    reader.text(0, text, deltas);
                }
            }
            deltas.push(Delta::BlockEnd { choice: 0, call: None });
        }
        Some("function_call") => {
            if open_call(reader, index).is_none() && !is_known(reader, index) {
                add_item(reader, index, &Item { arguments: Lax(None), ..copy_of(item) }, deltas);
            }
            end_call(reader, index, item.arguments.text(), deltas);
        }
        _ => {}
    }
    reader.open.retain(|open| open.index != index);
}

// What names a call; the rest of an item is not needed to begin it.
fn copy_of<'a>(item: &Item<'a>) -> Item<'a> {
    Item {
        r#type: item.r#type.clone(),
        id: item.id.clone(),
        call_id: item.call_id.clone(),
        name: item.name.clone(),
        ..Item::default()
    }
}

fn is_known(reader: &StreamReader, index: u64) -> bool {
    reader.answers.first().is_some_and(|answer| answer.keys.contains(&index))
}

fn begin_text(reader: &mut StreamReader, index: u64) {
    if reader.open.last().is_some_and(|open| open.index == index) {
        return;
    }
    let start = reader.reply(0).map_or(0, |reply| reply.text.len());
    open(reader, index, Block::Text { start });
}

fn end_text(reader: &mut StreamReader, index: u64, whole: Option<&str>, deltas: &mut Vec<Delta>) {
    begin_text(reader, index);
    let open = reader.open.iter().rfind(|open| open.index == index);
    if let (Some(Block::Text { start }), Some(whole)) = (open.map(|open| &open.kind), whole) {
        let came = reader.reply(0).and_then(|reply| reply.text.get(*start..));
        let rest = beyond(whole, came.unwrap_or_default()).to_owned();
        reader.text(0, &rest, deltas);
    }
    deltas.push(Delta::BlockEnd { choice: 0, call: None });
}

fn end_call(reader: &mut StreamReader, index: u64, whole: Option<&str>, deltas: &mut Vec<Delta>) {
    let Some(call) = open_call(reader, index) else { return };
    let came = reader.reply(0).and_then(|reply| reply.tool_calls.get(call));
    let came = came.map_or("", |came| came.arguments.as_str());
    let rest = beyond(whole.unwrap_or_default(), came).to_owned();
    reader.arguments(0, call, &rest, deltas);
    deltas.push(Delta::BlockEnd { choice: 0, call: Some(call) });
}

fn open_call(reader: &StreamReader, index: u64) -> Option<usize> {
    match reader.open.iter().rfind(|open| open.index == index)?.kind {
        Block::Call { call, .. } => Some(call),
        Block::Text { .. } | Block::Other => None,
    }
}

// More items than this are never open at once; in fact it is one.
const MOST_OPEN: usize = 64;

fn open(reader: &mut StreamReader, index: u64, kind: Block) {
    if reader.open.len() >= MOST_OPEN {
        reader.open.remove(0);
    }
    reader.open.push(Open { index, kind });
}

fn end(
    reader: &mut StreamReader,
    frame: &SseFrame,
    response: Response<'_>,
    deltas: &mut Vec<Delta>,
) {
    reader.note_model(response.model.filled());
    if reader.reply(0).is_none_or(|reply| reply.text.is_empty() && reply.tool_calls.is_empty()) {
        take_whole(reader, frame, deltas);
    }
    if let Some(usage) = response.usage.0 {
        reader.count(usage.counts(Dialect::Responses), deltas);
    }
    if !response.error.is_null() {
        deltas.push(Delta::Error { message: error_message(&response.error) });
    }
    let incomplete = response.incomplete_details.0.unwrap_or_default();
    let calls = reader.reply(0).is_some_and(|reply| !reply.tool_calls.is_empty());
    let status = response.status.text().unwrap_or_default();
    if let Some(reason) = reply::finish_of(status, incomplete.reason.text(), calls) {
        reader.finish(0, reason, deltas);
    }
    deltas.push(Delta::End);
}

// A provider that streams nothing but the whole response.
fn take_whole(reader: &mut StreamReader, frame: &SseFrame, deltas: &mut Vec<Delta>) {
    let Ok(event) = serde_json::from_slice::<Value>(&frame.data) else { return };
    let Some(Ok(replies)) = event.get("response").map(|it| read_reply(Dialect::Responses, it))
    else {
        return;
    };
    for reply in replies {
        if reader.reply(0).is_none_or(|reply| reply.thinking.is_empty()) {
            reader.thinking(0, &reply.thinking, deltas);
        }
        reader.text(0, &reply.text, deltas);
        for (key, call) in (0..).zip(&reply.tool_calls) {
            let names = (call.id.as_str(), call.name.as_str());
            let Some(number) = reader.start_call(0, key, names, deltas) else { continue };
            reader.arguments(0, number, &call.arguments, deltas);
        }
    }
}
