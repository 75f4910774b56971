//! Cleaning: nothing is lost, and cleaning twice is cleaning once.
//!
//! In: a byte that chooses the wanted language, then a reply. Out: a panic when the asides do not
//! account for every byte, or when another chunking or a second cleaning changes the content. Never
//! judges whether the right part was taken.

use crate::input;
use salve_text::{CleanOptions, CleanReply, Cleaner, clean, clean_preamble, extract_code_block};
use salve_types::RawReply;

pub(super) fn check(bytes: &[u8]) {
    let (language, text) = input::language_and_text(bytes);
    // The first language of the table stands for "not known" here, so that both ways are tried.
    let known = (language != salve_types::Language::Rust).then_some(language);
    let options = CleanOptions { language: known, ..CleanOptions::default() };
    let whole = clean(&RawReply::from_text(text.as_str()), &options);
    assert_accounted(&whole, &text);
    for pieces in input::chunkings(&text) {
        let mut cleaner = Cleaner::new(&options);
        pieces.iter().for_each(|piece| cleaner.push(piece));
        assert_eq!(cleaner.finish(), whole, "another chunking gives another reply");
    }
    let again = clean(&RawReply::from_text(whole.text()), &options);
    assert_eq!(again.text(), whole.text(), "cleaning twice is not cleaning once");
    assert_accounted(&extract_code_block(&text, known), &text);
    assert_accounted(&clean_preamble(&text), &text);
}

// Content is the raw text with what each aside becomes in the place of its span.
fn assert_accounted(reply: &CleanReply, raw: &str) {
    assert_eq!(reply.raw(), raw);
    let mut content = String::new();
    let mut at = 0;
    for aside in reply.aside() {
        assert!(at <= aside.span.start, "asides overlap or are out of order");
        content.push_str(raw.get(at..aside.span.start).expect("asides end between characters"));
        content.extend(aside.becomes);
        at = aside.span.end;
    }
    content.push_str(raw.get(at..).expect("asides end between characters"));
    assert_eq!(content, reply.text(), "content and asides are not the raw text");
    for block in reply.blocks() {
        assert!(raw.get(block.span.range()).is_some(), "a block is not a place in the text");
    }
}
