//! Code that is there and does nothing.
//!
//! In: a file before and after. Out: a refusal when more of the code than before is never reached, when a
//! function that worked something out now gives a fixed answer, or when an assertion holds whatever happens.
//! What was so before may stay so.

use super::file::{ChangedFile, Text};
use super::items::{Item, ItemKind, line_of, line_starts};
use super::silencing::{adds, body, first_added};
use super::{GateRefusal, GateRule, refusal};
use salve_syntax::SyntaxNode;

/// What always holds, or never does, as tokens of code; of any language that writes it so.
#[rustfmt::skip]
const ALWAYS: &[&str] = &[
    "assert True", "assert ( True )", "assertTrue ( True", "assertFalse ( False", "assertEqual ( 1 , 1",
    "assertEqual ( True , True", "assertIsNotNone ( 1", "assert not False",
    "assert ! ( true", "assert_eq ! ( true , true", "assert_eq ! ( 1 , 1", "assert_ne ! ( 1 , 2",
    "expect ( true ) . to*", "expect ( 1 ) . toBe ( 1", "assert ( true )", "assert . ok ( true",
    "assert . equal ( 1 , 1", "assert . strictEqual ( 1 , 1", "assert ( 1 )", "EXPECT_TRUE ( true",
    "ASSERT_TRUE ( true", "EXPECT_EQ ( 1 , 1", "ASSERT_EQ ( 1 , 1", "TEST_ASSERT_TRUE ( 1",
    "or True", "| | true", "| | 1 )", "and False", "& & false",
];

pub(super) fn judge(file: &ChangedFile) -> Result<(), GateRefusal> {
    let Some(after) = &file.after else { return Ok(()) };
    let before = file.before.as_ref();
    for tokens in ALWAYS {
        if adds(file, tokens) {
            let line = first_added(before.map_or("", |before| &before.code), &after.code, tokens);
            let what = format!("asserts what always holds, `{}`,", tokens.replace(' ', ""));
            return Err(refusal(GateRule::WeakenedTest, &file.path, line, what));
        }
    }
    let Some(before) = before else { return Ok(()) };
    let (old, new) = (unreached(before), unreached(after));
    if let Some(line) = new.last().filter(|_| new.len() > old.len()) {
        let what = "leaves code that is never reached";
        return Err(refusal(GateRule::Stub, &file.path, Some(*line), what));
    }
    fixed_answers(file, before, after)
}

// The lines of statements after which others of the same block come that are never reached.
fn unreached(text: &Text) -> Vec<u32> {
    let Some(tree) = &text.tree else { return Vec::new() };
    let starts = line_starts(&text.text);
    let mut found = Vec::new();
    for (at, node) in tree.nodes().iter().enumerate() {
        if !is_block(tree.kind(node)) {
            continue;
        }
        let named: Vec<(usize, &SyntaxNode)> = tree
            .children(at)
            .filter(|(_, child)| child.is_named && !is_inert(tree.kind(child)))
            .collect();
        for pair in named.windows(2) {
            if let [(first, leaves), (_, next)] = pair
                && leaves_block(text, *first, leaves)
                && !is_reached_by_name(tree.kind(next))
            {
                found.push(line_of(&starts, leaves.span.start));
            }
        }
    }
    found
}

fn is_block(kind: &str) -> bool {
    matches!(kind, "block" | "statement_block" | "compound_statement" | "module" | "program")
}

// What stands in a block without being executed there.
fn is_inert(kind: &str) -> bool {
    kind.contains("comment")
        || kind.starts_with("function_")
        || kind.starts_with("preproc_")
        || kind.ends_with("_item")
        || matches!(
            kind,
            "class_declaration"
                | "generator_function_declaration"
                | "empty_statement"
                | "interface_declaration"
                | "type_alias_declaration"
                | "ERROR"
        )
}

fn is_reached_by_name(kind: &str) -> bool {
    matches!(kind, "labeled_statement" | "label" | "case_statement" | "switch_case")
}

fn leaves_block(text: &Text, at: usize, node: &SyntaxNode) -> bool {
    let Some(tree) = &text.tree else { return false };
    let kind = tree.kind(node);
    let inner = match kind {
        "expression_statement" => {
            tree.children(at).next().map_or(kind, |(_, child)| tree.kind(child))
        }
        kind => kind,
    };
    let code = text.code.get(node.span.range()).unwrap_or_default();
    let code: String = code.split_whitespace().collect();
    let exits =
        ["exit(", "sys.exit(", "os._exit(", "process.exit(", "std::process::exit(", "_exit("];
    matches!(
        inner,
        "return_statement"
            | "return_expression"
            | "raise_statement"
            | "throw_statement"
            | "break_statement"
            | "break_expression"
            | "continue_statement"
            | "continue_expression"
    ) || exits.iter().any(|exit| code.starts_with(exit))
}

// A function that worked something out and now gives one answer.
fn fixed_answers(file: &ChangedFile, before: &Text, after: &Text) -> Result<(), GateRefusal> {
    for item in after.items.iter().filter(|item| item.kind == ItemKind::Definition) {
        let Some(answer) = body(after, item.node).filter(|at| is_fixed(after, *at)) else {
            continue;
        };
        let same = |old: &&Item| old.kind == item.kind && old.names == item.names;
        let mut olds = before.items.iter().filter(same).filter_map(|old| body(before, old.node));
        let worked = !item.names.is_empty() && olds.any(|old| works(before, old));
        if worked && !after_only(before, item) {
            let what = format!("answers `{}` with a fixed value", item.names.join(" "));
            let starts = line_starts(&after.text);
            let line =
                after.tree.as_ref().map(|tree| line_of(&starts, tree.nodes()[answer].span.start));
            return Err(refusal(GateRule::Stub, &file.path, line, what));
        }
    }
    Ok(())
}

// Whether a definition of the same name gave a fixed answer before, too.
fn after_only(before: &Text, item: &Item) -> bool {
    let same = before.items.iter().filter(|old| old.kind == item.kind && old.names == item.names);
    same.filter_map(|old| body(before, old.node)).any(|old| is_fixed(before, old))
}

// Nothing but one value that is written there.
fn is_fixed(text: &Text, body: usize) -> bool {
    let Some(tree) = &text.tree else { return false };
    let end = tree.nodes()[body].end_index;
    let kinds: Vec<&str> = (body + 1..end).map(|at| tree.kind(&tree.nodes()[at])).collect();
    let is_name = |kind: &&str| {
        kind.ends_with("identifier")
            || matches!(*kind, "self" | "this" | "call" | "ERROR" | "super")
    };
    let statements = tree.children(body).filter(|(_, one)| {
        one.is_named && !tree.kind(one).contains("comment") && !is_text_alone(text, one)
    });
    let is_value = |kind: &&str| {
        kind.contains("literal")
            || matches!(*kind, "integer" | "float" | "number" | "string" | "true" | "false")
            || matches!(
                *kind,
                "none" | "null" | "list" | "dictionary" | "array" | "object" | "tuple"
            )
    };
    statements.count() == 1 && !kinds.iter().any(is_name) && kinds.iter().any(is_value)
}

// A docstring.
fn is_text_alone(text: &Text, node: &SyntaxNode) -> bool {
    let written = text.text.get(node.span.range()).unwrap_or_default();
    written.starts_with("\"\"\"") || written.starts_with("'''")
}

// More than one statement, or one that calls or combines something.
fn works(text: &Text, body: usize) -> bool {
    let Some(tree) = &text.tree else { return false };
    let end = tree.nodes()[body].end_index;
    let kinds = (body + 1..end).map(|at| tree.kind(&tree.nodes()[at]));
    let combines = kinds.filter(|kind| {
        kind.contains("call")
            || kind.contains("binary")
            || kind.contains("subscript")
            || kind.contains("index_expression")
            || kind.contains("comparison")
            || kind.contains("attribute")
            || kind.contains("field_expression")
            || kind.contains("member_expression")
    });
    combines.count() > 0
}
