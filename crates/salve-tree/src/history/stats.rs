//! Counts of changed lines.
//!
//! In: two contents. Out: how many lines came and went, as `git diff --numstat` counts them.
//! Never: a count for what git calls binary.
//!
//! A shortest edit script has one length, however it is found. But git does not always look for the
//! shortest: before it compares, it sets aside lines that occur often and are among lines that the
//! other file does not have. To count as git does, the same lines are set aside here.

use imara_diff::{Algorithm, Diff, InternedInput, Token, sources};
use serde::{Deserialize, Serialize};
use similar::{Algorithm as Shortest, DiffOp, capture_diff_slices};
use std::ops::Range;

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

/// Lines above which no shortest script is sought; git too gives up on it then.
const MOST_LINES: usize = 8_000;

/// How far git looks around a frequent line.
const WINDOW: usize = 100;

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
    let (old, new) = (&input.before, &input.after);
    let (old_middle, new_middle) = differing(old, new);
    let old_kept = compared(old, new, old_middle.clone());
    let new_kept = compared(new, old, new_middle.clone());
    if old_kept.len() + new_kept.len() > MOST_LINES {
        return count_roughly(&input);
    }
    let tokens = |side: &[Token], kept: &[usize]| -> Vec<u32> {
        kept.iter().filter_map(|at| side.get(*at)).map(|token| token.0).collect()
    };
    let ops =
        capture_diff_slices(Shortest::Myers, &tokens(old, &old_kept), &tokens(new, &new_kept));
    let mut pairs = Vec::new();
    for op in &ops {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            let both = old_kept.iter().skip(*old_index).zip(new_kept.iter().skip(*new_index));
            pairs.extend(both.take(*len).map(|(old, new)| (*old, *new)));
        }
    }
    pairs.push((old_middle.end, new_middle.end));
    sum_gaps((old_middle.start, new_middle.start), &pairs)
}

/// Tells whether git would call a content binary.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes.get(..8000).unwrap_or(bytes)).is_some()
}

/// Counts what lies between lines that stayed.
fn sum_gaps(start: (usize, usize), stayed: &[(usize, usize)]) -> Stats {
    let (mut old, mut new) = start;
    let mut sum = Stats::default();
    for (next_old, next_new) in stayed {
        let removed = (next_old - old) as u64;
        let added = (next_new - new) as u64;
        sum = sum.plus(Stats { added, removed, modified: added.min(removed) });
        (old, new) = (next_old + 1, next_new + 1);
    }
    sum
}

fn count_roughly(input: &InternedInput<&[u8]>) -> Stats {
    Diff::compute(Algorithm::Myers, input).hunks().fold(Stats::default(), |sum, hunk| {
        let (removed, added) = (hunk.before.len() as u64, hunk.after.len() as u64);
        sum.plus(Stats { added, removed, modified: added.min(removed) })
    })
}

/// Leaves out the lines at both ends that are equal.
fn differing(old: &[Token], new: &[Token]) -> (Range<usize>, Range<usize>) {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - start;
    let ends = old.iter().rev().zip(new.iter().rev());
    let end = ends.take(rest).take_while(|(old, new)| old == new).count();
    (start..old.len() - end, start..new.len() - end)
}

/// How often a line occurs in the other file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Matches {
    None,
    Few,
    Many,
}

/// Lists the lines of one side that are compared at all.
fn compared(own: &[Token], other: &[Token], middle: Range<usize>) -> Vec<usize> {
    let mut counts: Vec<usize> = Vec::new();
    for token in other {
        let at = token.0 as usize;
        if counts.len() <= at {
            counts.resize(at + 1, 0);
        }
        counts[at] += 1;
    }
    let many = rough_root(own.len()).min(1024);
    let matches: Vec<Matches> = own[middle.clone()]
        .iter()
        .map(|token| match counts.get(token.0 as usize).copied().unwrap_or(0) {
            0 => Matches::None,
            count if count >= many => Matches::Many,
            _ => Matches::Few,
        })
        .collect();
    let kept = matches.iter().enumerate().filter(|(at, own)| match own {
        Matches::None => false,
        Matches::Few => true,
        Matches::Many => !is_lost(&matches, *at),
    });
    kept.map(|(at, _)| middle.start + at).collect()
}

/// Tells whether a frequent line is in a run in which most lines have no match, on both sides.
fn is_lost(matches: &[Matches], at: usize) -> bool {
    let run = |lines: &mut dyn Iterator<Item = &Matches>| {
        let (mut none, mut many) = (0, 1);
        for line in lines.take(WINDOW) {
            match line {
                Matches::None => none += 1,
                Matches::Many => many += 1,
                Matches::Few => break,
            }
        }
        (none, many)
    };
    let (none_before, many_before) = run(&mut matches[..at].iter().rev());
    let (none_after, many_after) = run(&mut matches[at + 1..].iter());
    let (none, many) = (none_before + none_after, many_before + many_after);
    none_before > 0 && none_after > 0 && many * 3 < none
}

/// The power of two that git takes for a square root.
fn rough_root(number: usize) -> usize {
    let bits = usize::BITS - number.leading_zeros();
    1 << bits.div_ceil(2)
}
