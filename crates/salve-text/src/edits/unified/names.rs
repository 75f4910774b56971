//! File names in the headers of a diff: quotes, timestamps, prefixes.
//!
//! In: the text after `--- `, `+++ `, `diff --git ` and the extended headers. Out: names, and the
//! one path that is meant. Never: a look at which of two names exists.

/// A name in a header line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name {
    /// `/dev/null`: there is no file on this side.
    Nothing,
    /// A path as written, prefix included.
    Path(String),
}

/// Reads the name after `--- ` or `+++ `. `None` when a quoted name is broken or not UTF-8.
pub(super) fn header_name(rest: &str) -> Option<Name> {
    let rest = rest.trim_start();
    if rest.starts_with('"') {
        return quoted(rest).filter(|(name, _)| !name.is_empty()).map(|(name, _)| name_of(&name));
    }
    // A tab ends the name; GNU diff writes the time after it.
    let name = rest.split('\t').next().unwrap_or_default();
    Some(name_of(without_timestamp(name.trim_end())))
}

/// Reads a name that fills the rest of its line, as in `rename from`.
pub(super) fn plain_name(rest: &str) -> Option<String> {
    let name = if rest.starts_with('"') { quoted(rest)?.0 } else { rest.trim_end().to_owned() };
    (!name.is_empty()).then_some(name)
}

/// Reads the one path of a `diff --git` line whose names are all there is.
///
/// Names are not quoted when they hold spaces, so the line is cut where both halves are the same
/// path below their first component, as git does it. No such place, or several, is no name.
pub(super) fn git_name(rest: &str) -> Option<String> {
    let rest = rest.trim_end();
    if rest.len() > LONGEST_GIT_LINE {
        return None;
    }
    if rest.starts_with('"') {
        let (old, after) = quoted(rest)?;
        return same_path(&old, &plain_name(after.trim_start())?).map(str::to_owned);
    }
    if let Some((old, _)) = rest.split_once(" \"") {
        let (new, _) = quoted(rest.get(old.len() + 1..)?)?;
        return same_path(old, &new).map(str::to_owned);
    }
    let cuts = rest.match_indices([' ', '\t']);
    let mut paths = cuts.filter_map(|(at, _)| same_path(&rest[..at], &rest[at + 1..]));
    let path = paths.next()?;
    paths.next().is_none().then(|| path.to_owned())
}

/// Takes the prefixes from the names of both sides, where they are prefixes.
pub(super) fn without_prefixes(old: &str, new: &str) -> (String, String) {
    for (before, after) in PREFIXES {
        let parts = (below(old, before), below(new, after));
        if let (Some(old), Some(new)) = parts {
            return (old.to_owned(), new.to_owned());
        }
    }
    // Only one side has its prefix, or both have the same: the other one tells.
    for prefix in PREFIXES.iter().flat_map(|(before, after)| [before, after]) {
        if below(old, prefix) == Some(new) {
            return (new.to_owned(), new.to_owned());
        }
        if below(new, prefix) == Some(old) {
            return (old.to_owned(), old.to_owned());
        }
    }
    (old.to_owned(), new.to_owned())
}

/// Takes `a/` or `b/` from the name of the only side that is a file.
pub(super) fn without_prefix(name: &str) -> String {
    below(name, "a").or_else(|| below(name, "b")).unwrap_or(name).to_owned()
}

/// Chooses between two names of one file: the new one where the old one is a backup of it.
pub(super) fn name_of_both(old: String, new: String) -> String {
    let is_backup = [".orig", ".old", ".bak", "~"].iter().any(|end| old == format!("{new}{end}"));
    if is_backup { new } else { old }
}

// First components that stand for "before" and "after": git's own, git's mnemonic ones, and the
// folders that people compare.
const PREFIXES: &[(&str, &str)] = &[
    ("a", "b"),
    ("i", "w"),
    ("c", "i"),
    ("c", "w"),
    ("o", "w"),
    ("1", "2"),
    ("old", "new"),
    ("orig", "new"),
    ("before", "after"),
    ("original", "modified"),
    ("original", "updated"),
    ("original", "new"),
    ("b", "a"),
];

// Two paths of the longest length that systems allow; every blank of it is tried as the cut.
const LONGEST_GIT_LINE: usize = 4096;

fn same_path<'n>(old: &'n str, new: &str) -> Option<&'n str> {
    let path = below_first(old);
    (path == below_first(new) && !path.is_empty()).then_some(path)
}

fn below<'n>(name: &'n str, first: &str) -> Option<&'n str> {
    name.strip_prefix(first)?.strip_prefix('/').filter(|rest| !rest.is_empty())
}

// Git takes one leading component away; a name without any stays.
fn below_first(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, rest)| rest)
}

fn name_of(name: &str) -> Name {
    if name == "/dev/null" { Name::Nothing } else { Name::Path(name.to_owned()) }
}

// Some models put a blank where the tab before the time belongs.
fn without_timestamp(name: &str) -> &str {
    let is_date = |word: &str| {
        let shape: String =
            word.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        shape == "0000-00-00"
    };
    let mut at = 0;
    for word in name.split(' ') {
        if at > 0 && is_date(word) {
            return name[..at].trim_end();
        }
        at += word.len() + 1;
    }
    name
}

// Reads a name in C quotes and returns it with what follows the closing quote.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let bytes = inner.as_bytes();
    let (mut name, mut at) = (Vec::new(), 0);
    loop {
        match *bytes.get(at)? {
            b'"' => break,
            b'\\' => {
                let (byte, length) = escape(bytes.get(at + 1..)?)?;
                name.push(byte);
                at += 1 + length;
            }
            byte => {
                name.push(byte);
                at += 1;
            }
        }
    }
    Some((String::from_utf8(name).ok()?, inner.get(at + 1..)?))
}

// The byte an escape stands for and the length of the escape without its backslash.
fn escape(bytes: &[u8]) -> Option<(u8, usize)> {
    let named = |byte| Some((byte, 1));
    match *bytes.first()? {
        b'a' => named(7),
        b'b' => named(8),
        b't' => named(b'\t'),
        b'n' => named(b'\n'),
        b'v' => named(11),
        b'f' => named(12),
        b'r' => named(b'\r'),
        quote @ (b'"' | b'\\') => named(quote),
        b'0'..=b'3' => {
            let digits = bytes.get(..3)?;
            let octal = digits.iter().all(|digit| (b'0'..=b'7').contains(digit));
            let value = digits.iter().fold(0u32, |sum, digit| sum * 8 + u32::from(digit & 7));
            octal.then(|| u8::try_from(value).ok().map(|byte| (byte, 3)))?
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_times_and_quotes_but_not_their_spaces() {
        for (line, expected) in [
            ("a/src/x.rs", "a/src/x.rs"),
            ("a file.txt", "a file.txt"),
            ("x.c\t2024-01-01 10:00:00 +0100", "x.c"),
            ("x y.c 2024-01-01 10:00:00.000 -0400 (main)", "x y.c"),
            ("\"a/tab\\there\"", "a/tab\there"),
            ("\"b/\\303\\244.txt\"\t2024", "b/ä.txt"),
        ] {
            assert_eq!(header_name(line), Some(Name::Path(expected.to_owned())), "{line}");
        }
        assert_eq!(header_name("/dev/null\t1970-01-01"), Some(Name::Nothing));
        for broken in ["\"a/x", "\"a/\\q\"", "\"a/\\9\"", "\"\\377\\376\"", "\"\\12"] {
            assert_eq!(header_name(broken), None, "{broken}");
        }
    }

    #[test]
    fn the_git_line_is_cut_only_where_one_cut_fits() {
        for (line, expected) in [
            ("a/x b/x", Some("x")),
            ("a/one two b/one two", Some("one two")),
            ("x.txt x.txt", Some("x.txt")),
            ("\"a/q\\tr\" \"b/q\\tr\"", Some("q\tr")),
            ("a/x b/y", None),
            ("a/y b/y c/y", None),
            ("a/x", None),
            ("", None),
        ] {
            assert_eq!(git_name(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn only_prefixes_are_taken_away() {
        let pair = |old, new| without_prefixes(old, new);
        assert_eq!(pair("a/src/x", "b/src/x"), ("src/x".to_owned(), "src/x".to_owned()));
        assert_eq!(pair("src/x", "src/x"), ("src/x".to_owned(), "src/x".to_owned()));
        assert_eq!(pair("a/x", "a/x"), ("a/x".to_owned(), "a/x".to_owned()));
        assert_eq!(name_of_both("x.c.orig".to_owned(), "x.c".to_owned()), "x.c");
        assert_eq!(name_of_both("x.c".to_owned(), "y.c".to_owned()), "x.c");
    }
}
