//! Where a rule fits a diagnostic, and what it would write there.
//!
//! In: a rule, a diagnostic and the text of its file. Out: edits of that text, the best place first. Work
//! is bounded by the tokens of the lines that are looked at and a number of places, whatever the rule says.

use super::context::{Case, brackets};
use super::edit::{Fitting, RuleEdit};
use super::near::near;
use super::rule::{Anchor, FixRule, HOLES, HoleSource, Piece, RuleBody, TokenRule};
use super::{structure, template};
use salve_types::{Diagnostic, Language};

/// The most places of one rule.
pub(super) const PLACES: usize = 4;
// The most positions that are compared for one rule.
const COMPARED: usize = 4_000;

/// Lists what a rule would write for a diagnostic, the best place first. Nothing for a file of another
/// language than the rule's, or a diagnostic that is about another file.
pub fn apply_rule(
    rule: &FixRule,
    diagnostic: &Diagnostic,
    path: &str,
    source: &str,
) -> Vec<RuleEdit> {
    let is_its = diagnostic.primary().is_some_and(|span| span.path == path)
        && Language::from_path(path) == Some(rule.language)
        && diagnostic.tool == rule.key.tool;
    if !is_its {
        return Vec::new();
    }
    match Case::of(diagnostic, source, rule.language) {
        Some(case) => edits(rule, &case),
        None => Vec::new(),
    }
}

/// The same for a diagnostic that was prepared.
pub(super) fn edits(rule: &FixRule, case: &Case<'_>) -> Vec<RuleEdit> {
    match &rule.body {
        RuleBody::Token(body) => {
            let written = |fitting: Fitting| fitting.edit(body, &case.tokens);
            fittings(body, case).into_iter().map(written).collect()
        }
        RuleBody::Structure(body) => structure::edits(body, case),
        RuleBody::Template(body) => template::edits(body, case),
    }
}

/// Lists the places where a token rule fits, the best first.
pub(super) fn fittings(rule: &TokenRule, case: &Case<'_>) -> Vec<Fitting> {
    if rule.holes.len() > HOLES || (rule.remove.is_empty() && rule.insert.is_empty()) {
        return Vec::new();
    }
    // Most rules need a word that the file does not have.
    let pieces = rule.left.iter().chain(&rule.remove).chain(&rule.right).chain(&rule.head);
    let is_there = |piece: &Piece| match piece {
        Piece::Exact(word) => case.has(word),
        _ => true,
    };
    if !pieces.into_iter().all(is_there) {
        return Vec::new();
    }
    let mut bound: Bindings<'_> = [None; HOLES];
    if !bind_message(rule, case, &mut bound) {
        return Vec::new();
    }
    if let Some(piece) = &rule.at
        && !matches(piece, case, case.place, &mut bound)
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    for at in positions(rule, case).take(COMPARED) {
        let mut bound = bound;
        if !fits(rule, case, at, &mut bound) {
            continue;
        }
        found.extend(written(rule, case, at, &bound));
        if found.len() >= PLACES {
            break;
        }
    }
    found
}

type Bindings<'a> = [Option<&'a str>; HOLES];

// Holes that the message binds must be bound, by what is one token.
fn bind_message<'a>(rule: &TokenRule, case: &Case<'a>, bound: &mut Bindings<'a>) -> bool {
    rule.holes.iter().zip(bound.iter_mut()).all(|(hole, slot)| match hole.from {
        HoleSource::Message(quote) => {
            *slot = case.quotes.get(usize::from(quote)).copied();
            slot.is_some_and(|word| !word.is_empty() && !word.contains(char::is_whitespace))
        }
        HoleSource::Near(quote) => case.quotes.get(usize::from(quote)).is_some(),
        HoleSource::Code => true,
    })
}

// The positions that are looked at, the most probable first.
fn positions<'a>(rule: &'a TokenRule, case: &'a Case<'_>) -> Box<dyn Iterator<Item = usize> + 'a> {
    let count = case.tokens.all.len();
    // An insertion after the last token of a line is before the first one of the next.
    let shift = usize::from(rule.remove.is_empty() && !rule.before_next);
    let exactly = |offset: i32| {
        i64::try_from(case.place)
            .ok()
            .and_then(|place| usize::try_from(place + i64::from(offset)).ok())
    };
    match rule.anchor {
        Anchor::Token { offset } => Box::new(exactly(offset).filter(|&at| at <= count).into_iter()),
        Anchor::Line { delta, offset } => {
            let Some(line) = case.line.checked_add_signed(delta) else {
                return Box::new(std::iter::empty());
            };
            let range = case.tokens.line(line);
            let range = range.start + shift..range.end + shift;
            let wanted = exactly(offset).unwrap_or(0);
            let wanted = wanted.clamp(range.start, range.end.saturating_sub(1).max(range.start));
            // Outwards from the place where the example had it.
            let outwards = (0..range.len()).flat_map(move |distance| {
                let right = (distance > 0).then_some(wanted + distance);
                wanted.checked_sub(distance).into_iter().chain(right)
            });
            Box::new(outwards.filter(move |at| range.contains(at)))
        }
        Anchor::Above => {
            let range = case.tokens.line(case.line);
            Box::new((shift..range.start + shift).rev())
        }
        Anchor::First => Box::new(shift..count + shift),
    }
}

fn fits<'a>(rule: &TokenRule, case: &Case<'a>, at: usize, bound: &mut Bindings<'a>) -> bool {
    let after = at + rule.remove.len();
    let removes = rule.remove.iter().enumerate();
    removes.into_iter().all(|(order, piece)| matches(piece, case, at + order, bound))
        && fits_left(rule, case, at, bound)
        && fits_right(rule, case, after, bound)
        && rule.head.as_ref().is_none_or(|head| {
            let edited = if rule.remove.is_empty() && !rule.before_next {
                at.checked_sub(1)
            } else {
                Some(at)
            };
            let line = edited.and_then(|at| case.tokens.all.get(at)).map_or(0, |token| token.line);
            matches(head, case, case.tokens.line(line).start, bound)
        })
}

fn fits_left<'a>(rule: &TokenRule, case: &Case<'a>, at: usize, bound: &mut Bindings<'a>) -> bool {
    let mut next = at;
    for piece in rule.left.iter().rev() {
        if *piece == Piece::Start {
            if !case.tokens.starts_line(next) {
                return false;
            }
            continue;
        }
        let Some(before) = next.checked_sub(1) else { return false };
        if !matches(piece, case, before, bound) {
            return false;
        }
        next = before;
    }
    true
}

fn fits_right<'a>(rule: &TokenRule, case: &Case<'a>, at: usize, bound: &mut Bindings<'a>) -> bool {
    let mut next = at;
    for piece in &rule.right {
        if *piece == Piece::End {
            if !case.tokens.starts_line(next) {
                return false;
            }
            continue;
        }
        if !matches(piece, case, next, bound) {
            return false;
        }
        next += 1;
    }
    true
}

fn matches<'a>(piece: &Piece, case: &Case<'a>, at: usize, bound: &mut Bindings<'a>) -> bool {
    // Past the end is the end of the file.
    let Some(token) = case.tokens.all.get(at) else { return *piece == Piece::End };
    match piece {
        Piece::Exact(word) => case.tokens.word(at) == word,
        Piece::Any(kind) => {
            token.kind == *kind && (*kind != super::rule::WordKind::Name || !case.is_kept(at))
        }
        Piece::Hole(number) => {
            let word = case.tokens.word(at);
            match bound.get_mut(usize::from(*number)) {
                Some(Some(known)) => *known == word,
                Some(slot) => {
                    *slot = Some(word);
                    true
                }
                None => false,
            }
        }
        Piece::Start | Piece::End => false,
    }
}

// What is written at a place: one fitting, or one for each name that a near hole stands for.
fn written(rule: &TokenRule, case: &Case<'_>, at: usize, bound: &Bindings<'_>) -> Vec<Fitting> {
    let is_near = |hole: &super::rule::Hole| matches!(hole.from, HoleSource::Near(_));
    let Some(open) = rule.holes.iter().position(is_near) else {
        return fitting(rule, case, at, bound).into_iter().collect();
    };
    let HoleSource::Near(quote) = rule.holes[open].from else { return Vec::new() };
    let name = case.quotes.get(usize::from(quote)).copied().unwrap_or_default();
    let filled = |word| {
        let mut bound = *bound;
        bound[open] = Some(word);
        fitting(rule, case, at, &bound)
    };
    near(case, name).into_iter().filter_map(filled).collect()
}

fn fitting(rule: &TokenRule, case: &Case<'_>, at: usize, bound: &Bindings<'_>) -> Option<Fitting> {
    let mut words: Vec<String> = Vec::with_capacity(rule.insert.len());
    for insertion in &rule.insert {
        words.push(match &insertion.piece {
            Piece::Exact(word) => word.clone(),
            Piece::Hole(number) => (*bound.get(usize::from(*number))?)?.to_owned(),
            Piece::Any(_) | Piece::Start | Piece::End => return None,
        });
    }
    let removed = rule.remove.len();
    let same = words.len() == removed
        && words.iter().enumerate().all(|(order, word)| case.tokens.word(at + order) == *word);
    let fitting = Fitting { at, removed, words };
    let is_sensible = !same
        && rule.needs.iter().all(|name| case.has(name))
        && !repeats(&fitting, case)
        && balances(&fitting, case);
    is_sensible.then_some(fitting)
}

// Several tokens that are there already are not written once more beside themselves.
fn repeats(fitting: &Fitting, case: &Case<'_>) -> bool {
    let count = fitting.words.len();
    let is_there = |from: usize| {
        fitting
            .words
            .iter()
            .enumerate()
            .all(|(order, word)| case.tokens.word(from + order) == *word)
    };
    fitting.removed == 0
        && count > 1
        && (is_there(fitting.at) || fitting.at.checked_sub(count).is_some_and(is_there))
}

// Brackets that are added or taken away must leave fewer of the file open, and none more.
fn balances(fitting: &Fitting, case: &Case<'_>) -> bool {
    let removed = (fitting.at..fitting.at + fitting.removed).map(|at| case.tokens.word(at));
    let (taken, added) = (brackets(removed), brackets(fitting.words.iter().map(String::as_str)));
    let before = case.brackets();
    (0..before.len()).all(|kind| {
        let change = added[kind] - taken[kind];
        change == 0 || (before[kind] + change).abs() < before[kind].abs()
    })
}
