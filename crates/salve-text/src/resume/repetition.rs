//! How likely it is that someone wrote the same thing twice in a row on purpose.
//!
//! In: a text that is both at the end of the partial and at the start of the continuation. Out:
//! a number of bits: how surprising it would be if both were meant. Closing brackets are expected
//! to repeat, table rows and calls often do, declarations never. Never looks at the structure of
//! the file: brackets that must balance are other evidence.

use super::weights;
use std::collections::HashSet;

/// Returns how surprising it is, in bits, that `text` was written twice in a row on purpose.
///
/// `complete` says that the text ends where a line ends; half a line is never repeated on purpose.
pub(crate) fn surprise(text: &str, complete: bool) -> f32 {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let Some((last, whole)) = lines.split_last() else { return 0.0 };
    if !complete {
        // Half a row of a table may well start with the same value twice.
        let row = is_row(last.trim()) && last.contains([',', '|']);
        let most = if row { weights::MOST_OF_HALF_ROW } else { weights::MOST_OF_HALF_LINE };
        return surprise(&whole.join("\n"), true) + information(last).min(most);
    }
    if lines.len() > 1 && lines.iter().all(|line| line.trim() == lines[0].trim()) {
        // The text repeats itself already.
        return weights::SELF_REPEATING;
    }
    let habits: Vec<Habit> = lines.iter().map(|line| habit(line)).collect();
    let strange = habits.iter().filter(|habit| matches!(habit, Habit::Other)).count();
    if strange == 0 {
        let most = habits.iter().map(|habit| habit.bits()).fold(0.0, f32::max);
        // Twice the same pair of different lines is rarer than twice the same line.
        let telling = lines.iter().zip(&habits).filter(|(_, habit)| **habit != Habit::Closer);
        let different: HashSet<&str> = telling.map(|(line, _)| line.trim()).collect();
        let closes = habits.contains(&Habit::Closer) && !different.is_empty();
        let ended = if closes { weights::CLOSED_AGAIN } else { 0.0 };
        let further = different.len().saturating_sub(1) as f32;
        return most + ended + weights::EACH_DIFFERENT_LINE * further;
    }
    if is_list_item(text.trim()) {
        return weights::ITEM_AGAIN;
    }
    let others = lines.iter().zip(&habits).filter(|(_, habit)| matches!(habit, Habit::Other));
    let told: f32 = others.map(|(line, _)| information(line).min(weights::DECLARATION)).sum();
    told.min(weights::DECLARATION + weights::EACH_DECLARATION * (strange - 1) as f32)
}

/// Returns roughly how many bits a text carries: blanks and runs of one sign carry few.
pub(crate) fn information(text: &str) -> f32 {
    let mut bits = 0.0;
    let mut before = '\0';
    for sign in text.chars() {
        bits += match sign {
            _ if sign == before => weights::BLANK,
            ' ' | '\t' | '\n' | '\r' => weights::BLANK,
            _ if sign.is_alphanumeric() => weights::LETTER,
            _ => weights::SIGN,
        };
        before = sign;
    }
    bits
}

/// What a line is, as far as repeating it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Habit {
    /// Punctuation only, or a word that closes: `}`, `end`, `</div>`.
    Closer,
    /// Values without names: a row of a table, an item of a list.
    Row,
    /// A call for its effect: `x.push(1);`, `i += 1`.
    Call,
    /// A value put into something that exists: `token = next();`.
    Assignment,
    /// Anything else.
    Other,
}

impl Habit {
    const fn bits(self) -> f32 {
        match self {
            Self::Closer => weights::CLOSER_AGAIN,
            Self::Row => weights::ROW_AGAIN,
            Self::Call => weights::CALL_AGAIN,
            Self::Assignment => weights::ASSIGNMENT_AGAIN,
            Self::Other => weights::DECLARATION,
        }
    }
}

fn habit(line: &str) -> Habit {
    let line = line.trim();
    // What is said about a line does not change what it does.
    let line = line.find(" //").map_or(line, |at| line[..at].trim_end());
    let line = line.strip_prefix("//").map_or(line, str::trim_start);
    let closing_word = line.trim_end_matches([';', ',', ')']).to_ascii_lowercase();
    if !line.chars().any(char::is_alphanumeric)
        || CLOSING_WORDS.contains(&closing_word.as_str())
        || (line.starts_with("</") && line.ends_with('>'))
    {
        return Habit::Closer;
    }
    if is_row(line) || (line.ends_with(',') && is_list_item(line)) {
        return Habit::Row;
    }
    if line.starts_with("<-") {
        // A channel is received from for the effect of it.
        return Habit::Call;
    }
    let first = first_word(line);
    if DECLARING.contains(&first) {
        return Habit::Other;
    }
    match assignment_at(line) {
        Some(at) if is_update(line, at) => Habit::Call,
        Some(at) if line[..at].contains("++") || line[..at].contains("--") => Habit::Call,
        Some(at) if is_one_target(line[..at].trim()) => Habit::Assignment,
        Some(_) => Habit::Other,
        None if is_call(line) => Habit::Call,
        None if has_one_word(line) => Habit::Assignment,
        None => Habit::Other,
    }
}

// A line of signs around one word, such as a pattern in a macro, says little.
fn has_one_word(line: &str) -> bool {
    let words = line.split(|sign: char| !(sign.is_alphanumeric() || sign == '_'));
    let words: HashSet<&str> = words.filter(|word| !word.is_empty()).collect();
    words.len() == 1 && words.iter().all(|word| word.len() < 5) && line.len() > 4
}

// A row holds numbers, quoted text and signs, or is marked as one.
fn is_row(line: &str) -> bool {
    if line.starts_with('|') && line.ends_with('|') {
        return true;
    }
    if line.starts_with('<') && line.ends_with('>') && !line.starts_with("<!") {
        return true;
    }
    if line.starts_with("- ") || line.ends_with("++;") || line.ends_with("++") {
        return true;
    }
    let bare = without_quoted(line);
    if bare.contains(':') || bare.contains('=') {
        return false;
    }
    bare.split(|sign: char| !(sign.is_alphanumeric() || sign == '_'))
        .filter(|token| !token.is_empty())
        .all(|token| {
            token.starts_with(|first: char| first.is_ascii_digit())
                || matches!(
                    token,
                    "true" | "false" | "null" | "None" | "nil" | "True" | "False" | "NULL"
                )
        })
}

// Balanced, ends with a comma, and names nothing: `Point::new(1, 2),` or `{ … },`.
fn is_list_item(text: &str) -> bool {
    let Some(item) = text.strip_suffix(',') else { return false };
    let mut depth = 0i32;
    let bare = without_quoted(item);
    let bytes = bare.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b'=' if depth == 0 && bytes.get(at + 1) != Some(&b'>') => return false,
            b':' if depth == 0
                && bytes.get(at + 1) != Some(&b':')
                && (at == 0 || bytes[at - 1] != b':') =>
            {
                return false;
            }
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

fn is_call(line: &str) -> bool {
    let line = line.trim_end_matches([';', '?', ',']);
    let rest = line.strip_prefix("await ").unwrap_or(line);
    let rest = rest.strip_prefix("yield ").unwrap_or(rest);
    let rest = rest.strip_prefix("go ").unwrap_or(rest);
    let rest = rest.strip_prefix("defer ").unwrap_or(rest);
    let path = rest.len() - rest.trim_start_matches(|sign| is_path_sign(sign) || sign == '!').len();
    path > 0 && rest[path..].starts_with('(') && line.ends_with(')')
}

fn is_path_sign(sign: char) -> bool {
    sign.is_alphanumeric()
        || matches!(sign, '_' | '.' | ':' | '$' | '*' | '&' | '[' | ']' | '>' | '-' | '@')
}

// The place of an assignment outside brackets and quotes; comparisons and arrows are none.
fn assignment_at(line: &str) -> Option<usize> {
    let bare = without_quoted(line);
    let bytes = bare.as_bytes();
    let mut depth = 0i32;
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b'=' if depth == 0 => {
                let before = if at == 0 { 0 } else { bytes[at - 1] };
                let after = bytes.get(at + 1).copied().unwrap_or(0);
                if !matches!(before, b'=' | b'!' | b'<' | b'>') && !matches!(after, b'=' | b'>') {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

// Whether what is assigned to is one thing: words side by side are a declaration.
fn is_one_target(target: &str) -> bool {
    let mut depth = 0i32;
    target.bytes().all(|byte| {
        depth += i32::from(matches!(byte, b'(' | b'[' | b'{'));
        depth -= i32::from(matches!(byte, b')' | b']' | b'}'));
        byte != b' ' || depth > 0
    })
}

// `x += 1` and `x = x + 1` change something a little each time.
fn is_update(line: &str, at: usize) -> bool {
    let Some(target) = line.get(..at) else { return false };
    if target.ends_with(['+', '-', '*', '/', '|', '&', '^', '%']) {
        return true;
    }
    let target = target.trim_end_matches([':', ' ']).trim();
    !target.is_empty()
        && line.get(at + 1..).is_some_and(|value| value.trim_start().starts_with(target))
}

// The line with quoted text blanked out, byte for byte as long as before.
fn without_quoted(line: &str) -> String {
    let mut quote = None;
    let mut escaped = false;
    let blanked = line.bytes().map(|byte| match quote {
        Some(open) => {
            if escaped {
                escaped = false;
            } else if byte == b'\\' {
                escaped = true;
            } else if byte == open {
                quote = None;
            }
            b' '
        }
        None if matches!(byte, b'"' | b'\'' | b'`') => {
            quote = Some(byte);
            b' '
        }
        None if byte.is_ascii() => byte,
        None => b'_',
    });
    blanked.map(char::from).collect()
}

fn first_word(line: &str) -> &str {
    let end =
        line.find(|sign: char| !(sign.is_alphanumeric() || sign == '_')).unwrap_or(line.len());
    &line[..end]
}

const CLOSING_WORDS: &[&str] =
    &["end", "fi", "done", "esac", "#endif", "endif", "endfor", "endwhile", "pass"];

#[rustfmt::skip]
const DECLARING: &[&str] = &[
    "let", "const", "var", "val", "static", "fn", "func", "def", "function", "fun", "class", "struct", "enum",
    "trait", "impl", "interface", "type", "use", "import", "from", "package", "namespace", "module", "mod",
    "pub", "public", "private", "protected", "export", "return", "if", "while", "for", "match", "switch",
    "case", "else", "elif", "try", "catch", "except", "with", "async", "throw", "raise", "break", "continue",
    "int", "float", "double", "char", "long", "bool", "auto", "void", "unsigned", "size_t", "String", "using",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t27_meant_repetition_is_less_surprising_than_a_declaration() {
        for line in [
            "x.push(1);",
            "}",
            "});",
            "0, 0, 0,",
            "| a | b |",
            "iter.next();",
            "i += 1;",
            "  </div>",
            "Point::new(1, 2),",
            "assert_eq!(it.next(), None);",
            "end",
            "await step();",
            "<br/>",
            "- item",
            "i++;",
            "<-done",
            "go step()",
            "// </g>",
        ] {
            assert!(surprise(line, true) <= 4.0, "{line}: {}", surprise(line, true));
        }
        for line in [
            "let total = sum(&items);",
            "fn parse(input: &str) -> Tree {",
            "return items.len();",
            "use std::fmt;",
            "def parse(self):",
            "if value == other {",
            "// The end of the walk.",
            "margin: 0 auto;",
        ] {
            assert!(surprise(line, true) >= 12.0, "{line}: {}", surprise(line, true));
        }
    }

    #[test]
    fn t27_items_and_half_lines() {
        assert!(surprise("{\n  \"a\": 1,\n},", true) <= 8.0);
        assert!(surprise("x.push(1);\nlet tot", false) > 10.0);
        assert!(surprise("r", false) < 4.0);
        assert!(information("                ") < 4.0 && information("----------") < 4.0);
    }
}
