//! Finds lines in a file without reading it again for every hunk.
//!
//! In: a file's text and lines that are sought, compared at some level. Out: every place where they
//! stand one after the other. Each level is built once, when it is first asked for. Never: a search
//! that costs more than the file and the lines sought together.

use super::fold;
use crate::FileText;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

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
}

// Lines that are equal at a level have the same number.
struct Keys<'t> {
    numbers: HashMap<Cow<'t, str>, u32>,
    lines: Vec<u32>,
    // The places of number n are `places[starts[n]..starts[n + 1]]`, ascending.
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl<'t> Index<'t> {
    /// Prepares the lookup; nothing is read yet.
    pub(crate) fn new(text: &'t FileText) -> Self {
        Self { text, levels: Default::default() }
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
        keys.find(&numbers)
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
        self.levels[level as usize].get_or_init(|| Keys::new(self.text, level))
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
    fn new(text: &'t FileText, level: Level) -> Self {
        let mut numbers = HashMap::with_capacity(text.line_count());
        let mut lines = Vec::with_capacity(text.line_count());
        let mut counts: Vec<u32> = Vec::new();
        for index in 0..text.line_count() {
            let next = counts.len() as u32;
            let number = *numbers.entry(level.key(text.line(index))).or_insert(next);
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
        Self { numbers, lines, starts, places }
    }

    fn places_of(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.places[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    fn find(&self, sought: &[u32]) -> Vec<usize> {
        let rarest = (0..sought.len()).min_by_key(|&at| self.places_of(sought[at]).len());
        let Some(rarest) = rarest else { return vec![] };
        let places = self.places_of(sought[rarest]);
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
