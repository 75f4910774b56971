//! Literal text, which may begin and end inside a line.
//!
//! In: the text sought, the text for its place, an indexed file. Out: every range that holds it,
//! byte for byte, but for line ends, or as its transport changed it. Never: a range larger than the
//! text asked for, line ends apart.

use super::index::Index;
use super::ladder::Sought;
use super::pattern::{Sides, weight};
use super::{HunkRefusalReason, Rung, fold, refusal};
use crate::FileText;
use memchr::memmem::Finder;
use salve_types::Occurrence;
use std::borrow::Cow;
use std::ops::Range;

/// Text that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Literal {
    /// The rung.
    pub(crate) rung: Rung,
    /// Where it is, ascending.
    pub(crate) ranges: Vec<Range<usize>>,
    /// What comes in its place.
    pub(crate) new: String,
}

/// More places than these are not counted: the text says too little.
const MOST_PLACES: usize = 10_000;

/// Seeks text; nothing when it is nowhere as text and lines must be compared.
pub(crate) fn seek<'h>(
    index: &Index<'_>,
    old: &str,
    new: &str,
    occurrence: Occurrence,
) -> Option<Sought<'h>> {
    let text = index.text();
    if old.is_empty() {
        return Some(whole_of_empty(text, new));
    }
    let found = |rung, ranges: Vec<Range<usize>>, new: &str| {
        Sought::Literal(Literal { rung, ranges, new: new.to_owned() })
    };
    for (old, new, rung) in readings(old, new) {
        let ranges = ranges(text.text(), &old, occurrence);
        if !ranges.is_empty() {
            return Some(found(rung, ranges, &new));
        }
        let ranges = ranges_but_for_line_ends(text, &old, occurrence);
        if !ranges.is_empty() {
            return Some(found(rung.max(Rung::TrailingSpace), ranges, &new));
        }
        if rung == Rung::Exact && weight(&new) > 0 {
            let already = self::ranges(text.text(), &new, Occurrence::One);
            if let [range] = &already[..] {
                return Some(Sought::Applied(text.lines_of(range)));
            }
        }
    }
    None
}

/// Returns the lines of two texts; a terminator that both end with is no line.
pub(crate) fn sides<'h>(old: &'h str, new: &'h str) -> Sides<'h> {
    let lines = |text: &'h str| -> Vec<Cow<'h, str>> {
        text.split('\n').map(|line| Cow::from(line.strip_suffix('\r').unwrap_or(line))).collect()
    };
    let ended = old.ends_with('\n');
    let mut sides = Sides { old: lines(old), new: lines(new) };
    if ended {
        sides.old.pop();
        if new.ends_with('\n') || new.is_empty() {
            sides.new.pop();
        }
    }
    if sides.old.first().is_some_and(|line| line.is_empty())
        && sides.new.first().is_some_and(|line| line.is_empty())
        && sides.old.len() > 1
        && sides.new.len() > 1
    {
        sides.old.remove(0);
        sides.new.remove(0);
    }
    sides
}

fn whole_of_empty<'h>(text: &FileText, new: &str) -> Sought<'h> {
    if text.text().is_empty() {
        let range = 0..0;
        let (rung, new) = (Rung::Exact, new.to_owned());
        return Sought::Literal(Literal { rung, ranges: vec![range], new });
    }
    let message = "the text sought is empty but the file is not; give the text to replace, or the \
                   whole new content of the file"
        .to_owned();
    Sought::Refused(refusal::refusal(text, HunkRefusalReason::NoContext, message, &[]))
}

// As written, then as its transport may have changed it.
fn readings(old: &str, new: &str) -> Vec<(String, String, Rung)> {
    let mut readings = vec![(old.to_owned(), new.to_owned(), Rung::Exact)];
    let lines = |text: &str| text.split('\n').map(|line| Cow::from(line.to_owned())).collect();
    let sides = Sides { old: lines(old), new: lines(new) };
    readings.extend(fold::readings(&sides).into_iter().filter_map(|sides| {
        let old = sides.old.join("\n");
        (weight(&old) > 0).then(|| (old, sides.new.join("\n"), Rung::Fold))
    }));
    readings
}

fn ranges(text: &str, old: &str, occurrence: Occurrence) -> Vec<Range<usize>> {
    if old.is_empty() {
        return vec![];
    }
    let finder = Finder::new(old);
    let mut ranges = Vec::new();
    let mut from = 0;
    while let Some(at) = text.as_bytes().get(from..).and_then(|rest| finder.find(rest)) {
        let start = from + at;
        ranges.push(start..start + old.len());
        // Places that overlap are as ambiguous as others; replaced are only separate ones.
        from = match occurrence {
            Occurrence::All => start + old.len(),
            Occurrence::One => start + 1,
        };
        if occurrence == Occurrence::One && ranges.len() >= MOST_PLACES {
            break;
        }
    }
    ranges
}

// Both sides with line feeds alone; a place found there is taken back to the file's bytes.
fn ranges_but_for_line_ends(
    text: &FileText,
    old: &str,
    occurrence: Occurrence,
) -> Vec<Range<usize>> {
    let source = text.text();
    if !old.contains('\n') || !(source.contains('\r') || old.contains('\r')) {
        return vec![];
    }
    let mut plain = String::with_capacity(source.len());
    // How long `plain` was when a carriage return was left out.
    let mut left_out = Vec::new();
    let mut from = 0;
    for at in memchr::memmem::find_iter(source.as_bytes(), "\r\n") {
        plain.push_str(&source[from..at]);
        left_out.push(plain.len());
        from = at + 1;
    }
    plain.push_str(&source[from..]);
    // A carriage return that was left out stood before the line feed: a range that begins with the
    // line feed takes it in, one that ends before the line feed does not.
    let back = |at: usize| at + left_out.partition_point(|&cut| cut < at);
    ranges(&plain, &old.replace("\r\n", "\n"), occurrence)
        .into_iter()
        .map(|range| back(range.start)..back(range.end))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, old: &str, occurrence: Occurrence) -> Vec<String> {
        let text = FileText::plain(text.to_owned());
        let index = Index::new(&text);
        match seek(&index, old, "", occurrence) {
            Some(Sought::Literal(literal)) => literal
                .ranges
                .into_iter()
                .map(|range| format!("{}:{:?}", range.start, &text.text()[range.clone()]))
                .collect(),
            _ => vec![],
        }
    }

    #[test]
    fn text_is_found_inside_lines_and_across_line_ends() {
        for (text, old, expected) in [
            ("ABCABCDEF", "ABCDEF", &["3:\"ABCDEF\""][..]),
            ("foo bar foo", "foo", &["0:\"foo\"", "8:\"foo\""]),
            ("aaa", "aa", &["0:\"aa\"", "1:\"aa\""]),
            ("a\r\nb\r\nc\r\n", "a\nb", &["0:\"a\\r\\nb\""]),
            ("a\r\nb\r\nc\r\n", "b\nc\n", &["3:\"b\\r\\nc\\r\\n\""]),
            ("a\r\nb\r\nc\r\n", "\nb\n", &["1:\"\\r\\nb\\r\\n\""]),
            ("a\nb\n", "a\r\nb", &["0:\"a\\nb\""]),
            ("x = \"é\";\n", "é", &["5:\"é\""]),
            ("if (a < b) {}", "a &lt; b", &["4:\"a < b\""]),
            ("say(\"hi\")", "say(\\\"hi\\\")", &["0:\"say(\\\"hi\\\")\""]),
        ] {
            assert_eq!(found(text, old, Occurrence::One), expected, "{text:?} {old:?}");
        }
        assert_eq!(found("aaaa", "aa", Occurrence::All), ["0:\"aa\"", "2:\"aa\""]);
        assert!(found("a\nb\n", "c", Occurrence::One).is_empty());
    }

    #[test]
    fn counting_what_says_nothing_is_bounded() {
        let places = found(&"a".repeat(60_000), &"a".repeat(20), Occurrence::One);
        assert_eq!(places.len(), MOST_PLACES);
    }
}
