//! A parse that always ends.
//!
//! In: a text and its language. Out: the tree, or why none was made. Never follows a text for
//! longer than a budget that grows with its length: on hostile input, error recovery and the
//! scanners of some grammars take quadratic time and worse.

use crate::grammar::table;
use salve_types::Language;
use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tree_sitter::{ParseOptions, Parser, Tree};

/// The longest text a grammar is asked about.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

// The runtime reports progress once per hundred steps. Over some two thousand real files no
// language needed more than one report per 48 bytes.
const REPORTS_BASE: usize = 1_000;
const BYTES_PER_REPORT: usize = 12;
// Reading is counted as well: a scanner that looks ahead to the end of the text at every token
// takes few steps and reads the text a thousand times.
const CHUNK: usize = 4 * 1024;
const READS_BASE: usize = 2_000;
const READS_PER_CHUNK: usize = 64;
// The steps themselves grow dear where nesting is a thousand deep; only a clock sees that.
const LONGEST: Duration = Duration::from_secs(3);

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
    let mut parser = Parser::new();
    // A grammar of a format the runtime does not know is as good as absent; a test loads them all.
    parser.set_language(&table).ok()?;
    let bytes = readable(text, language);
    Some(parse_within_budget(&mut parser, &bytes).ok_or(Unread::TooCostly))
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
    let mut reports = REPORTS_BASE + bytes.len() / BYTES_PER_REPORT;
    let reads = Cell::new(READS_BASE + bytes.len() / CHUNK * READS_PER_CHUNK);
    let mut spend = |_: &tree_sitter::ParseState| {
        reports = reports.saturating_sub(1);
        let is_spent = reports == 0 || reads.get() == 0 || began.elapsed() > LONGEST;
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
