//! Other places that the lines of a lazy text may have been meant for.
//!
//! In: the lines of the old text and, for every run of lines between two markers, the old lines in
//! whose place it is. Out: whether a run could nearly as well be in the place of others, or begins or
//! ends with a line that the old text has elsewhere. Lines that
//! are nowhere in the old text are new wherever a run is and say nothing; of the others, a place is
//! as good as few of them lack there and few of its own lines go. Never: a choice between two places.

use super::keys::is_weak;
use super::{Unresolved, shown};
use std::collections::HashMap;
use std::ops::Range;

/// How many ends, each way, a place may have; a line in more places tells none.
const MOST_PLACES: usize = 24;
/// Lines that differ in so many more, and in more than twice as many, are another place.
const MARGIN: usize = 2;
/// Longer runs are told by their lines.
const MOST_LINES: usize = 400;

/// Lines of the lazy text and the old lines in whose place they are.
#[derive(Debug)]
pub(super) struct Window<'t> {
    pub(super) run: Vec<&'t str>,
    pub(super) old: Range<usize>,
}

/// Checks that no run could nearly as well be elsewhere between its neighbours.
pub(super) fn check(
    old: &[&str],
    places: &HashMap<&str, Vec<usize>>,
    windows: &[Window<'_>],
    key: fn(&str) -> &str,
) -> Result<(), Unresolved> {
    for (at, window) in windows.iter().enumerate() {
        let from = at.checked_sub(1).map_or(0, |before| windows[before].old.end);
        let to = windows.get(at + 1).map_or(old.len(), |after| after.old.start);
        let seek = Seek::new((old, places), key, window, from..to);
        let run = window.run.iter().copied();
        let there = old[window.old.clone()].iter().copied();
        let above = (at > 0).then(|| seek.stray(run.clone(), there.clone())).flatten();
        let below = || seek.stray(run.rev(), there.rev()).filter(|_| at + 1 < windows.len());
        if let Some(line) = above.or_else(below) {
            return Err(Unresolved::Unplaced { line: shown(line) });
        }
        if let Some(line) = seek.rival() {
            return Err(Unresolved::Ambiguous { line: shown(old[line]) });
        }
    }
    Ok(())
}

struct Seek<'s, 't> {
    old: &'s [&'s str],
    places: &'s HashMap<&'s str, Vec<usize>>,
    key: fn(&str) -> &str,
    window: &'s Window<'t>,
    room: Range<usize>,
    /// The run is written as deep as its place is, so that lines are told apart by their depth too.
    deep: bool,
}

impl<'s, 't> Seek<'s, 't> {
    fn new(
        (old, places): (&'s [&'s str], &'s HashMap<&'s str, Vec<usize>>),
        key: fn(&str) -> &str,
        window: &'s Window<'t>,
        room: Range<usize>,
    ) -> Self {
        let there = &old[window.old.clone()];
        let deep = window.run.iter().any(|line| {
            !is_weak(line) && there.iter().any(|old| old.trim_end() == line.trim_end())
        });
        Self { old, places, key, window, room, deep }
    }

    fn same(&self, one: &str, other: &str) -> bool {
        let depth = |line: &str| line.len() - line.trim_start().len();
        (self.key)(one) == (self.key)(other) && (!self.deep || depth(one) == depth(other))
    }

    fn is_known(&self, line: &str) -> bool {
        let places = self.places.get((self.key)(line)).map(Vec::as_slice).unwrap_or_default();
        places.iter().take(MOST_LINES).any(|&place| self.same(self.old[place], line))
    }

    // The line beside a marker, brackets apart, where the old text has it but not beside what the
    // marker keeps: it is that line, and in another place. Both go from the marker inwards.
    fn stray(
        &self,
        run: impl Iterator<Item = &'t str>,
        there: impl Iterator<Item = &'s str>,
    ) -> Option<&'t str> {
        let there = there.map(Some).chain(std::iter::repeat(None));
        let (line, old) = run.zip(there).find(|(line, _)| !is_weak(line))?;
        let paired = old.is_some_and(|old| self.same(old, line));
        let room = &self.old[self.room.clone()];
        (!paired && room.iter().any(|old| self.same(old, line))).then_some(line)
    }

    // The first line of another place that is nearly as good.
    fn rival(&self) -> Option<usize> {
        let window = self.window;
        let run = &window.run;
        if run.len() > MOST_LINES || window.old.len() > MOST_LINES {
            return None;
        }
        let known: Vec<&str> = run.iter().copied().filter(|line| self.is_known(line)).collect();
        let (first, last) = (*known.first()?, *known.last()?);
        // What is new at an end of the run may be in the place of as many old lines.
        let head = run.iter().take_while(|line| !self.is_known(line)).count();
        let tail = run.iter().rev().take_while(|line| !self.is_known(line)).count();
        let own = self.differences(&known, window.old.clone());
        let most = (own + MARGIN).max(2 * own);
        for &start in self.near(first, self.room.clone()) {
            let longest = (start + known.len() + most).min(self.room.end);
            for &end in self.near(last, start..longest) {
                let place = start..end + 1;
                let inside = (window.old.start..=window.old.start + head).contains(&start)
                    && end < window.old.end
                    && window.old.end <= end + 1 + tail;
                let fits = self.same(self.old[start], first) && self.same(self.old[end], last);
                if inside || !fits || place.len() + most < known.len() {
                    continue;
                }
                let says = self.old[place.clone()].iter().any(|line| !is_weak(line));
                if says && self.differences(&known, place.clone()) <= most && self.differs(&place) {
                    return Some(start);
                }
            }
        }
        None
    }

    fn near(&self, line: &str, room: Range<usize>) -> &[usize] {
        let all = self.places.get((self.key)(line)).map(Vec::as_slice).unwrap_or_default();
        let from = all.partition_point(|&place| place < room.start);
        let to = all.partition_point(|&place| place < room.end);
        &all[from..to.min(from + MOST_PLACES).max(from)]
    }

    // How many lines are on one side only.
    fn differences(&self, known: &[&str], place: Range<usize>) -> usize {
        let there = &self.old[place];
        let mut row = vec![0_usize; there.len() + 1];
        for line in known {
            let mut diagonal = 0;
            for (at, old) in there.iter().enumerate() {
                let above = row[at + 1];
                let same = self.same(old, line);
                row[at + 1] = if same { diagonal + 1 } else { above.max(row[at]) };
                diagonal = above;
            }
        }
        let common = row[there.len()];
        known.len() + there.len() - 2 * common
    }

    // Whether the text would be another one with the run in this place.
    fn differs(&self, place: &Range<usize>) -> bool {
        let result = |place: &Range<usize>| {
            let above = &self.old[self.room.start..place.start];
            let below = &self.old[place.end..self.room.end];
            [above, &self.window.run, below].concat()
        };
        let (one, other) = (result(place), result(&self.window.old));
        one.len() != other.len()
            || one.iter().zip(&other).any(|(one, other)| (self.key)(one) != (self.key)(other))
    }
}
