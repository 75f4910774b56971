//! What the tests of the fixers share: files in a map, and a fix carried out.

use super::propose;
use crate::heal::{Fix, Patch, Sources};
use salve_types::{Diagnostic, ErrorClass, Position, Severity, SourceSpan};
use std::collections::BTreeMap;

pub(super) struct Files(pub(super) BTreeMap<String, String>);

impl Files {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let own = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        Self(files.iter().map(own).collect())
    }
}

impl Sources for Files {
    fn read(&self, path: &str) -> Option<String> {
        self.0.get(path).cloned()
    }

    fn list(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

/// Returns what a fix makes of one file.
pub(super) fn fixed(fix: &Fix, files: &Files, path: &str) -> String {
    let patch = Patch::default().with(&fix.changes, files).expect("a fix fits its files");
    match patch.files.get(path) {
        Some(Some(text)) => text.clone(),
        _ => files.read(path).unwrap_or_default(),
    }
}

/// Returns what each proposal makes of one file, in order, those that leave it alone left out.
pub(super) fn proposals(diagnostics: &[Diagnostic], files: &Files, path: &str) -> Vec<String> {
    let before = files.read(path).unwrap_or_default();
    let after = propose(diagnostics, files).iter().map(|fix| fixed(fix, files, path)).collect();
    let after: Vec<String> = after;
    after.into_iter().filter(|text| *text != before).collect()
}

/// Makes the diagnostic that a tool's own words at a place are read into.
pub(super) fn said(tool: &str, message: &str, path: &str, place: (u32, u32)) -> Diagnostic {
    said_of(ErrorClass::Type, tool, message, path, place)
}

/// The same for an error of a class.
pub(super) fn said_of(
    class: ErrorClass,
    tool: &str,
    message: &str,
    path: &str,
    place: (u32, u32),
) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(tool, Severity::Error, class, message);
    let (line, column) = place;
    diagnostic.spans.push(SourceSpan {
        path: path.to_owned(),
        start: Some(Position { line, column }),
        end: None,
        bytes: None,
        primary: true,
        label: None,
        line_text: None,
    });
    salve_check::add_hints(&mut diagnostic);
    diagnostic
}
