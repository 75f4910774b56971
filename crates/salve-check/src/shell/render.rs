//! Words written so that they read back as they are.
//!
//! In: words or a parsed line. Out: one line that can be shown safely, or that the parser reads to
//! the same words again. Never a raw control, invisible or bidirectional character.

use super::input::{is_false_blank, is_invisible};
use super::line::{CommandLine, ShellWord, WordTarget};
use crate::Joiner;
use std::fmt::Write as _;

/// Writes words for a person: what needs quotes has them, and what could not be seen, or could play
/// tricks on a terminal, is written as `\u{…}` between `$'` and `'`.
///
/// It shows what will be executed. It is no input for a shell.
pub fn quote_for_display<S: AsRef<str>>(argv: &[S]) -> String {
    let words: Vec<String> = argv.iter().map(|word| display_word(word.as_ref())).collect();
    words.join(" ")
}

/// Writes a parsed line so that parsing it gives the same commands again.
pub fn render_command_line(line: &CommandLine) -> String {
    let mut text = String::new();
    for (index, pipeline) in line.pipelines.iter().enumerate() {
        let joint = match pipeline.joiner {
            _ if index == 0 => "",
            Joiner::Then => "; ",
            Joiner::And => " && ",
            Joiner::Or => " || ",
        };
        text.push_str(joint);
        for (index, command) in pipeline.commands.iter().enumerate() {
            text.push_str(if index == 0 { "" } else { " | " });
            let words: Vec<String> = command.words.iter().map(source_word).collect();
            text.push_str(&words.join(" "));
            for redirect in &command.redirects {
                let (operator, target) = match &redirect.target {
                    WordTarget::Read(word) => ("<", source_word(word)),
                    WordTarget::Write(word) => (">", source_word(word)),
                    WordTarget::Append(word) => (">>", source_word(word)),
                    WordTarget::Same(number) => (">&", number.to_string()),
                };
                // Writing to a string does not fail.
                let _ = write!(text, " {}{operator}{target}", redirect.descriptor);
            }
        }
    }
    text
}

fn display_word(word: &str) -> String {
    let is_hidden = |char: char| char == '\t' || is_invisible(char) || is_false_blank(char);
    if !word.contains(is_hidden) {
        return quoted(word);
    }
    let mut text = "$'".to_owned();
    for char in word.chars() {
        match char {
            '\\' | '\'' => text.extend(['\\', char]),
            _ if is_hidden(char) => {
                let _ = write!(text, "\\u{{{:x}}}", u32::from(char));
            }
            _ => text.push(char),
        }
    }
    text.push('\'');
    text
}

// A pattern keeps what is live in it; everything else is quoted where it has to be.
fn source_word(word: &ShellWord) -> String {
    match &word.pattern {
        // Inside a pattern every quoted character has its backslash, or needs none but a quote.
        Some(pattern) => pattern.chars().fold(String::new(), |mut text, char| {
            match char {
                ' ' | '\t' => text.push('\\'),
                _ if is_false_blank(char) => text.push('\\'),
                _ => {}
            }
            text.push(char);
            text
        }),
        None => quoted(&word.text),
    }
}

// A single quote cannot stand between single quotes, so it stands between two such pairs.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:,@%+=".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_has_nothing_hidden() {
        for (argv, shown) in [
            (vec!["ls", "-la"], "ls -la"),
            (vec!["echo", "a; rm -rf /", ""], "echo 'a; rm -rf /' ''"),
            (vec!["echo", "it's"], "echo 'it'\\''s'"),
            (vec!["echo", "a\tb\u{1b}[2K"], "echo $'a\\u{9}b\\u{1b}[2K'"),
            (vec!["echo", "\u{202e}txt.'x'"], "echo $'\\u{202e}txt.\\'x\\''"),
            (vec!["echo", "a\u{a0}b\u{2800}"], "echo $'a\\u{a0}b\\u{2800}'"),
            (vec!["echo", "déjà"], "echo 'déjà'"),
        ] {
            assert_eq!(quote_for_display(&argv), shown);
        }
    }
}
