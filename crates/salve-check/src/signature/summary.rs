//! The short form of an error text for records.
//!
//! In: any text. Out: at most 512 characters of it, with `...` when there was more. Never splits a
//! character.

const LIMIT: usize = 512;

/// Shortens a text to 512 characters and `...`, without blanks around it.
#[must_use]
pub fn summary(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r27_short_errors_stay_as_they_are() {
        assert_eq!(summary("short error"), "short error");
        assert_eq!(summary("  padded \n"), "padded");
        assert_eq!(summary(&"x".repeat(512)), "x".repeat(512));
    }

    #[test]
    fn r27_long_errors_are_cut_after_512_characters() {
        let cut = summary(&"x".repeat(1000));
        assert_eq!(cut.len(), 515);
        assert!(cut.ends_with("..."));
    }

    #[test]
    fn r27_a_character_of_several_bytes_is_never_split() {
        let cut = summary(&"é’𝄞".repeat(400));
        assert_eq!(cut.chars().count(), 515);
        assert!(cut.starts_with("é’𝄞"));
    }
}
