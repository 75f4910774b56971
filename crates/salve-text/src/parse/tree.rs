//! The tree of a parsed text: nodes in preorder on one tape.
//!
//! In: nodes pushed by the machine. Out: kinds, spans, states, texts, children and values. Never
//! copies a string that needs no decoding, and never recurses.

use super::decode::decode_string;
use super::repair::{Edit, replay_token};
use salve_types::Span;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A node of a `Tree`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number; its digits are the node's text.
    Number,
    /// A string, or the key of a member.
    String,
    /// A list.
    Array,
    /// An object.
    Object,
}

/// How sure the end of a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeState {
    /// The text holds the value from its first byte to its last.
    Complete,
    /// The reader supplied the value or decided where it ends.
    Inferred,
    /// The text ended inside the value.
    Truncated,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Tag {
    Null,
    True,
    False,
    Number,
    String,
    Array,
    Object,
    /// A pair of parentheses around one value: it is looked through.
    Group,
}

/// How the text of a token is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Shape {
    /// The bytes between the quotes, or the bytes of the number, as they are.
    Plain,
    /// Between the quotes stand valid escapes.
    Escaped,
    /// As `Plain`, in apostrophes: the edits of both are told by the span, and are not on the tape.
    Requoted,
    /// The token's edits, beginning at `Node::link`, make it strict JSON.
    Edited,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Containers: the index just past the subtree. Edited tokens: their first edit.
    pub(super) link: u32,
    pub(super) tag: Tag,
    pub(super) state: NodeState,
    pub(super) shape: Shape,
}

impl Node {
    pub(super) const fn is_container(&self) -> bool {
        matches!(self.tag, Tag::Array | Tag::Object | Tag::Group)
    }

    /// Whether the bytes between the quotes are the text.
    pub(super) const fn is_verbatim(&self) -> bool {
        matches!(self.shape, Shape::Plain | Shape::Requoted)
    }
}

// The list that is around several values of one text; it has no node of its own.
const DOCUMENT: NodeId = NodeId(u32::MAX);

/// The tree of a parsed text, on one flat tape.
#[derive(Debug, Default)]
pub struct Tree {
    pub(super) source: String,
    pub(super) nodes: Vec<Node>,
    pub(super) edits: Vec<Edit>,
    /// The values that make up the answer: none, one, or several that form a list.
    pub(super) selected: Vec<u32>,
}

impl Tree {
    /// Returns the text that was parsed.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the answer's value, or nothing where the text holds none.
    pub fn root(&self) -> Option<NodeId> {
        match self.selected.as_slice() {
            [] => None,
            [only] => Some(self.resolve(*only)),
            _ => Some(DOCUMENT),
        }
    }

    /// Returns what `id` is.
    pub fn kind(&self, id: NodeId) -> Kind {
        match self.node(id).map(|node| node.tag) {
            None => Kind::Array,
            Some(Tag::Null | Tag::Group) => Kind::Null,
            Some(Tag::True) => Kind::Bool(true),
            Some(Tag::False) => Kind::Bool(false),
            Some(Tag::Number) => Kind::Number,
            Some(Tag::String) => Kind::String,
            Some(Tag::Array) => Kind::Array,
            Some(Tag::Object) => Kind::Object,
        }
    }

    /// Returns how sure the end of `id` is.
    pub fn state(&self, id: NodeId) -> NodeState {
        match self.node(id) {
            Some(node) => node.state,
            None => self
                .selected
                .iter()
                .filter_map(|&index| self.nodes.get(index as usize))
                .map(|node| node.state)
                .max()
                .unwrap_or(NodeState::Complete),
        }
    }

    /// Returns the bytes of `id`, quotes and brackets included.
    pub fn span(&self, id: NodeId) -> Span {
        match self.node(id) {
            Some(node) => Span::new(node.start as usize, node.end as usize),
            None => {
                let at = |index: Option<&u32>| index.and_then(|&i| self.nodes.get(i as usize));
                let start = at(self.selected.first()).map_or(0, |node| node.start as usize);
                let end = at(self.selected.last()).map_or(start, |node| node.end as usize);
                Span::new(start, end)
            }
        }
    }

    /// Returns the decoded string, the digits of a number, or the name of a literal.
    ///
    /// Lists and objects have no text of their own and give an empty one.
    pub fn text(&self, id: NodeId) -> Cow<'_, str> {
        let Some(node) = self.node(id) else { return Cow::Borrowed("") };
        match node.tag {
            Tag::Null => Cow::Borrowed("null"),
            Tag::True => Cow::Borrowed("true"),
            Tag::False => Cow::Borrowed("false"),
            Tag::Array | Tag::Object | Tag::Group => Cow::Borrowed(""),
            Tag::Number => self.number_text(node),
            Tag::String => self.string_text(node),
        }
    }

    /// Lists the members of an array; for anything else, nothing.
    pub fn items(&self, id: NodeId) -> Items<'_> {
        if id == DOCUMENT {
            return Items { tree: self, next: 0, end: 0, selected: self.selected.iter() };
        }
        let (next, end) = self.inside(id, Tag::Array);
        Items { tree: self, next, end, selected: [].iter() }
    }

    /// Lists the members of an object as key and value, in the order of the text.
    pub fn entries(&self, id: NodeId) -> Entries<'_> {
        let (next, end) = self.inside(id, Tag::Object);
        Entries { tree: self, next, end }
    }

    /// Builds the value of `id`. Of members with the same key the last one counts.
    pub fn to_value(&self, id: NodeId) -> Value {
        if id == DOCUMENT {
            return Value::Array(self.items(id).map(|item| self.to_value(item)).collect());
        }
        let mut open: Vec<(Building, u32)> = Vec::new();
        let mut index = self.resolve(id.0).0;
        loop {
            let Some(node) = self.nodes.get(index as usize) else { return Value::Null };
            let mut value = match node.tag {
                Tag::Group => {
                    index += 1;
                    continue;
                }
                Tag::Array | Tag::Object if node.link > index + 1 => {
                    open.push((Building::new(node.tag), node.link));
                    index += 1;
                    continue;
                }
                Tag::Array => Value::Array(Vec::new()),
                Tag::Object => Value::Object(Map::new()),
                _ => self.scalar(node),
            };
            index += 1;
            loop {
                let Some((building, end)) = open.last_mut() else { return value };
                building.add(value);
                if index < *end {
                    break;
                }
                let Some((building, _)) = open.pop() else { return Value::Null };
                value = building.into_value();
            }
        }
    }

    /// Returns whether there is an answer and each of its values is complete.
    pub fn is_complete(&self) -> bool {
        !self.selected.is_empty()
            && self.selected.iter().all(|&index| {
                let range = index as usize..self.behind(index) as usize;
                let nodes = self.nodes.get(range).unwrap_or_default();
                nodes.iter().all(|node| node.state == NodeState::Complete)
            })
    }

    /// Returns the first of the least sure values in and under `id`, where one is not complete.
    pub(crate) fn least_sure(&self, id: NodeId) -> Option<NodeId> {
        let mut worst: Option<(NodeState, u32)> = None;
        for index in id.0..self.behind(id.0) {
            let Some(node) = self.nodes.get(index as usize) else { break };
            if node.state > worst.map_or(NodeState::Complete, |(state, _)| state) {
                worst = Some((node.state, index));
            }
        }
        worst.map(|(_, index)| NodeId(index))
    }

    /// Returns where the values of the answer are that are not complete, such as `$.files[2].path`, or
    /// that came twice. Lists at most a thousand.
    pub fn incomplete_paths(&self) -> Vec<String> {
        super::paths::incomplete_paths(self, &super::losses::winners(self))
    }

    fn inside(&self, id: NodeId, tag: Tag) -> (u32, u32) {
        match self.node(id) {
            Some(node) if node.tag == tag => (id.0 + 1, node.link),
            _ => (0, 0),
        }
    }

    fn scalar(&self, node: &Node) -> Value {
        match node.tag {
            Tag::True => Value::Bool(true),
            Tag::False => Value::Bool(false),
            Tag::String => Value::String(self.string_text(node).into_owned()),
            Tag::Number => self.number_text(node).parse().map_or(Value::Null, Value::Number),
            _ => Value::Null,
        }
    }

    fn number_text(&self, node: &Node) -> Cow<'_, str> {
        match node.shape {
            Shape::Edited => Cow::Owned(self.edited(node)),
            _ => Cow::Borrowed(self.slice(node.start, node.end)),
        }
    }

    fn string_text(&self, node: &Node) -> Cow<'_, str> {
        match node.shape {
            Shape::Plain | Shape::Requoted => {
                Cow::Borrowed(self.slice(node.start + 1, node.end.saturating_sub(1)))
            }
            Shape::Escaped => decode_string(self.slice(node.start + 1, node.end.saturating_sub(1))),
            Shape::Edited => {
                let strict = self.edited(node);
                let inner = strict.get(1..strict.len().saturating_sub(1)).unwrap_or_default();
                Cow::Owned(decode_string(inner).into_owned())
            }
        }
    }

    fn edited(&self, node: &Node) -> String {
        let edits = self.edits.get(node.link as usize..).unwrap_or_default();
        replay_token(&self.source, node.start as usize, node.end as usize, edits)
    }

    fn slice(&self, start: u32, end: u32) -> &str {
        self.source.get(start as usize..end as usize).unwrap_or_default()
    }

    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    // Groups hold exactly one value, directly after them on the tape.
    pub(super) fn resolve(&self, mut index: u32) -> NodeId {
        while self.nodes.get(index as usize).is_some_and(|node| node.tag == Tag::Group) {
            index += 1;
        }
        NodeId(index)
    }

    // The index after the subtree that begins at `index`.
    pub(crate) fn behind(&self, index: u32) -> u32 {
        match self.nodes.get(index as usize) {
            Some(node) if node.is_container() => node.link.max(index + 1),
            _ => index + 1,
        }
    }
}

enum Building {
    Array(Vec<Value>),
    Object(Map<String, Value>, Option<String>),
}

impl Building {
    fn new(tag: Tag) -> Self {
        match tag {
            Tag::Object => Self::Object(Map::new(), None),
            _ => Self::Array(Vec::new()),
        }
    }

    fn add(&mut self, value: Value) {
        match self {
            Self::Array(items) => items.push(value),
            Self::Object(members, key) => match (key.take(), value) {
                (None, Value::String(name)) => *key = Some(name),
                (None, _) => {}
                (Some(name), value) => {
                    members.insert(name, value);
                }
            },
        }
    }

    fn into_value(self) -> Value {
        match self {
            Self::Array(items) => Value::Array(items),
            Self::Object(members, _) => Value::Object(members),
        }
    }
}

/// The members of an array.
#[derive(Debug, Clone)]
pub struct Items<'a> {
    tree: &'a Tree,
    next: u32,
    end: u32,
    selected: std::slice::Iter<'a, u32>,
}

impl Iterator for Items<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        if let Some(&index) = self.selected.next() {
            return Some(self.tree.resolve(index));
        }
        if self.next >= self.end {
            return None;
        }
        let id = self.tree.resolve(self.next);
        self.next = self.tree.behind(self.next);
        Some(id)
    }
}

/// The members of an object.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    tree: &'a Tree,
    next: u32,
    end: u32,
}

impl Iterator for Entries<'_> {
    type Item = (NodeId, NodeId);

    fn next(&mut self) -> Option<(NodeId, NodeId)> {
        if self.next + 1 >= self.end {
            return None;
        }
        let key = NodeId(self.next);
        let value = self.tree.resolve(self.next + 1);
        self.next = self.tree.behind(self.next + 1);
        Some((key, value))
    }
}
