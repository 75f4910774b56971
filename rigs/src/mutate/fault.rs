//! Faults: what goes wrong in a document that is being written.
//!
//! In: a written document and the name of a fault. Out: the broken text and what it may be read as.
//! Never a fault that leaves a sound document of another value: that would be no fault but a lie.

mod places;
mod quotes;
mod shape;
mod tail;
mod values;

use super::style::Written;
use super::token::{Mark, Token, build, text};
use crate::corpus::Random;
use serde_json::Value;

type Make = fn(&mut Broken, &mut Random) -> Option<()>;

/// A class of faults.
pub(super) struct Fault {
    pub name: &'static str,
    /// Whether it is a class of the notes; the others are further ones.
    pub noted: bool,
    make: Make,
    /// Whether another fault can come after it.
    first: bool,
}

const fn fault(name: &'static str, noted: bool, first: bool, make: Make) -> Fault {
    Fault { name, noted, make, first }
}

/// Every class, in the order of the table.
#[rustfmt::skip]
pub(super) const FAULTS: &[Fault] = &[
    fault("none", true, false, |_, _| Some(())),
    fault("delete quote", true, true, quotes::delete),
    fault("delete comma", true, true, |broken, random| shape::delete(broken, random, |token| token.mark == Mark::Comma)),
    fault("delete colon", true, true, |broken, random| shape::delete(broken, random, |token| token.mark == Mark::Colon)),
    fault("delete brace", true, true, |broken, random| shape::delete(broken, random, shape::is_brace)),
    fault("delete bracket", true, true, |broken, random| shape::delete(broken, random, shape::is_bracket)),
    fault("double quote", true, true, quotes::double),
    fault("double comma", true, true, |broken, random| shape::double(broken, random, |token| token.mark == Mark::Comma)),
    fault("double colon", true, true, |broken, random| shape::double(broken, random, |token| token.mark == Mark::Colon)),
    fault("double brace", true, true, |broken, random| shape::double(broken, random, shape::is_brace)),
    fault("double bracket", true, true, |broken, random| shape::double(broken, random, shape::is_bracket)),
    fault("swapped neighbours", true, false, shape::swap),
    fault("extra closer", true, true, shape::extra_closer),
    fault("brace lost in array", true, true, shape::lost_between),
    fault("inner quotes", true, true, quotes::inner),
    fault("raw newline", true, true, quotes::raw_newline),
    fault("cut", true, false, tail::cut),
    fault("repeated prefix", true, false, tail::repeated_prefix),
    fault("key without opening quote", true, true, quotes::key_without_opening),
    fault("text after the end", true, false, tail::text_after),
    fault("two faults", true, false, two),
    fault("key without closing quote", false, true, quotes::key_without_closing),
    fault("wrong closer", false, true, shape::wrong_closer),
    fault("outer braces lost", false, true, shape::outer_lost),
    fault("closer at the end only", false, true, shape::closer_moved),
    fault("equals for colon", false, true, |broken, random| shape::other(broken, random, &Mark::Colon, &["=", " =", "=>", "::"])),
    fault("semicolon for comma", false, true, |broken, random| shape::other(broken, random, &Mark::Comma, &[";"])),
    fault("full-width marks", false, true, shape::full_width),
    fault("missing value", false, false, values::missing),
    fault("odd number", false, true, values::odd_number),
    fault("other literal", false, true, values::other_literal),
    fault("bad escape", false, true, values::bad_escape),
    fault("raw tab", false, true, values::raw_tab),
    fault("joined strings", false, true, values::joined),
    fault("ellipsis", false, true, values::ellipsis),
    fault("repeated key", false, true, values::repeated_key),
    fault("mixed quotes", false, true, quotes::mixed),
    fault("lone inner quote", false, true, quotes::lone_inside),
    fault("whole twice", false, false, tail::whole_twice),
];

/// The weight of a class among the cases; two faults have many more forms than one.
pub(super) fn weight(fault: &Fault) -> usize {
    if fault.name == "two faults" { 3 } else { 1 }
}

/// A document on its way to being broken.
pub(super) struct Broken {
    /// The document without faults of shape, which is what is meant.
    pub whole: Vec<Token>,
    pub tokens: Vec<Token>,
    pub same: Vec<(String, String)>,
    pub trailing: bool,
    /// The text, once it can no longer be told in tokens.
    text: Option<String>,
    /// What it may be read as, where that is not the whole document.
    truths: Option<Vec<Value>>,
    faults: usize,
}

/// A broken text and everything needed to judge a reading of it.
pub(super) struct Case {
    pub text: String,
    /// Readings that count as right; the first is what was meant.
    pub truths: Vec<Value>,
    pub same: Vec<(String, String)>,
    /// The text without the seams of strings that were joined from parts.
    pub seamless: String,
    tokens: Option<Vec<Token>>,
    trailing: bool,
}

/// Breaks a document; nothing when the fault has no place in it.
pub(super) fn break_with(written: Written, fault: &Fault, random: &mut Random) -> Option<Case> {
    let Written { tokens, same, trailing } = written;
    let mut broken = Broken {
        whole: tokens.clone(),
        tokens,
        same,
        trailing,
        text: None,
        truths: None,
        faults: 0,
    };
    (fault.make)(&mut broken, random)?;
    let whole = build(&broken.whole, broken.trailing)?;
    let text = broken.text.clone().unwrap_or_else(|| text(&broken.tokens));
    let truths = broken.truths.unwrap_or_else(|| vec![whole]);
    let sound = |value: &Value| !truths.contains(value);
    if fault.name != "none" {
        let by_tokens =
            broken.text.is_none().then(|| build(&broken.tokens, broken.trailing)).flatten();
        if by_tokens.is_some_and(|value| sound(&value)) {
            return None;
        }
    }
    if serde_json::from_str::<Value>(&text).is_ok_and(|value| sound(&value)) {
        return None;
    }
    let seamless = text_without_seams(&broken.tokens);
    let one = broken.text.is_none() && broken.faults == 1;
    Some(Case {
        text,
        truths,
        same: broken.same,
        seamless,
        tokens: one.then_some(broken.tokens),
        trailing: broken.trailing,
    })
}

fn text_without_seams(tokens: &[Token]) -> String {
    let mut tokens = tokens.to_vec();
    for token in &mut tokens {
        token.units.retain(|unit| !unit.plain.is_empty());
    }
    text(&tokens)
}

fn two(broken: &mut Broken, random: &mut Random) -> Option<()> {
    let firsts: Vec<&Fault> = FAULTS.iter().filter(|fault| fault.first).collect();
    let seconds: Vec<&Fault> = FAULTS
        .iter()
        .filter(|fault| fault.first || fault.name == "cut" || fault.name == "text after the end")
        .collect();
    let first = firsts[random.below(firsts.len())];
    let second = seconds[random.below(seconds.len())];
    (first.make)(broken, random)?;
    // What is broken already is no place for a fault that must know its neighbours.
    (second.make)(broken, random)
}

impl Broken {
    /// Changes a token in what is meant and in what is written.
    fn change(&mut self, id: usize, change: impl Fn(&mut Token)) {
        let all = self.whole.iter_mut().chain(self.tokens.iter_mut());
        all.filter(|token| token.id == id).for_each(change);
    }

    fn token(&self, id: usize) -> Option<&Token> {
        self.tokens.iter().find(|token| token.id == id)
    }

    /// A random token that fits, by its id.
    fn any(&self, random: &mut Random, fits: impl Fn(&Token) -> bool) -> Option<usize> {
        let ids: Vec<usize> =
            self.tokens.iter().filter(|token| fits(token)).map(|token| token.id).collect();
        (!ids.is_empty()).then(|| ids[random.below(ids.len())])
    }

    /// A random place among the tokens that fit.
    fn any_place(&self, random: &mut Random, fits: impl Fn(&Token) -> bool) -> Option<usize> {
        let places: Vec<usize> =
            (0..self.tokens.len()).filter(|at| fits(&self.tokens[*at])).collect();
        (!places.is_empty()).then(|| places[random.below(places.len())])
    }

    /// The document without the talk around it: its first place, and the place after its last.
    fn span(&self) -> Option<(usize, usize)> {
        let is_inner = |token: &Token| token.mark != Mark::Talk;
        let first = self.tokens.iter().position(is_inner)?;
        let last = self.tokens.iter().rposition(is_inner)?;
        Some((first, last + 1))
    }
}

impl Case {
    /// Other values that one mark more or one mark less gives: as near to the text as what was meant.
    pub(super) fn near(&self) -> Vec<Value> {
        let Some(tokens) = &self.tokens else { return Vec::new() };
        places::near(tokens, self.trailing)
    }
}
