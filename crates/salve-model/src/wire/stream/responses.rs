//! Frames of OpenAI Responses.
//!
//! In: `response.created` to `response.completed`, `.incomplete` or `.failed`. Out: steps. Never
//! trusts that every text came in pieces: what only an ending event has is a step as well, and pieces
//! that are not the text that ended are lost.

use super::super::lax::{self, Lax, LaxText, lax_object};
use super::super::words::UsageForm;
use super::super::{read_reply, reply};
use super::chat::error_message;
use super::sound::{
    CONTRADICTED, NEVER_BEGAN, NO_KIND, NO_PIECE, NOT_JSON, SKIPPED, is_damaged, is_heartbeat,
    kind_of,
};
use super::{Block, Delta, Dialect, Open, SseFrame, StreamReader, Why, beyond};
use serde::Deserialize;
use serde_json::Value;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Event<'a> {
    #[serde(borrow)]
    r#type: LaxText<'a>,
    sequence_number: Lax<u64>,
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

const KINDS: &[&str] = &[
    "response.output_text.delta",
    "response.output_text.done",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.refusal.delta",
    "response.refusal.done",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_part.done",
    "response.reasoning_summary_text.delta",
    "response.reasoning_summary_text.done",
    "response.reasoning_summary.delta",
    "response.reasoning_summary.done",
    "response.reasoning_text.delta",
    "response.reasoning_text.done",
    "response.reasoning.delta",
    "response.reasoning.done",
    "response.output_text.annotation.added",
    "response.custom_tool_call_input.delta",
    "response.custom_tool_call_input.done",
    "response.mcp_call_arguments.delta",
    "response.mcp_call_arguments.done",
    "response.mcp_call.in_progress",
    "response.mcp_call.completed",
    "response.mcp_call.failed",
    "response.mcp_list_tools.in_progress",
    "response.mcp_list_tools.completed",
    "response.mcp_list_tools.failed",
    "response.web_search_call.in_progress",
    "response.web_search_call.searching",
    "response.web_search_call.completed",
    "response.file_search_call.in_progress",
    "response.file_search_call.searching",
    "response.file_search_call.completed",
    "response.code_interpreter_call.in_progress",
    "response.code_interpreter_call.interpreting",
    "response.code_interpreter_call.completed",
    "response.code_interpreter_call_code.delta",
    "response.code_interpreter_call_code.done",
    "response.image_generation_call.in_progress",
    "response.image_generation_call.generating",
    "response.image_generation_call.partial_image",
    "response.image_generation_call.completed",
    "response.apply_patch_call_operation_diff.delta",
    "response.apply_patch_call_operation_diff.done",
    "response.shell_call_command.added",
    "response.shell_call_command.delta",
    "response.shell_call_command.done",
    "response.audio.delta",
    "response.audio.done",
    "response.audio.transcript.delta",
    "response.audio.transcript.done",
    "response.done",
    "response.output_item.added",
    "response.output_item.done",
    "response.content_part.added",
    "response.content_part.done",
    "response.created",
    "response.in_progress",
    "response.queued",
    "response.completed",
    "response.incomplete",
    "response.failed",
    "error",
    "ping",
    "keepalive",
];

/// How the events of a stream are numbered. Numbers are believed once two of them followed each
/// other: some servers count in ways of their own. One event without its number, or with a wrong one,
/// may be damaged and says nothing about the others; a second one does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Numbers {
    Begun { last: Option<u64>, doubted: bool },
    // Whether every event so far had a number.
    Counting { last: u64, all: bool },
    Unused,
}

impl Default for Numbers {
    fn default() -> Self {
        Self::Begun { last: None, doubted: false }
    }
}

impl Numbers {
    fn take(&mut self, number: Option<u64>, kind: &str) -> Result<(), Why> {
        let (next, skipped) = match (*self, number) {
            (_, None) if matches!(kind, "ping" | "keepalive" | "error") => (*self, false),
            (Self::Begun { last: None, doubted }, Some(number)) => {
                (Self::Begun { last: Some(number), doubted }, false)
            }
            (Self::Begun { last: Some(last), doubted }, Some(number))
                if number == last.saturating_add(1) =>
            {
                (Self::Counting { last: number, all: !doubted }, false)
            }
            (Self::Begun { last, doubted: false }, number) => {
                (Self::Begun { last: number.or(last), doubted: true }, false)
            }
            // A number that is too small is a wrong one; the event itself is there.
            (Self::Counting { last, all }, Some(number)) => {
                let due = last.saturating_add(1);
                (Self::Counting { last: number.max(due), all }, number > due)
            }
            (Self::Counting { all, .. }, None) => (*self, all),
            (Self::Begun { doubted: true, .. } | Self::Unused, _) => (Self::Unused, false),
        };
        *self = next;
        if skipped { Err(SKIPPED) } else { Ok(()) }
    }
}

pub(super) fn read(reader: &mut StreamReader, frame: &SseFrame) -> Result<Vec<Delta>, Why> {
    let mut spare = None;
    let event: Event<'_> = lax::parse(&frame.data, &mut spare).ok_or(NOT_JSON)?;
    let mut deltas = Vec::new();
    let out = &mut deltas;
    let index = event.output_index.0.unwrap_or(0);
    // Servers between here and the provider tell errors in a shape of their own.
    let said = event.r#type.text().or_else(|| (!event.error.is_null()).then_some("error"));
    let kind = kind_of(said, frame.event_name(), KINDS)?;
    reader.numbers.take(event.sequence_number.0, kind)?;
    if !matches!(kind, "ping" | "keepalive" | "error") {
        reader.says_kind.keep(said.is_some())?;
    }
    if PLACED.contains(&kind) {
        reader.says_place.keep(event.output_index.0.is_some())?;
    }
    let delta = event.delta.text();
    match kind {
        "response.output_text.delta" => {
            let delta = delta.ok_or(NO_PIECE)?;
            begin_text(reader, index);
            reader.text(0, delta, out);
        }
        "response.function_call_arguments.delta" => {
            let call = open_call(reader, index).ok_or(NEVER_BEGAN)?;
            reader.arguments(0, call, delta.ok_or(NO_PIECE)?, out);
        }
        "response.refusal.delta" | "response.refusal.done" => reader.refused(0),
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            reader.thinking(0, delta.ok_or(NO_PIECE)?, out);
        }
        "response.output_text.done" => end_text(reader, index, event.text.text(), out)?,
        "response.function_call_arguments.done" => {
            end_call(reader, index, event.arguments.text(), out)?;
        }
        "response.output_item.added" => {
            add_item(reader, index, &event.item.0.ok_or(NO_PIECE)?, out)?;
        }
        "response.output_item.done" => {
            end_item(reader, index, &event.item.0.ok_or(NO_PIECE)?, out)?;
        }
        "response.content_part.added" => {
            let part = event.part.0.ok_or(NO_PIECE)?;
            if is_text(&part)? {
                reader.open.retain(|open| open.index != index);
                begin_text(reader, index);
                reader.text(0, part.text.text().unwrap_or_default(), out);
            }
        }
        "response.content_part.done" => {
            let part = event.part.0.ok_or(NO_PIECE)?;
            if is_text(&part)? {
                end_text(reader, index, part.text.text(), out)?;
            }
        }
        "response.created" | "response.in_progress" | "response.queued" => {
            reader.tail.opened_by(frame);
            reader.answer(0);
            let response = event.response.0.unwrap_or_default();
            reader.note_model(response.model.filled());
        }
        "response.completed" | "response.incomplete" | "response.failed" => {
            end(reader, frame, event.response.0.ok_or(NO_PIECE)?, out);
        }
        "error" => {
            let message = event.message.filled().map(str::to_owned);
            let message = message.unwrap_or_else(|| error_message(&event.error));
            out.push(Delta::Error { message });
        }
        "ping" | "keepalive" if !is_heartbeat(&frame.data) => return Err(NO_KIND),
        // What comes between pieces, and is not known, may be what is left of one; numbers prove the
        // others to be there.
        kind if !KINDS.contains(&kind)
            && is_being_read(reader)
            && (delta.is_some() || !matches!(reader.numbers, Numbers::Counting { .. })) =>
        {
            return Err(NO_KIND);
        }
        _ => {}
    }
    Ok(deltas)
}

// Events of the items that are read here.
const PLACED: &[&str] = &[
    "response.output_text.delta",
    "response.output_text.done",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.output_item.added",
    "response.output_item.done",
    "response.content_part.added",
    "response.content_part.done",
];
const PARTS: &[&str] = &["output_text", "refusal", "reasoning_text", "summary_text"];
const ITEMS: &[&str] = &[
    "message",
    "function_call",
    "function_call_output",
    "reasoning",
    "compaction",
    "custom_tool_call",
    "mcp_call",
    "mcp_list_tools",
    "mcp_approval_request",
    "web_search_call",
    "file_search_call",
    "computer_call",
    "code_interpreter_call",
    "image_generation_call",
    "local_shell_call",
    "shell_call",
    "shell_call_output",
    "apply_patch_call",
    "apply_patch_call_output",
    "tool_search_call",
    "tool_search_output",
];

// Whether a part is text; one of a damaged kind is neither.
fn is_text(part: &Part<'_>) -> Result<bool, Why> {
    let kind = part.r#type.text().filter(|kind| !is_damaged(kind, PARTS)).ok_or(NO_KIND)?;
    Ok(kind == "output_text")
}

fn add_item(
    reader: &mut StreamReader,
    index: u64,
    item: &Item<'_>,
    deltas: &mut Vec<Delta>,
) -> Result<(), Why> {
    let kind = item.r#type.text().filter(|kind| !is_damaged(kind, ITEMS)).ok_or(NO_KIND)?;
    reader.open.retain(|open| open.index != index);
    match kind {
        "message" => begin_text(reader, index),
        "function_call" => {
            let id = item.call_id.filled().or_else(|| item.id.filled()).unwrap_or_default();
            let name = item.name.text().ok_or(NO_PIECE)?;
            let call = reader.start_call(0, index, (id, name), deltas).ok_or(NO_PIECE)?;
            open(reader, index, Block::Call { call, given: String::new() });
            reader.arguments(0, call, item.arguments.text().unwrap_or_default(), deltas);
        }
        _ => open(reader, index, Block::Other),
    }
    Ok(())
}

fn end_item(
    reader: &mut StreamReader,
    index: u64,
    item: &Item<'_>,
    deltas: &mut Vec<Delta>,
) -> Result<(), Why> {
    match item.r#type.text().filter(|kind| !is_damaged(kind, ITEMS)).ok_or(NO_KIND)? {
        "message" => {
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
        "function_call" => {
            if open_call(reader, index).is_none() && !is_known(reader, index) {
                add_item(reader, index, &Item { arguments: Lax(None), ..copy_of(item) }, deltas)?;
            }
            end_call(reader, index, item.arguments.text(), deltas)?;
        }
        _ => {}
    }
    reader.open.retain(|open| open.index != index);
    Ok(())
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

fn end_text(
    reader: &mut StreamReader,
    index: u64,
    whole: Option<&str>,
    deltas: &mut Vec<Delta>,
) -> Result<(), Why> {
    let so_far = reader.reply(0).map_or("", |reply| reply.text.as_str());
    let start = reader.open.iter().rfind(|open| open.index == index).map(|open| &open.kind);
    let start = match start {
        Some(Block::Text { start }) => Some(*start),
        // The end of a text that came under another number.
        None if whole.is_some_and(|whole| so_far.ends_with(whole)) => None,
        None => Some(so_far.len()),
        Some(Block::Call { .. } | Block::Other) => None,
    };
    if let (Some(start), Some(whole)) = (start, whole) {
        let came = so_far.get(start..).unwrap_or_default();
        match beyond(whole, came) {
            Ok(rest) if is_missing(reader, rest, came) => return Err(SKIPPED),
            Ok(rest) => {
                let rest = rest.to_owned();
                begin_text(reader, index);
                reader.text(0, &rest, deltas);
            }
            // Some servers tell the end without the blanks around it.
            Err(_) if whole.trim() == so_far.get(start..).unwrap_or_default().trim() => {}
            Err(shared) => {
                let (_, answer) = reader.answer(0).ok_or(CONTRADICTED)?;
                answer.reply.text.truncate(start + shared);
                return Err(CONTRADICTED);
            }
        }
    }
    deltas.push(Delta::BlockEnd { choice: 0, call: None });
    Ok(())
}

fn end_call(
    reader: &mut StreamReader,
    index: u64,
    whole: Option<&str>,
    deltas: &mut Vec<Delta>,
) -> Result<(), Why> {
    let Some(call) = open_call(reader, index) else { return Ok(()) };
    let came = reader.reply(0).and_then(|reply| reply.tool_calls.get(call));
    let came = came.map_or("", |came| came.arguments.as_str());
    let whole = whole.unwrap_or_default();
    match beyond(whole, came) {
        Ok(rest) if is_missing(reader, rest, came) => return Err(SKIPPED),
        Ok(rest) => {
            let rest = rest.to_owned();
            reader.arguments(0, call, &rest, deltas);
        }
        // Some servers write the arguments anew at the end.
        Err(_) if is_same_json(whole, came) => {}
        Err(shared) => {
            let (_, answer) = reader.answer(0).ok_or(CONTRADICTED)?;
            if let Some(call) = answer.reply.tool_calls.get_mut(call) {
                call.arguments.truncate(shared);
            }
            return Err(CONTRADICTED);
        }
    }
    deltas.push(Delta::BlockEnd { choice: 0, call: Some(call) });
    Ok(())
}

// Whether a client lacks a piece: it joins the pieces that came, and has no more than they are. A server
// that sends no pieces at all says everything at the end.
fn is_missing(reader: &StreamReader, rest: &str, came: &str) -> bool {
    reader.for_client && !rest.trim().is_empty() && !came.is_empty()
}

fn is_same_json(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    read(one).is_some_and(|one| Some(one) == read(other))
}

fn is_being_read(reader: &StreamReader) -> bool {
    reader.open.iter().any(|open| !matches!(open.kind, Block::Other))
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
