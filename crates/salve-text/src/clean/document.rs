//! What makes a text a document of its own: headings and front matter.
//!
//! In: a text. Out: where its first heading or front matter is, and how many headings it has
//! outside its fences. Never takes a comment inside a fence for a heading.

use super::draft::{Cut, Draft};
use super::fence::{find_blocks, is_fence_line};
use super::label::path_label;
use super::reply::AsideReason;
use super::{Context, Notes, Target};
use crate::prose::names_part_of_answer;
use salve_types::Span;

/// The stage for documents: everything before the first heading or front matter is talk.
pub(super) fn preamble_cuts(draft: &Draft<'_>, context: &Context<'_>, _: &mut Notes) -> Vec<Cut> {
    if context.target != Target::Document {
        return Vec::new();
    }
    match document_start(draft.text()) {
        Some(start) if start > 0 => {
            vec![Cut::new(Span::new(0, start), AsideReason::Preamble)]
        }
        _ => Vec::new(),
    }
}

/// Returns the offset of the first heading or front matter outside the fences.
pub(super) fn document_start(text: &str) -> Option<usize> {
    let mut blocks = find_blocks(text).into_iter().peekable();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        while blocks.peek().is_some_and(|block| block.whole().end <= start) {
            blocks.next();
        }
        let fenced = blocks.peek().is_some_and(|block| block.opener.start <= start);
        if !fenced && (is_heading(line) || begins_front_matter(&text[start..])) {
            return Some(start);
        }
        if !fenced && is_underlined(&text[start..]) {
            return Some(start);
        }
        start += line.len();
    }
    None
}

/// Returns the level of a heading line, or nothing.
pub(super) fn heading_level(line: &str) -> Option<usize> {
    let line = line.trim_end();
    let level = line.bytes().take_while(|&byte| byte == b'#').count();
    let words = line.get(level..)?;
    ((1..=6).contains(&level) && words.starts_with([' ', '\t']) && !words.trim().is_empty())
        .then_some(level)
}

fn is_heading(line: &str) -> bool {
    heading_level(line).is_some()
}

/// Returns whether a heading names a part of an answer ("Solution"), or a file, rather than a part
/// of a document.
pub(super) fn is_answer_heading(line: &str) -> bool {
    let words = line.trim().trim_start_matches('#').trim();
    path_label(words).is_some() || names_part_of_answer(words)
}

/// Returns whether the text begins with `---`, keys, `---` (or the same with `+++`).
pub(super) fn begins_front_matter(text: &str) -> bool {
    let mut lines = text.lines();
    let Some(rule @ ("---" | "+++")) = lines.next().map(str::trim_end) else {
        return false;
    };
    let mut keys = 0;
    // Front matter is short; a bound keeps a text of rules linear.
    for line in lines.take(60) {
        let line = line.trim_end();
        if line == rule {
            return keys > 0;
        }
        let is_key = line.split_once([':', '=']).is_some_and(|(key, _)| {
            let key = key.trim();
            !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-. \"'".contains(c))
        });
        if is_key {
            keys += 1;
        } else if is_fence_line(line) || (keys == 0 && !line.starts_with('#')) {
            return false;
        }
    }
    false
}

// `Title` above a row of `=`.
pub(super) fn is_underlined(text: &str) -> bool {
    let mut lines = text.lines();
    let title = lines.next().unwrap_or("").trim();
    let rule = lines.next().unwrap_or("").trim();
    !title.is_empty() && rule.len() >= 3 && rule.bytes().all(|byte| byte == b'=')
}
