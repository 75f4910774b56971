//! The shell subset: any line is answered, and an accepted one means the same when written again.
//!
//! In: a line. Out: a panic when a span is no place in the line, when an accepted line reads
//! differently from its own words in quotes, or when what is shown of it hides a character. Never
//! judges whether a command is harmless.

use crate::input;
use salve_check::{
    CommandLine, Pattern, WordTarget, is_invisible, parse_command_bytes, parse_command_line,
    quote_for_display, render_command_line,
};

pub(super) fn check(bytes: &[u8]) {
    let from_bytes = parse_command_bytes(bytes);
    let line = input::text(bytes);
    let parsed = parse_command_line(&line);
    if std::str::from_utf8(bytes).is_ok() {
        assert_eq!(from_bytes, parsed, "text and bytes are answered differently");
    } else {
        assert!(from_bytes.is_err(), "what is no text was accepted");
    }
    match parsed {
        Err(refusal) => {
            assert!(line.get(refusal.span.range()).is_some(), "a refusal is no place in the line");
        }
        Ok(parsed) => check_accepted(&line, &parsed),
    }
    check_pattern(&line);
}

fn check_accepted(line: &str, parsed: &CommandLine) {
    for command in parsed.commands() {
        assert!(line.get(command.span.range()).is_some(), "a command is no place in the line");
        assert!(command.name().is_ascii() && !command.name().is_empty(), "a name is plain");
        for word in &command.words {
            assert!(line.get(word.span.range()).is_some(), "a word is no place in the line");
        }
        let argv: Vec<&str> = command.argv().collect();
        let shown = quote_for_display(&argv);
        assert!(!shown.contains(|char| char == '\t' || is_invisible(char)), "{shown:?} hides");
    }
    let written = render_command_line(parsed);
    let again = parse_command_line(&written);
    assert_eq!(again.as_ref().map(meaning), Ok(meaning(parsed)), "{written:?}");
}

// Everything but the places.
fn meaning(line: &CommandLine) -> Vec<String> {
    let mut parts = Vec::new();
    for pipeline in &line.pipelines {
        parts.push(format!("{:?}", pipeline.joiner));
        for command in &pipeline.commands {
            parts.push("command".to_owned());
            parts.extend(
                command.words.iter().map(|word| format!("{:?}", (&word.text, &word.pattern))),
            );
            for redirect in &command.redirects {
                let target = match &redirect.target {
                    WordTarget::Read(word) => format!("read {}", word.text),
                    WordTarget::Write(word) => format!("write {}", word.text),
                    WordTarget::Append(word) => format!("append {}", word.text),
                    WordTarget::Same(number) => format!("same {number}"),
                };
                parts.push(format!("{} {target}", redirect.descriptor));
            }
        }
    }
    parts
}

// A pattern without anything live in it matches exactly its own text.
fn check_pattern(line: &str) {
    if let Ok(pattern) = Pattern::new(line) {
        let name: String = line.chars().take(64).collect();
        let matches = pattern.matches(&name);
        if let Some(literal) = pattern.literal() {
            assert_eq!(matches, literal == name, "a literal pattern is one name");
        }
    }
}
