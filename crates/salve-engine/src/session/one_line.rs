//! Names and texts of others, on one line.
//!
//! In: a path, a command, an output. Out: the same without what would begin a line or a cell of its own.
//! Never hides that something was left out.

/// Returns a text without line breaks and other control characters.
pub(super) fn one_line(text: &str) -> String {
    let clean = |letter: char| match letter {
        '\u{2028}' | '\u{2029}' => ' ',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    text.trim().chars().map(clean).collect()
}

/// Returns the first `most` characters of a text on one line, marked where more follows.
pub(super) fn short_line(text: &str, most: usize) -> String {
    let line = one_line(text);
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", line.get(..end).unwrap_or_default().trim_end()),
        None => line,
    }
}

/// Returns a name as a cell of a Markdown table.
pub(super) fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

/// Returns a text as code inside a line: nothing in it ends the quotes.
pub(super) fn quoted(text: &str) -> String {
    let line = one_line(text);
    if line.contains('`') {
        // Two quotes hold one, as long as a space keeps them apart.
        let ticks = salve_text::fence_around(&line);
        return format!("{ticks} {line} {ticks}");
    }
    format!("`{line}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_others_stay_on_their_line() {
        assert_eq!(one_line(" a\nb\r\n\u{1b}[31m\u{2028}c "), "a b   [31m c");
        assert_eq!(short_line("naïve text", 5), "naïve...");
        assert_eq!(short_line("naïve", 5), "naïve");
        assert_eq!(cell("a|b\n| c"), "a\\|b \\| c");
        assert_eq!(quoted("ls -l"), "`ls -l`");
        assert_eq!(quoted("echo `date`"), "``` echo `date` ```");
    }
}
