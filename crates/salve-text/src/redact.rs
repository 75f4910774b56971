//! Takes secrets out of texts.
//!
//! In: text, whole or in pieces of any size. Out: the same text with `[redacted:KIND]` where a secret
//! was, and where each one was. Two passes: first the values that the caller knows to be secret, then
//! the kinds that are known by their shape or by the name that is before them. The output is the
//! same for every way to cut the text into pieces, and redacting twice is redacting once. Never: I/O,
//! a look at the environment, or a part of a secret in the output.

mod assignment;
mod env_file;
mod exact;
mod finders;
mod header;
mod key_block;
mod kinds;
mod marker;
mod numbered;
mod scan;
mod shape;
mod values;
mod view;

pub use env_file::{is_secret_name, read_env_file};
pub use marker::has_redaction;

use exact::{ExactScan, Values};
use finders::Finders;
use salve_types::Span;
use scan::Scan;
use std::borrow::Cow;
use std::sync::Arc;

/// What to take out besides the kinds that are always taken out.
#[derive(Debug, Clone, Default)]
pub struct RedactOptions {
    /// Values that are secret wherever they stand, from `.env` files and the environment.
    pub exact: Vec<ExactSecret>,
    /// Tokens of the caller's own that are known by how they begin.
    pub extra: Vec<ExtraPrefix>,
}

/// A value that is secret, and what to call it.
#[derive(Clone, PartialEq, Eq)]
pub struct ExactSecret {
    /// The name in the marker, for example that of the variable.
    pub name: String,
    /// The value; one shorter than six bytes, or an ordinary word, is not looked for.
    pub value: String,
}

impl std::fmt::Debug for ExactSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ExactSecret").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A kind of token that begins with fixed characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtraPrefix {
    /// The name in the marker.
    pub name: String,
    /// How it begins, in this case.
    pub prefix: String,
    /// How many letters, digits, `_` or `-` must follow.
    pub at_least: usize,
}

/// Takes secrets out of any number of texts.
#[derive(Debug, Clone)]
pub struct Redactor {
    values: Option<Arc<Values>>,
    finders: Arc<Finders>,
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Redacted {
    /// The text with a marker in the place of every secret.
    pub text: String,
    /// What was found, in the order of the text.
    pub found: Vec<SecretFound>,
}

/// A secret that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretFound {
    /// The name in the marker.
    pub kind: Cow<'static, str>,
    /// Where it was in the text as it came.
    pub span: Span,
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new(&RedactOptions::default())
    }
}

impl Redactor {
    /// Prepares the search; made once, it serves any number of texts and threads.
    pub fn new(options: &RedactOptions) -> Self {
        Self { values: Values::new(&options.exact), finders: Finders::new(&options.extra) }
    }

    /// Takes the secrets out of a whole text.
    pub fn redact(&self, text: &str) -> Redacted {
        let mut scan = Scan::new(Arc::clone(&self.finders));
        let mut out = String::with_capacity(text.len());
        let Some(values) = &self.values else {
            scan.whole(text, &mut out);
            return Redacted { text: out, found: scan.take_found() };
        };
        let mut exact = ExactScan::new(Arc::clone(values));
        let mut without_values = String::with_capacity(text.len());
        exact.whole(text, &mut without_values);
        scan.whole(&without_values, &mut out);
        Redacted { text: out, found: merge(exact.take_found(), scan.take_found()) }
    }

    /// Starts on a text that arrives in pieces.
    pub fn stream(&self) -> RedactStream {
        RedactStream {
            exact: self.values.as_ref().map(|values| ExactScan::new(Arc::clone(values))),
            scan: Scan::new(Arc::clone(&self.finders)),
        }
    }

    /// The names of all kinds that are known by their shape or their surroundings, sorted.
    pub fn kinds() -> Vec<&'static str> {
        let around = [
            "authorization",
            "bearer-token",
            "cookie",
            "key",
            "password",
            "private-key",
            "seed-phrase",
            "url-password",
        ];
        let mut kinds: Vec<&str> = kinds::ROWS.iter().map(|row| row.kind).chain(around).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

/// Takes secrets out of one text that arrives in pieces; a secret may be split between them.
///
/// What is kept back is bounded: a few hundred bytes at most places, two kilobytes inside something
/// that may become a long token, and besides that the length of the longest exact value.
#[derive(Debug)]
pub struct RedactStream {
    exact: Option<ExactScan>,
    scan: Scan,
}

impl RedactStream {
    /// Takes a piece and returns what is certain of the text so far; the rest is kept back.
    #[must_use]
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len());
        match &mut self.exact {
            None => self.scan.push(piece, &mut out),
            Some(exact) => {
                let mut without_values = String::with_capacity(piece.len());
                exact.push(piece, &mut without_values);
                self.scan.push(&without_values, &mut out);
            }
        }
        out
    }

    /// Returns what was kept back; the stream may then begin on another text.
    #[must_use]
    pub fn finish(&mut self) -> String {
        let mut out = String::new();
        if let Some(exact) = &mut self.exact {
            let mut without_values = String::new();
            exact.finish(&mut without_values);
            self.scan.push(&without_values, &mut out);
        }
        self.scan.finish(&mut out);
        out
    }

    /// How many bytes are kept back now.
    pub fn held(&self) -> usize {
        self.scan.held() + self.exact.as_ref().map_or(0, ExactScan::held)
    }
}

// The second pass saw the text with markers of the first; its places are led back.
fn merge(first: Vec<SecretFound>, second: Vec<SecretFound>) -> Vec<SecretFound> {
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let mut first = first.into_iter().peekable();
    // How much longer the original is than the text of the second pass, up to the place at hand.
    let mut shift = 0_isize;
    for mut found in second {
        let mut lead_back = |place: usize| {
            while let Some(earlier) = first.next_if(|earlier| {
                earlier.span.start.checked_add_signed(-shift).is_some_and(|start| start < place)
            }) {
                let marker = marker::OPENING.len() + earlier.kind.len() + 1;
                shift += earlier.span.len().cast_signed() - marker.cast_signed();
                merged.push(earlier);
            }
            place.checked_add_signed(shift).unwrap_or(place)
        };
        let start = lead_back(found.span.start);
        let end = lead_back(found.span.end);
        found.span = Span::new(start, end);
        merged.push(found);
    }
    merged.extend(first);
    merged.sort_by_key(|found| found.span);
    merged
}
