//! A sign more or less in a text, and a reading of the changed text as one of the text as it was.
//!
//! In: a text, a change of a few signs, and what the changed text was read as. Out: the same reading with
//! its places in the text as it was, and the change among its repairs. Never moves a value.

use super::Parsed;
use super::again::{answers, doubt_around};
use super::machine::narrow;
use super::repair::{Edit, RepairCode};
use super::tree::{Node, NodeState, Shape, Tag};

/// Signs that are put in, or taken out, at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) at: usize,
    /// How many bytes go.
    pub(super) drop: usize,
    pub(super) insert: &'static str,
    pub(super) code: RepairCode,
    /// Whether it is put behind a quote of a string, so that the string ends there.
    pub(super) ends_string: bool,
}

impl Patch {
    pub(super) const fn insert(at: usize, insert: &'static str, code: RepairCode) -> Self {
        Self { at, drop: 0, insert, code, ends_string: false }
    }

    pub(super) const fn end_string(at: usize, insert: &'static str, code: RepairCode) -> Self {
        Self { at, drop: 0, insert, code, ends_string: true }
    }

    pub(super) const fn remove(at: usize, code: RepairCode) -> Self {
        Self { at, drop: 1, insert: "", code, ends_string: false }
    }

    /// How many brackets it changes; a comma or a colon alone counts as well.
    pub(super) fn signs(&self) -> u32 {
        let brackets = self.insert.bytes().filter(|byte| *byte != b',').count();
        narrow((self.drop + brackets).max(1))
    }

    /// Returns the changed text.
    pub(super) fn apply(&self, text: &str) -> Option<String> {
        let (head, tail) = (text.get(..self.at)?, text.get(self.at + self.drop..)?);
        let mut out = String::with_capacity(text.len() + self.insert.len());
        out.push_str(head);
        out.push_str(self.insert);
        out.push_str(tail);
        Some(out)
    }

    // Where the change ends in the changed text.
    fn end(&self) -> usize {
        self.at + self.insert.len()
    }

    /// Whether a reading of the changed text is inside its answer here, and took the change as it is:
    /// not as part of a string, and without repairing it in turn.
    pub(super) fn is_kept(&self, read: &Parsed) -> bool {
        let (start, end) = (narrow(self.at), narrow(self.end()));
        let answer = answers(read).any(|found| found.start <= start && end <= found.end);
        let overlaps = |from: u32, to: u32| from < end && start < to;
        let inside = |from: u32, to: u32| from < start && end < to;
        let scalar = |node: &&Node| !node.is_container() && !self.closes(node);
        answer
            && !read
                .tree
                .edits
                .iter()
                .any(|edit| overlaps(edit.start, edit.end) || inside(edit.start, edit.end))
            && !read
                .tree
                .nodes
                .iter()
                .filter(scalar)
                .any(|node| overlaps(node.start, node.end) || inside(node.start, node.end))
    }

    // Whether it is the quote at the end of a string that has one at its beginning.
    fn closes(&self, node: &Node) -> bool {
        node.tag == Tag::String
            && self.insert == "\""
            && node.end as usize == self.end()
            && (node.start as usize) < self.at
            && node.shape != Shape::Requoted
    }

    // A place of the changed text where something begins, in the text as it was.
    fn start_before(&self, at: u32) -> u32 {
        match at as usize {
            place if place < self.at => at,
            place if place < self.end() => narrow(self.at),
            place => narrow(place - self.insert.len() + self.drop),
        }
    }

    fn end_before(&self, at: u32) -> u32 {
        if at as usize <= self.at { at } else { self.start_before(at) }
    }

    fn span_before(&self, start: u32, end: u32) -> (u32, u32) {
        let to = self.end_before(end);
        (if start == end { to } else { self.start_before(start) }, to)
    }
}

/// Makes a reading of the changed text one of `text`, with the change among its repairs.
pub(super) fn lift(read: &mut Parsed, text: String, patch: &Patch) {
    doubt_around(read, narrow(patch.at), narrow(patch.end()));
    let tree = &mut read.tree;
    let place = tree.edits.partition_point(|edit| {
        edit.start < narrow(patch.at) || edit.start == edit.end && edit.start == narrow(patch.at)
    });
    let behind = |index: u32| index + u32::from(index as usize >= place);
    let mut ends_token = false;
    for node in &mut tree.nodes {
        if patch.closes(node) {
            // The quote is an edit of the string, the last one.
            ends_token = true;
            node.state = node.state.max(NodeState::Inferred);
            match (node.shape, place.checked_sub(1).and_then(|last| tree.edits.get_mut(last))) {
                (Shape::Edited, Some(last)) => last.ends_token = false,
                _ => (node.shape, node.link) = (Shape::Edited, narrow(place)),
            }
            (node.start, node.end) = patch.span_before(node.start, node.end);
            continue;
        }
        (node.start, node.end) = patch.span_before(node.start, node.end);
        if node.shape == Shape::Edited && !node.is_container() {
            node.link = behind(node.link);
        }
    }
    for edit in &mut tree.edits {
        (edit.start, edit.end) = patch.span_before(edit.start, edit.end);
    }
    let (start, end) = (narrow(patch.at), narrow(patch.at + patch.drop));
    let edit = Edit { start, end, after: patch.insert, code: patch.code, ends_token };
    tree.edits.insert(place, edit);
    tree.source = text;
    for found in &mut read.found {
        let around = found.start as usize <= patch.at && patch.end() <= found.end as usize;
        let after = found.start as usize > patch.at;
        found.edits.0 += u32::from(after);
        found.edits.1 += u32::from(after || around);
        (found.start, found.end) = patch.span_before(found.start, found.end);
    }
    read.complete = false;
}
