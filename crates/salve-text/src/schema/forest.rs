//! Everything a reply could mean, as one arena of nodes.
//!
//! In: parsed trees, raw texts, strings that hold JSON. Out: nodes with kind, state and the text
//! they were read from. Never drops or invents a value: a node is what some reading found.

use serde_json::{Map, Number, Value};
use std::borrow::Cow;

/// The place of a node in the arena.
pub(super) type NodeId = u32;

/// How certain a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// It was written out.
    Complete,
    /// It was closed or filled in by a repair.
    Inferred,
    /// The text ended inside it.
    Truncated,
}

/// One value some reading found.
#[derive(Debug, Clone)]
pub(super) struct Node<'t> {
    pub(super) kind: NodeKind<'t>,
    pub(super) mark: Mark,
    /// The text it was read from; empty for a value that was only implied.
    pub(super) raw: Cow<'t, str>,
    /// Whether something after it proves that no more of it was coming.
    pub(super) ended: bool,
    /// Whether the node was put together by us and is written nowhere.
    pub(super) gathered: bool,
}

/// What a node holds.
#[derive(Debug, Clone)]
pub(super) enum NodeKind<'t> {
    Null,
    Bool(bool),
    /// The digits of a number.
    Number(Cow<'t, str>),
    Text(Cow<'t, str>),
    Array(Vec<NodeId>),
    Object(Vec<(Cow<'t, str>, NodeId)>),
}

/// The arena.
#[derive(Debug, Default)]
pub(super) struct Forest<'t> {
    nodes: Vec<Node<'t>>,
}

impl<'t> Forest<'t> {
    pub(super) fn add(&mut self, node: Node<'t>) -> NodeId {
        self.nodes.push(node);
        u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX)
    }

    pub(super) fn node(&self, id: NodeId) -> &Node<'t> {
        &self.nodes[id as usize]
    }

    /// Adds a text as it is.
    pub(super) fn add_text(&mut self, text: &'t str) -> NodeId {
        self.add(Node {
            kind: NodeKind::Text(Cow::Borrowed(text)),
            mark: Mark::Complete,
            raw: Cow::Borrowed(text),
            ended: true,
            gathered: true,
        })
    }

    /// Adds the key of an object as a text of its own.
    pub(super) fn add_key(&mut self, key: Cow<'t, str>) -> NodeId {
        let kind = NodeKind::Text(key.clone());
        self.add(Node { kind, mark: Mark::Complete, raw: key, ended: true, gathered: false })
    }

    /// Adds an array of values that stood apart in the text.
    pub(super) fn gather(&mut self, items: Vec<NodeId>) -> NodeId {
        let whole = items.iter().all(|&item| self.node(item).mark == Mark::Complete);
        let mark = if whole { Mark::Complete } else { Mark::Inferred };
        let kind = NodeKind::Array(items);
        self.add(Node { kind, mark, raw: Cow::Borrowed(""), ended: true, gathered: true })
    }

    /// Adds a value that strict JSON gave.
    pub(super) fn add_value(&mut self, value: &Value) -> NodeId {
        let kind = match value {
            Value::Null => NodeKind::Null,
            Value::Bool(flag) => NodeKind::Bool(*flag),
            Value::Number(number) => NodeKind::Number(Cow::Owned(number.to_string())),
            Value::String(text) => NodeKind::Text(Cow::Owned(text.clone())),
            Value::Array(items) => {
                NodeKind::Array(items.iter().map(|item| self.add_value(item)).collect())
            }
            Value::Object(entries) => {
                let mut pairs = Vec::with_capacity(entries.len());
                for (key, entry) in entries {
                    pairs.push((Cow::Owned(key.clone()), self.add_value(entry)));
                }
                NodeKind::Object(pairs)
            }
        };
        let raw = Cow::Owned(value.to_string());
        self.add(Node { kind, mark: Mark::Complete, raw, ended: true, gathered: false })
    }

    /// Returns the value a node holds, unchanged.
    pub(super) fn value(&self, id: NodeId) -> Value {
        match &self.node(id).kind {
            NodeKind::Null => Value::Null,
            NodeKind::Bool(flag) => Value::Bool(*flag),
            NodeKind::Number(digits) => number_of(digits).map_or(Value::Null, Value::Number),
            NodeKind::Text(text) => Value::String(text.clone().into_owned()),
            NodeKind::Array(items) => {
                Value::Array(items.iter().map(|&item| self.value(item)).collect())
            }
            NodeKind::Object(entries) => {
                let mut map = Map::with_capacity(entries.len());
                for (key, value) in entries {
                    map.insert(key.clone().into_owned(), self.value(*value));
                }
                Value::Object(map)
            }
        }
    }

    /// Returns whether a key is without its value.
    pub(super) fn is_missing(&self, id: NodeId) -> bool {
        let node = self.node(id);
        node.raw.is_empty() && node.mark != Mark::Complete && !node.gathered
    }
}

/// Reads the digits of a number.
pub(super) fn number_of(digits: &str) -> Option<Number> {
    digits.parse().ok()
}
