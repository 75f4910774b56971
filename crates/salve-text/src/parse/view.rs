//! The value of a tree as it is written out, without being built.
//!
//! In: a tree. Out: a `Serialize` that writes what `Tree::to_value` would give. Never holds more than
//! the keys of the objects that are open, and recurses no deeper than the tree, whose depth the parser
//! bounds.

use super::tree::{Kind, NodeId, Tree};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;
use std::collections::HashMap;

/// The value of a tree, to be written.
#[derive(Debug, Clone, Copy)]
pub struct ValueView<'a> {
    tree: &'a Tree,
    // Nothing where the text holds no answer.
    id: Option<NodeId>,
}

impl Tree {
    /// Shows the value of the answer without building it; null where there is none.
    pub fn view(&self) -> ValueView<'_> {
        ValueView { tree: self, id: self.root() }
    }
}

impl Serialize for ValueView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tree = self.tree;
        let Some(id) = self.id else { return serializer.serialize_unit() };
        match tree.kind(id) {
            Kind::Array => {
                serializer.collect_seq(tree.items(id).map(|it| Self { tree, id: Some(it) }))
            }
            Kind::Object => self.serialize_members(id, serializer),
            _ => tree.to_value(id).serialize(serializer),
        }
    }
}

impl ValueView<'_> {
    // A key that comes again keeps its first place and has its last value.
    fn serialize_members<S: Serializer>(
        &self,
        id: NodeId,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let tree = self.tree;
        let mut values: HashMap<Cow<'_, str>, NodeId> = HashMap::new();
        let mut entries = 0;
        for (key, value) in tree.entries(id) {
            values.insert(tree.text(key), value);
            entries += 1;
        }
        let has_duplicates = values.len() < entries;
        if !has_duplicates {
            values = HashMap::new();
        }
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in tree.entries(id) {
            let name = tree.text(key);
            let value = if has_duplicates { values.remove(&name) } else { Some(value) };
            if let Some(value) = value {
                map.serialize_entry(&name, &Self { tree, id: Some(value) })?;
            }
        }
        map.end()
    }
}
