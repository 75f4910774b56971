//! Counts of changed lines.
//!
//! In: two contents. Out: how many lines came and went, as `git diff --numstat` counts them.
//! Never: a count for what git calls binary.

use imara_diff::{Algorithm, Diff, InternedInput, sources};
use serde::{Deserialize, Serialize};

/// How many lines a change touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stats {
    /// Lines that came.
    pub added: u64,
    /// Lines that went.
    pub removed: u64,
    /// Lines that came in the place of lines that went; they are in both other counts too.
    pub modified: u64,
}

impl Stats {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            added: self.added + other.added,
            removed: self.removed + other.removed,
            modified: self.modified + other.modified,
        }
    }
}

/// Counts the lines between two contents.
pub(crate) fn count(before: &[u8], after: &[u8]) -> Stats {
    let input = InternedInput::new(sources::byte_lines(before), sources::byte_lines(after));
    let diff = Diff::compute(Algorithm::Myers, &input);
    diff.hunks().fold(Stats::default(), |sum, hunk| {
        let (removed, added) = (hunk.before.len() as u64, hunk.after.len() as u64);
        sum.plus(Stats { added, removed, modified: added.min(removed) })
    })
}

/// Tells whether git would call a content binary.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes.get(..8000).unwrap_or(bytes)).is_some()
}
