//! Line breaks after the cut: an editor, a shell or an agent ends every file it writes with one.
//!
//! In: the partial text, and whether its last line breaks may have been added. Out: the places where
//! it may have been cut, and how well a break at such a place agrees with the habits of both texts.
//! Never takes off anything but line breaks.

use super::weights;
use crate::lines::{ceil_boundary, head};
use std::borrow::Cow;
use std::collections::HashMap;

/// Where the line breaks at the end of a partial text come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FinalBreak {
    /// From the model: the text is as it was sent.
    #[default]
    Sent,
    /// From the model, or from what wrote the text to a file.
    Unknown,
}

// What is counted of each text, in bytes.
const COUNTED: usize = 64 * 1024;
// How many bytes after the seam are looked at; the first ones tell whether a line starts there.
const LOOKED_AT: usize = 3;
// How many times a rare sequence is presumed to have been seen, as the shorter one predicts it.
const PRESUMED: f32 = 2.0;
const SIGNS: f32 = 96.0;

/// Lists where the partial text may have been cut: at its end, before its last line break, after the
/// first of several, before all of them.
pub(crate) fn kept(partial: &str, rule: FinalBreak) -> Vec<usize> {
    let mut ends = vec![partial.len()];
    let bare = partial.trim_end_matches(['\n', '\r']).len();
    if rule == FinalBreak::Sent || bare == 0 || bare == partial.len() {
        return ends;
    }
    let once = partial.strip_suffix('\n').unwrap_or(partial);
    let once = once.strip_suffix('\r').unwrap_or(once).len();
    let first = partial[bare..].find('\n').map_or(bare, |at| bare + at + 1);
    ends.extend([once, first.min(once), bare]);
    ends.dedup();
    ends
}

/// Returns the partial text with the kind of line break at its end that both texts have everywhere else:
/// one of another kind is not the model's.
pub(crate) fn with_own_break<'a>(
    partial: &'a str,
    continuation: &str,
    rule: FinalBreak,
) -> Cow<'a, str> {
    let bare = partial.trim_end_matches(['\n', '\r']);
    let breaks = partial[bare.len()..].matches('\n').count();
    if rule == FinalBreak::Sent || breaks == 0 {
        return Cow::Borrowed(partial);
    }
    // What the partial text shows of itself counts first.
    let shown = if bare.contains('\n') { bare } else { head(continuation, COUNTED) };
    let (all, long) = (shown.matches('\n').count(), shown.matches("\r\n").count());
    let own = match long {
        _ if all == 0 => return Cow::Borrowed(partial),
        0 => "\n",
        _ if long == all => "\r\n",
        _ => return Cow::Borrowed(partial),
    };
    let ended = format!("{bare}{}", own.repeat(breaks));
    if ended == partial { Cow::Borrowed(partial) } else { Cow::Owned(ended) }
}

/// How often each sign follows the two before it, in both texts.
pub(crate) struct Habits {
    threes: HashMap<[u8; 3], f32>,
    twos: HashMap<[u8; 2], f32>,
    ones: HashMap<u8, f32>,
    total: f32,
}

impl Habits {
    /// Counts the signs near the seam of two texts; the breaks in question do not count.
    pub(crate) fn of(partial: &str, continuation: &str) -> Self {
        let bare = partial.trim_end_matches(['\n', '\r']);
        let start = ceil_boundary(bare, bare.len().saturating_sub(COUNTED));
        let mut habits =
            Self { threes: HashMap::new(), twos: HashMap::new(), ones: HashMap::new(), total: 0.0 };
        habits.count(&bare.as_bytes()[start..]);
        habits.count(head(continuation, COUNTED).as_bytes());
        habits
    }

    /// Returns how much speaks for cutting the partial text at `end`, against leaving it as it is.
    pub(crate) fn bits(&self, partial: &str, end: usize, joined: &str) -> f32 {
        if end == partial.len() {
            return 0.0;
        }
        let bare = partial.trim_end_matches(['\n', '\r']);
        let rest = &joined.as_bytes()[end.min(joined.len())..];
        let rest = &rest[..rest.len().min(LOOKED_AT)];
        // Whether a line is empty on purpose is seldom a habit.
        let only_blank = end > bare.len() && !rest.starts_with(b"\n");
        let (most, prior) = if only_blank {
            (weights::MOST_OF_BLANK_LINES, weights::SOME_BREAKS_ADDED)
        } else {
            (weights::MOST_OF_HABITS, weights::ADDED_BREAK)
        };
        let chance = |end: usize| {
            self.likelihood(bare.as_bytes(), &partial.as_bytes()[bare.len()..end], rest)
        };
        // The likeliest of the other places is the rival: one empty line too many speaks for one
        // less, not for none.
        let others = kept(partial, FinalBreak::Unknown).into_iter().filter(|&other| other != end);
        let rival = others.map(chance).fold(f32::NEG_INFINITY, f32::max);
        (chance(end) - rival).clamp(-weights::MOST_OF_HABITS, most) + prior
    }

    /// Returns how much speaks for `repeated` being an echo of the end of the partial text, against
    /// `repeated` being meant, by what follows.
    pub(crate) fn echo_bits(&self, partial: &str, repeated: &str, rest: &str) -> f32 {
        let before = partial.as_bytes();
        let rest = &rest.as_bytes()[..rest.len().min(LOOKED_AT)];
        let meant = self.likelihood(before, repeated.as_bytes(), rest);
        let echoed = self.likelihood(before, b"", rest);
        (echoed - meant).clamp(-weights::MOST_OF_HABITS, weights::MOST_OF_HABITS)
    }

    fn count(&mut self, text: &[u8]) {
        let signs = text.iter().copied().filter(|&byte| byte != b'\r');
        let (mut first, mut second) = (b'\n', b'\n');
        for sign in signs {
            *self.threes.entry([first, second, sign]).or_default() += 1.0;
            *self.twos.entry([second, sign]).or_default() += 1.0;
            *self.ones.entry(sign).or_default() += 1.0;
            self.total += 1.0;
            (first, second) = (second, sign);
        }
    }

    // The logarithm of the chance that `breaks` and then `rest` follow `before`.
    fn likelihood(&self, before: &[u8], breaks: &[u8], rest: &[u8]) -> f32 {
        let mut last = before.iter().rev().copied().filter(|&byte| byte != b'\r');
        let (mut second, mut first) = (last.next().unwrap_or(b'\n'), last.next().unwrap_or(b'\n'));
        let mut bits = 0.0;
        for &sign in breaks.iter().chain(rest).filter(|&&byte| byte != b'\r') {
            bits += self.chance(first, second, sign).log2();
            (first, second) = (second, sign);
        }
        bits
    }

    fn chance(&self, first: u8, second: u8, sign: u8) -> f32 {
        let one = self.ones.get(&sign).copied().unwrap_or_default();
        let alone = (one + 1.0) / (self.total + SIGNS);
        let pair = self.twos.get(&[second, sign]).copied().unwrap_or_default();
        let seconds = self.ones.get(&second).copied().unwrap_or_default();
        let after_one = (pair + PRESUMED * alone) / (seconds + PRESUMED);
        let three = self.threes.get(&[first, second, sign]).copied().unwrap_or_default();
        let pairs = self.twos.get(&[first, second]).copied().unwrap_or_default();
        (three + PRESUMED * after_one) / (pairs + PRESUMED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_of_the_cut_are_before_the_breaks() {
        assert_eq!(kept("a\n\n", FinalBreak::Sent), [3]);
        assert_eq!(kept("a", FinalBreak::Unknown), [1]);
        assert_eq!(kept("a\r\n", FinalBreak::Unknown), [3, 1]);
        assert_eq!(kept("a\n\n\n\n", FinalBreak::Unknown), [5, 4, 2, 1]);
        assert_eq!(kept("a\n\n", FinalBreak::Unknown), [3, 2, 1]);
        assert_eq!(kept("\n\n", FinalBreak::Unknown), [2]);
    }

    #[test]
    fn a_break_of_another_kind_is_not_the_models() {
        let own = |text, rest| with_own_break(text, rest, FinalBreak::Unknown).into_owned();
        assert_eq!(own("a\nb\r\n", "c\n"), "a\nb\n");
        assert_eq!(own("a\r\nb\r\n", "c\n"), "a\r\nb\r\n");
        assert_eq!(own("a\r\nb\n", "c\n"), "a\r\nb\r\n");
        assert_eq!(own("a\n\n", "a\r\nb\r\n"), "a\r\n\r\n");
        assert_eq!(own("a\r\n", "a\nb\n"), "a\n");
        assert_eq!(own("a\n", "b\r\nc\n"), "a\n");
        assert_eq!(own("a\n", "b"), "a\n");
        assert_eq!(with_own_break("a\nb\r\n", "c\n", FinalBreak::Sent), "a\nb\r\n");
    }

    #[test]
    fn habits_tell_a_broken_word_from_a_new_line() {
        let text = "let total = compute(a);\nlet other = compute(b);\nlet third = comp";
        let partial = format!("{text}\n");
        let habits = Habits::of(&partial, "ute(c);\nlet last = 1;\n");
        let joined = format!("{text}ute(c);\n");
        assert!(habits.bits(&partial, text.len(), &joined) > 3.0);
        let whole = "let total = compute(a);\nlet other = compute(b);\n";
        let habits = Habits::of(whole, "let third = compute(c);\n");
        let joined = format!("{}let third", whole.trim_end());
        assert!(habits.bits(whole, whole.len() - 1, &joined) < -3.0);
    }
}
