//! How far an answer has come, told from the request that asks for the rest.
//!
//! In: a full answer and what was heard. Out: that this is a first question, the place where the
//! answer was cut, or a wish for the whole again. Never keeps state: the same request always
//! continues at the same place, so that thousands of conversations can run at once.
//!
//! The place is looked for in this order: the model's last turn is exactly the beginning of the
//! answer; it is so but for blanks at its end; it ends with a tail of the answer; a quotation in the
//! last user turn (between fences, or plain) is a beginning or a tail of the answer, as it is or
//! escaped as in JSON. Then the same for the arguments of the tool calls, the last one first.

use super::answer::{Part, Place, content, floor_boundary};
use super::heard::Heard;
use super::script::Reply;
use memchr::memmem;

/// What a request asks of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// The answer, from its beginning.
    First,
    /// The answer from this place on.
    Rest(Place),
    /// The whole once more, after something was wrong with it: the tool calls where the request has
    /// tools, else the text.
    Again,
}

/// Finds out what is asked.
pub(super) fn asks(reply: &Reply, heard: &Heard) -> Asks {
    let words = split_at_fences(heard.last_user()).1.to_ascii_lowercase();
    let is_later = heard.users.len() > 1 || heard.assistant.is_some();
    let has_calls = heard.has_tools && !reply.tool_calls.is_empty();
    if is_later && has_word(&words, &["again"]) && has_word(&words, WHOLE) {
        return Asks::Again;
    }
    if !heard.ends_with_assistant && !has_word(&words, GO_ON) {
        return Asks::First;
    }
    if let Some(byte) = in_text(&reply.text, heard) {
        return Asks::Rest(Place { part: Part::Text, byte });
    }
    match in_calls(reply, heard) {
        Some(_) if has_calls => Asks::Again,
        Some(place) => Asks::Rest(place),
        None => Asks::First,
    }
}

const GO_ON: &[&str] = &[
    "continue",
    "continuation",
    "cut off",
    "was cut",
    "truncat",
    "the rest",
    "go on",
    "left off",
    "so far",
    "remaining",
    "resume",
];
const WHOLE: &[&str] = &["whole", "complete", "entire", "full", "valid"];

fn has_word(lower: &str, words: &[&str]) -> bool {
    words.iter().any(|word| memmem::find(lower.as_bytes(), word.as_bytes()).is_some())
}

fn in_text(text: &str, heard: &Heard) -> Option<usize> {
    if text.is_empty() {
        return None;
    }
    // A turn without a word is the beginning of an answer that was cut before its first.
    if let Some(said) = heard.assistant.as_deref() {
        return after_turn(text, said, heard.last_user());
    }
    let quotes = fenced(heard.last_user());
    let quoted = quotes.iter().rev().find_map(|quote| after_quote(text, quote));
    let byte = quoted.or_else(|| after_plain(text, heard.last_user()))?;
    Some(floor_boundary(text, byte))
}

// Where the answer goes on after the model's own last turn.
fn after_turn(text: &str, said: &str, user: &str) -> Option<usize> {
    if text.starts_with(said) {
        return Some(after_blanks(text, said.len(), user));
    }
    let trimmed = said.trim_end();
    if text.starts_with(trimmed) {
        return Some(after_blanks(text, trimmed.len(), user));
    }
    after_tail(text, said).or_else(|| after_tail(text, trimmed))
}

// A turn may have lost the blanks at its end, because a provider refuses them; the quotation in the
// prompt still has them.
fn after_blanks(text: &str, byte: usize, user: &str) -> usize {
    let blanks = text[byte..].len() - text[byte..].trim_start().len();
    let exact = fenced(user).iter().rev().find_map(|quote| {
        (byte..=byte + blanks).rev().filter(|&end| text.is_char_boundary(end)).find(|&end| {
            let ends = |quote: &str| !quote.trim().is_empty() && text[..end].ends_with(quote);
            ends(quote.trim_start_matches('\n')) || ends(quote)
        })
    });
    exact.unwrap_or(byte)
}

// The longest of a few tails that the answer holds; of several places the one nearest to where a
// text of that length would end.
fn after_tail(text: &str, said: &str) -> Option<usize> {
    const TAILS: [usize; 6] = [1024, 256, 96, 48, 24, 12];
    let said = said.as_bytes();
    TAILS.iter().filter(|&&size| size <= said.len()).find_map(|&size| {
        let tail = &said[said.len() - size..];
        memmem::find_iter(text.as_bytes(), tail)
            .map(|at| at + size)
            .min_by_key(|end| end.abs_diff(said.len()))
    })
}

// The call that was cut is the last one, unless the prompt names the tool of another.
fn in_calls(reply: &Reply, heard: &Heard) -> Option<Place> {
    let user = heard.last_user();
    let quotes = fenced(user);
    let said = heard.assistant.as_deref().filter(|said| !said.is_empty());
    let is_named = |at: &usize| user.contains(&reply.tool_calls[*at].name);
    let (named, others): (Vec<usize>, Vec<usize>) =
        (0..reply.tool_calls.len()).rev().partition(is_named);
    named.into_iter().chain(others).find_map(|at| {
        let part = Part::Call(at);
        let arguments = content(reply, part);
        let told = said.and_then(|said| after_turn(arguments, said, user));
        let byte = told
            .or_else(|| quotes.iter().rev().find_map(|quote| after_quote(arguments, quote)))
            .or_else(|| after_plain(arguments, user))?;
        Some(Place { part, byte: floor_boundary(arguments, byte) })
    })
}

// Where a text goes on after a quotation of it.
fn after_quote(text: &str, quote: &str) -> Option<usize> {
    // A quotation that is a text of JSON is read as one.
    let read: Option<String> = serde_json::from_str(quote.trim()).ok();
    let quote = read.as_deref().unwrap_or(quote);
    let exact = |quote: &str| (!quote.is_empty() && text.starts_with(quote)).then_some(quote.len());
    exact(quote).or_else(|| after_tail(text, quote)).or_else(|| {
        let escaped = escaped(text);
        let inner = quote.trim().trim_start_matches('"');
        let at = (inner.len() > 1 && escaped.starts_with(inner)).then_some(inner.len());
        at.or_else(|| after_tail(&escaped, inner)).map(|at| unescaped(text, at))
    })
}

// Where a text goes on when the prompt holds its beginning without any fence.
fn after_plain(text: &str, user: &str) -> Option<usize> {
    const LEAST: usize = 12;
    let escaped = escaped(text);
    let begun = |text: &str| {
        let start = text.as_bytes().get(..LEAST)?;
        let at = memmem::rfind(user.as_bytes(), start)?;
        let said = &user.as_bytes()[at..];
        Some(text.bytes().zip(said).take_while(|(one, other)| one == *other).count())
    };
    begun(text).or_else(|| begun(&escaped).map(|at| unescaped(text, at)))
}

// What is between fences, without the line break that belongs to the fence.
fn fenced(text: &str) -> Vec<&str> {
    split_at_fences(text).0
}

// What is between fences, and everything else: the words of a prompt are outside, and what it quotes
// may hold any word. The simulator reads only the fences around quotations in prompts, bare and at
// the margin; the reader of a model's fences is salve-text's, a sibling that salve-model does not see.
fn split_at_fences(text: &str) -> (Vec<&str>, String) {
    let mut found = Vec::new();
    let mut outside = String::new();
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let ticks = line.bytes().take_while(|&byte| byte == b'`').count();
        let is_bare = line[ticks..].trim().is_empty();
        match open {
            Some((start, fence)) if ticks >= fence && is_bare => {
                let body = &text[start..at];
                found.push(body.strip_suffix('\n').unwrap_or(body));
                open = None;
            }
            None if ticks >= 3 => open = Some((at + line.len(), ticks)),
            None => outside.push_str(line),
            Some(_) => {}
        }
        at += line.len();
    }
    (found, outside)
}

fn escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

// The byte of `text` whose escaped form begins at or before byte `at` of the whole escaped form.
fn unescaped(text: &str, at: usize) -> usize {
    let mut sum = 0;
    for (byte, character) in text.char_indices() {
        let length = match character {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            control if control < ' ' => 6,
            other => other.len_utf8(),
        };
        if sum + length > at {
            return byte;
        }
        sum += length;
    }
    text.len()
}
