//! Values that a duplicate key would make vanish.
//!
//! In: a finished tree. Out: the values that win over another one of the same key, so that the answer is
//! not called complete. Never drops or moves a value.

use super::tree::{Kind, NodeId, Tag, Tree};
use std::borrow::Cow;
use std::collections::HashMap;

// Up to this many members, comparing the keys pair by pair is quicker than a table.
const FEW: usize = 16;

/// Lists the values of the answer that stand in the place of others, in the order of the text.
pub(super) fn winners(tree: &Tree) -> Vec<u32> {
    let mut winners: Vec<u32> = Vec::new();
    for &root in &tree.selected {
        for index in root..tree.behind(root) {
            let Some(node) = tree.nodes.get(index as usize) else { break };
            // Less than two members.
            if node.tag == Tag::Object && node.link >= index + 5 {
                look(tree, NodeId(index), &mut winners);
            }
        }
    }
    winners.sort_unstable();
    winners
}

fn look(tree: &Tree, object: NodeId, winners: &mut Vec<u32>) {
    if differs_at_a_glance(tree, object) {
        return;
    }
    let mut seen: HashMap<Cow<'_, str>, NodeId> = HashMap::new();
    for (key, value) in tree.entries(object) {
        if let Some(old) = seen.insert(tree.text(key), value)
            && !is_same(tree, old, value)
        {
            winners.push(value.0);
        }
    }
}

// Most objects have a few keys without escapes, of different lengths: nothing is copied, and the text
// is looked at only where two lengths are the same.
fn differs_at_a_glance(tree: &Tree, object: NodeId) -> bool {
    let mut keys = [(0, 0); FEW];
    for (count, (key, _)) in tree.entries(object).enumerate() {
        let Some(node) = tree.node(key).filter(|node| node.is_verbatim()) else { return false };
        let Some(place) = keys.get_mut(count) else { return false };
        let span = (node.start + 1, node.end.saturating_sub(1));
        *place = span;
        let bytes =
            |(start, end): (u32, u32)| tree.source.as_bytes().get(start as usize..end as usize);
        let length = |(start, end): (u32, u32)| end.wrapping_sub(start);
        if keys[..count]
            .iter()
            .any(|&other| length(other) == length(span) && bytes(other) == bytes(span))
        {
            return false;
        }
    }
    true
}

// Two scalars that say the same; lists and objects are not compared.
fn is_same(tree: &Tree, one: NodeId, other: NodeId) -> bool {
    let scalar = |id| !matches!(tree.kind(id), Kind::Array | Kind::Object);
    scalar(one)
        && scalar(other)
        && tree.kind(one) == tree.kind(other)
        && tree.text(one) == tree.text(other)
}
