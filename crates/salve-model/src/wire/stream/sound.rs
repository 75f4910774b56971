//! What a frame must have to be read, whatever its dialect.
//!
//! In: words and objects of a frame that says nothing, or not what its kind says. Out: whether it is
//! something else, or what is left of a frame that was damaged on its way. Never rejects what a
//! provider may add: fields and kinds that are not known pass unless they are what is left of a known
//! word: letters changed, or a stretch of it lost, gained or written over.

use serde_json::{Map, Value};
use std::cmp::Ordering;

/// Why a frame cannot be read.
pub(super) type Why = &'static str;

pub(super) const NOT_JSON: Why = "a frame is not the JSON of an event";
pub(super) const NO_KIND: Why = "a frame does not say of what kind it is";
pub(super) const NO_PIECE: Why = "a frame has no piece of the answer where one belongs";
pub(super) const NEVER_BEGAN: Why = "a frame goes on with something that never began";
pub(super) const HAD_ENDED: Why = "a frame goes on with a call that had its end";
pub(super) const UNLIKE_OTHERS: Why = "a frame lacks a field that the others of its stream have";
pub(super) const SKIPPED: Why = "a frame before this one never came";
pub(super) const CONTRADICTED: Why = "the pieces that came are not the text that ended";
pub(super) const WRONG_LINES: Why = "a frame has lines that are none of an event";

/// Whether a server writes a field. One that writes it writes it always: without it a frame can be
/// understood here, and would be misunderstood by the client that gets it as it is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Habit(Option<bool>);

impl Habit {
    /// Notes whether a frame has the field.
    pub(super) fn keep(&mut self, written: bool) -> Result<(), Why> {
        let always = *self.0.get_or_insert(written);
        if always == written { Ok(()) } else { Err(UNLIKE_OTHERS) }
    }
}

/// Returns the kind of an event that says it twice: in its data and in its name.
pub(super) fn kind_of<'a>(
    said: Option<&'a str>,
    named: Option<&'a str>,
    known: &[&str],
) -> Result<&'a str, Why> {
    // The standard's own name for an event says nothing.
    match (said, named.filter(|named| *named != "message")) {
        (None, named) => named.ok_or(NO_KIND),
        (Some(said), Some(named)) if said != named => Err(NO_KIND),
        (Some(said), _) if is_damaged(said, known) => Err(NO_KIND),
        (Some(said), _) => Ok(said),
    }
}

/// Returns whether a word that is not known is what is left of a known one, or no word.
pub(super) fn is_damaged(word: &str, known: &[&str]) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-:/ ".contains(&byte);
    !known.contains(&word)
        && (word.is_empty()
            || !word.bytes().all(is_word)
            || known.iter().any(|known| is_near(word, known) || is_left_of(word, known)))
}

/// Returns whether a field of an object is what is left of a known one.
pub(super) fn has_damaged_key(object: &Map<String, Value>, known: &[&str]) -> bool {
    object.keys().any(|key| is_damaged(key, known))
}

/// Returns whether an event says no more than that the connection lives: a piece of an answer has a
/// text, a list or an object, and such an event has none of them where pieces have theirs.
pub(super) fn is_heartbeat(data: &[u8]) -> bool {
    const PIECES: &[&str] = &["delta", "text", "arguments", "content", "choices"];
    match serde_json::from_slice(data) {
        Ok(Value::Object(event)) => {
            let nested = event.values().any(|it| it.is_array() || it.is_object());
            let piece = |key: &String| PIECES.contains(&key.as_str()) || is_damaged(key, PIECES);
            !nested && !event.keys().any(piece)
        }
        Ok(other) => !other.is_array(),
        // Some servers write the time, or a word.
        Err(_) => data.iter().all(|byte| byte.is_ascii() && !b"{}[]\"".contains(byte)),
    }
}

// Short words are near others by chance, so that one letter is all they may differ by.
fn is_near(word: &str, known: &str) -> bool {
    let most = if known.len() < 6 { 1 } else { 2 };
    known.len().abs_diff(word.len()) <= most && distance(word.as_bytes(), known.as_bytes()) <= most
}

// Whether a known word lost a stretch, gained one, or was written over in place.
fn is_left_of(word: &str, known: &str) -> bool {
    let same = |(one, other): &(u8, u8)| one == other;
    let head = word.bytes().zip(known.bytes()).take_while(same).count();
    let tail = word.bytes().rev().zip(known.bytes().rev()).take_while(same).count();
    let kept = (head + tail).min(word.len()).min(known.len());
    // Names of fields are short, and so is what they share with others by chance.
    let most = kept >= 4 && kept * 3 >= known.len() * 2 && known.len() <= 12;
    if most && head > 0 && tail > 0 && !extends(word, known) {
        return true;
    }
    match word.len().cmp(&known.len()) {
        Ordering::Less => kept == word.len(),
        // Short words are within others by chance.
        Ordering::Greater => kept == known.len() && known.len() > 3 && !extends(word, known),
        Ordering::Equal => {
            let wrong = word.bytes().zip(known.bytes()).filter(|pair| !same(pair)).count();
            known.len() > 5 && wrong <= known.len().div_ceil(2).min(6)
        }
    }
}

// Whether a word is a known one with whole words added, as names of new fields are: `content_filter`
// and `reasoningDetails` are words of their own.
fn extends(word: &str, known: &str) -> bool {
    let mut rest = segments(known).into_iter().peekable();
    segments(word).into_iter().all(|segment| {
        rest.next_if_eq(&segment).is_some()
            || segment.len() > 2 && segment.bytes().all(|byte| byte.is_ascii_alphabetic())
    }) && rest.peek().is_none()
}

fn segments(word: &str) -> Vec<&str> {
    let mut segments = Vec::new();
    let mut from = 0;
    for (at, byte) in word.bytes().enumerate() {
        if b"_.-:/ ".contains(&byte) {
            segments.push(&word[from..at]);
            from = at + 1;
        } else if byte.is_ascii_uppercase() && at > from {
            segments.push(&word[from..at]);
            from = at;
        }
    }
    segments.push(&word[from..]);
    segments
}

fn distance(one: &[u8], other: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, byte) in one.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, with) in other.iter().enumerate() {
            let changed = diagonal + usize::from(byte != with);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_letter_is_damage_and_another_word_is_not() {
        let known = ["content", "tool_calls", "text"];
        for word in ["contfnt", "contnt", "tool_calsl", "tool_clls", "", "con\u{1}tent", "texu"] {
            assert!(is_damaged(word, &known), "{word:?}");
        }
        for word in ["content", "annotations", "reasoning", "audio", "token", "x-vendor:y"] {
            assert!(!is_damaged(word, &known), "{word:?}");
        }
    }

    #[test]
    fn a_stretch_lost_gained_or_written_over_is_damage_and_added_words_are_not() {
        let known = ["content", "reasoning", "tool_calls", "response.output_text.delta"];
        for word in [
            "cont",
            "nt",
            "t",
            "ct",
            "conABCDtent",
            "xycontent",
            "contentq",
            "content_",
            "content_q7",
            "cXYZWnt",
            "reng",
            "toolls",
            "tool__calls",
            "response.out.delta",
            "response.outpqqqqqxt.delta",
            "conqzqzqnt",
        ] {
            assert!(is_damaged(word, &known), "{word:?}");
        }
        for word in [
            "reasoning_details",
            "reasoning_content",
            "reasoningContent",
            "content_filter_results",
            "response.output_text.annotation.delta",
            "citations",
            "thinking",
            "provider_specific_fields",
        ] {
            assert!(!is_damaged(word, &known), "{word:?}");
        }
    }

    #[test]
    fn a_heartbeat_has_no_room_for_a_piece() {
        for data in [
            "{}",
            r#"{"type":"ping"}"#,
            r#"{"type":"ping","time":17,"cost":"0"}"#,
            "2026-01-01 10:00:00",
            "ping",
            "1",
            "null",
        ] {
            assert!(is_heartbeat(data.as_bytes()), "{data}");
        }
        for data in [
            r#"{"type":"ping","index":0,"delta":{"type":"text_delta","text":"a"}}"#,
            r#"{"type":"ping","dlta":{}}"#,
            r#"{"type":"ping","delta":"a"}"#,
            r#"{"type":"ping","dta":"a"}"#,
            r#"{"choices":[]}"#,
            r#"{"type":"ping","delta":"a"#,
            r#"["a"]"#,
        ] {
            assert!(!is_heartbeat(data.as_bytes()), "{data}");
        }
    }

    #[test]
    fn a_kind_is_what_data_and_name_agree_on() {
        let known = ["message_start", "ping"];
        let kind = |said, named| kind_of(said, named, &known);
        assert_eq!(kind(Some("ping"), Some("ping")), Ok("ping"));
        assert_eq!(kind(Some("ping"), Some("message")), Ok("ping"));
        assert_eq!(kind(None, Some("ping")), Ok("ping"));
        assert_eq!(kind(Some("vendor_event"), None), Ok("vendor_event"));
        for (said, named) in [
            (None, None),
            (Some("message_stbrt"), None),
            (Some("vendor_event"), Some("ping")),
            (Some("ping"), Some("coevent: ping")),
            (Some("ping"), Some("message_start")),
        ] {
            assert_eq!(kind(said, named), Err(NO_KIND), "{said:?} {named:?}");
        }
    }
}
