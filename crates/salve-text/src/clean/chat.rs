//! Finds the talk before and after content that has no fence to tell it from.
//!
//! In: a text. Out: where the talk at its head ends and the talk at its foot begins. Never goes by
//! looks alone: a sentence is talk when it begins like one of the known phrases, and doubtful ones
//! count only next to something that is clearly no prose. Never takes everything.

use super::document::{begins_front_matter, heading_level};
use super::draft::{Cut, Draft};
use super::fence::is_fence_line;
use super::reply::AsideReason;
use super::{Context, Notes, Target};
use crate::prose::{LineKind, Talk, closing, line_kind, opening};
use salve_types::Span;

// No one greets for longer than this; the bound also keeps hostile input cheap.
const MOST_LINES: usize = 40;
const LONGEST_LINE: usize = 1_000;

/// The stage: sets talk at both ends aside.
pub(super) fn cuts(draft: &Draft<'_>, context: &Context<'_>, _: &mut Notes) -> Vec<Cut> {
    let text = draft.text();
    let start = leading_chat(text, context.target);
    let end = start + trailing_chat(&text[start..], context.target);
    if text[start..end].trim().is_empty() {
        return Vec::new();
    }
    let mut cuts = Vec::new();
    if start > 0 {
        cuts.push(Cut::new(Span::new(0, start), AsideReason::ChatBefore));
    }
    if end < text.len() {
        cuts.push(Cut::new(Span::new(end, text.len()), AsideReason::ChatAfter));
    }
    cuts
}

/// Returns the length of the talk at the head of a text; zero when there is none or nothing else.
pub(super) fn leading_chat(text: &str, target: Target) -> usize {
    let mut sure = 0;
    let mut possible = 0;
    let mut at = 0;
    let mut sentence_open = false;
    for line in text.split_inclusive('\n').take(MOST_LINES) {
        let next = at + line.len();
        let trimmed = line.trim();
        let rule = trimmed == "---" || trimmed == "***";
        if trimmed.is_empty() || (rule && possible > 0 && !begins_front_matter(&text[at..])) {
            sentence_open = false;
            at = next;
            continue;
        }
        let talk = talk_at_head(line, sentence_open, matches!(target, Target::Code(_)));
        match talk {
            Talk::Surely => {
                sure = next;
                possible = next;
            }
            Talk::Perhaps => possible = next,
            Talk::No => break,
        }
        // A sure beginning carries the rest of its sentence with it.
        if sentence_open && talk == Talk::Perhaps && sure == at {
            sure = next;
        }
        sentence_open = !trimmed.ends_with(['.', '!', '?', ':', '…', '。', '：', '！']);
        at = next;
    }
    let end = if possible > sure && stands_before_content(&text[possible..], target) {
        possible
    } else {
        sure
    };
    let end = skip_gap(text, end);
    if end >= text.len() { 0 } else { end }
}

/// Returns where the talk at the foot of a text begins; its length when there is none.
pub(super) fn trailing_chat(text: &str, target: Target) -> usize {
    let mut end = text.len();
    let mut weak = false;
    let mut steps = 0;
    while steps < MOST_LINES {
        steps += 1;
        let Some(paragraph) = last_paragraph(&text[..end]) else { break };
        let words = &text[paragraph.range()];
        let before = &text[..paragraph.start];
        let talk = match talk_of_paragraph(words) {
            Talk::Surely => true,
            // An explanation counts only right after code, or before talk that was found already.
            Talk::Perhaps => {
                let after_code = stands_after_code(before, target);
                weak |= after_code;
                after_code
            }
            Talk::No => false,
        };
        if talk && !before.trim().is_empty() {
            end = paragraph.start;
            continue;
        }
        // Talk may follow the content without a blank line.
        if let Some(start) = talk_in_last_line(words) {
            end = paragraph.start + start;
        }
        break;
    }
    if end == text.len() || (weak && ends_inside_text(&text[..end])) {
        return text.len();
    }
    let kept = text[..end].trim_end();
    let kept = kept.strip_suffix("\n---").or_else(|| kept.strip_suffix("\n***")).unwrap_or(kept);
    // The line end of the last kept line stays with it.
    let kept = kept.trim_end().len();
    let line_end = text[kept..].find('\n').map_or(text.len(), |at| kept + at + 1);
    line_end.min(end.max(kept))
}

// An explanation after an open documentation string or comment belongs to it: the reply was cut
// there.
fn ends_inside_text(before: &str) -> bool {
    let odd = |quotes: &str| memchr::memmem::find_iter(before.as_bytes(), quotes).count() % 2 == 1;
    let comment = before.rfind("/*").is_some_and(|open| !before[open..].contains("*/"));
    comment || odd("\"\"\"") || odd("'''")
}

/// Returns whether the first line of a text is known from chats.
pub(super) fn opens_with_chat(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| talk_at_head(line, false, true) != Talk::No)
}

/// Returns whether a text holds nothing but talk.
pub(super) fn is_only_chat(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    let Some(first) = lines.peek() else { return true };
    let opens = talk_at_head(first, false, true) != Talk::No;
    opens && lines.all(|line| heading_level(line).is_none() && line_kind(line) != LineKind::Code)
}

/// The stage for JSON: what is before the first value and after its end is talk.
pub(super) fn json_cuts(draft: &Draft<'_>, context: &Context<'_>, _: &mut Notes) -> Vec<Cut> {
    if context.target != Target::Json {
        return Vec::new();
    }
    let text = draft.text();
    let Some(start) = json_start(text) else { return Vec::new() };
    let end = json_end(text, start);
    let mut cuts = Vec::new();
    if !text[..start].trim().is_empty() {
        cuts.push(Cut::new(Span::new(0, start), AsideReason::ChatBefore));
    }
    if let Some(end) = end
        && is_talk_after_json(&text[end..])
    {
        cuts.push(Cut::new(Span::new(end, text.len()), AsideReason::ChatAfter));
    }
    cuts
}

// A value begins a line, or follows a colon at the end of a sentence.
fn json_start(text: &str) -> Option<usize> {
    let trimmed = text.len() - text.trim_start().len();
    if text[trimmed..].starts_with(['{', '[', '"']) {
        return Some(trimmed);
    }
    let mut at = 0;
    for line in text.split_inclusive('\n').take(MOST_LINES) {
        let indent = line.len() - line.trim_start().len();
        let body = &line[indent..];
        if body.starts_with(['{', '[']) {
            return Some(at + indent);
        }
        if let Some(colon) = body.find(": {").or_else(|| body.find(": [")) {
            return Some(at + indent + colon + 2);
        }
        if line_kind(line) == LineKind::Code {
            return None;
        }
        at += line.len();
    }
    None
}

// The offset just past the value that begins at `start`, if it ends.
fn json_end(text: &str, start: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            if !in_string && depth == 0 {
                return Some(at + 1);
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

fn is_talk_after_json(rest: &str) -> bool {
    let first = rest.trim_start();
    first.starts_with(char::is_alphabetic)
        && first.lines().next().is_some_and(|line| line_kind(line) == LineKind::Prose)
        && !first.contains(['{', '['])
}

// How surely a line at the head is talk. A line that goes on with the sentence before may be.
fn talk_at_head(line: &str, sentence_open: bool, code_wanted: bool) -> Talk {
    let kind = line_kind(line);
    if line.trim().len() > LONGEST_LINE || kind == LineKind::Code || is_fence_line(line) {
        return Talk::No;
    }
    if line.starts_with(['#', '|', '>', '<', '\t', '/', '{', '[']) || line.starts_with("    ") {
        return Talk::No;
    }
    let goes_on = sentence_open && kind == LineKind::Prose;
    opening(line, code_wanted).max(if goes_on { Talk::Perhaps } else { Talk::No })
}

// What may be talk is talk when the next line is a heading, a fence, or code.
fn stands_before_content(rest: &str, target: Target) -> bool {
    let Some(line) = rest.lines().find(|line| !line.trim().is_empty()) else { return false };
    let clear = heading_level(line).is_some()
        || is_fence_line(line)
        || begins_front_matter(rest.trim_start())
        || line.trim_start().starts_with(['{', '[', '<'])
        || line_kind(line) == LineKind::Code;
    clear || (matches!(target, Target::Code(_)) && line_kind(line) != LineKind::Prose)
}

fn stands_after_code(before: &str, target: Target) -> bool {
    if target.is_document() {
        return false;
    }
    let mut lines = before.lines().rev().filter(|line| !line.trim().is_empty());
    let Some(line) = lines.next() else { return false };
    let code = line_kind(line) == LineKind::Code
        || (matches!(target, Target::Code(_)) && line.starts_with([' ', '\t']));
    // One line that looks like code does not make a text code when no one asked for it.
    code && (target != Target::Unknown
        || lines.take(8).all(|line| line_kind(line) != LineKind::Prose))
}

fn last_paragraph(text: &str) -> Option<Span> {
    let end = text.trim_end().len();
    if end == 0 {
        return None;
    }
    let mut start = end;
    // Upward to the first blank line.
    while start > 0 {
        let line_start =
            text[..start - usize::from(start < end)].rfind('\n').map_or(0, |at| at + 1);
        if text[line_start..start].trim().is_empty() {
            break;
        }
        start = line_start;
    }
    Some(Span::new(start, end))
}

fn talk_of_paragraph(paragraph: &str) -> Talk {
    let first = paragraph.lines().next().unwrap_or("");
    // Talk begins at the margin; a comment is the content's own, but `##` is a heading of talk.
    let comment =
        ["# ", "#!", "//", "/*", "--", "*/", "<!"].iter().any(|sign| first.starts_with(sign));
    if first.len() > LONGEST_LINE || comment || first.starts_with([' ', '\t']) {
        return Talk::No;
    }
    let reads = paragraph
        .lines()
        .take(MOST_LINES)
        .all(|line| !matches!(line_kind(line), LineKind::Code) && !is_fence_line(line));
    if reads { closing(first) } else { Talk::No }
}

fn talk_in_last_line(paragraph: &str) -> Option<usize> {
    let start = paragraph.rfind('\n')? + 1;
    let line = &paragraph[start..];
    if line.len() > LONGEST_LINE || line.starts_with([' ', '\t', '#', '/', '*', '-']) {
        return None;
    }
    let before = paragraph[..start].trim_end().lines().last().unwrap_or("");
    let talk = line_kind(line) == LineKind::Prose
        && closing(line) == Talk::Surely
        && line_kind(before) != LineKind::Prose;
    talk.then_some(start)
}

// Blank lines and a rule between talk and content belong to the talk.
fn skip_gap(text: &str, end: usize) -> usize {
    if end == 0 {
        return 0;
    }
    let mut at = end;
    for line in text[end..].split_inclusive('\n') {
        let trimmed = line.trim();
        let rule = matches!(trimmed, "---" | "***") && !begins_front_matter(&text[at..]);
        if !(trimmed.is_empty() || rule) {
            break;
        }
        at += line.len();
    }
    at
}
