//! Comments that may stand for code, in a text that is known to leave code out.
//!
//! In: a line. Out: what it stands for. Any comment sign will do, and the words need only an
//! ellipsis and one word of a few: the old file decides what a doubtful one means. Never takes a line
//! of code.

use super::OmissionKind;

// What opens a comment, longest first where one begins another.
const OPENERS: &[&str] =
    &["{/*", "<!--", "//", "/*", "(*", "--", "#", ";", "%", "\"\"\"", "'", "*", "rem "];
// What closes a comment.
const CLOSERS: &[&str] = &["*/}", "-->", "*/", "*)", "\"\"\""];
// Words of which a comment about kept code has one.
#[rustfmt::skip]
const KEPT: &[&str] = &[
    "existing", "rest of", "remaining", "unchanged", "previous", "same as", "remains", "other",
    "keep", "omitted", "original", "as before", "no changes", "not changed", "here",
];
// Words of which a comment about any code has one.
#[rustfmt::skip]
const THINGS: &[&str] = &[
    "code", "file", "function", "method", "class", "import", "implementation", "content", "logic",
    "propert", "field", "member", "rest", "line", "config", "depend", "unchanged", "existing",
    "section", "test", "route", "component", "style", "setup", "body", "definition", "statement",
];
// A longer line says more than that something was left out.
const LONGEST_LINE: usize = 200;

/// Returns what a line stands for, if it may.
pub(super) fn kind_of(line: &str) -> Option<OmissionKind> {
    let line = line.trim();
    if line.len() > LONGEST_LINE {
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
        return Some(OmissionKind::Removed);
    }
    if !dots {
        return None;
    }
    let only_dots = inner.chars().all(|c| matches!(c, '.' | '…' | ' '));
    let framed = inner.starts_with("...") || inner.starts_with('…') || inner.starts_with('[');
    let says_kept = has(KEPT) && has(THINGS);
    let keeps = if bare {
        // A bare `...` is code in Python; only a comment of dots is an omission.
        framed && says_kept && !only_dots
    } else {
        only_dots || says_kept || (framed && has(THINGS))
    };
    keeps.then_some(OmissionKind::MaybeKept)
}

/// Removes the lines that only say that lines were removed there.
///
/// `// Plandex: removed code` is that tool's own mark and no comment for people, so the file is right
/// without it.
pub(crate) fn without_removal_marks(content: String) -> String {
    const MARK: &str = "Plandex: removed code";
    if !content.contains(MARK) {
        return content;
    }
    let is_mark = |line: &&str| {
        let words = line.trim().trim_start_matches(|c: char| c.is_ascii_punctuation() || c == ' ');
        words.starts_with(MARK)
    };
    content.split_inclusive('\n').filter(|line| !is_mark(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_that_stand_for_code_are_told_from_comments_and_code() {
        use OmissionKind::{MaybeKept as Keep, Removed as Remove};
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
            assert_eq!(kind_of(line), expected, "{line:?}");
        }
    }
}
