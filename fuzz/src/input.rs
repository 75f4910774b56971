//! From bytes to what a target needs.
//!
//! In: a fuzzer's bytes. Out: text and a way to cut it into pieces. Never fails: any bytes are an
//! input, and the same bytes are always the same input.

use salve_types::Language;

/// Reads the bytes as text; what is not UTF-8 becomes replacement characters.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Takes the language from the first byte and the text from the rest.
pub(crate) fn language_and_text(bytes: &[u8]) -> (Language, String) {
    let (first, rest) = bytes.split_first().map_or((0, bytes), |(first, rest)| (*first, rest));
    let all: Vec<Language> = Language::all().collect();
    let language = all.get(usize::from(first) % all.len().max(1)).copied().unwrap_or_default();
    (language, text(rest))
}

/// Cuts a text into pieces in three ways: characters, pieces of about `size`, and uneven ones.
///
/// The uneven sizes follow from the text itself, so that a found input replays alike.
pub(crate) fn chunkings(text: &str) -> [Vec<&str>; 3] {
    let mut random = Random::from_text(text);
    [pieces(text, || 1), pieces(text, || 7), pieces(text, || 1 + random.below(24))]
}

// Cuts after at least `size()` bytes, at the next place between two characters.
fn pieces(text: &str, mut size: impl FnMut() -> usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut at = size().clamp(1, rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        let (piece, after) = rest.split_at(at);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// A small generator of numbers (xorshift64*): the same seed gives the same numbers everywhere.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Starts from a seed; zero, which xorshift cannot leave, is replaced.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(if seed == 0 { 0x9E37_79B9_7F4A_7C15 } else { seed })
    }

    /// Starts from a text (FNV-1a).
    pub(crate) fn from_text(text: &str) -> Self {
        let hash = text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        Self::new(hash)
    }

    /// Returns a number below `limit`, or 0 when there is none.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).unwrap_or(0) % limit.max(1)
    }

    /// Returns one of the items, if there is one.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chunking_joins_to_the_text() {
        for text in ["", "a", "äöü€𝄞 plain", &"né".repeat(100)] {
            for pieces in chunkings(text) {
                assert_eq!(pieces.concat(), text);
                assert!(pieces.iter().all(|piece| !piece.is_empty()));
            }
        }
    }
}
