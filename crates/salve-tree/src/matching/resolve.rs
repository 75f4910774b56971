//! Gives every hunk of a file its place, or none of them.
//!
//! In: hunks and a file's text. Out: one outcome per hunk and, when none was refused, the new text.
//! All hunks are placed in the same base; where several places are left, the hunks around decide
//! or none does. Never: a place that two hunks want, nor a text made of some of the hunks.

use super::evidence;
use super::index::{Index, Level};
use super::ladder::{self, Indentation, Search, Sought};
use super::pattern::Pattern;
use super::{HunkOutcome, HunkRefusal, HunkRefusalReason, MatchOptions, Matched, Rung};
use super::{applied, dependent, neighbours, refusal, reread};
use crate::FileText;
use crate::splice::{self, Change, Wanted};
use salve_types::{Hunk, HunkBody, LineKind, Occurrence};
use std::borrow::Cow;
use std::ops::Range;

/// Hunks that fit in more places than this are decided alone.
const MOST_PLACES: usize = 1000;

/// One hunk on its way to an outcome.
pub(crate) enum State<'h> {
    /// Lines in places that are still to choose from.
    Open(Search<'h>),
    /// It has its place.
    Settled(Settled),
    /// The change is there already.
    Applied(Range<usize>),
    /// There is no place.
    Refused(HunkRefusal),
}

/// A hunk with its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settled {
    /// The rung that found it.
    pub(crate) rung: Rung,
    /// The similarity.
    pub(crate) score: f64,
    /// The first line of its pattern, counted from 0, for hunks that seek lines in one place.
    pub(crate) first: Option<usize>,
    /// What it changes.
    pub(crate) changes: Vec<Change>,
}

/// Places hunks and makes the new text.
pub(crate) fn resolve(text: &FileText, hunks: &[Hunk], options: &MatchOptions) -> Matched {
    resolve_in(&Index::new(text), hunks, options)
}

/// As [`resolve`], in a text that was indexed.
pub(crate) fn resolve_in(index: &Index<'_>, hunks: &[Hunk], options: &MatchOptions) -> Matched {
    let text = index.text();
    let hunks = &read_merged(index, hunks, options)[..];
    let mut states: Vec<_> = hunks.iter().map(|hunk| begin(index, hunk, options)).collect();
    neighbours::decide(index, hunks, &mut states, options);
    let mut wanted = wanted(&states);
    if options.whole_lines {
        wanted.iter_mut().for_each(|wanted| wanted.change.end_lines());
    }
    splice::sort(text, &mut wanted);
    let overlaps = splice::overlaps(text, &wanted);
    if !overlaps.is_empty() {
        let refused: Vec<_> =
            overlaps.iter().map(|pair| (pair.1, collision(text, hunks, &states, *pair))).collect();
        for (later, state) in refused {
            states[later] = state;
        }
        wanted.retain(|wanted| matches!(states[wanted.hunk], State::Settled(_)));
    }
    doubt_applied(text, hunks, &mut states, &wanted);
    let result = splice::splice(text, &wanted);
    for at in reread::not_as_meant(text, hunks, &states, &wanted, &result) {
        states[at] = not_as_meant(text, &states[at]);
    }
    let mut outcomes: Vec<_> =
        states.iter().zip(hunks).map(|(state, hunk)| outcome(text, hunk, state)).collect();
    let result = dependent::place(text, hunks, options, &wanted, &mut outcomes, result);
    let refused = outcomes.iter().any(|outcome| matches!(outcome, HunkOutcome::Refused(_)));
    Matched { outcomes, text: (!refused).then_some(result) }
}

// A line `-old+new` is read as two where the file has the first half and not the whole.
fn read_merged<'h>(
    index: &Index<'_>,
    hunks: &'h [Hunk],
    options: &MatchOptions,
) -> Cow<'h, [Hunk]> {
    let mut read = Cow::from(hunks);
    for (at, hunk) in hunks.iter().enumerate() {
        if !may_be_merged(hunk) {
            continue;
        }
        let Some(split) = hunk.split_merged() else { continue };
        let missing = matches!(ladder::seek(index, hunk, options), Sought::Refused(_));
        let stands = match ladder::seek(index, &split, options) {
            Sought::Lines(search) => search.places.len() == 1 && search.rung <= Rung::Fold,
            _ => false,
        };
        if missing && stands {
            read.to_mut()[at] = split;
        }
    }
    read
}

fn may_be_merged(hunk: &Hunk) -> bool {
    let HunkBody::Lines(lines) = &hunk.body else { return false };
    lines.iter().any(|line| line.kind == LineKind::Remove && line.text.contains('+'))
}

// What can be said about a hunk without its neighbours.
fn begin<'h>(index: &Index<'_>, hunk: &'h Hunk, options: &MatchOptions) -> State<'h> {
    let text = index.text();
    match ladder::seek(index, hunk, options) {
        Sought::Refused(refusal) => State::Refused(refusal),
        Sought::Applied(lines) => State::Applied(lines),
        Sought::Numbered(change) => {
            let changes = vec![change];
            State::Settled(Settled { rung: Rung::Line, score: 1.0, first: None, changes })
        }
        Sought::Literal(literal) => literal_state(index, hunk, literal, options),
        Sought::Lines(mut search) => {
            if hunk.occurrence == Occurrence::All {
                return all(index, &search);
            }
            if search.pattern.is_noop() {
                let first = search.places.first().copied().unwrap_or_default();
                return State::Applied(first..first + search.pattern.old.len());
            }
            let claims = ladder::claims(hunk, &search.pattern);
            let length = search.pattern.old.len();
            search.places = evidence::narrow(index, &claims, search.places, length);
            if search.places.len() > MOST_PLACES {
                let places = ranges(&search);
                return State::Refused(refusal::ambiguous(
                    text,
                    &places,
                    "the hunk says too little",
                ));
            }
            State::Open(search)
        }
    }
}

/// Settles a search at one of its places.
pub(crate) fn settle<'h>(
    index: &Index<'_>,
    hunk: &Hunk,
    search: &Search<'_>,
    first: usize,
) -> State<'h> {
    // What was sent with another indentation is there with that of the file.
    let level = match search.indentation {
        Indentation::AsWritten => Level::Trailing,
        Indentation::Uniform | Indentation::Nearest => Level::Trimmed,
    };
    if let Some(lines) = applied::inserted(index, &search.pattern, first, level) {
        return State::Applied(lines);
    }
    let hinted = hunk.hint.is_some_and(|hint| (hint as usize).saturating_sub(1) == first);
    let rung = if search.rung == Rung::Exact && hinted { Rung::AtHint } else { search.rung };
    let changes = ladder::changes(index, search, first);
    State::Settled(Settled { rung, score: search.score, first: Some(first), changes })
}

/// Returns the lines of every place of a search.
pub(crate) fn ranges(search: &Search<'_>) -> Vec<Range<usize>> {
    let length = search.pattern.old.len();
    search.places.iter().map(|&first| first..first + length).collect()
}

fn all<'h>(index: &Index<'_>, search: &Search<'_>) -> State<'h> {
    let length = search.pattern.old.len().max(1);
    let mut changes = Vec::new();
    let mut from = 0;
    for &place in &search.places {
        if place >= from {
            changes.extend(ladder::changes(index, search, place));
            from = place + length;
        }
    }
    State::Settled(Settled { rung: search.rung, score: search.score, first: None, changes })
}

fn literal_state<'h>(
    index: &Index<'_>,
    hunk: &Hunk,
    literal: super::literal::Literal,
    options: &MatchOptions,
) -> State<'h> {
    let text = index.text();
    let mut ranges = literal.ranges;
    if hunk.occurrence == Occurrence::One && ranges.len() > 1 {
        let lines: Vec<_> = ranges.iter().map(|range| text.lines_of(range)).collect();
        let hint = hunk.hint.filter(|_| options.base_known);
        let firsts: Vec<_> = lines.iter().map(|lines| lines.start).collect();
        let chosen = hint
            .and_then(|hint| evidence::nearest((hint as usize).saturating_sub(1), &firsts))
            .map(|line| firsts.iter().enumerate().filter(move |(_, first)| **first == line));
        let chosen: Vec<_> = chosen.into_iter().flatten().map(|(at, _)| at).collect();
        let &[chosen] = &chosen[..] else {
            return State::Refused(refusal::ambiguous(
                text,
                &lines,
                "the text sought is not unique",
            ));
        };
        ranges = vec![ranges[chosen].clone()];
    }
    if let [range] = &ranges[..]
        && already_grown(text, range, &literal.new)
    {
        return State::Applied(text.lines_of(range));
    }
    let unchanged = ranges.iter().all(|range| text.text().get(range.clone()) == Some(&literal.new));
    if unchanged && let Some(range) = ranges.first() {
        return State::Applied(text.lines_of(range));
    }
    let changes =
        ranges.into_iter().map(|range| Change::Bytes { range, new: literal.new.clone() }).collect();
    State::Settled(Settled { rung: literal.rung, score: 1.0, first: None, changes })
}

// The text sought is found inside the text that shall replace it: the change was made before.
fn already_grown(text: &FileText, range: &Range<usize>, new: &str) -> bool {
    let (source, old) = (text.text(), &text.text()[range.clone()]);
    let mut offsets = new.match_indices(old).map(|(at, _)| at).take(64);
    new.len() > old.len()
        && offsets.any(|at| {
            let start = range.start.checked_sub(at);
            start.is_some_and(|start| source.get(start..start + new.len()) == Some(new))
        })
}

// Lines that another hunk changes prove nothing about a change that was made before.
fn doubt_applied(text: &FileText, hunks: &[Hunk], states: &mut [State<'_>], sorted: &[Wanted]) {
    let ranges: Vec<_> = sorted.iter().map(|wanted| wanted.change.range(text)).collect();
    for at in 0..states.len() {
        let State::Applied(lines) = &states[at] else { continue };
        let bytes = text.line_start(lines.start)..text.line_start(lines.end);
        let touching = ranges.partition_point(|range| range.end <= bytes.start);
        let touched = ranges.get(touching).is_some_and(|range| range.start < bytes.end);
        let by = sorted.get(touching).map(|wanted| &hunks[wanted.hunk].body);
        let repeated = by == Some(&hunks[at].body);
        if touched && !repeated && !changes_nothing(&hunks[at].body) {
            let message = "the lines sought are not in the file, and those of the result are \
                           changed by another hunk; read the file again before editing it"
                .to_owned();
            let places = [(lines.clone(), 1.0)];
            let reason = HunkRefusalReason::NotFound;
            states[at] = State::Refused(refusal::refusal(text, reason, message, &places));
        }
    }
}

fn changes_nothing(body: &HunkBody) -> bool {
    match body {
        HunkBody::Lines(lines) => Pattern::of_lines(lines).is_noop(),
        HunkBody::Block { old, new } => old == new,
        HunkBody::Text { old, new } => old == new,
        HunkBody::At(_) => false,
    }
}

fn wanted(states: &[State<'_>]) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for (hunk, state) in states.iter().enumerate() {
        if let State::Settled(settled) = state {
            let changes = settled.changes.iter().cloned();
            wanted.extend(changes.map(|change| Wanted { hunk, change }));
        }
    }
    wanted
}

// A hunk that was sent twice is done once; different wishes for one place are refused.
fn collision<'h>(
    text: &FileText,
    hunks: &[Hunk],
    states: &[State<'_>],
    (earlier, later): (usize, usize),
) -> State<'h> {
    let lines = |hunk: usize| match &states[hunk] {
        State::Settled(settled) => touched(text, &settled.changes),
        _ => 0..0,
    };
    let by_number = matches!(hunks[later].body, HunkBody::At(_));
    if hunks[earlier].body == hunks[later].body && !by_number {
        return State::Applied(lines(earlier));
    }
    let places: Vec<_> = [earlier, later].map(|hunk| (lines(hunk), 1.0)).to_vec();
    let message = format!(
        "hunks {} and {} both change lines {} to {}; send them as one hunk",
        earlier + 1,
        later + 1,
        places[1].0.start + 1,
        places[1].0.end.max(places[1].0.start + 1),
    );
    State::Refused(refusal::refusal(text, HunkRefusalReason::Overlap, message, &places))
}

fn not_as_meant<'h>(text: &FileText, state: &State<'_>) -> State<'h> {
    let lines = match state {
        State::Settled(settled) => touched(text, &settled.changes),
        _ => 0..0,
    };
    let message =
        "the result would not have the lines as the hunk asks for them: one that goes is \
                   left, one that comes is there more often or otherwise indented, or another \
                   line changes; send the place in full"
            .to_owned();
    let reason = HunkRefusalReason::NotAsMeant;
    State::Refused(refusal::refusal(text, reason, message, &[(lines, 1.0)]))
}

fn outcome(text: &FileText, hunk: &Hunk, state: &State<'_>) -> HunkOutcome {
    match state {
        State::Settled(settled) => placed(text, settled),
        State::Applied(lines) => {
            HunkOutcome::AlreadyApplied { first_line: lines.start + 1, last_line: lines.end }
        }
        State::Refused(refusal) => HunkOutcome::Refused(refusal.clone()),
        State::Open(search) => {
            let why = match (hunk.hint, hunk.anchors.is_empty()) {
                (Some(_), _) => "the line number alone does not prove which",
                (None, false) => "the heading does not tell which",
                (None, true) => "the lines sought are not unique",
            };
            HunkOutcome::Refused(refusal::ambiguous(text, &ranges(search), why))
        }
    }
}

/// Reports a hunk with its place.
pub(crate) fn placed(text: &FileText, settled: &Settled) -> HunkOutcome {
    let lines = touched(text, &settled.changes);
    HunkOutcome::Placed {
        rung: settled.rung,
        first_line: lines.start + 1,
        last_line: lines.end,
        score: settled.score,
        in_result: false,
    }
}

fn touched(text: &FileText, changes: &[Change]) -> Range<usize> {
    let lines = changes.iter().map(|change| match change {
        Change::Lines { first, removed, .. } => *first..first + removed,
        Change::Bytes { range, .. } => text.lines_of(range),
    });
    lines.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
}
