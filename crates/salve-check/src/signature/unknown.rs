//! Diagnostics of an unknown tool.
//!
//! In: text in which no known tool was recognised. Out: one diagnostic for every line that speaks of
//! a failure, or for every line when none does, normalised and each only once. Never more than
//! [`MOST`]: a diagnostic takes many times the room of its line.

use super::normalise::{normalise_line, plain};
use crate::console::unwrapped_lines;
use regex::Regex;
use salve_types::{Diagnostic, ErrorClass, Severity};
use std::collections::HashSet;
use std::sync::LazyLock;

/// How many lines are taken; which failure it is, is told by fewer.
const MOST: usize = 20_000;

/// Makes diagnostics of the lines of a text.
pub(super) fn diagnostics(tool: Option<&str>, text: &str) -> Vec<Diagnostic> {
    let text = plain(text);
    let lines = unwrapped_lines(&text);
    let tool = tool.unwrap_or("unknown");
    let failing = collect(tool, lines.iter().copied().filter(|line| FAILURE.is_match(line)));
    if failing.is_empty() { collect(tool, lines.iter().copied()) } else { failing }
}

// What tools say when something went wrong, in whatever case.
static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    let words = "error|fail|fatal|panic|exception|abort|cannot|can't|could not|unable|denied|refused|\
                 not found|no such|undefined|unexpected|invalid|missing|unresolved|segmentation|killed";
    #[expect(clippy::expect_used, reason = "the pattern is a constant that a test compiles")]
    Regex::new(&format!("(?i-u){words}")).expect("a constant pattern")
});

fn collect<'a>(tool: &str, lines: impl Iterator<Item = &'a str>) -> Vec<Diagnostic> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut message = String::new();
    for line in lines {
        message.clear();
        normalise_line(line, &mut message);
        if message.is_empty() || seen.contains(&message) {
            continue;
        }
        seen.insert(message.clone());
        let mut diagnostic = Diagnostic::new(tool, Severity::Error, ErrorClass::Runtime, &message);
        diagnostic.raw = line.to_owned();
        found.push(diagnostic);
        if found.len() == MOST {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bounded_number_of_lines_is_told() {
        let text: String = (0..MOST + 10).map(|number| format!("{}: x\n", name(number))).collect();
        assert_eq!(diagnostics(None, &text).len(), MOST);
    }

    // Letters, as numbers are normalised away.
    fn name(number: usize) -> String {
        number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'g')).collect()
    }
}
