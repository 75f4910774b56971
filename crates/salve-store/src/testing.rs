//! What unit tests open a store with: a clock that is not moved, a redactor that knows one secret.

use crate::{Redact, StoreOptions, StreamRedactor};
use salve_types::Timestamp;
use std::sync::Arc;

/// The secret of every test.
pub(crate) const SECRET: &str = "sk-planted-0123456789abcdef";

/// Returns what is kept of a text.
pub(crate) fn redacted(text: &str) -> String {
    text.replace(SECRET, "[removed]")
}

struct OneSecret;

impl Redact for OneSecret {
    fn redact(&self, text: &str) -> String {
        redacted(text)
    }

    fn stream(&self) -> Box<dyn StreamRedactor> {
        Box::new(OneSecret)
    }
}

impl StreamRedactor for OneSecret {
    fn push(&mut self, piece: &str) -> String {
        redacted(piece)
    }

    fn finish(&mut self) -> String {
        String::new()
    }
}

pub(crate) fn options() -> StoreOptions {
    StoreOptions::new(Arc::new(|| Timestamp(5 * 86_400_000)), Arc::new(OneSecret), "new")
}
