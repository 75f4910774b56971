//! A store without redaction, so that benchmarks measure the store alone.
//!
//! In: texts. Out: the same. Never in the product.

use salve_store::{Redact, StreamRedactor};

/// Keeps every text as it is.
pub(crate) struct AsItIs;

impl Redact for AsItIs {
    fn redact(&self, text: &str) -> String {
        text.to_owned()
    }

    fn stream(&self) -> Box<dyn StreamRedactor> {
        Box::new(AsItIs)
    }
}

impl StreamRedactor for AsItIs {
    fn push(&mut self, piece: &str) -> String {
        piece.to_owned()
    }

    fn finish(&mut self) -> String {
        String::new()
    }
}
