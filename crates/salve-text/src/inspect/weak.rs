//! The weak checks for text in no known language.
//!
//! In: the last lines. Out: a quote that plainly opened something and has no partner. Never flags an
//! apostrophe inside a word, an inch sign after a number, or prose that ends like a sentence.

use salve_types::OpenKind;

/// How many lines count as the end.
const WINDOW: usize = 5;

/// Returns the offset in `tail` and the kind of a quote without a partner in the last lines.
pub(super) fn lone_quote(tail: &str) -> Option<(usize, OpenKind)> {
    let text = tail.trim_end();
    let start = text.rmatch_indices('\n').nth(WINDOW - 1).map_or(0, |(at, _)| at + 1);
    let window = &text[start..];
    if window.ends_with(['.', '!', '?', ':', ';', ')', '}', ']']) {
        return None;
    }
    let double = odd_double(window).map(|at| (start + at, OpenKind::DoubleQuote));
    double.or_else(|| open_single(window).map(|at| (start + at, OpenKind::SingleQuote)))
}

// The last of an odd number of double quotes; inches and escaped quotes are not counted.
fn odd_double(window: &str) -> Option<usize> {
    let bytes = window.as_bytes();
    let quotes: Vec<usize> = (0..bytes.len())
        .filter(|&at| bytes[at] == b'"')
        .filter(|&at| at == 0 || !(bytes[at - 1].is_ascii_digit() || bytes[at - 1] == b'\\'))
        .collect();
    quotes.last().copied().filter(|_| quotes.len() % 2 == 1)
}

// A single quote counts only where a value starts, on the last line, with nothing that closes it.
fn open_single(window: &str) -> Option<usize> {
    let line_start = window.rfind('\n').map_or(0, |at| at + 1);
    let line = &window.as_bytes()[line_start..];
    let at = line.iter().position(|&byte| byte == b'\'')?;
    let before = line[..at].trim_ascii_end().last();
    let starts = matches!(before, Some(b'=' | b'(' | b'[' | b',' | b':'));
    (starts && !line[at + 1..].contains(&b'\'')).then_some(line_start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t04_unknown_languages_keep_the_window_of_five_lines() {
        assert_eq!(lone_quote("say \"hello"), Some((4, OpenKind::DoubleQuote)));
        assert_eq!(lone_quote("say \"hello\" to"), None);
        assert_eq!(lone_quote("a \"\n1\n2\n3\n4\n5"), None);
        assert_eq!(lone_quote("x = 'abc"), Some((4, OpenKind::SingleQuote)));
    }

    #[test]
    fn t05_apostrophes_in_prose_are_not_quotes() {
        for text in ["don't", "It's the dog's", "rock 'n' roll", "5' 3\" tall", "the boys' toys"] {
            assert_eq!(lone_quote(text), None, "{text}");
        }
    }
}
