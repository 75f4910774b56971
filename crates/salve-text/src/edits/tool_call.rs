//! JSON tool calls: old and new text, whole files, line operations, and our own `fileChanges`.
//!
//! In: a reply that is JSON, or has it in a fence, in a tag or after some talk. Out: what the calls
//! want changed, under whatever names their tool uses. Never takes a value that the tolerant reader
//! closed or filled in: repaired is not complete. Quotes of another kind, commas and comments are
//! repaired with a note; anything that touches a value makes the whole set unusable.
//!
//! A change that carries several descriptions of the new file (content, diff, line operations)
//! gives one edit for each, so that verifying can see whether they agree.

mod change;
mod envelope;
mod line_operation;
mod names;
mod object;
#[cfg(test)]
mod tests;

use super::EditOptions;
use crate::clean::{find_blocks, read_info};
use crate::parse::{Kind, NodeId, NodeState, ParseOptions, Parsed, RepairCode, parse_json};
use object::Node;
use salve_types::{
    EditEnd, EditFormat, EditNote, EditNoteCode, EditSet, FileChange, FileEdit, Hunk, HunkBody,
    Language, Span,
};
use std::collections::{BTreeMap, HashMap};

/// Reads the format; `None` when the text is not in it.
pub(super) fn read(text: &str, options: &EditOptions) -> Option<EditSet> {
    let mut reading = Reading::new(options, Place::Shifted(0));
    let mut found = false;
    for region in regions(text) {
        let source = text.get(region.range())?;
        reading.place = Place::Shifted(region.start);
        found |= reading.read_source(source, 0);
    }
    found.then(|| reading.into_set())
}

// The parts of a reply in which JSON may stand. Braces inside a program are none of them.
fn regions(text: &str) -> Vec<Span> {
    let begins = |part: &str| part.trim_start().starts_with(['{', '[']);
    if begins(text.trim_start_matches('\u{feff}')) {
        return vec![Span::new(0, text.len())];
    }
    let fenced: Vec<Span> = find_blocks(text)
        .into_iter()
        .filter(|block| {
            let info = text.get(block.info.range()).unwrap_or_default();
            let content = text.get(block.content.range()).unwrap_or_default();
            matches!(read_info(info).language, None | Some(Language::Json)) && begins(content)
        })
        .map(|block| block.content)
        .collect();
    if !fenced.is_empty() {
        return fenced;
    }
    bare_start(text).map(|start| Span::new(start, text.len())).into_iter().collect()
}

// The first place after talk or a tag where an object with quoted keys begins.
fn bare_start(text: &str) -> Option<usize> {
    let mut start = 0;
    let mut brace = None;
    for line in text.split_inclusive('\n') {
        let body = line.trim();
        let inner = line.len() - line.trim_start().len();
        if let Some(brace) = brace.take()
            && (body.starts_with(['"', '\'']) || body == "{")
        {
            return Some(brace);
        }
        if body == "{" || body == "[" {
            brace = Some(start + inner);
        } else if body.starts_with("{\"") || body.starts_with("[{") || body.starts_with("{ \"") {
            return Some(start + inner);
        } else if let Some(at) = line.find(">{").or_else(|| line.find("]{")) {
            return Some(start + at + 1);
        }
        start += line.len();
    }
    None
}

/// Where the text that is read is in the reply.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// It is a part of the reply that begins at this byte.
    Shifted(usize),
    /// It is the decoded value of a string, which is here.
    Inside(Span),
}

impl Place {
    const fn of(self, span: Span) -> Span {
        match self {
            Self::Shifted(by) => Span::new(span.start + by, span.end + by),
            Self::Inside(whole) => whole,
        }
    }
}

/// What was read so far.
struct Reading<'o> {
    options: &'o EditOptions,
    place: Place,
    files: Vec<FileEdit>,
    // Which of the files takes further hunks of this path.
    patches: HashMap<Option<String>, usize>,
    notes: Vec<EditNote>,
    hashes: Option<BTreeMap<String, String>>,
    end: EditEnd,
}

impl<'o> Reading<'o> {
    fn new(options: &'o EditOptions, place: Place) -> Self {
        Self {
            options,
            place,
            files: Vec::new(),
            patches: HashMap::new(),
            notes: Vec::new(),
            hashes: None,
            end: EditEnd::Complete,
        }
    }

    fn into_set(self) -> EditSet {
        let by_line = |file: &FileEdit| match &file.change {
            FileChange::Patch(hunks) => {
                hunks.iter().all(|hunk| matches!(hunk.body, HunkBody::At(_)))
            }
            _ => false,
        };
        let all_by_line = !self.files.is_empty() && self.files.iter().all(by_line);
        let format = if all_by_line { EditFormat::LineOperations } else { EditFormat::JsonTool };
        let Self { files, end, notes, hashes, .. } = self;
        EditSet { format, files, end, notes, hashes }
    }

    // Reads every value of a source; answers whether one of them is an edit.
    fn read_source(&mut self, source: &str, depth: usize) -> bool {
        // Calls nest a few deep; what is deeper is content of another kind.
        const DEEPEST: usize = 64;
        let options = ParseOptions { max_depth: DEEPEST, ..ParseOptions::default() };
        let parsed = parse_json(source, &options);
        let mut found = Vec::new();
        let mut others = Vec::new();
        for candidate in parsed.candidates() {
            let node = Node::new(&parsed.tree, candidate.node);
            if !matches!(node.kind(), Kind::Object | Kind::Array) {
                continue;
            }
            if self.read_value(node, &envelope::Inherited::default(), depth) {
                found.push(candidate.node);
            } else {
                others.push(candidate.node);
            }
        }
        if found.is_empty() {
            // Nothing but the path was reached before the cut.
            let cut = others.iter().find(|&&id| {
                let node = Node::new(&parsed.tree, id);
                node.get(names::PATH).or_else(|| node.get(names::LISTS)).is_some()
                    && self.is_cut(&parsed, id)
            });
            cut.into_iter().for_each(|&id| self.distrust(&parsed, id));
            return cut.is_some();
        }
        for id in found.into_iter().chain(others) {
            self.distrust(&parsed, id);
        }
        self.judge_repairs(&parsed);
        true
    }

    fn is_cut(&self, parsed: &Parsed, id: NodeId) -> bool {
        let worst = parsed.tree.least_sure(id);
        worst.is_some_and(|worst| parsed.tree.state(worst) == NodeState::Truncated)
    }

    // A value whose end is not in the text makes the set unusable.
    fn distrust(&mut self, parsed: &Parsed, id: NodeId) {
        let Some(worst) = parsed.tree.least_sure(id) else { return };
        let at = self.place.of(parsed.tree.span(worst)).start;
        if parsed.tree.state(worst) == NodeState::Truncated {
            let why = "the JSON ends inside this value; send the whole call again".to_owned();
            if !matches!(self.end, EditEnd::Truncated { .. }) {
                self.end = EditEnd::Truncated { at, why };
            }
        } else {
            self.fault(at, "the JSON does not say where this value ends; send it as strict JSON");
        }
    }

    fn judge_repairs(&mut self, parsed: &Parsed) {
        for repair in parsed.repairs() {
            let within = parsed
                .candidate_before(repair.span.start)
                .is_some_and(|found| repair.span.end <= found.span.end);
            if !within || matches!(repair.code, RepairCode::TalkDropped | RepairCode::FenceDropped)
            {
                continue;
            }
            let span = self.place.of(repair.span);
            if keeps_values(repair.code) {
                let message = format!("the JSON was repaired ({})", repair.code.name());
                self.notes.push(EditNote { code: EditNoteCode::JsonRepaired, message, span });
            } else {
                let name = repair.code.name();
                let why = format!(
                    "the JSON could only be read by guessing at a value ({name}); send it as \
                     strict JSON"
                );
                self.fault(span.start, &why);
            }
        }
    }

    fn fault(&mut self, at: usize, why: &str) {
        if self.end == EditEnd::Complete {
            self.end = EditEnd::Malformed { at, why: why.to_owned() };
        }
    }

    fn note(&mut self, code: EditNoteCode, message: &str, span: Span) {
        self.notes.push(EditNote { code, message: message.to_owned(), span });
    }

    fn add_file(&mut self, path: Option<String>, change: FileChange, span: Span) -> usize {
        self.files.push(FileEdit { path, change, rename_to: None, mode: None, span });
        self.files.len() - 1
    }

    // The hunks of one file are one edit, unless they describe the same change in another way:
    // edits from `own` on belong to the change that is being read.
    fn add_hunks(&mut self, path: Option<String>, hunks: Vec<Hunk>, span: Span, own: usize) {
        if let Some(&at) = self.patches.get(&path)
            && at < own
            && let Some(file) = self.files.get_mut(at)
            && let FileChange::Patch(known) = &mut file.change
        {
            known.extend(hunks);
            file.span.end = file.span.end.max(span.end);
            return;
        }
        let at = self.add_file(path.clone(), FileChange::Patch(hunks), span);
        self.patches.entry(path).or_insert(at);
    }
}

// Repairs after which every value is, letter for letter, what was written.
const fn keeps_values(code: RepairCode) -> bool {
    matches!(
        code,
        RepairCode::MissingComma
            | RepairCode::TrailingComma
            | RepairCode::ExtraComma
            | RepairCode::MissingColon
            | RepairCode::WrongColon
            | RepairCode::ExtraColon
            | RepairCode::SingleQuotes
            | RepairCode::SpecialQuotes
            | RepairCode::EscapedQuotes
            | RepairCode::UnquotedKey
            | RepairCode::Comment
            | RepairCode::PythonLiteral
            | RepairCode::UnescapedControl
            | RepairCode::SpecialWhitespace
            | RepairCode::CallWrapper
            | RepairCode::Parentheses
            | RepairCode::NewlineDelimited
    )
}
