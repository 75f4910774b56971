//! What a simulated model hears: the parts of a request that its script can ask about.
//!
//! In: a request in one of the dialects, or one of the library's own. Out: turns and limits. A
//! request without turns is one; only a body that is no object is refused.

use crate::request::{ModelRequest, Speaker};
use crate::wire::{Dialect, WireError, read_request};
use serde_json::Value;

/// A request as the script sees it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Heard {
    /// None for a call through the library.
    pub(super) dialect: Option<Dialect>,
    pub(super) model: String,
    pub(super) stream: bool,
    /// Whether a stream ends with the usage.
    pub(super) include_usage: bool,
    pub(super) choices: usize,
    /// What people and programs said, oldest first.
    pub(super) users: Vec<String>,
    /// The last thing the model said, if it said something.
    pub(super) assistant: Option<String>,
    /// Whether that is the last turn of all: a start that is to be continued.
    pub(super) ends_with_assistant: bool,
    pub(super) has_tools: bool,
    /// Whether images are wanted, and no words.
    pub(super) draws: bool,
    /// How many images were shown, in all turns.
    pub(super) images: usize,
    /// The ids of the files that go along, in all turns.
    pub(super) files: Vec<String>,
    pub(super) max_output_tokens: Option<u64>,
    /// Bytes of everything that was said, tools included.
    pub(super) prompt_bytes: usize,
    /// The headers, names in lower case.
    pub(super) headers: Vec<(String, String)>,
}

impl Heard {
    /// Returns the last thing that was said to the model.
    pub(super) fn last_user(&self) -> &str {
        self.users.last().map_or("", String::as_str)
    }

    /// Returns the tokens of the prompt, at four bytes each.
    pub(super) fn input_tokens(&self) -> u64 {
        tokens(self.prompt_bytes)
    }

    /// Reads a request of the library.
    pub(super) fn from_request(request: &ModelRequest) -> Self {
        let mut heard = Self {
            model: request.model.clone(),
            choices: 1,
            draws: request.draw.is_some(),
            has_tools: !request.tools.is_empty(),
            max_output_tokens: Some(u64::from(request.max_output_tokens)),
            ..Self::default()
        };
        heard.prompt_bytes += request.system.as_ref().map_or(0, String::len);
        for turn in &request.turns {
            heard.images += turn.images.len();
            heard.files.extend(turn.files.iter().map(|file| file.id.clone()));
            heard.turn(turn.speaker == Speaker::Assistant, turn.text.clone());
        }
        let tools = request.tools.iter();
        heard.prompt_bytes +=
            tools.map(|tool| tool.name.len() + tool.parameters.to_string().len()).sum::<usize>();
        heard
    }

    /// Reads a body in a dialect.
    ///
    /// # Errors
    /// When the body is no request at all.
    pub(super) fn from_body(dialect: Dialect, body: &Value) -> Result<Self, WireError> {
        let asked = read_request(dialect, body)?;
        let mut heard = Self {
            dialect: Some(dialect),
            stream: asked.stream,
            include_usage: asked.include_usage,
            choices: usize::try_from(asked.choices).unwrap_or(1),
            has_tools: !asked.tools.is_empty(),
            max_output_tokens: asked.max_output_tokens,
            model: asked.model,
            ..Self::default()
        };
        heard.prompt_bytes += body.get("tools").map_or(0, |tools| tools.to_string().len());
        for standing in ["system", "instructions"] {
            heard.prompt_bytes += body.get(standing).map_or(0, |text| spoken(text).len());
        }
        let turns = if dialect == Dialect::Responses { "input" } else { "messages" };
        match body.get(turns) {
            Some(Value::String(text)) => heard.turn(false, text.clone()),
            Some(Value::Array(items)) => items.iter().for_each(|item| heard.item(item)),
            _ => {}
        }
        Ok(heard)
    }

    fn item(&mut self, item: &Value) {
        let role = item.get("role").and_then(Value::as_str).unwrap_or_default();
        let said = item.get("content").map_or_else(String::new, spoken);
        self.images += item.get("content").map_or(0, shown);
        self.files.extend(item.get("content").into_iter().flat_map(attached));
        match role {
            "assistant" => self.turn(true, said),
            "user" => self.turn(false, said),
            // Standing instructions, tool results and calls cost tokens and belong to no turn.
            _ => self.prompt_bytes += item.to_string().len(),
        }
    }

    fn turn(&mut self, is_assistant: bool, said: String) {
        self.prompt_bytes += said.len();
        self.ends_with_assistant = is_assistant;
        if is_assistant {
            self.assistant = Some(said);
        } else {
            self.users.push(said);
        }
    }
}

/// Counts tokens as every simulated model does: four bytes each, begun ones whole.
pub(super) fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}

// The ids of the files of a content, as each dialect writes them.
fn attached(content: &Value) -> Vec<String> {
    let id = |part: &Value| {
        let place = match part.get("type").and_then(Value::as_str)? {
            "file" => part.pointer("/file/file_id"),
            "input_file" => part.get("file_id"),
            "document" => part.pointer("/source/file_id"),
            _ => None,
        };
        place.and_then(Value::as_str).map(str::to_owned)
    };
    content.as_array().into_iter().flatten().filter_map(id).collect()
}

// The images of a content, as each dialect calls them.
fn shown(content: &Value) -> usize {
    let kind = |part: &Value| part.get("type").and_then(Value::as_str).map(str::to_owned);
    let is_image = |part: &&Value| {
        matches!(kind(part).as_deref(), Some("image" | "image_url" | "input_image"))
    };
    content.as_array().into_iter().flatten().filter(is_image).count()
}

// The text of a content, which is a text or a list of parts in every dialect.
fn spoken(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
