//! The schemas Salve knows by name, each with the form its replies come in.
//!
//! In: a name. Out: a checked `SchemaName`, its JSON Schema and its carrier. Never accepts an unknown
//! name: the error lists the known ones, so that a typing mistake is found when it is loaded.

use super::compile::{CompiledSchema, SchemaError};
use serde::Serialize;
use serde_json::{Value, json};
use std::str::FromStr;

/// What a reply says when its code is empty.
pub const EMPTY_CODE: &str = "Code snippet cannot be empty.";
/// What a reply says when its explanation is empty.
pub const EMPTY_EXPLANATION: &str = "Explanation cannot be empty.";

/// The name of a built-in schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub enum SchemaName {
    /// An object with `code` and `explanation`.
    CodeAndExplanation,
    /// The code itself, as text.
    CodeOnly,
    /// The front matter of a document.
    Preamble,
    /// A chat reply with file changes, todos and commands.
    ChatResponse,
}

/// The form in which a schema's replies come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SchemaCarrier {
    /// The text is the value.
    Text,
    /// The value is JSON somewhere in the text.
    Json,
    /// The value is the front matter at the head of the text.
    FrontMatter,
}

/// A name no schema goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownSchema {
    name: String,
}

impl std::fmt::Display for UnknownSchema {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "no schema is called `{}`; known are ", self.name)?;
        for (index, name) in SchemaName::ALL.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(formatter, "{separator}{}", name.name())?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownSchema {}

impl SchemaName {
    /// Every built-in schema.
    pub const ALL: [Self; 4] =
        [Self::CodeAndExplanation, Self::CodeOnly, Self::Preamble, Self::ChatResponse];

    /// Returns the name as it is written in manifests and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CodeAndExplanation => "CodeAndExplanation",
            Self::CodeOnly => "CodeOnly",
            Self::Preamble => "Preamble",
            Self::ChatResponse => "ChatResponse",
        }
    }

    /// Returns the form in which replies to this schema come.
    pub const fn carrier(self) -> SchemaCarrier {
        match self {
            Self::CodeAndExplanation | Self::ChatResponse => SchemaCarrier::Json,
            Self::CodeOnly => SchemaCarrier::Text,
            Self::Preamble => SchemaCarrier::FrontMatter,
        }
    }

    /// Returns the schema's purpose in one sentence.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::CodeAndExplanation => "code and the explanation of it",
            Self::CodeOnly => "raw code, nothing around it",
            Self::Preamble => "front matter with at least a title",
            Self::ChatResponse => "summary, sections, todos, file changes, commands, next steps",
        }
    }

    /// Returns the JSON Schema.
    pub fn schema(self) -> Value {
        match self {
            Self::CodeAndExplanation => code_and_explanation(),
            Self::CodeOnly => text_that_says_something("CodeOnly", EMPTY_CODE),
            Self::Preamble => preamble(),
            Self::ChatResponse => chat_response(),
        }
    }

    /// Returns the schema, ready for use.
    ///
    /// # Errors
    /// Never for the schemas in this file; the tests hold that.
    pub fn compile(self) -> Result<CompiledSchema, SchemaError> {
        CompiledSchema::new(self.schema())
    }
}

impl FromStr for SchemaName {
    type Err = UnknownSchema;

    fn from_str(name: &str) -> Result<Self, UnknownSchema> {
        let known = Self::ALL.into_iter().find(|known| known.name() == name.trim());
        known.ok_or_else(|| UnknownSchema { name: name.to_owned() })
    }
}

/// A string with at least one character that is not white space.
fn text_that_says_something(title: &str, message: &str) -> Value {
    json!({ "title": title, "type": "string", "minLength": 1, "pattern": "\\S", "x-message": message })
}

fn code_and_explanation() -> Value {
    json!({
        "title": "CodeAndExplanation",
        "type": "object",
        "properties": {
            "code": text_that_says_something("Code", EMPTY_CODE),
            "explanation": text_that_says_something("Explanation", EMPTY_EXPLANATION),
        },
        "required": ["code", "explanation"],
    })
}

fn preamble() -> Value {
    json!({
        "title": "Preamble",
        "type": "object",
        "properties": { "title": text_that_says_something("Title", "Title cannot be empty.") },
        "required": ["title"],
        "additionalProperties": true,
    })
}

fn chat_response() -> Value {
    let object = |properties: Value, required: Value| {
        // Items may say more than is listed here; nothing of that is lost.
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": true,
        })
    };
    let text = json!({ "type": "string" });
    let count = json!({ "type": "integer", "minimum": 0 });
    let range = object(json!({ "start": count, "end": count }), json!(["start", "end"]));
    let section = object(json!({ "heading": text, "content": text }), json!([]));
    let todo = object(json!({ "text": text, "completed": { "type": "boolean" } }), json!(["text"]));
    let change = object(
        json!({
            "path": text,
            "language": text,
            "content": text,
            "lineRange": range,
            "isDiff": { "type": "boolean" },
            "lineOperations": { "type": "array", "items": { "type": "object" } },
            "todoIndex": count,
        }),
        json!(["path"]),
    );
    let command = object(json!({ "command": text, "description": text }), json!(["command"]));
    let step = object(json!({ "html": text, "inputText": text }), json!(["html"]));
    json!({
        "title": "ChatResponse",
        "type": "object",
        "properties": {
            "summary": text,
            "sections": { "type": "array", "items": section },
            "todos": { "type": "array", "items": todo },
            "fileChanges": { "type": "array", "items": change },
            "commands": { "type": "array", "items": { "anyOf": [command, text] } },
            "nextSteps": { "type": "array", "items": { "anyOf": [step, text] } },
            "fileHashes": { "type": "object", "additionalProperties": text },
        },
        "required": ["summary"],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o01_every_named_schema_compiles_and_is_listed() {
        let names: Vec<&str> = SchemaName::ALL.iter().map(|name| name.name()).collect();
        assert_eq!(names, ["CodeAndExplanation", "CodeOnly", "Preamble", "ChatResponse"]);
        for name in SchemaName::ALL {
            assert_eq!(name.compile().map(|schema| schema.source().clone()), Ok(name.schema()));
            assert_eq!(name.name().parse(), Ok(name));
        }
    }

    #[test]
    fn o05_an_unknown_name_is_refused_and_the_known_ones_are_named() {
        let error = "CodeOnyl".parse::<SchemaName>().expect_err("it is not a schema");
        assert_eq!(
            error.to_string(),
            "no schema is called `CodeOnyl`; known are CodeAndExplanation, CodeOnly, Preamble, \
             ChatResponse"
        );
    }

    #[test]
    fn c147_the_chat_schema_has_the_fields_of_the_contract() {
        let schema = SchemaName::ChatResponse.schema();
        let fields: Vec<&String> =
            schema["properties"].as_object().expect("an object").keys().collect();
        let expected =
            ["summary", "sections", "todos", "fileChanges", "commands", "nextSteps", "fileHashes"];
        assert_eq!(fields, expected);
        assert_eq!(schema["required"], json!(["summary"]));
        assert_eq!(schema["additionalProperties"], json!(false));
    }
}
