//! Where a continuation starts with what the partial text ends with.
//!
//! In: both texts. Out: every place of the continuation up to which it may be an echo. Never judges
//! whether the echo was meant: that is for the evidence. Linear in a bounded window.

use crate::lines::{Line, ceil_boundary, head, indent_of, last_line_start, lines, width};
use std::collections::HashMap;

/// How much of the partial's end and of the continuation's start is compared.
pub(crate) const WINDOW: usize = 64 * 1024;

/// A start of the continuation that repeats the end of the partial text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Overlap {
    /// Where the repeated text starts in the partial.
    pub(crate) from: usize,
    /// How many bytes of the continuation it covers.
    pub(crate) drop: usize,
    /// How many complete lines are repeated.
    pub(crate) lines: usize,
    /// What kind of place the repetition starts at.
    pub(crate) alignment: Alignment,
    /// How much deeper the repeated lines are in the continuation, if all agree.
    pub(crate) shift: Option<i32>,
    /// Whether it ends where a line of the continuation starts, so that the indentation the partial
    /// stopped in, if any, comes again after it.
    pub(crate) to_line_start: bool,
    /// Whether the cut line is as deep in both texts, and not at the margin.
    pub(crate) same_indent: bool,
}

/// Where in the partial text an overlap starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alignment {
    /// At the start of a line, which is what a model that starts over does.
    Line,
    /// Inside a line.
    Inside,
}

/// Finds the overlaps of `partial` and `continuation`, longest first, at most `limit` of a kind.
pub(crate) fn overlaps(partial: &str, continuation: &str, limit: usize) -> Vec<Overlap> {
    let mut found = line_overlaps(partial, continuation, limit);
    for overlap in byte_overlaps(partial, continuation, limit) {
        if found.iter().all(|known| known.drop != overlap.drop) {
            found.push(overlap);
        }
    }
    found.sort_by_key(|overlap| std::cmp::Reverse(overlap.drop));
    found
}

// Repeated lines, compared without their indentation; the last line of the partial may be a half.
fn line_overlaps(partial: &str, continuation: &str, limit: usize) -> Vec<Overlap> {
    let window = line_window(partial);
    let half_start = last_line_start(partial);
    let head: Vec<Line> = lines(head(continuation, WINDOW)).collect();
    let tail: Vec<Line> = lines(&partial[window..half_start])
        .map(|line| Line {
            start: line.start + window,
            end: line.end + window,
            next: line.next + window,
        })
        .collect();
    let matched = suffix_matches(
        &head.iter().map(|line| line.of(continuation).trim()).collect::<Vec<_>>(),
        &tail.iter().map(|line| line.of(partial).trim()).collect::<Vec<_>>(),
    );
    let half = partial[half_start..].trim_start_matches([' ', '\t']);
    let mut found = Vec::new();
    // Longest first, and no more than asked for: a text of equal lines overlaps everywhere.
    for count in matched.into_iter().rev() {
        // The half line alone is always looked at.
        if found.len() >= limit && count > 0 {
            continue;
        }
        let from = tail.get(tail.len() - count).map_or(half_start, |line| line.start);
        let Some(drop) = end_of_half(continuation, &head, count, half) else { continue };
        if drop > 0 {
            let shift =
                common_shift(&tail[tail.len() - count..], &head, partial, continuation, half_start);
            let again = head.get(count).map_or("", |line| indent_of(line.of(continuation)));
            let indent = indent_of(&partial[half_start..]);
            found.push(Overlap {
                from,
                drop,
                lines: count,
                alignment: Alignment::Line,
                shift,
                to_line_start: half.trim().is_empty(),
                same_indent: !indent.is_empty() && indent == again,
            });
        }
    }
    found
}

// Where the echo ends: after the half line, or at the start of the line after the repeated ones.
fn end_of_half(continuation: &str, head: &[Line], count: usize, half: &str) -> Option<usize> {
    if half.trim().is_empty() {
        return head.get(count.checked_sub(1)?).map(|line| line.next);
    }
    let line = head.get(count)?;
    let text = &continuation[line.start..line.next];
    let indent = indent_of(text).len();
    if text[indent..].starts_with(half) {
        Some(line.start + indent + half.len())
    } else {
        // A cut may leave a space that the repetition ends without.
        (text[indent..].trim_end() == half.trim_end()).then_some(line.end)
    }
}

// The shift of the repeated lines, when every one that shows an indentation shows the same. The
// first line of a continuation often lost its indentation, so it counts only when it is alone
// and deeper than it should.
fn common_shift(
    tail: &[Line],
    head: &[Line],
    partial: &str,
    continuation: &str,
    half_start: usize,
) -> Option<i32> {
    let half = &partial[half_start..];
    let originals = tail.iter().map(|line| line.of(partial)).chain([half]);
    let mut shifts = originals.zip(head).filter(|(original, _)| !original.trim().is_empty()).map(
        |(original, line)| width(indent_of(line.of(continuation))) - width(indent_of(original)),
    );
    let first = shifts.next()?;
    match shifts.next() {
        None => (first >= 0).then_some(first),
        Some(second) => (shifts.all(|shift| shift == second)).then_some(second),
    }
}

// All counts of lines for which the last `count` lines of `tail` are the first of `head`, found
// with the Z function over line numbers. Nought is among them: the half line alone.
fn suffix_matches(head: &[&str], tail: &[&str]) -> Vec<usize> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |line| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX) + 1;
        *numbers.entry(line).or_insert(next)
    };
    let head_len = head.len().min(tail.len());
    let mut sequence: Vec<u32> = head[..head_len].iter().map(|line| number(line)).collect();
    sequence.push(0);
    sequence.extend(tail.iter().map(|line| number(line)));
    let z = z_function(&sequence);
    let mut counts = vec![0];
    for count in 1..=head_len {
        if z[sequence.len() - count] == count {
            counts.push(count);
        }
    }
    counts
}

fn z_function<T: PartialEq>(sequence: &[T]) -> Vec<usize> {
    let mut z = vec![0; sequence.len()];
    let (mut left, mut right) = (0, 0);
    for at in 1..sequence.len() {
        let mut length = if at < right { z[at - left].min(right - at) } else { 0 };
        while at + length < sequence.len() && sequence[length] == sequence[at + length] {
            length += 1;
        }
        if at + length > right {
            (left, right) = (at, at + length);
        }
        z[at] = length;
    }
    z
}

// Byte-exact repetitions, which may start anywhere in a line, longest first.
fn byte_overlaps(partial: &str, continuation: &str, limit: usize) -> Vec<Overlap> {
    let head = head(continuation, WINDOW).as_bytes();
    let start = ceil_boundary(partial, partial.len().saturating_sub(head.len()));
    let tail = &partial.as_bytes()[start..];
    let failure = prefix_function(head);
    let mut length = 0;
    for &byte in tail {
        while length > 0 && (length == head.len() || head[length] != byte) {
            length = failure[length - 1];
        }
        if length < head.len() && head[length] == byte {
            length += 1;
        }
    }
    let mut found = Vec::new();
    while length > 0 && found.len() < limit {
        let from = partial.len() - length;
        if partial.is_char_boundary(from) && continuation.is_char_boundary(length) {
            let at_line = from == 0 || partial.as_bytes()[from - 1] == b'\n';
            found.push(Overlap {
                from,
                drop: length,
                lines: partial[from..].matches('\n').count(),
                alignment: if at_line { Alignment::Line } else { Alignment::Inside },
                shift: None,
                to_line_start: false,
                same_indent: false,
            });
        }
        length = failure[length - 1];
    }
    found
}

fn prefix_function(pattern: &[u8]) -> Vec<usize> {
    let mut failure = vec![0; pattern.len()];
    for at in 1..pattern.len() {
        let mut length = failure[at - 1];
        while length > 0 && pattern[length] != pattern[at] {
            length = failure[length - 1];
        }
        failure[at] = if pattern[length] == pattern[at] { length + 1 } else { 0 };
    }
    failure
}

// The start of the line in which the compared window of the partial begins.
fn line_window(partial: &str) -> usize {
    let start = ceil_boundary(partial, partial.len().saturating_sub(WINDOW));
    if start == 0 {
        return 0;
    }
    let half_start = last_line_start(partial);
    partial[start..].find('\n').map_or(half_start, |at| (start + at + 1).min(half_start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn drops(partial: &str, continuation: &str) -> Vec<usize> {
        overlaps(partial, continuation, 8).iter().map(|overlap| overlap.drop).collect()
    }

    #[test]
    fn t27_overlaps_are_found_at_lines_and_inside_them() {
        assert_eq!(drops("a();\nb();\nlet x = co", "b();\nlet x = compute();"), [15]);
        assert_eq!(drops("a();\n    let x = co", "let x = compute();"), [10]);
        assert_eq!(drops("a();\n    let x = co", "      let x = compute();"), [16]);
        assert_eq!(drops("a();\nb();\n", "b();\nc();"), [5]);
        assert_eq!(drops("call(alpha, beta", "alpha, beta, gamma)"), [11, 1]);
        assert_eq!(drops("a", "b"), Vec::<usize>::new());
        assert_eq!(drops("", "b"), Vec::<usize>::new());
        assert_eq!(drops("a", ""), Vec::<usize>::new());
    }

    #[test]
    fn t27_shift_of_repeated_lines_is_measured() {
        let partial = "fn f() {\n    a();\n    b();\n    c(";
        let shifted = "        a();\n        b();\n        c(1);\n    }\n";
        assert_eq!(overlaps(partial, shifted, 4)[0].shift, Some(4));
        let first_lost = "a();\n    b();\n    c(1);\n}\n";
        assert_eq!(overlaps(partial, first_lost, 4)[0].shift, Some(0));
    }

    #[test]
    fn t27_adversarial_repeats_stay_linear_and_bounded() {
        let same = "a\n".repeat(200_000);
        assert!(overlaps(&same, &same, 4).len() <= 8);
        let storm = "\"".repeat(400_000);
        assert!(overlaps(&storm, &storm, 4).len() <= 8);
    }

    proptest! {
        #[test]
        fn t27_every_byte_overlap_is_a_real_one(partial in "[ab\né ]{0,40}", continuation in "[ab\né ]{0,40}") {
            for overlap in byte_overlaps(&partial, &continuation, 50) {
                prop_assert!(partial.ends_with(&continuation[..overlap.drop]));
            }
            for overlap in overlaps(&partial, &continuation, 50) {
                prop_assert!(continuation.is_char_boundary(overlap.drop));
                prop_assert!(partial.is_char_boundary(overlap.from));
            }
        }
    }
}
