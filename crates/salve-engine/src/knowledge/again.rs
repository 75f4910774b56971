//! A remembered fix, made again where the same error is seen again.
//!
//! In: a fix as it is remembered, the diagnostic of now and the files as they are. Out: the changes at the
//! places where its lines are found, nearest to the diagnosed line first; names that differ between the two
//! sightings are carried over, each for one other name. Never a change where a line of it is not found, and
//! never a claim that it is right: the check decides.

use super::lesson::{StoredFile, StoredHunk, without_end};
use super::{StoredFix, is_inside};
use crate::heal::{Sources, TextChange};
use salve_types::{Diagnostic, Span};
use std::collections::BTreeMap;

/// This many places are proposed for a fix of one place.
const MOST_PLACES: usize = 3;
/// Files of more lines than this are not searched.
const MOST_LINES: usize = 200_000;

/// Makes a remembered fix again; each entry is all changes of one way to do it, the likeliest first.
pub fn made_again(
    fix: &StoredFix,
    diagnostic: &Diagnostic,
    sources: &dyn Sources,
) -> Vec<Vec<TextChange>> {
    let place = diagnostic.primary();
    let now = place.map(|span| span.path.as_str()).unwrap_or_default();
    let line = place.and_then(|span| span.start).map_or(1, |start| start.line);
    let text = sources.read(now).unwrap_or_default();
    let shown = usize::try_from(line).ok().and_then(|line| text.lines().nth(line.checked_sub(1)?));
    let shown = shown.or(place.and_then(|span| span.line_text.as_deref())).unwrap_or_default();
    let renamed = fix.names().to(&Names::of([diagnostic.message.as_str(), shown]));
    let mut ways: Vec<Vec<TextChange>> = vec![Vec::new()];
    let alone = fix.files.iter().map(|file| file.hunks.len()).sum::<usize>() == 1;
    for file in &fix.files {
        let path = if file.diagnosed { now } else { file.path.as_str() };
        // The path of another file may come from an import or from another user.
        let Some(text) = is_inside(path).then(|| sources.read(path)).flatten() else {
            return Vec::new();
        };
        let near = if file.diagnosed { Some(i64::from(line)) } else { None };
        let target = Target::new(path, &text);
        let Some(found) = target.places(file, near, &renamed, if alone { MOST_PLACES } else { 1 })
        else {
            return Vec::new();
        };
        let extend = |way: &Vec<TextChange>| {
            let add = |changes: &Vec<TextChange>| [way.as_slice(), changes.as_slice()].concat();
            found.iter().map(add).collect::<Vec<_>>()
        };
        ways = ways.iter().flat_map(extend).collect();
    }
    ways.retain(|way| !way.is_empty());
    ways
}

/// The names of two sightings, as one is called in the other.
pub(super) type Renamed = BTreeMap<String, String>;

/// The names in a message and a line, in order.
pub(super) struct Names<'a>(Vec<&'a str>);

impl<'a> Names<'a> {
    /// Reads them.
    pub(super) fn of(texts: [&'a str; 2]) -> Self {
        let names = texts.into_iter().flat_map(tokens).filter(|token| is_name(token));
        Self(names.collect())
    }

    // Where both sightings are worded alike, the names at the same places are each other's.
    fn to(&self, other: &Self) -> Renamed {
        let mut renamed = Renamed::new();
        if self.0.len() != other.0.len() {
            return renamed;
        }
        for (one, another) in self.0.iter().zip(&other.0) {
            let known = renamed.entry((*one).to_owned()).or_insert_with(|| (*another).to_owned());
            if known != another {
                return Renamed::new();
            }
        }
        renamed.retain(|one, another| one != another);
        renamed
    }
}

/// A file in which the places of a fix are searched.
struct Target<'a> {
    path: &'a str,
    text: &'a str,
    lines: Vec<&'a str>,
    /// Where each line begins, and where the text ends.
    starts: Vec<usize>,
    terminator: &'static str,
}

/// A place that a hunk fits, and what it makes there.
struct Fitting {
    change: TextChange,
    /// Less is better: names that differ, context that differs, lines between it and where it would be.
    distance: (usize, usize, u64),
    renamed: Renamed,
}

impl<'a> Target<'a> {
    fn new(path: &'a str, text: &'a str) -> Self {
        let mut starts = vec![0];
        let mut lines = Vec::new();
        for line in text.split_inclusive('\n') {
            lines.push(without_end(line));
            starts.push(starts.last().copied().unwrap_or(0) + line.len());
        }
        let terminator = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Self { path, text, lines, starts, terminator }
    }

    // All changes of the file, for each of the ways; nothing when a hunk fits nowhere.
    fn places(
        &self,
        file: &StoredFile,
        near: Option<i64>,
        renamed: &Renamed,
        most: usize,
    ) -> Option<Vec<Vec<TextChange>>> {
        if self.lines.len() > MOST_LINES {
            return None;
        }
        if let [hunk] = file.hunks.as_slice() {
            let found = self.fittings(hunk, near, renamed);
            let ways = found.into_iter().take(most).map(|fitting| vec![fitting.change]);
            return Some(ways.collect::<Vec<_>>()).filter(|ways| !ways.is_empty());
        }
        // What one hunk binds holds for the next ones.
        let mut renamed = renamed.clone();
        let mut changes: Vec<TextChange> = Vec::new();
        for hunk in &file.hunks {
            let is_free = |fitting: &Fitting| {
                changes.iter().all(|change| !overlap(change.span, fitting.change.span))
            };
            let fitting = self.fittings(hunk, near, &renamed).into_iter().find(is_free)?;
            renamed.extend(fitting.renamed);
            changes.push(fitting.change);
        }
        Some(vec![changes])
    }

    fn fittings(&self, hunk: &StoredHunk, near: Option<i64>, renamed: &Renamed) -> Vec<Fitting> {
        let meant = near.map(|line| line.saturating_add(hunk.delta).saturating_sub(1));
        let mut found: Vec<Fitting> = match hunk.old.is_empty() {
            false => (0..self.lines.len())
                .filter_map(|at| self.replaced(hunk, at, meant, renamed))
                .collect(),
            true => (0..=self.lines.len())
                .filter_map(|at| self.inserted(hunk, at, meant, renamed))
                .collect(),
        };
        found.sort_by_key(|fitting| fitting.distance);
        found
    }

    fn replaced(
        &self,
        hunk: &StoredHunk,
        at: usize,
        meant: Option<i64>,
        renamed: &Renamed,
    ) -> Option<Fitting> {
        let lines = self.lines.get(at..at.checked_add(hunk.old.len())?)?;
        let mut binding = Binding::new(renamed);
        let mut fit = hunk.old.iter().zip(lines).all(|(old, line)| binding.fits(old, line));
        // A blank line is everywhere: it is a place only between its neighbours.
        fit &= hunk.old.iter().any(|line| !line.trim().is_empty())
            || self.context(hunk, at, 1, &binding) == 0;
        let first = hunk.old.first()?;
        let span = Span::new(*self.starts.get(at)?, *self.starts.get(at + hunk.old.len())?);
        fit.then(|| self.fitting(hunk, at, span, meant, binding, indent(first)))
    }

    // Between the lines it was between, else beside a line that begins with the same word.
    fn inserted(
        &self,
        hunk: &StoredHunk,
        at: usize,
        meant: Option<i64>,
        renamed: &Renamed,
    ) -> Option<Fitting> {
        let binding = Binding::new(renamed);
        let differ = self.context(hunk, at, 0, &binding);
        let is_meant = meant.is_some_and(|meant| i64::try_from(at).is_ok_and(|at| at == meant));
        let first_word = hunk.new.iter().find_map(|line| tokens(line).next());
        let beside = first_word.is_some()
            && self.lines.get(at).and_then(|line| tokens(line).next()) == first_word;
        if differ > 1 && !is_meant && !beside {
            return None;
        }
        let start = *self.starts.get(at)?;
        let from = hunk.below.as_deref().or(hunk.above.as_deref()).unwrap_or_default();
        let mut fitting =
            self.fitting(hunk, at, Span::new(start, start), meant, binding, indent(from));
        fitting.distance.1 = differ + usize::from(differ > 1 && !is_meant);
        Some(fitting)
    }

    fn fitting(
        &self,
        hunk: &StoredHunk,
        at: usize,
        span: Span,
        meant: Option<i64>,
        binding: Binding,
        stored_indent: &str,
    ) -> Fitting {
        let beside = self.lines.get(at).or_else(|| self.lines.get(at.checked_sub(1)?));
        let indent_now = beside.map(|line| indent(line)).unwrap_or_default();
        let mut replacement = String::new();
        let is_last = span.end == self.text.len() && !self.text.ends_with('\n');
        if is_last && span.is_empty() && !self.text.is_empty() {
            replacement.push_str(self.terminator);
        }
        for (number, line) in hunk.new.iter().enumerate() {
            if let Some(rest) = line.strip_prefix(stored_indent) {
                replacement.push_str(if rest.is_empty() { "" } else { indent_now });
                binding.write(rest, &mut replacement);
            } else {
                binding.write(line, &mut replacement);
            }
            if !(is_last && number + 1 == hunk.new.len()) {
                replacement.push_str(self.terminator);
            }
        }
        let at_line = i64::try_from(at).unwrap_or(i64::MAX);
        let lines = meant.map_or(0, |meant| meant.abs_diff(at_line));
        let context = self.context(hunk, at, hunk.old.len(), &binding);
        Fitting {
            change: TextChange { path: self.path.to_owned(), span, replacement },
            distance: (binding.differing, context, lines),
            renamed: binding.renamed,
        }
    }

    // How many of the two neighbours differ.
    fn context(&self, hunk: &StoredHunk, at: usize, length: usize, binding: &Binding) -> usize {
        let same = |stored: &Option<String>, line: Option<&&str>| match (stored, line) {
            (None, None) => true,
            (Some(stored), Some(line)) => {
                let mut written = String::new();
                binding.write(stored.trim(), &mut written);
                written == line.trim()
            }
            _ => false,
        };
        let above = at.checked_sub(1).and_then(|at| self.lines.get(at));
        let below = self.lines.get(at + length);
        usize::from(!same(&hunk.above, above)) + usize::from(!same(&hunk.below, below))
    }
}

/// Which name stands for which, as far as the lines say.
struct Binding {
    renamed: Renamed,
    back: BTreeMap<String, String>,
    differing: usize,
}

impl Binding {
    fn new(renamed: &Renamed) -> Self {
        let back = renamed.iter().map(|(one, another)| (another.clone(), one.clone())).collect();
        Self { renamed: renamed.clone(), back, differing: 0 }
    }

    // Lines fit when they have the same tokens, but for names that are others throughout.
    fn fits(&mut self, old: &str, line: &str) -> bool {
        let (mut ours, mut theirs) = (tokens(old), tokens(line));
        loop {
            match (ours.next(), theirs.next()) {
                (None, None) => return true,
                (Some(one), Some(another)) if is_name(one) && is_name(another) => {
                    if !self.bind(one, another) {
                        return false;
                    }
                }
                (Some(one), Some(another)) if one == another => {}
                _ => return false,
            }
        }
    }

    fn bind(&mut self, one: &str, another: &str) -> bool {
        match (self.renamed.get(one), self.back.get(another)) {
            (Some(known), Some(_)) => known == another,
            (None, None) => {
                self.differing += usize::from(one != another);
                self.renamed.insert(one.to_owned(), another.to_owned());
                self.back.insert(another.to_owned(), one.to_owned());
                true
            }
            _ => false,
        }
    }

    fn write(&self, line: &str, to: &mut String) {
        let mut at = 0;
        for (start, token) in spans(line).filter(|(_, token)| is_name(token)) {
            to.push_str(line.get(at..start).unwrap_or_default());
            to.push_str(self.renamed.get(token).map_or(token, String::as_str));
            at = start + token.len();
        }
        to.push_str(line.get(at..).unwrap_or_default());
    }
}

fn overlap(one: Span, another: Span) -> bool {
    one.start < another.end && another.start < one.end
}

fn indent(line: &str) -> &str {
    line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
}

fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

fn tokens(line: &str) -> impl Iterator<Item = &str> {
    spans(line).map(|(_, token)| token)
}

// Names and numbers as wholes, everything else letter by letter; blanks count for nothing.
fn spans(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let start = line.len() - rest.len();
        let first = rest.chars().next()?;
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length = match is_word(first) {
            true => rest.find(|letter: char| !is_word(letter)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        Some((start, token))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heal::testing::Files;
    use crate::heal::{FixSource, Patch};
    use crate::knowledge::{Lesson, LessonFile};
    use salve_types::{ErrorClass, Position, Severity, SourceSpan};

    fn diagnostic(path: &str, line: u32, message: &str) -> Diagnostic {
        let mut made = Diagnostic::new("rustc", Severity::Error, ErrorClass::Type, message);
        made.spans.push(SourceSpan {
            path: path.to_owned(),
            start: Some(Position { line, column: 1 }),
            end: None,
            bytes: None,
            primary: true,
            label: None,
            line_text: None,
        });
        made
    }

    // Learned from the first pair, made again on the second text.
    fn again(lesson: (&str, &str, u32, &str), now: (&str, u32, &str)) -> Vec<String> {
        let (before, after, line, message) = lesson;
        let file = LessonFile { path: "a.rs".into(), before: before.into(), after: after.into() };
        let first = diagnostic("a.rs", line, message);
        let lesson = Lesson {
            source: FixSource::Model,
            author: "fast".into(),
            description: String::new(),
            hash: String::new(),
            diagnostics: vec![first.clone()],
            files: vec![file],
            commands: Vec::new(),
        };
        let fix = lesson.stored(&first).expect("remembered");
        let (text, line, message) = now;
        let files = Files::of([("b.rs", text)]);
        let ways = made_again(&fix, &diagnostic("b.rs", line, message), &files);
        let made = ways.iter().map(|way| {
            let patch = Patch::default().with(way, &files).expect("fits");
            patch.files["b.rs"].clone().expect("a text")
        });
        made.collect()
    }

    #[test]
    fn a_fix_is_made_again_at_another_path_and_line() {
        let made = again(
            ("fn f() {\n    let x = 1\n}\n", "fn f() {\n    let x = 1;\n}\n", 2, "expected `;`"),
            ("// more\n\nfn f() {\n        let x = 1\n}\n", 4, "expected `;`"),
        );
        assert_eq!(made, ["// more\n\nfn f() {\n        let x = 1;\n}\n"]);
    }

    #[test]
    fn names_are_carried_over_one_for_one() {
        let lesson = (
            "let total = sum(rows);\nprint(totl);\n",
            "let total = sum(rows);\nprint(total);\n",
            2,
            "cannot find `totl`, a local `total` exists",
        );
        let now = (
            "let count = sum(items);\nprint(cuont);\n",
            2,
            "cannot find `cuont`, a local `count` exists",
        );
        assert_eq!(again(lesson, now), ["let count = sum(items);\nprint(count);\n"]);
    }

    #[test]
    fn a_line_that_comes_is_put_where_its_neighbours_are() {
        let lesson = (
            "use a::A;\nuse c::C;\n\nfn f() { B::new() }\n",
            "use a::A;\nuse b::B;\nuse c::C;\n\nfn f() { B::new() }\n",
            4,
            "undeclared type `B`",
        );
        let now = (
            "use a::A;\nuse z::Z;\n\n\nfn g() {}\nfn f() { B::new() }\n",
            6,
            "undeclared type `B`",
        );
        let made = again(lesson, now);
        assert_eq!(
            made.first().map(String::as_str),
            Some("use a::A;\nuse b::B;\nuse z::Z;\n\n\nfn g() {}\nfn f() { B::new() }\n")
        );
    }

    #[test]
    fn a_fix_whose_lines_are_not_there_is_not_made() {
        let lesson = ("a(1)\n", "a(2)\n", 1, "wrong");
        assert_eq!(again(lesson, ("b[1]\n", 1, "wrong")), Vec::<String>::new());
        assert_eq!(again(lesson, ("", 1, "wrong")), Vec::<String>::new());
    }

    #[test]
    fn the_terminators_of_the_file_are_kept() {
        let lesson = ("a\nb\n", "a;\nb\n", 1, "m");
        assert_eq!(
            again(lesson, ("x\r\na\r\nb\r\n", 2, "m")).first().map(String::as_str),
            Some("x\r\na;\r\nb\r\n")
        );
        assert_eq!(again(lesson, ("a", 1, "m")), ["a;"]);
    }
}
