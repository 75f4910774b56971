//! Redaction: every chunking gives the same text, twice is once, and JSON stays JSON.
//!
//! In: a text. Out: a panic when pieces of another size change the output, when a second pass finds
//! something, when a place is no place in the text, when too much is kept back, or when a JSON string
//! with the text in it is none afterwards. Never judges whether something is a secret.

use crate::input;
use salve_text::{ExactSecret, RedactOptions, Redactor};
use std::sync::LazyLock;

const KEPT: usize = 8192;

static REDACTORS: LazyLock<[Redactor; 2]> = LazyLock::new(|| {
    let values = ["exact-value", "Horse99!", "]Horse", "xxxx[redacted:"];
    let exact = values.map(|value| ExactSecret { name: "own".into(), value: value.into() });
    let options = RedactOptions { exact: exact.into(), ..RedactOptions::default() };
    [Redactor::default(), Redactor::new(&options)]
});

pub(super) fn check(bytes: &[u8]) {
    let text = input::text(bytes);
    for redactor in REDACTORS.iter() {
        assert_alike(redactor, &text);
        let quoted = serde_json::Value::String(text.clone()).to_string();
        let hidden = redactor.redact(&quoted).text;
        let read: Result<String, _> = serde_json::from_str(&hidden);
        assert!(read.is_ok(), "JSON is none after redaction");
    }
}

fn assert_alike(redactor: &Redactor, text: &str) {
    let whole = redactor.redact(text);
    for pieces in input::chunkings(text) {
        let mut stream = redactor.stream();
        let mut joined = String::new();
        for piece in pieces {
            joined.push_str(&stream.push(piece));
            assert!(stream.held() <= KEPT, "too much is kept back");
        }
        joined.push_str(&stream.finish());
        assert_eq!(joined, whole.text, "another chunking gives another text");
    }
    let again = redactor.redact(&whole.text);
    assert_eq!(again.text, whole.text, "redacting twice is not redacting once");
    let mut at = 0;
    for found in &whole.found {
        assert!(at <= found.span.start, "places overlap or are out of order");
        assert!(text.get(found.span.range()).is_some(), "a secret is not a place in the text");
        at = found.span.end;
    }
}
