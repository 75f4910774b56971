//! One change in JSON: an object that says what happens to one file.
//!
//! In: an object, the path and the tool that are around it. Out: an edit for each of its carriers
//! (old and new text, lines, a diff, the whole content). Never guesses at a missing part: an object
//! that begins an edit and lacks something is a fault.

use super::Reading;
use super::envelope::Inherited;
use super::line_operation::{self, insert, line_number, read_operation, read_range};
use super::names;
use super::object::{Node, Number};
use crate::edits::whole;
use crate::parse::Kind;
use salve_types::{
    EditFormat, EditNoteCode, FileChange, Hunk, HunkBody, Language, LineOperation, Occurrence, Span,
};

// What is said of a file apart from its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileOperation {
    Create,
    Update,
    Delete,
    Rename,
}

// The object that is read, and what is known about it.
struct Change<'t> {
    node: Node<'t>,
    path: Option<String>,
    operation: Option<FileOperation>,
    span: Span,
    // The number of edits that were there before it.
    own: usize,
}

impl Reading<'_> {
    /// Reads a change; answers whether the object is one.
    pub(super) fn read_change(&mut self, node: Node<'_>, inherited: &Inherited) -> bool {
        let path = node.text(names::PATH).or_else(|| inherited.path.clone());
        let labelled_whole =
            matches!(self.options.format, Some(EditFormat::WholeFile | EditFormat::LazyFile));
        // A file of translations has keys like `search` and `replace` too.
        if path.is_none() && labelled_whole {
            return false;
        }
        let change = Change {
            node,
            operation: path.as_ref().and_then(|_| file_operation(node)),
            path,
            span: self.place.of(node.span()),
            own: self.files.len(),
        };
        if let Some(command) = node.text(&["command"])
            && let Some(found) = self.text_editor(&change, &command)
        {
            return found;
        }
        let mut found = self.line_operations(&change);
        found |= self.old_and_new(&change, inherited);
        found |= self.inserted_line(&change);
        found |= self.diff(&change);
        found |= self.content(&change);
        found | self.operation(&change, found, inherited)
    }

    // The text editor tool says what it does in `command`, and inserts after a line.
    fn text_editor(&mut self, change: &Change<'_>, command: &str) -> Option<bool> {
        let node = change.node;
        match command {
            "create" => {
                let Some(text) = node.text(names::CONTENT) else {
                    self.change_fault(change, "`create` needs the text of the file");
                    return Some(true);
                };
                self.whole(change, text, true);
            }
            "str_replace" => {
                let Some(old) = node.text(names::OLD) else {
                    self.change_fault(change, "`str_replace` needs `old_str`");
                    return Some(true);
                };
                // Without a new text this tool deletes the old one.
                let new = node.text(names::NEW).unwrap_or_default();
                self.replace_text(change, old, new);
            }
            "insert" => {
                let text = node.text(names::NEW).or_else(|| node.text(names::CONTENT));
                let operation = match node.number(names::INSERT_LINE) {
                    Some(Number::Whole(line)) => line
                        .checked_add(1)
                        .ok_or_else(|| line_operation::too_large(line))
                        .and_then(|start| insert(start, text, None)),
                    _ => Err("`insert` needs `insert_line`".to_owned()),
                };
                self.at_lines(change, vec![operation]);
            }
            "undo_edit" => self.change_fault(change, "`undo_edit` is no edit; use `salve undo`"),
            _ => return None,
        }
        Some(true)
    }

    fn line_operations(&mut self, change: &Change<'_>) -> bool {
        let Some(list) = change.node.get(names::LINE_OPERATIONS) else { return false };
        let operations: Vec<_> = list.items().map(read_operation).collect();
        if operations.is_empty() {
            return false;
        }
        self.at_lines(change, operations);
        true
    }

    fn old_and_new(&mut self, change: &Change<'_>, inherited: &Inherited) -> bool {
        let node = change.node;
        let named = |names: &[&str]| node.text(names);
        match (named(names::OLD), named(names::NEW)) {
            (Some(old), Some(new)) => self.replace_text(change, old, new),
            (Some(_), None) => {
                // `find` and `search` alone belong to tools that look for something.
                let plain = ["old_string", "oldString", "old_str", "old_text", "oldText"];
                let edits = inherited.tool.as_deref().is_some_and(|tool| tool.contains("edit"));
                if change.path.is_none() || !(edits || node.get(&plain).is_some()) {
                    return false;
                }
                self.change_fault(change, "the old text has no new text beside it");
            }
            (None, Some(new)) => {
                let alone = node.get(&["new_text", "newText"]).is_some()
                    && node.get(names::INSERT_LINE).is_none()
                    && node.get(names::RANGE).is_none()
                    && node.get(names::START).is_none();
                if change.path.is_none() || !alone {
                    return false;
                }
                self.whole(change, new, true);
            }
            (None, None) => return false,
        }
        true
    }

    // Without a `command`, text is put in before the line.
    fn inserted_line(&mut self, change: &Change<'_>) -> bool {
        let node = change.node;
        if node.get(names::INSERT_LINE).is_none() || node.text(names::OLD).is_some() {
            return false;
        }
        let text = node.text(names::NEW).or_else(|| node.text(names::OPERATION_TEXT));
        let operation = match line_number(node, names::INSERT_LINE) {
            Ok(Some(line)) => insert(line, text, None),
            Ok(None) => Err("an insertion needs `insert_line`".to_owned()),
            Err(why) => Err(why),
        };
        self.at_lines(change, vec![operation]);
        true
    }

    fn diff(&mut self, change: &Change<'_>) -> bool {
        let node = change.node;
        let diff = node.get(names::DIFF).and_then(Node::as_text).or_else(|| {
            let is_diff = node.is_true(&["isDiff", "is_diff"]);
            is_diff.then(|| node.text(names::CONTENT)).flatten()
        });
        let Some(diff) = diff.filter(|diff| !diff.trim().is_empty()) else { return false };
        if change.operation == Some(FileOperation::Create)
            && let Some(content) = added_lines(&diff)
        {
            self.whole(change, content, true);
            return true;
        }
        let outer = self.place;
        self.place = super::Place::Inside(change.span);
        let found = self.read_diff(&diff, change.path.as_deref());
        self.place = outer;
        if !found && change.path.is_some() {
            self.change_fault(change, "the text that should be a diff is none");
            return true;
        }
        found
    }

    fn content(&mut self, change: &Change<'_>) -> bool {
        let node = change.node;
        if let Some(sketch) = node.text(names::SKETCH).filter(|_| change.path.is_some()) {
            self.add_file(change.path.clone(), FileChange::Lazy(sketch), change.span);
            return true;
        }
        if node.is_true(&["isDiff", "is_diff"]) || node.get(names::INSERT_LINE).is_some() {
            return false;
        }
        let has_old = node.text(names::OLD).is_some();
        let range = node.get(names::RANGE).or_else(|| {
            let flat = ["start_line", "startLine"];
            node.get(&flat).filter(|_| !has_old).map(|_| node)
        });
        let text = node
            .text(names::CONTENT)
            .or_else(|| range.filter(|_| !has_old).and_then(|_| node.text(names::NEW)));
        let Some(text) = text else { return false };
        if let Some(range) = range {
            let operation = read_range(range)
                .map(|(start, end)| line_operation::replace(start, end, None, text));
            self.at_lines(change, vec![operation]);
            return true;
        }
        // The schema asks for `content`, so it is filled with nothing where another carrier is.
        let others = self.files.len() > change.own || has_old;
        let going = matches!(change.operation, Some(FileOperation::Delete | FileOperation::Rename));
        if text.is_empty() && (others || going) {
            return false;
        }
        let may_be_bare = self.options.format == Some(EditFormat::JsonTool);
        if change.path.is_none() && !may_be_bare {
            return false;
        }
        self.whole(change, text, change.operation == Some(FileOperation::Create));
        true
    }

    // `operation`, and what it says about a change that may have no content.
    fn operation(&mut self, change: &Change<'_>, found: bool, inherited: &Inherited) -> bool {
        let deletes = |tool: &str| tool.contains("delete") || tool.contains("remove");
        let called = !found && inherited.tool.as_deref().is_some_and(deletes);
        let called = called.then_some(FileOperation::Delete);
        let own_path = change.node.get(names::PATH).is_some();
        match change.operation.or(called).filter(|_| own_path) {
            Some(FileOperation::Delete) => {
                self.add_file(change.path.clone(), FileChange::Delete, change.span);
            }
            Some(FileOperation::Rename) => {
                let Some(to) = change.node.text(names::NEW_PATH) else {
                    self.change_fault(change, "a rename needs `newPath`");
                    return true;
                };
                if self.files.len() == change.own {
                    self.add_file(change.path.clone(), FileChange::Keep, change.span);
                }
                for file in self.files.iter_mut().skip(change.own) {
                    file.rename_to = Some(to.clone());
                }
            }
            Some(FileOperation::Create) if !found => {
                self.change_fault(change, "a new file needs `content`");
            }
            Some(FileOperation::Update) if !found && self.is_change_of_ours(change) => {
                self.change_fault(change, "an update needs `content` or `lineOperations`");
            }
            _ => return false,
        }
        true
    }

    fn is_change_of_ours(&self, change: &Change<'_>) -> bool {
        change.node.get(names::CONTENT).is_some() || change.node.get(&["language"]).is_some()
    }

    fn replace_text(&mut self, change: &Change<'_>, old: String, new: String) {
        let node = change.node;
        if old == new {
            let message = "the old and the new text are the same";
            self.note(EditNoteCode::NoEffect, message, change.span);
        }
        let count = node.number(names::COUNT);
        if matches!(count, Some(Number::Whole(0) | Number::Wrong)) {
            self.change_fault(change, "the number of replacements must be a whole number from 1");
        }
        let several = matches!(count, Some(Number::Whole(2..)));
        let occurrence =
            if node.is_true(names::ALL) || several { Occurrence::All } else { Occurrence::One };
        // Beside the old text, a line is no more than a hint; a wrong one is none.
        let hint = line_number(node, &["start_line", "startLine"]).unwrap_or_default();
        let body = HunkBody::Text { old, new };
        let hunk = Hunk { hint, occurrence, ..plain_hunk(body, change.span) };
        self.add_hunks(change.path.clone(), vec![hunk], change.span, change.own);
    }

    fn at_lines(&mut self, change: &Change<'_>, operations: Vec<Result<LineOperation, String>>) {
        let mut hunks = Vec::with_capacity(operations.len());
        for operation in operations {
            match operation {
                Ok(operation) => {
                    if operation.expected.as_ref() == Some(&operation.text) {
                        let message = "the line operation puts in what it expects to find";
                        self.note(EditNoteCode::NoEffect, message, change.span);
                    }
                    let hint = Some(operation.start);
                    let body = HunkBody::At(operation);
                    hunks.push(Hunk { hint, ..plain_hunk(body, change.span) });
                }
                Err(why) => self.change_fault(change, &why),
            }
        }
        self.add_hunks(change.path.clone(), hunks, change.span, change.own);
    }

    fn whole(&mut self, change: &Change<'_>, text: String, is_new: bool) {
        let language = change.path.as_deref().and_then(Language::from_path);
        let content = whole::content_change(text, language, is_new);
        self.add_file(change.path.clone(), content, change.span);
    }

    fn change_fault(&mut self, change: &Change<'_>, why: &str) {
        self.fault(change.span.start, why);
    }
}

// The diff of a new file that has nothing but added lines.
fn added_lines(diff: &str) -> Option<String> {
    let lines: Option<Vec<&str>> = diff.lines().map(|line| line.strip_prefix('+')).collect();
    lines.map(|lines| lines.iter().map(|line| format!("{line}\n")).collect())
}

fn plain_hunk(body: HunkBody, span: Span) -> Hunk {
    Hunk { body, hint: None, anchors: Vec::new(), occurrence: Occurrence::One, at_end: false, span }
}

fn file_operation(node: Node<'_>) -> Option<FileOperation> {
    let named = names::FILE_OPERATION.iter().find_map(|name| {
        let said = node.get(&[name]).filter(|said| said.kind() == Kind::String)?.as_text()?;
        match said.to_ascii_lowercase().as_str() {
            "create" | "add" | "new" | "create_file" => Some(FileOperation::Create),
            "update" | "modify" | "edit" | "change" | "update_file" => Some(FileOperation::Update),
            "delete" | "remove" | "delete_file" => Some(FileOperation::Delete),
            "rename" | "move" => Some(FileOperation::Rename),
            _ => None,
        }
    });
    let deleted = node.is_true(&["deleted", "delete"]).then_some(FileOperation::Delete);
    named.or(deleted)
}
