//! Characters and tokens that no person wrote: byte order marks, special tokens of models.
//!
//! In: a text. Out: cuts at its two ends. Never touches such a token in the middle of a text, where
//! it may be what the text is about.

use super::draft::{Cut, Draft};
use super::reply::AsideReason;
use super::{Context, Notes, Target};
use salve_types::{Language, Span};

#[rustfmt::skip]
const AT_START: &[&str] = &[
    "<|begin_of_text|>", "<|begin▁of▁sentence|>", "<｜begin▁of▁sentence｜>", "<|startoftext|>",
    "<bos>", "<|im_start|>assistant", "<|start_header_id|>assistant<|end_header_id|>",
    "<|assistant|>", "<｜Assistant｜>", "<start_of_turn>model", "[/INST]", "<|start|>assistant",
    "<|python_tag|>", "[TOOL_CALLS]", "<|tool▁calls▁begin|>", "<|action_start|><|plugin|>",
];

#[rustfmt::skip]
const AT_END: &[&str] = &[
    "<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "<|endoftext|>", "<|end|>", "<|eom_id|>",
    "<|return|>", "<|call|>", "<end_of_turn>", "<eos>", "<｜end▁of▁sentence｜>",
    "<|end▁of▁sentence|>", "<|END_OF_TURN_TOKEN|>", "<|endofcontent|>", "<|action_end|>",
    "[/INST]", "<|user|>", "<|end_of_solution|>",
];

/// The stage: removes invisible characters at the start and special tokens at both ends.
pub(super) fn cuts(draft: &Draft<'_>, context: &Context<'_>, _: &mut Notes) -> Vec<Cut> {
    let text = draft.text();
    let strike = may_strike(text, context);
    let mut cuts = Vec::new();
    let mut start = 0;
    loop {
        let rest = &text[start..];
        let visible = rest.trim_start_matches(is_invisible);
        if visible.len() < rest.len() {
            let end = text.len() - visible.len();
            cuts.push(Cut::new(Span::new(start, end), AsideReason::Invisible));
            start = end;
        }
        let Some(len) = token_at_start(&text[start..], strike) else { break };
        cuts.push(Cut::new(Span::new(start, start + len), AsideReason::SpecialToken));
        start += len;
    }
    let mut end = text.len();
    while let Some(token) = token_at_end(&text[start..end], strike) {
        end = start + token;
    }
    if end < text.len() {
        cuts.push(Cut::new(Span::new(end, text.len()), AsideReason::SpecialToken));
    }
    cuts
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{FEFF}' | '\u{200B}' | '\u{200C}' | '\u{200D}' | '\u{2060}' | '\u{FFFE}')
}

// The length of a special token at the start, with the space around it.
fn token_at_start(text: &str, strike: bool) -> Option<usize> {
    let trimmed = text.trim_start();
    let token = AT_START
        .iter()
        .copied()
        .find(|token| trimmed.starts_with(token))
        .or_else(|| (trimmed.starts_with("<s>") && !strike).then_some("<s>"))?;
    let rest = &trimmed[token.len()..];
    // One line end after the token belongs to it; more may be content.
    let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest);
    let rest = rest.trim_start_matches(' ');
    Some(text.len() - rest.len())
}

// The offset from which a special token and the space after it end the text.
fn token_at_end(text: &str, strike: bool) -> Option<usize> {
    let trimmed = text.trim_end();
    let token = AT_END
        .iter()
        .copied()
        .find(|token| trimmed.ends_with(token))
        .or_else(|| (trimmed.ends_with("</s>") && !strike).then_some("</s>"))?;
    Some(trimmed.len() - token.len())
}

// `<s>` is also HTML's strike-through: in a pair inside a line, or where HTML is wanted.
fn may_strike(text: &str, context: &Context<'_>) -> bool {
    if matches!(context.target, Target::Code(Some(Language::Html | Language::Jsx | Language::Tsx)))
    {
        return true;
    }
    let trimmed = text.trim();
    let inner = trimmed.strip_prefix("<s>").unwrap_or(trimmed);
    inner.contains("<s>")
}
