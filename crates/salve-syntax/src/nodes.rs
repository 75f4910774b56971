//! The nodes of a syntax tree as a flat list.
//!
//! In: a text and its language. Out: every node in reading order, each with its parent, so that a
//! walk is a loop. Never exposes the types of the parser behind it.

use crate::parse::parse;
use salve_types::{Language, Span};
use std::collections::HashMap;

/// The nodes of one text, parents before children, in reading order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeTree {
    nodes: Vec<SyntaxNode>,
    kinds: Vec<String>,
    has_error: bool,
}

/// One node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyntaxNode {
    /// Its state.
    pub span: Span,
    /// Index of its parent in [`NodeTree::nodes`]; the root has none.
    pub parent: Option<usize>,
    /// Index just past its last descendant.
    pub end_index: usize,
    /// Whether it is a rule (`true`) or a bare token of the grammar.
    pub is_named: bool,
    kind: usize,
}

impl NodeTree {
    /// Returns every node; the first is the root.
    pub fn nodes(&self) -> &[SyntaxNode] {
        &self.nodes
    }

    /// Returns the grammar's name of a node: a rule such as `string_literal` or a token such as
    /// `(`.
    pub fn kind(&self, node: &SyntaxNode) -> &str {
        self.kinds.get(node.kind).map_or("", String::as_str)
    }

    /// Tells whether the grammar rejected or missed something anywhere.
    pub const fn has_error(&self) -> bool {
        self.has_error
    }

    /// Lists the direct children of the node at `index`, with their own indices.
    pub fn children(&self, index: usize) -> impl Iterator<Item = (usize, &SyntaxNode)> {
        let end = self.nodes.get(index).map_or(0, |node| node.end_index);
        let mut next = index + 1;
        std::iter::from_fn(move || {
            let at = next;
            let child = self.nodes.get(at).filter(|_| at < end)?;
            next = child.end_index;
            Some((at, child))
        })
    }
}

/// Parses `text` and lists its nodes; nothing without a grammar or when the text is too costly.
pub fn parse_nodes(text: &str, language: Language) -> Option<NodeTree> {
    let tree = parse(text, language)?.ok()?;
    let mut list =
        NodeTree { nodes: Vec::new(), kinds: Vec::new(), has_error: tree.root_node().has_error() };
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut open: Vec<usize> = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let kind = *known.entry(node.kind()).or_insert_with(|| {
            list.kinds.push(node.kind().to_owned());
            list.kinds.len() - 1
        });
        let index = list.nodes.len();
        list.nodes.push(SyntaxNode {
            span: node.byte_range().into(),
            parent: open.last().copied(),
            end_index: index + 1,
            is_named: node.is_named(),
            kind,
        });
        if cursor.goto_first_child() {
            open.push(index);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(list);
            }
            if let Some(parent) = open.pop() {
                list.nodes[parent].end_index = list.nodes.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_in_reading_order_with_their_parents() {
        let tree = parse_nodes("f(\"a\", [1])", Language::Python).unwrap();
        let shown: Vec<String> = tree
            .nodes()
            .iter()
            .map(|node| {
                let mut depth = 0;
                let mut at = node.parent;
                while let Some(parent) = at {
                    depth += 1;
                    at = tree.nodes()[parent].parent;
                }
                format!("{}{} {:?}", "  ".repeat(depth), tree.kind(node), node.span.range())
            })
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @r"
        module 0..11
          expression_statement 0..11
            call 0..11
              identifier 0..1
              argument_list 1..11
                ( 1..2
                string 2..5
                  string_start 2..3
                  string_content 3..4
                  string_end 4..5
                , 5..6
                list 7..10
                  [ 7..8
                  integer 8..9
                  ] 9..10
                ) 10..11
        ");
        assert_eq!(tree.children(0).count(), 1);
    }

    #[test]
    fn a_million_open_brackets_need_no_stack() {
        let text = "[".repeat(1_000_000);
        let tree = parse_nodes(&text, Language::Json);
        assert!(tree.is_none_or(|tree| tree.has_error()));
    }
}
