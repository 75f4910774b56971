//! Indentation where brackets, tags or words open and close.
//!
//! In: the lines of a joined text with their states. Out: notes in the shape: a line that starts
//! with a closer stands where the line of its opener stands; the lines directly inside a bracket
//! stand no less deep behind the seam than before it, and some stand just as deep. Never compares
//! single lines of a statement, which people align as they like.

use super::super::lines::{indent_of, lines, width};
use super::{MEASURED, Shape, indent_at, is_behind, step_of};
use crate::inspect::{Inside, LineState};
use salve_types::Language;

// The weight of a closer that stands wrong, and of the line whose indentation the seam splits.
const CLOSER: f32 = 6.0;
const SPLIT: f32 = 8.0;
// The weight of a level without lines before the seam.
const FRESH: f32 = 1.0;

/// Measures the lines behind the seam against the ones before it.
pub(super) fn measure(
    joined: &str,
    seam: usize,
    language: Language,
    states: &[LineState],
    shape: &mut Shape,
) {
    let step = step_of(&joined[..seam]);
    let mut ruler =
        Ruler { joined, seam, step, levels: Vec::new(), shallowest: usize::MAX, done: Vec::new() };
    let mut measured = 0;
    for (line, state) in lines(joined).zip(states) {
        let text = line.of(joined);
        let bare = text.trim();
        let preprocessed = matches!(language, Language::C | Language::Cpp) && bare.starts_with('#');
        if bare.is_empty() || preprocessed {
            continue;
        }
        let behind = is_behind(joined, line, seam);
        measured += usize::from(behind);
        if measured > MEASURED {
            break;
        }
        let own = width(indent_of(text));
        let split = behind && line.start < seam;
        ruler.read(shape, bare, own, *state, behind, split);
    }
    ruler.conclude(shape);
}

// The lines directly inside one open construct, before and behind the seam.
#[derive(Clone, Default)]
struct Level {
    opener: Option<usize>,
    words: bool,
    before: Vec<i32>,
    behind: Vec<i32>,
}

struct Ruler<'a> {
    joined: &'a str,
    seam: usize,
    step: i32,
    levels: Vec<Level>,
    // The least depth behind the seam: what is deeper was opened there.
    shallowest: usize,
    // Levels that were closed behind the seam.
    done: Vec<Level>,
}

impl Ruler<'_> {
    fn read(
        &mut self,
        shape: &mut Shape,
        bare: &str,
        own: i32,
        state: LineState,
        behind: bool,
        split: bool,
    ) {
        let depth = state.depth;
        if behind {
            self.shallowest = self.shallowest.min(depth);
        }
        self.close_to(depth, state.opener, behind);
        let opener = state.opener.filter(|&at| at < self.seam);
        let words = state.inside == Inside::Words;
        if !words && closes(bare, &self.joined[state.opener.unwrap_or(self.joined.len())..]) {
            if behind && let Some(opener) = opener {
                shape.note(own - indent_at(self.joined, opener), CLOSER);
            }
            return;
        }
        self.levels.resize_with(depth.max(self.levels.len().min(depth)) + 1, Level::default);
        let level = &mut self.levels[depth];
        level.opener = state.opener;
        level.words = words;
        if !behind {
            level.before.push(own);
        } else if depth <= self.shallowest && (opener.is_some() || depth == 0) {
            if split {
                note_split(shape, level, own);
            }
            level.behind.push(own);
        }
    }

    // Leaves the levels that ended before this line.
    fn close_to(&mut self, depth: usize, opener: Option<usize>, behind: bool) {
        let ended = |level: &Level| level.opener != opener;
        let stale = self.levels.len() == depth + 1 && self.levels.last().is_some_and(ended);
        let keep = if stale { depth } else { depth + 1 };
        while self.levels.len() > keep {
            if let Some(level) = self.levels.pop().filter(|_| behind) {
                self.done.push(level);
            }
        }
    }

    fn conclude(mut self, shape: &mut Shape) {
        self.done.append(&mut self.levels);
        for level in &self.done {
            let (Some(&least), Some(usual)) = (level.behind.iter().min(), usual(&level.behind))
            else {
                continue;
            };
            let count = level.behind.len();
            let Some(&margin) = level.before.iter().min() else {
                if let Some(opener) = level.opener.filter(|_| !level.words) {
                    shape.note(least - indent_at(self.joined, opener) - self.step, FRESH);
                }
                continue;
            };
            let weight = weight_of(count, level.words);
            if least >= margin {
                shape.note(least - margin, weight);
            } else if usual < margin {
                shape.note(usual - margin, weight / 2.0);
            }
        }
    }
}

// A line whose indentation began before the seam stands like one of its sisters.
fn note_split(shape: &mut Shape, level: &Level, own: i32) {
    let Some(&last) = level.before.last() else { return };
    let known = level.before.contains(&own);
    shape.note(if known { 0 } else { own - last }, SPLIT);
}

// The more lines, the surer; free text is less sure than code.
fn weight_of(count: usize, words: bool) -> f32 {
    match (count, words) {
        (1, false) => 2.0,
        (2, false) => 5.0,
        (3..6, false) => 9.0,
        (_, false) => 12.0,
        (1..3, true) => 1.0,
        (3..6, true) => 3.0,
        (6..12, true) => 6.0,
        (_, true) => 10.0,
    }
}

// The column that most of the lines have.
fn usual(columns: &[i32]) -> Option<i32> {
    let count = |column: &&i32| columns.iter().filter(|other| other == column).count();
    columns.iter().max_by_key(count).copied()
}

// Whether a line starts with what closes the innermost construct.
fn closes(bare: &str, opened: &str) -> bool {
    if bare.starts_with("</") {
        return opened.starts_with('<');
    }
    if bare.starts_with(['}', ']', ')']) {
        return opened.starts_with(['{', '[', '(', '$', '#']);
    }
    let word = bare.split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
    matches!(word, "fi" | "done" | "esac" | "end" | "else" | "elif" | "rescue" | "ensure")
        && opened.starts_with(|sign: char| sign.is_alphabetic())
}
