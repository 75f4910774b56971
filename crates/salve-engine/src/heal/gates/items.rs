//! The items of a text: functions, types, their members, imports, statements at the top.
//!
//! In: a syntax tree. Out: for each item its lines and its names. What is written above an item and
//! belongs to it (attributes, decorators, comments) is part of it. Never depends on one language: the
//! grammars' names for these things are in one table.

use salve_syntax::{NodeTree, SyntaxNode};

/// One item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// Its first line, counted from 1.
    pub(super) first: u32,
    /// Its last line.
    pub(super) last: u32,
    pub(super) kind: ItemKind,
    /// Its name; for an `impl` all names of its head.
    pub(super) names: Vec<String>,
    /// The item it is a member of, by position.
    pub(super) parent: Option<usize>,
    /// Its node in the tree.
    pub(super) node: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    /// Brings names from elsewhere.
    Import,
    /// Defines something.
    Definition,
    /// Defines something that has members.
    Container,
    /// Is executed.
    Statement,
}

#[rustfmt::skip]
const IMPORTS: &[&str] = &[
    "use_declaration", "extern_crate_declaration", "import_statement", "import_from_statement",
    "future_import_statement", "preproc_include", "import_declaration", "package_clause",
    "using_declaration", "using_directive", "preproc_import", "import_header", "import_list",
];

#[rustfmt::skip]
const CONTAINERS: &[&str] = &[
    "impl_item", "trait_item", "mod_item", "class_definition", "class_declaration", "class",
    "abstract_class_declaration", "namespace_definition", "class_specifier", "internal_module",
    "module_declaration", "object_declaration", "foreign_mod_item", "namespace_declaration",
    "record_declaration", "interface_body",
];

#[rustfmt::skip]
const DEFINITIONS: &[&str] = &[
    "function_item", "function_signature_item", "struct_item", "enum_item", "union_item",
    "const_item", "static_item", "type_item", "macro_definition", "associated_type",
    "function_definition", "function_declaration", "generator_function_declaration",
    "method_definition", "interface_declaration", "type_alias_declaration", "enum_declaration",
    "lexical_declaration", "variable_declaration", "struct_specifier", "union_specifier",
    "enum_specifier", "type_definition", "preproc_def", "preproc_function_def", "method_declaration",
    "type_declaration", "const_declaration", "var_declaration", "function_signature",
    "abstract_method_signature", "constructor_declaration", "field_declaration",
    "public_field_definition", "alias_declaration", "template_declaration", "property_declaration",
    "method", "singleton_method", "trait_declaration", "declaration",
];

/// Nodes that only wrap what they hold.
#[rustfmt::skip]
const WRAPPERS: &[&str] = &[
    "export_statement", "decorated_definition", "ambient_declaration", "preproc_ifdef", "preproc_if",
    "preproc_else", "preproc_elif", "linkage_specification", "declaration_list", "class_body",
    "field_declaration_list", "block", "statement_block", "enum_class_body", "interface_body",
    "ERROR",
];

/// Written above what it belongs to.
const ABOVE: &[&str] = &["attribute_item", "line_comment", "block_comment", "comment", "decorator"];

const NAMES: &[&str] = &[
    "identifier",
    "type_identifier",
    "property_identifier",
    "field_identifier",
    "private_property_identifier",
    "namespace_identifier",
    "simple_identifier",
    "constant",
];

/// Lists the items of a text, containers before their members.
pub(super) fn items_of(text: &str, tree: &NodeTree) -> Vec<Item> {
    let mut reader = Reader { text, tree, starts: line_starts(text), items: Vec::new() };
    reader.read(0, None);
    reader.items
}

/// Returns the innermost item that holds a line.
pub(super) fn item_at(items: &[Item], line: u32) -> Option<usize> {
    (0..items.len()).rev().find(|at| (items[*at].first..=items[*at].last).contains(&line))
}

struct Reader<'a> {
    text: &'a str,
    tree: &'a NodeTree,
    starts: Vec<usize>,
    items: Vec<Item>,
}

impl Reader<'_> {
    fn read(&mut self, parent_node: usize, parent: Option<usize>) {
        let mut above: Option<u32> = None;
        let children: Vec<(usize, SyntaxNode)> =
            self.tree.children(parent_node).map(|(at, node)| (at, *node)).collect();
        for (at, node) in children {
            let kind = self.tree.kind(&node);
            if !node.is_named {
                continue;
            }
            if ABOVE.contains(&kind) {
                above = above.or_else(|| Some(self.line_of(node.span.start)));
                continue;
            }
            if WRAPPERS.contains(&kind) && !self.is_import(at, &node) {
                let known = self.items.len();
                self.read(at, parent);
                // A decorator or `export` belongs to the one thing it wraps.
                if matches!(
                    kind,
                    "export_statement" | "decorated_definition" | "ambient_declaration"
                ) && let Some(item) = self.items.get_mut(known)
                {
                    let first = above.take().unwrap_or(u32::MAX);
                    item.first = item.first.min(first).min(line_of(&self.starts, node.span.start));
                }
                above = None;
                continue;
            }
            self.take(at, &node, parent, above.take());
        }
    }

    fn take(&mut self, at: usize, node: &SyntaxNode, parent: Option<usize>, above: Option<u32>) {
        let kind = self.tree.kind(node);
        let item_kind = if self.is_import(at, node) {
            ItemKind::Import
        } else if CONTAINERS.contains(&kind) {
            ItemKind::Container
        } else if DEFINITIONS.contains(&kind) {
            ItemKind::Definition
        } else if parent.is_some() && !self.is_statement_of_body(kind) {
            // Names and heads of containers are lines of the container itself.
            return;
        } else {
            ItemKind::Statement
        };
        let first = self.line_of(node.span.start);
        let end = node.span.end.max(node.span.start + 1) - 1;
        // Some grammars count the line break.
        let end = if self.text.as_bytes().get(end) == Some(&b'\n') { end.max(1) - 1 } else { end };
        self.items.push(Item {
            first: above.unwrap_or(first).min(first),
            last: self.line_of(end.max(node.span.start)),
            kind: item_kind,
            names: self.names(at, kind),
            parent,
            node: at,
        });
        if item_kind == ItemKind::Container {
            let container = self.items.len() - 1;
            self.read(at, Some(container));
        }
    }

    fn is_statement_of_body(&self, kind: &str) -> bool {
        kind.ends_with("_statement")
    }

    fn is_import(&self, at: usize, node: &SyntaxNode) -> bool {
        let kind = self.tree.kind(node);
        let has_child = |wanted: &[&str]| {
            self.tree.children(at).any(|(_, child)| wanted.contains(&self.tree.kind(child)))
        };
        match kind {
            "mod_item" => !has_child(&["declaration_list"]),
            // `export … from "…"`
            "export_statement" => has_child(&["string"]) && has_child(&["from"]),
            "lexical_declaration" | "variable_declaration" => {
                let text = self.text.get(node.span.range()).unwrap_or_default();
                text.contains("= require(") || text.contains("= await import(")
            }
            _ => IMPORTS.contains(&kind),
        }
    }

    fn names(&self, at: usize, kind: &str) -> Vec<String> {
        let all_of_head = kind == "impl_item";
        let mut names = Vec::new();
        let node = &self.tree.nodes()[at];
        let direct: Vec<&SyntaxNode> = self
            .tree
            .children(at)
            .map(|(_, child)| child)
            .filter(|child| NAMES.contains(&self.tree.kind(child)))
            .collect();
        // A C function is named inside its declarator, after its type.
        let nested = kind.contains("declaration")
            || matches!(kind, "function_definition" | "declaration" | "template_declaration");
        let body = |kind: &str| {
            matches!(
                kind,
                "declaration_list" | "compound_statement" | "statement_block" | "class_body"
            ) || matches!(
                kind,
                "field_declaration_list" | "block" | "parameter_list" | "parameters"
            )
        };
        if let (false, Some(name)) =
            (all_of_head, direct.last().filter(|_| kind == "type_definition"))
        {
            return vec![self.word(name)];
        }
        if let (false, Some(name)) = (all_of_head, direct.first()) {
            let is_type = self.tree.kind(name) == "type_identifier";
            // In `Foo bar(void)` the type is first.
            if !(nested && is_type && has_declarator(self.tree, at)) {
                return vec![self.word(name)];
            }
        }
        let mut index = at + 1;
        while index < node.end_index {
            let inner = &self.tree.nodes()[index];
            let inner_kind = self.tree.kind(inner);
            if body(inner_kind) {
                index = inner.end_index;
                continue;
            }
            let is_name = NAMES.contains(&inner_kind)
                && (all_of_head
                    || inner_kind != "type_identifier"
                    || !has_declarator(self.tree, at));
            if is_name {
                names.push(self.word(inner));
                if !all_of_head {
                    break;
                }
            }
            index += 1;
        }
        names
    }

    fn word(&self, node: &SyntaxNode) -> String {
        self.text.get(node.span.range()).unwrap_or_default().to_owned()
    }

    fn line_of(&self, offset: usize) -> u32 {
        line_of(&self.starts, offset)
    }
}

fn has_declarator(tree: &NodeTree, at: usize) -> bool {
    tree.children(at).any(|(_, child)| tree.kind(child).ends_with("declarator"))
}

pub(super) fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).collect()
}

pub(super) fn line_of(starts: &[usize], offset: usize) -> u32 {
    u32::try_from(starts.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
}
