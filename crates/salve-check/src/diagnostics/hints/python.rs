//! The words of Python, of its test runners that carry them, and of its checkers.

use super::{
    Table, expected, member, module, not_exported, similar, unclosed, unexpected, unknown, unused,
};
use salve_types::NameKind::{Any, Argument};
use salve_types::{Hint, IndentationFault};

pub(super) const TABLE: Table = Table {
    tools: &["python", "pytest", "unittest", "ruff", "mypy", "pyright"],
    rows: &[
        // The interpreter.
        ("^name '{}' is not defined", |it| unknown(it[0], Any)),
        ("^cannot access local variable '{}' where", |it| unknown(it[0], Any)),
        ("Did you mean: '{}'?", |it| similar(it[0])),
        ("Did you mean '{}'?", |it| similar(it[0])),
        ("Did you forget to import '{}'", |it| include(it[0])),
        ("^module '{}' has no attribute '{}'", |it| member(Some(it[0]), it[1])),
        ("^'{}' object has no attribute '{}'", |it| member(Some(it[0]), it[1])),
        ("^type object '{}' has no attribute '{}'", |it| member(Some(it[0]), it[1])),
        ("^cannot import name '{}' from '{}'", |it| not_exported(it[1], it[0])),
        ("^cannot import name '{}' from partially initialized module '{}'", |it| {
            not_exported(it[1], it[0])
        }),
        ("^No module named '{}'", |it| module(it[0])),
        ("got an unexpected keyword argument '{}'", |it| unknown(it[0], Argument)),
        ("^expected '{}'", |it| expected(&format!("`{}`", it[0]))),
        ("^expected 'except' or 'finally' block", |_| expected("`except` `finally`")),
        ("^f-string: expecting '{}'", |it| expected(&format!("`{}`", it[0]))),
        ("Perhaps you forgot a comma", |_| expected("`,`")),
        ("Maybe you meant '==' or ':=' instead of '='", |_| expected("`==` `:=`")),
        ("^'{}' was never closed", |it| unclosed(it[0], None)),
        ("^unmatched '{}'", |it| unexpected(&format!("`{}`", it[0]))),
        ("^closing parenthesis '{}' does not match opening parenthesis '{}' on line {}$", |it| {
            mismatched(it[0], it[1], Some(it[2]))
        }),
        ("^closing parenthesis '{}' does not match opening parenthesis '{}'$", |it| {
            mismatched(it[0], it[1], None)
        }),
        ("^unterminated string literal", |_| unclosed("\"", None)),
        ("^unterminated triple-quoted string literal", |_| unclosed("\"\"\"", None)),
        ("^EOL while scanning string literal", |_| unclosed("\"", None)),
        ("^expected an indented block", |_| indentation(IndentationFault::ExpectedBlock)),
        ("^unexpected indent", |_| indentation(IndentationFault::Unexpected)),
        ("^unindent does not match any outer", |_| indentation(IndentationFault::Unmatched)),
        ("^inconsistent use of tabs and spaces", |_| indentation(IndentationFault::Mixed)),
        ("^'await' outside async function", |_| vec![Hint::NeedsAsync]),
        ("^asynchronous comprehension outside of an asynchronous", |_| vec![Hint::NeedsAsync]),
        // ruff.
        ("^Undefined name `{}`", |it| unknown(it[0], Any)),
        ("^`{}` imported but unused", |it| unused(it[0])),
        ("^Local variable `{}` is assigned to but never used", |it| unused(it[0])),
        // mypy.
        ("^Name \"{}\" is not defined", |it| unknown(it[0], Any)),
        ("^Module \"{}\" has no attribute \"{}\"", |it| not_exported(it[0], it[1])),
        ("^\"{}\" has no attribute \"{}\"", |it| member(Some(it[0]), it[1])),
        ("; maybe \"{}\"", |it| similar(it[0])),
        ("^Unexpected keyword argument \"{}\"", |it| unknown(it[0], Argument)),
        ("library stub for module named \"{}\"", |it| module(it[0])),
        // pyright.
        ("^\"{}\" is not defined", |it| unknown(it[0], Any)),
        ("^Cannot access attribute \"{}\" for class \"{}\"", |it| member(Some(it[1]), it[0])),
        ("^\"{}\" is unknown import symbol", |it| unknown(it[0], Any)),
        ("^\"{}\" is not a known attribute of module \"{}\"", |it| member(Some(it[1]), it[0])),
        ("^Import \"{}\" could not be resolved", |it| module(it[0])),
        ("^No parameter named \"{}\"", |it| unknown(it[0], Argument)),
    ],
};

fn include(name: &str) -> Vec<Hint> {
    vec![Hint::Include { name: name.to_owned() }]
}

fn indentation(kind: IndentationFault) -> Vec<Hint> {
    vec![Hint::WrongIndentation { kind }]
}

fn mismatched(closer: &str, opener: &str, line: Option<&str>) -> Vec<Hint> {
    let mut hints = unexpected(&format!("`{closer}`"));
    hints.extend(unclosed(opener, line));
    hints
}
