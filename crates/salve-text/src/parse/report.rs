//! The repairs of a finished parse.
//!
//! In: the values that make up the answer and the edits inside them. Out: repairs for the whole
//! text, what is around the values included. Never overlapping, always in order.

use super::machine::Found;
use super::repair::{Repair, RepairCode};
use super::tree::{NodeId, Shape, Tag, Tree};
use crate::markdown::TICKS;
use salve_types::Span;
use std::collections::HashSet;

/// Lists the first `most` repairs that make the whole text one strict JSON value, and says how many
/// more there are.
pub(super) fn repairs(tree: &Tree, found: &[Found], most: usize) -> (Vec<Repair>, usize) {
    let source = tree.source.as_str();
    let selected = &tree.selected;
    let several = selected.len() > 1;
    let mut out = List { repairs: Vec::new(), most, more: 0 };
    let mut done = 0;
    let mut index = 0;
    for found in found {
        if selected.get(index) != Some(&found.node) {
            continue;
        }
        let sign = match (several, index) {
            (false, _) => "",
            (true, 0) => "[",
            (true, _) => ",",
        };
        push_gap(&mut out, source, done, found.start as usize, sign);
        push_edits(&mut out, tree, found);
        done = found.end as usize;
        index += 1;
    }
    if index > 0 {
        push_gap(&mut out, source, done, source.len(), if several { "]" } else { "" });
    }
    let mut twice = List { repairs: Vec::new(), most, more: 0 };
    duplicate_keys(tree, &mut twice);
    let (mut listed, mut more) = (out.repairs, out.more + twice.more);
    if !twice.repairs.is_empty() {
        listed.extend(twice.repairs);
        listed.sort_by_key(|repair| (repair.span.start, repair.span.end));
        more += listed.len().saturating_sub(most);
        listed.truncate(most);
    }
    (listed, more)
}

// The first repairs, and how many came after them.
struct List {
    repairs: Vec<Repair>,
    most: usize,
    more: usize,
}

impl List {
    fn push(&mut self, source: &str, code: RepairCode, span: Span, after: &str) {
        if self.repairs.len() >= self.most {
            self.more += 1;
            return;
        }
        let before = source.get(span.range()).unwrap_or_default().to_owned();
        self.repairs.push(Repair { code, span, before, after: after.to_owned() });
    }
}

// The edits of one value in the order of the text: those on the tape, and those of apostrophes around
// strings, which only their nodes tell.
fn push_edits(out: &mut List, tree: &Tree, found: &Found) {
    let source = tree.source.as_str();
    let range = found.edits.0 as usize..found.edits.1 as usize;
    let mut noted = tree.edits.get(range).unwrap_or_default().iter().peekable();
    let push = |out: &mut List, start: u32, end: u32, code, after| {
        out.push(source, code, Span::new(start as usize, end as usize), after);
    };
    let nodes = found.node as usize..tree.behind(found.node) as usize;
    for node in tree.nodes.get(nodes).unwrap_or_default() {
        if node.shape != Shape::Requoted {
            continue;
        }
        // What was supplied in front of a string, such as a comma, is noted at its first byte.
        while let Some(edit) = noted.next_if(|edit| edit.start <= node.start) {
            push(out, edit.start, edit.end, edit.code, edit.after);
        }
        for at in [node.start, node.end.saturating_sub(1)] {
            push(out, at, at + 1, RepairCode::SingleQuotes, "\"");
        }
    }
    for edit in noted {
        push(out, edit.start, edit.end, edit.code, edit.after);
    }
}

// What is between two values is dropped, or becomes the sign that belongs there.
fn push_gap(out: &mut List, source: &str, start: usize, end: usize, sign: &str) {
    let before = source.get(start..end).unwrap_or_default();
    let words = before.trim_matches([' ', '\n', '\r', '\t']);
    if words.is_empty() && sign.is_empty() {
        return;
    }
    let all = |signs: &[char]| words.chars().all(|c| signs.contains(&c) || c.is_whitespace());
    let code = if words.is_empty() {
        RepairCode::NewlineDelimited
    } else if words.contains(TICKS) {
        RepairCode::FenceDropped
    } else if words.starts_with("/*") || words.starts_with("//") {
        RepairCode::Comment
    } else if all(&[',', ';']) {
        RepairCode::TrailingComma
    } else if all(&['}', ']', ')', ',', ';']) {
        RepairCode::ExtraCloser
    } else {
        RepairCode::TalkDropped
    };
    let span = Span::new(start, end);
    out.push(source, code, span, sign);
}

// A key that comes twice changes no byte: strict readers let the last one count, as the tree does.
// It is listed all the same, at the key that wins.
fn duplicate_keys(tree: &Tree, out: &mut List) {
    for &root in &tree.selected {
        for index in root..tree.behind(root) {
            let Some(node) = tree.nodes.get(index as usize) else { break };
            if node.tag != Tag::Object || node.link < index + 4 {
                continue;
            }
            let mut seen = HashSet::new();
            for (key, _) in tree.entries(NodeId(index)) {
                if !seen.insert(tree.text(key)) {
                    push_duplicate(tree, key, out);
                }
            }
        }
    }
}

fn push_duplicate(tree: &Tree, key: NodeId, out: &mut List) {
    let mut span = tree.span(key);
    // A key with repairs of its own is only pointed at, so that no two repairs overlap.
    if tree.node(key).is_some_and(|node| matches!(node.shape, Shape::Edited | Shape::Requoted)) {
        span.end = span.start;
    }
    let text = tree.source.get(span.range()).unwrap_or_default();
    out.push(&tree.source, RepairCode::DuplicateKey, span, text);
}
