//! What the hunks of one file tell about each other.
//!
//! In: hunks with the places that are left for each. Out: settled hunks; those that stay open have
//! several places and nothing that decides. The hunks of a diff are in the order of the file where at
//! least two that are certain are, equal hunks for equal places are interchangeable, and a line number
//! is believed where the base is known: that of a block by itself, those of a diff where another hunk
//! shows that they were counted right. Never: order among blocks, which models send in any order.

use super::evidence;
use super::indent;
use super::index::Index;
use super::ladder::{self, Indentation, Search};
use super::pattern::weight;
use super::resolve::{State, ranges, settle};
use super::{MatchOptions, Rung, applied, refusal, scored};
use salve_types::{Hunk, HunkBody, LineKind};
use std::collections::HashMap;

/// Lines that say something, that many of them, name a place by themselves.
const ENOUGH_LINES: usize = 4;
/// Models count lines badly: a number that is off by so little names the same place.
const NEAR: usize = 1;

/// Settles what can be settled.
pub(crate) fn decide<'h>(
    index: &Index<'_>,
    hunks: &'h [Hunk],
    states: &mut [State<'h>],
    options: &MatchOptions,
) {
    let mut fixed = Fixed::new(hunks, states);
    for at in 0..hunks.len() {
        if let State::Open(search) = &mut states[at]
            && search.places.len() > 1
            && is_diff(&hunks[at])
            // A hunk with a line number is judged by it: order alone says little when the numbers
            // around do not agree.
            && (options.base_known || hunks[at].hint.is_none())
        {
            fixed.narrow(at, search);
        }
        if let State::Open(search) = &states[at]
            && search.places.len() > 1
            && let Some(place) = by_number(&hunks[at], search, fixed.counts_right, options)
            && let State::Open(search) = &mut states[at]
        {
            search.places = vec![place];
        }
        fixed.add(at, &hunks[at], &states[at]);
    }
    share_equal_places(hunks, states);
    let around = Around::new(&fixed.places);
    let mut grown = 0;
    for (at, hunk) in hunks.iter().enumerate() {
        if let State::Open(search) = &states[at]
            && let &[place] = &search.places[..]
        {
            let beside = Beside { fixed: &fixed, around: &around, at, grown };
            let doubt = doubt(index, hunk, search, place, &beside, options);
            states[at] = doubt.unwrap_or_else(|| settle(index, hunk, search, place));
        }
        grown += growth(hunk);
    }
}

/// The hunks whose place is certain: first and last changed line, and how far the hint was off.
struct Fixed {
    places: Vec<Option<Spot>>,
    // The nearest certain hunk after each hunk, as it was at the beginning.
    next: Vec<Option<usize>>,
    last: Option<usize>,
    ordered: bool,
    // The numbers of the hunks that were certain at the beginning, one at least, are all right.
    counts_right: bool,
}

/// The nearest certain hunks before and after every hunk.
struct Around {
    before: Vec<Option<usize>>,
    after: Vec<Option<usize>>,
}

impl Around {
    fn new(places: &[Option<Spot>]) -> Self {
        let mut around =
            Self { before: Vec::with_capacity(places.len()), after: vec![None; places.len()] };
        let mut known = None;
        for (at, place) in places.iter().enumerate() {
            around.before.push(known);
            known = place.map(|_| at).or(known);
        }
        known = None;
        for (at, place) in places.iter().enumerate().rev() {
            around.after[at] = known;
            known = place.map(|_| at).or(known);
        }
        around
    }
}

#[derive(Clone, Copy)]
struct Spot {
    start: usize,
    end: usize,
    offset: Option<isize>,
}

impl Fixed {
    fn new(hunks: &[Hunk], states: &[State<'_>]) -> Self {
        let places: Vec<_> =
            hunks.iter().zip(states).map(|(hunk, state)| spot(hunk, state)).collect();
        let certain: Vec<_> = places.iter().flatten().map(|spot| spot.start).collect();
        let mut next = vec![None; places.len()];
        let mut behind = None;
        for at in (0..places.len()).rev() {
            next[at] = behind;
            behind = if places[at].is_some() { Some(at) } else { behind };
        }
        // One certain hunk does not show that its author kept to the order.
        let ordered = certain.len() > 1 && certain.is_sorted();
        let mut offsets = places.iter().flatten().filter_map(|spot| spot.offset).peekable();
        let counts_right = offsets.peek().is_some() && offsets.all(|offset| offset == 0);
        Self { places, next, last: None, ordered, counts_right }
    }

    fn add(&mut self, at: usize, hunk: &Hunk, state: &State<'_>) {
        self.places[at] = spot(hunk, state);
        if self.places[at].is_some() {
            self.last = Some(at);
        }
    }

    fn before(&self) -> Option<Spot> {
        self.last.and_then(|last| self.places[last])
    }

    fn after(&self, at: usize) -> Option<Spot> {
        self.next[at].and_then(|next| self.places[next])
    }

    // Tells whether a place is before that of an earlier hunk or after that of a later one.
    fn contradicts(&self, around: &Around, at: usize, (start, end): (usize, usize)) -> bool {
        let spot = |other: Option<usize>| other.and_then(|other| self.places[other]);
        spot(around.before[at]).is_some_and(|before| start < before.end)
            || spot(around.after[at]).is_some_and(|after| end > after.start)
    }

    // Leaves the places between the certain hunk before and the one after.
    fn narrow(&self, at: usize, search: &mut Search<'_>) {
        if !self.ordered {
            return;
        }
        let (before, after) = (self.before(), self.after(at));
        let kept: Vec<_> = search
            .places
            .iter()
            .copied()
            .filter(|&place| {
                let spot = changed(search, place);
                before.is_none_or(|before| spot.0 >= before.end)
                    && after.is_none_or(|after| spot.1 <= after.start)
            })
            .collect();
        if !kept.is_empty() {
            search.places = kept;
        }
    }
}

fn spot(hunk: &Hunk, state: &State<'_>) -> Option<Spot> {
    let State::Open(search) = state else { return None };
    let (&[place], true) = (&search.places[..], is_diff(hunk)) else { return None };
    let (start, end) = changed(search, place);
    let offset = hunk.hint.map(|hint| place as isize - (hint as isize - 1));
    Some(Spot { start, end, offset })
}

fn changed(search: &Search<'_>, place: usize) -> (usize, usize) {
    let runs = &search.pattern.runs;
    let start = runs.first().map_or(0, |run| run.removed.start);
    let end = runs.last().map_or(0, |run| run.removed.end);
    (place + start, place + end)
}

fn is_diff(hunk: &Hunk) -> bool {
    matches!(hunk.body, HunkBody::Lines(_))
}

// A line number decides when the file is what the hunk was written against, and never otherwise:
// even between hunks whose numbers are right, functions of one length may have changed places. Models
// count the lines of a diff badly, and a wrong number that names equal lines looks like a right one.
fn by_number(
    hunk: &Hunk,
    search: &Search<'_>,
    counts_right: bool,
    options: &MatchOptions,
) -> Option<usize> {
    let believed = options.base_known && search.rung < Rung::ContextTrimmed;
    let hint = (hunk.hint.filter(|_| believed)? as usize).saturating_sub(1);
    if is_diff(hunk) && !options.numbers_given {
        return (counts_right && search.places.contains(&hint)).then_some(hint);
    }
    // Lines that say nothing are near every line: a number means them only where it names them.
    if search.pattern.old.iter().all(|line| weight(&line.text) == 0) {
        return search.places.contains(&hint).then_some(hint);
    }
    evidence::nearest(hint, &search.places)
}

// As many equal hunks as places: whichever takes which, the result is the same.
fn share_equal_places(hunks: &[Hunk], states: &mut [State<'_>]) {
    let mut groups: HashMap<(usize, Vec<usize>), Vec<usize>> = HashMap::new();
    for (at, state) in states.iter().enumerate() {
        if let State::Open(search) = state
            && search.places.len() > 1
        {
            let key = (search.pattern.old.len(), search.places.clone());
            groups.entry(key).or_default().push(at);
        }
    }
    for ((length, places), members) in groups {
        let equal = members.windows(2).all(|pair| hunks[pair[0]].body == hunks[pair[1]].body);
        let apart = places.windows(2).all(|pair| pair[0] + length <= pair[1]);
        if equal && apart && members.len() == places.len() {
            for (at, place) in members.into_iter().zip(places) {
                if let State::Open(search) = &mut states[at] {
                    search.places = vec![place];
                }
            }
        }
    }
}

/// What the other hunks of the file say about one of them.
struct Beside<'f> {
    fixed: &'f Fixed,
    around: &'f Around,
    at: usize,
    /// By how many lines the hunks before it make the file longer.
    grown: isize,
}

fn growth(hunk: &Hunk) -> isize {
    let HunkBody::Lines(lines) = &hunk.body else { return 0 };
    let count = |kind| lines.iter().filter(|line| line.kind == kind).count() as isize;
    count(LineKind::Add) - count(LineKind::Remove)
}

// A single place is doubtful when the hunk names another one that looks like it was edited since.
fn doubt<'h>(
    index: &Index<'_>,
    hunk: &Hunk,
    search: &Search<'_>,
    place: usize,
    beside: &Beside<'_>,
    options: &MatchOptions,
) -> Option<State<'h>> {
    let Beside { fixed, around, at, grown } = *beside;
    let text = index.text();
    let claims = ladder::claims(hunk, &search.pattern);
    let lines = place..place + search.pattern.old.len();
    let rivals = ranges(search);
    let says = search.pattern.old.iter().filter(|line| weight(&line.text) > 0).count();
    // Lines that are there exactly, once, and say enough are told by themselves: only a place that
    // has most of them too makes them doubtful.
    let told = search.rung == Rung::Exact && says >= ENOUGH_LINES;
    let least = if told { scored::STRONG_RIVAL } else { scored::RIVAL };
    let reshaped = search.rung == Rung::Fold
        && search.indentation == Indentation::Nearest
        && indent::uniform_shift(&search.pattern, text, place).is_none();
    if (search.rung == Rung::ContextTrimmed || reshaped)
        && !options.base_known
        && let Some(rival) = scored::rival(index, &search.pattern, &lines, least)
    {
        let why =
            "not all of the hunk is there as it is written, and another place is nearly as good";
        return Some(State::Refused(refusal::doubtful(text, &lines, &rival, why)));
    }
    let named = claims.hint.and_then(|hint| hint.checked_add_signed(grown));
    if !options.base_known
        && claims.hint != Some(place)
        && let Some(made) = applied::elsewhere(index, &search.pattern, &lines, named)
    {
        let why = "the lines are in one place, and in another is what the hunk makes of them, as if \
                   it had been applied there";
        return Some(State::Refused(refusal::doubtful(text, &lines, &(made, 0.99), why)));
    }
    if !is_diff(hunk) && hunk.hint.is_none() {
        return None;
    }
    if claims.hint.is_none() && !search.pattern.old.is_empty() {
        let below = evidence::anchors_stand_below(index, &claims, lines.end);
        let outside = evidence::outside_anchors(index, &claims, lines.clone());
        if below || outside {
            let why = "the lines are outside the section that the heading names";
            return Some(State::Refused(refusal::ambiguous(text, &rivals, why)));
        }
    }
    let contradicts = || fixed.contradicts(around, at, changed(search, place));
    if !options.base_known && !told && is_diff(hunk) && contradicts() {
        let why = "the hunks of a diff are in the order of the file, and this one would not be";
        return Some(State::Refused(refusal::ambiguous(text, &rivals, why)));
    }
    let hint = claims.hint.filter(|hint| *hint != place && !options.base_known)?;
    let off = place as isize - hint as isize;
    let agrees = |spot: Option<Spot>| spot.is_some_and(|spot| spot.offset == Some(off));
    if (0..at).rev().take(2).any(|other| agrees(fixed.places[other])) || agrees(fixed.after(at)) {
        return None;
    }
    let Some(rival) = scored::rival(index, &search.pattern, &lines, least) else {
        // Few lines stand in other places by chance: they cannot outweigh a number that says
        // something quite different.
        if says >= ENOUGH_LINES || off.unsigned_abs() <= NEAR {
            return None;
        }
        let why = "the lines are few and far from the line the hunk names";
        return Some(State::Refused(refusal::ambiguous(text, &rivals, why)));
    };
    let why = "the lines are in one place, but not at the line the hunk names, and another looks edited since";
    Some(State::Refused(refusal::doubtful(text, &lines, &rival, why)))
}
