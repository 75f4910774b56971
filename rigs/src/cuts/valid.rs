//! Whether a prefix is valid by itself.
//!
//! In: a text and its language. Out: what the grammar says, corrected where it is known to accept
//! what the language does not. Never looks at a verdict.

use salve_syntax::{NodeTree, parse_nodes};
use salve_types::Language;

/// What a text is by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Validity {
    /// The language accepts it.
    Valid,
    /// The language does not.
    Invalid,
    /// The grammar and common sense differ, or the last newline decides: both answers are right.
    Either,
}

/// Tells whether `text` is a valid text of its language as it is.
pub(crate) fn validity(text: &str, language: Language) -> Validity {
    match (accepts(text, language), accepts(&format!("{}\n", text.trim_end()), language)) {
        (Validity::Valid, _) => Validity::Valid,
        // Some grammars want a newline after the last line. A text that lacks only that may be
        // called either: `#include "a.h"` looks whole and `#inclu` does not.
        (Validity::Either, _) | (_, Validity::Valid | Validity::Either) => Validity::Either,
        (Validity::Invalid, Validity::Invalid) => Validity::Invalid,
    }
}

fn accepts(text: &str, language: Language) -> Validity {
    let Some(tree) = parse_nodes(text, language) else { return Validity::Invalid };
    let is_rejected = match language {
        Language::Python => has_unfinished_block(&tree) || has_reserved_name(text, &tree, PYTHON),
        Language::JavaScript | Language::Jsx | Language::TypeScript | Language::Tsx => {
            has_reserved_name(text, &tree, SCRIPT)
        }
        _ => false,
    };
    if tree.has_error() || is_rejected {
        Validity::Invalid
    } else if has_function_without_body(&tree) {
        Validity::Either
    } else {
        Validity::Valid
    }
}

// Words that the grammars take for names when nothing follows them.
const PYTHON: &[&str] = &["await", "async"];
#[rustfmt::skip]
const SCRIPT: &[&str] = &[
    "break", "case", "catch", "class", "const", "continue", "default", "delete", "do", "else", "enum", "export",
    "extends", "finally", "for", "function", "if", "import", "in", "instanceof", "new", "return", "switch", "throw",
    "try", "typeof", "var", "void", "while", "with",
];

fn has_reserved_name(text: &str, tree: &NodeTree, words: &[&str]) -> bool {
    let is_name = |kind: &str| kind == "identifier";
    tree.nodes().iter().any(|node| {
        is_name(tree.kind(node))
            && text.get(node.span.range()).is_some_and(|it| words.contains(&it))
    })
}

// A block without a body, or a `try` without its handlers.
fn has_unfinished_block(tree: &NodeTree) -> bool {
    let is_handler = |kind: &str| kind.starts_with("except") || kind == "finally_clause";
    let lacks_handler =
        |index: usize| !tree.children(index).any(|(_, child)| is_handler(tree.kind(child)));
    let mut nodes = tree.nodes().iter().enumerate();
    last_token(tree) == Some(":")
        || nodes.any(|(index, node)| tree.kind(node) == "try_statement" && lacks_handler(index))
}

// TypeScript knows signatures without a body only as overloads, which an implementation follows,
// and has no `(value: Type)` but as the parameters of a function. Its grammar accepts both
// anywhere.
fn has_function_without_body(tree: &NodeTree) -> bool {
    let has_type =
        |index| tree.children(index).any(|(_, child)| tree.kind(child) == "type_annotation");
    tree.nodes().iter().enumerate().any(|(index, node)| match tree.kind(node) {
        "function_signature" => is_last(tree, index),
        "parenthesized_expression" => has_type(index),
        _ => false,
    })
}

fn is_last(tree: &NodeTree, index: usize) -> bool {
    let end = tree.nodes()[index].span.end;
    let mut after = tree.nodes().iter().filter(|node| node.span.start >= end);
    after.all(|node| node.span.is_empty() || matches!(tree.kind(node), "comment" | ";"))
}

fn last_token(tree: &NodeTree) -> Option<&str> {
    let last = tree.nodes().iter().enumerate().rev().find(|(index, node)| {
        let is_leaf = node.end_index == index + 1;
        is_leaf && !node.span.is_empty() && tree.kind(node) != "comment"
    });
    last.map(|(_, node)| tree.kind(node))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validity_is_that_of_the_language() {
        let cases = [
            (Language::Rust, "fn a() {}\n", Validity::Valid),
            (Language::Rust, "pub struct A", Validity::Invalid),
            (Language::Python, "def f():\n    # soon\n", Validity::Invalid),
            (Language::Python, "def f():\n    pass", Validity::Valid),
            (Language::Python, "try:\n    f()\n", Validity::Invalid),
            (Language::JavaScript, "f()\nexport", Validity::Invalid),
            (Language::JavaScript, "f()\nexpor", Validity::Valid),
            (Language::TypeScript, "function f(): void", Validity::Either),
            (Language::C, "#include \"a.h\"", Validity::Either),
            (Language::C, "int a", Validity::Invalid),
        ];
        for (language, text, expected) in cases {
            assert_eq!(validity(text, language), expected, "{text}");
        }
    }
}
