//! A parse that always ends.
//!
//! In: a text and its language. Out: the tree, or why none was made. Never follows a text for
//! longer than a budget that grows with its length: error recovery on hostile input would.

use crate::grammar::table;
use salve_types::Language;
use std::ops::ControlFlow;
use tree_sitter::{ParseOptions, Parser, Tree};

/// The longest text a grammar is asked about.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

// The runtime reports progress once per hundred parser steps. Real code needs about one report per
// 150 bytes; this allows some sixty times that, and enough for a short text of any shape.
const REPORTS_BASE: usize = 20_000;
const BYTES_PER_REPORT: usize = 4;

/// Why a text was not parsed to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unread {
    /// It is longer than [`MAX_BYTES`].
    TooLong,
    /// Parsing it took more steps than a text of its length may take.
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
    let mut left = REPORTS_BASE + text.len() / BYTES_PER_REPORT;
    let mut spend = |_: &tree_sitter::ParseState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = text.as_bytes();
    let tree = parser.parse_with_options(
        &mut |offset, _| bytes.get(offset..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut spend)),
    );
    Some(tree.ok_or(Unread::TooCostly))
}
