//! Names of a file that may be meant by one that is not known.
//!
//! In: a name as a message quotes it, and the file. Out: names of the file and of the language, the most
//! probable first: those spelt nearly the same, then those used nearest before the place. Few, always in
//! the same order.

use super::context::Case;
use super::rule::WordKind;
use crate::heal::fixers::{language_words, slips};
use std::collections::HashSet;

/// How many names a hole stands for at most.
pub(super) const TRIED: usize = 4;
// How far back names are looked for.
const BACK: usize = 2_000;

/// Lists the names.
pub(super) fn near<'a>(case: &Case<'a>, name: &str) -> Vec<&'a str> {
    let mut found: Vec<(usize, usize, &'a str)> = Vec::new();
    let mut seen = HashSet::new();
    let last = case.place.min(case.tokens.all.len());
    let before = (last.saturating_sub(BACK)..last).rev();
    let after = last..(last + BACK).min(case.tokens.all.len());
    for (order, at) in before.chain(after).enumerate() {
        let word = case.tokens.word(at);
        let is_name = case.tokens.all[at].kind == WordKind::Name;
        if is_name && word != name && seen.insert(word) && !case.is_kept(at) {
            found.push((slips(name, word).unwrap_or(usize::MAX), order, word));
        }
    }
    for word in language_words(case.tokens.language) {
        if let Some(slips) = slips(name, word)
            && seen.insert(word)
        {
            found.push((slips, BACK * 2, word));
        }
    }
    found.sort_unstable();
    found.into_iter().take(TRIED).map(|(_, _, word)| word).collect()
}
