//! Faults of values: what is written in another language's way, twice, or not at all.
//!
//! In: a document. Out: the same with one value that JSON has no such writing for. Never a value
//! whose meaning is open, except where two meanings are both counted.

use super::Broken;
use crate::corpus::Random;
use crate::mutate::style::token;
use crate::mutate::token::{Mark, Token, Unit, build};
use crate::mutate::words::{one_in, pick};
use serde_json::{Value, json};

/// Nothing after a colon; null, an empty string and no member at all count alike.
pub(super) fn missing(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let loud: Vec<usize> =
        (0..broken.tokens.len()).filter(|at| !broken.tokens[*at].is_silent()).collect();
    let is_value = |at: usize| matches!(broken.tokens[at].mark, Mark::Text | Mark::Plain(_));
    let spots: Vec<(usize, usize, usize)> = loud
        .windows(3)
        .filter(|three| broken.tokens[three[1]].mark == Mark::Colon && is_value(three[2]))
        .map(|three| (three[0], three[1], three[2]))
        .collect();
    let (key, _, value) = *spots.get(random.below(spots.len()))?;
    let id = broken.tokens[value].id;
    let mut truths = Vec::new();
    for mark in [json!(null), json!("")] {
        let mut tokens = broken.whole.clone();
        let place = tokens.iter().position(|token| token.id == id)?;
        tokens[place] = Token { mark: Mark::Plain(mark), ..token(Mark::Space, "") };
        truths.push(build(&tokens, broken.trailing)?);
    }
    let mut tokens = broken.whole.clone();
    let from = tokens.iter().position(|token| token.id == broken.tokens[key].id)?;
    let to = tokens.iter().position(|token| token.id == id)?;
    tokens.drain(from..=to);
    // The comma that is left over belongs to the member.
    let is_loud = |at: &usize| !tokens[*at].is_silent();
    let after = (from..tokens.len()).find(is_loud)?;
    let before = (0..from).rev().find(is_loud)?;
    let comma = [after, before].into_iter().find(|at| tokens[*at].mark == Mark::Comma);
    if let Some(comma) = comma {
        tokens.remove(comma);
    }
    truths.push(build(&tokens, broken.trailing)?);
    broken.truths = Some(truths);
    broken.tokens.remove(value);
    Some(())
}

pub(super) fn odd_number(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let is_number = |token: &Token| matches!(&token.mark, Mark::Plain(Value::Number(_)));
    let id = broken.any(random, is_number)?;
    let whole = random.below(9_000) + 1_000;
    let (text, value) = match random.below(6) {
        0 => (format!("+{whole}"), json!(whole)),
        1 => (format!(".{whole}5"), serde_json::from_str(&format!("0.{whole}5")).ok()?),
        2 => (format!("{whole}."), json!(whole)),
        3 => (format!("0x{whole:x}"), json!(whole)),
        4 => (format!("{}_{:03}", whole / 1000, whole % 1000), json!(whole)),
        _ => (format!("00{whole}"), json!(whole)),
    };
    broken.change(id, |token| {
        token.open.clone_from(&text);
        token.mark = Mark::Plain(value.clone());
    });
    Some(())
}

pub(super) fn other_literal(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let is_literal =
        |token: &Token| matches!(&token.mark, Mark::Plain(Value::Bool(_) | Value::Null));
    let id = broken.any(random, is_literal)?;
    let text = match &broken.token(id)?.mark {
        Mark::Plain(Value::Bool(true)) => pick(random, &["TRUE", "True"]),
        Mark::Plain(Value::Bool(false)) => pick(random, &["FALSE", "False"]),
        _ => pick(random, &["NULL", "None", "undefined", "Null"]),
    };
    broken.change(id, |token| token.open = text.to_owned());
    Some(())
}

/// An escape that JSON does not have; the backslash may be kept or not.
pub(super) fn bad_escape(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let id = broken.any(random, |token| token.mark == Mark::Text && token.is_quoted())?;
    let letter = pick(random, &["d", "_", "s", "$", "(", ".", "w", "-", "["]);
    let at = random.below(broken.token(id)?.units.len() + 1);
    broken.change(id, |token| {
        let both = format!("\\{letter}");
        token.units.insert(at, Unit { written: both.clone(), plain: both });
    });
    let kept = broken.token(id)?.plain();
    let mut units = broken.token(id)?.units.clone();
    units[at].plain = letter.to_owned();
    let dropped: String = units.iter().map(|unit| unit.plain.as_str()).collect();
    broken.same.push((kept, dropped));
    Some(())
}

pub(super) fn raw_tab(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let id = broken.any(random, |token| {
        token.mark == Mark::Text && token.is_quoted() && !token.units.is_empty()
    })?;
    let at = random.below(broken.token(id)?.units.len() + 1);
    broken.change(id, |token| {
        token.units.insert(at, Unit { written: "\t".to_owned(), plain: "\t".to_owned() });
    });
    Some(())
}

/// One string in two parts, as programs join them.
pub(super) fn joined(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let at = broken.any_place(random, |token| {
        token.mark == Mark::Text && token.is_quoted() && token.units.len() > 3
    })?;
    let token = &mut broken.tokens[at];
    let middle = 1 + random.below(token.units.len() - 1);
    let sign = pick(random, &[" + ", "+", " +\n  ", " + \n"]);
    let seam = format!("{}{sign}{}", token.close, token.open);
    token.units.insert(middle, Unit { written: seam, plain: String::new() });
    Some(())
}

/// Dots where the model left something out, or wanted to.
pub(super) fn ellipsis(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let close = |token: &Token| matches!(token.mark, Mark::Close(_)) && !token.open.is_empty();
    let at = broken.any_place(random, close)?;
    let before = broken.tokens[..at].iter().rev().find(|token| !token.is_silent())?;
    let first = !matches!(before.mark, Mark::Text | Mark::Plain(_) | Mark::Close(_));
    let comma = if first { "" } else { "," };
    let dots = pick(random, &["...", " ...", "…", " // ...\n", "..."]);
    broken.tokens.insert(at, token(Mark::Space, &format!("{comma}{dots}")));
    Some(())
}

/// A key and its colon twice.
pub(super) fn repeated_key(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let at = broken.any_place(random, |token| token.mark == Mark::Key && token.is_quoted())?;
    let colon =
        (at..broken.tokens.len()).find(|place| broken.tokens[*place].mark == Mark::Colon)?;
    let mut twice: Vec<Token> = broken.tokens[at..=colon].to_vec();
    if one_in(random, 2) {
        twice.push(token(Mark::Space, " "));
    }
    broken.tokens.splice(at..at, twice);
    Some(())
}
