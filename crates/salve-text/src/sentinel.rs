//! The completion sentinel: a last line by which a model says that it is done.
//!
//! In: a language and a marker text. Out: the marker as a comment of that language, and whether a
//! text ends with it. Never asks for a sentinel where the language has no comments (JSON): there
//! the end of the root value is the proof.

use crate::markdown::{Fence, Lead};
use salve_types::{Language, Span};

/// The marker text of the default sentinel, without comment signs.
pub const DEFAULT_MARK: &str = "--- VIBECODER_COMPLETE ---";

/// Returns the sentinel line of `language` for a marker text, or nothing where none fits.
pub fn sentinel_line(language: Language, mark: &str) -> Option<String> {
    let (open, close) = comment_signs(language)?;
    Some(if close.is_empty() { format!("{open} {mark}") } else { format!("{open} {mark} {close}") })
}

/// Returns the span of the sentinel when it is the last thing in `text`.
///
/// Blank lines and closing fences may follow it. The comment signs are not compared: a model that
/// writes `# --- DONE ---` where `//` was asked for has still finished. A marker that is quoted
/// earlier does not count.
pub(crate) fn ending_sentinel(text: &str, mark: &str) -> Option<Span> {
    let mark = bare(mark);
    if mark.is_empty() {
        return None;
    }
    let mut end = text.len();
    loop {
        let start = text[..end].rfind('\n').map_or(0, |at| at + 1);
        let line = text[start..end].trim();
        if bare(line) == mark {
            return Some(Span::new(start, end));
        }
        let passes =
            line.is_empty() || Fence::read(line, Lead::Blanks).is_some_and(|fence| fence.is_bare());
        if !passes || start == 0 {
            return None;
        }
        end = start - 1;
    }
}

// The marker without the comment signs around it; a caller may give the text with or without them.
fn bare(line: &str) -> &str {
    let line = line.trim();
    let line = ["<!--", "//", "/*", "--!", "#", ";", "%"]
        .iter()
        .find_map(|sign| line.strip_prefix(sign))
        .or_else(|| line.strip_prefix("-- "))
        .unwrap_or(line);
    line.trim_end().trim_end_matches("-->").trim_end_matches("*/").trim()
}

const fn comment_signs(language: Language) -> Option<(&'static str, &'static str)> {
    use Language as L;
    match language {
        L::Python | L::Ruby | L::Bash | L::Yaml | L::Toml => Some(("#", "")),
        L::Sql => Some(("--", "")),
        L::Html | L::Markdown => Some(("<!--", "-->")),
        L::Css => Some(("/*", "*/")),
        L::Json => None,
        _ => Some(("//", "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t40_sentinel_suits_the_language() {
        let line = |language| sentinel_line(language, DEFAULT_MARK);
        assert_eq!(line(Language::Python).as_deref(), Some("# --- VIBECODER_COMPLETE ---"));
        assert_eq!(line(Language::Html).as_deref(), Some("<!-- --- VIBECODER_COMPLETE --- -->"));
        assert_eq!(line(Language::Css).as_deref(), Some("/* --- VIBECODER_COMPLETE --- */"));
        assert_eq!(line(Language::Sql).as_deref(), Some("-- --- VIBECODER_COMPLETE ---"));
        assert_eq!(line(Language::Rust).as_deref(), Some("// --- VIBECODER_COMPLETE ---"));
        assert_eq!(line(Language::Json), None);
    }

    #[test]
    fn t03_sentinel_counts_only_at_the_end() {
        let mark = "// --- VIBECODER_COMPLETE ---";
        assert!(ending_sentinel("let x = 1;\n// --- VIBECODER_COMPLETE ---\n\n", mark).is_some());
        assert!(ending_sentinel("x\n// --- VIBECODER_COMPLETE ---\n```\n", mark).is_some());
        assert!(ending_sentinel("x\n-- --- VIBECODER_COMPLETE ---", DEFAULT_MARK).is_some());
        assert!(
            ending_sentinel("say \"// --- VIBECODER_COMPLETE ---\" at\nlet x = (", mark).is_none()
        );
        assert!(ending_sentinel("", mark).is_none());
    }
}
