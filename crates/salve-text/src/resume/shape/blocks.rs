//! Indentation where it is the structure.
//!
//! In: the lines of a joined text with their states. Out: a note in the shape at the first line
//! after the seam that the language would reject. Never looks past it: what follows a wrong line
//! cannot be measured.

use super::super::weights;
use super::{MEASURED, Shape, is_behind, step_of};
use crate::inspect::{Inside, LineState};
use crate::lines::{indent_of, lines, width};

/// Measures the lines after the seam: deeper only after a colon, less deep only where an outer
/// block is.
pub(super) fn measure(joined: &str, seam: usize, states: &[LineState], shape: &mut Shape) {
    let step = step_of(joined);
    let mut blocks = vec![0];
    let mut opens = false;
    let mut continued = false;
    let mut measured = 0;
    // The column of a comment that was cut: the statement it is above is no deeper.
    let mut comment = None;
    for (line, state) in lines(joined).zip(states) {
        let text = line.of(joined);
        let bare = without_comment(text.trim());
        if bare.is_empty() {
            let cut_here = line.start < seam && line.end >= seam && text.starts_with([' ', '#']);
            if cut_here && !opens && !text.trim().is_empty() {
                comment = Some(width(indent_of(text)));
            }
            continue;
        }
        if state.inside == Inside::Words || state.depth > 0 || continued {
            // A line inside brackets or a string may still end the statement it belongs to.
            opens = bare.ends_with(':');
            continued = bare.ends_with('\\');
            continue;
        }
        continued = bare.ends_with('\\');
        let own = width(indent_of(text));
        let mut distance = enter(&mut blocks, own, opens, step);
        if let Some(column) = comment.take().filter(|&column| distance == 0 && own > column) {
            distance = own - column;
        }
        if is_behind(joined, line, seam) {
            measured += 1;
            shape.note(distance, if distance == 0 { weights::ACCEPTED } else { weights::REJECTED });
            if distance != 0 || measured > MEASURED {
                return;
            }
        }
        opens = bare.ends_with(':');
    }
}

// Follows a line into its block; returns how far it is from where it may.
fn enter(blocks: &mut Vec<i32>, own: i32, opens: bool, step: i32) -> i32 {
    let top = blocks.last().copied().unwrap_or(0);
    if own > top {
        blocks.push(own);
        return if opens { 0 } else { own - top };
    }
    while blocks.len() > 1 && blocks.last().is_some_and(|&block| block > own) {
        blocks.pop();
    }
    if opens {
        return own - (top + step);
    }
    own - blocks.last().copied().unwrap_or(0)
}

fn without_comment(line: &str) -> &str {
    if line.starts_with('#') {
        return "";
    }
    line.split(" #").next().unwrap_or(line).trim_end()
}
