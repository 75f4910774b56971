//! Joining an answer and its continuation, where the answer is chat with code in it.
//!
//! In: the text so far, its verdict, the continuation. Out: the joined text, which starts with the
//! text so far, or the reason why not. In chat a fence is content: only the stretch in which the cut
//! lies (prose up to the next fence, code up to the end of its own) is stitched, what follows is
//! taken as it stands. Never invents a character.

use super::free_text::open_fence;
use salve_text::{
    LanguageHints, RefusalReason, StitchOptions, StitchOutcome, detect_language, stitch,
};
use salve_types::{Language, Verdict};

/// Joins a text and its continuation.
pub(super) fn join(
    partial: &str,
    continuation: &str,
    verdict: &Verdict,
) -> Result<String, RefusalReason> {
    if let Some((start, label)) = open_fence(partial, verdict) {
        return join_in_fence(partial, continuation, start, label);
    }
    match verdict.language {
        Language::Markdown | Language::Text => join_in_prose(partial, continuation),
        language => stitched(partial, continuation, language),
    }
}

// The continuation of code ends where its fence is closed; from there on it is chat again.
fn join_in_fence(
    partial: &str,
    continuation: &str,
    start: usize,
    label: &str,
) -> Result<String, RefusalReason> {
    let (before, code) = partial.split_at(start);
    let hints = LanguageHints { fence: Some(label), ..LanguageHints::default() };
    let language = detect_language(code, &hints);
    let sign = before.trim_end().rsplit('\n').next().unwrap_or_default().trim_start();
    let sign: String = sign.chars().take_while(|&sign| matches!(sign, '`' | '~')).collect();
    let lines = Lines::of(continuation);
    // A continuation that opens a fence of its own has wrapped itself in it.
    let wrapped = lines.first_written().is_some_and(|line| opens_fence(line).is_some());
    if wrapped && lines.first_written().is_some_and(|line| !is_bare_fence(line)) {
        return stitched(partial, continuation, Language::Markdown);
    }
    let close = lines.position(|line, at| {
        is_bare_fence(line) && line.trim_start().starts_with(&sign) && begins_line(code, at)
    });
    let (head, rest) = continuation.split_at(close.unwrap_or(continuation.len()));
    if head.trim().is_empty() {
        let ends_line = code.is_empty() || code.ends_with('\n') || head.contains('\n');
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

// Prose goes on up to the next fence; from there on the continuation is taken as it stands.
fn join_in_prose(partial: &str, continuation: &str) -> Result<String, RefusalReason> {
    let lines = Lines::of(continuation);
    let fence = lines.position(|line, at| opens_fence(line).is_some() && begins_line(partial, at));
    let (head, rest) = continuation.split_at(fence.unwrap_or(continuation.len()));
    let label = rest.lines().next().and_then(opens_fence);
    let wrapped =
        head.trim().is_empty() && matches!(label, Some("markdown" | "md" | "text" | "txt"));
    if rest.is_empty() || wrapped {
        return stitched(partial, continuation, Language::Markdown);
    }
    if head.trim().is_empty() {
        return Ok(format!("{partial}{continuation}"));
    }
    let joined = stitched(partial, head, Language::Markdown)?;
    Ok(assembled("", joined, rest))
}

// The stretch ended with its line; a line break the stitcher set aside belongs to what follows.
fn assembled(before: &str, mut joined: String, rest: &str) -> String {
    if !rest.is_empty() && !joined.ends_with('\n') {
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
    match stitch(partial, continuation, &options).outcome {
        StitchOutcome::Joined { text } => Ok(text),
        StitchOutcome::Refused { why, .. } => Err(why),
    }
}

// The first line of a continuation begins a line only where the text before it ended one.
fn begins_line(partial: &str, at: usize) -> bool {
    at > 0 || partial.is_empty() || partial.ends_with('\n')
}

fn opens_fence(line: &str) -> Option<&str> {
    let line = line.trim();
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let label = line.trim_start_matches(sign);
    let long = line.len() - label.len() >= 3;
    (long && !label.contains('`')).then(|| label.trim())
}

fn is_bare_fence(line: &str) -> bool {
    opens_fence(line).is_some_and(str::is_empty)
}

struct Lines<'t>(&'t str);

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        Self(text)
    }

    // Byte offset of the first line that fits.
    fn position(&self, fits: impl Fn(&str, usize) -> bool) -> Option<usize> {
        let mut at = 0;
        for line in self.0.split_inclusive('\n') {
            if fits(line, at) {
                return Some(at);
            }
            at += line.len();
        }
        None
    }

    fn first_written(&self) -> Option<&'t str> {
        self.0.lines().find(|line| !line.trim().is_empty())
    }
}
