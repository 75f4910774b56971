//! Headings that announce the old or the new text of a change, as data and a reader.
//!
//! In: a line. Out: whether it announces old or new text and nothing else. Never takes a sentence
//! for a heading: the words of the lists must be all it says.

/// What a heading announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) side: Side,
    /// Whether it is plain enough to be believed without a fence after it.
    pub(super) firm: bool,
}

/// Which text follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Old,
    New,
}

// Words that say which text it is.
const OLD: &[&str] = &["original", "before", "old", "current", "existing", "previous", "find"];
#[rustfmt::skip]
const NEW: &[&str] = &[
    "changed", "modified", "after", "new", "updated", "fixed", "corrected", "revised", "replaced",
    "replacement", "with",
];
// Words that may be beside them.
#[rustfmt::skip]
const BESIDE: &[&str] = &[
    "lines", "line", "code", "text", "snippet", "block", "version", "content", "section", "the",
    "change", "changes", "this", "it", "by", "to",
];
// `Replace` asks for a new text; with these words beside it, it announces one.
const REPLACE: &str = "replace";

const LONGEST: usize = 60;

/// Reads a line as a heading.
pub(super) fn read_heading(line: &str) -> Option<Heading> {
    let line = line.trim();
    if line.is_empty() || line.len() > LONGEST {
        return None;
    }
    let marked = line.starts_with('#') || line.starts_with("**") || line.starts_with("--");
    let words = line.trim_matches(['#', '*', '_', ' ', '-', '=', '`', '>', '[', ']']);
    let colon = words.ends_with(':') || line.contains(":*");
    let words = words.trim_end_matches(':').trim_matches(['*', '_', ' ', '`']);
    // `Original code (lines 3-5)` still announces the old text.
    let words = words.split_once(" (").map_or(words, |(words, _)| words.trim());
    let mut side = None;
    let mut count = 0;
    for word in words.split_whitespace() {
        let word = word.to_ascii_lowercase();
        count += 1;
        let found = if OLD.contains(&word.as_str()) || (count == 1 && word == REPLACE) {
            Some(Side::Old)
        } else if NEW.contains(&word.as_str()) {
            Some(Side::New)
        } else if BESIDE.contains(&word.as_str()) {
            None
        } else {
            return None;
        };
        match (side, found) {
            (None, found) => side = found,
            (Some(known), Some(found)) if known != found => return None,
            _ => {}
        }
    }
    let shouted = words.len() > 3 && words.chars().all(|c| c.is_ascii_uppercase() || c == ' ');
    let weak = ["find", "with", "replace", "replace this", "with this"];
    let firm = (colon || marked || shouted) && !weak.contains(&words.to_ascii_lowercase().as_str());
    (colon || marked || shouted).then_some(())?;
    side.map(|side| Heading { side, firm })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_told_from_sentences() {
        let cases = [
            ("ORIGINAL LINES:", Some((Side::Old, true))),
            ("CHANGED LINES", Some((Side::New, true))),
            ("### Original code", Some((Side::Old, true))),
            ("**Modified code:**", Some((Side::New, true))),
            ("Before:", Some((Side::Old, true))),
            ("After:", Some((Side::New, true))),
            ("Original (lines 3-4):", Some((Side::Old, true))),
            ("Replace:", Some((Side::Old, false))),
            ("Replace this code:", Some((Side::Old, true))),
            ("With:", Some((Side::New, false))),
            ("--- ORIGINAL ---", Some((Side::Old, true))),
            ("before", None),
            ("after the change", None),
            ("Old and new:", None),
            ("Before the change was made, this failed:", None),
            ("new", None),
            ("", None),
        ];
        for (line, expected) in cases {
            let found = read_heading(line).map(|heading| (heading.side, heading.firm));
            assert_eq!(found, expected, "{line}");
        }
    }
}
