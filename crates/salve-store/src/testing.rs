//! What unit tests open a store with: a clock that is not moved, a redactor that changes nothing.

use crate::{Redact, RedactStream, StoreOptions};
use salve_types::Timestamp;
use std::sync::Arc;

struct AsItIs;

impl Redact for AsItIs {
    fn redact(&self, text: &str) -> String {
        text.to_owned()
    }

    fn stream(&self) -> Box<dyn RedactStream> {
        Box::new(AsItIs)
    }
}

impl RedactStream for AsItIs {
    fn push(&mut self, piece: &str) -> String {
        piece.to_owned()
    }

    fn finish(&mut self) -> String {
        String::new()
    }
}

pub(crate) fn options() -> StoreOptions {
    StoreOptions::new(Arc::new(|| Timestamp(5 * 86_400_000)), Arc::new(AsItIs), "new")
}
