//! Takes content out of the tags that models and tools put around it.
//!
//! In: a text. Out: cuts over the tags and the talk around them. Never opens a tag that may be the
//! content's own: only known names, at the start of a line, after nothing but talk.

use super::draft::{Cut, Draft};
use super::fence::is_fence_line;
use super::reply::{AsideReason, Block};
use super::{Context, Notes, Target};
use crate::prose::{LineKind, line_kind, reads_like_code};
use salve_types::{Language, Span};

// Tags around the answer itself. The first two are also elements of HTML.
#[rustfmt::skip]
const CONTENT: &[&str] = &[
    "code", "output", "answer", "final_answer", "final", "solution", "file", "artifact",
    "antartifact", "boltaction", "updated_file", "new_file", "file_content", "file_contents",
    "generated_code", "source_code", "completion",
];
// Tags around a request to a tool.
#[rustfmt::skip]
const CALLS: &[&str] = &[
    "tool_call", "tool_calls", "function_calls", "function_call", "tool_use",
    "antml:function_calls",
];
const INVOKE: &[&str] = &["invoke", "antml:invoke"];
#[rustfmt::skip]
const CONTENT_PARAMETERS: &[&str] = &[
    "content", "code", "contents", "file_text", "file_content", "new_str", "source", "text",
    "body",
];
const PATH_PARAMETERS: &[&str] =
    &["path", "file_path", "filepath", "filename", "file", "target_file"];

// A tag with its attributes is short; without a bound every `<` could be looked at for ever.
const LONGEST_TAG: usize = 400;

/// The stage: removes one layer of tags.
pub(super) fn cuts(draft: &Draft<'_>, context: &Context<'_>, notes: &mut Notes) -> Vec<Cut> {
    let text = draft.text();
    if let Some(cuts) = cdata(text) {
        return cuts;
    }
    let Some(tag) = first_wrapper(text, context) else { return Vec::new() };
    let cuts = if CALLS.contains(&tag.name.as_str()) {
        call_cuts(text, &tag)
    } else if INVOKE.contains(&tag.name.as_str()) {
        invoke_cuts(text, &tag, notes)
    } else {
        content_cuts(draft, &tag, context, notes)
    };
    cuts.into_iter().filter(|cut| !cut.span.is_empty()).collect()
}

struct Tag {
    // In small letters.
    name: String,
    // From `<` to `>`.
    span: Span,
    attributes: Span,
}

// The first tag at the start of a line with nothing but talk before it.
fn first_wrapper(text: &str, context: &Context<'_>) -> Option<Tag> {
    let at = memchr::memchr_iter(b'<', text.as_bytes()).find(|&at| {
        let line_start = text[..at].trim_end_matches([' ', '\t']);
        line_start.is_empty() || line_start.ends_with('\n')
    })?;
    let tag = read_tag(text, at)?;
    let known = CALLS.contains(&tag.name.as_str())
        || INVOKE.contains(&tag.name.as_str())
        || is_content_tag(text, &tag, context);
    let is_talk = |line| !is_fence_line(line) && line_kind(line) != LineKind::Code;
    (known && text[..at].lines().all(is_talk)).then_some(tag)
}

fn is_content_tag(text: &str, tag: &Tag, context: &Context<'_>) -> bool {
    if !CONTENT.contains(&tag.name.as_str()) {
        return false;
    }
    let markup = matches!(
        context.target,
        Target::Markdown
            | Target::Document
            | Target::Code(Some(Language::Html | Language::Jsx | Language::Tsx))
    );
    match tag.name.as_str() {
        "code" | "output" if markup => false,
        "file" => path_attribute(&text[tag.attributes.range()]).is_some(),
        _ => true,
    }
}

fn read_tag(text: &str, at: usize) -> Option<Tag> {
    let rest = text[at..].strip_prefix('<')?;
    let name_len = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':' || c == '-'))
        .unwrap_or(rest.len());
    let close = memchr::memchr(b'>', &rest.as_bytes()[..rest.len().min(LONGEST_TAG)])?;
    if name_len == 0 || close < name_len || rest[name_len..=close].contains('<') {
        return None;
    }
    Some(Tag {
        name: rest[..name_len].to_ascii_lowercase(),
        span: Span::new(at, at + close + 2),
        attributes: Span::new(at + 1 + name_len, at + 1 + close),
    })
}

// The closing tag that belongs to `tag`; tags of the same name may nest.
fn closing_tag(text: &str, tag: &Tag) -> Option<Span> {
    let mut depth = 1usize;
    let mut last = None;
    for found in memchr::memchr_iter(b'<', &text.as_bytes()[tag.span.end..]) {
        let at = tag.span.end + found;
        if let Some(rest) = text.get(at + 1..).and_then(|rest| rest.strip_prefix('/')) {
            if starts_with_name(rest, &tag.name) && rest[tag.name.len()..].starts_with('>') {
                let span = Span::new(at, at + 3 + tag.name.len());
                depth -= 1;
                if depth == 0 {
                    return Some(span);
                }
                last = Some(span);
            }
        } else if starts_with_name(&text[at + 1..], &tag.name) {
            depth += 1;
        }
    }
    last
}

fn starts_with_name(text: &str, name: &str) -> bool {
    let head = text.as_bytes().get(..name.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(name.as_bytes()))
        && text[name.len()..].starts_with(['>', ' ', '\t', '\n', '\r', '/'])
}

// Every request is content; the tags between them go.
fn call_cuts(text: &str, first: &Tag) -> Vec<Cut> {
    let mut cuts = vec![Cut::new(Span::new(0, first.span.start), AsideReason::ChatBefore)];
    let mut last_end = first.span.start;
    for found in memchr::memchr_iter(b'<', &text.as_bytes()[first.span.start..]) {
        let at = first.span.start + found;
        if at < last_end {
            continue;
        }
        let rest = &text[at + 1..];
        let name = rest.strip_prefix('/').unwrap_or(rest);
        if !starts_with_name(name, &first.name) {
            continue;
        }
        let Some(close) = memchr::memchr(b'>', &rest.as_bytes()[..rest.len().min(LONGEST_TAG)])
        else {
            continue;
        };
        let tag_end = at + close + 2;
        let spaces = text[tag_end..].len() - text[tag_end..].trim_start_matches(' ').len();
        last_end = line_end_after(text, tag_end).max(tag_end + spaces);
        cuts.push(Cut::new(Span::new(at, last_end), AsideReason::Wrapper));
    }
    let tail = &text[last_end..];
    let closed = cuts.last().is_some_and(|cut| text[cut.span.range()].starts_with("</"));
    if closed && !reads_like_code(tail.lines()) {
        cuts.push(Cut::new(Span::new(last_end, text.len()), AsideReason::ChatAfter));
    }
    cuts
}

// `<invoke name="write"><parameter name="path">…</parameter><parameter name="content">…`
fn invoke_cuts(text: &str, tag: &Tag, notes: &mut Notes) -> Vec<Cut> {
    let close = closing_tag(text, tag);
    let end = close.map_or(text.len(), |close| close.start);
    notes.unclosed_wrapper |= close.is_none();
    let mut content: Option<Span> = None;
    let mut at = tag.span.end;
    while let Some(found) = text[at..end].find('<') {
        let start = at + found;
        at = start + 1;
        let Some(parameter) = read_tag(text, start).filter(|tag| tag.name.ends_with("parameter"))
        else {
            continue;
        };
        let value_end = closing_tag(&text[..end], &parameter).map_or(end, |close| close.start);
        let value = Span::new(parameter.span.end.min(value_end), value_end);
        let name = attribute(&text[parameter.attributes.range()], "name").unwrap_or_default();
        if PATH_PARAMETERS.contains(&name.as_str()) && notes.path.is_none() {
            notes.path = Some(text[value.range()].trim().to_owned());
        }
        if content.is_none() && CONTENT_PARAMETERS.contains(&name.as_str()) {
            content = Some(value);
        }
        at = value_end.max(at);
    }
    let body = content.unwrap_or(Span::new(tag.span.end, end));
    let start = line_end_after(text, body.start).min(body.end);
    vec![
        Cut::new(Span::new(0, tag.span.start), AsideReason::ChatBefore),
        Cut::new(Span::new(tag.span.start, start), AsideReason::Wrapper),
        Cut::new(Span::new(body.end, text.len()), AsideReason::Wrapper),
    ]
}

struct Wrapped {
    tag: Tag,
    inner: Span,
    end: usize,
    closed: bool,
}

fn content_cuts(
    draft: &Draft<'_>,
    first: &Tag,
    context: &Context<'_>,
    notes: &mut Notes,
) -> Vec<Cut> {
    let text = draft.text();
    let files = wrapped_siblings(text, first);
    let Some(last) = files.last() else { return Vec::new() };
    let tail = &text[last.end..];
    let html = matches!(first.name.as_str(), "code" | "output");
    let line_goes_on = !tail.is_empty() && !tail.starts_with(['\n', '\r']);
    let may_be_content = reads_like_code(tail.lines()) || (html && (line_goes_on || !last.closed));
    if may_be_content {
        return Vec::new();
    }
    let path_of = |file: &Wrapped| path_attribute(&text[file.tag.attributes.range()]);
    let wanted = |file: &Wrapped| {
        let named = path_of(file);
        let fits = context
            .path
            .zip(named.as_deref())
            .is_some_and(|(wanted, named)| wanted.ends_with(named) || named.ends_with(wanted));
        (fits, file.inner.len())
    };
    let chosen = (0..files.len()).max_by_key(|&at| wanted(&files[at])).unwrap_or(0);
    if notes.path.is_none() {
        notes.path = path_of(&files[chosen]);
    }
    notes.unclosed_wrapper |= !files[chosen].closed;
    if files.iter().any(|file| path_of(file).is_some()) && notes.blocks.is_empty() {
        notes.blocks = files
            .iter()
            .enumerate()
            .map(|(at, file)| Block {
                language: path_of(file).as_deref().and_then(Language::from_path),
                path: path_of(file),
                info: first.name.clone(),
                span: draft.origin(file.inner),
                closed: file.closed,
                chosen: at == chosen,
            })
            .collect();
    }
    let mut cuts = vec![Cut::new(Span::new(0, first.span.start), AsideReason::ChatBefore)];
    let mut at = first.span.start;
    for (index, file) in files.iter().enumerate() {
        cuts.push(Cut::new(Span::new(at, file.tag.span.start), AsideReason::ChatAfter));
        at = file.end;
        if index == chosen {
            let opener = Span::new(file.tag.span.start, file.inner.start);
            cuts.push(Cut::new(opener, AsideReason::Wrapper));
            cuts.push(Cut::new(Span::new(file.inner.end, file.end), AsideReason::Wrapper));
        } else {
            let whole = Span::new(file.tag.span.start, file.end);
            cuts.push(Cut::new(whole, AsideReason::OtherBlock));
        }
    }
    cuts.push(Cut::new(Span::new(at, text.len()), AsideReason::ChatAfter));
    cuts
}

// The tag and those of the same name that follow it with nothing but space between.
fn wrapped_siblings(text: &str, first: &Tag) -> Vec<Wrapped> {
    let mut files = Vec::new();
    let mut tag =
        Some(Tag { name: first.name.clone(), span: first.span, attributes: first.attributes });
    while let Some(open) = tag.take() {
        let close = closing_tag(text, &open);
        let inner_end = close.map_or(text.len(), |close| close.start);
        let end = close.map_or(text.len(), |close| close.end);
        let inner_start = line_end_after(text, open.span.end).min(inner_end);
        let next = end + (text[end..].len() - text[end..].trim_start().len());
        if close.is_some() {
            tag = read_tag(text, next).filter(|next| next.name == open.name);
        }
        let inner = Span::new(inner_start, inner_end);
        files.push(Wrapped { tag: open, inner, end, closed: close.is_some() });
    }
    files
}

fn cdata(text: &str) -> Option<Vec<Cut>> {
    let trimmed = text.trim();
    let start = text.len() - text.trim_start().len();
    let inner = trimmed.strip_prefix("<![CDATA[")?;
    let open_end = line_end_after(text, start + "<![CDATA[".len());
    let mut cuts = vec![Cut::new(Span::new(0, open_end), AsideReason::Wrapper)];
    if inner.ends_with("]]>") {
        let close = (start + trimmed.len() - 3).max(open_end);
        cuts.push(Cut::new(Span::new(close, text.len()), AsideReason::Wrapper));
    }
    Some(cuts)
}

// Past the line end that directly follows, if one does.
fn line_end_after(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let rest = &rest[spaces..];
    if rest.starts_with("\r\n") {
        at + spaces + 2
    } else if rest.starts_with('\n') {
        at + spaces + 1
    } else {
        at
    }
}

fn path_attribute(attributes: &str) -> Option<String> {
    ["path", "filePath", "file_path", "filename", "name", "title"]
        .iter()
        .find_map(|key| attribute(attributes, key))
        .filter(|value| !value.is_empty())
}

fn attribute(attributes: &str, key: &str) -> Option<String> {
    let mut from = 0;
    while let Some(found) = attributes[from..].find(key) {
        let at = from + found;
        from = at + key.len();
        let before = attributes[..at].chars().next_back();
        let Some(value) = attributes[from..].trim_start().strip_prefix('=') else { continue };
        if before.is_some_and(char::is_alphanumeric) {
            continue;
        }
        let value = value.trim_start();
        return Some(match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or("").to_owned(),
            _ => value.split([' ', '/']).next().unwrap_or("").to_owned(),
        });
    }
    None
}
