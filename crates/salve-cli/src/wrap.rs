//! Breaks long lines between words, for a terminal.
//!
//! In: a text and a width. Out: the same words, no line wider than the width where a space allows it;
//! lines that go on are indented. Escape codes take no room. Never breaks a word: a path or a command
//! stays one that can be copied.

use std::io::IsTerminal;

/// The narrowest terminal that is wrapped for.
const NARROWEST: usize = 20;

/// Returns the width of the terminal that standard error goes to; nothing when it goes elsewhere.
pub(crate) fn width_of_story() -> Option<usize> {
    let stream = std::io::stderr();
    stream.is_terminal().then(|| columns(&stream)).flatten()
}

/// Returns the width of the terminal that standard output goes to; nothing when it goes elsewhere.
pub(crate) fn width_of_result() -> Option<usize> {
    let stream = std::io::stdout();
    stream.is_terminal().then(|| columns(&stream)).flatten()
}

fn columns(stream: impl std::os::fd::AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns >= NARROWEST)
}

/// Wraps a text; where there is no width, it stays as it is.
pub(crate) fn wrap(text: &str, width: Option<usize>, indent: usize) -> String {
    let Some(width) = width else { return text.to_owned() };
    let indent = if indent + NARROWEST > width { 2 } else { indent };
    text.split_inclusive('\n').map(|line| wrap_line(line, width, indent)).collect()
}

/// Wraps a text for people. A line that goes on is indented to where its last column begins, or a little
/// more than it was itself. Lines of a diff, of a drawn excerpt and of a moving picture stay as they are.
pub(crate) fn reflow(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let mut in_diff = false;
    let mut shown = String::new();
    for line in text.split_inclusive('\n') {
        let plain = anstream::adapter::strip_str(line).to_string();
        let plain = plain.trim_end_matches('\n');
        in_diff = plain.starts_with("@@") || in_diff && plain.starts_with([' ', '+', '-', '\\']);
        if in_diff || is_drawn(plain) {
            shown.push_str(line);
        } else {
            shown.push_str(&wrap_line(line, width, hanging(plain, width)));
        }
    }
    shown
}

// Signs of a removed or an added line, of the border beside an excerpt, of a line drawn over another.
fn is_drawn(line: &str) -> bool {
    let beside = line.trim_start_matches(|letter: char| letter == ' ' || letter.is_ascii_digit());
    line.starts_with(['+', '-']) || line.contains(['│', '\r']) || beside.starts_with("| ")
}

// Where a line goes on: at its last column, if that leaves half of the width.
fn hanging(line: &str, width: usize) -> usize {
    let own = line.chars().take_while(|letter| *letter == ' ').count();
    let half: String = line.chars().take(width / 2).collect();
    let column = half.trim_end_matches(' ').rfind("  ").map(|at| half[..at].chars().count() + 2);
    column.filter(|column| *column > own).unwrap_or((own + 2).min(width / 2))
}

fn wrap_line(line: &str, width: usize, indent: usize) -> String {
    let (line, end) = match line.strip_suffix('\n') {
        Some(line) => (line, "\n"),
        None => (line, ""),
    };
    if shown(line) <= width {
        return format!("{line}{end}");
    }
    let mut text = String::new();
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        let room = shown(word.trim_end_matches(' '));
        if used + room > width && used > indent {
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            used = indent;
        }
        text.push_str(word);
        used += shown(word);
    }
    text + end
}

// How many columns a text takes, escape codes left out.
fn shown(text: &str) -> usize {
    anstream::adapter::strip_str(text).to_string().chars().count()
}

/// Cuts a line to a width, with a sign that it was cut.
pub(crate) fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        let text = "error: one two three four five six\nshort\n";
        let wrapped = wrap(text, Some(24), 2);
        assert_eq!(wrapped, "error: one two three\n  four five six\nshort\n");
        assert_eq!(wrap(text, None, 2), text);
    }

    #[test]
    fn a_line_goes_on_where_its_last_column_begins() {
        for (text, expected) in [
            ("short\n", "short\n"),
            ("one two three four five six seven\n", "one two three four five\n  six seven\n"),
            ("  indented two three four five\n", "  indented two three\n    four five\n"),
            ("name  red: one two three four\n", "name  red: one two three\n      four\n"),
            ("-    a removed line of code here\n", "-    a removed line of code here\n"),
            ("@@ -1 +1 @@\n a line of code that is long here\n", ""),
            ("12 │ an excerpt of a text that is wide\n", ""),
        ] {
            let expected = if expected.is_empty() { text } else { expected };
            assert_eq!(reflow(text, Some(24)), expected, "{text}");
            assert_eq!(reflow(text, None), text);
        }
    }

    #[test]
    fn a_long_word_stays_whole_and_colours_take_no_room() {
        let path = "/a/very/long/path/that/is/wider/than/all";
        assert_eq!(wrap(&format!("at {path} now"), Some(20), 2), format!("at\n  {path}\n  now"));
        let red = "\u{1b}[31mred\u{1b}[0m words of 20 col";
        assert_eq!(wrap(red, Some(20), 2), red);
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
    }
}
