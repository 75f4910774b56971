//! Only lines that a hunk shows are touched for it.
//!
//! In: hunks with their places. Out: those for which a line goes that they do not show, or one comes.
//! Lines are compared folded, in any reading of the hunk, for they may have been placed by a reading.
//! Never: a look at the scored rung, which takes lines that are only alike.

use crate::FileText;
use crate::matching::Rung;
use crate::matching::fold;
use crate::matching::index::Level;
use crate::matching::literal;
use crate::matching::pattern::{Sides, weight};
use crate::matching::resolve::{Settled, State};
use crate::splice::Change;
use salve_types::{Hunk, HunkBody, LineKind};
use std::borrow::Cow;
use std::collections::HashSet;

/// Returns the hunks for which lines come or go that they do not show.
pub(super) fn unshown(text: &FileText, hunks: &[Hunk], states: &[State<'_>]) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, (hunk, state)) in hunks.iter().zip(states).enumerate() {
        if let State::Settled(settled) = state
            && !is_shown(text, hunk, settled)
        {
            found.push(at);
        }
    }
    found
}

fn is_shown(text: &FileText, hunk: &Hunk, settled: &Settled) -> bool {
    if is_verbatim(text, hunk, settled) {
        return true;
    }
    // A number shows no lines.
    let Some(sides) = sides(hunk).filter(|_| settled.rung != Rung::Scored) else { return true };
    let mut readings = fold::readings(&sides);
    readings.push(sides);
    let key = |line: &Cow<'_, str>| Level::Folded.key(line).into_owned();
    let old: HashSet<String> = readings.iter().flat_map(|sides| &sides.old).map(key).collect();
    let new: HashSet<String> = readings.iter().flat_map(|sides| &sides.new).map(key).collect();
    let shown = |line: &str, side: &HashSet<String>| {
        weight(line) == 0 || side.contains(Level::Folded.key(line).as_ref())
    };
    let stays = context_alone(hunk);
    let goes = |line: &str| shown(line, &old) && !stays.contains(Level::Folded.key(line).as_ref());
    settled.changes.iter().all(|change| match change {
        Change::Lines { first, removed, new: placed, .. } => {
            (*first..first + removed).all(|line| goes(text.line(line)))
                && placed.iter().all(|line| shown(line, &new))
        }
        Change::Bytes { range, new } => {
            text.text().get(range.clone()).is_some_and(|gone| is_literal(hunk, gone, new))
        }
    })
}

// Most hunks are placed as they are written: the lines that go are among those it marks so, in their
// order and byte for byte, and so are those that come. Nothing has to be folded for them.
fn is_verbatim(text: &FileText, hunk: &Hunk, settled: &Settled) -> bool {
    let HunkBody::Lines(lines) = &hunk.body else { return false };
    let side = |kind: LineKind| lines.iter().filter(move |line| line.kind == kind);
    let (mut gone, mut come) = (side(LineKind::Remove), side(LineKind::Add));
    settled.changes.iter().all(|change| match change {
        Change::Lines { first, removed, new, .. } => {
            (*first..first + removed).all(|at| gone.any(|line| line.text == text.line(at)))
                && new.iter().all(|placed| come.any(|line| line.text == *placed))
        }
        Change::Bytes { .. } => false,
    })
}

// The lines of a diff that say something and are only ever context.
fn context_alone(hunk: &Hunk) -> HashSet<String> {
    let HunkBody::Lines(lines) = &hunk.body else { return HashSet::new() };
    let keys = |gone: bool| {
        let lines = lines.iter().filter(move |line| (line.kind == LineKind::Remove) == gone);
        let lines = lines.filter(|line| line.kind != LineKind::Add && weight(&line.text) > 0);
        lines.map(|line| Level::Folded.key(&line.text).into_owned())
    };
    let gone: HashSet<String> = keys(true).collect();
    keys(false).filter(|line| !gone.contains(line)).collect()
}

// Text inside of lines is the text sought with the text for its place, in some reading. Of a whole
// line, the indentation goes with it and the line break is put back or, where a part of the line
// stays, left there.
fn is_literal(hunk: &Hunk, gone: &str, placed: &str) -> bool {
    let HunkBody::Text { old, new } = &hunk.body else { return false };
    let plain = |text: &str| text.replace("\r\n", "\n");
    let gone = plain(gone);
    literal::readings(old, new).into_iter().any(|(old, new, _)| {
        let old = plain(&old);
        let ended = new.is_empty().then(|| old.strip_suffix('\n')).flatten();
        let goes =
            gone.strip_suffix(old.as_str()).or_else(|| ended.filter(|it| *it == gone).map(|_| ""));
        let comes = placed.strip_prefix(new.as_str());
        goes.is_some_and(|margin| margin.trim().is_empty() && !margin.contains('\n'))
            && comes.is_some_and(|ended| ended.is_empty() || ended == "\n")
    })
}

fn sides<'h>(hunk: &'h Hunk) -> Option<Sides<'h>> {
    match &hunk.body {
        HunkBody::Lines(lines) => {
            let without = |gone: LineKind| {
                let lines = lines.iter().filter(move |line| line.kind != gone);
                lines.map(|line| Cow::from(line.text.as_str())).collect()
            };
            Some(Sides { old: without(LineKind::Add), new: without(LineKind::Remove) })
        }
        HunkBody::Block { old, new } => {
            let lines = |side: &'h [String]| side.iter().map(|line| line.as_str().into()).collect();
            Some(Sides { old: lines(old), new: lines(new) })
        }
        HunkBody::Text { old, new } => Some(literal::sides(old, new)),
        HunkBody::At(_) => None,
    }
}
