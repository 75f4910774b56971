//! Where a value of a JSON document stands in its text.
//!
//! In: a text that parsed as JSON, and a JSON Pointer. Out: the byte offset of the value, or of the
//! last one on the way that exists. Linear in the text. Never recurses, never fails: on a text that
//! is not JSON the offset is merely meaningless, and within the text.

/// Returns the offset of the value that `pointer` names.
pub(super) fn offset_of(text: &str, pointer: &str) -> usize {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
    reader.skip_space();
    let mut found = reader.at;
    for segment in pointer.split('/').skip(1) {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        let inside = match reader.peek() {
            Some(b'{') => reader.enter_member(&segment),
            Some(b'[') => segment.parse().is_ok_and(|index| reader.enter_item(index)),
            _ => false,
        };
        if !inside {
            break;
        }
        found = reader.at;
    }
    found.min(text.len())
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    // Moves to the value of a member; of several with one name, JSON readers keep the last.
    fn enter_member(&mut self, name: &str) -> bool {
        let mut found = None;
        self.at += 1;
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                break;
            }
            let start = self.at;
            self.skip_string();
            let key = self.bytes.get(start..self.at).unwrap_or_default();
            self.skip_to_after(b':');
            if serde_json::from_slice::<String>(key).is_ok_and(|key| key == name) {
                found = Some(self.at);
            }
            self.skip_value();
            if !self.pass_comma() {
                break;
            }
        }
        self.at = found.unwrap_or(self.at);
        found.is_some()
    }

    fn enter_item(&mut self, index: usize) -> bool {
        self.at += 1;
        self.skip_space();
        for _ in 0..index {
            self.skip_value();
            if !self.pass_comma() {
                return false;
            }
        }
        self.peek().is_some_and(|byte| byte != b']')
    }

    fn pass_comma(&mut self) -> bool {
        self.skip_space();
        let comma = self.peek() == Some(b',');
        self.at += usize::from(comma);
        self.skip_space();
        comma
    }

    fn skip_to_after(&mut self, wanted: u8) {
        while self.peek().is_some_and(|byte| byte != wanted) {
            self.at += 1;
        }
        self.at += 1;
        self.skip_space();
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                return;
            }
        }
    }

    // A value ends at a comma or a closing bracket that is not its own.
    fn skip_value(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.skip_string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 0 => return,
                b'}' | b']' => depth -= 1,
                b',' if depth == 0 => return,
                _ => {}
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_found_by_their_pointer() {
        let text = r#"{"a": [1, {"b,]": "x\"}"}, 3], "c/d": {"e": null}, "a2": 4, "é": [[]]}"#;
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
