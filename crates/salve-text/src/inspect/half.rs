//! Half a token at the end of a text, which would spoil the closers that come after it.
//!
//! In: the machine at the end and the last bytes. Out: what belongs to the innermost construct
//! only, and the few characters that turn half a token into one that a closer may follow. Never
//! completes a word or a value: only what a closer would otherwise become part of.

use super::machine::Machine;
use super::rules::Dialect;
use super::stack::{Frame, Kind};

/// The end of a text: its last bytes, and its length.
#[derive(Clone, Copy)]
pub(super) struct End<'a> {
    pub(super) tail: &'a [u8],
    pub(super) len: usize,
}

impl<'a> End<'a> {
    /// Returns the bytes from the opener of a frame on, as far as they are in the tail.
    pub(super) fn from(&self, frame: &Frame) -> Option<&'a [u8]> {
        let start = frame.offset.checked_sub(self.len - self.tail.len())?;
        self.tail.get(start..)
    }

    /// Returns the bytes after the opener of a frame: an opener is no part of its own closer.
    pub(super) fn inside(&self, machine: &Machine, frame: &Frame) -> &'a [u8] {
        let Some(bytes) = self.from(frame) else { return self.tail };
        let opener = match frame.kind {
            Kind::Regex => 1,
            Kind::StarComment => 2,
            Kind::MarkupComment => 4,
            Kind::Text if is_raw_csharp(machine, frame) => usize::from(frame.extra),
            Kind::Text => {
                let hashes = bytes.iter().take_while(|&&byte| byte == b'#').count();
                hashes + machine.rules.forms[usize::from(frame.form)].close.len()
            }
            _ => 0,
        };
        bytes.get(opener..).unwrap_or_default()
    }
}

/// Returns whether a frame is C#'s `"""…"""`, whose number of quotes is free.
pub(super) fn is_raw_csharp(machine: &Machine, frame: &Frame) -> bool {
    machine.rules.dialect == Dialect::CSharp && frame.extra >= 3
}

/// Returns what must be between the end of code and the first closer.
pub(super) fn completion(machine: &Machine, end: End<'_>) -> &'static str {
    // What just ended is no half: the second quote of a character, a whole regular expression.
    if !machine.stack.top().is_code() || machine.mark == end.len {
        return "";
    }
    let tail = end.tail;
    match machine.rules.dialect {
        // A quote that names a lifetime, before its name.
        Dialect::Rust if tail.ends_with(b"'") => "_",
        // The first sign of a comment; with a closer after it, it would start a regular expression.
        Dialect::Script { .. } if tail.ends_with(b"/") && starts_statement(tail) => "/\n",
        Dialect::Bash if ends_in_escape(tail) => "\\",
        Dialect::Ruby => method_name(machine, end),
        _ => "",
    }
}

/// Returns whether a backslash at the end would take the next character with it.
pub(super) fn ends_in_escape(text: &[u8]) -> bool {
    text.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

fn starts_statement(tail: &[u8]) -> bool {
    let before = &tail[..tail.len() - 1];
    let blanks = before.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    let (code, blanks) = before.split_at(before.len() - blanks);
    blanks.contains(&b'\n') || matches!(code.last(), None | Some(b'{' | b'}' | b';' | b','))
}

// `def` takes any word as its name, also the `end` that is to close it.
fn method_name(machine: &Machine, end: End<'_>) -> &'static str {
    let block = machine.stack.last().filter(|frame| frame.kind == Kind::Block);
    match block.and_then(|frame| end.from(frame)) {
        Some(b"def") => " _",
        Some(text) if text.trim_ascii_end() == b"def" => "_",
        _ => "",
    }
}
