//! Checking a value against its schema, with the validator the world uses.
//!
//! In: a value and a compiled schema. Out: every violation with its path, what was expected and what
//! was found. Never changes the value.

use super::compile::CompiledSchema;
use super::path;
use super::plan::shorten;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde::Serialize;
use serde_json::Value;

/// One place where a value breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// Where, such as `$.files[2].path`.
    pub path: String,
    /// What the schema asks for there.
    pub expected: String,
    /// What is there, shortened.
    pub got: String,
    /// The violation in words.
    pub message: String,
}

// A value with more violations than this is not read by anyone.
const MOST: usize = 1_000;

// The validator gathers all violations before it gives the first, each many times the size of what it
// is about. A value of more parts than this is asked for one at a time, which is one.
const LARGE: usize = 50_000;

/// Lists the violations of the schema, up to a thousand; of a very large value only the first.
#[must_use]
pub fn validate(value: &Value, schema: &CompiledSchema) -> Vec<Violation> {
    if is_large(value) {
        let first = schema.validator().validate(value).err();
        return first.iter().map(|error| violation(error, schema.source())).collect();
    }
    let mut found: Vec<Violation> = Vec::new();
    for error in schema.validator().iter_errors(value) {
        let violation = violation(&error, schema.source());
        // One message for one place: a schema may say the same in two keywords, one after the other.
        let said =
            |other: &Violation| other.path == violation.path && other.message == violation.message;
        if !found.last().is_some_and(said) {
            found.push(violation);
        }
        if found.len() >= MOST {
            break;
        }
    }
    found
}

fn is_large(value: &Value) -> bool {
    let (mut parts, mut open) = (0, vec![value]);
    while let Some(value) = open.pop() {
        parts += match value {
            Value::Array(items) => items.len(),
            Value::Object(entries) => entries.len(),
            _ => 0,
        };
        if parts > LARGE {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(entries) => open.extend(entries.values()),
            _ => {}
        }
    }
    false
}

fn violation(error: &ValidationError<'_>, schema: &Value) -> Violation {
    let mut place = path::from_pointer(error.instance_path().as_str());
    let keyword = error.kind().keyword();
    let rule = schema.pointer(error.schema_path().as_str());
    let expected = match (keyword, rule) {
        ("type", Some(Value::String(name))) => name.clone(),
        (_, Some(rule)) => format!("{keyword} {}", shorten(&rule.to_string())),
        (_, None) => keyword.to_owned(),
    };
    let mut got = shorten(&error.instance().to_string());
    // A missing property is missed at its own place, not at its parent's.
    if let ValidationErrorKind::Required { property } = error.kind()
        && let Some(name) = property.as_str()
    {
        path::push_key(&mut place, name);
        "nothing".clone_into(&mut got);
    }
    Violation { path: place, expected, got, message: message(error, schema) }
}

/// Uses the message that a schema brings for its property, otherwise the validator's.
fn message(error: &ValidationError<'_>, schema: &Value) -> String {
    let keyword_path = error.schema_path().as_str();
    let holder = keyword_path.rsplit_once('/').map_or("", |(holder, _)| holder);
    let own = schema.pointer(holder).and_then(|holder| holder.get("x-message"));
    match (error.kind(), own.and_then(Value::as_str)) {
        (ValidationErrorKind::Type { .. }, _) | (_, None) => error.masked().to_string(),
        (_, Some(message)) => message.to_owned(),
    }
}
