//! How much may be looked at: matching stays linear whatever a reply asks for.
//!
//! In: what a search or a comparison is about to cost. Out: whether it may be done. The bounds grow
//! with the file, so that an ordinary reply never meets them. Never: a wrong answer where a bound is
//! met; what cannot be looked at is not claimed.

use crate::FileText;
use std::cell::Cell;

/// How many times the lines of a file may be passed over.
const PASSES: usize = 32;
/// How many steps of comparing lines may be done per byte of a file.
const COMPARISONS: usize = 48;
/// Small files have this much more.
const AT_LEAST: usize = 1 << 21;

/// What was done, and what may still be done.
#[derive(Debug)]
pub(crate) struct Work {
    passes: Cell<usize>,
    comparisons: Cell<usize>,
    done: Cell<usize>,
}

impl Work {
    /// Begins with what a file of this size allows.
    pub(crate) fn for_text(text: &FileText) -> Self {
        let passes = PASSES.saturating_mul(text.line_count()).saturating_add(AT_LEAST / 16);
        let comparisons = COMPARISONS.saturating_mul(text.text().len()).saturating_add(AT_LEAST);
        Self { passes: Cell::new(passes), comparisons: Cell::new(comparisons), done: Cell::new(0) }
    }

    /// Takes the cost of a search that looks at this many lines; false when that is too much.
    pub(crate) fn may_pass(&self, lines: usize) -> bool {
        take(&self.passes, lines) && self.did(lines)
    }

    /// Takes note of lines that were looked at.
    pub(crate) fn passed(&self, lines: usize) {
        self.did(lines);
    }

    /// Takes the cost of comparing; false when nothing is left.
    pub(crate) fn may_compare(&self, steps: usize) -> bool {
        take(&self.comparisons, steps) && self.did(steps)
    }

    /// Takes note of what a comparison took.
    pub(crate) fn compared(&self, steps: usize) {
        self.comparisons.set(self.comparisons.get().saturating_sub(steps));
        self.did(steps);
    }

    /// Tells whether lines may still be compared.
    pub(crate) fn has_comparisons(&self) -> bool {
        self.comparisons.get() > 0
    }

    /// Returns how many steps were done.
    #[cfg(test)]
    pub(crate) fn done(&self) -> usize {
        self.done.get()
    }

    fn did(&self, steps: usize) -> bool {
        self.done.set(self.done.get().saturating_add(steps));
        true
    }
}

fn take(left: &Cell<usize>, cost: usize) -> bool {
    let rest = left.get().checked_sub(cost);
    left.set(rest.unwrap_or(0));
    rest.is_some()
}
