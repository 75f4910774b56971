//! A parse that always ends.
//!
//! In: a text and its language. Out: the tree, or why none was made. Never follows a text for
//! longer than a budget that grows with its length: on hostile input, error recovery and the
//! scanners of some grammars take quadratic time and worse.

mod tags;

use crate::grammar::table;
use salve_types::Language;
use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tree_sitter::{ParseOptions, Parser, Tree};

/// The longest text a grammar is asked about.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

// The runtime reports progress once per hundred steps, and a report is 4 to 6 kB of the tree. Over some two
// thousand real files no language needed more than one report per 48 bytes, most need half of that. With
// these numbers a tree takes 64 bytes for each byte of the text and 16 MiB at most, real files of 280 kB
// are parsed however dense they are, and longer ones unless they are denser than most. The budget grows
// with what was read: a text that is too dense is given up where that shows, not when memory is gone.
const REPORTS_BASE: usize = 2_500;
const BYTES_PER_REPORT: usize = 88;
// After an error several readings are followed at once, so that a report takes 13 kB and says less: of a
// text that is cut, the error is at its end.
const REPORTS_AFTER_ERROR: usize = 1_200;
const BYTES_PER_REPORT_AFTER_ERROR: usize = 230;
// Reading is counted as well: a scanner that looks ahead to the end of the text at every token
// takes few steps and reads the text a thousand times.
const CHUNK: usize = 4 * 1024;
const READS_BASE: usize = 2_000;
const READS_PER_CHUNK: usize = 64;
// The steps themselves grow dear where nesting is a thousand deep; only a clock sees that.
const LONGEST: Duration = Duration::from_secs(3);

// A tree takes some hundred bytes for each token where a grammar cannot decide between readings, as in
// generic calls that are never closed. Real code is neither this deep nor, at this length, this dense.
const DEEPEST: usize = 1_000;
const SHORT: usize = 128 * 1024;
// Statements of a letter or two take the most for each byte. No one's code has lines this short.
const SHORTEST_LINES: usize = 7;

/// Why a text was not parsed to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unread {
    /// It is longer than [`MAX_BYTES`].
    TooLong,
    /// Parsing it took more steps, reads or time than a text of its length may take.
    TooCostly,
}

/// Parses `text` within its budget; nothing when the language has no grammar.
pub(crate) fn parse(text: &str, language: Language) -> Option<Result<Tree, Unread>> {
    let table = table(language)?;
    if text.len() > MAX_BYTES {
        return Some(Err(Unread::TooLong));
    }
    let is_deep = match language {
        Language::Html => tags::are_deep(text),
        Language::C | Language::Cpp => directives_are_deep(text),
        _ => false,
    };
    if is_deep || is_deep_or_dense(text.as_bytes()) {
        return Some(Err(Unread::TooCostly));
    }
    let mut parser = Parser::new();
    // A grammar of a format the runtime does not know is as good as absent; a test loads them all.
    parser.set_language(&table).ok()?;
    let bytes = readable(text, language);
    Some(parse_within_budget(&mut parser, &bytes).ok_or(Unread::TooCostly))
}

// Whether brackets nest deeper, or tokens stand closer, than in anything written to be read. Strings and
// comments are not told from code: there, too, such a text is no one's.
fn is_deep_or_dense(text: &[u8]) -> bool {
    let (mut depth, mut angles, mut deepest) = (0_usize, 0_usize, 0);
    let (mut tokens, mut lines) = (0_usize, 0_usize);
    let mut before = b' ';
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    for &byte in text {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            // A comparison has a blank before its sign, or a statement's end soon after.
            b'<' if is_word(before) => angles += 1,
            b'>' => angles = angles.saturating_sub(1),
            _ => {}
        }
        if matches!(byte, b';' | b'{' | b'}') {
            angles = 0;
        }
        deepest = deepest.max(depth + angles);
        let continues = is_word(byte) && is_word(before);
        tokens += usize::from(!byte.is_ascii_whitespace() && !continues);
        // A line that is empty takes nothing.
        lines += usize::from(byte == b'\n' && before != b'\n');
        before = byte;
    }
    let is_dense = tokens > text.len() / 5 * 3 || lines > text.len() / SHORTEST_LINES;
    deepest > DEEPEST || (text.len() > SHORT && is_dense)
}

// Whether conditions of the preprocessor nest deeper than anyone writes them.
fn directives_are_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.lines().filter_map(|line| line.trim_start().strip_prefix('#')).any(|line| {
        let line = line.trim_start();
        if line.starts_with("if") {
            depth += 1;
        } else if line.starts_with("endif") {
            depth = depth.saturating_sub(1);
        }
        depth > DEEPEST
    })
}

// The scanner of the Bash grammar (0.25.1) asks the C library whether a character is a digit with
// values that the library's table does not have, and crashes. Such characters stand only in words,
// strings and comments; letters of the same length in their place change nothing else.
fn readable(text: &str, language: Language) -> Cow<'_, [u8]> {
    if language != Language::Bash || text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    Cow::Owned(text.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect())
}

fn parse_within_budget(parser: &mut Parser, bytes: &[u8]) -> Option<Tree> {
    let began = Instant::now();
    let mut reports = 0;
    // How many reports there were, and where, when the first error was seen.
    let mut wrong: Option<(usize, usize)> = None;
    let reads = Cell::new(READS_BASE + bytes.len() / CHUNK * READS_PER_CHUNK);
    let mut spend = |state: &tree_sitter::ParseState| {
        reports += 1;
        let offset = state.current_byte_offset();
        let mut earned = REPORTS_BASE + offset / BYTES_PER_REPORT;
        if state.has_error() {
            let (before, from) = *wrong.get_or_insert((reports, offset));
            let read = offset.saturating_sub(from);
            let after = REPORTS_AFTER_ERROR + read / BYTES_PER_REPORT_AFTER_ERROR;
            earned = earned.min(before + after);
        }
        let is_spent = reports > earned || reads.get() == 0 || began.elapsed() > LONGEST;
        if is_spent { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut read = |offset: usize, _| {
        reads.set(reads.get().saturating_sub(1));
        // An early end of the text stops a scanner between two reports; the tree is not used.
        let end = if reads.get() == 0 { 0 } else { (offset + CHUNK).min(bytes.len()) };
        bytes.get(offset..end).unwrap_or_default()
    };
    let options = ParseOptions::new().progress_callback(&mut spend);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    tree.filter(|_| reads.get() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_would_cost_much_memory_is_not_parsed() {
        for (language, piece) in [
            (Language::TypeScript, "f<g<"),
            (Language::Cpp, "abc<defg<\n"),
            (Language::Json, "[1,"),
            (Language::JavaScript, "(a,"),
        ] {
            let parsed = parse(&piece.repeat(100_000), language).unwrap();
            assert_eq!(parsed.err(), Some(Unread::TooCostly), "{piece}");
        }
        // Each of these lines is a statement, and takes as much as one that says something.
        for language in [Language::TypeScript, Language::Python, Language::Bash] {
            let parsed = parse(&"a\n".repeat(500_000), language).unwrap();
            assert_eq!(parsed.err(), Some(Unread::TooCostly), "{language:?}");
        }
        let parsed = parse(&"a\r\n".repeat(330_000), Language::TypeScript).unwrap();
        assert_eq!(parsed.err(), Some(Unread::TooCostly), "with carriage returns");
        for (language, piece) in [(Language::Html, "<answer>"), (Language::C, "#if A\n")] {
            let parsed = parse(&piece.repeat(12_000), language).unwrap();
            assert_eq!(parsed.err(), Some(Unread::TooCostly), "{piece}");
        }
        let dense = "a,b;".repeat(100_000);
        assert_eq!(parse(&dense, Language::JavaScript).unwrap().err(), Some(Unread::TooCostly));
    }

    #[test]
    fn ordinary_text_is_parsed_however_long() {
        let line = "  const total = items.map((item) => item.weight < limit ? 1 : 0);\n";
        assert!(parse(&line.repeat(5_000), Language::TypeScript).unwrap().is_ok());
        assert!(parse(&line.repeat(10_000), Language::TypeScript).unwrap().is_ok());
        let data = "{\"name\":\"value\",\"size\":12},".repeat(8_000);
        assert!(parse(&format!("[{data}0]"), Language::Json).unwrap().is_ok());
        // Of a cut text the error is at its end, and what is before it was read.
        let cut = format!("{}const total = items.map((item) => {{\n", line.repeat(5_000));
        assert!(parse(&cut, Language::TypeScript).unwrap().is_ok());
        // Elements that need no end, and those that end themselves.
        let page = "<p>a<br><img src=\"b\"><li>c<path d=\"d\"/>\n".repeat(3_000);
        assert!(!tags::are_deep(&page));
    }
}
