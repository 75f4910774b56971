//! Changing an input a little, or a lot.
//!
//! In: seeds, a dictionary and a generator of numbers. Out: a new input. Never grows an input past
//! its limit, and never depends on anything but its arguments.

use crate::input::Random;

/// Inputs longer than this are cut: long ones slow the search and find little more.
const LONGEST: usize = 4096;

/// Makes inputs out of seeds.
pub(crate) struct Mutator<'a> {
    seeds: &'a [Vec<u8>],
    dictionary: &'a [&'static str],
    random: Random,
    last: Vec<u8>,
}

impl<'a> Mutator<'a> {
    /// Starts a sequence of inputs; the same arguments give the same sequence.
    pub(crate) const fn new(
        seeds: &'a [Vec<u8>],
        dictionary: &'a [&'static str],
        seed: u64,
    ) -> Self {
        Self { seeds, dictionary, random: Random::new(seed), last: Vec::new() }
    }

    /// Returns the next input.
    pub(crate) fn next_input(&mut self) -> &[u8] {
        // Two of three inputs start from a seed; the third goes further from the one before it.
        if self.last.is_empty() || self.random.below(3) > 0 {
            self.last = self.random.pick(self.seeds).cloned().unwrap_or_default();
        }
        for _ in 0..=self.random.below(6) {
            self.change_once();
        }
        self.last.truncate(LONGEST);
        &self.last
    }

    fn change_once(&mut self) {
        let range = self.range();
        let at = range.start;
        match self.random.below(12) {
            0 => self.flip_bit(),
            1 => self.set_byte(),
            2 | 3 => self.insert_word(),
            4 => drop(self.last.drain(range)),
            // A cut is what the product is about.
            5 => self.last.truncate(at),
            6 => {
                let copy = self.last[range].to_vec();
                self.insert(&copy);
            }
            7 => self.repeat(),
            8 => self.splice(),
            9 => self.last.drain(..at).for_each(drop),
            10 => self.last[range].reverse(),
            _ => self.insert_character(),
        }
    }

    // A part of the input, short more often than long.
    fn range(&mut self) -> std::ops::Range<usize> {
        let start = self.random.below(self.last.len() + 1);
        let most = (self.last.len() - start).min(1 << self.random.below(8));
        start..start + self.random.below(most + 1)
    }

    fn flip_bit(&mut self) {
        let at = self.random.below(self.last.len());
        let bit = 1 << self.random.below(8);
        if let Some(byte) = self.last.get_mut(at) {
            *byte ^= bit;
        }
    }

    fn set_byte(&mut self) {
        let at = self.random.below(self.last.len());
        let value = *self.random.pick(b"{}[]()<>\"'`\\/:,;#*=-+ \n\r\t0a\x00\xff").unwrap_or(&0);
        if let Some(byte) = self.last.get_mut(at) {
            *byte = value;
        }
    }

    fn insert_word(&mut self) {
        let word = self.random.pick(self.dictionary).copied().unwrap_or("\n");
        self.insert(word.as_bytes());
    }

    fn insert_character(&mut self) {
        const CHARACTERS: &[&str] =
            &["\u{feff}", "é", "€", "𝄞", "\u{200d}", "“", "’", "\u{2028}", "\u{0}", "\r\n", "\t"];
        let character = self.random.pick(CHARACTERS).copied().unwrap_or("é");
        self.insert(character.as_bytes());
    }

    // Deep nesting and long runs: the same piece, up to 512 times.
    fn repeat(&mut self) {
        let range = self.range();
        let piece = match self.random.pick(self.dictionary) {
            Some(word) if range.is_empty() => word.as_bytes().to_vec(),
            _ => self.last[range].to_vec(),
        };
        let times = 1 << self.random.below(10);
        self.insert(&piece.repeat(times.min(LONGEST / piece.len().max(1))));
    }

    // The head of this input and the tail of a seed.
    fn splice(&mut self) {
        let other = self.random.pick(self.seeds).cloned().unwrap_or_default();
        let head = self.random.below(self.last.len() + 1);
        let tail = self.random.below(other.len() + 1);
        self.last.truncate(head);
        self.last.extend_from_slice(&other[tail..]);
    }

    fn insert(&mut self, bytes: &[u8]) {
        let at = self.random.below(self.last.len() + 1);
        self.last.splice(at..at, bytes.iter().copied());
        self.last.truncate(LONGEST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_inputs() {
        let seeds = [b"{\"a\": [1, 2]}".to_vec(), b"fn f() {}".to_vec()];
        let inputs = |seed| {
            let mut mutator = Mutator::new(&seeds, &["```", "\"\"\""], seed);
            (0..500).map(|_| mutator.next_input().to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
        assert!(inputs(3).iter().all(|input| input.len() <= LONGEST));
        let distinct: std::collections::BTreeSet<_> = inputs(4).into_iter().collect();
        assert!(distinct.len() > 350, "mutations repeat themselves: {}", distinct.len());
    }

    #[test]
    fn no_seeds_are_enough_to_start() {
        let mut mutator = Mutator::new(&[], &[], 1);
        assert!((0..500).any(|_| !mutator.next_input().is_empty()));
    }
}
