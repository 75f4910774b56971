//! Values that a duplicate key would make vanish.
//!
//! In: a finished tree. Out: the values that win over another one of the same key, so that the answer is
//! not called complete. Never drops or moves a value.

use super::tree::{Kind, NodeId, Tag, Tree};
use std::borrow::Cow;
use std::collections::HashMap;

// Objects with fewer members are compared pair by pair, which is quicker than a table.
const FEW: usize = 8;

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
    let entries = tree.entries(object).take(FEW + 1).count();
    if entries <= FEW {
        let all: Vec<(NodeId, NodeId)> = tree.entries(object).collect();
        for (at, (key, value)) in all.iter().enumerate() {
            let name = tree.text(*key);
            let lost = all[..at]
                .iter()
                .any(|(other, old)| tree.text(*other) == name && !is_same(tree, *old, *value));
            if lost {
                winners.push(value.0);
            }
        }
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

// Two scalars that say the same; lists and objects are not compared.
fn is_same(tree: &Tree, one: NodeId, other: NodeId) -> bool {
    let scalar = |id| !matches!(tree.kind(id), Kind::Array | Kind::Object);
    scalar(one)
        && scalar(other)
        && tree.kind(one) == tree.kind(other)
        && tree.text(one) == tree.text(other)
}
