//! Line operations: insert, replace and delete by the number of a line.
//!
//! In: the objects of `lineOperations`, or an object with `insert_line` or a range of lines. Out:
//! operations on lines that are counted from 1. Never corrects a number: line 0, a range that ends
//! before it begins and an operation without text are faults.

use super::names;
use super::object::{Node, Number};
use salve_types::{LineOperation, LineOperationKind};

/// Reads one member of `lineOperations`.
pub(super) fn read_operation(node: Node<'_>) -> Result<LineOperation, String> {
    let Some(name) = node.text(names::OPERATION_KIND) else {
        return Err("a line operation needs `op`: insert, replace or delete".to_owned());
    };
    let (kind, after) = match name.to_ascii_lowercase().as_str() {
        "insert" | "add" | "insert_before" | "insertbefore" => (LineOperationKind::Insert, false),
        "insert_after" | "insertafter" => (LineOperationKind::Insert, true),
        "replace" | "update" | "modify" | "change" | "edit" => (LineOperationKind::Replace, false),
        "delete" | "remove" => (LineOperationKind::Delete, false),
        _ => {
            return Err(format!("`{name}` is no line operation; use insert, replace or delete"));
        }
    };
    let (start, end) = match node.get(names::RANGE).or_else(|| node.get(&["range"])) {
        Some(range) => read_range(range)?,
        None => read_range(node)?,
    };
    let text = node.text(names::OPERATION_TEXT);
    let expected = node.text(names::EXPECTED).map(without_last_break);
    if after {
        let start = start.checked_add(1).ok_or_else(|| too_large(start))?;
        // The expected text is on the line before, which this form cannot say.
        return insert(start, text, None);
    }
    if kind == LineOperationKind::Insert {
        return insert(start, text, expected);
    }
    if kind == LineOperationKind::Delete {
        return Ok(delete(start, end, expected));
    }
    let text = text.ok_or("a line operation that replaces needs `text`")?;
    Ok(replace(start, end, expected, text))
}

/// Reads `start` and `end` of a region; without an end it is one line.
pub(super) fn read_range(node: Node<'_>) -> Result<(u32, u32), String> {
    let start = line_number(node, names::START)?.ok_or("a region of lines needs `start`")?;
    let end = line_number(node, names::END)?.unwrap_or(start);
    if end < start {
        return Err(format!("a region cannot end at line {end} and begin at line {start}"));
    }
    Ok((start, end))
}

/// Makes the operation that puts lines before a line.
pub(super) fn insert(
    start: u32,
    text: Option<String>,
    expected: Option<String>,
) -> Result<LineOperation, String> {
    let text = without_last_break(text.ok_or("an insertion needs the text to put in")?);
    Ok(LineOperation { kind: LineOperationKind::Insert, start, end: start, expected, text })
}

/// Makes the operation that replaces a region; nothing at all in its place means that it goes.
pub(super) fn replace(
    start: u32,
    end: u32,
    expected: Option<String>,
    text: String,
) -> LineOperation {
    if text.is_empty() {
        return delete(start, end, expected);
    }
    let text = without_last_break(text);
    LineOperation { kind: LineOperationKind::Replace, start, end, expected, text }
}

fn delete(start: u32, end: u32, expected: Option<String>) -> LineOperation {
    let kind = LineOperationKind::Delete;
    LineOperation { kind, start, end, expected, text: String::new() }
}

/// Reads a line number, counted from 1.
pub(super) fn line_number(node: Node<'_>, keys: &[&str]) -> Result<Option<u32>, String> {
    match node.number(keys) {
        None => Ok(None),
        Some(Number::Whole(0)) => Err("line 0 does not exist; lines are counted from 1".to_owned()),
        Some(Number::Whole(line)) => Ok(Some(line)),
        Some(Number::Wrong) => Err("a line must be a whole number from 1".to_owned()),
    }
}

/// Says that no line follows this one.
pub(super) fn too_large(line: u32) -> String {
    format!("no file has a line after line {line}")
}

// Text for whole lines ends with its last line, whether or not a line break follows.
fn without_last_break(mut text: String) -> String {
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    text
}
