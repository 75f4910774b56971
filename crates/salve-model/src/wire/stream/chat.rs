//! Frames of OpenAI Chat Completions.
//!
//! In: `chat.completion.chunk` objects and `[DONE]`. Out: steps. Never builds a tree for a frame of
//! text: thousands of them go by.

use super::super::lax::{self, Lax, LaxText, Shape, lax_object};
use super::super::words::UsageForm;
use super::sound::{
    HAD_ENDED, NEVER_BEGAN, NO_KIND, NO_PIECE, NOT_JSON, UNLIKE_OTHERS, has_damaged_key,
    is_damaged, is_heartbeat,
};
use super::{Delta, Dialect, SseFrame, StreamReader, Why};
use salve_types::FinishReason;
use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, SeqAccess};
use serde_json::Value;
use std::borrow::Cow;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Chunk<'a> {
    #[serde(borrow)]
    model: LaxText<'a>,
    #[serde(borrow)]
    choices: Lax<Vec<Choice<'a>>>,
    usage: Lax<UsageForm>,
    error: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Choice<'a> {
    index: Lax<u64>,
    #[serde(borrow)]
    delta: Lax<Step<'a>>,
    #[serde(borrow)]
    finish_reason: LaxText<'a>,
}

#[derive(Default)]
struct Step<'a> {
    role: LaxText<'a>,
    content: Lax<Content<'a>>,
    reasoning_content: LaxText<'a>,
    reasoning: LaxText<'a>,
    refusal: LaxText<'a>,
    tool_calls: Lax<Vec<Call<'a>>>,
    function_call: Lax<Function<'a>>,
    // Whether it has a field that is none of these, nor one that vendors are known to add.
    has_more: bool,
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Default, Deserialize)]
#[serde(default)]
struct Call<'a> {
    index: Lax<u64>,
    #[serde(borrow)]
    id: LaxText<'a>,
    #[serde(borrow)]
    r#type: LaxText<'a>,
    #[serde(borrow)]
    function: Lax<Function<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Function<'a> {
    #[serde(borrow)]
    name: LaxText<'a>,
    #[serde(borrow)]
    arguments: LaxText<'a>,
}

// A text, or a list of parts that have one.
struct Content<'a> {
    text: Cow<'a, str>,
    // Whether it came in parts, which are looked at one by one.
    in_parts: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow)]
    text: LaxText<'a>,
}

lax_object!(Chunk<'a>, Choice<'a>, Call<'a>, Function<'a>, Part<'a>);

// Written out, so that a field that cannot be read is noticed without a tree.
impl<'de: 'a, 'a> Shape<'de> for Step<'a> {
    fn of_map<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        let mut step = Self::default();
        while let Some(Key(key)) = map.next_key()? {
            match &*key {
                "role" => step.role = map.next_value()?,
                "content" => step.content = map.next_value()?,
                "reasoning_content" => step.reasoning_content = map.next_value()?,
                "reasoning" => step.reasoning = map.next_value()?,
                "refusal" => step.refusal = map.next_value()?,
                "tool_calls" => step.tool_calls = map.next_value()?,
                "function_call" => step.function_call = map.next_value()?,
                other => {
                    step.has_more |= !ADDED_KEYS.contains(&other);
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Some(step))
    }
}

impl<'de: 'a, 'a> Shape<'de> for Content<'a> {
    fn of_text(text: Cow<'de, str>) -> Option<Self> {
        Some(Self { text, in_parts: false })
    }

    fn of_list<A: SeqAccess<'de>>(list: A) -> Result<Option<Self>, A::Error> {
        let parts = Vec::<Part<'a>>::of_list(list)?.unwrap_or_default();
        let texts = parts.iter().filter_map(|part| part.text.text());
        Ok(Some(Self { text: Cow::Owned(texts.collect()), in_parts: true }))
    }
}

pub(super) fn read(reader: &mut StreamReader, frame: &SseFrame) -> Result<Vec<Delta>, Why> {
    if frame.data.trim_ascii_start().starts_with(b"[DONE]") {
        return Ok(vec![Delta::End]);
    }
    if frame.event_name() == Some("ping") {
        // Clients skip what is called so, and would skip the piece in it.
        return if is_heartbeat(&frame.data) { Ok(Vec::new()) } else { Err(NO_KIND) };
    }
    let mut spare = None;
    let chunk: Chunk<'_> = lax::parse(&frame.data, &mut spare).ok_or(NOT_JSON)?;
    let mut deltas = Vec::new();
    if !chunk.error.is_null() {
        deltas.push(Delta::Error { message: error_message(&chunk.error) });
        return Ok(deltas);
    }
    check(reader, &chunk, frame)?;
    reader.tail.opened_by(frame);
    reader.note_model(chunk.model.filled());
    for choice in chunk.choices.0.unwrap_or_default() {
        read_choice(reader, choice, &mut deltas);
    }
    if let Some(usage) = chunk.usage.0 {
        reader.count(usage.counts(Dialect::Chat), &mut deltas);
    }
    Ok(deltas)
}

// Frames of text are proven by what was read of them; the few others are looked at as a whole.
fn check(reader: &mut StreamReader, chunk: &Chunk<'_>, frame: &SseFrame) -> Result<(), Why> {
    let choices = chunk.choices.0.as_deref().unwrap_or_default();
    for choice in choices {
        let index = usize::try_from(choice.index.0.unwrap_or(0)).unwrap_or(usize::MAX);
        if index >= reader.choices {
            return Err(NEVER_BEGAN);
        }
        let calls = choice.delta.0.as_ref().and_then(|step| step.tool_calls.0.as_deref());
        if calls.unwrap_or_default().iter().any(|call| goes_on_from_nothing(reader, index, call)) {
            return Err(NEVER_BEGAN);
        }
        if calls.unwrap_or_default().iter().any(|call| goes_on_after_its_end(reader, index, call)) {
            return Err(HAD_ENDED);
        }
        if calls.unwrap_or_default().iter().any(|call| lost_its_number(reader, index, call)) {
            return Err(UNLIKE_OTHERS);
        }
    }
    if !choices.is_empty() && choices.iter().all(bears) {
        return Ok(());
    }
    let value: Value = serde_json::from_slice(&frame.data).map_err(|_| NOT_JSON)?;
    if is_sound_chunk(&value) && note_strange_keys(reader, &value) { Ok(()) } else { Err(NO_PIECE) }
}

// More fields than this that are not known are not remembered.
const MOST_STRANGE: usize = 32;

// A field that is not known, with a text or a list and nothing else beside it, may be a vendor's own,
// or the piece of an answer whose name is lost. Vendors send theirs before the answer as well, so
// that one which is new in the middle of an answer is believed to be a piece.
fn note_strange_keys(reader: &mut StreamReader, chunk: &Value) -> bool {
    let choices = chunk.get("choices").and_then(Value::as_array).into_iter().flatten();
    let steps = choices.filter_map(|choice| choice.get("delta")?.as_object());
    let replies = || reader.answers.iter().map(|answer| &answer.reply);
    let in_answer = replies().any(|it| !it.text.is_empty() || !it.tool_calls.is_empty());
    for step in steps {
        if PIECE_KEYS.iter().any(|key| step.contains_key(*key)) {
            continue;
        }
        for (key, value) in step {
            let may_be_piece = match value {
                Value::String(text) => !text.is_empty(),
                Value::Array(list) => !list.is_empty(),
                _ => false,
            };
            let known = STEP_KEYS.contains(&key.as_str()) || ADDED_KEYS.contains(&key.as_str());
            if known || !may_be_piece || reader.strange_keys.contains(key) {
                continue;
            }
            if in_answer {
                return false;
            }
            if reader.strange_keys.len() < MOST_STRANGE {
                reader.strange_keys.push(key.clone());
            }
        }
    }
    true
}

// Whether all that a choice can say was read of it.
fn bears(choice: &Choice<'_>) -> bool {
    let Some(step) = &choice.delta.0 else { return false };
    // What begins a call has more names that may be damaged.
    let is_piece = |call: &Call<'_>| {
        let function = call.function.0.as_ref();
        call.id.filled().is_none()
            && function.is_some_and(|it| it.arguments.filled().is_some() && it.name.0.is_none())
    };
    if step.has_more || step.content.0.as_ref().is_some_and(|content| content.in_parts) {
        return false;
    }
    let text = step.content.0.as_ref().is_some_and(|content| !content.text.is_empty());
    let thought = step.reasoning_content.filled().or_else(|| step.reasoning.filled());
    match step.tool_calls.0.as_deref() {
        None | Some([]) => text || thought.is_some(),
        Some(calls) => calls.iter().all(is_piece),
    }
}

// Arguments of a call whose beginning never came, and that is not of another kind.
fn goes_on_from_nothing(reader: &StreamReader, choice: usize, call: &Call<'_>) -> bool {
    let function = call.function.0.as_ref();
    let says = function.is_some_and(|function| function.arguments.filled().is_some());
    let begins =
        call.id.filled().is_some() || function.is_some_and(|it| it.name.filled().is_some());
    let known = reader.answers.get(choice).is_some_and(|answer| match call.index.0 {
        Some(index) => answer.keys.contains(&index) || answer.keys.len() >= super::MOST_CALLS,
        None => !answer.keys.is_empty(),
    });
    says && !begins && !known
}

// Arguments without the number that their call began with: clients would add them to another one.
fn lost_its_number(reader: &StreamReader, choice: usize, call: &Call<'_>) -> bool {
    let name = call.function.0.as_ref().and_then(|function| function.name.filled());
    let begins = call.id.filled().is_some() || name.is_some();
    let last = reader.answers.get(choice).and_then(|answer| answer.keys.last());
    call.index.0.is_none() && !begins && last.is_some_and(|key| *key != UNNUMBERED)
}

// Arguments of a call that are whole already, after another one began: their number is damaged.
fn goes_on_after_its_end(reader: &StreamReader, choice: usize, call: &Call<'_>) -> bool {
    let (Some(index), Some(answer)) = (call.index.0, reader.answers.get(choice)) else {
        return false;
    };
    let at = answer.keys.iter().rposition(|key| *key == index);
    let earlier = at.filter(|at| at + 1 < answer.keys.len() && call.id.filled().is_none());
    let says = call.function.0.as_ref().and_then(|it| it.arguments.filled());
    let says = says.is_some_and(|arguments| !arguments.trim().is_empty());
    let came = earlier.filter(|_| says).and_then(|at| answer.reply.tool_calls.get(at));
    came.is_some_and(|came| serde_json::from_str::<IgnoredAny>(&came.arguments).is_ok())
}

// The number of a call that has none.
const UNNUMBERED: u64 = u64::MAX;

const STEP_KEYS: &[&str] = &[
    "role",
    "content",
    "reasoning_content",
    "reasoning",
    "refusal",
    "tool_calls",
    "function_call",
];
// Those of them that hold pieces.
const PIECE_KEYS: &[&str] = &["content", "tool_calls", "function_call"];
// What vendors are known to add to a step besides.
const ADDED_KEYS: &[&str] = &[
    "annotations",
    "audio",
    "channel",
    "citations",
    "executed_tools",
    "extra_content",
    "image",
    "images",
    "index",
    "logprobs",
    "name",
    "obfuscation",
    "phase",
    "provider_specific_fields",
    "reasoning_details",
    "reasoning_opaque",
    "reasoning_text",
    "search_results",
    "signature",
    "thinking",
    "thinking_blocks",
    "thought",
    "thought_signature",
    "thoughts",
    "tool_call_id",
    "video",
];
const CHOICE_KEYS: &[&str] = &["index", "delta", "finish_reason"];
const CALL_KEYS: &[&str] = &["index", "id", "type", "function"];
const FUNCTION_KEYS: &[&str] = &["name", "arguments"];
const PART_KEYS: &[&str] = &["type", "text"];
const PARTS: &[&str] = &[
    "text",
    "output_text",
    "thinking",
    "refusal",
    "image",
    "image_url",
    "video_url",
    "input_audio",
    "audio",
    "reference",
];

fn is_sound_chunk(chunk: &Value) -> bool {
    match chunk.get("choices") {
        Some(Value::Array(choices)) => choices.iter().all(is_sound_choice),
        // What was counted may come in a frame of its own. A list beside it may be the choices under
        // a name that was damaged: some servers count in every frame.
        Some(Value::Null) | None => {
            let lists = chunk.as_object().into_iter().flatten().filter(|(_, it)| it.is_array());
            chunk.get("usage").is_some_and(Value::is_object) && lists.count() == 0
        }
        Some(_) => false,
    }
}

fn is_sound_choice(choice: &Value) -> bool {
    let Some(choice) = choice.as_object() else { return false };
    match choice.get("delta") {
        Some(Value::Object(step)) => {
            let calls = match step.get("tool_calls") {
                Some(Value::Array(calls)) => calls.iter().all(is_sound_call),
                calls => calls.is_none_or(Value::is_null),
            };
            let older = step.get("function_call").is_none_or(is_sound_function);
            let content = match step.get("content") {
                Some(Value::Array(parts)) => parts.iter().all(is_sound_part),
                content => content.is_none_or(|it| it.is_null() || it.is_string()),
            };
            // Documents that an answer draws on are an object, and no damaged content.
            let added = |(key, value): (&String, &Value)| {
                ADDED_KEYS.contains(&key.as_str()) || key == "context" && value.is_object()
            };
            let damaged =
                |entry: (&String, &Value)| !added(entry) && is_damaged(entry.0, STEP_KEYS);
            calls && older && content && !step.iter().any(damaged)
        }
        // Reasons and notes of a filter come without a step.
        Some(Value::Null) | None => {
            let says = |(key, value): (&String, &Value)| {
                key.starts_with("content_filter") || key == "finish_reason" && value.is_string()
            };
            let may_be_step = |(key, value): (&String, &Value)| {
                let known = key.starts_with("content_filter") || key == "logprobs";
                value.is_object() && !known && key != "message"
            };
            choice.iter().any(says)
                && !choice.iter().any(may_be_step)
                && !has_damaged_key(choice, CHOICE_KEYS)
        }
        Some(_) => false,
    }
}

// A part of text has one; a part of another kind says which.
fn is_sound_part(part: &Value) -> bool {
    let Some(part) = part.as_object() else { return false };
    let kind = part.get("type").and_then(Value::as_str);
    match part.get("text") {
        Some(text) => text.is_string(),
        None => {
            let other = kind.filter(|kind| !matches!(*kind, "text" | "output_text"));
            other.is_some_and(|kind| !is_damaged(kind, PARTS)) && !has_damaged_key(part, PART_KEYS)
        }
    }
}

// Calls of another kind than functions say so.
fn is_sound_call(call: &Value) -> bool {
    let Some(call) = call.as_object() else { return false };
    let other = call.get("type").and_then(Value::as_str).is_some_and(|kind| kind != "function");
    let sound = match call.get("function") {
        Some(function) => is_sound_function(function),
        None => other || call.contains_key("custom"),
    };
    sound && !has_damaged_key(call, CALL_KEYS)
}

fn is_sound_function(function: &Value) -> bool {
    let Some(function) = function.as_object() else { return function.is_null() };
    let is_text = |key: &str| function.get(key).is_none_or(|it| it.is_null() || it.is_string());
    is_text("name") && is_text("arguments") && !has_damaged_key(function, FUNCTION_KEYS)
}

fn read_choice(reader: &mut StreamReader, choice: Choice<'_>, deltas: &mut Vec<Delta>) {
    let index = choice.index.0.unwrap_or(0);
    let step = choice.delta.0.unwrap_or_default();
    if step.role.filled().is_some() {
        reader.tail.role_said(index);
    }
    if let Some(thought) = step.reasoning_content.filled().or_else(|| step.reasoning.filled()) {
        reader.thinking(index, thought, deltas);
    }
    if let Some(content) = step.content.0 {
        reader.text(index, &content.text, deltas);
    }
    for call in step.tool_calls.0.unwrap_or_default() {
        read_call(reader, index, &call, deltas);
    }
    if let Some(function) = step.function_call.0 {
        // The older form: one call without an id.
        reader.tail.uses_older_calls();
        let call = Call { function: Lax(Some(function)), ..Call::default() };
        read_call(reader, index, &call, deltas);
    }
    if step.refusal.filled().is_some() {
        reader.refused(index);
    }
    if let Some(reason) = choice.finish_reason.filled() {
        reader.finish(index, FinishReason::from_name(reason), deltas);
    }
}

fn read_call(reader: &mut StreamReader, choice: u64, call: &Call<'_>, deltas: &mut Vec<Delta>) {
    // Custom tools take free text, which cannot be proven whole. What has a function is a call of
    // one, whatever its kind says: a kind that was damaged must not hide it.
    let other = call.r#type.filled().is_some_and(|kind| kind != "function");
    if other && call.function.0.is_none() {
        return;
    }
    let id = call.id.filled().unwrap_or_default();
    let function = call.function.0.as_ref();
    let name = function.and_then(|function| function.name.filled()).unwrap_or_default();
    let Some(number) = known_call(reader, choice, call, id, name).or_else(|| {
        // Arguments of a call that never began belong to something that is not a function.
        let begins = !(id.is_empty() && name.is_empty());
        let key = call.index.0.unwrap_or(UNNUMBERED);
        begins.then(|| reader.start_call(choice, key, (id, name), deltas)).flatten()
    }) else {
        return;
    };
    let arguments = function.and_then(|function| function.arguments.filled());
    reader.arguments(choice, number, arguments.unwrap_or_default(), deltas);
}

// Some providers number every call 0, or none at all: another id with a name is another call.
fn known_call(
    reader: &mut StreamReader,
    choice: u64,
    call: &Call<'_>,
    id: &str,
    name: &str,
) -> Option<usize> {
    let (_, answer) = reader.answer(choice)?;
    let number = match call.index.0 {
        Some(index) => answer.keys.iter().rposition(|key| *key == index)?,
        None => answer.keys.len().checked_sub(1)?,
    };
    let known = answer.reply.tool_calls.get_mut(number)?;
    if known.id.is_empty() {
        id.clone_into(&mut known.id);
    } else if !id.is_empty() && known.id != id && !name.is_empty() {
        return None;
    }
    if known.name.is_empty() {
        name.clone_into(&mut known.name);
    }
    Some(number)
}

/// Returns what an error object says.
pub(in super::super) fn error_message(error: &Value) -> String {
    let message = error.get("message").or(Some(error)).and_then(Value::as_str);
    message.map_or_else(|| error.to_string(), str::to_owned)
}
