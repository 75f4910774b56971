//! `path:line:column: text`, the form that most tools share.
//!
//! In: a line. Out: the path, the place and the text after it. Never takes a time or an address for a
//! place: what is before the first number must look like a path.

/// A line that begins with a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Located<'a> {
    pub(crate) path: &'a str,
    pub(crate) line: u32,
    pub(crate) column: Option<u32>,
    /// What follows, without the blank before it.
    pub(crate) text: &'a str,
}

impl<'a> Located<'a> {
    /// Reads a line that begins with a place.
    pub(crate) fn read(line: &'a str) -> Option<Self> {
        let bytes = line.as_bytes();
        for at in memchr::memchr_iter(b':', bytes).take(4) {
            if !bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
                continue;
            }
            let path = line[..at].trim_start();
            if !is_path(path) {
                return None;
            }
            let (number, rest) = leading_number(&line[at + 1..])?;
            let rest = rest.strip_prefix(':')?;
            let (column, rest) = match leading_number(rest)
                .and_then(|(column, rest)| Some((column, rest.strip_prefix(':')?)))
            {
                Some((column, rest)) => (Some(column), rest),
                None => (None, rest),
            };
            let text = rest.strip_prefix(' ').or(rest.is_empty().then_some(rest))?;
            return Some(Self { path, line: number, column, text });
        }
        None
    }

    /// Returns whether the path ends in one of these extensions.
    pub(crate) fn has_extension(&self, extensions: &[&str]) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
    }
}

/// Reads `path:12:3` that ends a text.
pub(crate) fn trailing(text: &str) -> Option<(&str, u32, Option<u32>)> {
    let text = text.trim_end_matches([')', ':']);
    let (before, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    match before.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?))) {
        Some((path, line)) if is_path(path) => Some((path, line, Some(last))),
        _ => is_path(before).then_some((before, last, None)),
    }
}

fn is_path(path: &str) -> bool {
    !path.is_empty()
        && path.len() < 4096
        && path.contains(['.', '/', '\\', '<', '_'])
        && path.contains(|letter: char| letter.is_alphabetic())
        && !path.contains(['"', '\t', '{', '|'])
        && !path.contains("://")
}

fn leading_number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text[..digits].parse().ok()?, &text[digits..]))
}
