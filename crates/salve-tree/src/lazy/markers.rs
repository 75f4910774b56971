//! Comments that stand for code: kept code or removed code.
//!
//! In: a lazy text. Out: its lines that are such comments. Never: a line of code, a comment that
//! says something else.

use crate::SyntaxProbe;
use std::collections::HashSet;

/// What a comment stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkerKind {
    /// Code of the old file that stays.
    Keep,
    /// Code of the old file that goes.
    Remove,
}

/// A line that stands for code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    /// Its index, from 0.
    pub(super) line: usize,
    pub(super) kind: MarkerKind,
}

/// What opens a comment, longest first where one begins another.
const OPENERS: &[&str] =
    &["{/*", "<!--", "//", "/*", "(*", "--", "#", ";", "%", "\"\"\"", "'", "*", "rem "];
/// What closes a comment.
const CLOSERS: &[&str] = &["*/}", "-->", "*/", "*)", "\"\"\""];
/// Words of which a comment about kept code has one.
const KEPT: &[&str] = &[
    "existing",
    "rest of",
    "remaining",
    "unchanged",
    "previous",
    "same as",
    "remains",
    "other",
    "keep",
    "omitted",
    "original",
    "as before",
    "no changes",
    "not changed",
    "here",
];
/// Words of which a comment about any code has one.
const THINGS: &[&str] = &[
    "code",
    "file",
    "function",
    "method",
    "class",
    "import",
    "implementation",
    "content",
    "logic",
    "propert",
    "field",
    "member",
    "rest",
    "line",
    "config",
    "depend",
    "unchanged",
    "existing",
    "section",
    "test",
    "route",
    "component",
    "style",
    "setup",
    "body",
    "definition",
    "statement",
];

/// Finds the lines of a lazy text that stand for code. A line that the old file has too is text.
pub(super) fn find(path: &str, old: &str, lazy: &str, probe: &dyn SyntaxProbe) -> Vec<Marker> {
    let by_probe: HashSet<usize> = probe.omissions(path, lazy).into_iter().collect();
    let present: HashSet<&str> = old.lines().map(str::trim).collect();
    let kind_of = |index: usize, line: &str| {
        let own = marker_kind(line);
        own.or_else(|| by_probe.contains(&(index + 1)).then_some(MarkerKind::Keep))
            .filter(|_| !present.contains(line.trim()))
    };
    (0..)
        .zip(lazy.lines())
        .filter_map(|(line, text)| Some(Marker { line, kind: kind_of(line, text)? }))
        .collect()
}

fn marker_kind(line: &str) -> Option<MarkerKind> {
    let line = line.trim();
    if line.len() > 200 {
        return None;
    }
    let comment = OPENERS.iter().find_map(|opener| line.strip_prefix(opener));
    let bare = comment.is_none();
    let mut inner = comment.unwrap_or(line).trim();
    for closer in CLOSERS {
        inner = inner.strip_suffix(closer).unwrap_or(inner).trim();
    }
    let inner = inner.trim_start_matches(['/', '#', '*', '-', ' ']).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| inner.contains(word));
    let dots = inner.contains("...") || inner.contains('…');
    if !bare && inner.contains("removed") && has(THINGS) && inner.split_whitespace().count() <= 6 {
        return Some(MarkerKind::Remove);
    }
    let only_dots = !inner.is_empty() && inner.chars().all(|c| matches!(c, '.' | '…' | ' '));
    if only_dots {
        // A bare `...` is code in Python; only a comment of dots is an omission.
        return (!bare && dots).then_some(MarkerKind::Keep);
    }
    let framed = inner.starts_with("...") || inner.starts_with('…') || inner.starts_with('[');
    let says_kept = has(KEPT) && has(THINGS);
    let keeps = if bare {
        framed && dots && says_kept
    } else {
        dots && (says_kept || (framed && has(THINGS)))
    };
    keeps.then_some(MarkerKind::Keep)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_that_stand_for_code_are_told_from_comments_and_code() {
        use MarkerKind::{Keep, Remove};
        for (line, expected) in [
            ("    // ... existing code ...", Some(Keep)),
            ("# ... rest of the file ...", Some(Keep)),
            ("/* … existing code … */", Some(Keep)),
            ("<!-- ... existing content ... -->", Some(Keep)),
            ("{/* ... other components ... */}", Some(Keep)),
            ("// ...", Some(Keep)),
            ("// ... existing imports", Some(Keep)),
            ("-- ... remaining code unchanged ...", Some(Keep)),
            ("... existing code ...", Some(Keep)),
            ("// rest of the code remains unchanged...", Some(Keep)),
            ("// Plandex: removed code", Some(Remove)),
            ("// ... removed code ...", Some(Remove)),
            ("...", None),
            ("    ...", None),
            ("// the rest of the buffer is zeroed", None),
            ("// see existing code", None),
            ("let all = [first, ...rest];", None),
            ("# removed from the list when the code of the caller returns to its place", None),
            ("", None),
        ] {
            assert_eq!(marker_kind(line), expected, "{line:?}");
        }
    }
}
