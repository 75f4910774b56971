//! The structure of a text line by line.
//!
//! In: a text and its language. Out: for each line, how deep it starts and in what. (in progress)

use super::lines::lines;
use salve_types::Language;

/// What a place in a text is inside of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inside {
    /// Code, at any depth.
    Code,
    /// A string, a comment, or another literal of free text.
    Words,
}

/// The state in which a line starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineState {
    /// How many constructs are open.
    pub(crate) depth: usize,
    /// What the innermost one makes of the text.
    pub(crate) inside: Inside,
    /// Offset of the innermost opener; 0 when there is none.
    pub(crate) opener: usize,
}

/// A text's structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outline {
    /// One state per line.
    pub(crate) lines: Vec<LineState>,
    /// The state at the end.
    pub(crate) end: LineState,
    /// The first closer without an opener.
    pub(crate) crossed: Option<usize>,
}

/// Reads the structure of a text.
pub(crate) fn outline(text: &str, language: Language) -> Outline {
    let hash = matches!(
        language,
        Language::Python | Language::Bash | Language::Ruby | Language::Yaml | Language::Toml
    );
    let bytes = text.as_bytes();
    let mut stack: Vec<(u8, usize)> = Vec::new();
    let mut crossed = None;
    let mut states = Vec::new();
    let state = |stack: &Vec<(u8, usize)>| LineState {
        depth: stack.len(),
        inside: if stack.last().is_some_and(|top| !matches!(top.0, b'(' | b'[' | b'{')) {
            Inside::Words
        } else {
            Inside::Code
        },
        opener: stack.last().map_or(0, |top| top.1),
    };
    for line in lines(text) {
        states.push(state(&stack));
        let mut at = line.start;
        while at < line.end {
            let byte = bytes[at];
            let pair = bytes.get(at + 1).copied().unwrap_or(0);
            match stack.last().map(|top| top.0) {
                Some(quote @ (b'"' | b'\'' | b'`')) => {
                    if byte == b'\\' {
                        at += 1;
                    } else if byte == quote {
                        stack.pop();
                    }
                }
                Some(b't') => {
                    if text[at..].starts_with("\"\"\"") {
                        stack.pop();
                        at += 2;
                    }
                }
                Some(b'*') => {
                    if byte == b'*' && pair == b'/' {
                        stack.pop();
                        at += 1;
                    }
                }
                Some(b'/') => {}
                _ => match byte {
                    b'/' if pair == b'/' && !hash => stack.push((b'/', at)),
                    b'#' if hash => stack.push((b'/', at)),
                    b'/' if pair == b'*' && !hash => {
                        stack.push((b'*', at));
                        at += 1;
                    }
                    b'"' if hash && bytes[at..].starts_with(b"\"\"\"") => {
                        stack.push((b't', at));
                        at += 2;
                    }
                    b'\'' if language == Language::Rust => {}
                    b'"' | b'\'' | b'`' => stack.push((byte, at)),
                    b'(' | b'[' | b'{' => stack.push((byte, at)),
                    b')' | b']' | b'}' => {
                        let want = match byte {
                            b')' => b'(',
                            b']' => b'[',
                            _ => b'{',
                        };
                        if stack.last().is_some_and(|top| top.0 == want) {
                            stack.pop();
                        } else {
                            crossed = crossed.or(Some(at));
                        }
                    }
                    _ => {}
                },
            }
            at += 1;
        }
        if line.next > line.end && matches!(stack.last(), Some((b'/', _))) {
            stack.pop();
        }
        if line.next > line.end
            && matches!(stack.last(), Some((b'"' | b'\'', _)))
            && language != Language::Rust
        {
            stack.pop();
        }
    }
    Outline { lines: states, end: state(&stack), crossed }
}
