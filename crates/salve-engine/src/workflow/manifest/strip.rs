//! Comments of a manifest, and where its bytes are.
//!
//! In: JSON with `//` and `/* */` comments, with or without the braces around its members. Out: strict JSON of
//! which every byte is where it was, or the place where it is not JSON. Never changes a string.

use salve_types::Span;
use std::borrow::Cow;

/// The text of a manifest, as its author wrote it and as it is read.
pub(super) struct Source<'a> {
    text: &'a str,
    /// Strict JSON.
    pub(super) json: String,
    /// How many bytes are before the first of the text.
    shift: usize,
}

impl<'a> Source<'a> {
    /// Blanks the comments.
    ///
    /// # Errors
    /// Where a comment is not closed, or the rest is not JSON: the offset and what is wrong.
    pub(super) fn new(text: &'a str) -> Result<Self, (usize, String)> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let blanked = blank_comments(text)?;
        // The sample of the documents is the member alone, as it is in a longer file.
        let is_members = blanked.trim_start().starts_with('"');
        let (json, shift) = match is_members {
            true => (format!("{{{}\n}}", blanked.trim_end().trim_end_matches(',')), 1),
            false => (blanked.into_owned(), 0),
        };
        let source = Self { text, json, shift };
        match serde_json::from_str::<serde::de::IgnoredAny>(&source.json) {
            Ok(_) => Ok(source),
            Err(error) => {
                let at = offset(&source.json, error.line(), error.column());
                // The words of the reader end with a place of their own.
                let words = error.to_string();
                let words = words.split(" at line ").next().unwrap_or(&words).to_owned();
                Err((at.saturating_sub(source.shift).min(text.len()), words))
            }
        }
    }

    /// Returns the line and column, both from 1, of a place in the JSON.
    pub(super) fn place(&self, span: Span) -> (u32, u32) {
        place_of(self.text, span.start.saturating_sub(self.shift))
    }
}

/// Returns the line and the column in characters of an offset, both from 1.
pub(super) fn place_of(text: &str, at: usize) -> (u32, u32) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = text.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

// The reader's columns count bytes, from 1; of an error at the end of a line it says column 0.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column.saturating_sub(1)).min(text.len())
}

fn blank_comments(text: &str) -> Result<Cow<'_, str>, (usize, String)> {
    let bytes = text.as_bytes();
    let mut out: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let end = match (byte, bytes.get(at + 1)) {
            (b'"', _) => {
                at = string_end(bytes, at);
                continue;
            }
            (b'/', Some(b'/')) => {
                let rest = bytes.get(at..).unwrap_or_default();
                at + rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())
            }
            (b'/', Some(b'*')) => match text.get(at + 2..).and_then(|rest| rest.find("*/")) {
                Some(length) => at + 2 + length + 2,
                None => return Err((at, "the comment is not closed with `*/`".to_owned())),
            },
            _ => {
                at += 1;
                continue;
            }
        };
        let blanked = out.get_or_insert_with(|| bytes.to_vec());
        for byte in blanked.get_mut(at..end).into_iter().flatten() {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        at = end;
    }
    Ok(match out {
        None => Cow::Borrowed(text),
        // Whole comments became blanks, so what is left is text still.
        Some(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    })
}

// One past the closing quote, or the end of a string that has none.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}
