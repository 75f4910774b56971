//! The pairing of two sequences of items at one depth.
//!
//! In: the items of a lazy text and of the old text below one pair. Out: the pairs in order, by
//! the most telling lines, with as few lines lost as can be. Never: a pair across a pair.

use super::Unresolved;
use super::keys::{is_weak, key_of};
use super::markers::MarkerKind;
use super::outline::Item;

/// How many cells the table of one depth may have.
const MAX_CELLS: usize = 500_000;
const IMPOSSIBLE: i64 = i64::MIN / 2;
/// One unit of evidence outweighs any number of lines that are lost.
const EVIDENCE: i64 = 1 << 32;
const SAME_LINE: i64 = 8;
const SAME_KEY: i64 = 6;
const WEAK_LINE: i64 = 1;

/// Which of two equally good pairings is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lean {
    Early,
    Late,
}

/// The items of one depth and the text they are of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level<'a> {
    pub(super) lines: &'a [&'a str],
    pub(super) items: &'a [Item],
}

// Where the pairing is since the last pair.
/// Directly after the pair.
const JUST: usize = 0;
/// After it, and no marker comes before the next pair: what is passed over is lost.
const TIGHT: usize = 1;
/// A marker must come before the next pair: what is passed over is kept.
const AHEAD: usize = 2;
/// A marker came since the last pair: what is passed over is kept.
const BEHIND: usize = 3;
const STATES: usize = 4;

/// What led to a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    /// An item of the old text is passed over.
    Skip,
    /// An item of the lazy text is new.
    New,
    Pair,
}

/// Pairs the items of a lazy text that are no markers with items of the old text. Returns indexes
/// into both levels.
pub(super) fn align(
    new: Level<'_>,
    old: Level<'_>,
    top_level: bool,
    lean: Lean,
) -> Result<Vec<(usize, usize)>, Unresolved> {
    let mut keeps = vec![false];
    let mut rows: Vec<usize> = Vec::new();
    for (index, item) in new.items.iter().enumerate() {
        match item.marker {
            None => {
                rows.push(index);
                keeps.push(false);
            }
            Some(MarkerKind::Keep) => keeps[rows.len()] = true,
            Some(MarkerKind::Remove) => {}
        }
    }
    if (rows.len() + 1).saturating_mul(old.items.len() + 1) > MAX_CELLS {
        return Err(Unresolved::TooLarge);
    }
    let evidence = Evidence::gather(new, &rows, old, top_level);
    let table = Table::fill(&evidence, &keeps, old);
    let pairs = table.walk_back(&evidence, &keeps, lean);
    Ok(pairs.into_iter().map(|(row, column)| (rows[row], column)).collect())
}

/// What a line is compared by.
struct Face<'a> {
    text: &'a str,
    key: Option<String>,
    weak: bool,
}

struct Evidence<'a> {
    new: Vec<Face<'a>>,
    old: Vec<Face<'a>>,
}

impl<'a> Evidence<'a> {
    fn gather(new: Level<'a>, rows: &[usize], old: Level<'a>, top_level: bool) -> Self {
        let face = |text: &'a str| {
            let text = text.trim();
            Face { text, key: key_of(text, top_level), weak: is_weak(text) }
        };
        Self {
            new: rows.iter().map(|row| face(new.lines[new.items[*row].line])).collect(),
            old: old.items.iter().map(|item| face(old.lines[item.line])).collect(),
        }
    }

    /// Weighs a pair; `None` when the lines are no pair. A weak line counts only directly after a
    /// pair or at both ends.
    fn weigh(&self, row: usize, column: usize, state: usize) -> Option<i64> {
        let (new, old) = (&self.new[row], &self.old[column]);
        if new.text == old.text {
            if !new.weak {
                return Some(SAME_LINE * EVIDENCE);
            }
            let last = row + 1 == self.new.len() && column + 1 == self.old.len();
            return (state == JUST || last).then_some(WEAK_LINE * EVIDENCE);
        }
        (new.key.is_some() && new.key == old.key).then_some(SAME_KEY * EVIDENCE)
    }
}

struct Table {
    rows: usize,
    columns: usize,
    scores: Vec<[i64; STATES]>,
    lost: Vec<i64>,
}

impl Table {
    fn fill(evidence: &Evidence<'_>, keeps: &[bool], old: Level<'_>) -> Self {
        let (rows, columns) = (evidence.new.len(), evidence.old.len());
        let lost = old
            .items
            .iter()
            .map(|item| i64::try_from(item.end - item.line).unwrap_or(i64::from(u32::MAX)))
            .collect();
        let scores = vec![[IMPOSSIBLE; STATES]; (rows + 1) * (columns + 1)];
        let mut table = Self { rows, columns, scores, lost };
        for row in 0..=rows {
            for column in 0..=columns {
                for state in 0..STATES {
                    let score = table.best(row, column, state, evidence, keeps);
                    let at = table.at(row, column);
                    table.scores[at][state] = score;
                }
            }
        }
        table
    }

    fn at(&self, row: usize, column: usize) -> usize {
        row * (self.columns + 1) + column
    }

    fn best(
        &self,
        row: usize,
        column: usize,
        state: usize,
        evidence: &Evidence<'_>,
        keeps: &[bool],
    ) -> i64 {
        if row == 0 && column == 0 {
            return if matches!(state, JUST | AHEAD) { 0 } else { IMPOSSIBLE };
        }
        let mut best = IMPOSSIBLE;
        self.each_way((row, column, state), evidence, keeps, |_, _, score| best = best.max(score));
        best
    }

    /// Calls back with every way that leads to a cell: the move, the cell before, the score.
    fn each_way(
        &self,
        (row, column, state): (usize, usize, usize),
        evidence: &Evidence<'_>,
        keeps: &[bool],
        mut way: impl FnMut(Move, (usize, usize, usize), i64),
    ) {
        let mut offer = |step: Move, from: (usize, usize, usize), gain: i64| {
            let score = self.scores[self.at(from.0, from.1)][from.2];
            if score > IMPOSSIBLE {
                way(step, from, score + gain);
            }
        };
        if column > 0 {
            let lost = if state == TIGHT { -self.lost[column - 1] } else { 0 };
            for before in before_skip(state) {
                offer(Move::Skip, (row, column - 1, *before), lost);
            }
        }
        if row > 0 {
            for before in before_new(state, keeps[row - 1]) {
                offer(Move::New, (row - 1, column, *before), 0);
            }
        }
        if row > 0 && column > 0 && matches!(state, JUST | AHEAD) {
            for before in before_pair(keeps[row - 1]) {
                if let Some(gain) = evidence.weigh(row - 1, column - 1, *before) {
                    offer(Move::Pair, (row - 1, column - 1, *before), gain);
                }
            }
        }
    }

    /// Walks from the end to the beginning along one of the best ways.
    fn walk_back(
        &self,
        evidence: &Evidence<'_>,
        keeps: &[bool],
        lean: Lean,
    ) -> Vec<(usize, usize)> {
        let last = self.at(self.rows, self.columns);
        let ends = before_pair(keeps[self.rows]);
        let Some(state) = ends.iter().max_by_key(|state| self.scores[last][**state]) else {
            return Vec::new();
        };
        let mut cell = (self.rows, self.columns, *state);
        let mut pairs = Vec::new();
        while cell.0 > 0 || cell.1 > 0 {
            let goal = self.scores[self.at(cell.0, cell.1)][cell.2];
            let mut chosen: Option<(Move, (usize, usize, usize))> = None;
            self.each_way(cell, evidence, keeps, |step, from, score| {
                let better = |held: Move| match lean {
                    Lean::Early => rank(step) < rank(held),
                    Lean::Late => rank(step) > rank(held),
                };
                if score == goal && chosen.is_none_or(|(held, _)| better(held)) {
                    chosen = Some((step, from));
                }
            });
            let Some((step, from)) = chosen else { break };
            if step == Move::Pair {
                pairs.push((from.0, from.1));
            }
            cell = from;
        }
        pairs.reverse();
        pairs
    }
}

/// Orders the moves by how late a pair comes when the move is taken on the way back.
const fn rank(step: Move) -> u8 {
    match step {
        Move::Skip => 0,
        Move::New => 1,
        Move::Pair => 2,
    }
}

const fn before_skip(state: usize) -> &'static [usize] {
    match state {
        TIGHT => &[JUST, TIGHT],
        AHEAD => &[AHEAD],
        BEHIND => &[BEHIND],
        _ => &[],
    }
}

const fn before_new(state: usize, marker_before: bool) -> &'static [usize] {
    match (state, marker_before) {
        (TIGHT, false) => &[JUST, TIGHT],
        (AHEAD, false) => &[AHEAD],
        (BEHIND, false) => &[BEHIND],
        (BEHIND, true) => &[AHEAD, BEHIND],
        _ => &[],
    }
}

/// The states from which a pair, or the end, can follow.
const fn before_pair(marker_before: bool) -> &'static [usize] {
    if marker_before { &[AHEAD, BEHIND] } else { &[JUST, TIGHT, BEHIND] }
}
