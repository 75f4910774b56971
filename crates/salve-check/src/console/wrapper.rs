//! What a log puts before every line: times, process numbers, levels, names of containers.
//!
//! In: one line without colours. Out: the line as the tool wrote it. Never touches the blanks that
//! belong to the tool: after a prefix exactly one blank is taken.

/// Takes the prefix of a logging system off a line.
pub(crate) fn unwrapped(line: &str) -> &str {
    let Some(first) = line.bytes().next() else { return line };
    match first {
        b'0'..=b'9' | b'[' | b'#' | b'(' => after_stamp(line),
        b'A'..=b'Z' => after_journal(line).unwrap_or(line),
        b':' => line.strip_prefix("::error::").unwrap_or(line),
        b'r' => line.strip_prefix("remote: ").unwrap_or(line),
        _ => line,
    }
}

/// Finds the container's name that every line carries: `web-1  | `.
pub(crate) fn container_prefix<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let mut shown = lines.iter().filter(|line| !line.trim().is_empty()).take(3);
    let first = shown.next()?;
    let bar = first.find("| ")?;
    let name = first[..bar].trim_end();
    let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && name.len() < 64
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let prefix = &first[..bar + 2];
    let repeated = shown.all(|line| line.starts_with(prefix.trim_end()));
    // A single line could be someone's table; there the name must be numbered as containers are.
    let numbered =
        name.ends_with(|letter: char| letter.is_ascii_digit()) && name.contains(['-', '_']);
    (is_name && repeated && (lines.len() > 1 || numbered)).then_some(prefix)
}

// A time, then any number of process numbers and levels.
fn after_stamp(line: &str) -> &str {
    for kind in ["##[error]", "[ERROR] ", "[INFO] ", "[WARNING] "] {
        if let Some(rest) = line.strip_prefix(kind) {
            return rest;
        }
    }
    let Some(mut rest) = stamp(line) else { return line };
    for _ in 0..6 {
        let Some(shorter) = bracketed(rest).or_else(|| level(rest)).or_else(|| stream(rest)) else {
            break;
        };
        rest = shorter;
    }
    rest
}

fn stamp(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix('#') {
        // `#12 0.345 text` of an image build.
        let (number, rest) = rest.split_once(' ')?;
        let (seconds, rest) = rest.split_once(' ')?;
        return (all(number, |byte| byte.is_ascii_digit())
            && all(seconds, |byte| byte.is_ascii_digit() || byte == b'.'))
        .then_some(rest);
    }
    if line.starts_with('[') || line.starts_with('(') {
        return bracketed(line);
    }
    let (date, rest) = split_stamp(line)?;
    let is_date =
        date.len() >= 10 && date.as_bytes().get(4).is_some_and(|byte| matches!(byte, b'-' | b'/'));
    let is_clock = date.len() >= 8 && date.as_bytes().get(2) == Some(&b':');
    if is_date && !date.contains(':') {
        // `2026-03-16 04:33:57,740 text`.
        let (clock, rest) = split_stamp(rest)?;
        return clock.contains(':').then_some(rest);
    }
    (is_date || is_clock).then_some(rest)
}

fn split_stamp(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().take(40).position(|byte| byte == b' ' || byte == b'\t')?;
    let (stamp, rest) = text.split_at(end);
    let inside = |byte: u8| byte.is_ascii_digit() || b"-/:.,TZ+".contains(&byte);
    all(stamp, inside).then(|| (stamp, rest.get(1..).unwrap_or_default()))
}

// `[2026-03-16T04:33:57Z] `, `[pid 123] `, `[123] `, `[INFO] `, `(123) `, `[main] ` after a time.
fn bracketed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix(['[', '('])?;
    let end = inner.bytes().take(48).position(|byte| byte == b']' || byte == b')')?;
    let content = &inner[..end];
    let rest = inner.get(end + 1..)?;
    let known = content.bytes().filter(u8::is_ascii_digit).count() * 2 >= content.len().max(1)
        || content.starts_with("pid")
        || is_level(content.trim());
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let rest = rest.strip_prefix(' ').or(rest.is_empty().then_some(rest))?;
    known.then_some(rest)
}

fn level(text: &str) -> Option<&str> {
    let word = text.bytes().take(9).take_while(u8::is_ascii_uppercase).count();
    let rest = text.get(word..)?;
    (is_level(&text[..word]) && !rest.starts_with(": AddressSanitizer"))
        .then(|| rest.strip_prefix(": ").or_else(|| rest.strip_prefix(' ')))
        .flatten()
}

fn is_level(word: &str) -> bool {
    matches!(
        word,
        "TRACE" | "DEBUG" | "INFO" | "WARN" | "WARNING" | "ERROR" | "FATAL" | "NOTICE" | "CRITICAL"
    )
}

// The container runtime's word for the stream, and whether the line is whole.
fn stream(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("stdout ").or_else(|| text.strip_prefix("stderr "))?;
    rest.strip_prefix("F ").or_else(|| rest.strip_prefix("P "))
}

// `Nov 16 03:31:02 host process[123]: text`.
fn after_journal(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    if bytes.get(3) != Some(&b' ') || bytes.get(9) != Some(&b':') || bytes.get(12) != Some(&b':') {
        return None;
    }
    let (_host, rest) = line.get(16..)?.split_once(' ')?;
    let end = rest.bytes().take(80).position(|byte| byte == b':')?;
    rest[end..].strip_prefix(": ")
}

fn all(text: &str, accept: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(accept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_logs_are_taken_off() {
        let cases = [
            ("[2026-03-16T04:33:57.740Z] [pid 68823] x", "x"),
            ("2026-03-16T04:33:57.7401234Z   indented", "  indented"),
            ("2026-03-16 04:33:57,740 [123] INFO   File \"x\"", "  File \"x\""),
            ("2026-03-16T04:33:57Z stderr F error: x", "error: x"),
            ("12:33:44 ERROR x", "x"),
            ("#12 0.345 a.c:1:1: error: x", "a.c:1:1: error: x"),
            ("Nov 16 03:31:02 host app[77]: TypeError: x", "TypeError: x"),
            ("[ERROR] /a/B.java:[1,2] x", "/a/B.java:[1,2] x"),
            ("12 | let x = 1;", "12 | let x = 1;"),
            ("[x for x in y]", "[x for x in y]"),
            ("==12==ERROR: x", "==12==ERROR: x"),
            ("", ""),
        ];
        for (line, expected) in cases {
            assert_eq!(unwrapped(line), expected, "{line}");
        }
    }

    #[test]
    fn a_container_is_known_by_the_name_on_every_line() {
        assert_eq!(container_prefix(&["web-1  | a", "web-1  | b"]), Some("web-1  | "));
        assert_eq!(container_prefix(&["12 | a", "13 | b"]), None);
        assert_eq!(container_prefix(&["a | b", "c"]), None);
    }
}
