//! Decides what the fences of a text mean and which block is the content.
//!
//! In: a text with its blocks and what is wanted. Out: the cuts that leave the content. Never takes
//! a fence apart that belongs to the content: an example of a document, a string of a program.

use super::chat;
use super::document::{
    begins_front_matter, document_start, heading_level, is_answer_heading, is_underlined,
};
use super::draft::{Cut, Draft};
use super::fence::{Fenced, find_blocks};
use super::label::{Label, comment_path, path_label, read_info};
use super::reply::{AsideReason, Block};
use super::{Context, Notes, Target};
use crate::markdown::{Fence, Lead};
use crate::prose::{reads_like_code, reads_like_talk};
use crate::sentinel::ending_sentinel;
use salve_types::{Language, Span};

/// The stage: takes the wanted block out of its fences and sets everything else aside.
pub(super) fn cuts(draft: &Draft<'_>, context: &Context<'_>, notes: &mut Notes) -> Vec<Cut> {
    let text = draft.text();
    let blocks = find_blocks(text);
    if blocks.is_empty() {
        return Vec::new();
    }
    let labelled = label_blocks(text, &blocks);
    let decision = decide(text, &labelled, context);
    report(draft, &labelled, &decision, notes);
    let cuts = match decision {
        Decision::Whole => Vec::new(),
        Decision::Stray(block) => stray_cuts(text, &labelled[block].fenced, context, notes),
        Decision::Take(chosen) => take_cuts(text, &labelled, chosen, context, notes),
    };
    cuts.into_iter().filter(|cut| !cut.span.is_empty()).collect()
}

/// A block with everything that names it.
pub(crate) struct Labelled {
    /// The block.
    pub(crate) fenced: Fenced,
    /// What its label, the line above it or its first line says.
    pub(crate) label: Label,
    // The line before the fence that names the file.
    label_line: Option<Span>,
}

enum Decision {
    // The fences are part of the content, or there is nothing to take.
    Whole,
    // The block is the content.
    Take(usize),
    // A closing fence without an opening one ends the content.
    Stray(usize),
}

fn decide(text: &str, blocks: &[Labelled], context: &Context<'_>) -> Decision {
    let outside = || outside_lines(text, blocks);
    let nothing_outside = outside().all(|line| line.trim().is_empty());
    // No program begins with a closed fence, so a reply that does shows its content first.
    let shows_first = text[..blocks[0].fenced.opener.start].trim().is_empty()
        && blocks[0].fenced.closed
        && !blocks[0].fenced.info.is_empty();
    if !nothing_outside && !shows_first {
        if reads_like_code(outside()) {
            return stray(text, blocks);
        }
        if !is_talk(text, outside()) {
            return Decision::Whole;
        }
    }
    let take = || choose(text, blocks, context).map_or(Decision::Whole, Decision::Take);
    match context.target {
        Target::Code(_) | Target::Json => take(),
        Target::Markdown | Target::Document => wrapped_document(text, blocks, nothing_outside),
        Target::Unknown if nothing_outside || is_answer(text, blocks) => take(),
        Target::Unknown => Decision::Whole,
    }
}

// Several lines around the blocks that no one would say are part of the content, such as the rest
// of a script around a here-document.
fn is_talk<'a>(text: &'a str, outside: impl Iterator<Item = &'a str>) -> bool {
    const FEW: usize = 3;
    let lines: Vec<&str> = outside.filter(|line| !line.trim().is_empty()).collect();
    lines.len() < FEW || chat::opens_with_chat(text) || reads_like_talk(&lines)
}

// No one explains the end of a piece of code for longer.
const MOST_TALK_LINES: usize = 30;

// The rest of a reply that was resumed has a closing fence and no opening one.
fn stray(text: &str, blocks: &[Labelled]) -> Decision {
    let Some(last) = blocks.last() else { return Decision::Whole };
    let after = &text[last.fenced.content.range()];
    let is_stray = !last.fenced.closed
        && last.fenced.info.is_empty()
        && Fence::read(&text[last.fenced.opener.range()], Lead::Blanks)
            .is_some_and(|fence| fence.sign == b'`')
        && after.lines().count() <= MOST_TALK_LINES
        && reads_like_talk(&after.lines().collect::<Vec<_>>())
        && reads_like_code(text[..last.fenced.opener.start].lines());
    if is_stray { Decision::Stray(blocks.len() - 1) } else { Decision::Whole }
}

// A document keeps its own fences. A block is its wrapper when it is labelled as a document, or
// unlabelled and alone, and only chat is around it.
fn wrapped_document(text: &str, blocks: &[Labelled], nothing_outside: bool) -> Decision {
    let is_markdown = |block: &Labelled| block.label.language == Some(Language::Markdown);
    let wrapper = blocks.iter().position(is_markdown).or_else(|| {
        (nothing_outside && blocks.len() == 1 && blocks[0].fenced.info.is_empty()).then_some(0)
    });
    let Some(wrapper) = wrapper else { return Decision::Whole };
    let block = &blocks[wrapper];
    let titled = outside_lines(text, blocks).any(is_document_heading);
    let before = &text[..block.label_line.map_or(block.fenced.opener.start, |line| line.start)];
    let content = &text[block.fenced.content.range()];
    // A document inside begins like one; talk around it has no titles of its own.
    let begins = document_start(content) == Some(0);
    if !titled && (begins || chat::is_only_chat(before)) {
        Decision::Take(wrapper)
    } else {
        Decision::Whole
    }
}

fn is_document_heading(line: &str) -> bool {
    heading_level(line).is_some() && !is_answer_heading(line)
}

/// Returns whether the text is an answer that shows code in fences, not a document with examples.
fn is_answer(text: &str, blocks: &[Labelled]) -> bool {
    let chat_end = chat::leading_chat(text, Target::Unknown);
    let body = text[chat_end..].trim_start();
    if begins_front_matter(body) || is_underlined(body) {
        return false;
    }
    let of_document = |line: &str| heading_level(line).filter(|_| !is_answer_heading(line));
    let first = body.lines().next().and_then(of_document);
    let levels: Vec<usize> = outside_lines(text, blocks).filter_map(of_document).collect();
    let rules = outside_lines(text, blocks).filter(|line| is_underline(line)).count();
    if first == Some(1) {
        return false;
    }
    if levels.is_empty() && rules == 0 {
        return true;
    }
    let talks = chat_end > 0 || chat::trailing_chat(text, Target::Unknown) < text.len();
    if talks {
        return first.is_none() || levels.len() < 2;
    }
    // A single large block under small headings is the answer; a title makes it a document's.
    let largest = blocks.iter().map(|block| block.fenced.content.len()).max().unwrap_or(0);
    first.is_none() && rules == 0 && !levels.contains(&1) && largest * 2 >= text.len()
}

// The row of `=` under a title.
fn is_underline(line: &str) -> bool {
    let line = line.trim_end();
    line.len() >= 3 && line.bytes().all(|byte| byte == b'=')
}

// The best block: the wanted path, then the wanted language, then something rather than nothing,
// then the largest.
fn choose(text: &str, blocks: &[Labelled], context: &Context<'_>) -> Option<usize> {
    let rank = |block: &Labelled| {
        let content = &text[block.fenced.content.range()];
        let path = match (context.path, block.label.path.as_deref()) {
            (Some(wanted), Some(named)) => same_file(wanted, named),
            _ => false,
        };
        let size = content.trim().len();
        (path, fit(block, context.target.language()), size > 0, size)
    };
    (0..blocks.len()).max_by_key(|&at| rank(&blocks[at]))
}

// How well a block's language fits the wanted one; commands and outputs come last when nothing
// is wanted.
fn fit(block: &Labelled, wanted: Option<Language>) -> u8 {
    let named = block.label.language;
    match (wanted, named) {
        (Some(wanted), Some(named)) if wanted == named => 3,
        (Some(wanted), Some(named)) if family(wanted) == family(named) => 2,
        (Some(_), None) => 1,
        (Some(_), Some(_)) => 0,
        (None, Some(Language::Bash | Language::Text)) => 0,
        (None, _) => 1,
    }
}

fn family(language: Language) -> Language {
    match language {
        Language::Tsx | Language::JavaScript | Language::Jsx => Language::TypeScript,
        Language::Cpp => Language::C,
        other => other,
    }
}

fn same_file(wanted: &str, named: &str) -> bool {
    let normal = |path: &str| path.replace('\\', "/").trim_start_matches("./").to_owned();
    let (wanted, named) = (normal(wanted), normal(named));
    wanted == named
        || wanted.ends_with(&format!("/{named}"))
        || named.ends_with(&format!("/{wanted}"))
}

/// Finds what names each of the blocks of a text.
pub(crate) fn label_blocks(text: &str, blocks: &[Fenced]) -> Vec<Labelled> {
    let mut from = 0;
    let mut labelled = Vec::with_capacity(blocks.len());
    for fenced in blocks {
        let mut label = read_info(&text[fenced.info.range()]);
        let label_line = line_before(text, from, fenced.opener.start)
            .filter(|line| path_label(&text[line.range()]).is_some());
        if label.path.is_none() {
            let content = &text[fenced.content.range()];
            label.path = label_line
                .and_then(|line| path_label(&text[line.range()]))
                .or_else(|| content.lines().next().and_then(comment_path));
        }
        if label.language.is_none() && fenced.info.is_empty() {
            label.language = label.path.as_deref().and_then(Language::from_path);
        }
        from = fenced.whole().end;
        labelled.push(Labelled { fenced: fenced.clone(), label, label_line });
    }
    labelled
}

// The last line that is not blank before `end`, not looking before `from`.
fn line_before(text: &str, from: usize, end: usize) -> Option<Span> {
    let region = &text[from..end];
    let trimmed = region.trim_end();
    if trimmed.is_empty() {
        return None;
    }
    let start = trimmed.rfind('\n').map_or(0, |at| at + 1);
    // A label is on the line above the fence, or with one blank line between.
    let gap = region[trimmed.len()..].matches('\n').count();
    (gap <= 2).then(|| Span::new(from + start, from + trimmed.len()))
}

fn outside_spans(text: &str, blocks: &[Labelled]) -> Vec<Span> {
    let mut spans = Vec::with_capacity(blocks.len() + 1);
    let mut from = 0;
    for block in blocks {
        let whole = block.fenced.whole();
        spans.push(Span::new(from, whole.start));
        from = whole.end;
    }
    spans.push(Span::new(from, text.len()));
    spans
}

fn outside_lines<'a>(text: &'a str, blocks: &[Labelled]) -> impl Iterator<Item = &'a str> {
    outside_spans(text, blocks).into_iter().flat_map(move |span| text[span.range()].lines())
}

fn take_cuts(
    text: &str,
    blocks: &[Labelled],
    chosen: usize,
    context: &Context<'_>,
    notes: &mut Notes,
) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let outside = outside_spans(text, blocks);
    for (at, (block, before)) in blocks.iter().zip(&outside).enumerate() {
        let reason = if at <= chosen { AsideReason::ChatBefore } else { AsideReason::ChatAfter };
        outside_cuts(text, *before, reason, block.label_line, context, notes, &mut cuts);
        if at != chosen {
            cuts.push(Cut::new(block.fenced.whole(), AsideReason::OtherBlock));
        } else if !is_protected(text, block, context) {
            unwrap_cuts(text, &block.fenced, &mut cuts);
        }
    }
    if let Some(tail) = outside.last() {
        outside_cuts(text, *tail, AsideReason::ChatAfter, None, context, notes, &mut cuts);
    }
    cuts
}

// Without its fence, this document would itself be read as an answer, and the next cleaning would
// take it apart. When no one says that a document is wanted, the fence stays as its proof.
fn is_protected(text: &str, block: &Labelled, context: &Context<'_>) -> bool {
    if context.target != Target::Unknown
        || !matches!(block.label.language, None | Some(Language::Markdown))
    {
        return false;
    }
    let content = &text[block.fenced.content.range()];
    let inner = find_blocks(content);
    if inner.is_empty() {
        return false;
    }
    let inner = label_blocks(content, &inner);
    let nothing_outside = outside_lines(content, &inner).all(|line| line.trim().is_empty());
    !nothing_outside
        && !reads_like_code(outside_lines(content, &inner))
        && is_answer(content, &inner)
}

fn unwrap_cuts(text: &str, fenced: &Fenced, cuts: &mut Vec<Cut>) {
    cuts.push(Cut::new(fenced.opener, AsideReason::Fence));
    if fenced.indent > 0 {
        let mut start = fenced.content.start;
        for line in text[fenced.content.range()].split_inclusive('\n') {
            let width = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let width = width.min(fenced.indent);
            cuts.push(Cut::new(Span::new(start, start + width), AsideReason::FenceIndent));
            start += line.len();
        }
    }
    if let Some(closer) = fenced.closer {
        cuts.push(Cut::new(closer, AsideReason::Fence));
    }
}

// Talk around the blocks, with the label of the next block and a sentinel named for what they are.
fn outside_cuts(
    text: &str,
    span: Span,
    reason: AsideReason,
    label: Option<Span>,
    context: &Context<'_>,
    notes: &mut Notes,
    cuts: &mut Vec<Cut>,
) {
    let mut marked: Vec<(Span, AsideReason)> = Vec::new();
    if reason == AsideReason::ChatAfter {
        let mut start = span.start;
        for line in text[span.range()].split_inclusive('\n') {
            let end = start + line.len();
            if ending_sentinel(line, context.mark).is_some() {
                notes.sentinel_seen = true;
                marked.push((Span::new(start, end), AsideReason::Sentinel));
            }
            start = end;
        }
    }
    marked.extend(label.map(|line| (line, AsideReason::PathLabel)));
    let mut from = span.start;
    for (part, part_reason) in marked {
        cuts.push(Cut::new(Span::new(from, part.start), reason));
        cuts.push(Cut::new(part, part_reason));
        from = part.end;
    }
    cuts.push(Cut::new(Span::new(from, span.end), reason));
}

fn stray_cuts(text: &str, fenced: &Fenced, context: &Context<'_>, notes: &mut Notes) -> Vec<Cut> {
    let mut cuts = vec![Cut::new(fenced.opener, AsideReason::Fence)];
    let tail = Span::new(fenced.opener.end, text.len());
    outside_cuts(text, tail, AsideReason::ChatAfter, None, context, notes, &mut cuts);
    cuts
}

// The blocks of the first text that has any are those of the reply; later rounds look at what is
// inside them.
fn report(draft: &Draft<'_>, blocks: &[Labelled], decision: &Decision, notes: &mut Notes) {
    let chosen = match decision {
        Decision::Take(chosen) => Some(*chosen),
        Decision::Whole | Decision::Stray(_) => None,
    };
    if notes.blocks.is_empty() && !matches!(decision, Decision::Stray(_)) {
        let text = draft.text();
        notes.blocks = blocks
            .iter()
            .enumerate()
            .map(|(at, block)| Block {
                language: block.label.language,
                path: block.label.path.clone(),
                info: text[block.fenced.info.range()].to_owned(),
                span: draft.origin(block.fenced.content),
                closed: block.fenced.closed,
                chosen: chosen == Some(at),
            })
            .collect();
    }
    if let Some(block) = chosen.and_then(|chosen| blocks.get(chosen)) {
        notes.unclosed_fence |= !block.fenced.closed;
        notes.language = notes.language.or(block.label.language);
        if notes.path.is_none() {
            notes.path.clone_from(&block.label.path);
        }
    }
}
