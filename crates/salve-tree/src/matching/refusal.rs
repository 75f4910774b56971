//! Refusals that a model can act on: why, where it could have been meant, what is there.
//!
//! In: a file and places. Out: a refusal with at most a handful of candidates and the count of all
//! of them. Never: a whole file in a message.

use super::{HunkRefusal, HunkRefusalReason, MatchCandidate};
use crate::FileText;
use std::ops::Range;

/// How many candidates are shown.
const SHOWN: usize = 8;
/// How many lines of a candidate are shown.
const SHOWN_LINES: usize = 12;
/// How much of a line is shown.
const SHOWN_CHARS: usize = 200;

/// Several places fit and nothing decides.
pub(crate) fn ambiguous(text: &FileText, places: &[Range<usize>], why: &str) -> HunkRefusal {
    let fit = match places.len() {
        1 => "its place could be line".to_owned(),
        count => format!("{count} places fit equally well: lines"),
    };
    let shown = listed(places);
    let message =
        format!("{why}; {fit} {shown}; add lines around the right one until only it fits");
    let candidates = places.iter().take(SHOWN).map(|lines| candidate(text, lines, 1.0)).collect();
    HunkRefusal { reason: HunkRefusalReason::Ambiguous, message, candidates, total: places.len() }
}

/// One place fits, and another, less alike, may be the one that was meant.
pub(crate) fn doubtful(
    text: &FileText,
    place: &Range<usize>,
    (rival, alike): &(Range<usize>, f64),
    why: &str,
) -> HunkRefusal {
    let message = format!(
        "{why}; it fits line {}, and line {} is {:.0} % alike; add lines around the right one until \
         only it fits",
        place.start + 1,
        rival.start + 1,
        (100.0 * alike).floor(),
    );
    let candidates = vec![candidate(text, place, 1.0), candidate(text, rival, *alike)];
    HunkRefusal { reason: HunkRefusalReason::Ambiguous, message, candidates, total: 2 }
}

fn listed(places: &[Range<usize>]) -> String {
    let lines: Vec<_> =
        places.iter().take(SHOWN).map(|lines| (lines.start + 1).to_string()).collect();
    let more = if places.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", lines.join(", "))
}

/// A refusal with places that are shown as they are in the file.
pub(crate) fn refusal(
    text: &FileText,
    reason: HunkRefusalReason,
    message: String,
    places: &[(Range<usize>, f64)],
) -> HunkRefusal {
    let shown = places.iter().take(SHOWN);
    let candidates = shown.map(|(lines, score)| candidate(text, lines, *score)).collect();
    HunkRefusal { reason, message, candidates, total: places.len() }
}

fn candidate(text: &FileText, lines: &Range<usize>, score: f64) -> MatchCandidate {
    let mut shown: Vec<String> = lines
        .clone()
        .take(SHOWN_LINES)
        .map(|line| text.line(line).chars().take(SHOWN_CHARS).collect())
        .collect();
    if lines.len() > SHOWN_LINES {
        shown.push(format!("… {} more lines", lines.len() - SHOWN_LINES));
    }
    MatchCandidate {
        first_line: lines.start + 1,
        last_line: lines.end.max(lines.start),
        score,
        text: shown.join("\n"),
    }
}
