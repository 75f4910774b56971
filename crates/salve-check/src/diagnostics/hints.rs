//! What tools say only in words, read into hints.
//!
//! In: a diagnostic as its own reader made it. Out: the same with its hints: names that are not known,
//! names that were meant, tokens that are expected. The words of each tool are rows of a table here, and
//! nowhere else in the project. Never looks at the source.

mod c_family;
mod managed;
mod python;
mod rust;
mod script;

use salve_types::{Diagnostic, ErrorClass, Hint, NameKind};

// A longer name, or a longer list of tokens, is none.
const LONGEST: usize = 256;
// The most texts of one diagnostic that are read, and the most hints that are kept.
const TEXTS: usize = 32;
const KEPT: usize = 16;

/// The words of some tools.
struct Table {
    tools: &'static [&'static str],
    rows: &'static [Row],
}

/// A sentence, or a part of one, with `{}` for what changes, and the hints that it is.
type Row = (&'static str, fn(&[&str]) -> Vec<Hint>);

const TABLES: &[&Table] =
    &[&rust::TABLE, &script::TABLE, &python::TABLE, &c_family::TABLE, &managed::TABLE];

/// Adds the hints to a diagnostic that a parser has read.
pub fn add(diagnostic: &mut Diagnostic) {
    let tool = diagnostic.tool.as_str();
    let Some(table) = TABLES.iter().find(|table| table.tools.contains(&tool)) else { return };
    let mut found: Vec<Hint> = Vec::new();
    {
        let labels = diagnostic.spans.iter().filter_map(|span| span.label.as_deref());
        let notes = diagnostic.notes.iter().map(|note| note.message.as_str());
        let proposed = diagnostic.suggestions.iter().map(|one| one.message.as_str());
        let said = std::iter::once(diagnostic.message.as_str());
        for text in said.chain(labels).chain(notes).chain(proposed).take(TEXTS) {
            read(table, text, &mut found);
        }
    }
    // Of types, too, tools say what they expected and found.
    if diagnostic.class == ErrorClass::Type {
        found.retain(|hint| {
            !matches!(hint, Hint::ExpectedToken { .. } | Hint::UnexpectedToken { .. })
        });
    }
    found.truncate(KEPT);
    diagnostic.hints = found;
}

fn read(table: &Table, text: &str, found: &mut Vec<Hint>) {
    // gcc writes typographic quotes where the locale has them.
    let text = text.replace(['‘', '’'], "'");
    for (words, hints) in table.rows {
        for hint in captured(&text, words).map(|captured| hints(&captured)).unwrap_or_default() {
            if !found.contains(&hint) {
                found.push(hint);
            }
        }
    }
}

// The parts of `text` in the places of `{}`. The words may begin anywhere, unless they begin with `^`;
// `$` at their end is the end of the text.
fn captured<'t>(text: &'t str, words: &str) -> Option<Vec<&'t str>> {
    let (words, at_start) = words.strip_prefix('^').map_or((words, false), |words| (words, true));
    let (words, to_end) = words.strip_suffix('$').map_or((words, false), |words| (words, true));
    let mut parts = words.split("{}");
    let first = parts.next()?;
    let mut rest =
        if at_start { text.strip_prefix(first)? } else { &text[text.find(first)? + first.len()..] };
    let mut found = Vec::new();
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        let end = match part {
            "" => rest.len(),
            _ if last && to_end => rest.strip_suffix(part)?.len(),
            _ => rest.find(part)?,
        };
        let capture = rest.get(..end)?;
        // What is in quotes ends with the first of them.
        let quote = part.chars().next().filter(|one| matches!(one, '\'' | '`'));
        let is_cut = quote.is_some_and(|quote| capture.contains(quote));
        if capture.is_empty() || capture.len() > LONGEST || capture.contains('\n') || is_cut {
            return None;
        }
        found.push(capture);
        rest = rest.get(end + part.len()..)?;
    }
    (!to_end || rest.is_empty()).then_some(found)
}

/// An unknown name.
fn unknown(name: &str, kind: NameKind) -> Vec<Hint> {
    let name = name.trim();
    if is_name(name) { vec![Hint::UnknownName { name: name.to_owned(), kind }] } else { Vec::new() }
}

/// A member that its owner does not have.
fn member(owner: Option<&str>, name: &str) -> Vec<Hint> {
    if !is_name(name) {
        return Vec::new();
    }
    vec![Hint::UnknownMember { owner: owner.map(str::to_owned), name: name.to_owned() }]
}

/// A name that was perhaps meant.
fn similar(name: &str) -> Vec<Hint> {
    if is_name(name) { vec![Hint::SimilarName { name: name.to_owned() }] } else { Vec::new() }
}

/// A module that is not found.
fn module(name: &str) -> Vec<Hint> {
    vec![Hint::UnknownModule { name: unquoted(name).to_owned() }]
}

/// A name that a module does not offer.
fn not_exported(module: &str, name: &str) -> Vec<Hint> {
    vec![Hint::NotExported { module: unquoted(module).to_owned(), name: name.to_owned() }]
}

/// A name that is not used.
fn unused(name: &str) -> Vec<Hint> {
    vec![Hint::UnusedName { name: unquoted(name).to_owned() }]
}

/// Tokens that are expected: everything in quotes or backticks.
fn expected(list: &str) -> Vec<Hint> {
    let tokens = quoted(list);
    if tokens.is_empty() { Vec::new() } else { vec![Hint::ExpectedToken { tokens }] }
}

/// A token that is not expected.
fn unexpected(token: &str) -> Vec<Hint> {
    let quoted = quoted(token).into_iter().next();
    let token = quoted.or_else(|| (token.len() < 24).then(|| token.trim().to_owned()));
    vec![Hint::UnexpectedToken { token }]
}

/// A bracket or quote that is open.
fn unclosed(token: &str, line: Option<&str>) -> Vec<Hint> {
    let line = line.and_then(|line| line.parse().ok());
    vec![Hint::Unclosed { token: token.to_owned(), line }]
}

// The parts in backticks, or in single or double quotes.
fn quoted(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '\'', '"']) {
        let quote = &rest[at..=at];
        let Some(end) = rest[at + 1..].find(quote) else { break };
        // A quote that is itself quoted, as in `'''`.
        let end = if end == 0 && rest[at + 2..].starts_with(quote) { 1 } else { end };
        found.push(rest[at + 1..at + 1 + end].to_owned());
        rest = &rest[at + 2 + end..];
    }
    found.retain(|token| !token.is_empty());
    found
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\'', '`'])
}

fn is_name(text: &str) -> bool {
    let word =
        |one: char| one.is_alphanumeric() || matches!(one, '_' | '$' | ':' | '.' | '#' | '!');
    !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text.chars().any(|one| one.is_alphanumeric() || one == '_')
        && text.chars().all(word)
}

#[cfg(test)]
mod tests;
