//! Strict JSON: whole, a beginning, or neither.
//!
//! In: a text that should be one JSON value, and the schema it should fit. Out: which of the three it
//! is. Never repairs: a value that another program closed or filled in is not what was written.

use super::verdict::{Fault, FaultKind, Part};
use salve_text::{CompiledSchema, validate};
use serde_json::Value;
use serde_json::error::Category;

/// What a text is as strict JSON.
#[derive(Debug)]
pub(super) enum Strict {
    /// One value with its end.
    Whole(Value),
    /// The beginning of a value; more of it could make it whole.
    Beginning,
    /// No continuation makes it JSON.
    Wrong(Box<Fault>),
}

/// Reads a text as one JSON value.
pub(super) fn read(text: &str, part: Part) -> Strict {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => Strict::Whole(value),
        Err(error) if error.classify() == Category::Eof => Strict::Beginning,
        Err(error) => Strict::Wrong(Box::new(Fault {
            kind: FaultKind::NotJson { line: u32::try_from(error.line()).unwrap_or(u32::MAX) },
            part,
            path: format!("line {}, column {}", error.line(), error.column()),
            expected: "strict JSON".to_owned(),
            got: around(text, error.line(), error.column()),
            message: format!("the JSON is malformed: {error}"),
        })),
    }
}

/// Returns the first place where a value breaks its schema.
pub(super) fn misfit(value: &Value, schema: Option<&CompiledSchema>, part: Part) -> Option<Fault> {
    let violation = validate(value, schema?).into_iter().next()?;
    Some(Fault {
        kind: FaultKind::Misfit,
        part,
        path: violation.path,
        expected: violation.expected,
        got: violation.got,
        message: violation.message,
    })
}

/// Returns what is wrong with a text that should be one JSON value of a schema.
pub(crate) fn fault_of(text: &str, schema: &CompiledSchema) -> Option<Fault> {
    match read(text.trim(), Part::Text) {
        Strict::Whole(value) => misfit(&value, Some(schema), Part::Text),
        Strict::Wrong(fault) => Some(*fault),
        Strict::Beginning => Some(Fault {
            kind: if text.trim().is_empty() { FaultKind::Empty } else { FaultKind::Unfinished },
            part: Part::Text,
            path: "$".to_owned(),
            expected: "a whole JSON value".to_owned(),
            got: if text.trim().is_empty() { "nothing" } else { "its beginning" }.to_owned(),
            message: "the JSON ends before its end".to_owned(),
        }),
    }
}

/// Returns what is wrong with a value that should fit a schema.
pub(crate) fn fault_of_value(value: &Value, schema: &CompiledSchema) -> Option<Fault> {
    misfit(value, Some(schema), Part::Text)
}

/// Returns whether a value says by itself where it ends; a number could go on.
pub(super) fn ends_by_itself(value: &Value) -> bool {
    !value.is_number()
}

// A few characters from the place of the error on, so that the model sees what is meant.
fn around(text: &str, line: usize, column: usize) -> String {
    const SHOWN: usize = 40;
    let Some(line) = text.split('\n').nth(line.saturating_sub(1)) else { return String::new() };
    let mut from = column.saturating_sub(1).min(line.len());
    while !line.is_char_boundary(from) {
        from -= 1;
    }
    let shown: String = line[from..].chars().take(SHOWN).collect();
    if shown.is_empty() { "the end of the line".to_owned() } else { format!("`{shown}`") }
}
