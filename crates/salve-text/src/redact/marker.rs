//! The text that stands for a secret: `[redacted:KIND]`.
//!
//! In: the name of a kind, or text. Out: the marker, whether there is one, or where one ends. Never holds anything of the
//! secret, not even its length.

use super::view::View;

pub(super) const OPENING: &str = "[redacted:";

const LONGEST_NAME: usize = 48;

/// Writes the marker of a kind.
pub(super) fn write(out: &mut String, kind: &str) {
    out.push_str(OPENING);
    out.push_str(kind);
    out.push(']');
}

/// Returns where the marker that starts at `at` ends.
pub(super) fn end(view: &View<'_>, at: usize) -> Option<usize> {
    if !view.starts_with(at, OPENING) {
        return None;
    }
    let name = at + OPENING.len();
    let closing =
        (name..=name + LONGEST_NAME).find(|&place| !view.byte(place).is_some_and(is_name))?;
    (closing > name && view.byte(closing) == Some(b']')).then_some(closing + 1)
}

/// Tells whether something was taken out of a text: whether a marker is in it.
#[must_use]
pub fn has_redaction(text: &str) -> bool {
    let view = View::new(text, 0, true);
    text.match_indices(OPENING).any(|(at, _)| end(&view, at).is_some())
}

/// Makes a name fit for a marker: lower-case letters, digits and dashes.
pub(super) fn name(wanted: &str) -> String {
    let mut name: String = wanted
        .chars()
        .take(LONGEST_NAME)
        .map(|character| match character {
            'a'..='z' | '0'..='9' => character,
            'A'..='Z' => character.to_ascii_lowercase(),
            _ => '-',
        })
        .collect();
    if name.is_empty() {
        name.push_str("secret");
    }
    name
}

const fn is_name(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x24_a_text_that_lost_a_secret_is_known() {
        for (text, expected) in [
            ("", false),
            ("key = [redacted:aws-key]", true),
            ("[redacted:a][redacted:b]", true),
            ("[redacted:", false),
            ("[redacted:]", false),
            ("[redacted:A]", false),
            ("[redacted: a]", false),
            ("[redacted:[redacted:key]", true),
            ("é[redacted:key]é", true),
        ] {
            assert_eq!(has_redaction(text), expected, "{text}");
        }
        for kind in crate::Redactor::kinds() {
            let mut marked = String::new();
            write(&mut marked, kind);
            assert!(has_redaction(&marked), "{kind}");
        }
    }
}
