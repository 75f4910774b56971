//! Writes results and stories.
//!
//! In: text or values. Out: standard output for the result, standard error for the story; colours, and
//! lines broken at the terminal's width, only where a person looks. A reader that went away is reported
//! upwards, not panicked about.

use crate::arguments::Format;
use crate::failure::Failure;
use crate::wrap;
use serde::Serialize;
use std::io::{BufWriter, IsTerminal, Write};

/// Writes text for people to standard output; where that is a terminal, lines are broken between words.
pub(crate) fn result(text: &str) -> Result<(), Failure> {
    as_drawn(&wrap::reflow(text, wrap::width_of_result()))
}

/// Writes text for people to standard output, each line as it is: what is to be copied stays one line.
pub(crate) fn as_drawn(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Writes content to standard output byte for byte, whatever escape codes it holds.
pub(crate) fn content(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Says what could not be written; that a reader went away can still be told from it.
pub(crate) fn written(result: std::io::Result<()>) -> Result<(), Failure> {
    result.map_err(|error| {
        Failure::from(anyhow::Error::from(error).context("cannot write to standard output"))
    })
}

/// Writes a number of things in words: `1 file`, `2 files`.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// Writes one JSON document, indented, as it is made.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    // An error of the writer keeps its kind this way: a reader that went away is no failure.
    let made = serde_json::to_writer_pretty(&mut out, value).map_err(std::io::Error::from);
    written(made.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()))
}

/// Writes one JSON value on a line of its own, as it is made.
pub(crate) fn json_line(value: &impl Serialize) -> Result<(), Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let made = serde_json::to_writer(&mut out, value).map_err(std::io::Error::from);
    written(made.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()))
}

/// Writes one value for programs: indented, or on a line of its own.
pub(crate) fn value(format: Format, value: &impl Serialize) -> Result<(), Failure> {
    if format == Format::Jsonl { json_line(value) } else { json(value) }
}

/// Writes a list for programs: one document, or one line for each item.
pub(crate) fn values(format: Format, values: &[impl Serialize]) -> Result<(), Failure> {
    if format == Format::Jsonl { values.iter().try_for_each(json_line) } else { json(&values) }
}

/// Writes to standard error, lines broken as those of a result; a closed standard error is no failure.
pub(crate) fn story(text: &str) {
    story_as_drawn(&wrap::reflow(text, wrap::width_of_story()));
}

/// Writes to standard error, each line as it is.
pub(crate) fn story_as_drawn(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Shows at a terminal what is being waited for, in a line that the next one replaces; an empty text
/// takes it away. Nothing where standard error is no terminal, or has no control sequences.
pub(crate) fn transient(text: &str) {
    let stderr = anstream::stderr();
    if !std::io::stderr().is_terminal() || stderr.current_choice() == anstream::ColorChoice::Never {
        return;
    }
    let width = wrap::width_of_story().unwrap_or(80).saturating_sub(3);
    let shown: String = text.chars().take(width).collect();
    let mark = if shown.is_empty() { "" } else { "… " };
    let mut stderr = stderr.lock();
    let _ = write!(stderr, "\x1b[2K\r{mark}{shown}").and_then(|()| stderr.flush());
}

/// Returns the wire name of a value that serialises to a word.
pub(crate) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => format!("{other:?}"),
    }
}
