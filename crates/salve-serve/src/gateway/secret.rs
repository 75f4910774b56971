//! A value that is used and never shown.
//!
//! In: a key. Out: the same key, to the one place that sends or compares it. Never in a log, a message
//! or a debug print: its own printing has no text of it.

use http::HeaderValue;
use std::fmt;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// A key.
#[derive(Clone)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Takes a key, without the white space a file or a command leaves around it.
    pub fn new(text: &str) -> Self {
        Self(text.trim().into())
    }

    /// Returns the key, for the one who sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns whether this is the other key, in a time that does not tell how much of it is.
    pub fn is(&self, other: &str) -> bool {
        self.0.as_bytes().ct_eq(other.as_bytes()).into()
    }

    /// Returns the header that carries the key; none when it holds what no header can.
    pub(crate) fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_prints_nothing_of_itself() {
        let secret = Secret::new(" sk-very-secret\n");
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        assert!(secret.is("sk-very-secret"));
        assert!(!secret.is("sk-very-secre"));
        let header = secret.header("Bearer ").unwrap();
        assert!(!format!("{header:?}").contains("secret"));
    }
}
