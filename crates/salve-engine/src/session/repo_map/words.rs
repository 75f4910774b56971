//! The words of a file, as numbers.
//!
//! In: bytes. Out: the sorted hashes of the names in them. Two names with one hash only make a rank a little
//! wrong, never a result. The same bytes give the same numbers on every machine: they are kept on disk.

/// Returns the hashes of the words of a text, sorted, each once.
pub(crate) fn word_hashes(text: &[u8]) -> Vec<u32> {
    let mut hashes = Vec::with_capacity(text.len() / 16);
    let mut hash = START;
    let mut length = 0_usize;
    let mut is_number = false;
    for &byte in text {
        if is_letter(byte) {
            is_number |= length == 0 && byte.is_ascii_digit();
            hash = step(hash, byte);
            length += 1;
            continue;
        }
        if length > 2 && !is_number {
            hashes.push(hash);
        }
        (hash, length, is_number) = (START, 0, false);
    }
    if length > 2 && !is_number {
        hashes.push(hash);
    }
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// Returns the hash of one word.
pub(super) fn word_hash(word: &str) -> u32 {
    word.bytes().fold(START, step)
}

const START: u32 = 0x811c_9dc5;

// FNV-1a.
fn step(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}
