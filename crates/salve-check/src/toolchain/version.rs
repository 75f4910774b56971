//! Version numbers in what programs say about themselves.
//!
//! In: text such as `go version go1.27.3 linux/amd64`. Out: `1.27.3`, and comparisons of such
//! numbers. Never fails: a text without a number has no version.

use std::cmp::Ordering;

/// Returns the first thing in a text that looks like a version: digits with a dot between them, or
/// else the first number.
pub(super) fn version_in(text: &str) -> Option<String> {
    let numbers = || {
        text.split(|c: char| !c.is_ascii_digit() && c != '.')
            .map(|word| word.trim_matches('.'))
            .filter(|word| !word.is_empty())
    };
    numbers().find(|word| word.contains('.')).or_else(|| numbers().next()).map(str::to_owned)
}

/// Returns whether `version` is `least` or later.
pub(super) fn is_at_least(version: &str, least: &str) -> bool {
    let mut mine = version.split('.').map(number);
    let mut other = least.split('.').map(number);
    loop {
        match (mine.next(), other.next()) {
            (_, None) => return true,
            (part, Some(wanted)) => match part.unwrap_or(0).cmp(&wanted) {
                Ordering::Equal => {}
                Ordering::Less => return false,
                Ordering::Greater => return true,
            },
        }
    }
}

fn number(part: &str) -> u64 {
    part.parse().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_really_print() {
        for (text, version) in [
            ("cargo 1.95.0 (f2d3ce0bd 2026-03-21)", Some("1.95.0")),
            ("go version go1.27.3 linux/amd64", Some("1.27.3")),
            ("v20.20.2", Some("20.20.2")),
            ("Version 5.9.3", Some("5.9.3")),
            ("GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)", Some("5.2.15")),
            ("Debian clang version 14.0.6", Some("14.0.6")),
            ("mypy 2.4.1 (compiled: yes)", Some("2.4.1")),
            ("javac 21", Some("21")),
            ("no number here.", None),
            ("", None),
        ] {
            assert_eq!(version_in(text).as_deref(), version, "{text}");
        }
    }

    #[test]
    fn versions_compare_by_number_and_missing_parts_are_zero() {
        for (version, least, expected) in [
            ("1.24", "1.24", true),
            ("1.24.1", "1.24", true),
            ("1.9", "1.24", false),
            ("2", "1.24", true),
            ("1", "1.24", false),
            ("12.2.0", "9", true),
            ("12.2.0", "15", false),
        ] {
            assert_eq!(is_at_least(version, least), expected, "{version} {least}");
        }
    }
}
