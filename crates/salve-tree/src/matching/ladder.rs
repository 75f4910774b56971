//! The rungs: from lines that stand in the file as written to lines that stand there in substance.
//!
//! In: one hunk and an indexed file. Out: every place on the first rung that has any, the news that
//! the change is there already, or a refusal. Never: a choice between places, and no rung after one
//! that has places.

use super::evidence::{self, Claims};
use super::fold;
use super::indent::{self, Shift};
use super::index::{Index, Level};
use super::literal::{self, Literal};
use super::pattern::{Pattern, Sides, weight};
use super::{HunkRefusal, HunkRefusalReason, MatchOptions, Rung};
use super::{applied, elided, numbered, parts, refusal, scored, spaced, trimmed};
use crate::splice::Change;
use salve_types::{Hunk, HunkBody, HunkLine, LineKind, Occurrence};
use std::borrow::Cow;
use std::ops::Range;

/// What the ladder found for one hunk.
pub(crate) enum Sought<'h> {
    /// Lines in one place or more.
    Lines(Search<'h>),
    /// Text in one place or more.
    Literal(Literal),
    /// Lines by their number.
    Numbered(Change),
    /// The change is in the file already, on these lines.
    Applied(Range<usize>),
    /// There is no place.
    Refused(HunkRefusal),
}

/// The places of a hunk's lines, all on one rung.
#[derive(Debug, Clone)]
pub(crate) struct Search<'h> {
    /// What is at the places, as the rung reads the hunk.
    pub(crate) pattern: Pattern<'h>,
    /// The rung.
    pub(crate) rung: Rung,
    /// The similarity; 1 but for the scored rung.
    pub(crate) score: f64,
    /// First lines, counted from 0, ascending.
    pub(crate) places: Vec<usize>,
    /// How new lines are indented.
    pub(crate) indentation: Indentation,
}

/// How new lines are indented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Indentation {
    /// As written.
    AsWritten,
    /// By the one shift that explains all old lines.
    Uniform,
    /// By the shift of the nearest old line.
    Nearest,
}

/// Seeks one hunk.
pub(crate) fn seek<'h>(index: &Index<'_>, hunk: &'h Hunk, options: &MatchOptions) -> Sought<'h> {
    match &hunk.body {
        HunkBody::At(operation) => match numbered::change(index.text(), operation) {
            Ok(change) => Sought::Numbered(change),
            Err(refusal) => Sought::Refused(refusal),
        },
        HunkBody::Text { old, new } => literal::seek(index, old, new, hunk.occurrence)
            .unwrap_or_else(|| {
                let sought = seek_sides(index, hunk, &literal::sides(old, new), options);
                match literal::applied(index, old, new) {
                    Some(lines) if matches!(sought, Sought::Refused(_)) => Sought::Applied(lines),
                    _ => sought,
                }
            }),
        HunkBody::Block { old, new } => {
            let lines = |side: &'h [String]| side.iter().map(|line| Cow::from(line.as_str()));
            let sides = Sides { old: lines(old).collect(), new: lines(new).collect() };
            seek_sides(index, hunk, &sides, options)
        }
        HunkBody::Lines(lines) => {
            if let Some(refusal) = unbound(index, hunk) {
                return Sought::Refused(refusal);
            }
            let pattern = Pattern::of_lines(lines);
            seek_pattern(index, hunk, pattern, || sides_of(lines), options)
        }
    }
}

// A hunk without a number is where its heading is. The heading of a numbered hunk is what a program
// copied there, shortened and perhaps of another function; its number and its lines say more.
fn unbound(index: &Index<'_>, hunk: &Hunk) -> Option<HunkRefusal> {
    if hunk.hint.is_some() {
        return None;
    }
    let anchor = evidence::absent_anchor(index, &hunk.anchors)?;
    let shown: String = anchor.chars().take(80).collect();
    let message = format!(
        "the heading `{shown}` is no line of the file; name a line that is above the change, or \
         write a bare `@@`"
    );
    let reason = HunkRefusalReason::AnchorAbsent;
    Some(refusal::refusal(index.text(), reason, message, &[]))
}

/// Returns what a hunk says about where it belongs.
pub(crate) fn claims<'h>(hunk: &'h Hunk, pattern: &Pattern<'_>) -> Claims<'h> {
    Claims {
        hint: hunk.hint.map(|line| (line as usize).saturating_sub(1)),
        anchors: &hunk.anchors,
        at_end: hunk.at_end || pattern.at_end,
    }
}

/// Makes the changes of a search at one of its places.
pub(crate) fn changes(index: &Index<'_>, search: &Search<'_>, first: usize) -> Vec<Change> {
    let (text, pattern) = (index.text(), &search.pattern);
    let shift = match search.indentation {
        Indentation::AsWritten => Shift::None,
        Indentation::Uniform => indent::uniform_shift(pattern, text, first).unwrap_or(Shift::None),
        Indentation::Nearest => Shift::Nearest,
    };
    let make = |run: &super::pattern::Run<'_>| {
        let shifted = |(offset, line): (usize, &Cow<'_, str>)| {
            let near = nearest_old(pattern, &run.removed, offset);
            let near = near.map(|old| (pattern.old[old].text.as_ref(), text.line(first + old)));
            indent::shifted(line, &shift, near)
        };
        Change::Lines {
            first: first + run.removed.start,
            removed: run.removed.len(),
            new: run.new.iter().enumerate().map(shifted).collect(),
            final_newline: pattern.final_newline,
        }
    };
    pattern.runs.iter().map(make).collect()
}

// The old line whose indentation tells that of a new line: the one it replaces, the last one that
// goes, the one above, the one below; lines that are not blank.
fn nearest_old(pattern: &Pattern<'_>, removed: &Range<usize>, offset: usize) -> Option<usize> {
    let says = |&old: &usize| !pattern.old[old].text.trim().is_empty();
    let replaced = (removed.start + offset < removed.end).then_some(removed.start + offset);
    replaced
        .filter(says)
        .or_else(|| removed.clone().rev().find(says))
        .or_else(|| (0..removed.start).rev().find(says))
        .or_else(|| (removed.end..pattern.old.len()).find(says))
}

fn seek_sides<'h>(
    index: &Index<'_>,
    hunk: &'h Hunk,
    sides: &Sides<'h>,
    options: &MatchOptions,
) -> Sought<'h> {
    let pattern = Pattern::of_sides(sides.clone());
    seek_pattern(index, hunk, pattern, || sides.clone(), options)
}

fn seek_pattern<'h>(
    index: &Index<'_>,
    hunk: &'h Hunk,
    pattern: Pattern<'h>,
    sides: impl Fn() -> Sides<'h>,
    options: &MatchOptions,
) -> Sought<'h> {
    if pattern.old.is_empty() || pattern.old.iter().all(|line| line.text.trim().is_empty()) {
        return seek_without_context(index, hunk, pattern, options);
    }
    let claims = claims(hunk, &pattern);
    // Exactly where a block says, in the very text it was written against: no search is needed. The
    // numbers of a diff are counted by its author, and only show where to look.
    if let Some(hint) = claims.hint
        && options.base_known
        && (options.numbers_given || !matches!(hunk.body, HunkBody::Lines(_)))
        && hunk.occurrence == Occurrence::One
        && index.stands(Level::Exact, &pattern.old_side(), hint)
        && (!claims.at_end || hint + pattern.old.len() == index.text().line_count())
    {
        let (rung, places) = (Rung::Exact, vec![hint]);
        let indentation = Indentation::AsWritten;
        return Sought::Lines(Search { pattern, rung, score: 1.0, places, indentation });
    }
    if let Some(search) =
        strict(index, &pattern).or_else(|| folded(index, &pattern, &sides(), options))
    {
        return Sought::Lines(search);
    }
    if let Some(lines) = applied::stands(index, &pattern) {
        return Sought::Applied(lines);
    }
    let is_diff = matches!(hunk.body, HunkBody::Lines(_));
    // Only a numbered diff may have context between its changes that is made up: a chunk of an
    // envelope is one run of lines, and a line of it that is not there refuses it.
    let may_part = is_diff && hunk.hint.is_some();
    let search = trimmed::seek(index, &pattern, &claims, is_diff, options)
        .or_else(|| spaced::seek(index, &pattern))
        .or_else(|| may_part.then(|| parts::seek(index, &pattern, options)).flatten())
        .or_else(|| elided::seek(index, &pattern));
    if let Some(search) = search {
        return Sought::Lines(search);
    }
    if options.scored {
        return scored::seek(index, &pattern);
    }
    Sought::Refused(scored::not_found(index, &pattern))
}

// Nothing that the hunk seeks says anything: the file is empty, or another claim must tell.
fn seek_without_context<'h>(
    index: &Index<'_>,
    hunk: &'h Hunk,
    pattern: Pattern<'h>,
    options: &MatchOptions,
) -> Sought<'h> {
    let text = index.text();
    let found = |pattern, place| {
        let (rung, indentation) = (Rung::Exact, Indentation::AsWritten);
        Sought::Lines(Search { pattern, rung, score: 1.0, places: vec![place], indentation })
    };
    if text.line_count() == 0 && !pattern.is_noop() {
        let mut whole = pattern;
        whole.old.clear();
        whole.runs.iter_mut().for_each(|run| run.removed = 0..0);
        return found(whole, 0);
    }
    if !pattern.old.is_empty() {
        // Blank lines are context of a kind: where they are the only ones, or where a hint that
        // can be believed points at them.
        let claims = claims(hunk, &pattern);
        let search = strict(index, &pattern);
        let believed = options.base_known && claims.hint.is_some();
        return match search {
            Some(search) if believed || claims.at_end => Sought::Lines(search),
            _ => Sought::Refused(no_context(index)),
        };
    }
    let is_diff = matches!(hunk.body, HunkBody::Lines(_));
    if is_diff && !pattern.is_noop() {
        if hunk.at_end && hunk.anchors.is_empty() {
            return found(pattern, text.line_count());
        }
        let named = hunk.anchors.last().filter(|anchor| weight(anchor) > 0);
        let places = named.map_or(&[][..], |anchor| index.places(Level::Trimmed, anchor));
        if let (&[place], None) = (places, hunk.hint) {
            return found(pattern, place as usize + 1);
        }
    }
    Sought::Refused(no_context(index))
}

// But for trailing space, but for one shift of the indentation.
fn strict<'h>(index: &Index<'_>, pattern: &Pattern<'h>) -> Option<Search<'h>> {
    let rungs = [(Level::Exact, Rung::Exact), (Level::Trailing, Rung::TrailingSpace)];
    let sought = pattern.old_side();
    for (level, rung) in rungs {
        let places = index.find(level, &sought);
        if !places.is_empty() {
            let indentation = Indentation::AsWritten;
            return Some(Search {
                pattern: pattern.clone(),
                rung,
                score: 1.0,
                places,
                indentation,
            });
        }
    }
    let mut places = index.find(Level::Trimmed, &sought);
    places.retain(|&first| indent::uniform_shift(pattern, index.text(), first).is_some());
    (!places.is_empty()).then(|| Search {
        pattern: pattern.clone(),
        rung: Rung::Reindent,
        score: 1.0,
        places,
        indentation: Indentation::Uniform,
    })
}

fn folded<'h>(
    index: &Index<'_>,
    pattern: &Pattern<'h>,
    sides: &Sides<'h>,
    options: &MatchOptions,
) -> Option<Search<'h>> {
    let readings: Vec<Pattern<'h>> = fold::readings(sides)
        .into_iter()
        .map(Pattern::of_sides)
        .map(|reading| Pattern {
            final_newline: pattern.final_newline,
            at_end: pattern.at_end,
            ..reading
        })
        .filter(|reading| reading.old.iter().any(|line| !line.text.trim().is_empty()))
        .collect();
    if let Some(search) = readings.iter().find_map(|reading| strict(index, reading)) {
        return Some(Search { rung: Rung::Fold, ..search });
    }
    std::iter::once(pattern).chain(&readings).find_map(|pattern| {
        let mut places = index.find(Level::Folded, &pattern.old_side());
        // The shape of the indentation tells copies apart in a file that may have moved on; where
        // none has it, one place alone may do (see `neighbours`).
        let shaped = |&first: &usize| indent::uniform_shift(pattern, index.text(), first).is_some();
        if !options.base_known && (places.len() > 1 || places.iter().any(shaped)) {
            places.retain(|first| shaped(first));
        }
        (!places.is_empty()).then(|| Search {
            pattern: pattern.clone(),
            rung: Rung::Fold,
            score: 1.0,
            places,
            indentation: Indentation::Nearest,
        })
    })
}

fn sides_of(lines: &[HunkLine]) -> Sides<'_> {
    let side = |gone: LineKind| {
        let lines = lines.iter().filter(move |line| line.kind != gone);
        lines.map(|line| Cow::from(line.text.as_str())).collect()
    };
    Sides { old: side(LineKind::Add), new: side(LineKind::Remove) }
}

fn no_context(index: &Index<'_>) -> HunkRefusal {
    let message = "nothing in this hunk tells where it belongs; add at least one line of the file \
                   that stands beside the change"
        .to_owned();
    refusal::refusal(index.text(), HunkRefusalReason::NoContext, message, &[])
}
