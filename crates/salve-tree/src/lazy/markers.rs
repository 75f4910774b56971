//! Comments that stand for code: kept code or removed code.
//!
//! In: a lazy text and a probe that recognises such comments. Out: the lines that are markers. Never:
//! a line that the old file has too.

use crate::{OmissionLine, StandsFor, SyntaxProbe};
use std::collections::HashSet;

/// What a comment stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkerKind {
    /// Code of the old file that stays.
    Keep,
    /// Code of the old file that goes.
    Remove,
}

/// A line that stands for code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    /// Its index, from 0.
    pub(super) line: usize,
    pub(super) kind: MarkerKind,
}

/// Finds the lines of a lazy text that stand for code. A line that the old file has too is text.
pub(super) fn find(path: &str, old: &str, lazy: &str, probe: &dyn SyntaxProbe) -> Vec<Marker> {
    let present: HashSet<&str> = old.lines().map(str::trim).collect();
    let lines: Vec<&str> = lazy.lines().map(str::trim).collect();
    let marker = |omission: OmissionLine| {
        let line = omission.line.checked_sub(1)?;
        let kind = match omission.stands_for {
            StandsFor::KeptCode | StandsFor::MaybeKeptCode => MarkerKind::Keep,
            StandsFor::RemovedCode => MarkerKind::Remove,
        };
        lines.get(line).filter(|text| !present.contains(*text)).map(|_| Marker { line, kind })
    };
    probe.omissions(path, lazy).into_iter().filter_map(marker).collect()
}
