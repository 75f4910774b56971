//! Frames of OpenAI Chat Completions.
//!
//! In: `chat.completion.chunk` objects and `[DONE]`. Out: steps. Never builds a tree for a frame of
//! text: thousands of them go by.

use super::super::lax::{self, Lax, LaxText, Shape, lax_object};
use super::super::words::UsageForm;
use super::{Delta, Dialect, SseFrame, StreamReader};
use salve_types::FinishReason;
use serde::Deserialize;
use serde::de::SeqAccess;
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

#[derive(Default, Deserialize)]
#[serde(default)]
struct Step<'a> {
    #[serde(borrow)]
    role: LaxText<'a>,
    #[serde(borrow)]
    content: Lax<Content<'a>>,
    #[serde(borrow)]
    reasoning_content: LaxText<'a>,
    #[serde(borrow)]
    reasoning: LaxText<'a>,
    #[serde(borrow)]
    refusal: LaxText<'a>,
    #[serde(borrow)]
    tool_calls: Lax<Vec<Call<'a>>>,
    #[serde(borrow)]
    function_call: Lax<Function<'a>>,
}

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
struct Content<'a>(Cow<'a, str>);

#[derive(Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow)]
    text: LaxText<'a>,
}

lax_object!(Chunk<'a>, Choice<'a>, Step<'a>, Call<'a>, Function<'a>, Part<'a>);

impl<'de: 'a, 'a> Shape<'de> for Content<'a> {
    fn of_text(text: Cow<'de, str>) -> Option<Self> {
        Some(Self(text))
    }

    fn of_list<A: SeqAccess<'de>>(list: A) -> Result<Option<Self>, A::Error> {
        let parts = Vec::<Part<'a>>::of_list(list)?.unwrap_or_default();
        let texts = parts.iter().filter_map(|part| part.text.text());
        Ok(Some(Self(Cow::Owned(texts.collect()))))
    }
}

pub(super) fn read(reader: &mut StreamReader, frame: &SseFrame) -> Option<Vec<Delta>> {
    if frame.data.trim_ascii_start().starts_with(b"[DONE]") {
        return Some(vec![Delta::End]);
    }
    let mut spare = None;
    let chunk: Chunk<'_> = lax::parse(&frame.data, &mut spare)?;
    let mut deltas = Vec::new();
    if !chunk.error.is_null() {
        deltas.push(Delta::Error { message: error_message(&chunk.error) });
        return Some(deltas);
    }
    reader.tail.opened_by(frame);
    reader.note_model(chunk.model.filled());
    for choice in chunk.choices.0.unwrap_or_default() {
        read_choice(reader, choice, &mut deltas);
    }
    if let Some(usage) = chunk.usage.0 {
        reader.count(usage.counts(Dialect::Chat), &mut deltas);
    }
    Some(deltas)
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
    if let Some(Content(text)) = step.content.0 {
        reader.text(index, &text, deltas);
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
    // Custom tools take free text, which nobody can prove whole.
    if call.r#type.filled().is_some_and(|kind| kind != "function") {
        return;
    }
    let id = call.id.filled().unwrap_or_default();
    let function = call.function.0.as_ref();
    let name = function.and_then(|function| function.name.filled()).unwrap_or_default();
    let Some(number) = known_call(reader, choice, call, id, name).or_else(|| {
        // Arguments of a call that never began belong to something that is not a function.
        let begins = !(id.is_empty() && name.is_empty());
        let key = call.index.0.unwrap_or(u64::MAX);
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
