//! The prompt that asks a model to go on where its text was cut.
//!
//! In: the cut text, its verdict, and what is known about the cause. Out: the prompt. Never generic:
//! the kind of the cut, its line, the exact closer and the last characters are in it.

use super::tail::{context_tail, fence_around};
use super::template::{Template, TemplateError, fill};
use crate::inspect::Cut;
use crate::{DEFAULT_MARK, sentinel_line};
use salve_types::{
    FinishReason, OpenConstruct, OpenKind, TruncationFamily, TruncationKind, Verdict,
};

/// How a resume prompt is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptOptions {
    /// The text around the facts.
    pub template: Template,
    /// How many characters of the cut text the model sees.
    pub tail_characters: usize,
    /// Why the text was cut, if the provider said so: a broken connection is not a length limit.
    pub finish_reason: Option<FinishReason>,
    /// The marker text of the sentinel to ask for, or nothing to ask for none.
    pub sentinel_mark: Option<String>,
}

impl Default for PromptOptions {
    fn default() -> Self {
        Self {
            template: Template::AutoResume,
            tail_characters: 400,
            finish_reason: None,
            sentinel_mark: Some(DEFAULT_MARK.to_owned()),
        }
    }
}

/// Writes the prompt that asks for the rest of `text`.
///
/// Placeholders for templates: `LINE_NUMBER`, `ERROR_TYPE`, `LANGUAGE`, `CAUSE`, `CLOSER`,
/// `OPEN_LINE` (the closer as a sentence, for cuts outside strings and tags), `SAFETY` (the block
/// for open strings and open tags), `FIRST_CHARACTERS` (the same as one instruction), `SENTINEL`,
/// `ENDING` (the fourth instruction), `TAIL_LENGTH`, `FENCE`, `CONTEXT_TAIL`, `CUT_POINT`.
///
/// # Errors
///
/// Fails when the template asks for a placeholder that does not exist.
pub fn resume_prompt(
    text: &str,
    verdict: &Verdict,
    options: &PromptOptions,
) -> Result<String, TemplateError> {
    let tail = context_tail(text, options.tail_characters);
    let kind = verdict.kind.unwrap_or(TruncationKind::GeneralTruncation);
    let closers = closers(verdict, kind);
    let sentinel = options
        .sentinel_mark
        .as_deref()
        .and_then(|mark| sentinel_line(verdict.language, mark))
        .unwrap_or_default();
    let line = verdict.truncation_line.unwrap_or_else(|| {
        let lines = text.trim_end().lines().count();
        u32::try_from(lines).unwrap_or(u32::MAX)
    });
    let values = [
        ("LINE_NUMBER", line.to_string()),
        ("ERROR_TYPE", kind.name().to_owned()),
        ("LANGUAGE", verdict.language.name().to_owned()),
        ("CAUSE", cause(options.finish_reason.as_ref()).to_owned()),
        ("CLOSER", if closers.is_empty() { "nothing".to_owned() } else { closers.clone() }),
        ("OPEN_LINE", open_line(kind, &closers)),
        ("SAFETY", safety(kind, &closers)),
        ("FIRST_CHARACTERS", first_characters(kind, &closers)),
        ("ENDING", ending(&sentinel)),
        ("SENTINEL", sentinel),
        ("TAIL_LENGTH", options.tail_characters.to_string()),
        ("FENCE", fence_around(tail)),
        ("CONTEXT_TAIL", tail.to_owned()),
        ("CUT_POINT", cut_point(text).to_owned()),
    ];
    fill(options.template.text(), &values)
}

/// Writes the prompt that asks for the rest of a cut reply.
///
/// The reply's own reason for stopping is told unless the options name another one.
///
/// # Errors
///
/// Fails when the template asks for a placeholder that does not exist.
pub fn resume_prompt_for(cut: &Cut, options: &PromptOptions) -> Result<String, TemplateError> {
    let known = options.finish_reason.clone().or_else(|| cut.reply().finish_reason().cloned());
    let options = PromptOptions { finish_reason: known, ..options.clone() };
    resume_prompt(cut.text(), cut.verdict(), &options)
}

// What the model is told about the cause. A broken line says nothing about the length of the
// answer, so the model is not told to be brief; a limit will strike again, so it is told to go on
// without any preamble.
fn cause(reason: Option<&FinishReason>) -> &'static str {
    match reason {
        Some(FinishReason::Disconnect) => {
            "The network connection broke while you were writing; no limit was reached."
        }
        Some(FinishReason::Length) => {
            "The output length limit was reached; spend no characters on anything but the rest."
        }
        Some(FinishReason::ContentFilter) => "A content filter ended the response early.",
        Some(FinishReason::Stop | FinishReason::ToolCalls) => {
            "You ended the response before the text was complete."
        }
        _ => "",
    }
}

// The closers the continuation must bring, innermost first: for a string or a tag only up to the
// end of the tag, because what follows is the continuation's own business.
fn closers(verdict: &Verdict, kind: TruncationKind) -> String {
    const SHOWN: usize = 8;
    let innermost: Vec<&OpenConstruct> = verdict.open.iter().rev().collect();
    let needed: Vec<&str> = match kind.family() {
        TruncationFamily::Structure => innermost.iter().map(|open| open.closer.trim()).collect(),
        _ => {
            let outer = innermost.iter().skip(1).take_while(|open| open.kind == OpenKind::Tag);
            innermost.iter().take(1).chain(outer).map(|open| tag_end(open.closer.trim())).collect()
        }
    };
    let needed: Vec<&str> = needed.into_iter().filter(|closer| !closer.is_empty()).collect();
    let mut words: Vec<String> = needed.iter().take(SHOWN).map(|closer| code(closer)).collect();
    if needed.len() > SHOWN {
        words.push(format!("{} more", needed.len() - SHOWN));
    }
    words.join(" then ")
}

// What ends the tag itself; the end tag of the element is the continuation's own business.
fn tag_end(closer: &str) -> &str {
    closer.find('>').map_or(closer, |at| &closer[..=at])
}

// A closer as inline code, with backticks that it cannot close itself.
fn code(closer: &str) -> String {
    if closer.contains('`') { format!("`` {closer} ``") } else { format!("`{closer}`") }
}

fn open_line(kind: TruncationKind, closers: &str) -> String {
    if closers.is_empty() || kind.family() != TruncationFamily::Structure {
        return String::new();
    }
    format!("STILL OPEN: the rest must in the end close, innermost first: {closers}.")
}

fn safety(kind: TruncationKind, closers: &str) -> String {
    let (rule, example) = match kind.family() {
        TruncationFamily::OpenString => (
            "⚠️ STRING SAFETY: Your last token was inside an unclosed string.\n\
             YOUR FIRST OUTPUT MUST: Close the string with \" (or ' or `) and any open tags.",
            "EXAMPLE: ...gradient-to-r from-zinc-900\"> to close a className.",
        ),
        TruncationFamily::OpenTag => (
            "⚠️ TAG SAFETY: Your last token was inside an unclosed tag.\n\
             YOUR FIRST OUTPUT MUST: Finish the attribute you were in, if any, and close the tag.",
            "EXAMPLE: ...disabled={busy}> to close a <button.",
        ),
        _ => return String::new(),
    };
    let exact = if closers.is_empty() {
        String::new()
    } else {
        format!("EXACT CLOSER: {closers}, as soon as the text inside is complete.\n")
    };
    format!("\n{rule}\n{exact}{example}")
}

fn first_characters(kind: TruncationKind, closers: &str) -> String {
    let what = match kind.family() {
        TruncationFamily::OpenString => "string",
        TruncationFamily::OpenTag => "tag",
        _ => return String::new(),
    };
    let with = if closers.is_empty() { String::new() } else { format!(" with {closers}") };
    format!(
        "0. The truncation ended inside a {what}: your FIRST characters must CLOSE that {what}{with} and any open tags"
    )
}

fn ending(sentinel: &str) -> String {
    if sentinel.is_empty() {
        "End right after the last character of the text, with nothing behind it".to_owned()
    } else {
        format!("End with: {sentinel}")
    }
}

// Whether the next character goes on a line or starts one cannot be seen in a fenced block, whose
// last line break is the fence's own.
fn cut_point(text: &str) -> &'static str {
    if text.is_empty() || text.ends_with('\n') {
        "The cut is right after a line break: your first character starts a new line."
    } else {
        "The cut is inside the last line: your first character follows its last character directly."
    }
}

#[cfg(test)]
mod tests;
