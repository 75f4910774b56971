//! Faults of commas, colons, braces and brackets.
//!
//! In: a document. Out: the same with a mark too few, too many, in the wrong place or of another
//! kind. Never inside strings, comments or talk.

use super::Broken;
use crate::corpus::Random;
use crate::mutate::style::token;
use crate::mutate::token::{Mark, Shape, Token, build, text};
use crate::mutate::words::{one_in, pick};

pub(super) fn is_brace(token: &Token) -> bool {
    matches!(token.mark, Mark::Open(Shape::Object) | Mark::Close(Shape::Object))
}

pub(super) fn is_bracket(token: &Token) -> bool {
    matches!(token.mark, Mark::Open(Shape::Array) | Mark::Close(Shape::Array))
}

// A mark that is written as nothing or as a line break is not there to be lost.
fn is_written(token: &Token) -> bool {
    !token.open.trim().is_empty()
}

pub(super) fn delete(
    broken: &mut Broken,
    random: &mut Random,
    fits: impl Fn(&Token) -> bool,
) -> Option<()> {
    let at = broken.any_place(random, |token| fits(token) && is_written(token))?;
    broken.tokens.remove(at);
    broken.faults += 1;
    Some(())
}

pub(super) fn double(
    broken: &mut Broken,
    random: &mut Random,
    fits: impl Fn(&Token) -> bool,
) -> Option<()> {
    let at = broken.any_place(random, |token| fits(token) && is_written(token))?;
    let copy = broken.tokens[at].clone();
    broken.tokens.insert(at, copy);
    broken.faults += 1;
    Some(())
}

/// Two neighbours change places: two tokens, or two characters of which one is a mark.
pub(super) fn swap(broken: &mut Broken, random: &mut Random) -> Option<()> {
    if one_in(random, 2) {
        let loud: Vec<usize> = (0..broken.tokens.len())
            .filter(|at| {
                !broken.tokens[*at].is_silent() && !broken.tokens[*at].written().trim().is_empty()
            })
            .collect();
        let pairs: Vec<&[usize]> = loud
            .windows(2)
            .filter(|pair| pair.iter().any(|at| broken.tokens[*at].is_structure()))
            .collect();
        let pair = pairs.get(random.below(pairs.len()))?;
        broken.tokens.swap(pair[0], pair[1]);
        broken.faults += 1;
        return Some(());
    }
    let (first, end) = broken.span()?;
    let letters: Vec<char> = text(&broken.tokens[first..end]).chars().collect();
    let is_mark = |letter: char| "{}[],:\"'".contains(letter);
    let fits = |at: &usize| {
        let (one, other) = (letters[*at], letters[at + 1]);
        one != other
            && (is_mark(one) || is_mark(other))
            && !one.is_whitespace()
            && !other.is_whitespace()
    };
    let places: Vec<usize> = (0..letters.len().saturating_sub(1)).filter(fits).collect();
    let at = *places.get(random.below(places.len()))?;
    let mut letters = letters;
    letters.swap(at, at + 1);
    let inner: String = letters.into_iter().collect();
    broken.text =
        Some(format!("{}{inner}{}", text(&broken.tokens[..first]), text(&broken.tokens[end..])));
    Some(())
}

/// A closer too many, behind a value, a closer or the end.
pub(super) fn extra_closer(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let ends = |token: &Token| matches!(token.mark, Mark::Close(_) | Mark::Text | Mark::Plain(_));
    let at = broken.any_place(random, ends)?;
    let (shape, mark) = if one_in(random, 2) { (Shape::Object, "}") } else { (Shape::Array, "]") };
    broken.tokens.insert(at + 1, token(Mark::Close(shape), mark));
    broken.faults += 1;
    Some(())
}

/// Between two objects of an array a brace is lost, with the comma or without it.
pub(super) fn lost_between(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let loud: Vec<usize> =
        (0..broken.tokens.len()).filter(|at| !broken.tokens[*at].is_silent()).collect();
    let mark = |at: usize| broken.tokens[at].mark.clone();
    let is_border = |three: &&[usize]| {
        mark(three[0]) == Mark::Close(Shape::Object)
            && mark(three[1]) == Mark::Comma
            && mark(three[2]) == Mark::Open(Shape::Object)
    };
    let borders: Vec<Vec<usize>> =
        loud.windows(3).filter(is_border).map(<[usize]>::to_vec).collect();
    let border = borders.get(random.below(borders.len()))?;
    let lost: &[usize] = match random.below(4) {
        0 => &border[..1],
        1 => &border[2..],
        _ => &border[..2],
    };
    for at in lost.iter().rev() {
        broken.tokens.remove(*at);
    }
    broken.faults += 1;
    Some(())
}

pub(super) fn wrong_closer(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let at = broken
        .any_place(random, |token| matches!(token.mark, Mark::Close(_)) && is_written(token))?;
    let other = match broken.tokens[at].mark {
        Mark::Close(Shape::Object) => token(Mark::Close(Shape::Array), "]"),
        _ => token(Mark::Close(Shape::Object), "}"),
    };
    broken.tokens[at] = other;
    Some(())
}

/// The first brace and the last are missing, as in the inside of an object.
pub(super) fn outer_lost(broken: &mut Broken, _: &mut Random) -> Option<()> {
    let (first, end) = broken.span()?;
    let is = |at: usize, mark: Mark| broken.tokens[at].mark == mark;
    (is(first, Mark::Open(Shape::Object))
        && is(end - 1, Mark::Close(Shape::Object))
        && end - first > 3)
        .then_some(())?;
    broken.tokens.remove(end - 1);
    broken.tokens.remove(first);
    Some(())
}

/// A closer is forgotten where it belongs and added at the end.
pub(super) fn closer_moved(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let (_, end) = broken.span()?;
    let at = broken
        .any_place(random, |token| matches!(token.mark, Mark::Close(_)) && is_written(token))?;
    (at + 1 < end).then_some(())?;
    let closer = broken.tokens[at].clone();
    broken.tokens.insert(end, closer);
    broken.tokens.remove(at);
    build(&broken.tokens, broken.trailing).is_none().then_some(())
}

/// Another sign is written in place of a mark, once or everywhere.
pub(super) fn other(
    broken: &mut Broken,
    random: &mut Random,
    mark: &Mark,
    signs: &[&str],
) -> Option<()> {
    let sign = pick(random, signs);
    let at = broken.any_place(random, |token| token.mark == *mark && is_written(token))?;
    let all = one_in(random, 3);
    for (place, token) in broken.tokens.iter_mut().enumerate() {
        if token.mark == *mark && is_written(token) && (all || place == at) {
            token.open = sign.to_owned();
        }
    }
    Some(())
}

/// Commas and colons of another script.
pub(super) fn full_width(broken: &mut Broken, random: &mut Random) -> Option<()> {
    if one_in(random, 2) {
        other(broken, random, &Mark::Comma, &["，"])
    } else {
        other(broken, random, &Mark::Colon, &["："])
    }
}
