//! The words of tsc, eslint and Node.

use super::{
    Table, expected, member, module, not_exported, similar, unclosed, unexpected, unknown, unused,
};
use salve_types::Hint;
use salve_types::NameKind::{Any, Argument, Module};

pub(super) const TABLE: Table = Table {
    tools: &["tsc", "eslint", "node"],
    rows: &[
        // tsc.
        ("^Cannot find name '{}'.", |it| unknown(it[0], Any)),
        ("^Cannot find namespace '{}'.", |it| unknown(it[0], Module)),
        ("^No value exists in scope for the shorthand property '{}'.", |it| unknown(it[0], Any)),
        ("^Property '{}' does not exist on type '{}'.", |it| member(Some(it[1]), it[0])),
        ("but '{}' does not exist in type '{}'", |it| unknown_field(it)),
        ("Did you mean '{}'?", |it| similar(it[0])),
        ("Did you mean to write '{}'?", |it| similar(it[0])),
        ("Did you mean the instance member 'this.{}'?", |it| similar(&format!("this.{}", it[0]))),
        ("Did you mean the static member '{}'?", |it| similar(it[0])),
        ("^Cannot find module '{}'", |it| module(it[0])),
        ("ECMAScript imports when '{}' is '{}' or '{}'. Did you mean '{}'?", |it| {
            without_ending(it[3])
        }),
        ("^Could not find a declaration file for module '{}'", |it| module(it[0])),
        ("^Module '{}' has no exported member '{}'.", |it| not_exported(it[0], it[1])),
        ("^'{}' has no exported member named '{}'.", |it| not_exported(it[0], it[1])),
        ("^Module '{}' declares '{}' locally, but it is not exported.", |it| {
            not_exported(it[0], it[1])
        }),
        ("^'{}' is declared but its value is never read.", |it| unused(it[0])),
        ("^'{}' is declared but never used.", |it| unused(it[0])),
        ("^'{}' expected.", |it| expected(&format!("`{}`", it[0]))),
        ("^'await' expressions are only allowed within async functions", |_| {
            vec![Hint::NeedsAsync]
        }),
        ("^Unterminated string literal.", |_| unclosed("\"", None)),
        ("^Unterminated template literal.", |_| unclosed("`", None)),
        // eslint.
        ("^'{}' is not defined.", |it| unknown(it[0], Any)),
        ("^'{}' is defined but never used.", |it| unused(it[0])),
        ("^'{}' is assigned a value but never used.", |it| unused(it[0])),
        ("^Parsing error: Unexpected token {}$", |it| unexpected(it[0])),
        // Node.
        ("^{} is not defined$", |it| unknown(it[0], Any)),
        ("^{} is not a function$", |it| called_member(it[0])),
        ("^{} is not a constructor$", |it| unknown(it[0], Any)),
        ("^Cannot find package '{}' imported from", |it| module(it[0])),
        ("^The requested module '{}' does not provide an export named '{}'", |it| {
            not_exported(it[0], it[1])
        }),
        ("^Unexpected token {}", |it| unexpected(it[0])),
        ("^Unexpected identifier {}", |it| unexpected(it[0])),
        ("^Unexpected end of input", |_| vec![Hint::UnexpectedToken { token: None }]),
        ("^missing {} after ", |it| expected(&format!("`{}`", it[0]))),
        ("^await is only valid in async functions", |_| vec![Hint::NeedsAsync]),
    ],
};

// The module was named without the ending that is meant.
fn without_ending(meant: &str) -> Vec<Hint> {
    let Some((named, _)) = meant.rsplit_once('.') else { return Vec::new() };
    // A path is no name, so it is not among the words that `similar` takes.
    let mut hints = vec![Hint::SimilarName { name: meant.to_owned() }];
    hints.extend(module(named));
    hints
}

fn unknown_field(it: &[&str]) -> Vec<Hint> {
    unknown(it[0], Argument)
}

// `a.b.foo is not a function`: the last name is the one that is not there.
fn called_member(called: &str) -> Vec<Hint> {
    match called.rsplit_once('.') {
        Some((owner, name)) => member(Some(owner), name),
        None => unknown(called, Any),
    }
}
