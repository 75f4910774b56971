//! Whole files in tags: `<write_to_file>` with a path and a content, `<file path="…">`.
//!
//! In: a reply. Out: the path and the content of every file that is in such tags, and whether
//! the tag was closed. Never takes a tag in the middle of a line for one: those are content.

use salve_types::Span;

/// A file in tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tagged<'a> {
    pub(super) path: String,
    pub(super) content: &'a str,
    pub(super) span: Span,
    pub(super) closed: bool,
}

// Calls with the path and the content in tags of their own.
const CALLS: &[&str] = &["write_to_file", "create_file", "write_file"];
// Tags around the content, with the path as an attribute.
const FILES: &[&str] = &["file", "boltAction"];

// Each try may look through the whole reply; a bound keeps hostile input linear.
const MOST_FAILED: usize = 64;

/// Finds the files of a reply that are in tags.
pub(super) fn find_tagged(text: &str) -> Vec<Tagged<'_>> {
    let mut found = Vec::new();
    let mut failed = 0;
    let mut from = 0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start + (line.len() - line.trim_start().len());
        start += line.len();
        let begins =
            CALLS.iter().chain(FILES).any(|name| opens(line.trim_start(), name, [' ', '>']));
        if at < from || !begins || failed >= MOST_FAILED {
            continue;
        }
        match read_call(text, at).or_else(|| read_file(text, at)) {
            Some(tagged) => {
                from = tagged.span.end;
                found.push(tagged);
            }
            None => failed += 1,
        }
    }
    found
}

fn read_call(text: &str, at: usize) -> Option<Tagged<'_>> {
    let rest = text.get(at..)?;
    let name = CALLS.iter().find(|name| opens(rest, name, ['>', '>']))?;
    let inner = rest.get(name.len() + 2..)?;
    let close = format!("</{name}>");
    let (body, end, ended) = match inner.find(&close) {
        Some(end) => (inner.get(..end)?, at + name.len() + 2 + end + close.len(), true),
        None => (inner, text.len(), false),
    };
    let path = between(body, "<path>", "</path>")
        .or_else(|| between(body, "<file_path>", "</file_path>"))?;
    let content = body.get(body.find("<content>")? + "<content>".len()..)?;
    // The content may be about tags itself, so the last closing one counts.
    let closed = content.rfind("</content>");
    let content = closed.map_or(content, |end| content.get(..end).unwrap_or_default());
    Some(Tagged {
        path: path.trim().to_owned(),
        content: without_first_break(content),
        span: Span::new(at, end),
        closed: closed.is_some() && ended,
    })
}

fn read_file(text: &str, at: usize) -> Option<Tagged<'_>> {
    const LONGEST_TAG: usize = 500;
    let rest = text.get(at..)?;
    let name = FILES.iter().find(|name| opens(rest, name, [' ', ' ']))?;
    let tag_end = rest.bytes().take(LONGEST_TAG).position(|byte| byte == b'>')?;
    let path = ["path", "filePath", "name"]
        .iter()
        .find_map(|key| between(rest.get(..tag_end)?, &format!(" {key}=\""), "\""))?;
    let inner = rest.get(tag_end + 1..)?;
    let close = format!("</{name}>");
    let closed = inner.find(&close);
    let content = closed.map_or(inner, |end| inner.get(..end).unwrap_or_default());
    let end = closed.map_or(text.len(), |end| at + tag_end + 1 + end + close.len());
    Some(Tagged {
        path: path.trim().to_owned(),
        content: without_first_break(content),
        span: Span::new(at, end),
        closed: closed.is_some(),
    })
}

fn opens(rest: &str, name: &str, signs: [char; 2]) -> bool {
    rest.strip_prefix('<')
        .and_then(|rest| rest.strip_prefix(name))
        .is_some_and(|rest| rest.starts_with(signs))
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let rest = text.get(text.find(open)? + open.len()..)?;
    let found = rest.get(..rest.find(close)?)?;
    (!found.trim().is_empty()).then_some(found)
}

// The content begins on the line after the tag.
fn without_first_break(content: &str) -> &str {
    content.strip_prefix("\r\n").or_else(|| content.strip_prefix('\n')).unwrap_or(content)
}
