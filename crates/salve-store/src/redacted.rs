//! What every text passes on its way in.
//!
//! In: names and texts of callers. Out: the same without secrets, and names without the one
//! character databases cannot agree on. Never passed by: the rest of the crate has no other way.

use crate::Redact;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Names longer than this are not remembered.
const REMEMBERED_BYTES: usize = 128;
/// This many names are remembered.
const REMEMBERED: usize = 1024;

/// Takes secrets out of what is kept.
pub(crate) struct Redactor {
    redact: Arc<dyn Redact>,
    // The names of models and providers come again with every call.
    names: Mutex<HashMap<String, String>>,
}

impl Redactor {
    pub(crate) fn new(redact: Arc<dyn Redact>) -> Self {
        Self { redact, names: Mutex::default() }
    }

    /// Returns the text without secrets.
    pub(crate) fn text(&self, text: &str) -> String {
        self.redact.redact(text)
    }

    /// Starts on a text that arrives in pieces.
    pub(crate) fn stream(&self) -> Box<dyn crate::StreamRedactor> {
        self.redact.stream()
    }

    /// Returns a name or a line without secrets and without NUL.
    pub(crate) fn name(&self, name: &str) -> String {
        if name.is_empty() || name.len() > REMEMBERED_BYTES {
            return self.redacted(name);
        }
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = names.get(name) {
            return known.clone();
        }
        let redacted = self.redacted(name);
        if names.len() >= REMEMBERED {
            names.clear();
        }
        names.insert(name.to_owned(), redacted.clone());
        redacted
    }

    /// Returns the key of a call. A key that holds a secret becomes its hash, so that it still is
    /// the key of that call alone.
    pub(crate) fn key(&self, key: &str) -> String {
        if self.redacted(key) == key {
            key.to_owned()
        } else {
            format!("blake3:{}", blake3::hash(key.as_bytes()).to_hex())
        }
    }

    /// Returns a document without secrets: string by string, since a redactor that saw it as text
    /// could break it.
    pub(crate) fn json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.name(&text)),
            Value::Array(values) => values.into_iter().map(|value| self.json(value)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (self.name(&name), self.json(value)))
                .collect(),
            other => other,
        }
    }

    // NUL cannot be kept in Postgres at all, and ends a text in SQLite's JSON.
    fn redacted(&self, name: &str) -> String {
        self.redact.redact(name).replace('\0', "\u{fffd}")
    }
}
