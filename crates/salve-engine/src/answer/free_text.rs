//! A look at free text: chat with code in it, or code alone.
//!
//! In: the text and what the provider said about its end. Out: the inspector's verdict, and whether
//! what is cut can be used in part. Chat is read as Markdown, in which only an open fence proves a
//! cut; a text that is code from its first line to its last is read as that code. Never finds a cut
//! in prose by its words.

use super::Wanted;
use super::judge::says_ended;
use crate::pipeline::{PipelineOptions, receive};
use salve_text::{InspectOptions, LanguageHints, SentinelRule, detect_language, inspect_text};
use salve_types::{FinishReason, Language, OpenKind, RawReply, Verdict};

/// How much of a text tells its language.
pub(super) const HEAD: usize = 2 * 1024;

/// What a look at a text showed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TextLook {
    pub(super) verdict: Verdict,
    /// The content alone, where it is not the whole text.
    pub(super) clean: Option<String>,
    /// Code or data, which is of no use in part.
    pub(super) structured: bool,
    /// The provider says that it ended, and only a weak sign speaks against it.
    pub(super) doubtful: bool,
}

/// Looks at a text that is there as a whole.
pub(super) fn look(text: &str, finish: Option<&FinishReason>, wanted: &Wanted) -> TextLook {
    if let Some(language) = wanted.language {
        return look_at_content(text, finish, language);
    }
    let language = language_of(head(text));
    let verdict = inspect_text(text, &options(language, finish));
    conclude(text, finish, verdict)
}

/// Returns what the inspector is told about free text.
pub(super) fn options(language: Language, finish: Option<&FinishReason>) -> InspectOptions {
    InspectOptions {
        language: Some(language),
        sentinel: SentinelRule::None,
        finish_reason: finish.cloned(),
        ..InspectOptions::default()
    }
}

/// Returns the longest start of `text` that tells its language and splits no character.
pub(super) fn head(text: &str) -> &str {
    let mut end = HEAD.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Tells how a text is read: as the code it is made of, or as chat. Most answers are chat, which their
/// first line shows; only the others are worth a closer look.
pub(super) fn language_of(head: &str) -> Language {
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
        // Tags stand in chat too; a page says what it is.
        Language::Html if !is_page(trimmed) => Language::Markdown,
        language => language,
    }
}

/// Says what the inspector's verdict means for an answer.
pub(super) fn conclude(
    text: &str,
    finish: Option<&FinishReason>,
    mut verdict: Verdict,
) -> TextLook {
    let ended = says_ended(finish);
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
    TextLook { verdict, clean: None, structured, doubtful }
}

// The content of a known language, by all stages: the answer is that content.
fn look_at_content(text: &str, finish: Option<&FinishReason>, language: Language) -> TextLook {
    let raw = RawReply {
        finish_reason: finish.cloned(),
        language: Some(language),
        ..RawReply::from_text(text)
    };
    let received = receive(&raw, &PipelineOptions::default());
    let clean = (received.text() != text).then(|| received.text().to_owned());
    let structured = !matches!(language, Language::Markdown | Language::Text);
    let verdict = received.verdict().clone();
    let doubtful = says_ended(finish) && verdict.open.is_empty();
    TextLook { verdict, clean, structured, doubtful }
}

fn innermost_is_fence(verdict: &Verdict) -> bool {
    verdict.open.last().is_some_and(|open| open.kind == OpenKind::Fence)
}

/// Returns where the content of the open fence of a chat begins, and its label.
pub(super) fn open_fence<'t>(text: &'t str, verdict: &Verdict) -> Option<(usize, &'t str)> {
    let open = verdict.open.iter().find(|open| open.kind == OpenKind::Fence)?;
    let rest = text.get(open.offset..)?;
    let line = rest.find('\n')?;
    Some((open.offset + line + 1, rest[..line].trim_start_matches(['`', '~']).trim()))
}

// The code in the fence that is open, judged as code. The provider's word counts for the chat only.
fn inside_fence(text: &str, verdict: &Verdict) -> Option<Verdict> {
    let (start, label) = open_fence(text, verdict)?;
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
    let starts = |line: &str| {
        let line = line.trim_start();
        line.starts_with("```") || line.starts_with("~~~")
    };
    text.contains("```") && text.lines().any(starts) || text.starts_with("~~~")
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

// A line of chat is mostly words, whatever code is quoted among them, and does not begin with a word
// that begins a line of code.
fn is_chat_line(line: &str) -> bool {
    const CODE: &[&str] = &[
        "async",
        "await",
        "class",
        "const",
        "create",
        "def",
        "delete",
        "enum",
        "export",
        "extern",
        "fn",
        "for",
        "from",
        "func",
        "function",
        "if",
        "impl",
        "import",
        "insert",
        "interface",
        "let",
        "mod",
        "module",
        "namespace",
        "package",
        "private",
        "protected",
        "pub",
        "public",
        "require",
        "return",
        "select",
        "static",
        "struct",
        "type",
        "update",
        "use",
        "using",
        "var",
        "while",
        "with",
    ];
    let line = line.trim();
    let (mut words, mut others, mut quoted) = (0, 0, false);
    for token in line.split_whitespace() {
        let code = quoted || token.contains('`');
        quoted ^= token.matches('`').count() % 2 == 1;
        let word = token.trim_matches(|letter: char| letter.is_ascii_punctuation());
        if code {
            continue;
        }
        if word.len() > 1 && word.chars().all(|letter| letter.is_alphabetic() || letter == '\'') {
            words += 1;
        } else {
            others += 1;
        }
    }
    let ends = line.ends_with(['.', ':', '!', '?', ',']);
    let first = line.split_whitespace().next().unwrap_or_default();
    let keyword =
        CODE.contains(&first) || CODE.contains(&first.to_ascii_lowercase().as_str()) && !ends;
    words >= 3 && words > 2 * others && !keyword && !line.ends_with(['{', ';', '(', '[', '\\'])
}

/// Returns whether these are words as people write them to each other, with no sign of code.
pub(super) fn is_sentence(line: &str) -> bool {
    let line = line.trim();
    let signs = line.contains(['{', '}', '[', ']', ';', '=', '<', '"', '`', '|', '$', '_'])
        || line.starts_with(['/', '#', '*', '-', '\'', '@', '('])
        || line.contains("():");
    let words = line.split_whitespace().filter(|word| word.chars().all(is_of_word)).count();
    !signs && words >= 3
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphabetic() || matches!(letter, '\'' | '’' | ',' | '.' | '!' | '?' | ':' | '-')
}

/// Returns whether a text ends the way people end texts.
pub(super) fn ends_like_an_end(text: &str) -> bool {
    let end = text.trim_end().trim_end_matches(['*', '_', '"', '\'', ')', '”', '’', '`']);
    end.ends_with(['.', '!', '?', '…', ':', '。', '！', '？']) || text.ends_with('\n')
}
