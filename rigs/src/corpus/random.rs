//! Repeatable choices.
//!
//! In: a seed. Out: the same numbers on every machine. Never used for secrets.

/// A small generator (SplitMix64); good enough to choose files and places.
#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Starts a stream of numbers.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Starts a stream of its own for `name`, so that one measurement does not shift another.
    pub(crate) fn for_name(&self, name: &str) -> Self {
        let mixed = name.bytes().fold(self.0, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        let mut random = Self(mixed);
        random.next();
        random
    }

    /// Returns the next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`, or 0 when nothing is below it.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.next() % limit as u64) as usize }
    }

    /// Puts `items` into a random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
