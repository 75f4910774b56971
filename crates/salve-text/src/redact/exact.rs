//! The pass that replaces values which are known to be secret, wherever they stand.
//!
//! In: text in pieces, and the values with their names. Out: the text with markers for them, also
//! where a value is as JSON or an address writes it. Never matches across a marker, so that a
//! second pass finds nothing new.

use super::view::View;
use super::{ExactSecret, SecretFound, marker};
use crate::lines::{ceil_boundary, floor_boundary};
use aho_corasick::{AhoCorasick, Input, MatchKind};
use salve_types::Span;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

/// A shorter value is in too many texts by chance.
const SHORTEST: usize = 6;

/// A longer value is looked for in pieces of this size.
const LONGEST: usize = 4096;

/// Words that settings are full of; replacing them would only make texts unreadable.
const ORDINARY: &[&str] = &[
    "localhost",
    "development",
    "production",
    "staging",
    "testing",
    "default",
    "enabled",
    "disabled",
    "password",
    "secret",
    "changeme",
    "undefined",
    "postgres",
    "sqlite",
    "example",
];

/// The values to look for.
#[derive(Debug)]
pub(super) struct Values {
    automaton: AhoCorasick,
    /// The marker's name of every pattern; the first pattern is the marker's own beginning.
    names: Vec<String>,
    longest: usize,
}

impl Values {
    /// Prepares the values; `None` when there is none to look for.
    pub(super) fn new(secrets: &[ExactSecret]) -> Option<Arc<Self>> {
        let mut patterns = vec![marker::OPENING.to_owned()];
        let mut names = vec![String::new()];
        for secret in secrets.iter().filter(|secret| is_worth_it(&secret.value)) {
            for form in forms(&secret.value) {
                for piece in pieces(&form) {
                    patterns.push(piece.to_owned());
                    names.push(marker::name(&secret.name));
                }
            }
        }
        if patterns.len() == 1 {
            return None;
        }
        let longest = patterns.iter().map(String::len).max().unwrap_or(1);
        let automaton =
            AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&patterns);
        // Only values of gigabytes do not fit, and no one has those in an environment.
        Some(Arc::new(Self { automaton: automaton.ok()?, names, longest }))
    }
}

fn is_worth_it(value: &str) -> bool {
    value.len() >= SHORTEST
        && !ORDINARY.iter().any(|word| value.eq_ignore_ascii_case(word))
        && !value.chars().all(|character| value.starts_with(character))
        && !marker::OPENING.contains(value)
}

// The value as it is, as JSON escapes it, and as an address escapes it.
fn forms(value: &str) -> Vec<String> {
    let json = serde_json::to_string(value).unwrap_or_default();
    let json = json.get(1..json.len().saturating_sub(1)).unwrap_or_default().to_owned();
    let mut percent = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            percent.push(char::from(byte));
        } else {
            let _ = write!(percent, "%{byte:02X}");
        }
    }
    let mut forms = vec![value.to_owned(), json, percent];
    forms.sort();
    forms.dedup();
    forms.retain(|form| form.len() >= SHORTEST);
    forms
}

fn pieces(form: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = form;
    while !rest.is_empty() {
        let at = (0..=LONGEST.min(rest.len()))
            .rev()
            .find(|&at| rest.is_char_boundary(at))
            .unwrap_or(rest.len());
        let (piece, after) = rest.split_at(at);
        if piece.len() >= SHORTEST {
            pieces.push(piece);
        }
        rest = after;
    }
    pieces
}

/// A pass over one text.
#[derive(Debug)]
pub(super) struct ExactScan {
    values: Arc<Values>,
    kept: String,
    offset: usize,
    found: Vec<SecretFound>,
}

impl ExactScan {
    pub(super) const fn new(values: Arc<Values>) -> Self {
        Self { values, kept: String::new(), offset: 0, found: Vec::new() }
    }

    /// Takes a piece and writes what is certain.
    pub(super) fn push(&mut self, piece: &str, out: &mut String) {
        let mut text = std::mem::take(&mut self.kept);
        text.push_str(piece);
        let done = self.advance(&text, false, out);
        self.offset += done;
        text.drain(..done);
        self.kept = text;
    }

    /// Writes the rest.
    pub(super) fn finish(&mut self, out: &mut String) {
        let text = std::mem::take(&mut self.kept);
        self.offset += self.advance(&text, true, out);
    }

    /// Takes a whole text.
    pub(super) fn whole(&mut self, text: &str, out: &mut String) {
        self.offset += self.advance(text, true, out);
    }

    pub(super) fn take_found(&mut self) -> Vec<SecretFound> {
        std::mem::take(&mut self.found)
    }

    pub(super) const fn held(&self) -> usize {
        self.kept.len()
    }

    // Returns up to where the text is written.
    fn advance(&mut self, text: &str, whole: bool, out: &mut String) -> usize {
        let values = Arc::clone(&self.values);
        let view = View::new(text, 0, whole);
        // From this place on a value may be cut.
        let clear =
            if whole { text.len() } else { (text.len() + 1).saturating_sub(values.longest) };
        let (mut written, mut at) = (0, 0);
        let mut stop = floor_boundary(text, clear);
        while let Some(hit) = values.automaton.find(Input::new(text).range(at..)) {
            let (start, end) = (hit.start(), hit.end());
            if start >= clear {
                break;
            }
            let marker_end = marker::end(&view, start);
            let overlaps = ((start + 1)..end).any(|place| marker::end(&view, place).is_some());
            if view.take_starved() {
                stop = start;
                break;
            }
            if let Some(end) = marker_end {
                at = end;
            } else if overlaps || hit.pattern().as_usize() == 0 {
                at = ceil_boundary(text, start + 1);
            } else {
                out.push_str(text.get(written..start).unwrap_or_default());
                let name = values.names.get(hit.pattern().as_usize()).cloned().unwrap_or_default();
                marker::write(out, &name);
                let span = Span::new(self.offset + start, self.offset + end);
                self.found.push(SecretFound { kind: Cow::Owned(name), span });
                (written, at) = (end, end);
            }
        }
        let stop = stop.max(at.min(text.len())).max(written);
        out.push_str(text.get(written..stop).unwrap_or_default());
        stop
    }
}
