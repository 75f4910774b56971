//! What every text passes before it reaches the database.
//!
//! In: text that may hold a secret. Out: the same text without it. Never implemented here: the crate
//! that knows what secrets look like is joined on above.

/// Takes secrets out of texts.
pub trait Redact: Send + Sync {
    /// Returns the text without its secrets.
    fn redact(&self, text: &str) -> String;

    /// Starts on a text that arrives in pieces.
    fn stream(&self) -> Box<dyn StreamRedactor>;
}

/// Takes secrets out of one text that arrives in pieces; a secret may be split between them.
pub trait StreamRedactor: Send {
    /// Takes a piece and returns what is certain of the text so far; the rest is kept back.
    fn push(&mut self, piece: &str) -> String;

    /// Returns what was kept back.
    fn finish(&mut self) -> String;
}
