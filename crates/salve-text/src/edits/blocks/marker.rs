//! Markers of SEARCH/REPLACE blocks: what a single line is.
//!
//! In: a line without its terminator. Out: the marker it is, if any, and whether it was written as
//! a dialect says. Never decides what a marker means where it is; the reader of blocks does.

/// A line that steers a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    /// `<<<<<<< SEARCH` or `------- SEARCH`.
    Open(Form),
    /// A row of equals signs, this long.
    Separator(usize),
    /// `>>>>>>> REPLACE` or `+++++++ REPLACE`.
    Close(Form),
    /// A marker of a merge conflict, such as `<<<<<<< HEAD`.
    Conflict,
}

/// How the opening or closing marker was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    /// The sign that is repeated.
    pub(super) sign: u8,
    /// How often the sign is repeated.
    pub(super) length: usize,
    /// How well it follows a dialect.
    pub(super) fit: Fit,
}

/// How well a marker follows a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// As the dialects write it.
    Exact,
    /// Otherwise, but it can mean only this.
    Loose,
    /// So far off that the tools which know the format refuse it.
    Broken,
}

/// The fewest signs in a marker that needs no remark.
pub(super) const FEWEST_SIGNS: usize = 5;
// Three signs are still a marker where a word follows; two are a comment of some language.
const FEWEST_LOOSE_SIGNS: usize = 3;
const CONFLICT_SIGNS: usize = 7;

/// Reads a line as a marker.
pub(super) fn read_marker(line: &str) -> Option<Marker> {
    let line = line.trim();
    let sign = *line.as_bytes().first()?;
    if !matches!(sign, b'<' | b'-' | b'=' | b'>' | b'+') {
        return None;
    }
    let length = line.bytes().take_while(|&byte| byte == sign).count();
    let rest = line.get(length..).unwrap_or_default();
    match sign {
        b'=' => {
            (rest.is_empty() && length >= FEWEST_LOOSE_SIGNS).then_some(Marker::Separator(length))
        }
        b'<' | b'-' => match read_word(rest, "SEARCH", "ORIGINAL", sign == b'<') {
            Some(fit) => form(sign, length, fit).map(Marker::Open),
            None => conflict(sign, length, rest),
        },
        _ => match read_word(rest, "REPLACE", "UPDATED", sign == b'>') {
            Some(fit) => form(sign, length, fit).map(Marker::Close),
            None => conflict(sign, length, rest),
        },
    }
}

/// Returns whether a line is a row of dashes, which ends the metadata of a block.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= FEWEST_SIGNS && line.bytes().all(|byte| byte == b'-')
}

/// Takes the backslash from a line that would otherwise be read as a marker.
pub(super) fn unescape(line: &str) -> &str {
    let indent = line.len() - line.trim_start().len();
    // Only an escape in the first column is one: elsewhere the backslash belongs to the file.
    let Some(rest) = line.strip_prefix('\\').filter(|_| indent == 0) else { return line };
    let is_marker = rest.bytes().next().is_some_and(|sign| {
        matches!(sign, b'<' | b'-' | b'=' | b'>' | b'+')
            && rest.bytes().take_while(|&byte| byte == sign).count() >= FEWEST_SIGNS
    });
    let is_metadata = rest.starts_with(":start_line:") || rest.starts_with(":end_line:");
    if is_marker || is_metadata { rest } else { line }
}

fn form(sign: u8, length: usize, fit: Fit) -> Option<Form> {
    let fit = match (length, fit) {
        // `- SEARCH` is an item of a list, `> REPLACE` a quotation.
        (0..2, _) => return None,
        (2, _) => Fit::Broken,
        (FEWEST_LOOSE_SIGNS..FEWEST_SIGNS, Fit::Exact) => Fit::Loose,
        (_, fit) => fit,
    };
    Some(Form { sign, length, fit })
}

// The word after the signs: the usual one, the one of older dialects, or neither.
fn read_word(rest: &str, word: &str, older: &str, may_be_older: bool) -> Option<Fit> {
    let spaced = rest.starts_with([' ', '\t']);
    let said = rest.trim().trim_end_matches('`').trim_end();
    let said = said.strip_suffix('>').unwrap_or(said).trim_end();
    let known = said.eq_ignore_ascii_case(word) || (may_be_older && said == older);
    if !known {
        return None;
    }
    Some(match (spaced, said == word) {
        (false, _) => Fit::Broken,
        (true, true) => Fit::Exact,
        (true, false) => Fit::Loose,
    })
}

fn conflict(sign: u8, length: usize, rest: &str) -> Option<Marker> {
    let fits = matches!(sign, b'<' | b'>')
        && length == CONFLICT_SIGNS
        && (rest.is_empty() || rest.starts_with(' '));
    fits.then_some(Marker::Conflict)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> String {
        match read_marker(line) {
            None => "-".to_owned(),
            Some(Marker::Open(form)) => format!("open {:?}", form.fit),
            Some(Marker::Close(form)) => format!("close {:?}", form.fit),
            Some(Marker::Separator(length)) => format!("separator {length}"),
            Some(Marker::Conflict) => "conflict".to_owned(),
        }
    }

    #[test]
    fn lines_are_markers_or_not() {
        let cases = [
            ("<<<<<<< SEARCH", "open Exact"),
            ("<<<<< SEARCH", "open Exact"),
            ("<<<<<<<<<<<<< SEARCH", "open Exact"),
            ("<<<<<<< SEARCH>", "open Exact"),
            ("------- SEARCH", "open Exact"),
            ("  ------- SEARCH \r", "open Exact"),
            ("--- SEARCH", "open Loose"),
            ("<<<<<<< ORIGINAL", "open Loose"),
            ("<<<<<<< search", "open Loose"),
            ("-- SEARCH", "open Broken"),
            ("-------SEARCH", "open Broken"),
            ("<<<<<<<SEARCH", "open Broken"),
            ("- SEARCH", "-"),
            ("------- ORIGINAL", "-"),
            ("=======", "separator 7"),
            ("===", "separator 3"),
            ("==", "-"),
            ("======= x", "-"),
            (">>>>>>> REPLACE", "close Exact"),
            ("+++++++ REPLACE", "close Exact"),
            (">>>>>>> REPLACE```", "close Exact"),
            (">>>>>>> UPDATED", "close Loose"),
            (">>>>>>>REPLACE", "close Broken"),
            ("> REPLACE", "-"),
            ("<<<<<<< HEAD", "conflict"),
            (">>>>>>> feature/x", "conflict"),
            ("<<<<<<<", "conflict"),
            ("<<<<<< a", "-"),
            ("--- a/x", "-"),
            ("+++ b/x", "-"),
            ("", "-"),
        ];
        for (line, expected) in cases {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    #[test]
    fn only_what_would_be_a_marker_loses_its_backslash() {
        let cases = [
            ("\\<<<<<<< HEAD", "<<<<<<< HEAD"),
            ("\\=======", "======="),
            ("\\>>>>>>> main", ">>>>>>> main"),
            ("\\-------", "-------"),
            ("\\:start_line:4", ":start_line:4"),
            ("\\n", "\\n"),
            ("\\== x", "\\== x"),
            (" \\=======", " \\======="),
            ("\\", "\\"),
        ];
        for (line, expected) in cases {
            assert_eq!(unescape(line), expected, "{line}");
        }
    }
}
