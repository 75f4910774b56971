//! What the structure of a joined text says about the join.
//!
//! In: the joined text and where the seam is. Out: whether brackets fit, whether everything is
//! closed in the end, and whether the lines behind the seam stand where lines before it stood.
//! Never judges the text before the seam: it is the measure.

mod blocks;
mod brackets;

use super::lines::{indent_of, lines, width};
use crate::inspect::{Inside, outline};
use salve_types::Language;

/// The structural evidence about a join.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Shape {
    /// Whether nothing is open at the end.
    pub(crate) closed: bool,
    /// Whether a closer behind the seam has no opener.
    pub(crate) crossed: bool,
    // Weight of the places where the indentation behind the seam agrees with the text before it.
    agreed: f32,
    // Places where it does not, with the distance in columns and a weight.
    disagreed: Vec<(i32, f32)>,
}

// How many lines behind the seam are measured.
const MEASURED: usize = 200;

/// Measures a joined text.
pub(crate) fn shape_of(joined: &str, seam: usize, language: Language) -> Shape {
    let outline = outline(joined, language);
    let mut shape = Shape {
        closed: outline.end.depth == 0 && outline.end.inside == Inside::Code,
        crossed: outline.crossed.is_some_and(|at| at >= seam),
        ..Shape::default()
    };
    if language == Language::Python {
        blocks::measure(joined, seam, &outline.lines, &mut shape);
    } else {
        brackets::measure(joined, seam, language, &outline.lines, &mut shape);
    }
    shape
}

impl Shape {
    /// Returns the evidence in bits.
    pub(crate) fn bits(&self) -> f32 {
        let against: f32 = self.disagreed.iter().map(|(_, weight)| weight).sum();
        let closed = if self.closed { 8.0 } else { 0.0 };
        let crossed = if self.crossed { -14.0 } else { 0.0 };
        closed + crossed + (self.agreed / 4.0).min(4.0) - against.min(24.0)
    }

    /// Returns the one distance that would explain the lines that stand wrong, if there is one.
    ///
    /// A continuation that was moved was moved as a whole, so lines that stand right speak against.
    pub(crate) fn suggested_shift(&self) -> Option<i32> {
        let (first, _) = *self.disagreed.first()?;
        let total: f32 = self.disagreed.iter().map(|(_, weight)| weight).sum();
        let same: f32 =
            self.disagreed.iter().filter(|(by, _)| *by == first).map(|(_, weight)| weight).sum();
        (first != 0 && same * 3.0 >= total * 2.0 && same > self.agreed * 2.0).then_some(first)
    }

    fn note(&mut self, distance: i32, weight: f32) {
        if distance == 0 {
            self.agreed += weight;
        } else {
            self.disagreed.push((distance, weight));
        }
    }
}

// Whether a line starts behind the seam, or before it with nothing but indentation.
fn is_behind(joined: &str, line: super::lines::Line, seam: usize) -> bool {
    line.start >= seam || (line.end > seam && joined[line.start..seam].trim().is_empty())
}

// The indentation of the line that holds a byte.
fn indent_at(text: &str, offset: usize) -> i32 {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    width(indent_of(&text[start..]))
}

// The step by which the text before the seam goes deeper most often.
fn step_of(text: &str) -> i32 {
    let mut counts = [0usize; 9];
    let mut before = 0;
    for line in lines(text) {
        let line = line.of(text);
        if line.trim().is_empty() {
            continue;
        }
        let own = width(indent_of(line));
        if let Some(count) =
            usize::try_from(own - before).ok().and_then(|step| counts.get_mut(step))
        {
            *count += 1;
        }
        before = own;
    }
    let best = (2..counts.len()).max_by_key(|&step| counts[step]).filter(|&step| counts[step] > 0);
    best.map_or(4, |step| i32::try_from(step).unwrap_or(4))
}
