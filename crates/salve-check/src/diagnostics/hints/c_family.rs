//! The words of gcc, clang and the linker.

use super::{Table, expected, member, module, similar, unclosed, unexpected, unknown, unused};
use salve_types::Hint;
use salve_types::NameKind::{Function, Type, Value};

pub(super) const TABLE: Table = Table {
    tools: &["gcc", "clang", "ld"],
    rows: &[
        // gcc.
        ("^'{}' undeclared", |it| unknown(it[0], Value)),
        ("^'{}' was not declared in this scope", |it| unknown(it[0], Value)),
        ("^implicit declaration of function '{}'", |it| unknown(it[0], Function)),
        ("implicit declaration of built-in function '{}'", |it| unknown(it[0], Function)),
        ("^unknown type name '{}'", |it| unknown(it[0], Type)),
        ("^'{}' does not name a type", |it| unknown(it[0], Type)),
        ("^'{}' has no member named '{}'", |it| member(Some(it[0]), it[1])),
        ("; did you mean '{}'?", |it| similar(it[0])),
        ("^include '<{}>' or provide a declaration of", |it| include(it[0])),
        ("is defined in header '<{}>'", |it| include(it[0])),
        ("^{}: No such file or directory", |it| module(it[0])),
        ("^unused variable '{}'", |it| unused(it[0])),
        ("^'{}' defined but not used", |it| unused(it[0])),
        ("^expected {} before {}", |it| expected(it[0])),
        ("^expected {} before {}$", |it| unexpected(it[1])),
        ("^expected {} at end of input", |it| expected(it[0])),
        ("^expected declaration or statement at end of input", |_| unclosed("{", None)),
        ("^missing terminating \" character", |_| unclosed("\"", None)),
        ("^missing terminating ' character", |_| unclosed("'", None)),
        ("^stray '{}' in program", |it| unexpected(&format!("`{}`", it[0]))),
        // clang.
        ("^use of undeclared identifier '{}'", |it| unknown(it[0], Value)),
        ("^call to undeclared function '{}'", |it| unknown(it[0], Function)),
        ("^call to undeclared library function '{}'", |it| unknown(it[0], Function)),
        ("^implicitly declaring library function '{}'", |it| unknown(it[0], Function)),
        ("^no member named '{}' in '{}'", |it| member(Some(it[1]), it[0])),
        ("^include the header <{}> or", |it| include(it[0])),
        ("^'{}' file not found", |it| module(it[0])),
        ("^expected '{}'$", |it| expected(&format!("`{}`", it[0]))),
        ("^expected '{}' after ", |it| expected(&format!("`{}`", it[0]))),
        ("^expected '{}' at end of declaration", |it| expected(&format!("`{}`", it[0]))),
        ("^missing terminating '\"' character", |_| unclosed("\"", None)),
        ("^extraneous closing brace ('{}')", |it| unexpected(&format!("`{}`", it[0]))),
        ("^unused function '{}'", |it| unused(it[0])),
        // The linker.
        ("undefined reference to `{}'", |it| unknown(it[0], Function)),
        ("undefined symbol: {}$", |it| unknown(it[0], Function)),
    ],
};

fn include(name: &str) -> Vec<Hint> {
    vec![Hint::Include { name: name.to_owned() }]
}
