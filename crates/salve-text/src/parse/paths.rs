//! Names the places of values that are not complete.
//!
//! In: a tree. Out: paths such as `$.files[2].path`, in the order of the text. Never recurses.

use super::tree::{Kind, NodeId, NodeState, Tree};
use std::fmt::Write;

// Where the walk stands inside one container.
enum Level<'a> {
    Items(super::tree::Items<'a>, usize),
    Entries(super::tree::Entries<'a>),
}

/// Lists the path of every value below the root (and the root) that is not complete.
pub(super) fn incomplete_paths(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    let Some(root) = tree.root() else { return found };
    let mut path = String::from("$");
    let mut levels: Vec<(Level<'_>, usize)> = Vec::new();
    visit(tree, root, &path, &mut levels, &mut found);
    while let Some((level, length)) = levels.last_mut() {
        path.truncate(*length);
        let child = match level {
            Level::Items(items, index) => items.next().map(|item| {
                let _ = write!(path, "[{index}]");
                *index += 1;
                item
            }),
            Level::Entries(entries) => entries.next().map(|(key, value)| {
                push_key(&mut path, &tree.text(key));
                value
            }),
        };
        match child {
            Some(child) => visit(tree, child, &path, &mut levels, &mut found),
            None => {
                levels.pop();
            }
        }
    }
    found
}

fn visit<'a>(
    tree: &'a Tree,
    id: NodeId,
    path: &str,
    levels: &mut Vec<(Level<'a>, usize)>,
    found: &mut Vec<String>,
) {
    if tree.state(id) != NodeState::Complete {
        found.push(path.to_owned());
    }
    match tree.kind(id) {
        Kind::Array => levels.push((Level::Items(tree.items(id), 0), path.len())),
        Kind::Object => levels.push((Level::Entries(tree.entries(id)), path.len())),
        _ => {}
    }
}

fn push_key(path: &mut String, key: &str) {
    let plain = !key.is_empty()
        && !key.starts_with(|character: char| character.is_ascii_digit())
        && key.chars().all(|character| character.is_alphanumeric() || character == '_');
    if plain {
        let _ = write!(path, ".{key}");
    } else {
        let _ = write!(path, "[{}]", serde_json::Value::from(key));
    }
}
