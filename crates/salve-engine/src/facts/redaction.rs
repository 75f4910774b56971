//! The redactor of the text stage, as the store asks for it.
//!
//! In: what else is secret. Out: something the store can be opened with. Never decides what a secret
//! is: that is the text stage's part.

use salve_store::{Redact, StreamRedactor};
use salve_text::{RedactOptions, Redactor};

/// Takes secrets out of everything the store is given.
#[derive(Debug, Clone, Default)]
pub struct TextRedactor {
    redactor: Redactor,
}

impl TextRedactor {
    /// Prepares the search; made once, it serves any number of texts and threads.
    pub fn new(options: &RedactOptions) -> Self {
        Self { redactor: Redactor::new(options) }
    }
}

impl From<Redactor> for TextRedactor {
    fn from(redactor: Redactor) -> Self {
        Self { redactor }
    }
}

impl Redact for TextRedactor {
    fn redact(&self, text: &str) -> String {
        self.redactor.redact(text).text
    }

    fn stream(&self) -> Box<dyn StreamRedactor> {
        Box::new(Pieces(self.redactor.stream()))
    }
}

struct Pieces(salve_text::RedactStream);

impl StreamRedactor for Pieces {
    fn push(&mut self, piece: &str) -> String {
        self.0.push(piece)
    }

    fn finish(&mut self) -> String {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_text::ExactSecret;

    #[test]
    fn x24_a_secret_is_taken_out_whole_or_in_pieces() {
        let exact =
            vec![ExactSecret { name: "MY_KEY".into(), value: "correct-horse-battery".into() }];
        let redactor = TextRedactor::new(&RedactOptions { exact, ..RedactOptions::default() });
        let text = "before correct-horse-battery after";
        let whole = redactor.redact(text);
        assert_eq!(whole, "before [redacted:my-key] after");
        let mut stream = redactor.stream();
        let mut pieces = String::new();
        for letter in text.chars() {
            pieces.push_str(&stream.push(&letter.to_string()));
        }
        pieces.push_str(&stream.finish());
        assert_eq!(pieces, whole);
    }
}
