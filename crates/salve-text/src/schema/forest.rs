//! Everything a reply could mean: the tree it was parsed to, and nodes that are written nowhere.
//!
//! In: a parsed tree, raw texts, strings that hold JSON. Out: nodes with kind, state and the text
//! they were read from. Never copies the tree: a node of it is looked up when it is asked for, as a
//! hostile text has a value for every other byte. Never drops or invents a value: a node is what some
//! reading found.

use crate::parse::{self, Kind, NodeState, Tree};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;

/// The name of a node: its index on the tape of the tree, or its place among the others.
pub(super) type NodeId = u32;

// Set in the names of nodes that are not on the tape.
const OTHER: NodeId = 1 << 31;

// Coercion walks the nodes by recursion, and threads may have small stacks. No reply that a schema
// speaks of is nested deeper.
const DEEPEST: usize = 256;

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

/// What a node is.
#[derive(Debug, Clone)]
pub(super) enum NodeKind<'t> {
    Null,
    Bool(bool),
    /// The digits of a number.
    Number(Cow<'t, str>),
    Text(Cow<'t, str>),
    /// Its members are asked for by [`Forest::items`].
    Array,
    /// Its members are asked for by [`Forest::entries`].
    Object,
}

/// What a node holds that is not on the tape.
#[derive(Debug, Clone)]
pub(super) enum Content<'t> {
    Null,
    Bool(bool),
    Number(Cow<'t, str>),
    Text(Cow<'t, str>),
    Array(Vec<NodeId>),
    Object(Vec<(Cow<'t, str>, NodeId)>),
}

#[derive(Debug)]
struct Other<'t> {
    content: Content<'t>,
    mark: Mark,
    /// The text it was read from; nothing where that is the value as JSON is written.
    raw: Option<Cow<'t, str>>,
    ended: bool,
    gathered: bool,
}

/// The nodes of a reply.
#[derive(Debug)]
pub(super) struct Forest<'t> {
    tree: &'t Tree,
    others: Vec<Other<'t>>,
    /// Lists and objects of the tree that are nested too deep, in order: they count as cut off.
    too_deep: Vec<NodeId>,
}

enum Place<'f, 't> {
    OnTape(parse::NodeId),
    Else(&'f Other<'t>),
}

impl<'t> Forest<'t> {
    /// Makes a forest of a tree, of whose values none was added yet.
    pub(super) const fn new(tree: &'t Tree) -> Self {
        Self { tree, others: Vec::new(), too_deep: Vec::new() }
    }

    /// Adds a value of the tree.
    pub(super) fn add_tree(&mut self, id: parse::NodeId) -> NodeId {
        if id.0 < OTHER {
            self.mark_too_deep(id.0, 0);
            return id.0;
        }
        // Several values that form a list, which has no node on the tape; or a tape too long for us.
        let items: Vec<NodeId> =
            self.tree.items(id).map(|item| item.0).filter(|item| *item < OTHER).collect();
        for &item in &items {
            self.mark_too_deep(item, 1);
        }
        let mark = if items.is_empty() { Mark::Truncated } else { mark_of(self.tree.state(id)) };
        let raw =
            Some(Cow::Borrowed(self.tree.source().get(self.tree.span(id).range()).unwrap_or("")));
        let ended = mark != Mark::Truncated;
        self.add(Other { content: Content::Array(items), mark, raw, ended, gathered: false })
    }

    // Lists the containers below `root` that are `DEEPEST` levels down.
    fn mark_too_deep(&mut self, root: NodeId, level: usize) {
        let mut ends: Vec<NodeId> = Vec::new();
        let (mut index, end) = (root, self.tree.behind(root));
        while index < end {
            while ends.last().is_some_and(|&end| end <= index) {
                ends.pop();
            }
            let behind = self.tree.behind(index);
            if matches!(self.tree.kind(parse::NodeId(index)), Kind::Array | Kind::Object) {
                if level + ends.len() >= DEEPEST {
                    self.too_deep.push(index);
                    index = behind;
                    continue;
                }
                ends.push(behind);
            }
            index += 1;
        }
        self.too_deep.sort_unstable();
    }

    fn add(&mut self, node: Other<'t>) -> NodeId {
        self.others.push(node);
        u32::try_from(self.others.len() - 1).map_or(NodeId::MAX, |place| OTHER | place)
    }

    /// Adds a text as it is.
    pub(super) fn add_text(&mut self, text: &'t str) -> NodeId {
        let content = Content::Text(Cow::Borrowed(text));
        let raw = Some(Cow::Borrowed(text));
        self.add(Other { content, mark: Mark::Complete, raw, ended: true, gathered: true })
    }

    /// Adds the key of an object as a text of its own.
    pub(super) fn add_key(&mut self, key: Cow<'t, str>) -> NodeId {
        let content = Content::Text(key.clone());
        let (mark, raw) = (Mark::Complete, Some(key));
        self.add(Other { content, mark, raw, ended: true, gathered: false })
    }

    /// Adds what is certain of a node.
    pub(super) fn add_part(&mut self, of: NodeId, content: Content<'t>) -> NodeId {
        let (raw, gathered) = (Some(self.raw(of)), self.is_gathered(of));
        self.add(Other { content, mark: Mark::Complete, raw, ended: true, gathered })
    }

    /// Adds an array of values that stood apart in the text.
    pub(super) fn gather(&mut self, items: Vec<NodeId>) -> NodeId {
        let whole = items.iter().all(|&item| self.mark(item) == Mark::Complete);
        let mark = if whole { Mark::Complete } else { Mark::Inferred };
        let (content, raw) = (Content::Array(items), Some(Cow::Borrowed("")));
        self.add(Other { content, mark, raw, ended: true, gathered: true })
    }

    /// Adds a value that strict JSON gave.
    pub(super) fn add_value(&mut self, value: Value) -> NodeId {
        let content = match value {
            Value::Null => Content::Null,
            Value::Bool(flag) => Content::Bool(flag),
            Value::Number(number) => Content::Number(Cow::Owned(number.to_string())),
            Value::String(text) => Content::Text(Cow::Owned(text)),
            Value::Array(items) => {
                Content::Array(items.into_iter().map(|item| self.add_value(item)).collect())
            }
            Value::Object(entries) => Content::Object(
                entries
                    .into_iter()
                    .map(|(key, entry)| (Cow::Owned(key), self.add_value(entry)))
                    .collect(),
            ),
        };
        self.add(Other { content, mark: Mark::Complete, raw: None, ended: true, gathered: false })
    }

    fn place(&self, id: NodeId) -> Place<'_, 't> {
        if id & OTHER == 0 {
            Place::OnTape(parse::NodeId(id))
        } else {
            Place::Else(&self.others[(id & !OTHER) as usize])
        }
    }

    fn is_too_deep(&self, id: NodeId) -> bool {
        !self.too_deep.is_empty() && self.too_deep.binary_search(&id).is_ok()
    }

    /// Returns what a node is.
    pub(super) fn kind(&self, id: NodeId) -> NodeKind<'t> {
        let node = match self.place(id) {
            Place::OnTape(node) => node,
            Place::Else(other) => return other.content.kind(),
        };
        match self.tree.kind(node) {
            Kind::Null => NodeKind::Null,
            Kind::Bool(flag) => NodeKind::Bool(flag),
            Kind::Number => {
                let digits = self.tree.text(node);
                let is_number = number_of(&digits).is_some();
                if is_number { NodeKind::Number(digits) } else { NodeKind::Text(digits) }
            }
            Kind::String => NodeKind::Text(self.tree.text(node)),
            Kind::Array | Kind::Object if self.is_too_deep(id) => NodeKind::Null,
            Kind::Array => NodeKind::Array,
            Kind::Object => NodeKind::Object,
        }
    }

    /// Returns how certain a node is.
    pub(super) fn mark(&self, id: NodeId) -> Mark {
        match self.place(id) {
            Place::OnTape(_) if self.is_too_deep(id) => Mark::Truncated,
            Place::OnTape(node) => mark_of(self.tree.state(node)),
            Place::Else(other) => other.mark,
        }
    }

    /// Returns the text a node was read from; empty for a value that was only implied.
    pub(super) fn raw(&self, id: NodeId) -> Cow<'t, str> {
        match self.place(id) {
            Place::OnTape(node) => {
                let span = self.tree.span(node);
                Cow::Borrowed(self.tree.source().get(span.range()).unwrap_or_default())
            }
            Place::Else(Other { raw: Some(raw), .. }) => raw.clone(),
            Place::Else(_) => Cow::Owned(self.value(id).to_string()),
        }
    }

    /// Returns whether something after a node proves that no more of it was coming.
    pub(super) fn is_ended(&self, id: NodeId) -> bool {
        match self.place(id) {
            Place::OnTape(node) => {
                self.mark(id) != Mark::Truncated
                    && !(is_open_ended(self.tree.kind(node)) && self.ends_text(node))
            }
            Place::Else(other) => other.ended,
        }
    }

    fn ends_text(&self, node: parse::NodeId) -> bool {
        let end = self.tree.span(node).end;
        self.tree.source().get(end..).is_none_or(|rest| rest.trim_start().is_empty())
    }

    /// Returns whether a node was put together by us and is written nowhere.
    pub(super) fn is_gathered(&self, id: NodeId) -> bool {
        match self.place(id) {
            Place::OnTape(_) => false,
            Place::Else(other) => other.gathered,
        }
    }

    /// Lists the members of an array; for anything else, nothing.
    pub(super) fn items(&self, id: NodeId) -> Items<'t> {
        match self.place(id) {
            Place::OnTape(node) => Items::OnTape(self.tree.items(node)),
            Place::Else(Other { content: Content::Array(items), .. }) => {
                Items::Else(items.clone().into_iter())
            }
            Place::Else(_) => Items::Else(Vec::new().into_iter()),
        }
    }

    /// Lists the members of an object; for anything else, nothing.
    pub(super) fn entries(&self, id: NodeId) -> Entries<'t> {
        match self.place(id) {
            Place::OnTape(node) => Entries::OnTape(self.tree, self.tree.entries(node)),
            Place::Else(Other { content: Content::Object(entries), .. }) => {
                Entries::Else(entries.clone().into_iter())
            }
            Place::Else(_) => Entries::Else(Vec::new().into_iter()),
        }
    }

    pub(super) fn is_array(&self, id: NodeId) -> bool {
        matches!(self.kind(id), NodeKind::Array)
    }

    pub(super) fn is_object(&self, id: NodeId) -> bool {
        matches!(self.kind(id), NodeKind::Object)
    }

    pub(super) fn is_scalar(&self, id: NodeId) -> bool {
        match self.place(id) {
            Place::OnTape(node) => {
                !matches!(self.tree.kind(node), Kind::Array | Kind::Object) || self.is_too_deep(id)
            }
            Place::Else(other) => !matches!(other.content, Content::Array(_) | Content::Object(_)),
        }
    }

    /// Returns whether a node has nothing in it.
    pub(super) fn is_childless(&self, id: NodeId) -> bool {
        self.is_scalar(id)
            || match self.place(id) {
                Place::OnTape(node) => self.tree.behind(node.0) == node.0 + 1,
                Place::Else(Other { content: Content::Array(items), .. }) => items.is_empty(),
                Place::Else(Other { content: Content::Object(entries), .. }) => entries.is_empty(),
                Place::Else(_) => true,
            }
    }

    /// Returns the value a node holds, unchanged.
    pub(super) fn value(&self, id: NodeId) -> Value {
        match self.kind(id) {
            NodeKind::Null => Value::Null,
            NodeKind::Bool(flag) => Value::Bool(flag),
            NodeKind::Number(digits) => number_of(&digits).map_or(Value::Null, Value::Number),
            NodeKind::Text(text) => Value::String(text.into_owned()),
            NodeKind::Array => Value::Array(self.items(id).map(|item| self.value(item)).collect()),
            NodeKind::Object => {
                let entries =
                    self.entries(id).map(|(key, value)| (key.into_owned(), self.value(value)));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    /// Returns whether a key is without its value.
    pub(super) fn is_missing(&self, id: NodeId) -> bool {
        match self.place(id) {
            Place::OnTape(node) => {
                self.mark(id) != Mark::Complete && self.tree.span(node).is_empty()
            }
            Place::Else(other) => {
                let is_unwritten = other.raw.as_ref().is_some_and(|raw| raw.is_empty());
                is_unwritten && other.mark != Mark::Complete && !other.gathered
            }
        }
    }
}

impl<'t> Content<'t> {
    fn kind(&self) -> NodeKind<'t> {
        match self {
            Self::Null => NodeKind::Null,
            Self::Bool(flag) => NodeKind::Bool(*flag),
            Self::Number(digits) => NodeKind::Number(digits.clone()),
            Self::Text(text) => NodeKind::Text(text.clone()),
            Self::Array(_) => NodeKind::Array,
            Self::Object(_) => NodeKind::Object,
        }
    }
}

/// The members of an array.
pub(super) enum Items<'t> {
    OnTape(parse::Items<'t>),
    Else(std::vec::IntoIter<NodeId>),
}

impl Iterator for Items<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        match self {
            Self::OnTape(items) => items.next().map(|item| item.0),
            Self::Else(items) => items.next(),
        }
    }
}

/// The members of an object.
pub(super) enum Entries<'t> {
    OnTape(&'t Tree, parse::Entries<'t>),
    Else(std::vec::IntoIter<(Cow<'t, str>, NodeId)>),
}

impl<'t> Iterator for Entries<'t> {
    type Item = (Cow<'t, str>, NodeId);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::OnTape(tree, entries) => {
                entries.next().map(|(key, value)| (tree.text(key), value.0))
            }
            Self::Else(entries) => entries.next(),
        }
    }
}

/// Reads the digits of a number.
pub(super) fn number_of(digits: &str) -> Option<Number> {
    digits.parse().ok()
}

const fn mark_of(state: NodeState) -> Mark {
    match state {
        NodeState::Complete => Mark::Complete,
        NodeState::Inferred => Mark::Inferred,
        NodeState::Truncated => Mark::Truncated,
    }
}

/// Returns whether more digits or letters could follow without a sign in between.
const fn is_open_ended(kind: Kind) -> bool {
    matches!(kind, Kind::Number | Kind::Bool(_) | Kind::Null)
}
