//! Reads the members of JSON objects for edits.
//!
//! In: a parsed tree and a node. Out: members by any of their names, as text, number or flag.
//! Never gives a value of another type than the one asked for.

use crate::parse::{Kind, NodeId, Tree};
use salve_types::Span;

/// A JSON value that edits are read from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'t> {
    tree: &'t Tree,
    id: NodeId,
}

impl<'t> Node<'t> {
    pub(super) const fn new(tree: &'t Tree, id: NodeId) -> Self {
        Self { tree, id }
    }

    /// Returns what the value is.
    pub(super) fn kind(self) -> Kind {
        self.tree.kind(self.id)
    }

    /// Returns where the value is in the text that was parsed.
    pub(super) fn span(self) -> Span {
        self.tree.span(self.id)
    }

    /// Finds the first of the names that the object has, unless its value is null.
    ///
    /// Of members with the same name the last one counts; the reader refuses such an object.
    pub(super) fn get(self, names: &[&str]) -> Option<Self> {
        let mut best: Option<(usize, NodeId)> = None;
        for (key, value) in self.tree.entries(self.id) {
            if self.tree.kind(value) == Kind::Null {
                continue;
            }
            let name = self.tree.text(key);
            let Some(rank) = names.iter().position(|known| *known == name) else { continue };
            if best.is_none_or(|(found, _)| rank <= found) {
                best = Some((rank, value));
            }
        }
        best.map(|(_, id)| Self { tree: self.tree, id })
    }

    /// Returns the string under the first of the names.
    pub(super) fn text(self, names: &[&str]) -> Option<String> {
        self.get(names).and_then(Self::as_text)
    }

    /// Returns the value as a string.
    pub(super) fn as_text(self) -> Option<String> {
        (self.kind() == Kind::String).then(|| self.tree.text(self.id).into_owned())
    }

    /// Returns the whole number under the first of the names, also when it is written as a string.
    pub(super) fn number(self, names: &[&str]) -> Option<Number> {
        let value = self.get(names)?;
        let digits = match value.kind() {
            Kind::Number | Kind::String => self.tree.text(value.id),
            _ => return Some(Number::Wrong),
        };
        let digits = digits.trim();
        let digits = digits.strip_suffix(".0").unwrap_or(digits);
        Some(digits.parse().map_or(Number::Wrong, Number::Whole))
    }

    /// Returns whether one of the names is there and true.
    pub(super) fn is_true(self, names: &[&str]) -> bool {
        self.get(names).is_some_and(|value| match value.kind() {
            Kind::Bool(flag) => flag,
            Kind::String => self.tree.text(value.id).eq_ignore_ascii_case("true"),
            _ => false,
        })
    }

    /// Lists the members of an array.
    pub(super) fn items(self) -> impl Iterator<Item = Self> + 't {
        let tree = self.tree;
        tree.items(self.id).map(move |id| Self { tree, id })
    }

    /// Lists the members of an object as name and value.
    pub(super) fn entries(self) -> impl Iterator<Item = (String, Self)> + 't {
        let tree = self.tree;
        tree.entries(self.id).map(move |(key, id)| (tree.text(key).into_owned(), Self { tree, id }))
    }
}

/// A member that should be a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Whole(u32),
    /// Negative, broken, too large or no number at all.
    Wrong,
}
