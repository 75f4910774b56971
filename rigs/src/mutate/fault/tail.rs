//! Faults of the whole: a cut, a second start, text behind the end.
//!
//! In: a document. Out: its text and what may be read from it. Never counts a guess: of what a cut
//! left of a value, the part that is there, nothing, and null for a key alone count the same.

use super::Broken;
use crate::corpus::Random;
use crate::mutate::style::token;
use crate::mutate::token::{Mark, Token, cut_readings, text};
use crate::mutate::words::{one_in, pick, sentence};
use serde_json::{Value, json};

pub(super) fn cut(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let (first, end) = broken.span()?;
    let at = first + 1 + random.below(end.checked_sub(first + 2)?);
    let last = broken.tokens[at].clone();
    let id = last.id;
    let place = broken.whole.iter().position(|token| token.id == id)?;
    let before = &broken.whole[..place];
    let mut kept = text(&broken.tokens[..at]);
    let part = part(&last, random);
    let truths = match &part {
        Some(part) => {
            kept.push_str(&part.written());
            cut_readings(before, Some(part))
        }
        None => cut_readings(before, None),
    };
    if let Some(part) = part.filter(|part| part.mark == Mark::Text) {
        // What may be the start of the closing border or of an escape belongs to nobody.
        let plain = part.plain();
        for (of, same) in broken.same.clone() {
            if of.starts_with(&plain) {
                broken.same.push((plain.clone(), plain.trim_end_matches('\n').to_owned()));
                broken.same.push((plain.clone(), format!("\n{plain}")));
                drop(same);
            }
        }
    }
    (!truths.is_empty()).then_some(())?;
    // Of elements on lines of their own, one alone is not yet a list.
    let bare = broken
        .whole
        .iter()
        .find(|token| !token.is_silent())
        .is_some_and(|token| token.open.is_empty());
    let alone = |value: &Value| {
        value.as_array().filter(|items| items.len() == 1).map(|items| items[0].clone())
    };
    let single: Vec<Value> = truths.iter().filter(|_| bare).filter_map(alone).collect();
    broken.truths = Some([truths, single].concat());
    broken.text = Some(kept);
    Some(())
}

// What is left of a token; nothing when it goes as a whole.
fn part(token: &Token, random: &mut Random) -> Option<Token> {
    match token.mark {
        Mark::Key | Mark::Text if !token.units.is_empty() => {
            let units = token.units[..random.below(token.units.len())].to_vec();
            Some(Token { units, close: String::new(), ..token.clone() })
        }
        Mark::Plain(_) if token.open.len() > 1 => {
            let open = token.open.get(..1 + random.below(token.open.len() - 1))?.to_owned();
            Some(Token { open, ..token.clone() })
        }
        _ => None,
    }
}

/// The document begins, and begins again.
pub(super) fn repeated_prefix(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let (first, end) = broken.span()?;
    let document = text(&broken.tokens[first..end]);
    // A document of one digit has no beginning that is not all of it.
    let most = (document.len() / 2).max(2);
    let lengths: Vec<usize> = (2..=most).filter(|at| document.is_char_boundary(*at)).collect();
    let length = *lengths.get(random.below(lengths.len()))?;
    let between = pick(random, &["", "", "\n", "\n\n"]);
    let prefix = &document[..length];
    broken.text = Some(format!(
        "{}{prefix}{between}{document}{}",
        text(&broken.tokens[..first]),
        text(&broken.tokens[end..])
    ));
    Some(())
}

pub(super) fn text_after(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let (_, end) = broken.span()?;
    let said = sentence(random).replace(['{', '}', '[', ']'], "");
    let after = match random.below(12) {
        0 => "\n\nThis sets the \"name\" to {value}, as in [1].".to_owned(),
        1 => " // done".to_owned(),
        2 => "\n```".to_owned(),
        3 => "<|im_end|>".to_owned(),
        4 => "\n\nNote: {} and [] stay empty.".to_owned(),
        5 => format!("\n\nExplanation:\n1. {said}\n2. {said}"),
        6 => ".".to_owned(),
        7 => "\n\n[1] https://example.com/a".to_owned(),
        8 => "\n---\nEnd of output".to_owned(),
        9 => "\n</s>".to_owned(),
        10 => "\n\nUsage: `load({ path: \"x\" })`".to_owned(),
        _ => format!("\n\n{said}"),
    };
    broken.tokens.insert(end, token(Mark::Talk, &after));
    Some(())
}

/// The same document twice; once, or both in a list, counts.
pub(super) fn whole_twice(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let (first, end) = broken.span()?;
    let value = crate::mutate::token::build(&broken.whole, broken.trailing)?;
    let document = text(&broken.tokens[first..end]);
    let between = if one_in(random, 2) { "\n" } else { "\n\nOr, once more:\n\n" };
    broken.text = Some(format!(
        "{}{document}{between}{document}{}",
        text(&broken.tokens[..first]),
        text(&broken.tokens[end..])
    ));
    broken.truths = Some(vec![value.clone(), json!([value, value])]);
    Some(())
}
