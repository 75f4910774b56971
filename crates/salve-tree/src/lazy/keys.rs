//! What a line declares, where a second declaration of the same would replace it.
//!
//! In: a line. Out: a key that is equal for two versions of one declaration. Never: a key for a
//! statement that may well stand twice.

/// Words that introduce a declaration, and words that may stand before them.
const DECLARING: &[&str] = &[
    "fn",
    "func",
    "function",
    "def",
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "type",
    "impl",
    "mod",
    "module",
    "namespace",
    "const",
    "static",
    "let",
    "var",
    "val",
    "macro_rules!",
    "union",
    "object",
    "record",
    "protocol",
    "extension",
    "sub",
    "proc",
    "message",
    "service",
];
const BEFORE: &[&str] = &[
    "pub",
    "pub(crate)",
    "pub(super)",
    "export",
    "default",
    "async",
    "unsafe",
    "extern",
    "public",
    "private",
    "protected",
    "static",
    "final",
    "abstract",
    "override",
    "virtual",
    "inline",
    "declare",
    "readonly",
    "constexpr",
    "open",
    "internal",
    "sealed",
    "mut",
    "suspend",
    "data",
];

/// Returns what a line declares.
pub(super) fn key_of(line: &str, top_level: bool) -> Option<String> {
    let line = line.trim();
    if line.starts_with("return ") || line == "return" || line == "return;" {
        return Some("return".to_owned());
    }
    quoted_key(line).or_else(|| declared(line)).or_else(|| assigned(line, top_level))
}

/// `"name": …` of JSON and of literals.
fn quoted_key(line: &str) -> Option<String> {
    let quote = line.chars().next().filter(|character| matches!(character, '"' | '\''))?;
    let rest = &line[1..];
    let end = rest.find(quote)?;
    rest[end + 1..].trim_start().starts_with(':').then(|| format!("\"{}\"", &rest[..end]))
}

/// `fn name`, `class name`, `func (s *T) name`. A call, or a variable of a type, is none.
fn declared(line: &str) -> Option<String> {
    let mut rest = line;
    let mut declaring = None;
    loop {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = &rest[..end];
        if DECLARING.contains(&word) {
            declaring = Some(word);
        } else if declaring.is_some() || word.is_empty() || !BEFORE.contains(&word) {
            break;
        }
        rest = rest[end..].trim_start();
    }
    let declaring = declaring?;
    // The receiver of a Go method is a part of its name.
    let (receiver, rest) = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((receiver, rest)) if declaring == "func" => (receiver.trim(), rest.trim_start()),
        _ => ("", rest),
    };
    if declaring == "impl" {
        return Some(format!("impl {}", rest.trim_end_matches('{').trim()));
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
    let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
    (!name.is_empty() && names_end(after.trim_start()))
        .then(|| format!("{declaring} {receiver} {name}"))
}

/// Tells whether what follows a name ends it, as it does in a declaration.
fn names_end(after: &str) -> bool {
    let word = after.split_whitespace().next().unwrap_or_default();
    after.is_empty()
        || after.starts_with(['{', '(', '<', ':', ';', '=', '[', '!'])
        || ["extends", "implements", "where", "for", "with", "struct", "interface"].contains(&word)
}

/// `NAME = …` at the top of a file, where the value does not build on the name.
fn assigned(line: &str, top_level: bool) -> Option<String> {
    let (name, value) = line.split_once('=').filter(|_| top_level)?;
    let name = name.trim();
    let plain = !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && !value.starts_with('=');
    (plain && !value.contains(name)).then(|| format!("{name} ="))
}

/// Tells whether a line says too little to find a place by.
pub(super) fn is_weak(line: &str) -> bool {
    let line = line.trim();
    let letters = line.chars().filter(|character| character.is_alphanumeric()).count();
    letters < 3
        || matches!(
            line.trim_end_matches([';', ',', ':', '{', ' ', '(']),
            "else" | "break" | "continue" | "pass" | "return" | "try" | "finally" | "do" | "end"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_versions_of_one_declaration_have_one_key() {
        for (one, other, same) in [
            ("function foo(a) {", "export async function foo(a, b) {", true),
            ("func (s *T) Run() {", "func (s *T) Run(x int) {", true),
            ("func (s *T) Run() {", "func (s *U) Run() {", false),
            ("\"icon\": \"$(play)\"", "\"icon\": {", true),
            ("const a = 1;", "const b = 1;", false),
            ("const fn a() {", "const fn b() {", false),
            ("const char *a;", "const char *b;", false),
            ("struct point a;", "struct point b;", false),
            ("type A struct {", "type A struct { // new", true),
            ("pub fn a() {", "fn b() {", false),
            ("return a", "return b", true),
            ("TIMEOUT = 30", "TIMEOUT = 60", true),
        ] {
            let keys = (key_of(one, true), key_of(other, true));
            assert_eq!(keys.0.is_some() && keys.0 == keys.1, same, "{one} | {other}");
        }
        for line in
            ["foo(1)", "x += 1", "if x == 1 {", "a, b = b, a", "é", "\"", "fn", "fn ", "x = x + 1"]
        {
            assert_eq!(key_of(line, true), None, "{line}");
        }
        assert_eq!(key_of("x = 1", false), None);
    }
}
