//! A changed file as hunks: inline or side by side, from the same elements.
//!
//! In: hunks of lines, or the two texts they come from. Out: groups of lines that a style sheet shows below or
//! beside each other, with the changed words marked and a sign before each line. Never decides what to take.

use super::code::{Class, LineClasses, line_classes};
use maud::{Markup, PreEscaped, html};
use similar::{
    Algorithm, ChangeTag, DiffOp, DiffTag, TextDiff, capture_diff_slices, group_diff_ops,
};
use std::ops::Range;

/// Lines around a change, as `git diff` shows them.
const AROUND: usize = 3;
/// Pairs of lines longer than this are not compared word by word.
const LONGEST_COMPARED: usize = 2_000;
/// Changes of more pairs of lines than this are not compared word by word.
const MOST_COMPARED: usize = 400;

/// What happens to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineTag {
    /// It stays.
    Same,
    /// It goes.
    Removed,
    /// It comes.
    Added,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// What happens to it.
    pub tag: LineTag,
    /// Its text, without the end of the line.
    pub text: String,
}

/// A changed place of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiffHunk {
    /// The first line shown of the text before, from 1.
    pub old_first: usize,
    /// The first line shown of the text after, from 1.
    pub new_first: usize,
    /// The lines, in order.
    pub lines: Vec<DiffLine>,
}

impl DiffHunk {
    /// Counts the lines that come and go.
    pub fn stats(&self) -> (usize, usize) {
        let count = |tag| self.lines.iter().filter(|line| line.tag == tag).count();
        (count(LineTag::Added), count(LineTag::Removed))
    }

    /// Says where it is.
    pub fn place(&self) -> String {
        let (old, new) = self.lines.iter().fold((0, 0), |(old, new), line| match line.tag {
            LineTag::Same => (old + 1, new + 1),
            LineTag::Removed => (old + 1, new),
            LineTag::Added => (old, new + 1),
        });
        let (first, count) = if new > 0 { (self.new_first, new) } else { (self.old_first, old) };
        match count {
            0 | 1 => format!("Line {first}"),
            count => format!("Lines {first}–{}", first + count - 1),
        }
    }
}

/// Lists the changed places between two texts.
pub fn hunks_between(old: &str, new: &str) -> Vec<DiffHunk> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    group_diff_ops(ops, AROUND).iter().map(|group| hunk_of(group, &old, &new)).collect()
}

fn hunk_of(group: &[DiffOp], old: &[&str], new: &[&str]) -> DiffHunk {
    let first = |range: Option<Range<usize>>| range.map_or(0, |range| range.start + 1);
    let mut hunk = DiffHunk {
        old_first: first(group.first().map(DiffOp::old_range)),
        new_first: first(group.first().map(DiffOp::new_range)),
        lines: Vec::new(),
    };
    for change in group.iter().flat_map(|op| op.iter_changes(old, new)) {
        let tag = match change.tag() {
            ChangeTag::Equal => LineTag::Same,
            ChangeTag::Delete => LineTag::Removed,
            ChangeTag::Insert => LineTag::Added,
        };
        hunk.lines.push(DiffLine { tag, text: change.value().to_owned() });
    }
    hunk
}

/// Reads the hunks of a unified diff, for a change that is only shown.
pub fn hunks_of_diff(diff: &str) -> Vec<DiffHunk> {
    let mut hunks: Vec<DiffHunk> = Vec::new();
    for line in diff.lines() {
        if let Some(header) = line.strip_prefix("@@") {
            let number = |sign: char| {
                let rest = header.split(sign).nth(1)?;
                let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                digits.parse().ok()
            };
            let (old_first, new_first) = (number('-').unwrap_or(0), number('+').unwrap_or(0));
            hunks.push(DiffHunk { old_first, new_first, lines: Vec::new() });
            continue;
        }
        let Some(hunk) = hunks.last_mut() else { continue };
        let (tag, text) = match line.chars().next() {
            Some('+') => (LineTag::Added, line.get(1..)),
            Some('-') => (LineTag::Removed, line.get(1..)),
            Some('\\') => continue,
            Some(' ') => (LineTag::Same, line.get(1..)),
            _ => (LineTag::Same, Some(line)),
        };
        hunk.lines.push(DiffLine { tag, text: text.unwrap_or_default().to_owned() });
    }
    hunks.retain(|hunk| !hunk.lines.is_empty());
    hunks
}

/// Draws the lines of a hunk. `language` is a name of a file or of a language.
pub fn hunk_lines(hunk: &DiffHunk, language: &str) -> Markup {
    let colours = Colours::of(hunk, language);
    let (mut old, mut new) = (hunk.old_first, hunk.new_first);
    let mut drawn = String::new();
    let mut at = 0;
    while at < hunk.lines.len() {
        let rest = hunk.lines.get(at..).unwrap_or_default();
        let is_same = rest.first().is_some_and(|line| line.tag == LineTag::Same);
        let count =
            rest.iter().take_while(|line| (line.tag == LineTag::Same) == is_same).count().max(1);
        let lines = rest.get(..count).unwrap_or_default();
        let group = if is_same {
            same(lines, at, (&mut old, &mut new), &colours)
        } else {
            change(lines, at, (&mut old, &mut new), &colours)
        };
        drawn.push_str(&group.into_string());
        at += count;
    }
    PreEscaped(drawn)
}

fn same(
    lines: &[DiffLine],
    at: usize,
    (old, new): (&mut usize, &mut usize),
    colours: &Colours,
) -> Markup {
    let first = (*old, *new);
    (*old, *new) = (*old + lines.len(), *new + lines.len());
    html! {
        div.same {
            @for (place, line) in lines.iter().enumerate() {
                @let text = colours.line(at + place, &line.text, &[]);
                span.line { (sides(Some(first.0 + place), Some(first.1 + place))) code { (text) } }
                // The same line once more, for the right side; only shown side by side.
                span.line.twin aria-hidden="true" { (sides(None, Some(first.1 + place))) code { (text) } }
            }
        }
    }
}

fn change(
    lines: &[DiffLine],
    at: usize,
    (old, new): (&mut usize, &mut usize),
    colours: &Colours,
) -> Markup {
    let marks = changed_words(lines);
    html! {
        div.change {
            @for (place, (line, marks)) in lines.iter().zip(&marks).enumerate() {
                @let text = colours.line(at + place, &line.text, marks);
                @if line.tag == LineTag::Removed {
                    del.line { (sides(Some(next(old)), None)) i { "-" } code { (text) } }
                } @else {
                    ins.line { (sides(None, Some(next(new)))) i { "+" } code { (text) } }
                }
            }
        }
    }
}

fn next(number: &mut usize) -> usize {
    *number += 1;
    *number - 1
}

// The numbers of a line; they are drawn by the style sheet, so that they are not copied with the code.
fn sides(old: Option<usize>, new: Option<usize>) -> Markup {
    html! { b data-o=[old] data-n=[new] {} }
}

// The parts of each line that are not in the line it replaces.
fn changed_words(lines: &[DiffLine]) -> Vec<Vec<Range<usize>>> {
    let mut marks = vec![Vec::new(); lines.len()];
    let places = |tag| {
        let of_tag = move |(at, line): (usize, &DiffLine)| (line.tag == tag).then_some(at);
        lines.iter().enumerate().filter_map(of_tag).collect::<Vec<usize>>()
    };
    let (removed, added) = (places(LineTag::Removed), places(LineTag::Added));
    for (&old, &new) in removed.iter().zip(&added).take(MOST_COMPARED) {
        let (Some(old_line), Some(new_line)) = (lines.get(old), lines.get(new)) else { continue };
        let Some((gone, come)) = compared(&old_line.text, &new_line.text) else { continue };
        if let Some(mark) = marks.get_mut(old) {
            *mark = gone;
        }
        if let Some(mark) = marks.get_mut(new) {
            *mark = come;
        }
    }
    marks
}

type Marks = Vec<Range<usize>>;

// Lines that share less than a third are simply others.
fn compared(old: &str, new: &str) -> Option<(Marks, Marks)> {
    if old.len().max(new.len()) > LONGEST_COMPARED {
        return None;
    }
    let diff = TextDiff::from_words(old, new);
    let (mut gone, mut come): (Marks, Marks) = (Vec::new(), Vec::new());
    let (mut at_old, mut at_new, mut shared) = (0, 0, 0);
    for change in diff.iter_all_changes() {
        let length = change.value().len();
        match change.tag() {
            ChangeTag::Equal => {
                (at_old, at_new) = (at_old + length, at_new + length);
                shared += change.value().trim().len();
            }
            ChangeTag::Delete => {
                push_mark(&mut gone, at_old..at_old + length);
                at_old += length;
            }
            ChangeTag::Insert => {
                push_mark(&mut come, at_new..at_new + length);
                at_new += length;
            }
        }
    }
    (shared * 3 >= old.trim().len().min(new.trim().len())).then_some((gone, come))
}

fn push_mark(marks: &mut Marks, range: Range<usize>) {
    match marks.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => marks.push(range),
    }
}

// The classes of the lines: each side is read as a text of its own.
struct Colours(Vec<LineClasses>);

impl Colours {
    fn of(hunk: &DiffHunk, language: &str) -> Self {
        let side = |without: LineTag| {
            let kept = hunk.lines.iter().filter(|line| line.tag != without);
            let text: String = kept.flat_map(|line| [line.text.as_str(), "\n"]).collect();
            line_classes(&text, language)
        };
        let (Some(before), Some(after)) = (side(LineTag::Added), side(LineTag::Removed)) else {
            return Self(Vec::new());
        };
        let (mut before, mut after) = (before.iter(), after.iter());
        let mut lines = Vec::with_capacity(hunk.lines.len());
        for line in &hunk.lines {
            let classes = match line.tag {
                LineTag::Removed => before.next(),
                LineTag::Added => after.next(),
                LineTag::Same => {
                    before.next();
                    after.next()
                }
            };
            lines.push(classes.cloned().unwrap_or_default());
        }
        Self(lines)
    }

    // A line in its classes, with the marked parts in `mark`.
    fn line(&self, at: usize, text: &str, marks: &[Range<usize>]) -> Markup {
        let mut out = String::with_capacity(text.len() * 2);
        let classes = self.0.get(at).map_or(&[][..], Vec::as_slice);
        let mut start = 0;
        for mark in marks {
            push_range(&mut out, text, classes, start..mark.start);
            out.push_str("<mark>");
            push_range(&mut out, text, classes, mark.clone());
            out.push_str("</mark>");
            start = mark.end;
        }
        push_range(&mut out, text, classes, start..text.len());
        PreEscaped(out)
    }
}

fn push_range(out: &mut String, text: &str, classes: &[(usize, Class)], range: Range<usize>) {
    let mut at = 0;
    let mut done = range.start;
    for (length, class) in classes {
        let (from, to) = (at.max(range.start), (at + length).min(range.end).min(text.len()));
        if from < to {
            super::code::push_span(out, text.get(from..to).unwrap_or_default(), class);
            done = to;
        }
        at += length;
    }
    super::code::push_span(out, text.get(done..range.end).unwrap_or_default(), "");
}

/// Returns whether two texts differ at all.
pub fn differ(old: &str, new: &str) -> bool {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    capture_diff_slices(Algorithm::Myers, &old, &new).iter().any(|op| op.tag() != DiffTag::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c016_a_hunk_has_its_lines_numbers_and_words() {
        let hunks = hunks_between("a\nlet x = one;\nb\n", "a\nlet x = two;\nb\nc\n");
        assert_eq!(hunks.len(), 1);
        assert_eq!((hunks[0].stats(), hunks[0].place()), ((2, 1), "Lines 1–4".to_owned()));
        insta::assert_snapshot!(hunk_lines(&hunks[0], "").into_string().replace("</div>", "</div>\n"), @r#"
        <div class="same"><span class="line"><b data-o="1" data-n="1"></b><code>a</code></span><span class="line twin" aria-hidden="true"><b data-n="1"></b><code>a</code></span></div>
        <div class="change"><del class="line"><b data-o="2"></b><i>-</i><code>let x = <mark>one;</mark></code></del><ins class="line"><b data-n="2"></b><i>+</i><code>let x = <mark>two;</mark></code></ins></div>
        <div class="same"><span class="line"><b data-o="3" data-n="3"></b><code>b</code></span><span class="line twin" aria-hidden="true"><b data-n="3"></b><code>b</code></span></div>
        <div class="change"><ins class="line"><b data-n="4"></b><i>+</i><code>c</code></ins></div>
        "#);
    }

    #[test]
    fn what_is_in_a_file_is_text() {
        let hunks = hunks_between("", "<script>alert(1)</script> & \"x\"\n");
        let drawn = hunk_lines(&hunks[0], "x.html").into_string();
        assert!(!drawn.contains("<script"), "{drawn}");
    }

    #[test]
    fn marks_and_classes_fit_together() {
        let hunks = hunks_between("def limit(): return 3\n", "def limit(): return 7\n");
        let drawn = hunk_lines(&hunks[0], "limit.py").into_string();
        assert!(drawn.contains("<mark><span class=\"n\">7</span></mark>"), "{drawn}");
    }

    #[test]
    fn a_unified_diff_is_shown_as_it_is() {
        let diff = "--- a/x\n+++ b/x\n@@ -3,2 +3,3 @@ fn x\n a\n-b\n+c\n+d\n\\ No newline at end of file\n";
        let hunks = hunks_of_diff(diff);
        assert_eq!((hunks.len(), hunks[0].old_first, hunks[0].stats()), (1, 3, (2, 1)));
    }
}
