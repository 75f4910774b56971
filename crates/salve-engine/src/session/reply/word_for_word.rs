//! Whether a text is in another one, word for word and from its beginning to its end.
//!
//! In: an answer, and a text that is said to be copied from it. Out: whether it is. A part of a file or of a command
//! is not the file or the command, so what is around the copy counts: quotes, a fence, a tag, the end of a line.
//! Never by the words alone where the copy has more than one line.

use serde_json::Value;

/// Tells whether an answer says a text: as it is, or as JSON writes it, with or without the escapes that JSON
/// leaves to the writer.
pub(super) fn is_said_in(original: &str, text: &str) -> bool {
    if text.is_empty() {
        return true;
    }
    let quoted = Value::String(text.to_owned()).to_string();
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    let is_lines = text.contains('\n');
    let plain = original.replace("\\/", "/");
    let escaped = |around: &str| found(around, inner, is_quoted);
    if escaped(original) || escaped(&plain) {
        return true;
    }
    match is_lines {
        true => found(original, text, is_framed),
        false => found(original, text, is_apart),
    }
}

// Whether some place holds it between what the judge accepts.
fn found(original: &str, text: &str, judge: impl Fn(&str, &str) -> bool) -> bool {
    original.match_indices(text).any(|(at, text)| {
        let (before, rest) = original.split_at(at);
        judge(before, rest.get(text.len()..).unwrap_or_default())
    })
}

// A whole string of JSON: a quote in it would have a backslash before it.
fn is_quoted(before: &str, after: &str) -> bool {
    let opens = before.strip_suffix('"').is_some_and(|before| !before.ends_with('\\'));
    opens && after.starts_with('"')
}

// Lines as they are: in quotes that a value is in, in a fence, in a tag, or all there is.
fn is_framed(before: &str, after: &str) -> bool {
    let value = before.trim_end_matches(['"', '\'', '`']);
    let is_value = value.len() < before.len() && value.trim_end().ends_with([':', ',', '[', '=']);
    let line = before.strip_suffix('\n').unwrap_or(before);
    let is_fence = line.len() < before.len() && is_fence_line(line_of_end(line));
    let is_tag = before.ends_with('>') && line_of_end(before).contains('<');
    let opens = before.trim().is_empty() || is_value || is_fence || is_tag;
    let rest = after.strip_prefix('\n').unwrap_or(after);
    let is_closed = match after.strip_prefix(['"', '\'', '`']) {
        Some(rest) => {
            let rest = rest.trim_start_matches(['"', '\'', '`']).trim_start();
            rest.is_empty() || rest.starts_with([',', '}', ']'])
        }
        None => false,
    };
    let closes =
        after.trim().is_empty() || is_closed || is_fence_line(rest) || after.starts_with("</");
    opens && closes
}

fn line_of_end(text: &str) -> &str {
    text.rsplit('\n').next().unwrap_or(text)
}

fn is_fence_line(line: &str) -> bool {
    line.trim_start_matches(' ').starts_with("```")
}

// One line, such as a path or a command: nothing that could belong to it is right beside it.
fn is_apart(before: &str, after: &str) -> bool {
    let edge = |letter: char| "\"'`>:,[]{}()<\n\r\t".contains(letter);
    let first = before.trim_end_matches(' ').chars().next_back();
    let last = after.trim_start_matches(' ').chars().next();
    // A backslash before a quote says that the quote is inside of something longer.
    let inside = before.ends_with("\\\"") || after.starts_with('\\');
    first.is_none_or(edge) && last.is_none_or(edge) && !inside
}

#[cfg(test)]
mod tests {
    use super::is_said_in;

    #[test]
    fn c012_a_copy_is_whole_or_none() {
        let answer = "{\"summary\": \"s\", commands: [\"cargo test --all\", 'ls -l'],\n\
                      \"fileChanges\": [{path: src/a.py, \"content\": \"x = 1\\nsay(\\\"hi\\\")\\n\"}}";
        for (text, said) in [
            ("cargo test --all", true),
            ("cargo test", false),
            ("test --all", false),
            ("ls -l", true),
            ("ls", false),
            ("src/a.py", true),
            ("a.py", false),
            ("x = 1\nsay(\"hi\")\n", true),
            ("x = 1\n", false),
            ("say(\"hi\")\n", false),
            ("x = 1\nsay(\"hi\")", false),
            ("hi", false),
            ("rm -rf /", false),
            ("", true),
        ] {
            assert_eq!(is_said_in(answer, text), said, "{text:?}");
        }
    }

    #[test]
    fn c012_lines_in_a_fence_a_tag_or_quotes_are_copied_whole() {
        let fenced = "Write this:\n```python\na = 1\nb = 2\n```\nand run `make`.";
        let tagged = "<file path=\"a.py\">a = 1\nb = 2\n</file>";
        let quoted = "content: \"\"\"a = 1\nb = 2\n\"\"\", next";
        for answer in [fenced, tagged, quoted] {
            assert!(is_said_in(answer, "a = 1\nb = 2\n"), "{answer}");
            assert!(!is_said_in(answer, "a = 1\nb ="), "{answer}");
        }
        let longer = "```python\na = 1\nb = 2\n\"\"\"doc\"\"\"\nc = 3\n```";
        assert!(!is_said_in(longer, "a = 1\nb = 2\n"), "the rest is missing");
        assert!(!is_said_in(longer, "b = 2\n\"\"\"doc\"\"\"\nc = 3\n"), "the beginning is missing");
        assert!(is_said_in(longer, "a = 1\nb = 2\n\"\"\"doc\"\"\"\nc = 3\n"));
    }
}
