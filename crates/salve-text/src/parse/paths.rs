//! Names the places of values that are not complete.
//!
//! In: a tree. Out: paths such as `$.files[2].path`, in the order of the text. Never recurses, and
//! never lists more than a reader could use: hostile input may hold as many as it has bytes.

use super::tree::{Node, NodeState, Tag, Tree};
use std::fmt::Write;

const MOST_PATHS: usize = 1000;
const LONGEST_KEY: usize = 64;

/// Lists the path of every value of the answer that is not complete, or is among `winners`.
pub(super) fn incomplete_paths(tree: &Tree, winners: &[u32]) -> Vec<String> {
    let mut walk = Walk { tree, winners, levels: Vec::new(), found: Vec::new() };
    let several = tree.selected.len() > 1;
    for (place, &root) in tree.selected.iter().enumerate() {
        let prefix = if several { format!("$[{place}]") } else { "$".to_owned() };
        walk.read(root, &prefix);
    }
    walk.found
}

// One open container: its kind, its end, and how many nodes came directly inside it.
struct Level {
    tag: Tag,
    end: u32,
    seen: u32,
    key: u32,
}

struct Walk<'a> {
    tree: &'a Tree,
    // Sorted.
    winners: &'a [u32],
    levels: Vec<Level>,
    found: Vec<String>,
}

impl Walk<'_> {
    fn read(&mut self, root: u32, prefix: &str) {
        let nodes = &self.tree.nodes;
        for index in root..self.tree.behind(root) {
            let Some(node) = nodes.get(index as usize) else { return };
            while self.levels.last().is_some_and(|level| level.end <= index) {
                self.levels.pop();
            }
            let is_key = self.enter(index);
            let is_unsure =
                node.state != NodeState::Complete || self.winners.binary_search(&index).is_ok();
            if is_unsure && !is_key && node.tag != Tag::Group {
                if self.found.len() >= MOST_PATHS {
                    return;
                }
                let path = self.path(prefix);
                self.found.push(path);
            }
            self.open(index, node);
        }
        self.levels.clear();
    }

    // Counts the node in its container; gives whether it is a key.
    fn enter(&mut self, index: u32) -> bool {
        let Some(level) = self.levels.last_mut() else { return false };
        level.seen += 1;
        let is_key = level.tag == Tag::Object && level.seen % 2 == 1;
        if is_key {
            level.key = index;
        }
        is_key
    }

    fn open(&mut self, index: u32, node: &Node) {
        if node.is_container() {
            let end = self.tree.behind(index);
            self.levels.push(Level { tag: node.tag, end, seen: 0, key: 0 });
        }
    }

    fn path(&self, prefix: &str) -> String {
        let mut path = prefix.to_owned();
        for level in &self.levels {
            match level.tag {
                Tag::Object => push_key(&mut path, self.tree, level.key),
                Tag::Array => {
                    let _ = write!(path, "[{}]", level.seen - 1);
                }
                _ => {}
            }
        }
        path
    }
}

fn push_key(path: &mut String, tree: &Tree, key: u32) {
    let key = tree.text(super::tree::NodeId(key));
    let mut short: String = key.chars().take(LONGEST_KEY).collect();
    if short.len() < key.len() {
        short.push('…');
    }
    let plain = !short.is_empty()
        && !short.starts_with(|character: char| character.is_ascii_digit())
        && short.chars().all(|character| character.is_alphanumeric() || character == '_');
    let _ = if plain {
        write!(path, ".{short}")
    } else {
        write!(path, "[{}]", serde_json::Value::from(short))
    };
}
