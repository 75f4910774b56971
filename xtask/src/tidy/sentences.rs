//! Decisions travel as codes: no product code asks what is in the words of a message.
//!
//! In: the repository's files. Out: every place where a message, a reason or an error is searched for
//! words or compared with them. A foreign program that speaks only in words is read where its output
//! comes in, and the comment above says `words of` that program. Never looks into tests.

use xtask::workspace::SourceFile;

/// What messages are called.
const NAMES: &[&str] = &["message", "why", "error", "err", "reason", "cause", "complaint"];
/// What is asked of them.
const QUESTIONS: &[&str] = &[".contains(", ".starts_with(", ".ends_with(", " == \"", " != \""];
/// What may stand between the name and the question.
const CONVERSIONS: &[&str] = &[
    ".as_str()",
    ".as_deref()",
    ".to_string()",
    ".to_lowercase()",
    ".to_ascii_lowercase()",
    ".message()",
];
/// What the comment says where words are all there is.
const EXCEPTION: &str = "words of ";

/// Lists every decision by the words of a message.
pub(super) fn problems(files: &[SourceFile]) -> Vec<String> {
    let product = files.iter().filter(|file| {
        file.path.starts_with("crates/")
            && file.path.contains("/src/")
            && file.path.ends_with(".rs")
            && !file.path.contains("/tests/")
            && !file.path.ends_with("/tests.rs")
    });
    product.flat_map(decisions).collect()
}

fn decisions(file: &SourceFile) -> Vec<String> {
    // Tests stand last in a file.
    let product = file.text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines: Vec<&str> = product.lines().collect();
    let found = lines.iter().enumerate().filter(|(_, line)| asks_a_message(line));
    found
        .filter(|(at, _)| !is_foreign(&lines[..=*at]))
        .map(|(at, line)| {
            let (path, number, line) = (&file.path, at + 1, line.trim());
            format!("{path}:{number}: decides by the words of a message: `{line}`")
        })
        .collect()
}

fn asks_a_message(line: &str) -> bool {
    if line.trim_start().starts_with("//") || line.contains("assert") {
        return false;
    }
    QUESTIONS.iter().any(|question| {
        line.match_indices(question).any(|(at, _)| {
            let asked = &line[at + question.len()..];
            // A character is a matter of form, not of words.
            let is_form = asked.starts_with(['\'', '[', '|']) || asked.starts_with("char::");
            !is_form && is_message(&line[..at])
        })
    })
}

// Whether an expression ends with the name of a message.
fn is_message(mut expression: &str) -> bool {
    while let Some(shorter) =
        CONVERSIONS.iter().find_map(|conversion| expression.strip_suffix(conversion))
    {
        expression = shorter;
    }
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let name = expression.rsplit(|character| !is_part(character)).next().unwrap_or_default();
    NAMES.contains(&name)
}

// The exception is said in the same paragraph, above the line.
fn is_foreign(lines: &[&str]) -> bool {
    let paragraph = lines.iter().rev().take_while(|line| !line.trim().is_empty());
    paragraph.take(40).any(|line| line.contains("//") && line.contains(EXCEPTION))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        let path = "crates/salve-x/src/a.rs".to_owned();
        problems(&[SourceFile { path, text: text.to_owned() }]).len()
    }

    #[test]
    fn a_decision_by_words_is_found() {
        for line in [
            "if why.contains(\"budget\") {",
            "let talk = refusal.message.starts_with(\"is talk\");",
            "error.to_string().to_lowercase().contains(\"locked\")",
            "WORDS.iter().any(|word| message.contains(word))",
            "if error.message().ends_with(\"x\")",
            "if self.reason == \"length\" {",
        ] {
            assert_eq!(found(line), 1, "{line}");
        }
    }

    #[test]
    fn form_codes_tests_and_foreign_words_are_left_alone() {
        for text in [
            "if message.ends_with('.') {",
            "if text.contains(\"budget\") {",
            "if why == Why::Budget {",
            "    // if why.contains(\"budget\") {",
            "fn f() {\n    // The words of rustc.\n    message.contains(\"x\")\n}",
            "fn f() {}\n#[cfg(test)]\nmod tests {\n    if why.contains(\"x\") {}\n}",
            "assert!(error.to_string().contains(\"x\"));",
        ] {
            assert_eq!(found(text), 0, "{text}");
        }
        assert_eq!(found("// The words of rustc.\n\nmessage.contains(\"x\")"), 1, "too far away");
    }
}
