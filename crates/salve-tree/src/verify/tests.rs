//! What verification decides, row by row of the ledger.

use super::*;
use crate::{
    AdmitOptions, ContentHash, FileState, MemoryView, OmissionLine, PlannedFile, ProbeNode,
    StandsFor,
};
use salve_types::{
    EditFormat, FileChange, FileEdit, Hunk, HunkBody, LineOperation, LineOperationKind, Occurrence,
    Span,
};

mod messages;
mod plans;
mod preconditions;

const NOWHERE: Span = Span { start: 0, end: 0 };

fn set(files: Vec<FileEdit>) -> EditSet {
    EditSet {
        format: EditFormat::JsonTool,
        files,
        end: EditEnd::Complete,
        notes: Vec::new(),
        hashes: None,
    }
}

fn with_hashes(files: Vec<FileEdit>, hashes: &[(&str, String)]) -> EditSet {
    let hashes = hashes.iter().map(|(path, hash)| ((*path).to_owned(), hash.clone())).collect();
    EditSet { hashes: Some(hashes), ..set(files) }
}

fn edit(path: &str, change: FileChange) -> FileEdit {
    let path = Some(path.to_owned());
    FileEdit { path, change, rename_to: None, mode: None, span: NOWHERE }
}

fn hunk(body: HunkBody) -> Hunk {
    let anchors = Vec::new();
    let occurrence = Occurrence::One;
    Hunk { body, hint: None, anchors, occurrence, at_end: false, span: NOWHERE }
}

fn replace(path: &str, old: &str, new: &str) -> FileEdit {
    let body = HunkBody::Text { old: old.to_owned(), new: new.to_owned() };
    edit(path, FileChange::Patch(vec![hunk(body)]))
}

fn write(path: &str, text: &str) -> FileEdit {
    edit(path, FileChange::Write(text.to_owned()))
}

fn line_operation(path: &str, line: u32, expected: &str, text: &str) -> FileEdit {
    let operation = LineOperation {
        kind: LineOperationKind::Replace,
        start: line,
        end: line,
        expected: Some(expected.to_owned()),
        text: text.to_owned(),
    };
    edit(path, FileChange::Patch(vec![hunk(HunkBody::At(operation))]))
}

fn tree(files: &[(&str, &str)]) -> MemoryView {
    MemoryView::new(files.iter().copied(), AdmitOptions::default())
}

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).hex()
}

fn check(edits: &EditSet, files: &[(&str, &str)]) -> Verification {
    verify(edits, &tree(files), &VerifyOptions::default())
}

/// Returns the plan as path and new text, or the kind of refusal.
fn outcome(verification: Verification) -> Result<Vec<(String, Option<String>)>, RefusalCode> {
    match verification {
        Verification::Verified { edits, .. } => Ok(edits.files().iter().map(shown).collect()),
        Verification::Refused(refusal) => Err(refusal.code),
    }
}

fn shown(file: &PlannedFile) -> (String, Option<String>) {
    let text = |after: &crate::FileContent| String::from_utf8(after.bytes.clone()).unwrap();
    (file.path.to_string(), file.after.as_ref().map(text))
}

fn changed(path: &str, text: &str) -> Vec<(String, Option<String>)> {
    vec![(path.to_owned(), Some(text.to_owned()))]
}

fn refusal(verification: Verification) -> Refusal {
    match verification {
        Verification::Refused(refusal) => refusal,
        Verification::Verified { edits, .. } => panic!("verified: {edits:?}"),
    }
}

/// A probe that takes `<error>` for a syntax error and knows one omission marker.
struct Marks;

impl SyntaxProbe for Marks {
    fn errors(&self, _path: &str, text: &str) -> Option<usize> {
        Some(text.matches("<error>").count())
    }

    fn nodes(&self, _path: &str, _text: &str) -> Option<Vec<ProbeNode>> {
        None
    }

    fn omissions(&self, _path: &str, text: &str) -> Vec<OmissionLine> {
        (1..)
            .zip(text.lines())
            .filter(|(_, line)| line.contains("// rest"))
            .map(|(line, _)| OmissionLine { line, stands_for: StandsFor::KeptCode })
            .collect()
    }
}
