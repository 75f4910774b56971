//! One file before and after a candidate.
//!
//! In: two texts. Out: which lines go and come, and both texts as code without comments and strings.
//! Never: a judgement.

use super::items::{Item, items_of};
use salve_syntax::{NodeTree, parse_nodes};
use salve_tree::{ShownAs, change_hunks};
use salve_types::Language;

/// A file that differs.
pub(super) struct ChangedFile {
    pub(super) path: String,
    pub(super) language: Language,
    /// Nothing when the file is new.
    pub(super) before: Option<Text>,
    /// Nothing when the file is deleted.
    pub(super) after: Option<Text>,
    pub(super) changes: Vec<Change>,
    /// The lines that come.
    pub(super) added: String,
}

/// Lines next to each other that change, counted from 1. Where nothing goes, `at` is the line before
/// which something comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) at: u32,
    pub(super) removed: u32,
    pub(super) new_at: u32,
    pub(super) added: u32,
}

/// A text with what the grammar makes of it.
pub(super) struct Text {
    pub(super) text: String,
    /// The same, with blanks for comments and strings.
    pub(super) code: String,
    pub(super) tree: Option<NodeTree>,
    pub(super) items: Vec<Item>,
}

impl ChangedFile {
    /// Returns nothing when both are the same but for the ends of lines.
    pub(super) fn new(path: &str, before: Option<String>, after: Option<&str>) -> Option<Self> {
        if before.as_deref() == after {
            return None;
        }
        let language = Language::from_path(path).unwrap_or_default();
        let old = before.as_deref().unwrap_or_default().as_bytes();
        let changes = changes(old, after.unwrap_or_default().as_bytes());
        let added = added(after.unwrap_or_default(), &changes);
        Some(Self {
            added,
            path: path.to_owned(),
            language,
            before: before.map(|text| Text::new(text, language)),
            after: after.map(|text| Text::new(text.to_owned(), language)),
            changes,
        })
    }

    /// Returns the texts of a file that is there before and after.
    pub(super) fn both(&self) -> Option<(&Text, &Text)> {
        self.before.as_ref().zip(self.after.as_ref())
    }
}

impl Text {
    fn new(text: String, language: Language) -> Self {
        let tree = parse_nodes(&text, language);
        let code = tree.as_ref().map_or_else(|| text.clone(), |tree| code_only(&text, tree));
        let items = tree.as_ref().map(|tree| items_of(&text, tree)).unwrap_or_default();
        Self { text, code, tree, items }
    }

    /// Returns a line, counted from 1, without its end.
    pub(super) fn line(&self, line: u32) -> &str {
        let index = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
        self.text.lines().nth(index).unwrap_or_default()
    }
}

// Every byte of a comment or a string becomes a blank, so that places stay what they are.
fn code_only(text: &str, tree: &NodeTree) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for node in tree.nodes() {
        let kind = tree.kind(node);
        let is_text = kind.contains("comment") || kind.contains("string");
        // What is written inside a string as code is code.
        let holds_code = kind.contains("template") || kind == "string" && holds_code(tree, node);
        if !node.is_named || !is_text || holds_code {
            continue;
        }
        for byte in &mut bytes[node.span.range()] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn holds_code(tree: &NodeTree, string: &salve_syntax::SyntaxNode) -> bool {
    let at = tree.nodes().partition_point(|node| node.span.start < string.span.start);
    tree.nodes()[at..]
        .iter()
        .take_while(|node| node.span.start < string.span.end)
        .any(|node| tree.kind(node) == "interpolation")
}

fn added(after: &str, changes: &[Change]) -> String {
    let lines: Vec<&str> = after.lines().collect();
    let index = |line: u32| usize::try_from(line).unwrap_or(usize::MAX).min(lines.len() + 1) - 1;
    let added = changes.iter().flat_map(|change| {
        &lines[index(change.new_at)..index(change.new_at.saturating_add(change.added))]
    });
    added.flat_map(|line| [line, "\n"]).collect()
}

fn changes(old: &[u8], new: &[u8]) -> Vec<Change> {
    let mut found: Vec<Change> = Vec::new();
    for hunk in change_hunks(old, new) {
        let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        let (mut at, mut new_at) = (number(hunk.old_first_line), number(hunk.new_first_line));
        // An empty side counts from 0.
        (at, new_at) = (at.max(1), new_at.max(1));
        let mut open = false;
        for (shown, _) in &hunk.lines {
            if *shown == ShownAs::Context {
                open = false;
                at += 1;
                new_at += 1;
                continue;
            }
            if !open {
                found.push(Change { at, removed: 0, new_at, added: 0 });
                open = true;
            }
            let Some(change) = found.last_mut() else { continue };
            if *shown == ShownAs::Removed {
                change.removed += 1;
                at += 1;
            } else {
                change.added += 1;
                new_at += 1;
            }
        }
    }
    found
}
