//! Blocks that seek what an earlier block of the same reply puts in.
//!
//! In: hunks placed in the base and those that were not found there. Out: the latter placed in the
//! result of the hunks before them, and said so. Never: for diffs, whose hunks all speak of the
//! base; nor a block that needs a later one.

use super::resolve::resolve;
use super::{HunkOutcome, HunkRefusalReason, MatchOptions};
use crate::FileText;
use crate::splice::{self, Wanted};
use salve_types::{Hunk, HunkBody};

/// How many blocks are sought again; a reply with more of them was written against another file.
const MOST: usize = 16;

/// Places the blocks that the base does not have and returns the text with them.
pub(crate) fn place(
    base: &FileText,
    hunks: &[Hunk],
    options: &MatchOptions,
    wanted: &[Wanted],
    outcomes: &mut [HunkOutcome],
    result: String,
) -> String {
    let late: Vec<usize> =
        (0..hunks.len()).filter(|&at| is_late(&hunks[at], &outcomes[at])).collect();
    if late.is_empty() || late.len() > MOST || wanted.is_empty() {
        return result;
    }
    let mut result = result;
    let mut placed: Vec<usize> = Vec::new();
    for at in late {
        let earlier: Vec<_> = wanted.iter().filter(|wanted| wanted.hunk < at).cloned().collect();
        let mut so_far = splice::splice(base, &earlier);
        for &dependent in &placed {
            so_far = step(&so_far, &hunks[dependent], options).map_or(so_far, |(text, _)| text);
        }
        // It must stand in what the hunks before it make, and still stand in what all of them make.
        let Some((_, outcome)) = step(&so_far, &hunks[at], options) else { continue };
        let Some((text, _)) = step(&result, &hunks[at], options) else { continue };
        result = text;
        outcomes[at] = outcome;
        placed.push(at);
    }
    result
}

fn is_late(hunk: &Hunk, outcome: &HunkOutcome) -> bool {
    let block = matches!(hunk.body, HunkBody::Block { .. } | HunkBody::Text { .. });
    let missing = matches!(outcome, HunkOutcome::Refused(refusal) if refusal.reason == HunkRefusalReason::NotFound);
    block && missing
}

fn step(text: &str, hunk: &Hunk, options: &MatchOptions) -> Option<(String, HunkOutcome)> {
    let text = FileText::plain(text.to_owned());
    let matched = resolve(&text, std::slice::from_ref(hunk), options);
    match (matched.text, matched.outcomes.into_iter().next()?) {
        (Some(text), HunkOutcome::Placed { rung, first_line, last_line, score, .. }) => {
            let in_result = true;
            Some((text, HunkOutcome::Placed { rung, first_line, last_line, score, in_result }))
        }
        _ => None,
    }
}
