//! The rung of likelihood, and what is nearest to a hunk that has no place.
//!
//! In: a hunk and an indexed file. Out: the one place that is at least 0.90 alike, with every other
//! at least 0.10 behind, or the nearest places for a refusal. Never: a place larger than one and a
//! half times what was asked for, nor one where a line that goes away is less than 0.80 alike.

use super::index::{Index, Level};
use super::ladder::{Indentation, Search, Sought};
use super::pattern::{OldLine, Pattern, weight};
use super::refusal;
use super::{HunkRefusal, HunkRefusalReason, Rung};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

const ENOUGH: f64 = 0.90;
const MARGIN: f64 = 0.10;
const REMOVED_ENOUGH: f64 = 0.80;
const LONGEST_SPAN: f64 = 1.5;
/// Longer hunks are not compared line by line.
const MOST_LINES: usize = 200;
/// How many places are compared closely.
const MOST_PLACES: usize = 8;
/// A line that is in more places tells nothing about where to look.
const COMMON: usize = 32;
/// How far lines may have moved against each other inside a place.
const SLACK: usize = 6;
/// How many places are told apart: the best, its rival and one more.
const MOST_SHOWN: usize = 3;
/// What a line of the file between two others costs, so that equal lines pair with the nearest.
const GAP: f64 = 0.01;
/// A place this much alike may be where a hunk belonged before it was edited.
pub(crate) const RIVAL: f64 = 0.3;
/// The same for a hunk that is somewhere exactly and says enough to be told by its lines.
pub(crate) const STRONG_RIVAL: f64 = 0.6;
/// So many lines of context that say something tell a place whose other lines were edited since.
const ENOUGH_CONTEXT: usize = 2;
/// A nearest place less alike than this does not help.
const WORTH_SHOWING: f64 = 0.4;

/// Seeks the place that is like the hunk and unlike every other.
pub(crate) fn seek<'h>(index: &Index<'_>, pattern: &Pattern<'h>) -> Sought<'h> {
    let likely = likely(index, pattern, MOST_SHOWN);
    let Some(best) = likely.first() else { return Sought::Refused(not_found(index, pattern)) };
    let rival = likely.iter().skip(1).find(|other| other.score > best.score - MARGIN);
    if best.score >= ENOUGH && rival.is_none() && fits(pattern, best) {
        return Sought::Lines(aligned(index, pattern, best));
    }
    Sought::Refused(report(index, pattern, &likely))
}

/// Says that a hunk has no place and what is nearest.
pub(crate) fn not_found(index: &Index<'_>, pattern: &Pattern<'_>) -> HunkRefusal {
    report(index, pattern, &likely(index, pattern, MOST_SHOWN))
}

/// Finds a place that looks like the hunk edited since, apart from the lines `found`, and tells how
/// alike it is. At least `least` of what the hunk says must be there.
pub(crate) fn rival(
    index: &Index<'_>,
    pattern: &Pattern<'_>,
    found: &Range<usize>,
    least: f64,
) -> Option<(Range<usize>, f64)> {
    let apart = |place: &Likely| place.lines.end <= found.start || place.lines.start >= found.end;
    let mut places = likely(index, pattern, MOST_PLACES).into_iter().filter(apart);
    let worth = |line: &OldLine<'_>| (weight(&line.text) + 1) as f64;
    let total: f64 = pattern.old.iter().map(worth).sum();
    places
        .find(|place| {
            // What came in between since does not make the lines that are left less telling.
            let pairs = pattern.old.iter().zip(&place.pairs);
            let seen: f64 = pairs.map(|(line, pair)| pair.map_or(0.0, |_| worth(line))).sum();
            seen >= least * total || has_all_context(pattern, place)
        })
        // What differs somewhere is never wholly alike.
        .map(|place| (place.lines, place.score.min(0.99)))
}

// Everything that a hunk says would stay is there, and only what it would change is not.
fn has_all_context(pattern: &Pattern<'_>, place: &Likely) -> bool {
    let pairs = pattern.old.iter().zip(&place.pairs);
    let stays = pairs.filter(|(line, _)| line.kept && weight(&line.text) > 0);
    let same = |pair: &Option<(usize, f64)>| pair.is_some_and(|(_, alike)| alike >= 1.0);
    let (mut count, mut all) = (0, true);
    for (_, pair) in stays {
        count += 1;
        all &= same(pair);
    }
    all && count >= ENOUGH_CONTEXT
}

/// A place that is like a hunk.
struct Likely {
    lines: Range<usize>,
    score: f64,
    // For each old line the line of the file it is like, and how much.
    pairs: Vec<Option<(usize, f64)>>,
}

fn fits(pattern: &Pattern<'_>, likely: &Likely) -> bool {
    let span = likely.lines.len() as f64 <= LONGEST_SPAN * pattern.old.len() as f64;
    let removed = pattern.runs.iter().all(|run| {
        let pairs = &likely.pairs[run.removed.clone()];
        let alike = pairs.iter().all(|pair| pair.is_some_and(|(_, alike)| alike >= REMOVED_ENOUGH));
        let lines: Vec<_> = pairs.iter().flatten().map(|(line, _)| *line).collect();
        alike && lines.windows(2).all(|pair| pair[0] + 1 == pair[1])
    });
    span && removed
}

// The same hunk with the lines of the file that it did not know; what it seeks in vain is left out.
fn aligned<'h>(index: &Index<'_>, pattern: &Pattern<'h>, likely: &Likely) -> Search<'h> {
    let mut old: Vec<OldLine<'h>> = Vec::new();
    let mut moved = Vec::with_capacity(pattern.old.len() + 1);
    let first = likely.lines.start;
    for (line, pair) in pattern.old.iter().zip(&likely.pairs) {
        if let Some((place, _)) = pair {
            let unknown = first + old.len()..*place;
            old.extend(unknown.map(|line| OldLine {
                text: Cow::from(index.text().line(line).to_owned()),
                kept: true,
            }));
            moved.push(old.len());
            old.push(line.clone());
        } else {
            moved.push(old.len());
        }
    }
    moved.push(old.len());
    let mut aligned = Pattern { old, ..pattern.clone() };
    for run in &mut aligned.runs {
        let length = run.removed.len();
        // An insertion stays below the line it was written under.
        let at = match run.removed.start.checked_sub(1) {
            Some(above) if length == 0 && likely.pairs[above].is_some() => moved[above] + 1,
            _ => moved[run.removed.start],
        };
        run.removed = at..at + length;
    }
    Search {
        pattern: aligned,
        rung: Rung::Scored,
        score: likely.score,
        places: vec![first],
        indentation: Indentation::Nearest,
    }
}

// The places most like the hunk, best first, none touching another. What was edited much is far behind
// places that have a line by chance, so that a rival is sought among more than are shown.
fn likely(index: &Index<'_>, pattern: &Pattern<'_>, most: usize) -> Vec<Likely> {
    let nothing = pattern.old.is_empty() || index.text().line_count() == 0;
    if nothing || pattern.old.len() > MOST_LINES || !index.work().has_comparisons() {
        return vec![];
    }
    let starts = starts(index, pattern);
    let mut known = HashMap::new();
    let mut taken: Vec<Range<usize>> = Vec::new();
    let mut places = Vec::new();
    // Places may be nearer to each other than the lines compared around a start, so that each is
    // sought among the lines that those before it left.
    while places.len() < most {
        let compared =
            starts.iter().map(|&start| compare(index, pattern, start, &taken, &mut known));
        let best = compared.filter(|place| !place.lines.is_empty()).reduce(|best, other| {
            let earlier = other.score == best.score && other.lines.start < best.lines.start;
            if other.score > best.score || earlier { other } else { best }
        });
        let Some(best) = best else { break };
        taken.push(best.lines.clone());
        places.push(best);
    }
    places
}

// Where to look: every line that is rare votes for the start it implies.
fn starts(index: &Index<'_>, pattern: &Pattern<'_>) -> Vec<usize> {
    let mut votes: HashMap<usize, usize> = HashMap::new();
    let mut vote = |line: usize, offset: usize, weight: usize| {
        *votes.entry((line + SLACK).saturating_sub(offset) / 2).or_default() += weight;
    };
    for (offset, line) in pattern.old.iter().enumerate() {
        let places = index.places(Level::Trimmed, &line.text);
        let weight = weight(&line.text);
        if weight > 0 && places.len() <= COMMON {
            places.iter().for_each(|&place| vote(place as usize, offset, 2 * weight));
        }
    }
    // The line that says most may have changed a little: it is compared with every line.
    let heaviest = pattern.old.iter().enumerate().max_by_key(|(_, line)| weight(&line.text));
    if let Some((offset, line)) = heaviest {
        for place in index.alike(&line.text, REMOVED_ENOUGH) {
            vote(place, offset, weight(&line.text));
        }
    }
    let mut votes: Vec<_> = votes.into_iter().collect();
    votes.sort_unstable_by_key(|&(start, count)| (std::cmp::Reverse(count), start));
    votes.truncate(MOST_PLACES);
    votes.into_iter().map(|(start, _)| (2 * start).saturating_sub(SLACK)).collect()
}

// The best alignment of the hunk with the lines around a start: old lines in order, each with one
// line of the file or none.
fn compare(
    index: &Index<'_>,
    pattern: &Pattern<'_>,
    start: usize,
    taken: &[Range<usize>],
    known: &mut HashMap<(usize, usize), f64>,
) -> Likely {
    let text = index.text();
    let from = start.saturating_sub(SLACK / 2);
    let count = pattern.old.len();
    let width = 2 * SLACK + 2;
    let end = text.line_count();
    // Cell (i, j) is about the first i old lines and the lines of the file before `from + i + j`.
    let mut best = vec![vec![0.0_f64; width + 1]; count + 1];
    let mut step = vec![vec![Step::SkipFile; width + 1]; count + 1];
    for (i, line) in pattern.old.iter().enumerate() {
        let worth = (weight(&line.text) + 1) as f64;
        for j in 0..width {
            let place = from + i + j;
            let free = place < end && !taken.iter().any(|taken| taken.contains(&place));
            let compare = || index.similarity(line.text.trim(), text.line(place).trim());
            let alike = if free { *known.entry((i, place)).or_insert_with(compare) } else { 0.0 };
            let paired = if alike >= 0.5 { best[i][j] + worth * alike } else { f64::MIN };
            let skip_old = best[i][j + 1];
            let skip_file = if j > 0 { best[i + 1][j - 1] - GAP } else { f64::MIN };
            let choice = [
                (paired, Step::Pair(alike)),
                (skip_old, Step::SkipOld),
                (skip_file, Step::SkipFile),
            ]
            .into_iter()
            .reduce(|a, b| if b.0 > a.0 { b } else { a });
            if let Some((score, chosen)) = choice {
                best[i + 1][j] = score;
                step[i + 1][j] = chosen;
            }
        }
        best[i + 1][width] = best[i + 1][width - 1];
    }
    traced(index, pattern, from, &best, &step)
}

#[derive(Clone, Copy)]
enum Step {
    Pair(f64),
    SkipOld,
    SkipFile,
}

fn traced(
    index: &Index<'_>,
    pattern: &Pattern<'_>,
    from: usize,
    best: &[Vec<f64>],
    step: &[Vec<Step>],
) -> Likely {
    let count = pattern.old.len();
    let mut pairs = vec![None; count];
    let mut i = count;
    let mut j = (0..best[count].len() - 1)
        .max_by(|&a, &b| best[count][a].total_cmp(&best[count][b]))
        .unwrap_or(0);
    while i > 0 {
        match step[i][j] {
            Step::Pair(alike) => {
                pairs[i - 1] = Some((from + i - 1 + j, alike));
                i -= 1;
            }
            Step::SkipOld => {
                i -= 1;
                j += 1;
                j = j.min(best[i].len() - 1);
            }
            Step::SkipFile if j > 0 => j -= 1,
            Step::SkipFile => i -= 1,
        }
    }
    let lines: Vec<_> = pairs.iter().flatten().map(|(line, _)| *line).collect();
    let span = match (lines.first(), lines.last()) {
        (Some(first), Some(last)) => *first..last + 1,
        _ => 0..0,
    };
    let worth = |line: &str| (weight(line) + 1) as f64;
    let total: f64 = pattern.old.iter().map(|line| worth(&line.text)).sum();
    let gained: f64 = pattern
        .old
        .iter()
        .zip(&pairs)
        .map(|(line, pair)| pair.map_or(0.0, |(_, alike)| worth(&line.text) * alike))
        .sum();
    let unknown: f64 = span
        .clone()
        .filter(|line| lines.binary_search(line).is_err())
        .map(|line| worth(index.text().line(line)))
        .sum();
    Likely { lines: span, score: gained / (total + unknown), pairs }
}

fn report(index: &Index<'_>, pattern: &Pattern<'_>, likely: &[Likely]) -> HunkRefusal {
    let text = index.text();
    let near: Vec<_> = likely
        .iter()
        .filter(|likely| likely.score >= WORTH_SHOWING)
        .map(|likely| (likely.lines.clone(), likely.score))
        .collect();
    let missing = pattern.old.iter().find(|line| {
        !line.text.trim().is_empty() && index.places(Level::Folded, &line.text).is_empty()
    });
    let mut message = "the lines sought are not in the file".to_owned();
    if let Some(line) = missing {
        let shown: String = line.text.trim().chars().take(80).collect();
        message.push_str(&format!("; `{shown}` is nowhere in it"));
    }
    match near.first() {
        Some((lines, score)) => message.push_str(&format!(
            "; nearest are lines {} to {} ({:.0} % alike): copy them exactly as they are",
            lines.start + 1,
            lines.end,
            (100.0 * score).floor().min(99.0)
        )),
        None => message.push_str("; read the file again before editing it"),
    }
    refusal::refusal(text, HunkRefusalReason::NotFound, message, &near)
}
