//! Content hashes: what a file was when it was read.
//!
//! In: bytes. Out: a BLAKE3 hash, its hex forms, and the comparison with a hash that a reply
//! echoes, MD5 included. Never: trust in an MD5 beyond the comparison with a label that we gave.

use md5::{Digest as _, Md5};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The BLAKE3 hash of a content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes a content.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Returns the full hash in hex.
    pub fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Tells whether a hash as a reply writes it names `bytes`: BLAKE3 in full or at least its
    /// first 8 digits, or MD5 in full; with or without a `blake3:` or `md5:` label.
    pub fn names(written: &str, bytes: &[u8]) -> bool {
        let (label, digits) = written.trim().split_once(':').unwrap_or(("", written.trim()));
        let digits = digits.trim().to_ascii_lowercase();
        if digits.len() < 8 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        let by_blake3 = || Self::of(bytes).hex().starts_with(&digits);
        let by_md5 = || md5_label(bytes) == digits;
        match label.to_ascii_lowercase().as_str() {
            "" => by_blake3() || by_md5(),
            "blake3" => by_blake3(),
            "md5" => by_md5(),
            _ => false,
        }
    }
}

/// Returns the MD5 of a content in hex: the label that prompts and documents show, never a proof.
pub fn md5_label(bytes: &[u8]) -> String {
    Md5::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ContentHash({})", &self.hex()[..12])
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> Self {
        hash.hex()
    }
}

impl TryFrom<String> for ContentHash {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let bad = || format!("not a BLAKE3 hash in hex: {text}");
        if text.len() != 64 || !text.is_ascii() {
            return Err(bad());
        }
        let mut bytes = [0; 32];
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = std::str::from_utf8(digits).map_err(|_| bad())?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| bad())?;
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x08_a_hash_is_named_by_blake3_by_its_short_form_and_by_md5() {
        let bytes = b"fn main() {}\n";
        let full = ContentHash::of(bytes).hex();
        for (written, expected) in [
            (full.clone(), true),
            (full[..12].to_owned(), true),
            (format!("blake3:{}", &full[..16]), true),
            (full[..7].to_owned(), false),
            ("63a9cd8d1ec9c1a1ad5cbeb51eb0f54a".to_owned(), false),
            (format!("md5:{}", &full[..32]), false),
            (String::new(), false),
            ("unknown".to_owned(), false),
        ] {
            assert_eq!(ContentHash::names(&written, bytes), expected, "{written}");
        }
        assert!(ContentHash::names("d41d8cd98f00b204e9800998ecf8427e", b""));
        assert!(ContentHash::names("MD5:D41D8CD98F00B204E9800998ECF8427E", b""));
    }

    #[test]
    fn a_hash_survives_its_text_form() {
        let hash = ContentHash::of(b"x");
        assert_eq!(ContentHash::try_from(hash.hex()), Ok(hash));
        assert!(ContentHash::try_from("é".repeat(32)).is_err());
    }
}
