//! What a secret looks like: a fixed beginning, then runs of characters of known classes.
//!
//! In: a view on text that may still grow, and a shape. Out: where the shape ends, or that it does
//! not fit. Never goes back: every part takes what it can once, so the work is bounded by the shape.

use super::view::View;

/// A set of ASCII characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Class(u128);

impl Class {
    pub(super) const DIGIT: Self = Self::of(b"0123456789");
    pub(super) const HEX: Self = Self::of(b"0123456789abcdef");
    pub(super) const ANY_HEX: Self = Self::of(b"0123456789abcdefABCDEF");
    pub(super) const UPPER: Self = Self::of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    pub(super) const LOWER: Self = Self::of(b"abcdefghijklmnopqrstuvwxyz0123456789");
    pub(super) const ALNUM: Self =
        Self::of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
    /// Letters, digits, `_` and `-`: the alphabet of most tokens and of URL-safe base64.
    pub(super) const TOKEN: Self = Self::ALNUM.with(b"_-");
    pub(super) const DOTTED: Self = Self::TOKEN.with(b".");
    pub(super) const BASE64: Self = Self::ALNUM.with(b"+/=");
    /// What a header's credential may be made of.
    pub(super) const CREDENTIAL: Self = Self::TOKEN.with(b".~+/=:%");

    /// The class of these characters.
    pub(super) const fn of(characters: &[u8]) -> Self {
        Self(0).with(characters)
    }

    pub(super) const fn with(self, characters: &[u8]) -> Self {
        let mut bits = self.0;
        let mut at = 0;
        while at < characters.len() {
            bits |= 1 << characters[at];
            at += 1;
        }
        Self(bits)
    }

    /// Returns whether the byte belongs to the class; bytes outside ASCII never do.
    pub(super) const fn has(self, byte: u8) -> bool {
        byte < 128 && self.0 >> byte & 1 == 1
    }
}

/// One part of a shape.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    /// Exactly this text.
    Text(&'static str),
    /// From `least` to `most` characters of a class, as many as there are.
    Run(Class, usize, usize),
}

/// At least this many characters of a class, and all that follow.
pub(super) const fn at_least(class: Class, count: usize) -> Part {
    Part::Run(class, count, usize::MAX)
}

/// How many characters of a class and no more.
pub(super) const fn exactly(class: Class, count: usize) -> Part {
    Part::Run(class, count, count)
}

/// Where a shape ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fit {
    /// Just past what is known to belong to the secret.
    pub(super) end: usize,
    /// The class whose characters, however many follow, belong to it too.
    pub(super) open: Option<Class>,
}

/// Fits the parts to the text from `at`; a run without a limit may only come last.
pub(super) fn fit(view: &View<'_>, at: usize, parts: &[Part]) -> Option<Fit> {
    let mut end = at;
    let mut last_class = None;
    for part in parts {
        match *part {
            Part::Text(text) => {
                if !view.starts_with(end, text) {
                    return None;
                }
                end += text.len();
                last_class = None;
            }
            Part::Run(class, least, usize::MAX) => {
                end = run(view, end, class, least, least)?;
                return Some(Fit { end, open: Some(class) });
            }
            Part::Run(class, least, most) => {
                end = run(view, end, class, least, most)?;
                last_class = Some(class);
            }
        }
    }
    // A run with a limit must really end there; an opening bracket may be a marker's, whose place
    // another text had before.
    let next = view.byte(end);
    let goes_on = next.is_some_and(|byte| {
        byte == b'['
            || byte.is_ascii_alphanumeric()
            || last_class.is_some_and(|class| class.has(byte))
    });
    (!goes_on).then_some(Fit { end, open: None })
}

// Takes up to `most` characters of the class; fewer than `least` is no fit.
fn run(view: &View<'_>, at: usize, class: Class, least: usize, most: usize) -> Option<usize> {
    let mut end = at;
    while end - at < most && view.byte(end).is_some_and(|byte| class.has(byte)) {
        end += 1;
    }
    (end - at >= least).then_some(end)
}
