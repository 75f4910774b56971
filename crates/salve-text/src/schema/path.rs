//! Names of places in a value, such as `$.files[2].path`.
//!
//! In: keys, indices, JSON pointers. Out: one spelling for all reports. Never ambiguous: a key that
//! is not a plain word is quoted.

use std::fmt::Write;

/// Appends a key.
pub(super) fn push_key(path: &mut String, key: &str) {
    let mut chars = key.chars();
    let plain = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_');
    if plain {
        path.push('.');
        path.push_str(key);
    } else {
        let quoted = serde_json::Value::String(key.to_owned());
        let _ = write!(path, "[{quoted}]");
    }
}

/// Appends an index.
pub(super) fn push_index(path: &mut String, index: usize) {
    let _ = write!(path, "[{index}]");
}

/// Rewrites a JSON pointer; a part of digits is an index, as it nearly always is.
pub(super) fn from_pointer(pointer: &str) -> String {
    let mut path = String::from("$");
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        match part.parse::<usize>() {
            Ok(index) => push_index(&mut path, index),
            Err(_) => push_key(&mut path, &part),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_become_paths() {
        let cases =
            [("", "$"), ("/files/2/path", "$.files[2].path"), ("/a b/c~1d", "$[\"a b\"][\"c/d\"]")];
        for (pointer, expected) in cases {
            assert_eq!(from_pointer(pointer), expected);
        }
    }
}
