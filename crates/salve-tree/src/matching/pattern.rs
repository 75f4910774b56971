//! A hunk as the ladder sees it: lines that are sought and the changes among them.
//!
//! In: the body of a hunk. Out: the old lines, each kept or removed, and the runs of new lines. A
//! line that both sides have counts as kept, however the hunk wrote it, so that the file's own
//! bytes stay. Never: a look at the file.

use imara_diff::{Algorithm, Diff, InternedInput, Interner};
use salve_types::{HunkLine, LineKind};
use std::borrow::Cow;
use std::ops::Range;

/// What a hunk seeks and what it does there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern<'h> {
    /// The lines sought, in order.
    pub(crate) old: Vec<OldLine<'h>>,
    /// The changes, in order of `old`.
    pub(crate) runs: Vec<Run<'h>>,
    /// What the hunk says about the terminator of the file's last line.
    pub(crate) final_newline: Option<bool>,
    /// The hunk says that its old side ends at the end of the file.
    pub(crate) at_end: bool,
}

/// One line that is sought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OldLine<'h> {
    /// The line without a terminator.
    pub(crate) text: Cow<'h, str>,
    /// It stays; only its presence is asked for.
    pub(crate) kept: bool,
}

/// New lines in the place of old ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run<'h> {
    /// The old lines that go away; empty for an insertion before that line.
    pub(crate) removed: Range<usize>,
    /// The lines that come.
    pub(crate) new: Vec<Cow<'h, str>>,
}

/// Two sides of a change, before lines they share are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sides<'h> {
    /// The old lines.
    pub(crate) old: Vec<Cow<'h, str>>,
    /// The new lines.
    pub(crate) new: Vec<Cow<'h, str>>,
}

impl<'h> Pattern<'h> {
    /// Reads the lines of a diff.
    pub(crate) fn of_lines(lines: &'h [HunkLine]) -> Self {
        let mut pattern = Self { old: vec![], runs: vec![], final_newline: None, at_end: false };
        for group in lines.chunk_by(|a, b| is_change(a) == is_change(b)) {
            if group.first().is_some_and(is_change) {
                let side = |kind| group.iter().filter(move |line| line.kind == kind);
                let old: Vec<_> = side(LineKind::Remove).collect();
                let new: Vec<_> = side(LineKind::Add).collect();
                pattern.push_change(&old, &new);
            } else {
                pattern.old.extend(group.iter().map(|line| OldLine::kept(&line.text)));
            }
        }
        let last = |gone| lines.iter().rev().find(|line| line.kind != gone);
        let ends = |line: Option<&HunkLine>| line.is_some_and(|line| line.no_newline);
        let (old, new) = (ends(last(LineKind::Add)), ends(last(LineKind::Remove)));
        pattern.final_newline = (old != new).then_some(!new);
        pattern.at_end = old || new;
        pattern
    }

    /// Reads two sides.
    pub(crate) fn of_sides(sides: Sides<'h>) -> Self {
        let mut pattern = Self { old: vec![], runs: vec![], final_newline: None, at_end: false };
        let changes = changes(&sides.old, &sides.new);
        let mut new: Vec<_> = sides.new.into_iter().map(Some).collect();
        let mut kept = vec![true; sides.old.len()];
        for (removed, added) in changes {
            kept[removed.clone()].fill(false);
            let new = new[added].iter_mut().filter_map(Option::take).collect();
            pattern.runs.push(Run { removed, new });
        }
        let old = sides.old.into_iter().zip(kept);
        pattern.old = old.map(|(text, kept)| OldLine { text, kept }).collect();
        pattern
    }

    /// Returns the lines as they will be: kept and new ones.
    pub(crate) fn new_side(&self) -> Vec<&str> {
        let mut side = Vec::new();
        let mut from = 0;
        for run in &self.runs {
            side.extend(self.old[from..run.removed.start].iter().map(|line| line.text.as_ref()));
            side.extend(run.new.iter().map(AsRef::as_ref));
            from = run.removed.end;
        }
        side.extend(self.old[from..].iter().map(|line| line.text.as_ref()));
        side
    }

    /// Returns the texts of the lines sought.
    pub(crate) fn old_side(&self) -> Vec<&str> {
        self.old.iter().map(|line| line.text.as_ref()).collect()
    }

    /// Returns the part that seeks only some of the old lines; every change must lie in it.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        let mut part = self.clone();
        part.old = self.old[range.clone()].to_vec();
        for run in &mut part.runs {
            run.removed.start -= range.start;
            run.removed.end -= range.start;
        }
        part
    }

    /// Tells whether the change leaves everything as it is.
    pub(crate) fn is_noop(&self) -> bool {
        self.runs.is_empty()
    }

    /// Tells whether nothing goes away.
    pub(crate) fn only_inserts(&self) -> bool {
        self.runs.iter().all(|run| run.removed.is_empty())
    }

    fn push_change(&mut self, old: &[&'h HunkLine], new: &[&'h HunkLine]) {
        let base = self.old.len();
        self.old.extend(old.iter().map(|line| OldLine::kept(&line.text)));
        let key = |line: &&'h HunkLine| (line.text.as_str(), line.no_newline);
        let olds: Vec<_> = old.iter().map(key).collect();
        let news: Vec<_> = new.iter().map(key).collect();
        for (removed, added) in changes(&olds, &news) {
            let removed = base + removed.start..base + removed.end;
            self.old[removed.clone()].iter_mut().for_each(|line| line.kept = false);
            let new = new[added].iter().map(|line| Cow::from(line.text.as_str())).collect();
            self.runs.push(Run { removed, new });
        }
    }
}

impl<'h> OldLine<'h> {
    fn kept(text: &'h str) -> Self {
        Self { text: Cow::from(text), kept: true }
    }
}

fn is_change(line: &HunkLine) -> bool {
    line.kind != LineKind::Context
}

// What differs between two sides: the common ends first, then a histogram diff of the middle.
fn changes<T: Eq + std::hash::Hash + Clone>(
    old: &[T],
    new: &[T],
) -> Vec<(Range<usize>, Range<usize>)> {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    if old.is_empty() && new.is_empty() {
        return vec![];
    }
    if old.len() < 2 || new.len() < 2 {
        return vec![(start..start + old.len(), start..start + new.len())];
    }
    let interner = Interner::new(old.len() + new.len());
    let mut input = InternedInput { before: vec![], after: vec![], interner };
    input.update_before(old.iter().cloned());
    input.update_after(new.iter().cloned());
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let shift = |range: Range<u32>| start + range.start as usize..start + range.end as usize;
    diff.hunks().map(|hunk| (shift(hunk.before), shift(hunk.after))).collect()
}

/// Counts the letters and digits of a line: how much it says.
pub(crate) fn weight(line: &str) -> usize {
    line.chars().filter(|character| character.is_alphanumeric()).count()
}

#[cfg(test)]
pub(crate) fn hunk_lines(text: &str) -> Vec<HunkLine> {
    let mut lines: Vec<HunkLine> = Vec::new();
    for line in text.lines() {
        let kind = match line.chars().next() {
            Some('-') => LineKind::Remove,
            Some('+') => LineKind::Add,
            Some('\\') => {
                lines.iter_mut().last().into_iter().for_each(|line| line.no_newline = true);
                continue;
            }
            _ => LineKind::Context,
        };
        let text = line.get(1..).unwrap_or_default().to_owned();
        lines.push(HunkLine { kind, text, no_newline: false });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pattern: &Pattern<'_>) -> String {
        let mut out = String::new();
        for (index, line) in pattern.old.iter().enumerate() {
            for run in pattern.runs.iter().filter(|run| run.removed.start == index) {
                out.extend(run.new.iter().map(|line| format!("+{line} ")));
            }
            out.push_str(&format!("{}{} ", if line.kept { '=' } else { '-' }, line.text));
        }
        for run in pattern.runs.iter().filter(|run| run.removed.start == pattern.old.len()) {
            out.extend(run.new.iter().map(|line| format!("+{line} ")));
        }
        out.trim_end().to_owned()
    }

    #[test]
    fn lines_of_both_sides_are_kept_however_they_were_written() {
        for (hunk, expected) in [
            (" a\n-b\n+c\n d", "=a +c -b =d"),
            ("-a\n-b\n+a\n+B", "=a +B -b"),
            ("-a\n+a\n+x", "=a +x"),
            ("-a\n-b\n+a", "=a -b"),
            ("-a\n-b\n-c\n-d\n+A\n+b\n+c\n+D", "+A -a =b =c +D -d"),
            ("+x\n a", "+x =a"),
            (" a\n-b\n b", "=a -b =b"),
        ] {
            let lines = hunk_lines(hunk);
            assert_eq!(shown(&Pattern::of_lines(&lines)), expected, "{hunk}");
        }
    }

    #[test]
    fn a_marker_of_a_missing_newline_is_a_change_of_the_end() {
        for (hunk, expected, at_end) in [
            ("-a\n\\ No newline\n+a", Some(true), true),
            ("-a\n+a\n\\ No newline", Some(false), true),
            ("-a\n\\ No newline\n+b\n\\ No newline", None, true),
            ("-a\n+b", None, false),
        ] {
            let lines = hunk_lines(hunk);
            let pattern = Pattern::of_lines(&lines);
            assert_eq!((pattern.final_newline, pattern.at_end), (expected, at_end), "{hunk}");
            assert!(!pattern.is_noop());
        }
    }

    #[test]
    fn sides_become_runs_and_the_new_side_again() {
        let cows = |text: &'static str| text.split(' ').map(Cow::from).collect::<Vec<_>>();
        let sides = Sides { old: cows("a b c d e"), new: cows("a B c e f") };
        let pattern = Pattern::of_sides(sides);
        assert_eq!(pattern.new_side(), ["a", "B", "c", "e", "f"]);
        assert_eq!(pattern.old_side(), ["a", "b", "c", "d", "e"]);
        assert!(Pattern::of_sides(Sides { old: cows("a b"), new: cows("a b") }).is_noop());
    }
}
