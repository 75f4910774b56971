//! The answer of a turn, as fields.
//!
//! In: the text of an answer, and whether it was proven whole. Out: what is certain in it, and the texts
//! that people see where it is not whole. Never a value that was cut or closed by a repair, and nothing to
//! apply or to run of an answer that is not whole or that lost a secret on its way to the store.

mod banner;
mod lenient;
mod marked;
#[cfg(test)]
mod tests;
mod word_for_word;

pub use banner::{CONTINUE_LABEL, RETRY_LABEL, blocked_banner, recovery_banner};

use super::images::GeneratedImage;
use marked::marked_commands;
use salve_text::{ChatStage, RecoveredChat, SchemaError, SchemaName, has_redaction, recover_chat};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use word_for_word::is_said_in;

/// How an answer was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerStage {
    /// It was valid as it is, or plain text.
    #[default]
    Direct,
    /// It was valid after repairs that touched no content.
    Repaired,
    /// A model wrote it again; its content is that of the answer all the same.
    ModelCleaned,
    /// Only parts of it could be read.
    Recovered,
}

/// What is certain in an answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[must_use]
pub struct ChatAnswer {
    /// How it was read.
    pub stage: AnswerStage,
    /// Whether parts may be missing; then nothing of it may be applied or run.
    pub recovered: bool,
    /// The summary, if all of it arrived.
    pub summary: Option<String>,
    /// What there is of a summary whose end is not certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary_fragment: Option<String>,
    /// The sections, each with its heading.
    pub sections: Vec<AnswerSection>,
    /// The tasks it lists. Changes name them by their place here, so that empty ones stay.
    pub todos: Vec<ClaimedTodo>,
    /// The changes, as they were written.
    pub file_changes: Vec<Value>,
    /// The commands it proposes, in the list and in the text.
    pub commands: Vec<SuggestedCommand>,
    /// What the user may ask next.
    pub next_steps: Vec<SuggestedStep>,
    /// Hash per path, as the model echoes it.
    pub file_hashes: BTreeMap<String, String>,
    /// A whole answer that has no fields at all: its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain_text: Option<String>,
    /// Whether a secret was taken out of a change or a command: then it is not what the model wrote.
    pub redacted_in_action: bool,
    /// The images that were made. No text of a model says so: the turn does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub generated_images: Vec<GeneratedImage>,
}

/// A part of an answer under a heading.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AnswerSection {
    /// The heading.
    pub heading: String,
    /// The text.
    pub content: String,
}

/// A task as an answer lists it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ClaimedTodo {
    /// What is to be done.
    pub text: String,
    /// Whether the model says that it is done. It proves nothing.
    pub completed: bool,
}

/// A command that an answer proposes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SuggestedCommand {
    /// The line.
    pub command: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where it is to run, relative to the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// Something that the user may ask next.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SuggestedStep {
    /// The label. It is text of a model: a page shows it as text.
    pub html: String,
    /// What it puts into the input.
    pub input_text: String,
    /// Whether it was written as a plain string, as older prompts asked for.
    #[serde(default)]
    pub legacy: bool,
}

/// A change that says which task it completes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TodoLink {
    /// The file, as the answer writes it.
    pub path: String,
    /// The place of the task, from 0.
    pub todo_index: u64,
}

/// Reads an answer. `whole` says that nothing proves it incomplete; without that it is shown only.
pub fn read_answer(text: &str, whole: bool) -> ChatAnswer {
    // The built-in schema compiles; its tests hold that.
    let Ok(chat) = read_fields(text, whole) else {
        return ChatAnswer {
            stage: AnswerStage::Recovered,
            recovered: true,
            ..ChatAnswer::default()
        };
    };
    if whole && is_plain(text, &chat) {
        let commands = marked_commands(text);
        return ChatAnswer {
            redacted_in_action: has_redaction(text),
            plain_text: Some(text.to_owned()),
            commands,
            ..ChatAnswer::default()
        };
    }
    let mut answer = from_fields(chat);
    if !whole {
        (answer.stage, answer.recovered) = (AnswerStage::Recovered, true);
    }
    answer
}

// What is whole and says "nothing" in its own way is read all the same.
fn read_fields(text: &str, whole: bool) -> Result<RecoveredChat, SchemaError> {
    let chat = recover_chat(text)?;
    if !whole || chat.stage != ChatStage::Recovered {
        return Ok(chat);
    }
    let Some(in_form) = lenient::in_form(text) else { return Ok(chat) };
    let read = recover_chat(&in_form)?;
    if read.stage == ChatStage::Recovered {
        return Ok(chat);
    }
    Ok(RecoveredChat { stage: ChatStage::Repaired, ..read })
}

/// Reads an answer that a model wrote again from `original`, because that could not be read.
///
/// What it adds to a change or a command is not the answer's: then it is shown only.
pub fn read_cleaned(original: &str, cleaned: &str, whole: bool) -> ChatAnswer {
    let mut answer = read_answer(cleaned, whole);
    if answer.recovered || answer.plain_text.is_some() {
        return ChatAnswer { stage: AnswerStage::Recovered, recovered: true, ..answer };
    }
    answer.stage = AnswerStage::ModelCleaned;
    let schema = SchemaName::ChatResponse.schema().to_string();
    let is_field = |text: &&str| schema.contains(&format!("\"{text}\":"));
    let changes = answer.file_changes.iter().flat_map(texts_of).filter(|text| !is_field(text));
    let commands = answer.commands.iter().map(|command| command.command.as_str());
    let places = answer.commands.iter().filter_map(|command| command.cwd.as_deref());
    if !changes.chain(commands).chain(places).all(|text| is_said_in(original, text)) {
        (answer.stage, answer.recovered) = (AnswerStage::Recovered, true);
    }
    answer
}

impl ChatAnswer {
    /// Returns whether what it asks for may be done: it is whole, and no secret was taken out of it.
    #[must_use]
    pub const fn is_actionable(&self) -> bool {
        !self.recovered && !self.redacted_in_action
    }

    /// Returns the changes that may be applied.
    #[must_use]
    pub fn actionable_changes(&self) -> &[Value] {
        if self.is_actionable() { &self.file_changes } else { &[] }
    }

    /// Returns the commands that may be proposed to the gate.
    #[must_use]
    pub fn actionable_commands(&self) -> &[SuggestedCommand] {
        if self.is_actionable() { &self.commands } else { &[] }
    }

    /// Returns whether there is anything in it to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let texts = [&self.summary, &self.summary_fragment, &self.plain_text];
        texts.iter().all(|text| text.as_deref().is_none_or(|text| text.trim().is_empty()))
            && self.sections.is_empty()
            && self.todos.is_empty()
            && self.file_changes.is_empty()
            && self.commands.is_empty()
            && self.next_steps.is_empty()
    }

    /// Lists the changes that name a task.
    #[must_use]
    pub fn todo_links(&self) -> Vec<TodoLink> {
        let link = |change: &Value| {
            let path = change.get("path")?.as_str()?.to_owned();
            Some(TodoLink { path, todo_index: change.get("todoIndex")?.as_u64()? })
        };
        self.file_changes.iter().filter_map(link).collect()
    }
}

// What JSON puts around a summary, a fence included.
const AROUND_SUMMARY: usize = 40;

// A whole answer in which nothing was found, or only what may as well be a summary inside something it shows.
fn is_plain(text: &str, chat: &RecoveredChat) -> bool {
    let lists = [&chat.sections, &chat.todos, &chat.file_changes, &chat.commands, &chat.next_steps];
    if lists.iter().any(|list| !list.is_empty()) {
        return false;
    }
    let Some(summary) = chat.summary.as_ref().or(chat.summary_fragment.as_ref()) else {
        return chat.stage == ChatStage::Recovered;
    };
    let begins = text.trim_start().trim_start_matches("```json").trim_start();
    let around = text.trim().len().saturating_sub(summary.len() + AROUND_SUMMARY);
    !begins.starts_with(['{', '[', '<']) && around > summary.len()
}

fn from_fields(chat: RecoveredChat) -> ChatAnswer {
    let stage = match chat.stage {
        ChatStage::Direct => AnswerStage::Direct,
        ChatStage::Repaired => AnswerStage::Repaired,
        _ => AnswerStage::Recovered,
    };
    let sections: Vec<AnswerSection> = chat.sections.iter().map(section).collect();
    let mut commands: Vec<SuggestedCommand> = chat.commands.iter().filter_map(command).collect();
    let texts = chat.summary.iter().chain(sections.iter().map(|section| &section.content));
    for marked in texts.flat_map(|text| marked_commands(text)) {
        if !commands.iter().any(|known| known.command == marked.command) {
            commands.push(marked);
        }
    }
    let hash = |(path, hash): (String, Value)| Some((path, hash.as_str()?.to_owned()));
    let is_redacted = chat.file_changes.iter().flat_map(texts_of).any(has_redaction)
        || commands.iter().any(SuggestedCommand::is_redacted);
    ChatAnswer {
        stage,
        recovered: chat.recovered,
        summary: chat.summary,
        summary_fragment: chat.summary_fragment,
        sections,
        todos: chat.todos.iter().map(todo).collect(),
        file_changes: chat.file_changes,
        commands,
        next_steps: chat.next_steps.iter().filter_map(step).collect(),
        file_hashes: chat.file_hashes.into_iter().filter_map(hash).collect(),
        plain_text: None,
        redacted_in_action: is_redacted,
        generated_images: Vec::new(),
    }
}

impl SuggestedCommand {
    fn is_redacted(&self) -> bool {
        has_redaction(&self.command) || self.cwd.as_deref().is_some_and(has_redaction)
    }
}

fn text_of(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn section(value: &Value) -> AnswerSection {
    AnswerSection {
        heading: text_of(value, "heading").unwrap_or_default(),
        content: text_of(value, "content").unwrap_or_default(),
    }
}

fn todo(value: &Value) -> ClaimedTodo {
    ClaimedTodo {
        text: text_of(value, "text").unwrap_or_default(),
        completed: value.get("completed").and_then(Value::as_bool).unwrap_or(false),
    }
}

fn command(value: &Value) -> Option<SuggestedCommand> {
    let line = value.as_str().map(str::to_owned).or_else(|| text_of(value, "command"))?;
    (!line.trim().is_empty()).then(|| SuggestedCommand {
        command: line,
        description: text_of(value, "description"),
        cwd: text_of(value, "cwd"),
    })
}

fn step(value: &Value) -> Option<SuggestedStep> {
    if let Some(text) = value.as_str().filter(|text| !text.trim().is_empty()) {
        return Some(SuggestedStep { html: text.into(), input_text: text.into(), legacy: true });
    }
    let html = text_of(value, "html")?;
    let input_text = text_of(value, "inputText").unwrap_or_else(|| html.clone());
    Some(SuggestedStep { html, input_text, legacy: false })
}

/// Lists every text in a value, names of fields included: a path may be one.
fn texts_of(value: &Value) -> Vec<&str> {
    let mut texts = Vec::new();
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) => texts.push(text.as_str()),
            Value::Array(items) => left.extend(items),
            Value::Object(fields) => {
                left.extend(fields.values());
                texts.extend(fields.keys().map(String::as_str));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    texts
}
