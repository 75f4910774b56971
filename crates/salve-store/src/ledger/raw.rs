//! What has arrived for a call and is not safe yet.
//!
//! In: redacted text from the call's owner. Out: pieces with their positions for the writer. Never
//! waits: the owner appends under a lock that is held for a copy only.

use crate::CallId;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A piece of this size is written at once.
const PIECE: usize = 16 << 10;

/// The text of one call on its way to the database.
#[derive(Debug)]
pub(crate) struct RawText {
    pub(crate) call: CallId,
    pub(crate) epoch: i64,
    cap: usize,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    text: String,
    next_position: i64,
    arrived: u64,
    kept: usize,
    announced: bool,
}

/// What the writer should be told after text was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Announce {
    /// Nothing: it knows.
    Nothing,
    /// There is text to be written soon.
    Soon,
    /// There is a piece to be written now.
    Now,
}

/// A piece that was taken out to be written.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) position: i64,
    pub(crate) text: String,
}

impl RawText {
    pub(crate) fn new(call: CallId, epoch: i64, cap: usize) -> Self {
        Self { call, epoch, cap, waiting: Mutex::default() }
    }

    /// Adds text that takes the place of `arrived` bytes as they came.
    pub(crate) fn push(&self, text: &str, arrived: usize) -> Announce {
        let mut waiting = self.waiting();
        waiting.arrived = waiting.arrived.saturating_add(arrived as u64);
        let room = self.cap.saturating_sub(waiting.kept);
        let text = beginning(text, room);
        if text.is_empty() {
            return Announce::Nothing;
        }
        waiting.kept += text.len();
        waiting.text.push_str(text);
        let announced = std::mem::replace(&mut waiting.announced, true);
        match (waiting.text.len() >= PIECE, announced) {
            (true, _) => Announce::Now,
            (false, false) => Announce::Soon,
            (false, true) => Announce::Nothing,
        }
    }

    /// Returns how many bytes arrived.
    pub(crate) fn arrived(&self) -> u64 {
        self.waiting().arrived
    }

    /// Takes out what waits.
    pub(crate) fn take(&self) -> Option<Piece> {
        let mut waiting = self.waiting();
        waiting.announced = false;
        if waiting.text.is_empty() {
            return None;
        }
        let position = waiting.next_position;
        waiting.next_position += 1;
        Some(Piece { position, text: std::mem::take(&mut waiting.text) })
    }

    /// Puts back what could not be written.
    pub(crate) fn put_back(&self, piece: Piece) {
        let mut waiting = self.waiting();
        let later = std::mem::replace(&mut waiting.text, piece.text);
        waiting.text.push_str(&later);
        waiting.next_position = piece.position;
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns as much of the beginning of a text as fits, in whole characters.
fn beginning(text: &str, room: usize) -> &str {
    let mut fits = room.min(text.len());
    while !text.is_char_boundary(fits) {
        fits -= 1;
    }
    text.get(..fits).unwrap_or_default()
}
