//! Puts resolved changes into a text: the only place where an edited text is made.
//!
//! In: a file's text and changes in places of it. Out: which changes want the same bytes, or the
//! new text. Never: a byte changed outside the places; new lines take the terminator of their
//! neighbourhood, and the end of the file changes only when an edit says so.

use crate::FileText;
use std::ops::Range;

/// One change in one place of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// Whole lines in the place of whole lines.
    Lines {
        /// First line, counted from 0, that is removed or that the new lines are put before.
        first: usize,
        /// How many lines go away.
        removed: usize,
        /// The new lines, without terminators.
        new: Vec<String>,
        /// What the edit says about the terminator of the last line of the file.
        final_newline: Option<bool>,
    },
    /// Text in the place of text.
    Bytes {
        /// What is removed.
        range: Range<usize>,
        /// What comes in its place.
        new: String,
    },
}

/// A change and the hunk that wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// The index of the hunk.
    pub(crate) hunk: usize,
    /// What it wants.
    pub(crate) change: Change,
}

impl Change {
    /// Makes a replaced last line end with a line break where nothing was said about it.
    pub(crate) fn end_lines(&mut self) {
        if let Self::Lines { final_newline, new, .. } = self
            && !new.is_empty()
        {
            final_newline.get_or_insert(true);
        }
    }

    /// Returns the bytes that go away.
    pub(crate) fn range(&self, text: &FileText) -> Range<usize> {
        match self {
            Self::Lines { first, removed, .. } => {
                text.line_start(*first)..text.line_start(first + removed)
            }
            Self::Bytes { range, .. } => range.clone(),
        }
    }
}

/// Brings changes into the order of the text. Insertions in one place keep the order of their hunks.
pub(crate) fn sort(text: &FileText, changes: &mut [Wanted]) {
    changes.sort_by_cached_key(|wanted| {
        let range = wanted.change.range(text);
        (range.start, range.end, wanted.hunk)
    });
}

/// Finds the hunks that want the same bytes as one before them, each with that one; the later one of
/// the reply second. Without those later ones no two changes are left that overlap.
pub(crate) fn overlaps(text: &FileText, sorted: &[Wanted]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut left = std::collections::HashSet::new();
    let mut reach = 0;
    let mut owner = 0;
    for wanted in sorted.iter() {
        if left.contains(&wanted.hunk) {
            continue;
        }
        let range = wanted.change.range(text);
        if range.start < reach && wanted.hunk != owner && !left.contains(&owner) {
            let (earlier, later) = (owner.min(wanted.hunk), owner.max(wanted.hunk));
            found.push((earlier, later));
            left.insert(later);
            if later == owner {
                (reach, owner) = (range.end, wanted.hunk);
            }
            continue;
        }
        if range.end >= reach || left.contains(&owner) {
            (reach, owner) = (range.end, wanted.hunk);
        }
    }
    found
}

/// Makes the new text from sorted changes that do not overlap.
pub(crate) fn splice(text: &FileText, sorted: &[Wanted]) -> String {
    let source = text.text();
    let added: usize = sorted.iter().map(|wanted| added_bytes(&wanted.change)).sum();
    let mut out = String::with_capacity(source.len() + added);
    let mut from = 0;
    let mut ending = None;
    for Wanted { change, .. } in sorted {
        let range = change.range(text);
        out.push_str(source.get(from..range.start).unwrap_or_default());
        match change {
            Change::Lines { first, removed, new, final_newline } => {
                push_lines(&mut out, text, *first, *removed, new);
                if range.end == source.len() {
                    ending = Some(final_newline.unwrap_or_else(|| text.ends_with_newline()));
                }
            }
            Change::Bytes { new, .. } => {
                push_text(&mut out, text, &range, new);
                ending = None;
            }
        }
        from = range.end.max(from);
    }
    out.push_str(source.get(from..).unwrap_or_default());
    if let Some(newline) = ending {
        end(&mut out, text, newline);
    }
    out
}

fn added_bytes(change: &Change) -> usize {
    match change {
        Change::Lines { new, .. } => new.iter().map(|line| line.len() + 2).sum(),
        Change::Bytes { new, .. } => new.len(),
    }
}

fn push_lines(out: &mut String, text: &FileText, first: usize, removed: usize, new: &[String]) {
    for (index, line) in new.iter().enumerate() {
        // A replaced line gives its own terminator, further lines take that of the line above.
        let beside = if index < removed { first + index } else { (first + removed).max(1) - 1 };
        let terminator = text.terminator_near(beside);
        if !out.is_empty() && !out.ends_with(['\n', '\r']) {
            out.push_str(terminator);
        }
        out.push_str(line.strip_suffix('\r').unwrap_or(line));
        out.push_str(terminator);
    }
}

// Line breaks of literal text become those of the file.
fn push_text(out: &mut String, text: &FileText, range: &Range<usize>, new: &str) {
    let terminator = text.terminator_near(text.lines_of(range).start);
    let mut pieces = new.split('\n');
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        if out.ends_with('\r') {
            out.pop();
        }
        out.push_str(terminator);
        out.push_str(piece);
    }
}

fn end(out: &mut String, text: &FileText, newline: bool) {
    let ended = out.ends_with(['\n', '\r']);
    if newline && !ended && !out.is_empty() {
        out.push_str(text.terminator_near(text.line_count()));
    } else if !newline && ended {
        let crlf = out.ends_with("\r\n");
        out.truncate(out.len() - if crlf { 2 } else { 1 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(first: usize, removed: usize, new: &[&str]) -> Change {
        let new = new.iter().map(|&line| line.to_owned()).collect();
        Change::Lines { first, removed, new, final_newline: None }
    }

    fn done(text: &str, changes: Vec<Change>) -> String {
        let text = FileText::plain(text.to_owned());
        let mut wanted: Vec<_> =
            changes.into_iter().enumerate().map(|(hunk, change)| Wanted { hunk, change }).collect();
        sort(&text, &mut wanted);
        splice(&text, &wanted)
    }

    #[test]
    fn new_lines_take_the_terminator_of_their_neighbourhood() {
        for (text, change, expected) in [
            ("a\r\nb\r\n", lines(1, 1, &["B", "C"]), "a\r\nB\r\nC\r\n"),
            ("a\nb\r\nc\n", lines(1, 1, &["B", "C"]), "a\nB\r\nC\r\nc\n"),
            ("a\nb", lines(2, 0, &["c"]), "a\nb\nc"),
            ("a\r\nb", lines(2, 0, &["c", "d"]), "a\r\nb\r\nc\r\nd"),
            ("a", lines(0, 1, &["b"]), "b"),
            ("a", lines(0, 0, &["b"]), "b\na"),
            ("a\nb", lines(1, 1, &[]), "a"),
            ("", lines(0, 0, &["a"]), "a\n"),
            ("a\nb\n", lines(0, 2, &[]), ""),
            ("a\rb\r", lines(1, 1, &["c"]), "a\rc\r"),
            ("a\nb\n", lines(1, 1, &["c\r"]), "a\nc\n"),
        ] {
            assert_eq!(done(text, vec![change]), expected, "{text:?}");
        }
    }

    #[test]
    fn literal_text_takes_the_line_breaks_of_the_file() {
        let change = |range: Range<usize>, new: &str| Change::Bytes { range, new: new.to_owned() };
        assert_eq!(done("a\nb", vec![change(2..3, "x\r\ny")]), "a\nx\ny");
        assert_eq!(done("a\r\nb\r\n", vec![change(3..4, "x\ny\n")]), "a\r\nx\r\ny\r\n\r\n");
        assert_eq!(done("", vec![change(0..0, "x\ny")]), "x\ny");
        assert_eq!(done("ab", vec![change(1..1, "-")]), "a-b");
    }

    #[test]
    fn insertions_keep_their_order_and_overlaps_are_found() {
        let at = |first, new| lines(first, 0, &[new]);
        assert_eq!(done("a\n", vec![at(1, "b"), at(1, "c"), at(0, "z")]), "z\na\nb\nc\n");
        let text = FileText::plain("a\nb\nc\nd\n".to_owned());
        for (changes, expected) in [
            (vec![lines(0, 2, &[]), lines(1, 1, &[])], Some((0, 1))),
            (vec![lines(2, 1, &[]), lines(0, 2, &[])], None),
            (vec![lines(0, 3, &[]), lines(1, 0, &["x"])], Some((0, 1))),
            (vec![lines(0, 2, &[]), lines(2, 0, &["x"])], None),
            (vec![lines(1, 2, &["x"]), lines(1, 0, &["y"])], None),
        ] {
            let mut wanted: Vec<_> = changes
                .into_iter()
                .enumerate()
                .map(|(hunk, change)| Wanted { hunk, change })
                .collect();
            sort(&text, &mut wanted);
            assert_eq!(overlaps(&text, &wanted).first().copied(), expected, "{wanted:?}");
        }
    }
}
