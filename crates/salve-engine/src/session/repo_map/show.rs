//! The text of a map, within its budget.
//!
//! In: files and symbols, the most telling first. Out: the files in that order, each with its symbols in the
//! order of their lines. Never longer than the budget, never a control character.

use super::MapSymbol;
use salve_model::{BytesByTwo, TokenCount};
use std::collections::HashMap;

/// A symbol: its line, its depth, its text.
type MapLine<'a> = (u32, u8, &'a str);

/// A map that is being filled.
pub(super) struct MapText<'a> {
    budget: u64,
    used: u64,
    total: usize,
    /// In the order in which they came.
    files: Vec<(String, Vec<MapLine<'a>>)>,
    places: HashMap<usize, usize>,
}

// What the last line takes: "(and 1000000 more files)".
const LAST_LINE: u64 = 16;

impl<'a> MapText<'a> {
    pub(super) fn new(budget: u64, total: usize) -> Self {
        let used = if total == 0 { 0 } else { LAST_LINE };
        Self { budget, used, total, files: Vec::new(), places: HashMap::new() }
    }

    /// Adds a file; `false` when there is no room for it.
    pub(super) fn file(&mut self, at: usize, path: &str) -> bool {
        if self.places.contains_key(&at) {
            return true;
        }
        let path = escaped(path);
        // With the colon and the line break.
        let cost = BytesByTwo.tokens(&path) + 1;
        if self.used + cost > self.budget {
            return false;
        }
        self.used += cost;
        self.places.insert(at, self.files.len());
        self.files.push((path, Vec::new()));
        true
    }

    /// Adds a symbol and its file, unless the file has its share or there is no room.
    pub(super) fn symbol(&mut self, at: usize, path: &str, symbol: &'a MapSymbol, each: usize) {
        let known = self.places.get(&at).copied();
        if known.is_some_and(|place| self.files[place].1.len() >= each) {
            return;
        }
        let line = line(symbol.line, symbol.depth, &symbol.shown);
        let cost = BytesByTwo.tokens(&line) + 1;
        let header = if known.is_some() { 0 } else { BytesByTwo.tokens(&escaped(path)) + 1 };
        if self.used + cost + header > self.budget || !self.file(at, path) {
            return;
        }
        self.used += cost;
        if let Some(&place) = self.places.get(&at) {
            self.files[place].1.push((symbol.line, symbol.depth, &symbol.shown));
        }
    }

    /// Tells whether not even a short name has room.
    pub(super) fn is_full(&self) -> bool {
        self.used + 4 > self.budget
    }

    /// Returns the text.
    pub(super) fn finish(self) -> String {
        let mut text = String::new();
        let shown = self.files.len();
        if shown == 0 {
            return text;
        }
        for (path, mut symbols) in self.files {
            symbols.sort_unstable();
            text.push_str(&path);
            text.push_str(if symbols.is_empty() { "\n" } else { ":\n" });
            for (number, depth, shown) in symbols {
                text.push_str(&line(number, depth, shown));
                text.push('\n');
            }
        }
        if shown < self.total {
            text.push_str(&format!("(and {} more files)\n", self.total - shown));
        }
        text
    }
}

fn line(number: u32, depth: u8, shown: &str) -> String {
    let indent = "  ".repeat(usize::from(depth) + 1);
    format!("{indent}{number}: {}", escaped(shown))
}

/// Returns a name with what no terminal or prompt should obey made visible.
pub(super) fn escaped(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    for letter in name.chars() {
        let spoofs = matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
        match letter {
            '\t' => shown.push(' '),
            letter if letter.is_control() || spoofs => shown.extend(letter.escape_default()),
            letter => shown.push(letter),
        }
    }
    shown
}
