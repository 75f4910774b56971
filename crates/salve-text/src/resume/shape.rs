//! What the structure of a joined text says about the join.
//!
//! In: the joined text and where the seam is. Out: whether brackets fit, whether everything is
//! closed in the end, and whether the lines after the seam are where lines before it stood.
//! Never judges the text before the seam: it is the measure.

mod blocks;
mod brackets;

use super::weights;
use crate::inspect::{Inside, outline};
use crate::lines::{indent_of, lines, width};
use salve_types::Language;

/// The structural evidence about a join.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Shape {
    /// Whether nothing is open at the end.
    pub(crate) closed: bool,
    /// Whether a closer after the seam has no opener.
    pub(crate) crossed: bool,
    // Weight of the places where the indentation after the seam agrees with the text before it.
    agreed: f32,
    // Places where it does not, with the distance in columns and a weight.
    disagreed: Vec<(i32, f32)>,
}

// How many lines after the seam are measured.
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
        if shape.closed {
            note_margin(joined, seam, &mut shape);
        }
    }
    shape
}

impl Shape {
    /// Returns the evidence in bits.
    pub(crate) fn bits(&self) -> f32 {
        let against: f32 = self.disagreed.iter().map(|(_, weight)| weight).sum();
        let closed = if self.closed { weights::CLOSED } else { 0.0 };
        let crossed = if self.crossed { weights::CROSSED } else { 0.0 };
        let agreed = (self.agreed * weights::SHARE_OF_AGREEMENT).min(weights::MOST_AGREEMENT);
        closed + crossed + agreed - against.min(weights::MOST_DISAGREEMENT)
    }

    /// Returns the distances that would explain the lines that are wrong, at most two.
    ///
    /// A continuation that was moved was moved as a whole, so lines that are right speak against.
    pub(crate) fn suggested_shifts(&self) -> Vec<i32> {
        let total: f32 = self.disagreed.iter().map(|(_, weight)| weight).sum();
        if total <= self.agreed * weights::SUGGESTS_MOVE {
            return Vec::new();
        }
        let weight_of = |distance: i32| -> f32 {
            self.disagreed.iter().filter(|(by, _)| *by == distance).map(|(_, weight)| weight).sum()
        };
        let mut distances: Vec<i32> = self.disagreed.iter().map(|(by, _)| *by).collect();
        distances.sort_unstable();
        distances.dedup();
        distances.sort_by(|one, other| weight_of(*other).total_cmp(&weight_of(*one)));
        distances.truncate(2);
        distances
    }

    fn note(&mut self, distance: i32, weight: f32) {
        if distance == 0 {
            self.agreed += weight;
        } else {
            self.disagreed.push((distance, weight));
        }
    }
}

// A text that is complete comes back to the margin it started from.
fn note_margin(joined: &str, seam: usize, shape: &mut Shape) {
    let indents = |text: &str, skip: usize| -> Vec<i32> {
        let full = lines(text).skip(skip).map(|line| line.of(text));
        full.filter(|line| !line.trim().is_empty()).map(|line| width(indent_of(line))).collect()
    };
    let half = usize::from(!joined[..seam].ends_with('\n'));
    let (before, behind) = (indents(&joined[..seam], 0), indents(&joined[seam..], half));
    let (Some(margin), Some(least)) = (before.iter().min(), behind.iter().min()) else { return };
    if behind.len() > 2 && least > margin {
        shape.note(least - margin, weights::BACK_AT_MARGIN);
    }
}

// Whether a line starts after the seam, or before it with nothing but indentation.
fn is_behind(joined: &str, line: crate::lines::Line, seam: usize) -> bool {
    line.start >= seam || (line.end > seam && joined[line.start..seam].trim().is_empty())
}

// The indentation of the line that holds a byte.
fn indent_at(text: &str, offset: usize) -> i32 {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    width(indent_of(&text[start..]))
}

// The step by which a text goes deeper most often; moving lines together does not change it.
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
