//! Takes content out of a JSON string: a quoted text, a bare escaped text, a carrier object.
//!
//! In: a text. Out: cuts that undo the escapes, each naming the character it becomes. Never decodes
//! in part: a text with one escape that JSON does not know is not an escaped text.

use super::draft::{Cut, Draft};
use super::reply::AsideReason;
use super::{Context, Notes, Target};
use salve_types::Span;

// The fields by which carriers give code, the best first. The others count only next to a path.
const CODE_FIELDS: &[&str] = &["code", "source_code"];
const FILE_FIELDS: &[&str] = &["content", "contents", "file_content", "source", "text"];
const PATH_FIELDS: &[&str] = &["path", "file", "filename", "file_path", "filePath", "file_name"];

/// The stage: undoes the escapes of a JSON string that holds the content.
pub(super) fn cuts(draft: &Draft<'_>, context: &Context<'_>, notes: &mut Notes) -> Vec<Cut> {
    let text = draft.text();
    if matches!(context.target, Target::Json) {
        return Vec::new();
    }
    if context.open_carrier
        && let Some(cuts) = carrier(text, notes)
    {
        return cuts;
    }
    quoted(text).or_else(|| bare(text)).unwrap_or_default()
}

// The whole text is one JSON string with line ends in it.
fn quoted(text: &str) -> Option<Vec<Cut>> {
    let start = text.len() - text.trim_start().len();
    if !text[start..].starts_with('"') {
        return None;
    }
    let string = read_string(text, start)?;
    let ends = string.closed && text[string.end..].trim().is_empty();
    if !ends || text[start..string.end].contains('\n') || !string.has_line_end {
        return None;
    }
    let (before, after) = (Span::new(0, start + 1), Span::new(string.end - 1, text.len()));
    Some(cuts_around(text, &string, before, after, AsideReason::Escape))
}

// One line that is the inside of a JSON string: escaped quotes and line ends, and code once they
// are undone.
fn bare(text: &str) -> Option<Vec<Cut>> {
    let trimmed = text.trim_end();
    if trimmed.contains('\n') || trimmed.matches("\\n").count() < 2 {
        return None;
    }
    let mut cuts = Vec::new();
    let mut decoded = String::with_capacity(trimmed.len());
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'\\', b'"', &trimmed.as_bytes()[at..]) {
        let place = at + found;
        decoded.push_str(&trimmed[at..place]);
        // A quote that is not escaped: this is code with escapes in its strings.
        let (cut, next) = read_escape(trimmed, place)?;
        decoded.extend(cut.becomes);
        cuts.push(cut);
        at = next;
    }
    decoded.push_str(&trimmed[at..]);
    looks_like_lines_of_code(&decoded).then_some(cuts)
}

fn looks_like_lines_of_code(decoded: &str) -> bool {
    let mut lines = 0usize;
    let mut fitting = 0usize;
    for line in decoded.lines().filter(|line| !line.trim().is_empty()) {
        lines += 1;
        let indented = line.starts_with("  ") || line.starts_with('\t');
        let ends = line.trim_end().ends_with(['{', '}', ';', ':', ',', '(', ')', '>', ']']);
        let comment = line.starts_with("//") || line.starts_with('#');
        fitting += usize::from(indented || ends || comment);
    }
    lines >= 3 && fitting * 3 >= lines * 2
}

// `{"code": "…", "explanation": "…"}`: the field is the content, the object goes.
fn carrier(text: &str, notes: &mut Notes) -> Option<Vec<Cut>> {
    let fields = read_fields(text)?;
    let named = |names: &[&str]| {
        names.iter().find_map(|name| fields.iter().find(|field| field.key == *name))
    };
    let path = named(PATH_FIELDS).map(|field| text[field.inner.range()].to_owned());
    let value = named(CODE_FIELDS).or_else(|| path.as_ref().and_then(|_| named(FILE_FIELDS)))?;
    notes.unclosed_wrapper |= !value.string.closed;
    if notes.path.is_none() {
        notes.path = path;
    }
    let (before, after) = (Span::new(0, value.inner.start), Span::new(value.inner.end, text.len()));
    let mut cuts = cuts_around(text, &value.string, before, after, AsideReason::Carrier);
    cuts.retain(|cut| !cut.span.is_empty());
    Some(cuts)
}

struct Field {
    key: String,
    inner: Span,
    string: JsonString,
}

// The string fields of the object that the whole text is, or begins to be.
fn read_fields(text: &str) -> Option<Vec<Field>> {
    let start = text.len() - text.trim_start().len();
    if !text[start..].starts_with('{') {
        return None;
    }
    let bytes = text.as_bytes();
    let mut fields = Vec::new();
    let mut key: Option<String> = None;
    let mut depth = 0usize;
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return text[at + 1..].trim().is_empty().then_some(fields);
                }
            }
            b'"' => {
                let string = read_string(text, at)?;
                let inner_end = if string.closed { string.end - 1 } else { string.end };
                let inner = Span::new(at + 1, inner_end);
                let is_key = text[string.end..].trim_start().starts_with(':');
                if depth == 1 && is_key {
                    key = Some(text[inner.range()].to_owned());
                } else if depth == 1
                    && let Some(key) = key.take()
                {
                    fields.push(Field { key, inner, string });
                }
                at = string.end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    // Cut inside the object: what is there counts.
    Some(fields)
}

// Where a JSON string ends. Its escapes are counted first and listed only for the string that is taken
// out: a hostile text has one for every other byte.
#[derive(Clone, Copy)]
struct JsonString {
    // Past the opening quote.
    start: usize,
    // Past the closing quote, or the end of the text.
    end: usize,
    escapes: usize,
    closed: bool,
    has_line_end: bool,
}

// Reads a JSON string at its opening quote; nothing when an escape is not JSON's.
fn read_string(text: &str, quote: usize) -> Option<JsonString> {
    let start = quote + 1;
    let (mut escapes, mut has_line_end) = (0, false);
    let mut at = start;
    while let Some(found) = memchr::memchr2(b'\\', b'"', &text.as_bytes()[at..]) {
        let place = at + found;
        if text.as_bytes()[place] == b'"' {
            return Some(JsonString { start, end: place + 1, escapes, closed: true, has_line_end });
        }
        let (cut, next) = escape_or_its_start(text, place)?;
        escapes += 1;
        has_line_end |= cut.becomes == Some('\n');
        at = next;
    }
    Some(JsonString { start, end: text.len(), escapes, closed: false, has_line_end })
}

// The cuts that take a string out of what is before and after it.
fn cuts_around(
    text: &str,
    string: &JsonString,
    before: Span,
    after: Span,
    reason: AsideReason,
) -> Vec<Cut> {
    let mut cuts = Vec::with_capacity(string.escapes + 2);
    cuts.push(Cut::new(before, reason));
    let mut at = string.start;
    let inside = text.get(..string.end).unwrap_or_default();
    while let Some(found) = memchr::memchr(b'\\', &inside.as_bytes()[at..]) {
        let Some((cut, next)) = escape_or_its_start(text, at + found) else { break };
        cuts.push(cut);
        at = next;
    }
    cuts.push(Cut::new(after, reason));
    cuts
}

// Reads one escape. The text may be cut inside the last one; its rest is no content.
fn escape_or_its_start(text: &str, at: usize) -> Option<(Cut, usize)> {
    if is_cut_escape(&text[at..]) {
        let rest = Cut::new(Span::new(at, text.len()), AsideReason::Escape);
        return Some((rest, text.len()));
    }
    read_escape(text, at)
}

fn is_cut_escape(rest: &str) -> bool {
    let digits = rest.strip_prefix("\\u").unwrap_or("");
    rest == "\\"
        || (rest.starts_with("\\u")
            && rest.len() < 6
            && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

// Reads one escape; a pair of surrogates is one escape.
fn read_escape(text: &str, at: usize) -> Option<(Cut, usize)> {
    let rest = text[at..].strip_prefix('\\')?;
    let simple = match rest.as_bytes().first()? {
        b'n' => Some('\n'),
        b't' => Some('\t'),
        b'r' => Some('\r'),
        b'b' => Some('\u{8}'),
        b'f' => Some('\u{c}'),
        b'"' => Some('"'),
        b'\\' => Some('\\'),
        b'/' => Some('/'),
        b'u' => None,
        _ => return None,
    };
    let (character, len) = match simple {
        Some(character) => (character, 2),
        None => {
            let first = hex(&rest[1..])?;
            match char::from_u32(first) {
                Some(character) => (character, 6),
                None => (surrogate_pair(first, rest.get(5..)?)?, 12),
            }
        }
    };
    let span = Span::new(at, at + len);
    Some((Cut { span, reason: AsideReason::Escape, becomes: Some(character) }, at + len))
}

fn surrogate_pair(high: u32, rest: &str) -> Option<char> {
    let low = hex(rest.strip_prefix("\\u")?)?;
    if !(0xD800..0xDC00).contains(&high) || !(0xDC00..0xE000).contains(&low) {
        return None;
    }
    char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))
}

fn hex(digits: &str) -> Option<u32> {
    let digits = digits.get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}
