//! Sets the model's thinking aside.
//!
//! In: a text. Out: cuts over thinking blocks and their tags. Never takes a tag in the middle of
//! code or in quotes for thinking. A block that is never closed means that the reply was cut while
//! the model was thinking: everything from there on is thinking.

use super::draft::{Cut, Draft};
use super::fence::is_fence_line;
use super::reply::AsideReason;
use super::{Context, Notes, Target};
use crate::prose::{LineKind, line_kind, reads_like_code};
use salve_types::Span;
use std::borrow::Cow;

const TAGS: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<thought>", "</thought>"),
    ("<thoughts>", "</thoughts>"),
    ("<reflection>", "</reflection>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<inner_monologue>", "</inner_monologue>"),
    ("<antthinking>", "</antthinking>"),
    ("<seed:think>", "</seed:think>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
];

// How far into a reply thinking may begin after a few words.
const MOST_LINES: usize = 40;

/// The stage: sets thinking aside.
pub(super) fn cuts(draft: &Draft<'_>, _: &Context<'_>, notes: &mut Notes) -> Vec<Cut> {
    let text = draft.text();
    if text.trim_start().starts_with(CHANNEL) {
        return channel_cuts(text, notes);
    }
    let mut cuts = Vec::new();
    let mut at = 0;
    while let Some((open, close)) = opener_at(text, at) {
        let start = at + open.start;
        let Some(end) = closer_after(text, at + open.end, close) else {
            notes.unclosed_thinking = true;
            cuts.push(Cut::new(Span::new(start, text.len()), AsideReason::UnclosedThinking));
            return cuts;
        };
        let end = skip_blank(text, end);
        cuts.push(Cut::new(Span::new(start, end), AsideReason::Thinking));
        at = end;
    }
    if cuts.is_empty()
        && let Some(end) = headless(text)
    {
        cuts.push(Cut::new(Span::new(0, skip_blank(text, end)), AsideReason::Thinking));
    }
    cuts
}

/// Returns the text with spaces in the place of the model's thinking, so that offsets stay.
pub(crate) fn blank_thinking(text: &str) -> Cow<'_, str> {
    let context = Context { target: Target::Unknown, path: None, mark: "", open_carrier: false };
    let mut thinking = cuts(&Draft::new(text), &context, &mut Notes::default());
    thinking.retain(|cut| cut.reason != AsideReason::SpecialToken);
    if thinking.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for cut in thinking {
        out.push_str(text.get(out.len()..cut.span.start).unwrap_or_default());
        let blank = text.get(out.len()..cut.span.end).unwrap_or_default().bytes();
        out.extend(blank.map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    }
    out.push_str(text.get(out.len()..).unwrap_or_default());
    Cow::Owned(out)
}

// The next opening tag that is at the start of the rest or, after nothing but talk, at the
// start of a line.
fn opener_at(text: &str, from: usize) -> Option<(Span, &'static str)> {
    let text = &text[from..];
    let mut at = 0;
    for _ in 0..MOST_LINES {
        let rest = &text[at..];
        let body = rest.trim_start_matches(|it: char| it.is_whitespace() && it != '\n');
        let start = at + rest.len() - body.len();
        if let Some((open, close)) = TAGS.iter().find(|(open, _)| starts_with(body, open)) {
            return Some((Span::new(start, start + open.len()), close));
        }
        // Only now the end of the line: a line of a thousand blocks would be read a thousand times.
        let line = rest.split_inclusive('\n').next()?;
        if is_fence_line(line) || line_kind(line) == LineKind::Code {
            return None;
        }
        at += line.len();
    }
    None
}

// The end of the closing tag. Blocks may nest; when a tag is only mentioned in the thinking and
// the count does not come out, the last closing tag is the one.
fn closer_after(text: &str, from: usize, close: &str) -> Option<usize> {
    let open = TAGS.iter().find(|(_, other)| *other == close).map(|(open, _)| *open)?;
    let first = open.as_bytes()[0];
    let close_first = close.as_bytes()[0];
    let mut depth = 1usize;
    let mut last = None;
    for at in memchr::memchr2_iter(first, close_first, &text.as_bytes()[from..]) {
        let Some(rest) = text.get(from + at..) else { continue };
        if starts_with(rest, close) {
            let end = from + at + close.len();
            depth -= 1;
            if depth == 0 {
                return Some(end);
            }
            last = Some(end);
        } else if starts_with(rest, open) {
            depth += 1;
        }
    }
    last
}

// Some models are started inside their thinking: the reply has a closing tag only.
fn headless(text: &str) -> Option<usize> {
    let close = TAGS.iter().take(3).map(|(_, close)| *close);
    let (at, close) = close.filter_map(|close| Some((text.find(close)?, close))).min()?;
    let before = &text[..at];
    let quoted = before.ends_with(['`', '"', '\'', '(', '/']);
    let after = &text[at + close.len()..];
    let alone = after.is_empty() || after.starts_with(['\n', '\r']);
    let open_seen = TAGS.iter().any(|(open, _)| before.contains(open));
    let is_thinking = !quoted && alone && !open_seen && !reads_like_code(before.lines());
    is_thinking.then_some(at + close.len())
}

const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";

// `<|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>…`
fn channel_cuts(text: &str, notes: &mut Notes) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let mut at = 0;
    while let Some(header) = text[at..].find(CHANNEL).map(|found| at + found) {
        let Some(body) = text[header..].find(MESSAGE).map(|found| header + found + MESSAGE.len())
        else {
            notes.unclosed_thinking = true;
            cuts.push(Cut::new(Span::new(at, text.len()), AsideReason::UnclosedThinking));
            return cuts;
        };
        let name = &text[header + CHANNEL.len()..body - MESSAGE.len()];
        let end = body + text[body..].find("<|").unwrap_or(text.len() - body);
        let is_content = name.trim_start().starts_with("final") || name.contains("to=");
        if is_content {
            cuts.push(Cut::new(Span::new(at, body), AsideReason::SpecialToken));
        } else if end == text.len() {
            notes.unclosed_thinking = true;
            cuts.push(Cut::new(Span::new(at, end), AsideReason::UnclosedThinking));
        } else {
            cuts.push(Cut::new(Span::new(at, end), AsideReason::Thinking));
        }
        at = end;
    }
    // The tokens after the last message.
    cuts.push(Cut::new(Span::new(at, text.len()), AsideReason::SpecialToken));
    cuts.retain(|cut| !cut.span.is_empty());
    cuts
}

fn starts_with(text: &str, token: &str) -> bool {
    let head = text.as_bytes().get(..token.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(token.as_bytes()))
}

fn skip_blank(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    // Indentation of the first line of content stays.
    let blank = rest.len() - rest.trim_start().len();
    rest[..blank]
        .rfind('\n')
        .map_or(if blank == rest.len() { text.len() } else { from }, |at| from + at + 1)
}
