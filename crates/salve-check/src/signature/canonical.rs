//! The three texts that are hashed.
//!
//! In: a diagnostic. Out: its exact form (with its names), its shape (names numbered by first use)
//! and its class (the template of its message), as `docs/signatures.md` describes them. Never holds
//! a path, a line, a column, a time or anything else of one run.

use super::language::Language;
use super::lexer::{Token, TokenKind, tokens};
use super::message::{Piece, Role, pieces, without_hint, words};
use super::normalise::normalise_line;
use salve_types::Diagnostic;
use std::collections::HashMap;

/// The texts that the signatures of a diagnostic are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalForms {
    /// Code, message and source line with their names.
    pub exact: String,
    /// The same with the programmer's names numbered by first use.
    pub shape: String,
    /// Tool, code and the message's template.
    pub class: String,
}

/// The first line of every canonical form; a change of any rule below changes its number.
pub(crate) const VERSION: &str = "salve-signature/1";

/// Writes the canonical forms of a diagnostic.
#[must_use]
pub fn canonical(diagnostic: &Diagnostic) -> CanonicalForms {
    let language = Language::of_tool(&diagnostic.tool);
    let code = diagnostic.code.as_deref().unwrap_or_default();
    let message = normalised_message(diagnostic);
    let place = Place::of(diagnostic);
    let pieces: Vec<Part<'_>> =
        pieces(&message).into_iter().map(|piece| Part::of(language, piece)).collect();
    let room = 2 * message.len() + 256;
    let begin = |form: &str, who: &str| {
        let mut text = String::with_capacity(room);
        for part in [VERSION, " ", form, "\n", who, "\n"] {
            text.push_str(part);
        }
        text
    };
    let head = |form: &str, who: &str| {
        let mut text = begin(form, who);
        text.push_str(code);
        text.push('\n');
        text
    };

    let mut exact = head("exact", language.name());
    write_exact(&pieces, &mut exact);
    exact.push('\n');
    place.write_exact(language, &mut exact);

    let mut names = Names::default();
    let mut shape = begin("shape", language.name());
    if is_own_exception(language, diagnostic) {
        names.write(code, &mut shape);
    } else {
        shape.push_str(code);
    }
    shape.push('\n');
    write_shape(language, &pieces, &mut names, &mut shape);
    shape.push('\n');
    place.write_shape(language, &mut names, &mut shape);

    let mut class = head("class", &diagnostic.tool);
    write_class(language, &pieces, &mut class);
    CanonicalForms { exact, shape, class }
}

// The code of an exception is its class, which may be the programmer's own.
fn is_own_exception(language: Language, diagnostic: &Diagnostic) -> bool {
    let raised =
        matches!(diagnostic.tool.as_str(), "python" | "pytest" | "unittest" | "node" | "java");
    let code = diagnostic.code.as_deref().unwrap_or_default();
    let is_constant = code.bytes().all(|byte| !byte.is_ascii_lowercase());
    raised && !code.is_empty() && !is_constant && !language.keeps(code)
}

fn normalised_message(diagnostic: &Diagnostic) -> String {
    let message = without_hint(&diagnostic.message);
    let mut normalised = String::with_capacity(message.len());
    for line in message.split('\n').map(str::trim).filter(|line| !line.is_empty()) {
        if !normalised.is_empty() {
            normalised.push(' ');
        }
        normalise_line(line, &mut normalised);
    }
    own_files_are_paths(diagnostic, normalised)
}

// A message that names the very file it is about names a path and nothing else.
fn own_files_are_paths(diagnostic: &Diagnostic, mut normalised: String) -> String {
    if !normalised.contains("<PATH>") {
        return normalised;
    }
    for span in diagnostic.spans.iter().take(1) {
        let name = span.path.rsplit(['/', '\\']).next().unwrap_or_default();
        let marked = format!("<PATH>{name}");
        if name.len() > 1 && normalised.contains(&marked) {
            normalised = normalised.replace(&marked, "<PATH>");
        }
    }
    normalised
}

/// A piece of a message whose words were told apart, once for all three forms.
enum Part<'a> {
    Prose(&'a str, Vec<(Role, &'a str)>),
    Code(&'a str),
    Literal(&'a str),
}

impl<'a> Part<'a> {
    fn of(language: Language, piece: Piece<'a>) -> Self {
        match piece {
            Piece::Prose(text) => Self::Prose(text, words(language, text)),
            Piece::Code(code) => Self::Code(code),
            Piece::Literal(text) => Self::Literal(text),
        }
    }
}

/// Where a diagnostic is, in words that survive a move: its source line, else its function or test.
enum Place<'a> {
    Line(&'a str),
    Within(&'a str),
    Nowhere,
}

impl<'a> Place<'a> {
    fn of(diagnostic: &'a Diagnostic) -> Self {
        let within =
            diagnostic.notes.iter().find(|note| note.kind == "function" || note.kind == "test");
        let line = diagnostic.primary().and_then(|span| span.line_text.as_deref());
        match (line.filter(|_| always_shows_lines(&diagnostic.tool)), within) {
            (Some(line), _) => Self::Line(line),
            (None, Some(note))
                if !always_shows_lines(&diagnostic.tool) || diagnostic.spans.is_empty() =>
            {
                Self::Within(&note.message)
            }
            _ => Self::Nowhere,
        }
    }

    fn write_exact(&self, language: Language, out: &mut String) {
        match self {
            Self::Line(line) => join(tokens(language, line).map(|token| token.text), out),
            Self::Within(name) => {
                out.push_str("in ");
                join(tokens(language, name).map(|token| token.text), out);
            }
            Self::Nowhere => {}
        }
    }

    fn write_shape(&self, language: Language, names: &mut Names<'a>, out: &mut String) {
        match self {
            Self::Line(line) => write_tokens(language, line, names, out),
            Self::Within(name) => {
                out.push_str("in ");
                write_tokens(language, name, names, out);
            }
            Self::Nowhere => {}
        }
    }
}

// The other tools have a form without the line, which must sign like the one with it.
fn always_shows_lines(tool: &str) -> bool {
    matches!(
        tool,
        "gcc"
            | "g++"
            | "clang"
            | "rustc"
            | "clippy"
            | "cargo"
            | "javac"
            | "python"
            | "pytest"
            | "unittest"
            | "node"
    )
}

/// The names met so far; each gets the number of its first use.
#[derive(Default)]
struct Names<'a> {
    /// The first ones in order: an ordinary error has a handful, and looking through them is
    /// quickest.
    few: Vec<&'a str>,
    many: HashMap<&'a str, usize>,
}

const FEW: usize = 16;

impl<'a> Names<'a> {
    fn write(&mut self, name: &'a str, out: &mut String) {
        let number = match self.few.iter().position(|known| *known == name) {
            Some(at) => at + 1,
            None if self.few.len() < FEW => {
                self.few.push(name);
                self.few.len()
            }
            None => {
                let next = FEW + self.many.len() + 1;
                *self.many.entry(name).or_insert(next)
            }
        };
        out.push('$');
        match u8::try_from(number).ok().filter(|number| *number < 10) {
            Some(digit) => out.push(char::from(b'0' + digit)),
            None => out.push_str(&number.to_string()),
        }
    }
}

fn join<'a>(texts: impl Iterator<Item = &'a str>, out: &mut String) {
    for (at, text) in texts.enumerate() {
        if at > 0 {
            out.push(' ');
        }
        out.push_str(text);
    }
}

// One kind of quotes for all: which kind a tool prints depends on the locale.
fn write_exact(pieces: &[Part<'_>], out: &mut String) {
    for piece in pieces {
        match piece {
            Part::Prose(text, _) | Part::Literal(text) => out.push_str(text),
            Part::Code(text) => {
                out.push('\'');
                out.push_str(text);
                out.push('\'');
            }
        }
    }
}

fn write_shape<'a>(
    language: Language,
    pieces: &[Part<'a>],
    names: &mut Names<'a>,
    out: &mut String,
) {
    let mut first = true;
    let mut space = |out: &mut String| {
        if !std::mem::take(&mut first) {
            out.push(' ');
        }
    };
    for piece in pieces {
        match piece {
            Part::Prose(_, words) => {
                for &(role, word) in words {
                    space(out);
                    match role {
                        Role::Name if !is_kept(language, word, true) => names.write(word, out),
                        _ => out.push_str(word),
                    }
                }
            }
            Part::Code(code) => {
                space(out);
                out.push('\'');
                write_tokens(language, code, names, out);
                out.push('\'');
            }
            Part::Literal(_) => {
                space(out);
                out.push_str("\"\"");
            }
        }
    }
}

// Texts inside the program are someone's data: only that there is one enters the shape.
fn write_tokens<'a>(language: Language, code: &'a str, names: &mut Names<'a>, out: &mut String) {
    let mut tokens = tokens(language, code).peekable();
    let mut first = true;
    while let Some(token) = tokens.next() {
        if !std::mem::take(&mut first) {
            out.push(' ');
        }
        let called = tokens.peek().is_some_and(|next| next.text == "(");
        match token.kind {
            TokenKind::Name if !is_kept(language, token.text, called) => {
                names.write(token.text, out);
            }
            TokenKind::Literal => out.push_str("\"\""),
            _ => out.push_str(token.text),
        }
    }
}

fn is_kept(language: Language, word: &str, called: bool) -> bool {
    language.keeps(word) || (called && language.keeps_called(word))
}

fn write_class(language: Language, pieces: &[Part<'_>], out: &mut String) {
    let mut parts: Vec<&str> = Vec::new();
    for piece in pieces {
        match piece {
            Part::Prose(_, words) => {
                parts.extend(words.iter().map(|&(role, word)| match role {
                    Role::Name if !language.keeps(word) => "_",
                    Role::Number => "0",
                    _ => word,
                }));
            }
            Part::Code(code) => parts.push(class_of_code(language, code)),
            Part::Literal(_) => parts.push("_"),
        }
    }
    join(parts.into_iter(), out);
}

// Marks and single keywords are part of a template; everything else fills it.
fn class_of_code(language: Language, code: &str) -> &str {
    let mut all = tokens(language, code);
    let first = all.next();
    let single = all.next().is_none();
    let marks = |token: Token<'_>| token.kind == TokenKind::Mark;
    let keyword = |token: Token<'_>| token.kind == TokenKind::Name && language.keeps(token.text);
    match first {
        Some(token) if marks(token) && all.all(marks) => code.trim(),
        Some(token) if single && keyword(token) => code.trim(),
        _ => "_",
    }
}
