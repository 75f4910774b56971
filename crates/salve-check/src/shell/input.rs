//! What a line may be made of, before anything is parsed (rule P0).
//!
//! In: the line. Out: nothing, or a refusal with the first character that has no place in a command.
//! Never strips or replaces: a line with something invisible in it is not the line that a person
//! read.

use super::refusal::{ShellRefusal, ShellRule};
use salve_types::Span;

/// The longest line that is read, in bytes.
pub const MAX_LINE_BYTES: usize = 16 << 10;

/// Checks the size and every character.
pub(super) fn check(line: &str) -> Result<(), ShellRefusal> {
    if line.len() > MAX_LINE_BYTES {
        let why = format!("the line has {} bytes, the limit is {MAX_LINE_BYTES}", line.len());
        return Err(refusal("line too long", Span::new(0, line.len()), why));
    }
    if line.trim_matches([' ', '\t']).is_empty() {
        return Err(ShellRefusal::new(
            ShellRule::P1,
            "empty line",
            Span::new(0, line.len()),
            "there is no command in it",
        ));
    }
    let mut before = ' ';
    let found = line.char_indices().find_map(|(at, char)| {
        let begins = matches!(before, ' ' | '\t') && is_false_dash(char);
        before = char;
        Some((at, char, unwanted(char).or(begins.then_some("false dash"))?))
    });
    match found {
        None => Ok(()),
        Some((at, char, construct)) => {
            let why = format!("U+{:04X} has no place in a command line", u32::from(char));
            Err(refusal(construct, Span::new(at, at + char.len_utf8()), why))
        }
    }
}

/// Returns whether a character shows nothing of its own, or changes how others are shown.
///
/// A text that is shown to a person before a decision must have none of these.
pub fn is_invisible(char: char) -> bool {
    (char.is_control() && char != '\t') || hidden(char).is_some()
}

/// Returns whether a character looks like a blank but is none for the shell.
pub(super) fn is_false_blank(char: char) -> bool {
    // The braille pattern without dots and the Hangul fillers are drawn as nothing; the fillers are
    // refused everywhere as invisible.
    (char.is_whitespace() && char != ' ' && char != '\t') || char == '\u{2800}'
}

// Looks like the dash of a flag; at the beginning of a word it is a flag to people, and to a program a file.
const fn is_false_dash(char: char) -> bool {
    matches!(
        char,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2796}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}'
    )
}

fn unwanted(char: char) -> Option<&'static str> {
    match char {
        '\t' => None,
        '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some("line break"),
        _ if char.is_control() => Some("control character"),
        _ => hidden(char),
    }
}

// The general category Cf, every default-ignorable code point, and the noncharacters.
fn hidden(char: char) -> Option<&'static str> {
    match char {
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            Some("bidirectional control")
        }
        '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}' => Some("zero-width character"),
        '\u{E0000}'..='\u{E007F}' => Some("tag character"),
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' | '\u{180B}'..='\u{180F}' => {
            Some("variation selector")
        }
        '\u{2028}' | '\u{2029}' => Some("line break"),
        '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' => Some("filler"),
        '\u{AD}'
        | '\u{34F}'
        | '\u{600}'..='\u{605}'
        | '\u{6DD}'
        | '\u{70F}'
        | '\u{890}'
        | '\u{891}'
        | '\u{8E2}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{2061}'..='\u{206F}'
        | '\u{FFF0}'..='\u{FFFB}'
        | '\u{110BD}'
        | '\u{110CD}'
        | '\u{13430}'..='\u{1345F}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0080}'..='\u{E00FF}'
        | '\u{E01F0}'..='\u{E0FFF}' => Some("invisible character"),
        '\u{FDD0}'..='\u{FDEF}' => Some("noncharacter"),
        _ if u32::from(char) & 0xFFFE == 0xFFFE => Some("noncharacter"),
        _ => None,
    }
}

fn refusal(construct: &'static str, span: Span, why: impl Into<String>) -> ShellRefusal {
    ShellRefusal::new(ShellRule::P0, construct, span, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_cannot_be_seen_is_let_through() {
        for (line, construct) in [
            ("ls\nrm x", "line break"),
            ("ls\r", "line break"),
            ("ls\u{2028}x", "line break"),
            ("ls\u{85}x", "line break"),
            ("ls \0", "control character"),
            ("ls \u{1b}[2K", "control character"),
            ("ls \u{7f}", "control character"),
            ("ls \u{9b}31m", "control character"),
            ("ls \u{0b}", "control character"),
            ("echo \u{202e}txt", "bidirectional control"),
            ("echo \u{2066}txt", "bidirectional control"),
            ("echo a\u{200b}b", "zero-width character"),
            ("\u{feff}ls", "zero-width character"),
            ("ls \u{e0072}\u{e006d}", "tag character"),
            ("echo \u{fe0f}", "variation selector"),
            ("echo \u{e0100}", "variation selector"),
            ("echo \u{ad}", "invisible character"),
            ("echo \u{3164}", "filler"),
            ("echo \u{2064}", "invisible character"),
            ("python \u{2212}c x", "false dash"),
            ("grep \u{2013}n x", "false dash"),
            ("echo \u{ffff}", "noncharacter"),
            ("echo \u{10fffe}", "noncharacter"),
        ] {
            let refusal = check(line).expect_err(line);
            assert_eq!((refusal.rule, refusal.construct), (ShellRule::P0, construct), "{line:?}");
            assert!(line.get(refusal.span.range()).is_some());
        }
        check("echo a\u{2013}b \"\u{2014} so\"").expect("a dash inside a word or a text passes");
        check("echo \"✅ déjà vu 漢字 \u{1f600}\"\t-x").expect("visible text passes");
    }

    #[test]
    fn a_line_of_the_limit_passes_and_one_byte_more_does_not() {
        check(&"a".repeat(MAX_LINE_BYTES)).expect("16 KiB is the limit");
        let refusal = check(&"a".repeat(MAX_LINE_BYTES + 1)).expect_err("one byte more");
        assert_eq!(refusal.construct, "line too long");
        assert_eq!(check(" \t ").expect_err("blank").construct, "empty line");
        assert_eq!(check("").expect_err("empty").construct, "empty line");
    }
}
