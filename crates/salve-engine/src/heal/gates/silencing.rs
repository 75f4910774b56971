//! A diagnostic that is silenced is not repaired.
//!
//! In: a file before and after. Out: a refusal when there is more than before of what silences a tool,
//! swallows an error, or stands for code that is not written. Counted, so that moving such a line is
//! free and adding one is not.

use super::file::{ChangedFile, Text};
use super::items::{ItemKind, line_of, line_starts};
use super::reports::Reports;
use super::{GateRefusal, GateRule, refusal};
use salve_types::Language;

/// In comments, of any language: compared in lower case and without blanks.
#[rustfmt::skip]
const COMMENTS: &[&str] = &[
    "#noqa", "#type:ignore", "#pyright:", "#mypy:", "#pylint:disable", "#ruff:", "#flake8:",
    "#pragma:nocover", "#pyre-ignore", "#pyre-fixme", "#pytype:disable", "#fmt:off", "#nosec",
    "@ts-ignore", "@ts-expect-error", "@ts-nocheck", "eslint-disable", "tslint:disable",
    "biome-ignore", "oxlint-disable", "istanbulignore", "c8ignore", "v8ignore", "jshintignore",
    "deno-lint-ignore", "@flow-ignore", "$flowfixme", "nolint", "lint:ignore", "coverity[",
    "rubocop:disable", "phpcs:ignore", "@phpstan-ignore", "swiftlint:disable", "detekt:disable",
    "clang-formatoff", "gcov_excl", "lcov_excl", "no-check",
];

/// In code, as tokens.
#[rustfmt::skip]
const SILENCES: &[(&str, Family)] = &[
    ("[ allow (", Family::Rust), (", allow (", Family::Rust), ("[ expect (", Family::Rust),
    (", expect (", Family::Rust), ("cfg ( any ( ) )", Family::Rust), ("catch_unwind", Family::Rust),
    ("transmute", Family::Rust), ("process :: exit ( 0", Family::Rust), ("if false {", Family::Rust),
    ("cfg ( FALSE", Family::Rust), ("cfg ( false", Family::Rust),
    ("as any", Family::Script), ("< any >", Family::Script), ("as unknown as", Family::Script),
    ("as never", Family::Script), (": any", Family::Script), ("process . exit ( 0", Family::Script),
    ("if ( false )", Family::Script),
    ("sys . exit ( 0", Family::Python), ("os . _exit (", Family::Python),
    ("exit ( 0", Family::Python),
    ("SystemExit ( 0", Family::Python), ("raise SystemExit", Family::Python), ("if False :", Family::Python),
    ("if 0 :", Family::Python), (": Any", Family::Python), ("> Any", Family::Python),
    ("cast ( Any", Family::Python), ("no_type_check", Family::Python),
    ("filterwarnings ( ", Family::Python), ("simplefilter ( ", Family::Python),
    ("diagnostic ignored", Family::C), ("warning ( disable", Family::C), ("exit ( 0 )", Family::C),
    ("_exit ( 0 )", Family::C), ("_Exit ( 0 )", Family::C), ("exit ( EXIT_SUCCESS )", Family::C),
    ("# if 0", Family::C), ("if ( 0 )", Family::C), ("if ( false )", Family::C),
    ("; ( void )", Family::C), ("{ ( void )", Family::C), ("} ( void )", Family::C),
    ("__attribute__ ( ( unused", Family::C), ("[ [ maybe_unused", Family::C),
    ("System . exit ( 0", Family::Jvm), ("SuppressWarnings", Family::Jvm), ("Suppress (", Family::Jvm), ("pragma warning", Family::Jvm),
    ("os . Exit ( 0", Family::Go),
];

#[rustfmt::skip]
const SWALLOWS: &[(&str, Family)] = &[
    ("let _ =", Family::Rust), (". ok ( ) ;", Family::Rust), ("Err ( _ ) => { }", Family::Rust),
    ("Err ( _ ) => ( )", Family::Rust), ("contextlib . suppress (", Family::Python),
    ("with suppress (", Family::Python), (". catch ( ( ) => { } )", Family::Script),
    (". catch ( ( ) => undefined", Family::Script), (". catch ( ( ) => null", Family::Script),
    (". catch ( ( _ ) => { } )", Family::Script), ("_ = err", Family::Go),
];

#[rustfmt::skip]
const STUBS: &[(&str, Family)] = &[
    ("todo ! ", Family::Rust), ("unimplemented ! ", Family::Rust),
    ("raise NotImplementedError", Family::Python), ("UnsupportedOperationException", Family::Jvm),
    ("NotImplementedException", Family::Jvm), ("TODO ( )", Family::Jvm),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Rust,
    Python,
    Script,
    C,
    Jvm,
    Go,
}

impl Family {
    const fn of(language: Language) -> Option<Self> {
        Some(match language {
            Language::Rust => Self::Rust,
            Language::Python => Self::Python,
            Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => {
                Self::Script
            }
            Language::C | Language::Cpp => Self::C,
            Language::Java | Language::Kotlin | Language::CSharp => Self::Jvm,
            Language::Go => Self::Go,
            _ => return None,
        })
    }
}

pub(super) fn judge(file: &ChangedFile, reports: &Reports) -> Result<(), GateRefusal> {
    let Some(after) = &file.after else { return Ok(()) };
    let old_text = file.before.as_ref().map_or("", |before| &before.text);
    let added = squeezed(&file.added);
    for directive in COMMENTS.iter().filter(|directive| added.contains(**directive)) {
        let in_line = |line: &str| squeezed(line).contains(directive);
        let lines = |text: &str| text.lines().filter(|line| in_line(line)).count();
        if lines(&after.text) > lines(old_text) {
            let line = after.text.lines().zip(1..).find(|(line, _)| {
                in_line(line) && !old_text.lines().any(|old| old.trim() == line.trim())
            });
            let what = format!("silences a diagnostic with `{directive}`");
            let line = line.map(|(_, number)| number);
            return Err(refusal(GateRule::Silenced, &file.path, line, what));
        }
    }
    let before = file.before.as_ref().map_or("", |before| &before.code);
    let tables = [
        (SILENCES, GateRule::Silenced, "silences a diagnostic with"),
        (SWALLOWS, GateRule::SwallowedError, "swallows an error with"),
        (STUBS, GateRule::Stub, "leaves a stub,"),
    ];
    for (table, rule, does) in tables {
        for (tokens, family) in table {
            if Family::of(file.language) == Some(*family) && adds(file, tokens) {
                let what = format!("{does} `{}`", tokens.trim());
                let line = first_added(before, &after.code, tokens);
                return Err(refusal(rule, &file.path, line, what));
            }
        }
    }
    unsafe_code(file, after, before, reports)?;
    empty_handlers(file, after)?;
    emptied_bodies(file, after)
}

// Only an error that asks for it is answered by it.
fn unsafe_code(
    file: &ChangedFile,
    after: &Text,
    before: &str,
    reports: &Reports,
) -> Result<(), GateRefusal> {
    let is_more = file.language == Language::Rust && adds(file, "unsafe");
    if is_more && !reports.code("E0133") {
        let line = first_added(before, &after.code, "unsafe");
        return Err(refusal(GateRule::Silenced, &file.path, line, "adds `unsafe`"));
    }
    Ok(())
}

fn empty_handlers(file: &ChangedFile, after: &Text) -> Result<(), GateRefusal> {
    let old = file.before.as_ref().map_or(0, |before| handlers(before).len());
    let new = handlers(after);
    if new.len() <= old {
        return Ok(());
    }
    let before = file.before.as_ref().map_or("", |before| &before.text);
    match new.iter().find(|(first, last)| !was_there(before, after, *first, *last)) {
        Some((line, _)) => {
            let what = "swallows an error with an empty handler";
            Err(refusal(GateRule::SwallowedError, &file.path, Some(*line), what))
        }
        None => Ok(()),
    }
}

// Whether the lines were there before, but for their marks and one word at most: what the grammar did not
// see as a handler may have been one for a reader.
fn was_there(before: &str, after: &Text, first: u32, last: u32) -> bool {
    let wanted: Vec<Vec<&str>> = (first..=last).map(|line| letters(after.line(line))).collect();
    let old: Vec<Vec<&str>> = before.lines().map(letters).collect();
    let is_close = |one: &Vec<&str>, other: &Vec<&str>| {
        let differing = one.iter().zip(other).filter(|(one, other)| one != other).count();
        one == other || (one.len() == other.len() && differing == 1 && one.len() > 1)
    };
    let Some((head, rest)) = wanted.split_first() else { return false };
    old.windows(wanted.len()).any(|lines| {
        lines.split_first().is_some_and(|(one, others)| is_close(one, head) && others == rest)
    })
}

fn letters(line: &str) -> Vec<&str> {
    line.split(|one: char| !one.is_alphanumeric() && one != '_')
        .filter(|word| !word.is_empty())
        .collect()
}

// The first and last lines of handlers that do nothing.
fn handlers(text: &Text) -> Vec<(u32, u32)> {
    let Some(tree) = &text.tree else { return Vec::new() };
    let starts = line_starts(&text.text);
    let is_handler =
        |kind: &str| matches!(kind, "except_clause" | "catch_clause" | "except_group_clause");
    let handlers = tree.nodes().iter().enumerate().filter(|(_, node)| is_handler(tree.kind(node)));
    handlers
        .filter(|(at, _)| body(text, *at).is_some_and(|body| does_nothing(text, body)))
        .map(|(_, node)| {
            let written = text.text.get(node.span.range()).unwrap_or_default().trim_end();
            let end = node.span.start + written.len().max(1) - 1;
            (line_of(&starts, node.span.start), line_of(&starts, end))
        })
        .collect()
}

// A function that did something and now does nothing.
fn emptied_bodies(file: &ChangedFile, after: &Text) -> Result<(), GateRefusal> {
    let Some(before) = &file.before else { return Ok(()) };
    for item in after.items.iter().filter(|item| item.kind == ItemKind::Definition) {
        let Some(new) = body(after, item.node) else { continue };
        if item.names.is_empty() || !does_nothing(after, new) {
            continue;
        }
        let same = |old: &&super::items::Item| old.kind == item.kind && old.names == item.names;
        let mut olds = before.items.iter().filter(same).filter_map(|old| body(before, old.node));
        let was_empty = olds.any(|old| does_nothing(before, old));
        let is_known = before.items.iter().any(|old| same(&old));
        if is_known && !was_empty {
            let what = format!("empties `{}`", item.names.join(" "));
            return Err(refusal(GateRule::Stub, &file.path, Some(item.first), what));
        }
    }
    Ok(())
}

/// Returns the body of a definition or a handler.
pub(super) fn body(text: &Text, at: usize) -> Option<usize> {
    let tree = text.tree.as_ref()?;
    let is_body = |kind: &str| {
        matches!(kind, "block" | "statement_block" | "compound_statement" | "function_body")
    };
    tree.children(at).filter(|(_, node)| is_body(tree.kind(node))).last().map(|(at, _)| at)
}

fn does_nothing(text: &Text, body: usize) -> bool {
    let Some(tree) = &text.tree else { return false };
    tree.children(body).filter(|(_, node)| node.is_named).all(|(_, node)| {
        let kind = tree.kind(node);
        let code = text.code.get(node.span.range()).unwrap_or_default();
        let code: String = code.split_whitespace().collect();
        kind.contains("comment")
            || matches!(
                &*code,
                "" | "pass" | "..." | "continue" | "continue;" | "return" | "return;"
            )
            || matches!(&*code, "returnNone" | "returnnull;" | "returnundefined;" | ";")
    })
}

fn squeezed(line: &str) -> String {
    line.chars().filter(|letter| !letter.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// Returns whether tokens follow each other more often than before in the code of a file.
pub(super) fn adds(file: &ChangedFile, tokens: &str) -> bool {
    let code = |text: Option<&Text>| text.map_or(0, |text| places(&text.code, tokens).len());
    // Only what is in the lines that come can be more.
    let is_possible =
        tokens.split_whitespace().all(|token| file.added.contains(token.trim_end_matches('*')));
    is_possible && code(file.after.as_ref()) > code(file.before.as_ref())
}

/// Returns the line where tokens are in the new code, past those of the old one.
pub(super) fn first_added(before: &str, after: &str, tokens: &str) -> Option<u32> {
    let starts = line_starts(after);
    let lines: Vec<&str> = before.lines().map(str::trim).collect();
    let mut found = places(after, tokens).into_iter().map(|at| line_of(&starts, at));
    let is_new = |line: &u32| {
        let index = usize::try_from(*line).unwrap_or(usize::MAX) - 1;
        let text = after.lines().nth(index).unwrap_or_default().trim();
        !lines.contains(&text)
    };
    found.find(is_new)
}

fn places(code: &str, tokens: &str) -> Vec<usize> {
    let wanted: Vec<&str> = tokens.split_whitespace().collect();
    let found: Vec<(usize, &str)> = tokens_of(code).collect();
    found
        .windows(wanted.len().max(1))
        .filter(|window| window.iter().zip(&wanted).all(|((_, token), wanted)| fits(token, wanted)))
        .map(|window| window[0].0)
        .collect()
}

// A star stands for the rest of a word.
fn fits(token: &str, wanted: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(start) if !start.is_empty() => token.starts_with(start),
        _ => token == wanted,
    }
}

// Words whole, anything else letter by letter, but for the arrow and the path.
fn tokens_of(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = code.get(at..)?;
        at += rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        let first = rest.chars().next()?;
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length = if is_word(first) {
            rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())
        } else if rest.starts_with("=>") || rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let token = (at, &rest[..length]);
        at += length;
        Some(token)
    })
}
