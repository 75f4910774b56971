//! A document that begins again: `{"a": "x{"a": "xyz", …`.
//!
//! In: a place where the text stopped fitting. Out: the place where the value begins a second time, if
//! all that came before it is repeated there. Never looks at more than a few places, nor compares more
//! than a fixed number of bytes.

use super::machine::{Machine, Step, WINDOW};

// Fewer bytes than these are repeated by chance.
const SHORTEST_REPEAT: usize = 4;
// How far back the second beginning is looked for, and how many places are tried.
const LOOK_BACK: usize = 512;
const MOST_PLACES: usize = 16;
// How many bytes are compared.
const MOST_COMPARED: usize = 512;

impl Machine {
    /// Begins the value again where its beginning is repeated at `until` or shortly before. Gives
    /// whether it did.
    pub(super) fn begin_again(&mut self, until: usize) -> Step<bool> {
        let start = self.begun.0;
        if self.stack.is_empty() || until < start + SHORTEST_REPEAT {
            return Ok(false);
        }
        let floor = (start + SHORTEST_REPEAT).max(until.saturating_sub(LOOK_BACK));
        self.byte(until + WINDOW)?;
        let first = self.bytes()[start];
        let mut tried = 0;
        // The seam may be in the string after this one.
        for at in (floor..until + WINDOW).rev() {
            if self.bytes().get(at) != Some(&first) {
                continue;
            }
            tried += 1;
            if tried > MOST_PLACES {
                break;
            }
            if self.is_repeated(start, at)? {
                self.restart(at);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_repeated(&self, start: usize, at: usize) -> Step<bool> {
        // What is between the end of the first attempt and the second may be a break.
        let end = super::quote::rskip_blank(self.bytes(), start, at);
        if end < start + SHORTEST_REPEAT {
            return Ok(false);
        }
        for offset in 0..(end - start).min(MOST_COMPARED) {
            if self.byte(at + offset)? != Some(self.bytes()[start + offset]) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    // What was read up to here becomes words before the value.
    pub(super) fn restart(&mut self, at: usize) {
        let keep = self.tree.edits.partition_point(|edit| (edit.start as usize) < at);
        self.truncate_edits(keep.max(self.begun.2.min(keep)));
        self.stack.clear();
        self.open = [0; 4];
        self.token = None;
        self.begin_value(at);
    }
}
