//! The words of Go and of javac.

use super::{Table, expected, member, module, unclosed, unexpected, unknown, unused};
use salve_types::Hint;
use salve_types::NameKind::{Any, Function, Type, Value};

pub(super) const TABLE: Table = Table {
    tools: &["go", "go-vet", "go-test", "javac"],
    rows: &[
        // Go.
        ("^undefined: {}$", |it| undefined(it[0])),
        ("^undeclared name: {}$", |it| undefined(it[0])),
        ("^{} undefined (type {} has no field or method {})", |it| member(Some(it[1]), it[2])),
        ("^{} not declared by package {}$", |it| member(Some(it[1]), it[0])),
        ("^unknown field {} in struct literal", |it| member(None, it[0])),
        ("^imported and not used: {}$", |it| unused(it[0])),
        ("^\"{}\" imported and not used", |it| unused(it[0])),
        ("^{} declared but not used$", |it| unused(it[0])),
        ("^{} declared and not used$", |it| unused(it[0])),
        ("^declared and not used: {}$", |it| unused(it[0])),
        ("^no required module provides package {}; to add it", |it| module(it[0])),
        ("^no required module provides package {}:", |it| module(it[0])),
        ("^cannot find package \"{}\"", |it| module(it[0])),
        ("^package {} is not in ", |it| module(it[0])),
        ("possibly missing comma or )", |_| expected("`,` `)`")),
        ("possibly missing comma or }", |_| expected("`,` `}`")),
        ("possibly missing comma or ]", |_| expected("`,` `]`")),
        ("^syntax error: unexpected {},", |it| unexpected(it[0])),
        ("^syntax error: unexpected {} in ", |it| unexpected(it[0])),
        ("expecting {}$", |it| expected_word(it[0])),
        ("expected {}$", |it| expected_word(it[0])),
        ("^string literal not terminated", |_| unclosed("\"", None)),
        ("^newline in string", |_| unclosed("\"", None)),
        // javac, in its sentences and in those made of its keys.
        ("^cannot find symbol: kindname.variable {}$", |it| unknown(it[0], Value)),
        ("^cannot find symbol: kindname.class {}$", |it| unknown(it[0], Type)),
        ("^cannot find symbol: kindname.method {}(", |it| unknown(it[0], Function)),
        ("^cannot find symbol: variable {}$", |it| unknown(it[0], Value)),
        ("^cannot find symbol: class {}$", |it| unknown(it[0], Type)),
        ("^cannot find symbol: method {}(", |it| unknown(it[0], Function)),
        ("^symbol: variable {}$", |it| unknown(it[0], Value)),
        ("^symbol:   variable {}$", |it| unknown(it[0], Value)),
        ("^symbol:   class {}$", |it| unknown(it[0], Type)),
        ("^symbol:   method {}(", |it| unknown(it[0], Function)),
        ("^package {} does not exist", |it| module(it[0])),
        ("^'{}' expected", |it| expected(&format!("`{}`", it[0]))),
        ("^{} or {} expected", |it| expected(&format!("{} {}", it[0], it[1]))),
        ("^{}, {}, or {} expected", |it| expected(&it.join(" "))),
        ("^reached end of file while parsing", |_| unclosed("{", None)),
        ("^unclosed string literal", |_| unclosed("\"", None)),
    ],
};

// `fmt.Printn` is a member of a package, `helpr` a name.
fn undefined(name: &str) -> Vec<Hint> {
    match name.split_once('.') {
        Some((package, name)) => member(Some(package), name),
        None => unknown(name, Any),
    }
}

// Go quotes nothing: `expecting {`, `expecting { after for clause`.
fn expected_word(words: &str) -> Vec<Hint> {
    let first = words.split(' ').next().unwrap_or_default();
    let is_token = first.chars().all(|one| one.is_ascii_punctuation());
    if is_token { expected(&format!("`{first}`")) } else { Vec::new() }
}
