//! What is around an edit in JSON: lists of edits, tool calls, whole messages.
//!
//! In: a JSON value. Out: the edits in it, found by going inwards. Never goes deeper than a message
//! of a provider nests, and never takes an object for an edit that names no part of one.

use super::names;
use super::object::Node;
use super::{Place, Reading};
use crate::edits::{EditOptions, parse_edits};
use crate::parse::Kind;
use salve_types::{EditEnd, EditFormat, EditSet, Span};
use std::collections::BTreeMap;

/// What an inner edit takes over from what is around it.
#[derive(Debug, Clone, Default)]
pub(super) struct Inherited {
    /// The file the outer object names.
    pub(super) path: Option<String>,
    /// The tool that is called.
    pub(super) tool: Option<String>,
}

// A message holds choices, a message, calls, a function and its arguments.
const DEEPEST: usize = 8;

impl Reading<'_> {
    /// Reads the edits in a value; answers whether there are any.
    pub(super) fn read_value(
        &mut self,
        node: Node<'_>,
        inherited: &Inherited,
        depth: usize,
    ) -> bool {
        if depth > DEEPEST {
            return false;
        }
        match node.kind() {
            Kind::Array => {
                let mut found = false;
                for item in node.items() {
                    found |= self.read_value(item, inherited, depth + 1);
                }
                found
            }
            Kind::Object => self.read_object(node, inherited, depth),
            _ => false,
        }
    }

    fn read_object(&mut self, node: Node<'_>, inherited: &Inherited, depth: usize) -> bool {
        self.read_hashes(node);
        let path = node.text(names::PATH).or_else(|| inherited.path.clone());
        let tool = node.text(&["name", "tool", "toolName", "tool_name"]);
        let inner = Inherited { path, tool: tool.or_else(|| inherited.tool.clone()) };
        let mut found = false;
        if let Some(list) = node.get(names::LISTS)
            && matches!(list.kind(), Kind::Array | Kind::Object)
        {
            found |= self.read_value(list, &inner, depth + 1);
        }
        found |= self.read_change(node, inherited);
        if !found && let Some(arguments) = node.get(names::ARGUMENTS) {
            found |= self.read_arguments(arguments, &inner, depth);
        }
        if !found && let Some(command) = node.get(&["command", "cmd"]) {
            found |= self.read_command(command);
        }
        if !found {
            let tool = Inherited { path: None, tool: inner.tool };
            for name in names::ENVELOPES {
                if let Some(part) = node.get(&[name]) {
                    found |= self.read_value(part, &tool, depth + 1);
                }
            }
        }
        found
    }

    // Arguments are an object, or a string that holds one, or a patch as it is.
    fn read_arguments(&mut self, node: Node<'_>, inherited: &Inherited, depth: usize) -> bool {
        let Some(text) = node.as_text() else {
            return self.read_value(node, inherited, depth + 1);
        };
        let outer = self.place;
        self.place = Place::Inside(outer.of(node.span()));
        let found = if text.trim_start().starts_with(['{', '[']) {
            self.read_source(&text, depth + 1)
        } else {
            self.read_diff(&text, None)
        };
        self.place = outer;
        found
    }

    // `["apply_patch", "*** Begin Patch…"]`: a patch as an argument of a command.
    fn read_command(&mut self, command: Node<'_>) -> bool {
        let mut found = false;
        for word in command.items() {
            let text = word.as_text().filter(|text| text.contains("*** Begin Patch"));
            let Some(text) = text else { continue };
            let outer = self.place;
            self.place = Place::Inside(outer.of(word.span()));
            found |= self.read_diff(&text, None);
            self.place = outer;
        }
        found
    }

    fn read_hashes(&mut self, node: Node<'_>) {
        let Some(hashes) = node.get(names::HASHES).filter(|hashes| hashes.kind() == Kind::Object)
        else {
            return;
        };
        let known = self.hashes.get_or_insert_with(BTreeMap::new);
        for (path, hash) in hashes.entries() {
            if let Some(hash) = hash.as_text() {
                known.insert(path, hash);
            }
        }
    }

    /// Reads a diff of any kind that is in a string; answers whether it is one.
    pub(super) fn read_diff(&mut self, text: &str, path: Option<&str>) -> bool {
        let set = parse_edits(text, &EditOptions::default());
        let is_diff = matches!(
            set.format,
            EditFormat::UnifiedDiff | EditFormat::ApplyPatch | EditFormat::SearchReplace
        );
        if is_diff {
            self.take_set(set, path);
        }
        is_diff
    }

    // The path of the call goes before the one in the diff, if the diff is about one file.
    fn take_set(&mut self, set: EditSet, path: Option<&str>) {
        let place = self.place;
        let alone = set.files.len() == 1;
        for mut file in set.files {
            file.span = place.of(file.span);
            if let Some(path) = path.filter(|_| alone || file.path.is_none()) {
                file.path = Some(path.to_owned());
            }
            self.files.push(file);
        }
        for mut note in set.notes {
            note.span = place.of(note.span);
            self.notes.push(note);
        }
        if self.end == EditEnd::Complete {
            let inside = |at: usize| place.of(Span::new(at, at)).start;
            self.end = match set.end {
                EditEnd::Complete => EditEnd::Complete,
                EditEnd::Truncated { at, why } => EditEnd::Truncated { at: inside(at), why },
                EditEnd::Malformed { at, why } => EditEnd::Malformed { at: inside(at), why },
            };
        }
    }
}
