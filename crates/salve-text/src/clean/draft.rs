//! A text on its way from raw to clean, with the origin of every byte.
//!
//! In: the raw text and, again and again, cuts in the current text. Out: the current text, and in
//! the end the list of asides in places of the raw text. Never forgets where a byte came from.

use super::reply::{Aside, AsideReason};
use salve_types::Span;

/// A part of the current text that goes, or becomes one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) span: Span,
    pub(super) reason: AsideReason,
    pub(super) becomes: Option<char>,
}

impl Cut {
    pub(super) const fn new(span: Span, reason: AsideReason) -> Self {
        Self { span, reason, becomes: None }
    }
}

/// The current text and where each piece of it stood in the raw text.
pub(super) struct Draft<'a> {
    raw: &'a str,
    text: String,
    pieces: Vec<Piece>,
    aside: Vec<Aside>,
}

// A run of the current text. A run that was kept as it stood has as many bytes as its origin; a
// changed one is a single character whose origin is an escape.
#[derive(Clone, Copy)]
struct Piece {
    start: usize,
    len: usize,
    origin: Span,
    changed: Option<(AsideReason, char)>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(raw: &'a str) -> Self {
        let piece =
            Piece { start: 0, len: raw.len(), origin: Span::new(0, raw.len()), changed: None };
        let pieces = if raw.is_empty() { Vec::new() } else { vec![piece] };
        Self { raw, text: raw.to_owned(), pieces, aside: Vec::new() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the place in the raw text that a span of the current text came from.
    pub(super) fn origin(&self, span: Span) -> Span {
        let start = self.origin_of_start(span.start);
        if span.is_empty() {
            return Span::new(start, start);
        }
        let at = self.pieces.partition_point(|piece| piece.start + piece.len < span.end);
        let end = self.pieces.get(at).map_or(self.raw.len(), |piece| match piece.changed {
            None => piece.origin.start + (span.end - piece.start),
            Some(_) => piece.origin.end,
        });
        Span::new(start, end.max(start))
    }

    fn origin_of_start(&self, offset: usize) -> usize {
        let at = self.pieces.partition_point(|piece| piece.start + piece.len <= offset);
        self.pieces.get(at).map_or(self.raw.len(), |piece| match piece.changed {
            None => piece.origin.start + (offset - piece.start),
            Some(_) => piece.origin.start,
        })
    }

    /// Makes the cuts, which are in order and do not overlap.
    pub(super) fn apply(&mut self, cuts: &[Cut]) {
        let pieces = std::mem::take(&mut self.pieces);
        let old = std::mem::take(&mut self.text);
        // Each cut makes at most one piece and splits another. The room is known before: growing would
        // hold the list twice.
        let room = pieces.len() + 2 * cuts.len();
        let mut builder =
            Builder { text: String::with_capacity(old.len()), pieces: Vec::with_capacity(room) };
        let mut remaining = cuts.iter().peekable();
        // Only the first origin of a changed cut carries the new character.
        let mut written = false;
        for piece in pieces {
            let end = piece.start + piece.len;
            let mut at = piece.start;
            while at < end {
                while remaining.peek().is_some_and(|cut| cut.span.end <= at) {
                    remaining.next();
                    written = false;
                }
                let Some(cut) = remaining.peek().filter(|cut| cut.span.start < end) else {
                    builder.keep(piece.part(at, end), &old[at..end]);
                    break;
                };
                let cut_start = cut.span.start.max(at);
                if at < cut_start {
                    builder.keep(piece.part(at, cut_start), &old[at..cut_start]);
                }
                let cut_end = cut.span.end.min(end);
                let part = piece.part(cut_start, cut_end);
                match cut.becomes.filter(|_| !written) {
                    Some(character) => {
                        builder.change(part.origin, cut.reason, character);
                        written = true;
                    }
                    None => self.aside.push(Aside {
                        span: part.origin,
                        reason: cut.reason,
                        becomes: None,
                    }),
                }
                at = cut_end;
            }
        }
        self.text = builder.text;
        self.pieces = builder.pieces;
    }

    /// Ends the work: the content, and all asides in the order of the raw text.
    pub(super) fn into_parts(self) -> (String, Vec<Aside>) {
        let mut aside = self.aside;
        aside.reserve_exact(self.pieces.iter().filter(|piece| piece.changed.is_some()).count());
        aside.extend(self.pieces.iter().filter_map(|piece| {
            let (reason, character) = piece.changed?;
            Some(Aside { span: piece.origin, reason, becomes: Some(character) })
        }));
        // No two are at the same place, and a stable sort would need half as much again.
        aside.sort_unstable_by_key(|aside| aside.span);
        aside.dedup_by(|next, previous| {
            let joins = next.span.start == previous.span.end
                && next.reason == previous.reason
                && next.becomes.is_none()
                && previous.becomes.is_none();
            if joins {
                previous.span.end = next.span.end;
            }
            joins
        });
        (self.text, aside)
    }
}

impl Piece {
    fn part(&self, from: usize, to: usize) -> Self {
        match self.changed {
            Some(_) => *self,
            None => {
                let start = self.origin.start + (from - self.start);
                let origin = Span::new(start, start + (to - from));
                Self { start: from, len: to - from, origin, changed: None }
            }
        }
    }
}

struct Builder {
    text: String,
    pieces: Vec<Piece>,
}

impl Builder {
    fn keep(&mut self, piece: Piece, text: &str) {
        self.pieces.push(Piece { start: self.text.len(), ..piece });
        self.text.push_str(text);
    }

    fn change(&mut self, origin: Span, reason: AsideReason, character: char) {
        self.pieces.push(Piece {
            start: self.text.len(),
            len: character.len_utf8(),
            origin,
            changed: Some((reason, character)),
        });
        self.text.push(character);
    }
}
