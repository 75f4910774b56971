//! The end of the cut text as the model gets to see it, and the fence around it.
//!
//! In: a text and a number of characters. Out: its tail, and a fence that nothing in the tail can
//! close. Never splits a character or a grapheme cluster.

use unicode_segmentation::GraphemeCursor;

/// Returns the last `limit` characters of `text`, fewer where that would split a grapheme cluster.
pub fn context_tail(text: &str, limit: usize) -> &str {
    let start = match limit.checked_sub(1) {
        None => text.len(),
        Some(back) => text.char_indices().rev().nth(back).map_or(0, |(at, _)| at),
    };
    &text[next_cluster(text, start).unwrap_or(start)..]
}

/// Returns a fence of backticks longer than any run of them in `content`.
#[must_use]
pub fn fence_around(content: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for byte in content.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat((longest + 1).max(3))
}

// The first cluster boundary at or after `start`; nothing when a single cluster fills the rest, so
// that the caller falls back to whole characters rather than to an empty tail.
fn next_cluster(text: &str, start: usize) -> Option<usize> {
    let mut cursor = GraphemeCursor::new(start, text.len(), true);
    if cursor.is_boundary(text, 0).ok()? {
        return Some(start);
    }
    cursor.next_boundary(text, 0).ok()?.filter(|&at| at < text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t23_tail_is_exactly_the_last_400_characters() {
        let text = "abcdefghij".repeat(1000);
        assert_eq!(context_tail(&text, 400), &text[text.len() - 400..]);
        let wide = "é".repeat(1000);
        assert_eq!(context_tail(&wide, 400).chars().count(), 400);
        assert_eq!(context_tail("short", 400), "short");
        assert_eq!(context_tail("short", 0), "");
        assert_eq!(context_tail("", 400), "");
    }

    #[test]
    fn t23_tail_never_splits_a_grapheme_cluster() {
        let family = "👨‍👩‍👧‍👦";
        for limit in 1..20 {
            let text = format!("ab{family}cd\r\nef");
            let tail = context_tail(&text, limit);
            let head = &text[..text.len() - tail.len()];
            assert!(
                tail.starts_with(family)
                    || !tail.contains('👦')
                    || head.is_empty()
                    || tail.contains(family)
            );
            assert!(!tail.starts_with('\u{200d}') && !tail.starts_with('\n'), "{tail:?}");
            assert!(tail.chars().count() <= limit);
        }
        let pile = format!("a{}", "\u{301}".repeat(900));
        assert_eq!(context_tail(&pile, 400).chars().count(), 400);
    }

    #[test]
    fn t23_fence_is_longer_than_any_inside() {
        assert_eq!(fence_around("let x = 1;"), "```");
        assert_eq!(fence_around("a ``` b"), "````");
        assert_eq!(fence_around("`````md\n```"), "``````");
    }
}
