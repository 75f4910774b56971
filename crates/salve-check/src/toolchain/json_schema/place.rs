//! Where a value of a JSON document is in its text.
//!
//! In: a text that parsed as JSON, and a JSON Pointer. Out: the byte offset of the value, or of the
//! last one on the way that exists; 0 of a text that is not JSON. Linear in the text for each name of
//! the pointer. Never recurses, never fails.

use serde_json::value::RawValue;
use std::collections::HashMap;

/// Returns the offset of the value that `pointer` names.
pub(super) fn offset_of(text: &str, pointer: &str) -> usize {
    let Ok(mut value) = serde_json::from_str::<&RawValue>(text) else { return 0 };
    for segment in pointer.split('/').skip(1) {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        let Some(inner) = member(value.get(), &segment) else { break };
        value = inner;
    }
    // A raw value is a piece of the text it was read from.
    value.get().as_ptr().addr() - text.as_ptr().addr()
}

// Of several members with one name, the map keeps the last, as readers of JSON do.
fn member<'a>(value: &'a str, name: &str) -> Option<&'a RawValue> {
    if value.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(value).ok()?;
        return items.get(name.parse::<usize>().ok()?).copied();
    }
    let members: HashMap<String, &RawValue> = serde_json::from_str(value).ok()?;
    members.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_found_by_their_pointer() {
        let text = r#"{"a": [1, {"b,]": "x\"}"}, 3], "c/d": {"e": null}, "a2": 4, "twice": 5, "é": [[]], "twice": 6}"#;
        for (pointer, expected) in [
            ("", text),
            ("/a", "[1, "),
            ("/a/0", "1"),
            ("/a/1/b,]", "\"x\\\""),
            ("/a/2", "3]"),
            ("/a/3", "[1, {"),
            ("/c~1d/e", "null"),
            ("/a2", "4"),
            ("/é/0", "[]"),
            ("/nothing", "{\"a\""),
            ("/twice", "6"),
        ] {
            let at = offset_of(text, pointer);
            assert!(text[at..].starts_with(expected), "{pointer}: {}", &text[at..]);
        }
    }

    proptest! {
        #[test]
        fn any_text_and_pointer_give_an_offset_within(text in ".{0,200}", pointer in "(/[a-z0-9~\"]{0,3}){0,5}") {
            prop_assert!(offset_of(&text, &pointer) <= text.len());
        }
    }
}
