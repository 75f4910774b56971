//! Joins a cut answer and its continuation, where the answer is chat with code in it.
//!
//! In: the text so far, its verdict, the continuation. Out: the joined text, which starts with the
//! text so far, or the reason why not. In chat a fence is content: only the stretch in which the cut
//! lies (prose up to the next fence, code up to the end of its own) is stitched, the rest of the
//! continuation is taken as it is. Never invents a character.

use super::stitch::{
    DropReason, Dropped, RefusalReason, Stitch, StitchOptions, StitchOutcome, stitch,
};
use crate::detect::{LanguageHints, detect_language};
use crate::inspect::{ChatFence, free_text_options, inspect_text, open_fence};
use crate::markdown::{Fence, Lead, half_fence};
use crate::prose::begins_like_announcement;
use salve_types::{Language, Verdict};
use serde::de::IgnoredAny;

/// Joins an answer and its continuation; `verdict` is the one on the answer.
///
/// # Errors
/// The reason, when no join is safe.
pub fn stitch_chat(
    partial: &str,
    continuation: &str,
    verdict: &Verdict,
) -> Result<String, RefusalReason> {
    if let Some(rest) = after_echo(partial, continuation) {
        let empty = rest.trim().is_empty();
        return if empty { Err(RefusalReason::OnlyEcho) } else { Ok(format!("{partial}{rest}")) };
    }
    if half_fence(last_line(partial).as_bytes()).is_some() && continuation.starts_with(['`', '~']) {
        return Ok(format!("{partial}{continuation}"));
    }
    if let Some(open) = open_fence(partial, verdict) {
        return join_in_fence(partial, continuation, &open);
    }
    match verdict.language {
        Language::Markdown | Language::Text => join_in_prose(partial, continuation),
        Language::Json => join_json(partial, continuation),
        language => stitched(partial, continuation, language),
    }
}

// A server that continues the last turn may send that turn again before what is new. What is too
// short to be such an echo may be meant.
fn after_echo<'c>(partial: &str, continuation: &'c str) -> Option<&'c str> {
    const SHORTEST: usize = 16;
    let known = partial.trim();
    if known.len() < SHORTEST {
        return None;
    }
    let rest = continuation.trim_start().strip_prefix(known)?;
    // The blanks at the end of what is known are there already.
    let mut blanks = partial[partial.trim_end().len()..].chars();
    Some(rest.trim_start_matches(|letter: char| blanks.next() == Some(letter)))
}

// The continuation of code ends where its fence is closed; from there on it is chat again.
fn join_in_fence(
    partial: &str,
    continuation: &str,
    open: &ChatFence<'_>,
) -> Result<String, RefusalReason> {
    let (before, code) = partial.split_at(open.start);
    let hints = LanguageHints { fence: Some(open.label), ..LanguageHints::default() };
    let language = detect_language(code, &hints);
    // A continuation that opens a fence of its own has wrapped itself in it.
    let first = continuation.lines().find(|line| !line.trim().is_empty());
    if first.and_then(fence_of).is_some_and(|fence| !fence.is_bare()) {
        return stitched(partial, continuation, Language::Markdown);
    }
    let close = line_position(continuation, |line, at| {
        open.fence.is_closed_by(line) && begins_line(code, at)
    });
    let (head, rest) = continuation.split_at(close.unwrap_or(continuation.len()));
    if head.trim().is_empty() {
        let ends_line = last_line(code).trim().is_empty() || head.contains('\n');
        return if rest.is_empty() {
            Err(RefusalReason::Empty)
        } else if ends_line {
            Ok(format!("{partial}{continuation}"))
        } else {
            Ok(format!("{partial}\n{rest}"))
        };
    }
    let joined = stitched(code, head, language)?;
    Ok(assembled(before, joined, rest))
}

// Of JSON the bytes tell more than the look: a repetition that may be a coincidence is kept where
// the value is whole, or could become it, with it.
fn join_json(partial: &str, continuation: &str) -> Result<String, RefusalReason> {
    let joined = stitched(partial, continuation, Language::Json);
    if joined.as_deref().is_ok_and(|text| text.len() == partial.len() + continuation.len()) {
        return joined;
    }
    let plain = format!("{partial}{continuation}");
    let repeated = overlap(partial, continuation);
    let meant = !repeated.is_empty() && is_coincidence(repeated);
    let stitched_fits = joined.as_deref().map_or(JsonFit::Wrong, json_fit);
    let plain_fits = json_fit(&plain);
    let kept = meant && plain_fits > JsonFit::Wrong && plain_fits >= stitched_fits;
    if kept { Ok(plain) } else { joined }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum JsonFit {
    Wrong,
    Beginning,
    Whole,
}

fn json_fit(text: &str) -> JsonFit {
    match serde_json::from_str::<IgnoredAny>(text.trim()) {
        Ok(_) => JsonFit::Whole,
        Err(error) if error.is_eof() => JsonFit::Beginning,
        Err(_) => JsonFit::Wrong,
    }
}

// Prose goes on up to the next fence; from there on the continuation is taken as it is.
fn join_in_prose(partial: &str, continuation: &str) -> Result<String, RefusalReason> {
    let fence = line_position(continuation, |line, at| {
        fence_of(line).is_some() && begins_line(partial, at)
    });
    let (head, rest) = continuation.split_at(fence.unwrap_or(continuation.len()));
    let label = rest.lines().next().and_then(|line| Some(fence_of(line)?.info(line)));
    let blank = head.trim().is_empty();
    if blank && matches!(label, Some("markdown" | "md" | "text" | "txt")) {
        return stitched(partial, continuation, Language::Markdown);
    }
    if blank && !rest.is_empty() {
        return Ok(format!("{partial}{continuation}"));
    }
    let joined = match stitched_prose(partial, head) {
        // What comes after the fence is new, whatever is said again before it.
        Err(RefusalReason::OnlyEcho) if !rest.is_empty() => {
            format!("{partial}{}", new_blanks(partial, head))
        }
        joined => joined?,
    };
    Ok(assembled("", joined, rest))
}

// The blanks at the end of the second text that the first one does not end with.
fn new_blanks<'t>(first: &str, second: &'t str) -> &'t str {
    let mut known = first[first.trim_end().len()..].chars();
    let blanks = &second[second.trim_end().len()..];
    blanks.trim_start_matches(|letter: char| known.next() == Some(letter))
}

// The stitcher knows echoes and talk. Its other habits are for code: in prose lines are not moved,
// nothing at the end is a wrapper, and a first word that does not fit is no sign of another text.
fn stitched_prose(partial: &str, head: &str) -> Result<String, RefusalReason> {
    let options = StitchOptions { language: Some(Language::Markdown), ..StitchOptions::default() };
    let found = stitch(partial, head, &options);
    match &found.outcome {
        StitchOutcome::Joined { .. } => Ok(unmoved(partial, head, &found, is_echo)),
        StitchOutcome::Refused { why, .. } => {
            let taken = match why {
                RefusalReason::AmbiguousSeam => !repeats_line(partial, head),
                RefusalReason::AmbiguousRepetition => is_coincidence(overlap(partial, head)),
                RefusalReason::Unrelated => true,
                _ => false,
            };
            if taken { Ok(format!("{partial}{head}")) } else { Err(*why) }
        }
    }
}

// What the model wrote, less what `drop` says; no line is moved.
fn unmoved(partial: &str, head: &str, found: &Stitch, drop: fn(&Dropped) -> bool) -> String {
    let mut joined = format!("{partial}{}", found.inserted);
    let mut at = 0;
    for dropped in found.dropped.iter().filter(|dropped| drop(dropped)) {
        joined.push_str(head.get(at..dropped.span.start).unwrap_or_default());
        at = dropped.span.end.max(at);
    }
    joined.push_str(head.get(at..).unwrap_or_default());
    joined
}

// What is set aside from prose: what is in the partial text already, and what is for no one.
fn is_echo(dropped: &Dropped) -> bool {
    match dropped.reason {
        DropReason::RepeatedText | DropReason::RepeatedHalfLine | DropReason::PrefillEcho => {
            !is_coincidence(&dropped.text)
        }
        DropReason::Preamble => {
            dropped.text.trim_end().ends_with(':') || begins_like_announcement(&dropped.text)
        }
        DropReason::RepeatedLines
        | DropReason::RestartedBlock
        | DropReason::Sentinel
        | DropReason::PromptEcho => true,
        _ => false,
    }
}

// A repetition of one short word, or of signs alone, happens in every text.
fn is_coincidence(text: &str) -> bool {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric()).count();
    letters < 8 || (text.len() < 24 && !text.trim().contains(char::is_whitespace))
}

// The end of the first text that the second one begins with.
fn overlap<'t>(first: &str, second: &'t str) -> &'t str {
    let longest = first.len().min(second.len()).min(400);
    let fits = |&count: &usize| second.is_char_boundary(count) && first.ends_with(&second[..count]);
    let count = (1..=longest).rev().find(fits).unwrap_or(0);
    &second[..count]
}

fn last_line(text: &str) -> &str {
    text.rsplit('\n').next().unwrap_or_default()
}

// Whether the continuation begins the line again that was cut.
fn repeats_line(partial: &str, head: &str) -> bool {
    let line = last_line(partial).trim();
    line.len() >= 4 && head.trim_start().starts_with(line)
}

// The stretch ended with its line; a line break the stitcher set aside belongs to what follows.
fn assembled(before: &str, mut joined: String, rest: &str) -> String {
    if !rest.is_empty() && !last_line(&joined).trim().is_empty() {
        joined.push('\n');
    }
    format!("{before}{joined}{rest}")
}

fn stitched(
    partial: &str,
    continuation: &str,
    language: Language,
) -> Result<String, RefusalReason> {
    let options = StitchOptions { language: Some(language), ..StitchOptions::default() };
    let found = stitch(partial, continuation, &options);
    let why = match &found.outcome {
        // Where indentation means nothing, lines stay where the model put them.
        StitchOutcome::Joined { .. }
            if found.reindented.is_some()
                && found.dropped.is_empty()
                && !matches!(language, Language::Python | Language::Yaml) =>
        {
            return Ok(unmoved(partial, continuation, &found, |_| true));
        }
        StitchOutcome::Joined { text } => return Ok(text.clone()),
        StitchOutcome::Refused { why, .. } => *why,
    };
    let plain = format!("{partial}{continuation}");
    let taken = match why {
        // The readings differ in blanks only: then it stays as it was written.
        RefusalReason::AmbiguousSeam => !repeats_line(partial, continuation),
        RefusalReason::Unrelated => closes(partial, &plain, language),
        _ => false,
    };
    if taken { Ok(plain) } else { Err(why) }
}

// A continuation that brings everything that was open to its end belongs to the text, whatever its
// first line looks like. Talk closes nothing.
fn closes(partial: &str, joined: &str, language: Language) -> bool {
    if matches!(language, Language::Markdown | Language::Text) {
        return false;
    }
    let look = |text: &str| inspect_text(text, &free_text_options(language, None));
    !look(partial).open.is_empty() && look(joined).is_valid
}

// The first line of a continuation begins a line only where the text before it ended one.
fn begins_line(partial: &str, at: usize) -> bool {
    at > 0 || last_line(partial).trim().is_empty()
}

fn fence_of(line: &str) -> Option<Fence> {
    Fence::read(line, Lead::Blanks)
}

// Byte offset of the first line that fits; `fits` gets the line and its offset.
fn line_position(text: &str, fits: impl Fn(&str, usize) -> bool) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if fits(line, at) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests;
