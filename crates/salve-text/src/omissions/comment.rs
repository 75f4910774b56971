//! Finds the parts of a line that may hold an omission: comments and bare notes.
//!
//! In: a line and its language. Out: the words of each comment with their span. Never looks into
//! documentation comments, whose examples are shortened on purpose, and keeps no state between
//! lines: an omission is a comment of one line.

use salve_types::{Language, Span};

/// A part of a line that may stand for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate<'a> {
    /// The words without the comment signs.
    pub(super) words: &'a str,
    /// With the comment signs, in bytes of the line.
    pub(super) span: Span,
    pub(super) place: Place,
}

/// Where a candidate is; the less it looks like a comment of its own, the clearer its words
/// must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A comment that has its line for itself.
    OwnLine,
    /// A comment after or between code.
    BesideCode,
    /// No comment at all: `[... rest of the file ...]`.
    Bare,
}

struct Signs {
    line: &'static [&'static str],
    block: &'static [(&'static str, &'static str)],
}

// A longer line is data or minified code.
const LONGEST_LINE: usize = 400;

/// Returns the comments of a line and, if it is none, the line itself when it is a bare note.
pub(super) fn candidates(line: &str, language: Language) -> Vec<Candidate<'_>> {
    let mut found = Vec::new();
    if line.len() > LONGEST_LINE {
        return found;
    }
    let indent = line.len() - line.trim_start().len();
    let body = line.trim();
    let signs = signs(language);
    if body.is_empty() || is_documentation(body) {
        return found;
    }
    if let Some(sign) = signs.line.iter().find(|sign| body.starts_with(**sign)) {
        let span = Span::new(indent, indent + body.len());
        found.push(Candidate { words: body[sign.len()..].trim(), span, place: Place::OwnLine });
        return found;
    }
    for (open, close) in signs.block {
        block_comments(line, indent, body, open, close, &mut found);
    }
    if !found.is_empty() {
        return found;
    }
    if is_note(body) {
        let span = Span::new(indent, indent + body.len());
        found.push(Candidate { words: body, span, place: Place::Bare });
    } else if body.contains("...") || body.contains('…') {
        // Beside code only comments with an ellipsis are worth a look.
        found.extend(trailing_comment(line, indent, body, signs.line));
    }
    found
}

fn signs(language: Language) -> Signs {
    use Language as L;
    const C_BLOCK: &[(&str, &str)] = &[("/*", "*/")];
    const XML_BLOCK: &[(&str, &str)] = &[("<!--", "-->")];
    match language {
        L::Python | L::Ruby | L::Bash | L::Yaml | L::Toml => Signs { line: &["#"], block: &[] },
        L::Sql => Signs { line: &["--"], block: C_BLOCK },
        L::Html | L::Markdown => Signs { line: &[], block: XML_BLOCK },
        L::Css => Signs { line: &["//"], block: C_BLOCK },
        L::Php => Signs { line: &["//", "#"], block: C_BLOCK },
        L::Json => Signs { line: &["//", "#"], block: C_BLOCK },
        L::Tsx | L::Jsx => {
            Signs { line: &["//"], block: &[("{/*", "*/}"), ("/*", "*/"), ("<!--", "-->")] }
        }
        L::Text => Signs { line: &["//", "#", "--"], block: &[("/*", "*/"), ("<!--", "-->")] },
        _ => Signs { line: &["//"], block: C_BLOCK },
    }
}

fn is_documentation(body: &str) -> bool {
    ["///", "//!", "/**", "/*!", "* ", "#!", "#[", "#'"].iter().any(|sign| body.starts_with(sign))
}

fn block_comments<'a>(
    line: &'a str,
    indent: usize,
    body: &str,
    open: &str,
    close: &str,
    found: &mut Vec<Candidate<'a>>,
) {
    let end = indent + body.len();
    let mut at = indent;
    while let Some(start) = line[at..end].find(open).map(|found| at + found) {
        if found.iter().any(|other| other.span.start <= start && start < other.span.end) {
            return;
        }
        let inner = start + open.len();
        // A comment that goes on in the next line still has its words here.
        let inner_end = line[inner..end].find(close).map_or(end, |found| inner + found);
        let next = (inner_end + close.len()).min(end);
        let alone = start == indent && next == end;
        let place = if alone { Place::OwnLine } else { Place::BesideCode };
        let words = line[inner..inner_end].trim();
        found.push(Candidate { words, span: Span::new(start, next), place });
        at = next;
    }
}

// The last comment sign of the line that is after a space and outside quotes.
fn trailing_comment<'a>(
    line: &'a str,
    indent: usize,
    body: &str,
    signs: &[&str],
) -> Option<Candidate<'a>> {
    let end = indent + body.len();
    let (start, sign) = signs
        .iter()
        .filter_map(|sign| Some((line[..end].rfind(&format!(" {sign} "))? + 1, *sign)))
        .max()?;
    let quotes = line[start..end].matches(['"', '`']).count();
    (quotes == 0).then(|| Candidate {
        words: line[start + sign.len()..end].trim(),
        span: Span::new(start, end),
        place: Place::BesideCode,
    })
}

// A note is words between brackets or after an ellipsis that a space follows; a spread has none.
fn is_note(body: &str) -> bool {
    let inner = body.trim_start_matches(['[', '(', '<', '{']).trim_start();
    let dots = inner.strip_prefix("...").or_else(|| inner.strip_prefix('…'));
    let after_dots = dots.is_some_and(|rest| {
        let words = rest.trim_start_matches([' ', '(', '[']);
        words.len() < rest.len() && words.starts_with(char::is_alphabetic) && words.contains(' ')
    });
    let bracketed = inner.len() < body.len()
        && body.ends_with([']', ')', '>', '}'])
        && inner.starts_with(char::is_alphabetic)
        && inner.contains(' ');
    after_dots || bracketed
}
