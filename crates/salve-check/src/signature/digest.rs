//! The hash of a canonical form.
//!
//! In: the form. Out: its SHA-256, whole for the store and sixteen hexadecimal digits for the wire.

use sha2::{Digest as _, Sha256};
use std::fmt;

/// A SHA-256 of which the wire shows the first sixteen digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest {
    /// All of it.
    pub full: [u8; 32],
}

impl Digest {
    /// Hashes a canonical form.
    pub(crate) fn of(form: &str) -> Self {
        Self { full: Sha256::digest(form.as_bytes()).into() }
    }

    /// Appends all its digits to a text.
    pub(crate) fn write(&self, text: &mut String) {
        self.full.iter().for_each(|byte| text.extend(digits(*byte)));
    }

    /// Returns the sixteen digits that stand on the wire.
    #[must_use]
    pub fn wire(&self) -> String {
        hexadecimal(&self.full[..8])
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hexadecimal(&self.full))
    }
}

/// Which error a diagnostic is, from narrow to wide.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The same error with the same names: a fix can be replayed.
    pub exact: Digest,
    /// The same error with other names.
    pub shape: Digest,
    /// The same kind of error of the same tool: the key of learned rules.
    pub class: Digest,
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| digits(*byte)).collect()
}

fn digits(byte: u8) -> [char; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [byte >> 4, byte & 15].map(|value| char::from(DIGITS[usize::from(value)]))
}
