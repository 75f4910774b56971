//! Whether a lazy text may mean no change at all.
//!
//! In: the old text, the lazy one and its markers. Out: whether the old text, left as it is, is one
//! reading of the lazy one. Never looks at indentation or syntax: lines are equal or they are not.

use super::markers::{Marker, MarkerKind};
use memchr::memmem;

/// Tells whether the lines between the markers stand in the old text, in order, from its first line
/// to its last where no marker is before or after them.
pub(super) fn may_be_unchanged(old: &str, lazy: &str, markers: &[Marker]) -> bool {
    if markers.iter().any(|marker| marker.kind != MarkerKind::Keep) {
        return false;
    }
    let whole = framed(&old.lines().collect::<Vec<_>>());
    let lines: Vec<&str> = lazy.lines().collect();
    let is_marker = |at: usize| markers.binary_search_by_key(&at, |marker| marker.line).is_ok();
    let mut runs: Vec<Vec<&str>> = vec![Vec::new()];
    for (at, line) in lines.into_iter().enumerate() {
        match runs.last_mut() {
            Some(run) if !is_marker(at) => run.push(line),
            _ => runs.push(Vec::new()),
        }
    }
    let last = runs.len() - 1;
    let mut from = 0;
    for (index, run) in runs.iter().enumerate().filter(|(_, run)| !run.is_empty()) {
        let run = framed(run);
        let rest = &whole.as_bytes()[from..];
        let found = match index {
            0 => rest.starts_with(run.as_bytes()).then_some(0),
            _ if index == last => rest.ends_with(run.as_bytes()).then(|| rest.len() - run.len()),
            _ => memmem::find(rest, run.as_bytes()),
        };
        let Some(at) = found else { return false };
        // Two runs may share the line break between them.
        from += at + run.len() - 1;
    }
    true
}

// With a line break on both sides, equal bytes are equal lines.
fn framed(lines: &[&str]) -> String {
    format!("\n{}\n", lines.join("\n"))
}
