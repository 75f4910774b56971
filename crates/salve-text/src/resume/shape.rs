//! What the structure of a joined text says about the join.
//!
//! In: the joined text and where the seam is. Out: whether brackets fit, whether everything is
//! closed in the end, and whether the lines behind the seam stand where lines before it stood.
//! Never judges the text before the seam: it is the measure.

use super::lines::{indent_of, lines, width};
use super::outline::{Inside, LineState, outline};
use salve_types::Language;

/// The structural evidence about a join.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Shape {
    /// Whether nothing is open at the end.
    pub(crate) closed: bool,
    /// Whether a closer behind the seam has no opener.
    pub(crate) crossed: bool,
    /// Places where the indentation behind the seam agrees with the text before it.
    agreed: f32,
    /// Places where it does not, with the distance in columns and a weight.
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
        measure_blocks(joined, seam, &outline.lines, &mut shape);
    } else {
        measure_brackets(joined, seam, &outline.lines, &mut shape);
    }
    shape
}

impl Shape {
    /// Returns the evidence in bits.
    pub(crate) fn bits(&self) -> f32 {
        let against: f32 = self.disagreed.iter().map(|(_, weight)| weight).sum();
        let closed = if self.closed { 8.0 } else { 0.0 };
        let crossed = if self.crossed { -14.0 } else { 0.0 };
        closed + crossed + self.agreed.min(4.0) - against.min(16.0)
    }

    /// Returns the one distance that would explain the lines that stand wrong, if there is one.
    pub(crate) fn suggested_shift(&self) -> Option<i32> {
        let (first, _) = *self.disagreed.first()?;
        let total: f32 = self.disagreed.iter().map(|(_, weight)| weight).sum();
        let same: f32 =
            self.disagreed.iter().filter(|(by, _)| *by == first).map(|(_, weight)| weight).sum();
        (first != 0 && same * 3.0 >= total * 2.0).then_some(first)
    }
}

// Brackets: a line that starts with a closer stands where the line of its opener stands, and a
// statement stands where its sisters in the same bracket do.
fn measure_brackets(joined: &str, seam: usize, states: &[LineState], shape: &mut Shape) {
    let mut sisters: Vec<Vec<i32>> = Vec::new();
    let mut shallowest = usize::MAX;
    let mut measured = 0;
    let mut ended = true;
    for (line, state) in lines(joined).zip(states) {
        let text = line.of(joined);
        let bare = text.trim();
        if bare.is_empty() || state.inside != Inside::Code {
            continue;
        }
        let behind =
            line.start >= seam || (line.end > seam && joined[line.start..seam].trim().is_empty());
        let depth = state.depth;
        let own = width(indent_of(text));
        if behind {
            shallowest = shallowest.min(depth);
            measured += 1;
            if measured > MEASURED {
                break;
            }
        }
        sisters.truncate(depth + 1);
        if bare.starts_with(['}', ']', ')']) {
            if behind && state.opener < seam && depth > 0 {
                let opener = line_indent_at(joined, state.opener);
                note(shape, own - opener, 6.0);
            }
        } else if ended {
            if sisters.len() <= depth {
                sisters.resize(depth + 1, Vec::new());
            }
            let known = &mut sisters[depth];
            if !behind {
                known.push(own);
            } else if depth <= shallowest && state.opener < seam.max(1) {
                compare_sisters(shape, known, own);
            }
        }
        ended = bare.ends_with([';', '{', '}', ',']) || bare.starts_with("//");
    }
}

fn compare_sisters(shape: &mut Shape, known: &[i32], own: i32) {
    let Some(&last) = known.last() else { return };
    if known.contains(&own) {
        note(shape, 0, 0.5);
    } else {
        note(shape, own - last, 2.0);
    }
}

fn note(shape: &mut Shape, distance: i32, weight: f32) {
    if distance == 0 {
        shape.agreed += weight / 4.0;
    } else {
        shape.disagreed.push((distance, weight));
    }
}

// Blocks of indentation: a line may be deeper only after a colon, and less deep only where an
// outer block stands.
fn measure_blocks(joined: &str, seam: usize, states: &[LineState], shape: &mut Shape) {
    let mut blocks = vec![0];
    let mut opens = false;
    let mut measured = 0;
    for (line, state) in lines(joined).zip(states) {
        let text = line.of(joined);
        let bare = text.trim();
        let code = state.inside == Inside::Code && state.depth == 0;
        if bare.is_empty() || bare.starts_with('#') || !code {
            // A line inside brackets or a string may still end the statement it belongs to.
            if !bare.is_empty() && !bare.starts_with('#') {
                opens = bare.ends_with(':');
            }
            continue;
        }
        let behind =
            line.start >= seam || (line.end > seam && joined[line.start..seam].trim().is_empty());
        if behind {
            measured += 1;
            if measured > MEASURED {
                break;
            }
        }
        let own = width(indent_of(text));
        let top = blocks.last().copied().unwrap_or(0);
        let mut distance = 0;
        if own > top {
            if !opens {
                distance = own - top;
            }
            blocks.push(own);
        } else {
            if opens {
                distance = own - (top + 4);
            }
            while blocks.len() > 1 && blocks.last().is_some_and(|&block| block > own) {
                blocks.pop();
            }
            let outer = blocks.last().copied().unwrap_or(0);
            if outer != own && distance == 0 {
                distance = own - outer;
            }
        }
        if behind {
            note(shape, distance, if distance == 0 { 0.5 } else { 6.0 });
        }
        opens = without_comment(bare).ends_with(':');
    }
}

fn without_comment(line: &str) -> &str {
    line.split(" #").next().unwrap_or(line).trim_end()
}

fn line_indent_at(text: &str, offset: usize) -> i32 {
    let start =
        text.as_bytes()[..offset].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    width(indent_of(&text[start..]))
}
