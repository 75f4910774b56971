//! Free text: an answer that is chat with code in it, or code alone.
//!
//! In: the text, whole or in pieces, and what the provider said about its end. Out: the inspector's
//! verdict, and whether a cut text can be used in part. Chat is read as Markdown, in which only an
//! open fence proves a cut; a text that is code from its first line to its last is read as that
//! code. Never finds a cut in prose by its words.

use super::{InspectOptions, Inspector, SentinelRule, inspect_text};
use crate::detect::{LanguageHints, detect_language};
use crate::lines::head;
use crate::markdown::{Fence, Lead};
use crate::prose::{is_chat_line, is_sentence};
use salve_types::{FinishReason, Language, OpenKind, Verdict};

/// How much of a text tells its language.
const HEAD: usize = 2 * 1024;

/// What free text was found to be.
#[derive(Debug, Clone, PartialEq)]
pub struct FreeText {
    /// The verdict on the text.
    pub verdict: Verdict,
    /// Whether it is code or data, which is of no use in part.
    pub structured: bool,
    /// Whether the provider says that it ended, and only a weak sign speaks against that.
    pub doubtful: bool,
}

/// Inspects free text that arrives in pieces; the result is the same for any pieces.
#[derive(Debug)]
pub struct FreeTextInspector {
    state: State,
}

#[derive(Debug)]
enum State {
    // The start of the text; its language is not known yet.
    Head(String),
    Reading(Box<Inspector>),
}

impl Default for FreeTextInspector {
    fn default() -> Self {
        Self { state: State::Head(String::new()) }
    }
}

impl FreeTextInspector {
    /// Takes the next piece of the text.
    pub fn push(&mut self, piece: &str) {
        match &mut self.state {
            State::Reading(inspector) => inspector.push(piece),
            State::Head(held) => {
                held.push_str(piece);
                if held.len() >= HEAD {
                    let mut inspector =
                        Inspector::new(&options(language_of(head(held, HEAD)), None));
                    inspector.push(held);
                    self.state = State::Reading(Box::new(inspector));
                }
            }
        }
    }

    /// Returns how many bytes of the heap this inspection holds at the moment.
    pub fn heap_bytes(&self) -> usize {
        match &self.state {
            State::Head(held) => held.capacity(),
            State::Reading(inspector) => inspector.state_bytes(),
        }
    }

    /// Ends the text, which is `text` as a whole, and judges it.
    pub fn finish(self, text: &str, finish: Option<&FinishReason>) -> FreeText {
        match self.state {
            State::Head(_) => inspect_free_text(text, finish),
            State::Reading(mut inspector) => {
                inspector.stopped(finish.cloned());
                conclude(text, finish, inspector.finish())
            }
        }
    }
}

/// Inspects free text that is there as a whole.
pub fn inspect_free_text(text: &str, finish: Option<&FinishReason>) -> FreeText {
    let language = language_of(head(text, HEAD));
    let verdict = inspect_text(text, &options(language, finish));
    conclude(text, finish, verdict)
}

/// Returns what the inspector is told about free text.
pub(crate) fn options(language: Language, finish: Option<&FinishReason>) -> InspectOptions {
    InspectOptions {
        language: Some(language),
        sentinel: SentinelRule::None,
        finish_reason: finish.cloned(),
        ..InspectOptions::default()
    }
}

// How a text is read: as the code it is made of, or as chat. Most answers are chat, which their
// first line shows; only the others are worth a closer look.
fn language_of(head: &str) -> Language {
    let trimmed = head.trim_start();
    let first = trimmed.lines().next().unwrap_or_default();
    let opens = trimmed.starts_with(['{', '[', '<']) || trimmed.starts_with("#!");
    let signs = head.bytes().any(|byte| matches!(byte, b'{' | b'}' | b';' | b'=' | b'<'))
        || head.contains("):");
    if !(opens || signs) || is_chat_line(first) || is_markdown(first) || has_fence(head) {
        return Language::Markdown;
    }
    match detect_language(head, &LanguageHints::default()) {
        Language::Text => Language::Markdown,
        // Tags are in chat too; a page says what it is.
        Language::Html if !is_page(trimmed) => Language::Markdown,
        language => language,
    }
}

// What the inspector's verdict means for an answer.
fn conclude(text: &str, finish: Option<&FinishReason>, mut verdict: Verdict) -> FreeText {
    let ended = !finish.is_some_and(FinishReason::is_cut);
    let chat = matches!(verdict.language, Language::Markdown | Language::Text);
    let structured = !chat || innermost_is_fence(&verdict);
    let mut doubtful = false;
    if !verdict.is_valid && !chat {
        // The language is a guess from the first lines, except for JSON, whose opening tells it.
        doubtful = ended && verdict.language != Language::Json;
        let talk = text.trim_end().lines().next_back().is_some_and(is_sentence);
        verdict.is_valid = doubtful && (talk || verdict.open.is_empty());
    } else if !verdict.is_valid && structured {
        let inside = inside_fence(text, &verdict);
        doubtful = ended && inside.as_ref().is_none_or(|inside| inside.is_valid);
        if let Some(inside) = inside.filter(|inside| !inside.is_valid) {
            verdict = with_inside(verdict, inside);
        }
    } else if !verdict.is_valid && ended {
        verdict.is_valid = true;
    }
    FreeText { verdict, structured, doubtful }
}

fn innermost_is_fence(verdict: &Verdict) -> bool {
    verdict.open.last().is_some_and(|open| open.kind == OpenKind::Fence)
}

/// The fence of a chat in which the text ends.
pub(crate) struct ChatFence<'t> {
    pub(crate) fence: Fence,
    /// Its info string.
    pub(crate) label: &'t str,
    /// Where its content begins.
    pub(crate) start: usize,
}

/// Finds the fence that the verdict on a chat says is open.
pub(crate) fn open_fence<'t>(text: &'t str, verdict: &Verdict) -> Option<ChatFence<'t>> {
    let open = verdict.open.iter().find(|open| open.kind == OpenKind::Fence)?;
    let rest = text.get(open.offset..)?;
    let line = rest.split_inclusive('\n').next().filter(|line| line.ends_with('\n'))?;
    let fence = Fence::read(line, Lead::Margin)?;
    Some(ChatFence { fence, label: fence.info(line), start: open.offset + line.len() })
}

// The code in the fence that is open, judged as code. The provider's word counts for the chat only.
fn inside_fence(text: &str, verdict: &Verdict) -> Option<Verdict> {
    let ChatFence { label, start, .. } = open_fence(text, verdict)?;
    let code = text.get(start..)?;
    let hints = LanguageHints { fence: Some(label), ..LanguageHints::default() };
    let language = detect_language(code, &hints);
    if matches!(language, Language::Markdown | Language::Text) {
        return None;
    }
    Some(inspect_text(code, &options(language, None)))
}

// The verdict of the code, in the positions of the chat around it.
fn with_inside(outer: Verdict, mut inside: Verdict) -> Verdict {
    let fence = outer.open.into_iter().find(|open| open.kind == OpenKind::Fence);
    let Some(fence) = fence else { return inside };
    for line in [&mut inside.truncation_line, &mut inside.opened_at_line].into_iter().flatten() {
        *line = line.saturating_add(fence.line);
    }
    inside.evidence.extend(outer.evidence);
    inside.open.insert(0, fence);
    inside
}

fn has_fence(text: &str) -> bool {
    text.lines().any(|line| Fence::read(line, Lead::Blanks).is_some())
}

fn is_page(text: &str) -> bool {
    let pages = ["<!doctype", "<html", "<?xml", "<svg"];
    pages.iter().any(|tag| text.get(..tag.len()).is_some_and(|it| it.eq_ignore_ascii_case(tag)))
}

// A first line that only a document has.
fn is_markdown(line: &str) -> bool {
    let heads = ["# ", "## ", "### ", "> ", "- ", "* ", "**", "![", "[!", "<!--", "| "];
    let number = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let numbered = number.len() < line.len() && number.starts_with([' ', '.', ')']);
    heads.iter().any(|head| line.starts_with(head)) || line.contains("](") || numbered
}
