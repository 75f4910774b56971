//! Finds the schema a command was given: a built-in name, a file, or a value in a batch line.
//!
//! In: a name, a path or JSON. Out: a compiled schema with its carrier. Never takes a misspelt name
//! for "no schema".

use crate::failure::Failure;
use crate::input;
use salve_text::{
    CleanOptions, CompiledSchema, ParseOptions, RecoveredChat, SchemaCarrier, SchemaName,
    SchemaOptions, SchemaOutcome, clean, parse_named, parse_with_schema, recover_chat,
};
use salve_types::RawReply;
use serde_json::Value;
use std::path::Path;

/// A schema that replies can be held to.
pub(crate) enum Schema {
    /// One of ours.
    Named(SchemaName),
    /// One of the user's.
    Own(Box<CompiledSchema>),
}

impl Schema {
    /// Finds a schema by name, else reads it from a file.
    pub(crate) fn find(name_or_path: &str) -> Result<Self, Failure> {
        let unknown = match name_or_path.parse::<SchemaName>() {
            Ok(name) => return Ok(Self::Named(name)),
            Err(unknown) => unknown,
        };
        let path = Path::new(name_or_path);
        if !path.is_file() {
            return Err(Failure::new(unknown).hint("Or give the path of a JSON Schema file."));
        }
        let text = input::text(Some(path))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| {
            Failure::new(format!("cannot read the schema `{name_or_path}`: {error}"))
        })?;
        Self::from_value(&value)
    }

    /// Makes a schema from a JSON Schema, or from the name of a built-in one.
    pub(crate) fn from_value(value: &Value) -> Result<Self, Failure> {
        if let Value::String(name) = value {
            return name.parse().map(Self::Named).map_err(Failure::new);
        }
        CompiledSchema::new(value.clone())
            .map(|schema| Self::Own(Box::new(schema)))
            .map_err(Failure::new)
    }

    /// Reads a text by the schema.
    pub(crate) fn read(
        &self,
        text: &str,
        options: &ParseOptions,
        schema_options: &SchemaOptions,
    ) -> Result<SchemaOutcome, Failure> {
        match self {
            Self::Own(schema) => Ok(parse_with_schema(text, options, schema, schema_options)),
            // Code comes in talk and fences; JSON and front matter find their own way.
            Self::Named(name) if name.carrier() == SchemaCarrier::Text => {
                let reply = clean(&RawReply::from_text(text), &CleanOptions::default());
                parse_named(reply.text(), options, *name).map_err(Failure::new)
            }
            Self::Named(name) => parse_named(text, options, *name).map_err(Failure::new),
        }
    }

    /// Recovers a chat reply field by field, where the schema is the one of chat replies.
    pub(crate) fn chat(&self, text: &str) -> Option<RecoveredChat> {
        match self {
            Self::Named(SchemaName::ChatResponse) => recover_chat(text).ok(),
            _ => None,
        }
    }
}
