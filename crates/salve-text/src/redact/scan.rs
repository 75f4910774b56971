//! The pass over a text that replaces secrets by their markers.
//!
//! In: text in pieces. Out: the text that is certain, piece by piece, and where secrets were. Never
//! decides at the edge of what has come: it keeps back what it needs to decide, which is bounded.

use super::SecretFound;
use super::finders::{Finders, Sighting, What};
use super::key_block::{self, Next};
use super::kinds::LONGEST_BACK;
use super::marker;
use super::shape::Class;
use super::view::{CONTEXT, View};
use crate::lines::floor_boundary;
use salve_types::Span;
use std::borrow::Cow;
use std::sync::Arc;

const KEY: &str = "private-key";

/// A pass over one text.
#[derive(Debug)]
pub(super) struct Scan {
    finders: Arc<Finders>,
    state: State,
    /// A little output, then what is kept back.
    kept: String,
    /// Places in `kept`: up to where it was written, from where to look, since where it is unchanged.
    written: usize,
    at: usize,
    floor: usize,
    /// How many bytes of the text came before `kept`.
    offset: usize,
    found: Vec<SecretFound>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Looking for the next lead.
    Text,
    /// Inside a secret, as long as characters of the class follow.
    Secret(Class),
    /// Between the lines of a private key.
    Key(Reading),
    /// Inside a line of a private key.
    KeyLine,
}

/// How far the reading of a private key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The heading was read.
    First,
    /// A line was read.
    On,
    /// Something that stays is between two lines; the next one gets a marker of its own.
    Anew,
}

impl Scan {
    pub(super) const fn new(finders: Arc<Finders>) -> Self {
        Self {
            finders,
            state: State::Text,
            kept: String::new(),
            written: 0,
            at: 0,
            floor: 0,
            offset: 0,
            found: Vec::new(),
        }
    }

    /// Takes a piece and writes what is certain.
    pub(super) fn push(&mut self, piece: &str, out: &mut String) {
        if self.kept.is_empty() {
            self.advance(piece, false, out);
            self.keep(piece);
        } else {
            let mut text = std::mem::take(&mut self.kept);
            text.push_str(piece);
            self.advance(&text, false, out);
            self.keep(&text);
        }
    }

    /// Writes the rest.
    pub(super) fn finish(&mut self, out: &mut String) {
        let text = std::mem::take(&mut self.kept);
        self.whole(&text, out);
    }

    /// Takes the last piece of a text, or all of it, without a copy.
    pub(super) fn whole(&mut self, text: &str, out: &mut String) {
        self.advance(text, true, out);
        (self.written, self.at, self.floor) = (0, 0, 0);
        self.state = State::Text;
        self.offset += text.len();
    }

    /// Returns what was found since the last call.
    pub(super) fn take_found(&mut self) -> Vec<SecretFound> {
        std::mem::take(&mut self.found)
    }

    /// How many bytes are kept back.
    pub(super) const fn held(&self) -> usize {
        self.kept.len()
    }

    // Keeps what is not written, and a little before it.
    fn keep(&mut self, text: &str) {
        let from = floor_boundary(text, self.written.saturating_sub(CONTEXT))
            .max(self.floor.min(self.written));
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        kept.push_str(text.get(from..).unwrap_or_default());
        self.kept = kept;
        self.written -= from;
        self.at -= from;
        self.floor = self.floor.saturating_sub(from);
        self.offset += from;
    }

    fn advance(&mut self, text: &str, whole: bool, out: &mut String) {
        loop {
            let more = match self.state {
                State::Text => self.look(text, whole, out),
                State::Secret(class) => self.pass_over(text, class, State::Text),
                State::KeyLine => self.pass_over(text, key_block::BODY, State::Key(Reading::On)),
                State::Key(reading) => self.read_key(text, whole, reading, out),
            };
            if !more {
                return;
            }
        }
    }

    // Looks for one secret; returns whether there is more to do with what has come.
    fn look(&mut self, text: &str, whole: bool, out: &mut String) -> bool {
        let view = View::new(text, self.floor, whole);
        // Past this place a lead may be cut.
        let clear = if whole {
            text.len()
        } else {
            (text.len() + 1).saturating_sub(self.finders.longest())
        };
        while let Some((place, lead)) = self.finders.next(text, self.at) {
            if place >= clear {
                break;
            }
            let sighting = self.finders.look(&view, place, lead);
            if view.take_starved() {
                self.at = place;
                self.write_to(text, place.saturating_sub(LONGEST_BACK), out);
                return false;
            }
            // Nothing but ASCII can begin a lead, so one byte further is between characters.
            self.at = place + 1;
            if let Some(sighting) = sighting {
                self.replace(text, sighting, out);
                return true;
            }
        }
        self.at = self.at.max(floor_boundary(text, clear));
        let certain = if whole { text.len() } else { self.at.saturating_sub(LONGEST_BACK) };
        self.write_to(text, certain, out);
        false
    }

    fn replace(&mut self, text: &str, sighting: Sighting, out: &mut String) {
        match sighting.what {
            What::Marker => {
                self.write_to(text, sighting.end, out);
                self.move_to(sighting.end);
            }
            What::Secret(kind, open) => {
                self.write_to(text, sighting.start, out);
                self.mark(kind, sighting.start, sighting.end, out);
                self.state = open.map_or(State::Text, State::Secret);
            }
            What::KeyHeading => {
                self.write_to(text, sighting.start, out);
                self.mark(Cow::Borrowed(KEY), sighting.start, sighting.end, out);
                self.state = State::Key(Reading::First);
            }
        }
    }

    fn pass_over(&mut self, text: &str, class: Class, then: State) -> bool {
        let rest = text.as_bytes().get(self.at..).unwrap_or_default();
        let count = rest.iter().take_while(|&&byte| class.has(byte)).count();
        self.hide_to(self.at + count);
        if count < rest.len() {
            self.state = then;
        }
        count < rest.len()
    }

    fn read_key(&mut self, text: &str, whole: bool, reading: Reading, out: &mut String) -> bool {
        let view = View::new(text, self.floor, whole);
        let next = key_block::next(&view, self.at, reading == Reading::First);
        if view.take_starved() {
            return false;
        }
        let (end, then) = match next {
            Next::Line(end) => (end, State::KeyLine),
            Next::Key(end) => {
                (end, State::Key(if reading == Reading::First { reading } else { Reading::On }))
            }
            Next::End(end) => (end, State::Text),
            Next::Between(end) => {
                self.write_to(text, end, out);
                self.move_to(end);
                self.state = State::Key(Reading::Anew);
                return true;
            }
        };
        self.state = then;
        match (reading, then) {
            // A closing line of its own tells nothing.
            (Reading::Anew, State::Text) => {}
            (Reading::Anew, _) => self.mark(Cow::Borrowed(KEY), self.at, end, out),
            _ => self.hide_to(end),
        }
        true
    }

    fn write_to(&mut self, text: &str, end: usize, out: &mut String) {
        let end = floor_boundary(text, end);
        if let Some(piece) = text.get(self.written..end) {
            out.push_str(piece);
            self.written = end;
        }
    }

    fn mark(&mut self, kind: Cow<'static, str>, start: usize, end: usize, out: &mut String) {
        marker::write(out, &kind);
        self.found
            .push(SecretFound { kind, span: Span::new(self.offset + start, self.offset + end) });
        self.move_to(end);
    }

    // More bytes belong to the secret that was found last.
    fn hide_to(&mut self, end: usize) {
        if let Some(last) = self.found.last_mut() {
            last.span.end = self.offset + end;
        }
        self.move_to(end);
    }

    const fn move_to(&mut self, end: usize) {
        self.at = end;
        self.written = end;
        self.floor = end;
    }
}
