//! Names that are never used.
//!
//! In: a diagnostic that says so. Out: drafts that remove what defines the name: the import, the statement
//! when it does nothing else, the item. A value that is made for its effect stays; a name inside a pattern
//! becomes `_`, which is no name. Never an underscore before it, never an attribute.

use super::draft::{Draft, Likelihood};
use super::names::written_at;
use super::view::{SourceFile, View};
use crate::heal::TextChange;
use salve_syntax::{NodeTree, SyntaxNode};
use salve_types::{Diagnostic, Hint, Language, Span};

const AUTHOR: &str = "unused-name";

/// Drafts the removal of names that are not used.
pub(super) fn fix(diagnostic: &Diagnostic, view: &View<'_>) -> Vec<Draft> {
    let Some(span) = diagnostic.primary() else { return Vec::new() };
    let Some(file) = view.file(&span.path) else { return Vec::new() };
    let mut drafts = Vec::new();
    for hint in &diagnostic.hints {
        let Hint::UnusedName { name } = hint else { continue };
        let last = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
        let place = file.span(span).and_then(|place| {
            written_at(&file, Some(place), last).or_else(|| {
                let found = file.words(last).find(|found| found.start >= place.start)?;
                (found.start <= place.end.max(place.start + 200)).then_some(found)
            })
        });
        let removed = place.and_then(|place| removal(&file, place));
        if let Some(changes) = removed {
            let what = format!("remove `{name}`, which is not used");
            drafts.push(Draft::derived(AUTHOR, Likelihood::Strong, what, changes));
        }
    }
    drafts
}

fn removal(file: &SourceFile, place: Span) -> Option<Vec<TextChange>> {
    let tree = file.tree()?;
    let node = tree.nodes().iter().rposition(|node| node.span == place && node.end_index > 0)?;
    let mut at = Some(node);
    let mut inner = node;
    while let Some(index) = at {
        let node = tree.nodes().get(index)?;
        match tree.kind(node) {
            "let_declaration" | "short_var_declaration" => {
                return statement_without(file, tree, index, inner);
            }
            "variable_declarator" | "init_declarator" => {
                return declarator_without(file, tree, index, inner);
            }
            "assignment" if file.language() == Language::Python => {
                return statement_without(file, tree, index, inner);
            }
            "import_specifier" | "aliased_import" => return list_item(file, tree, index),
            // The only import of a declaration is the declaration.
            "import_spec" if has_parent(tree, node, "import_declaration") => {}
            "import_statement"
            | "import_from_statement"
            | "import_declaration"
            | "import_spec"
            | "use_declaration" => {
                let names =
                    tree.children(index).filter(|(_, child)| tree.kind(child) == "dotted_name");
                // `from m import a, b`: the module is the first name.
                if tree.kind(node) == "import_from_statement" && names.count() > 2 {
                    return list_item(file, tree, inner);
                }
                return Some(vec![file.change(whole_lines(file, node.span), "")]);
            }
            "function_item"
            | "struct_item"
            | "enum_item"
            | "const_item"
            | "static_item"
            | "type_item"
            | "macro_definition"
            | "trait_item"
            | "function_declaration"
            | "class_declaration"
            | "interface_declaration"
            | "type_alias_declaration"
            | "function_definition" => {
                return Some(vec![file.change(with_attributes(file, tree, index), "")]);
            }
            "tuple_struct_pattern"
            | "tuple_pattern"
            | "for_expression"
            | "closure_parameters"
            | "slice_pattern" => {
                return Some(vec![file.change(place, "_")]);
            }
            // `name @ pattern` is the pattern.
            "captured_pattern" => {
                let (_, pattern) = tree.children(index).filter(|(_, one)| one.is_named).last()?;
                let name = Span::new(node.span.start, pattern.span.start);
                return Some(vec![file.change(name, "")]);
            }
            "parameter" | "parameters" | "formal_parameters" | "parameter_list" => return None,
            _ => {}
        }
        inner = index;
        at = node.parent;
    }
    None
}

fn has_parent(tree: &NodeTree, node: &SyntaxNode, kind: &str) -> bool {
    node.parent.and_then(|at| tree.nodes().get(at)).is_some_and(|parent| tree.kind(parent) == kind)
}

// `let x = VALUE;` goes when the value does nothing, else only the value stays.
fn statement_without(
    file: &SourceFile,
    tree: &NodeTree,
    index: usize,
    inner: usize,
) -> Option<Vec<TextChange>> {
    let node = tree.nodes().get(index)?;
    let children: Vec<(usize, &SyntaxNode)> = tree.children(index).collect();
    let is_sign = |(_, child): &&(usize, &SyntaxNode)| matches!(tree.kind(child), "=" | ":=");
    let sign = children.iter().find(is_sign).map(|(at, _)| *at);
    // One of several names of a pattern is no name any more.
    let pattern = tree.nodes().get(inner)?;
    if !matches!(tree.kind(pattern), "identifier" | "expression_list")
        || pattern.end_index > inner + 2
    {
        let leaf = tree
            .nodes()
            .get(inner..pattern.end_index)?
            .iter()
            .find(|one| tree.kind(one) == "identifier");
        return leaf.map(|leaf| vec![file.change(leaf.span, "_")]);
    }
    let Some(sign) = sign else {
        return Some(vec![file.change(whole_lines(file, node.span), "")]);
    };
    let (value, value_node) = children.iter().find(|(at, child)| *at > sign && child.is_named)?;
    if is_pure(tree, *value) {
        return Some(vec![file.change(whole_lines(file, node.span), "")]);
    }
    let before = Span::new(node.span.start, value_node.span.start);
    Some(vec![file.change(before, "")])
}

fn declarator_without(
    file: &SourceFile,
    tree: &NodeTree,
    index: usize,
    inner: usize,
) -> Option<Vec<TextChange>> {
    let node = tree.nodes().get(index)?;
    tree.nodes().get(inner).filter(|name| tree.kind(name) == "identifier")?;
    let value = tree.children(index).filter(|(at, child)| child.is_named && *at > inner).last();
    let statement = tree.nodes().get(node.parent?)?;
    let siblings = tree
        .children(node.parent?)
        .filter(|(_, child)| tree.kind(child) == tree.kind(node))
        .count();
    if value
        .is_some_and(|(at, child)| !tree.kind(child).ends_with("annotation") && !is_pure(tree, at))
    {
        let (_, value) = value?;
        return (siblings == 1)
            .then(|| vec![file.change(Span::new(statement.span.start, value.span.start), "")]);
    }
    if siblings > 1 {
        return list_item(file, tree, index);
    }
    Some(vec![file.change(whole_lines(file, statement.span), "")])
}

// Whether making a value has no effect that anybody could miss.
fn is_pure(tree: &NodeTree, index: usize) -> bool {
    let Some(node) = tree.nodes().get(index) else { return false };
    let inside = tree.nodes().get(index..node.end_index).unwrap_or_default();
    !inside.iter().any(|one| {
        let kind = tree.kind(one);
        kind.contains("call")
            || kind.contains("invocation")
            || kind.contains("await")
            || kind.contains("assignment")
            || kind.contains("update")
            || kind.contains("yield")
            || kind.contains("new_expression")
            || kind == "try_expression"
            || kind.contains("block")
    })
}

// An item of a list, with the comma that belongs to it; the whole statement when it is the only one.
fn list_item(file: &SourceFile, tree: &NodeTree, index: usize) -> Option<Vec<TextChange>> {
    let node = tree.nodes().get(index)?;
    let text = file.text();
    let after = text.get(node.span.end..)?;
    let before = text.get(..node.span.start)?;
    let skipped = after.len() - after.trim_start().len();
    if after.trim_start().starts_with(',') {
        let rest = &after[skipped + 1..];
        let more = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        return Some(vec![
            file.change(Span::new(node.span.start, node.span.end + skipped + 1 + more), ""),
        ]);
    }
    if before.trim_end().ends_with(',') {
        let start = before.trim_end().len() - 1;
        return Some(vec![file.change(Span::new(start, node.span.end), "")]);
    }
    let mut at = node.parent;
    while let Some(parent) = at {
        let node = tree.nodes().get(parent)?;
        if matches!(
            tree.kind(node),
            "import_statement" | "import_from_statement" | "use_declaration"
        ) {
            return Some(vec![file.change(whole_lines(file, node.span), "")]);
        }
        at = node.parent;
    }
    None
}

// The attributes and comments directly above belong to an item.
fn with_attributes(file: &SourceFile, tree: &NodeTree, index: usize) -> Span {
    let Some(node) = tree.nodes().get(index) else { return Span::new(0, 0) };
    let mut start = node.span.start;
    if let Some(parent) = node.parent {
        let before: Vec<&SyntaxNode> =
            tree.children(parent).take_while(|(at, _)| *at < index).map(|(_, node)| node).collect();
        for one in before.iter().rev() {
            let kind = tree.kind(one);
            let between = file.text().get(one.span.end..start).unwrap_or("x");
            let is_close = between.trim().is_empty() && between.matches('\n').count() <= 1;
            if is_close
                && (kind.ends_with("comment") || kind == "attribute_item" || kind == "export")
            {
                start = one.span.start;
            } else {
                break;
            }
        }
    }
    whole_lines(file, Span::new(start, node.span.end))
}

// The lines of a span, when nothing else is in them.
fn whole_lines(file: &SourceFile, span: Span) -> Span {
    let text = file.text();
    let line_start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[span.end..].find('\n').map_or(text.len(), |at| span.end + at + 1);
    let before = text.get(line_start..span.start).unwrap_or("x");
    let after = text.get(span.end..line_end).unwrap_or("x").trim();
    if before.trim().is_empty() && (after.is_empty() || after == ";") {
        Span::new(line_start, line_end)
    } else {
        let end = if after.starts_with(';') {
            span.end + text[span.end..].find(';').map_or(0, |at| at + 1)
        } else {
            span.end
        };
        Span::new(span.start, end)
    }
}

#[cfg(test)]
mod tests {
    use crate::heal::fixers::testing::{Files, proposals, said};

    #[test]
    fn what_is_not_used_is_removed() {
        for (tool, path, text, message, place, wanted) in [
            (
                "rustc",
                "a.rs",
                "fn f() {\n    let v = 1;\n    g();\n}\n",
                "unused variable: `v`",
                (2, 9),
                "fn f() {\n    g();\n}\n",
            ),
            (
                "rustc",
                "a.rs",
                "fn f() {\n    let v = g();\n}\n",
                "unused variable: `v`",
                (2, 9),
                "fn f() {\n    g();\n}\n",
            ),
            (
                "rustc",
                "a.rs",
                "fn f() {\n    for i in 0..3 {}\n}\n",
                "unused variable: `i`",
                (2, 9),
                "fn f() {\n    for _ in 0..3 {}\n}\n",
            ),
            (
                "rustc",
                "a.rs",
                "fn f() {\n    let (a, b) = g();\n}\n",
                "unused variable: `b`",
                (2, 13),
                "fn f() {\n    let (a, _) = g();\n}\n",
            ),
            (
                "rustc",
                "a.rs",
                "/// Old.\nfn old() {}\n\nfn f() {}\n",
                "function `old` is never used",
                (2, 4),
                "\nfn f() {}\n",
            ),
            (
                "tsc",
                "a.ts",
                "import { a, b } from './x';\na();\n",
                "'b' is declared but its value is never read.",
                (1, 13),
                "import { a } from './x';\na();\n",
            ),
            (
                "tsc",
                "a.ts",
                "import { b } from './x';\na();\n",
                "'b' is declared but its value is never read.",
                (1, 1),
                "a();\n",
            ),
            (
                "tsc",
                "a.ts",
                "const unused = 1;\na();\n",
                "'unused' is declared but its value is never read.",
                (1, 7),
                "a();\n",
            ),
            ("ruff", "a.py", "import os\nx = 1\n", "`os` imported but unused", (1, 8), "x = 1\n"),
            (
                "go",
                "a.go",
                "package a\nimport \"os\"\nfunc f() {}\n",
                "\"os\" imported and not used",
                (2, 8),
                "package a\nfunc f() {}\n",
            ),
        ] {
            let files = Files::new(&[(path, text)]);
            let made = proposals(&[said(tool, message, path, place)], &files, path);
            assert_eq!(
                made.first().map(String::as_str),
                Some(wanted),
                "{tool}: {message}: {made:?}"
            );
        }
    }
}
