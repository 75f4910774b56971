//! Joining an answer and its continuation, where the answer is chat with code in it.
//!
//! In: the text so far, its verdict, the continuation. Out: the joined text, which starts with the
//! text so far, or the reason why not. In chat a fence is content: only the stretch in which the cut
//! lies (prose up to the next fence, code up to the end of its own) is stitched, what follows is
//! taken as it stands. Never invents a character.

use super::free_text::{open_fence, options};
use super::strict::{self, Strict};
use super::verdict::Part;
use salve_text::{
    DropReason, Dropped, LanguageHints, RefusalReason, Stitch, StitchOptions, StitchOutcome,
    detect_language, inspect_text, stitch,
};
use salve_types::{Language, Verdict};

/// Joins a text and its continuation.
pub(super) fn join(
    partial: &str,
    continuation: &str,
    verdict: &Verdict,
) -> Result<String, RefusalReason> {
    if let Some(rest) = after_echo(partial, continuation) {
        let empty = rest.trim().is_empty();
        return if empty { Err(RefusalReason::OnlyEcho) } else { Ok(format!("{partial}{rest}")) };
    }
    if is_half_fence(last_line(partial)) && continuation.starts_with(['`', '~']) {
        return Ok(format!("{partial}{continuation}"));
    }
    if let Some((start, label)) = open_fence(partial, verdict) {
        return join_in_fence(partial, continuation, start, label);
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
    let fits = |text: &str| match strict::read(text.trim(), Part::Text) {
        Strict::Whole(_) => 2,
        Strict::Beginning => 1,
        Strict::Wrong(_) => 0,
    };
    let stitched_fits = joined.as_deref().map_or(0, fits);
    if meant && fits(&plain) > 0 && fits(&plain) >= stitched_fits { Ok(plain) } else { joined }
}

// Prose goes on up to the next fence; from there on the continuation is taken as it stands.
fn join_in_prose(partial: &str, continuation: &str) -> Result<String, RefusalReason> {
    let lines = Lines::of(continuation);
    let fence = lines.position(|line, at| opens_fence(line).is_some() && begins_line(partial, at));
    let (head, rest) = continuation.split_at(fence.unwrap_or(continuation.len()));
    let label = rest.lines().next().and_then(opens_fence);
    let blank = head.trim().is_empty();
    if blank && matches!(label, Some("markdown" | "md" | "text" | "txt")) {
        return stitched(partial, continuation, Language::Markdown);
    }
    if blank && !rest.is_empty() {
        return Ok(format!("{partial}{continuation}"));
    }
    let joined = stitched_prose(partial, head)?;
    Ok(assembled("", joined, rest))
}

// The stitcher knows echoes and talk. Its other habits are for code: in prose lines are not moved,
// nothing at the end is a wrapper, and a first word that does not fit is no sign of another text.
fn stitched_prose(partial: &str, head: &str) -> Result<String, RefusalReason> {
    let options = StitchOptions { language: Some(Language::Markdown), ..StitchOptions::default() };
    let found = stitch(partial, head, &options);
    match &found.outcome {
        StitchOutcome::Joined { .. } => Ok(unmoved(partial, head, &found, is_echo)),
        StitchOutcome::Refused { why, message } => {
            let taken = match why {
                RefusalReason::AmbiguousSeam => !repeats_line(partial, head),
                RefusalReason::AmbiguousRepetition => is_coincidence(overlap(partial, head)),
                RefusalReason::Unrelated => !message.contains("is talk"),
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

// What is set aside from prose: what stands in the partial text already, and what is for nobody.
fn is_echo(dropped: &Dropped) -> bool {
    match dropped.reason {
        DropReason::RepeatedText | DropReason::RepeatedHalfLine => !is_coincidence(&dropped.text),
        DropReason::Preamble => is_announcement(&dropped.text),
        DropReason::PrefillEcho
        | DropReason::RepeatedLines
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

// Words before a continuation that are about it.
fn is_announcement(text: &str) -> bool {
    let text = text.trim();
    let opens = ["Sure", "Certainly", "Of course", "Here", "Okay", "OK", "Continuing", "Apolog"];
    text.ends_with(':') || opens.iter().any(|word| text.starts_with(word))
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
    let look = |text: &str| inspect_text(text, &options(language, None));
    !look(partial).open.is_empty() && look(joined).is_valid
}

// The first line of a continuation begins a line only where the text before it ended one.
fn begins_line(partial: &str, at: usize) -> bool {
    at > 0 || last_line(partial).trim().is_empty()
}

// The beginning of a fence: one or two of its three signs.
fn is_half_fence(line: &str) -> bool {
    matches!(line.trim_start_matches([' ', '>', '*', '-', '+']), "`" | "``" | "~" | "~~")
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

#[cfg(test)]
mod tests;
