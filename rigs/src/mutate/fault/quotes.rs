//! Faults of quotes.
//!
//! In: a document. Out: the same with a quote too few, too many or of another kind. Never in text
//! blocks, whose borders are more than one character.

use super::Broken;
use crate::corpus::Random;
use crate::mutate::token::{Mark, Token, Unit};
use crate::mutate::words::one_in;

pub(super) fn delete(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let at = broken.any_place(random, Token::is_quoted)?;
    let token = &mut broken.tokens[at];
    if one_in(random, 2) {
        token.open.clear();
    } else {
        token.close.clear();
    }
    Some(())
}

pub(super) fn double(broken: &mut Broken, random: &mut Random) -> Option<()> {
    // An empty string with a quote doubled is the start of a triple quote as well.
    let at = broken.any_place(random, |token| token.is_quoted() && !token.units.is_empty())?;
    let token = &mut broken.tokens[at];
    let quote = if one_in(random, 2) { &mut token.open } else { &mut token.close };
    *quote = quote.repeat(2);
    Some(())
}

fn key(broken: &mut Broken, random: &mut Random) -> Option<usize> {
    broken.any_place(random, |token| {
        token.mark == Mark::Key && token.is_quoted() && !token.units.is_empty()
    })
}

pub(super) fn key_without_opening(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let at = key(broken, random)?;
    broken.tokens[at].open.clear();
    Some(())
}

pub(super) fn key_without_closing(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let at = key(broken, random)?;
    broken.tokens[at].close.clear();
    Some(())
}

/// A quote inside a string is not escaped; a word is quoted where the string has none.
pub(super) fn inner(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let has = |token: &Token| token.is_quoted() && token.mark == Mark::Text;
    let escaped = |token: &Token| {
        token.units.iter().any(|unit| unit.written.starts_with('\\') && unit.plain == token.open)
    };
    if let Some(id) =
        broken.any(random, |token| has(token) && escaped(token)).filter(|_| !one_in(random, 3))
    {
        broken.change(id, |token| {
            let open = token.open.clone();
            token
                .units
                .iter_mut()
                .filter(|unit| unit.plain == open)
                .for_each(|unit| unit.written = open.clone());
        });
        return Some(());
    }
    let wordy = |token: &Token| has(token) && words(token).len() > 1;
    let id = broken.any(random, wordy)?;
    let words = words(broken.token(id)?);
    let (start, end) = words[random.below(words.len())];
    broken.change(id, |token| {
        let quote = |text: &str| Unit { written: text.to_owned(), plain: text.to_owned() };
        let (open, close) = (quote(&token.open), quote(&token.close));
        token.units.insert(end, close);
        token.units.insert(start, open);
    });
    Some(())
}

// Runs of letters, as places among the units.
fn words(token: &Token) -> Vec<(usize, usize)> {
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, unit) in token.units.iter().enumerate() {
        if !unit.plain.chars().all(char::is_alphanumeric) {
            continue;
        }
        match words.last_mut() {
            Some(last) if last.1 == at => last.1 = at + 1,
            _ => words.push((at, at + 1)),
        }
    }
    words
}

/// The line breaks of a string are written as they are.
pub(super) fn raw_newline(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let text = |token: &Token| token.is_quoted() && token.mark == Mark::Text;
    let has = |token: &Token| {
        text(token) && token.units.iter().any(|unit| unit.plain == "\n" && unit.written != "\n")
    };
    if let Some(id) = broken.any(random, has) {
        broken.change(id, |token| {
            token
                .units
                .iter_mut()
                .filter(|unit| unit.plain == "\n")
                .for_each(|unit| unit.written = "\n".to_owned());
        });
        return Some(());
    }
    let spaced = |token: &Token| text(token) && token.units.iter().any(|unit| unit.plain == " ");
    let id = broken.any(random, spaced)?;
    broken.change(id, |token| {
        if let Some(unit) = token.units.iter_mut().find(|unit| unit.plain == " ") {
            *unit = Unit { written: "\n".to_owned(), plain: "\n".to_owned() };
        }
    });
    Some(())
}

/// A string ends with another quote than it began with.
pub(super) fn mixed(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let plain =
        |token: &Token| !token.units.is_empty() && !token.plain().contains(['"', '\'', '“', '”']);
    let at = broken.any_place(random, |token| token.is_quoted() && plain(token))?;
    let token = &mut broken.tokens[at];
    let other = if token.open == "'" { "\"" } else { "'" };
    if one_in(random, 2) {
        token.open = other.to_owned();
    } else {
        token.close = other.to_owned();
    }
    Some(())
}

/// A string has one unescaped quote of its own kind in it: an inch mark, an apostrophe.
pub(super) fn lone_inside(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let has =
        |token: &Token| token.is_quoted() && token.mark == Mark::Text && words(token).len() > 1;
    let id = broken.any(random, has)?;
    let words = words(broken.token(id)?);
    let at = words[random.below(words.len())].1;
    broken.change(id, |token| {
        let mark = if token.open == "\"" { "\"s" } else { "'s" };
        token.units.insert(at, Unit { written: mark.to_owned(), plain: mark.to_owned() });
    });
    Some(())
}
