//! What a frame must have to be read, whatever its dialect.
//!
//! In: words and objects of a frame that says nothing, or not what its kind says. Out: whether it is
//! something else, or what is left of a frame that was damaged on its way. Never rejects what a
//! provider may add: fields and kinds that are not known pass unless they are a known word with a
//! letter or two changed.

use serde_json::{Map, Value};

/// Why a frame cannot be read.
pub(super) type Why = &'static str;

pub(super) const NOT_JSON: Why = "a frame is not the JSON of an event";
pub(super) const NO_KIND: Why = "a frame does not say of what kind it is";
pub(super) const NO_PIECE: Why = "a frame has no piece of the answer where one belongs";
pub(super) const NEVER_BEGAN: Why = "a frame goes on with something that never began";
pub(super) const SKIPPED: Why = "a frame before this one never came";
pub(super) const CONTRADICTED: Why = "the pieces that came are not the text that ended";
pub(super) const WRONG_LINES: Why = "a frame has lines that are none of an event";

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

/// Returns whether a word that is not known is a known one with a letter or two changed, or no word.
pub(super) fn is_damaged(word: &str, known: &[&str]) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-:/ ".contains(&byte);
    !known.contains(&word)
        && (word.is_empty()
            || !word.bytes().all(is_word)
            || known.iter().any(|known| is_near(word, known)))
}

/// Returns whether a field of an object is a known one with a letter or two changed.
pub(super) fn has_damaged_key(object: &Map<String, Value>, known: &[&str]) -> bool {
    object.keys().any(|key| is_damaged(key, known))
}

// Short words are near others by chance, so that one letter is all they may differ by.
fn is_near(word: &str, known: &str) -> bool {
    let most = if known.len() < 6 { 1 } else { 2 };
    known.len().abs_diff(word.len()) <= most && distance(word.as_bytes(), known.as_bytes()) <= most
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
