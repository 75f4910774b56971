//! Finds lines in a file without reading it again for every hunk.
//!
//! In: a file's text and lines that are sought, compared at some level. Out: every place where they
//! stand one after the other. Each level is built once, when it is first asked for. Never: work that
//! grows faster than the file and all lines sought together: a few passes over the file are free,
//! then its runs are sorted once and looked up.

use super::fold;
use super::section::{Headings, Openers};
use super::similarity::similarity;
use super::sorted::Sorted;
use super::work::Work;
use crate::FileText;
use foldhash::fast::RandomState;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// How lines are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// Byte for byte.
    Exact,
    /// But for space at the end.
    Trailing,
    /// But for space at both ends.
    Trimmed,
    /// But for space, typography and Unicode forms.
    Folded,
}

/// The lines of a file, looked up by what they say.
pub(crate) struct Index<'t> {
    text: &'t FileText,
    levels: [OnceCell<Keys<'t>>; 4],
    // The lines that are not blank, with their places in the file.
    said: [OnceCell<(Keys<'t>, Vec<usize>)>; 4],
    headings: OnceCell<Headings<'t>>,
    anchors: RefCell<HashMap<String, Rc<[usize]>>>,
    openers: OnceCell<Openers>,
    plain: OnceCell<PlainBreaks>,
    work: Work,
}

/// A text with line feeds alone, and how its places are found in the file.
pub(crate) struct PlainBreaks {
    pub(crate) text: String,
    /// How long the text was when a carriage return was left out.
    pub(crate) left_out: Vec<usize>,
}

// Lines that are equal at a level have the same number.
struct Keys<'t> {
    // Keyed anew in every process, and several times as quick as the standard hash on short lines.
    numbers: HashMap<Cow<'t, str>, u32, RandomState>,
    lines: Vec<u32>,
    // The places of number n are `places[starts[n]..starts[n + 1]]`, ascending.
    starts: Vec<u32>,
    places: Vec<u32>,
    sorted: OnceCell<Sorted>,
}

/// Where the passes over the file are used up, no more places than these are told.
const MOST_LATE_PLACES: usize = 64;

impl<'t> Index<'t> {
    /// Prepares the lookup; nothing is read yet.
    pub(crate) fn new(text: &'t FileText) -> Self {
        Self {
            text,
            levels: Default::default(),
            said: Default::default(),
            headings: OnceCell::new(),
            anchors: RefCell::default(),
            openers: OnceCell::new(),
            plain: OnceCell::new(),
            work: Work::for_text(text),
        }
    }

    /// Returns the text that is looked up.
    pub(crate) fn text(&self) -> &'t FileText {
        self.text
    }

    /// Returns every first line, counted from 0, at which the lines follow each other.
    pub(crate) fn find(&self, level: Level, sought: &[&str]) -> Vec<usize> {
        let keys = self.keys(level);
        let mut numbers = Vec::with_capacity(sought.len());
        for line in sought {
            match keys.numbers.get(level.key(line).as_ref()) {
                Some(&number) => numbers.push(number),
                None => return vec![],
            }
        }
        keys.find(&numbers, &self.work)
    }

    /// Returns the lines of every place at which the lines follow each other but for blank ones.
    pub(crate) fn find_said(&self, level: Level, sought: &[&str]) -> Vec<Vec<usize>> {
        let (keys, lines) = self.said[level as usize].get_or_init(|| {
            let said = || self.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            (Keys::new(said().map(|(_, line)| line), level), said().map(|(at, _)| at).collect())
        });
        let number = |line: &&str| keys.numbers.get(level.key(line).as_ref()).copied();
        let Some(numbers) = sought.iter().map(number).collect::<Option<Vec<_>>>() else {
            return Vec::new();
        };
        let found = keys.find(&numbers, &self.work).into_iter().take(2);
        found.map(|first| lines[first..first + sought.len()].to_vec()).collect()
    }

    /// Returns what was done so far, and what may still be done.
    pub(crate) fn work(&self) -> &Work {
        &self.work
    }

    /// Returns the lines that an anchor names, ascending; headings of diffs may be cut short.
    pub(crate) fn anchored(&self, anchor: &str) -> Rc<[usize]> {
        if let Some(known) = self.anchors.borrow().get(anchor) {
            return Rc::clone(known);
        }
        let found: Rc<[usize]> = self.anchor_places(anchor).into();
        self.anchors.borrow_mut().insert(anchor.to_owned(), Rc::clone(&found));
        found
    }

    fn anchor_places(&self, anchor: &str) -> Vec<usize> {
        let whole = self.places(Level::Trimmed, anchor);
        if !whole.is_empty() {
            return whole.iter().map(|&place| place as usize).collect();
        }
        let headings = self.headings.get_or_init(|| Headings::new(self.text));
        let found = headings.beginning_with(anchor.trim());
        if !found.is_empty() {
            return found;
        }
        // A heading may lack the words before a name, or have other space: looked for only so often.
        let folded = self.places(Level::Folded, anchor);
        if !folded.is_empty() {
            return folded.iter().map(|&place| place as usize).collect();
        }
        if !self.work.may_pass(self.text.text().len() / 16) {
            return Vec::new();
        }
        let lines = self.text.lines().enumerate();
        lines.filter(|(_, line)| line.contains(anchor.trim())).map(|(at, _)| at).collect()
    }

    /// Tells whether a line between two others opens a section that is not deeper than `depth`.
    pub(crate) fn opens_between(&self, lines: std::ops::Range<usize>, depth: usize) -> bool {
        self.work.passed(1);
        self.openers.get_or_init(|| Openers::new(self.text)).any(lines, depth)
    }

    /// Returns the file with line feeds alone.
    pub(crate) fn plain_breaks(&self) -> &PlainBreaks {
        self.plain.get_or_init(|| PlainBreaks::of(self.text.text()))
    }

    /// Returns the lines that are at least `least` alike, while there is work left for looking.
    pub(crate) fn alike(&self, sought: &str, least: f64) -> Vec<usize> {
        let sought = sought.trim();
        let cost = |line: &str| line.len() + sought.len();
        let lines = self.text.lines().enumerate();
        lines
            .take_while(|(_, line)| self.work.may_compare(cost(line)))
            .filter(|(_, line)| self.similarity(sought, line.trim()) >= least)
            .map(|(at, _)| at)
            .collect()
    }

    /// Compares two lines; 0 where the work is used up.
    pub(crate) fn similarity(&self, left: &str, right: &str) -> f64 {
        if left == right {
            return 1.0;
        }
        let (similarity, cost) = similarity(left, right);
        self.work.compared(cost);
        similarity
    }

    /// Returns every place of one line.
    pub(crate) fn places(&self, level: Level, line: &str) -> &[u32] {
        let keys = self.keys(level);
        keys.numbers.get(level.key(line).as_ref()).map_or(&[], |&number| keys.places_of(number))
    }

    /// Tells whether the lines are at `first`, lines past the end of the file included as no.
    pub(crate) fn stands(&self, level: Level, sought: &[&str], first: usize) -> bool {
        first + sought.len() <= self.text.line_count()
            && sought
                .iter()
                .enumerate()
                .all(|(offset, line)| level.key(line) == level.key(self.text.line(first + offset)))
    }

    fn keys(&self, level: Level) -> &Keys<'t> {
        self.levels[level as usize].get_or_init(|| Keys::new(self.text.lines(), level))
    }
}

impl Level {
    /// Returns what is compared at this level.
    pub(crate) fn key(self, line: &str) -> Cow<'_, str> {
        match self {
            Self::Exact => Cow::from(line),
            Self::Trailing => Cow::from(line.trim_end()),
            Self::Trimmed => Cow::from(line.trim()),
            Self::Folded => fold::folded(line),
        }
    }
}

impl<'t> Keys<'t> {
    fn new(text: impl Iterator<Item = &'t str>, level: Level) -> Self {
        // Growing a table costs as much as filling it; about half of the lines of a source differ.
        let count = text.size_hint().0;
        let mut numbers = HashMap::with_capacity_and_hasher(count / 2, RandomState::default());
        let mut lines = Vec::with_capacity(count);
        let mut counts: Vec<u32> = Vec::new();
        for line in text {
            let next = counts.len() as u32;
            let number = *numbers.entry(level.key(line)).or_insert(next);
            if number == next {
                counts.push(0);
            }
            counts[number as usize] += 1;
            lines.push(number);
        }
        let mut starts = Vec::with_capacity(counts.len() + 1);
        starts.push(0);
        for count in &counts {
            starts.push(starts[starts.len() - 1] + count);
        }
        let mut next = starts.clone();
        let mut places = vec![0; lines.len()];
        for (place, &number) in lines.iter().enumerate() {
            places[next[number as usize] as usize] = place as u32;
            next[number as usize] += 1;
        }
        Self { numbers, lines, starts, places, sorted: OnceCell::new() }
    }

    fn places_of(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.places[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    fn find(&self, sought: &[u32], work: &Work) -> Vec<usize> {
        let rarest = (0..sought.len()).min_by_key(|&at| self.places_of(sought[at]).len());
        let Some(rarest) = rarest else { return vec![] };
        let places = self.places_of(sought[rarest]);
        if places.len() > MOST_LATE_PLACES && !work.may_pass(places.len()) {
            let sorted = self.sorted.get_or_init(|| {
                work.passed(self.lines.len());
                Sorted::new(&self.lines, self.starts.len())
            });
            work.passed(sought.len());
            return sorted.find(&self.lines, sought, MOST_LATE_PLACES);
        }
        // Where even the rarest line is common, one pass over the file is cheaper.
        if places.len().saturating_mul(sought.len()) > self.lines.len() + sought.len() {
            return self.find_in_one_pass(sought);
        }
        places
            .iter()
            .filter_map(|&place| (place as usize).checked_sub(rarest))
            .filter(|&first| self.lines.get(first..first + sought.len()) == Some(sought))
            .collect()
    }

    // Knuth, Morris and Pratt: linear whatever repeats.
    fn find_in_one_pass(&self, sought: &[u32]) -> Vec<usize> {
        let mut borders = vec![0; sought.len()];
        let mut border = 0;
        for at in 1..sought.len() {
            while border > 0 && sought[at] != sought[border] {
                border = borders[border - 1];
            }
            border += usize::from(sought[at] == sought[border]);
            borders[at] = border;
        }
        let mut found = Vec::new();
        let mut matched = 0;
        for (at, number) in self.lines.iter().enumerate() {
            while matched > 0 && (matched == sought.len() || *number != sought[matched]) {
                matched = borders[matched - 1];
            }
            matched += usize::from(*number == sought[matched]);
            if matched == sought.len() {
                found.push(at + 1 - matched);
            }
        }
        found
    }
}

impl PlainBreaks {
    fn of(source: &str) -> Self {
        let mut text = String::with_capacity(source.len());
        let mut left_out = Vec::new();
        let mut from = 0;
        for at in memchr::memmem::find_iter(source.as_bytes(), "\r\n") {
            text.push_str(&source[from..at]);
            left_out.push(text.len());
            from = at + 1;
        }
        text.push_str(&source[from..]);
        Self { text, left_out }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn levels_forgive_what_they_say() {
        let text = FileText::plain("  a \n\tb\n“c”  d\n".to_owned());
        let index = Index::new(&text);
        for (line, level, expected) in [
            ("  a ", Level::Exact, 1),
            ("  a", Level::Exact, 0),
            ("  a", Level::Trailing, 1),
            ("a", Level::Trailing, 0),
            ("a", Level::Trimmed, 1),
            ("\"c\" d", Level::Trimmed, 0),
            ("\"c\" d", Level::Folded, 1),
        ] {
            assert_eq!(index.find(level, &[line]).len(), expected, "{line:?} {level:?}");
        }
    }

    #[test]
    fn repeats_without_end_are_found_in_one_pass() {
        let text = FileText::plain("x\n".repeat(20_000));
        let sought = vec!["x"; 10_000];
        assert_eq!(Index::new(&text).find(Level::Exact, &sought).len(), 10_001);
    }

    proptest! {
        #[test]
        fn both_searches_find_what_a_plain_search_finds(
            text in "([ab]\n){0,30}",
            sought in "([ab]\n){1,5}",
        ) {
            let file = FileText::plain(text.clone());
            let lines: Vec<_> = text.lines().collect();
            let sought: Vec<_> = sought.lines().collect();
            let plain: Vec<_> = (0..lines.len())
                .filter(|&at| lines[at..].starts_with(&sought))
                .collect();
            let index = Index::new(&file);
            prop_assert_eq!(index.find(Level::Exact, &sought), plain.clone());
            let keys = index.keys(Level::Exact);
            let numbers: Option<Vec<_>> =
                sought.iter().map(|line| keys.numbers.get(*line).copied()).collect();
            if let Some(numbers) = numbers {
                prop_assert_eq!(keys.find_in_one_pass(&numbers), plain);
            }
        }
    }
}
