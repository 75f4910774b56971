//! The door every text passes on its way in.
//!
//! In: names and texts of callers. Out: the same without secrets, and names without the one
//! character databases cannot agree on. Never lets anything through around it.

use crate::Redact;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Names longer than this are not remembered.
const REMEMBERED_BYTES: usize = 128;
/// So many names are remembered.
const REMEMBERED: usize = 1024;

/// Cleans what is kept.
pub(crate) struct Cleaner {
    redactor: Arc<dyn Redact>,
    // The names of models and providers come again with every call.
    names: Mutex<HashMap<String, String>>,
}

impl Cleaner {
    pub(crate) fn new(redactor: Arc<dyn Redact>) -> Self {
        Self { redactor, names: Mutex::default() }
    }

    /// Returns the text without secrets.
    pub(crate) fn text(&self, text: &str) -> String {
        self.redactor.redact(text)
    }

    /// Starts on a text that arrives in pieces.
    pub(crate) fn stream(&self) -> Box<dyn crate::RedactStream> {
        self.redactor.stream()
    }

    /// Returns a name or a line without secrets and without NUL.
    pub(crate) fn name(&self, name: &str) -> String {
        if name.is_empty() || name.len() > REMEMBERED_BYTES {
            return self.cleaned(name);
        }
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = names.get(name) {
            return known.clone();
        }
        let cleaned = self.cleaned(name);
        if names.len() >= REMEMBERED {
            names.clear();
        }
        names.insert(name.to_owned(), cleaned.clone());
        cleaned
    }

    /// Returns the key of a call. A key that holds a secret becomes its hash, so that it still is
    /// the key of that call alone.
    pub(crate) fn key(&self, key: &str) -> String {
        if self.cleaned(key) == key {
            key.to_owned()
        } else {
            format!("blake3:{}", blake3::hash(key.as_bytes()).to_hex())
        }
    }

    // NUL cannot be kept in Postgres at all, and ends a text in SQLite's JSON.
    fn cleaned(&self, name: &str) -> String {
        self.redactor.redact(name).replace('\0', "\u{fffd}")
    }
}
