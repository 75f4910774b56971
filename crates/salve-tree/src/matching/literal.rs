//! Literal text, which may begin and end inside a line.
//!
//! In: the text sought, the text for its place, an indexed file. Out: every range that holds it,
//! byte for byte, but for line ends, or as its transport changed it. Never: a range larger than the
//! text asked for, line ends apart.

use super::index::{Index, Level};
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
        if !may_be_there(index, &old) {
            continue;
        }
        let mut places = ranges(index, text.text(), &old, occurrence);
        let mut found_by = rung;
        if places.is_empty() {
            places = ranges_but_for_line_ends(index, &old, occurrence);
            found_by = rung.max(Rung::TrailingSpace);
        }
        if places.is_empty() {
            continue;
        }
        // Lines that were sent without their indentation, or without the break that parts them from
        // the line above, are compared as lines.
        let differs = |place: &Range<usize>| {
            loses_indentation(text, place, &old, &new) || runs_into(text, place, &old, &new)
        };
        if places.iter().any(differs) {
            return None;
        }
        let (places, new) = whole_lines(text, places, &old, new);
        return Some(found(found_by, places, &new));
    }
    None
}

/// Finds the one place of the new text, for an old text that is nowhere. What was only removed
/// proves nothing by what is left.
pub(crate) fn applied(index: &Index<'_>, old: &str, new: &str) -> Option<Range<usize>> {
    let text = index.text();
    let common = |(a, b): &(char, char)| a == b;
    let ahead = old.chars().zip(new.chars()).take_while(common).map(|(a, _)| a.len_utf8()).sum();
    let (old_rest, new_rest) = (old.get(ahead..)?, new.get(ahead..)?);
    let behind: usize = old_rest
        .chars()
        .rev()
        .zip(new_rest.chars().rev())
        .take_while(common)
        .map(|(a, _)| a.len_utf8())
        .sum();
    let came = new_rest.get(..new_rest.len().checked_sub(behind)?)?;
    if weight(came) == 0 || old.contains(new) {
        return None;
    }
    match &ranges(index, text.text(), new, Occurrence::One)[..] {
        [range] => Some(text.lines_of(range)),
        _ => None,
    }
}

// A text of several lines is nowhere when one of its inner lines is.
fn may_be_there(index: &Index<'_>, old: &str) -> bool {
    let lines: Vec<&str> = old.split('\n').collect();
    let inner = lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default();
    inner.iter().all(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        !index.places(Level::Exact, line).is_empty()
    })
}

// What is before a place on its line, when it is blank.
fn margin<'t>(text: &'t FileText, place: &Range<usize>) -> Option<&'t str> {
    let line = text.lines_of(place).start;
    let before = text.text().get(text.line_start(line)..place.start)?;
    (!before.is_empty() && before.trim().is_empty()).then_some(before)
}

// One whole line was sought without its indentation, and lines come in its place of which some have
// none either.
fn loses_indentation(text: &FileText, place: &Range<usize>, old: &str, new: &str) -> bool {
    let single = !old.trim_end_matches(['\n', '\r']).contains('\n');
    let to_the_end = old.ends_with('\n')
        || text.text()[place.end..].starts_with(['\n', '\r'])
        || place.end == text.text().len();
    let bare = |line: &str| !line.is_empty() && !line.starts_with([' ', '\t', '\r']);
    single && to_the_end && margin(text, place).is_some() && new.split('\n').skip(1).any(bare)
}

// The text sought takes the break above it, and a word would come to be part of the word before.
// What only joins two lines says so by having the same words.
fn runs_into(text: &FileText, place: &Range<usize>, old: &str, new: &str) -> bool {
    let Some(below) = old.strip_prefix("\r\n").or_else(|| old.strip_prefix('\n')) else {
        return false;
    };
    let is_word = |letter: Option<char>| letter.is_some_and(|it| it.is_alphanumeric() || it == '_');
    let above = text.text().get(..place.start).and_then(|above| above.chars().next_back());
    below.trim() != new.trim() && is_word(new.chars().next()) && is_word(above)
}

// A line that goes whole takes its indentation with it. One that is replaced, and one of which a part
// goes, keeps its end: the line below is not the edit's.
fn whole_lines(
    text: &FileText,
    places: Vec<Range<usize>>,
    old: &str,
    new: String,
) -> (Vec<Range<usize>>, String) {
    if !old.ends_with('\n') {
        return (places, new);
    }
    if new.is_empty() {
        let whole = |place: Range<usize>| match margin(text, &place) {
            Some(margin) => place.start - margin.len()..place.end,
            // What is nothing but the break is sought to join two lines.
            None if weight(old) > 0 && is_inside(text, &place) => without_break(text, place),
            None => place,
        };
        return (places.into_iter().map(whole).collect(), new);
    }
    let joins = old.strip_suffix('\n').is_some_and(|old| old == new);
    let ended = new.ends_with('\n') || joins;
    (places, if ended { new } else { new + "\n" })
}

fn is_inside(text: &FileText, place: &Range<usize>) -> bool {
    place.start > text.line_start(text.lines_of(place).start)
}

fn without_break(text: &FileText, place: Range<usize>) -> Range<usize> {
    let gone = text.text().get(place.clone()).unwrap_or_default();
    let said = gone.strip_suffix('\n').unwrap_or(gone);
    place.start..place.start + said.strip_suffix('\r').unwrap_or(said).len()
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

/// Reads text as written, then as its transport may have changed it.
pub(crate) fn readings(old: &str, new: &str) -> Vec<(String, String, Rung)> {
    let mut readings = vec![(old.to_owned(), new.to_owned(), Rung::Exact)];
    let lines = |text: &str| text.split('\n').map(|line| Cow::from(line.to_owned())).collect();
    let sides = Sides { old: lines(old), new: lines(new) };
    readings.extend(fold::readings(&sides).into_iter().filter_map(|sides| {
        let old = sides.old.join("\n");
        (weight(&old) > 0).then(|| (old, sides.new.join("\n"), Rung::Fold))
    }));
    readings
}

fn ranges(index: &Index<'_>, text: &str, old: &str, occurrence: Occurrence) -> Vec<Range<usize>> {
    // A search reads bytes much faster than lines are compared; it still is counted.
    if old.is_empty() || !index.work().may_pass(text.len() / 64) {
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
    index: &Index<'_>,
    old: &str,
    occurrence: Occurrence,
) -> Vec<Range<usize>> {
    let source = index.text().text();
    if !old.contains('\n') || !(source.contains('\r') || old.contains('\r')) {
        return vec![];
    }
    let plain = index.plain_breaks();
    // A carriage return that was left out was before the line feed: a range that begins with the
    // line feed takes it in, one that ends before the line feed does not.
    let back = |at: usize| at + plain.left_out.partition_point(|&cut| cut < at);
    ranges(index, &plain.text, &old.replace("\r\n", "\n"), occurrence)
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
            // A break is left between what was above and what was below.
            ("a\r\nb\r\nc\r\n", "\nb\n", &["1:\"\\r\\nb\""]),
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
