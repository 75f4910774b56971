//! One toolchain's run, with what it said.
//!
//! In: the work and the outputs of the programs that did it. Out: diagnostics with paths relative to
//! the checked folder, the verdict, both streams, the records. Made only here, so that one is
//! proof that the toolchain really ran. A run that failed is never green and never without a
//! diagnostic.

use super::fallback::{unread_failure, with_output};
use crate::toolchain::{Phase, Work, file_name};
use crate::{
    CheckedFolder, Obstacle, OutputParser, RunEnding, RunPrograms, RunRecord, add_hints,
    obstacle_in, parse_output,
};
use salve_types::{Diagnostic, Severity, SourceSpan};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// A toolchain that ran, and what it said.
#[derive(Debug, Clone, Serialize)]
#[must_use]
pub struct CheckRun {
    target_id: String,
    display_name: String,
    phase: Phase,
    folder: String,
    files: usize,
    files_left_out: usize,
    verdict: CheckVerdict,
    ending: RunEnding,
    duration_ms: u64,
    diagnostics: Vec<Diagnostic>,
    records: Vec<RunRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<Obstacle>,
    #[serde(skip)]
    stdout: String,
    #[serde(skip)]
    stderr: String,
}

/// Whether a check passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[must_use]
pub enum CheckVerdict {
    /// Nothing that counts was found.
    Green,
    /// Something was found, or the toolchain failed.
    Red,
    /// Nothing ran.
    Nothing,
}

/// What one start of a program left.
#[derive(Debug)]
pub(crate) struct Outputs {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) record: RunRecord,
}

impl CheckRun {
    pub(crate) fn of_program(
        work: &Work<'_>,
        runner: &dyn RunPrograms,
        outputs: Vec<Outputs>,
        left_out: usize,
    ) -> Self {
        let mut run = Self::empty(work);
        run.files_left_out = left_out;
        for one in outputs {
            run.add(work, runner, one);
        }
        run.judge(work);
        run
    }

    pub(crate) fn in_process(work: &Work<'_>, diagnostics: Vec<Diagnostic>) -> Self {
        let mut run = Self::empty(work);
        run.diagnostics = diagnostics;
        if run.diagnostics.iter().any(|one| one.severity == Severity::Error) {
            run.ending = RunEnding::Exited { code: 1 };
        }
        run.judge(work);
        run
    }

    fn empty(work: &Work<'_>) -> Self {
        Self {
            target_id: work.spec.target_id.clone(),
            display_name: work.spec.display_name.clone(),
            phase: work.spec.phase,
            folder: work.folder.to_owned(),
            files: work.files.len(),
            files_left_out: 0,
            verdict: CheckVerdict::Green,
            ending: RunEnding::Exited { code: 0 },
            duration_ms: 0,
            diagnostics: Vec::new(),
            records: Vec::new(),
            hint: None,
            stdout: String::new(),
            stderr: String::new(),
        }
    }

    fn add(&mut self, work: &Work<'_>, runner: &dyn RunPrograms, one: Outputs) {
        let cwd = work.root.join(work.folder);
        let source = |path: &str| source_below(&cwd, path, runner);
        let folder = CheckedFolder { path: &cwd, source: &source };
        let mut said = parse_output(work.spec.parser, &one.stdout, &one.stderr, folder);
        let passed = passed(work, &one.record.ending);
        if !passed && !said.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            let mut unread = unread_failure(work.spec, &one);
            unread.iter_mut().for_each(add_hints);
            said.extend(unread);
        }
        if !passed && work.spec.parser == OutputParser::TestRunner {
            said = with_output(said, &one);
        }
        let folders = Folders::of(work, &cwd, runner);
        self.diagnostics.extend(said.into_iter().map(|one| folders.complete(one)));
        if !passed && self.verdict == CheckVerdict::Green {
            self.verdict = CheckVerdict::Red;
            self.ending = one.record.ending.clone();
            let text = [one.stderr.as_str(), &one.stdout].join("\n");
            self.hint = obstacle_in(&one.record, &text);
        }
        self.duration_ms += one.record.duration_ms;
        self.stdout.push_str(&one.stdout);
        self.stderr.push_str(&one.stderr);
        self.records.push(one.record);
    }

    // Some tools end with 0 whatever they found, and some find only what the user calls harmless.
    fn judge(&mut self, work: &Work<'_>) {
        let counts = |one: &Diagnostic| work.fail_on.is_some_and(|mildest| one.severity <= mildest);
        if self.diagnostics.iter().any(counts) {
            self.verdict = CheckVerdict::Red;
        }
    }

    pub(super) fn retain(&mut self, keep: impl FnMut(&Diagnostic) -> bool) {
        self.diagnostics.retain(keep);
    }

    /// Returns the id of the toolchain.
    pub fn target_id(&self) -> &str {
        &self.target_id
    }

    /// Returns the toolchain's name for people.
    pub fn display_name(&self) -> &str {
        &self.display_name
    }

    /// Returns what kind of errors it looks for.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns where it ran, relative to the checked folder; empty at the top.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Returns how many files it was given; 0 when it finds them itself.
    pub fn files(&self) -> usize {
        self.files
    }

    /// Returns how many of its files were not looked at because they are too many.
    pub fn files_left_out(&self) -> usize {
        self.files_left_out
    }

    /// Returns the verdict, which is never [`CheckVerdict::Nothing`].
    pub fn verdict(&self) -> CheckVerdict {
        self.verdict
    }

    /// Returns whether something was found or it failed.
    pub fn is_red(&self) -> bool {
        self.verdict == CheckVerdict::Red
    }

    /// Returns how it ended: the first ending that was not a success, if any.
    pub fn ending(&self) -> &RunEnding {
        &self.ending
    }

    /// Returns how long its programs ran, in milliseconds.
    pub fn duration_ms(&self) -> u64 {
        self.duration_ms
    }

    /// Returns what it said.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns what of the sandbox probably made it fail.
    pub fn hint(&self) -> Option<&Obstacle> {
        self.hint.as_ref()
    }

    /// Returns the records of its programs; none when Salve did the work itself.
    pub fn records(&self) -> &[RunRecord] {
        &self.records
    }

    /// Returns its standard output.
    pub fn stdout(&self) -> &str {
        &self.stdout
    }

    /// Returns its standard error.
    pub fn stderr(&self) -> &str {
        &self.stderr
    }
}

fn passed(work: &Work<'_>, ending: &RunEnding) -> bool {
    matches!(ending, RunEnding::Exited { code } if work.spec.success_codes.contains(code))
}

/// Knows how a path that a tool wrote is seen from the checked folder.
struct Folders<'a> {
    folder: &'a str,
    cwd: &'a Path,
    files: BTreeMap<&'a str, &'a str>,
    runner: &'a dyn RunPrograms,
}

impl<'a> Folders<'a> {
    fn of(work: &Work<'a>, cwd: &'a Path, runner: &'a dyn RunPrograms) -> Self {
        let files = work.files.iter().map(|file| (file_name(file), file.as_str())).collect();
        Self { folder: work.folder, cwd, files, runner }
    }

    fn complete(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        let notes = diagnostic.notes.iter_mut().flat_map(|note| &mut note.spans);
        let edits = diagnostic.suggestions.iter_mut().flat_map(|suggestion| &mut suggestion.edits);
        let spans = diagnostic.spans.iter_mut().chain(notes);
        spans.chain(edits.map(|edit| &mut edit.span)).for_each(|span| self.complete_span(span));
        diagnostic
    }

    fn complete_span(&self, span: &mut SourceSpan) {
        if span.path.starts_with(['/', '<']) {
            return;
        }
        // Some tools leave the folder out; with one file of that name it can be told.
        let whole = self.files.get(span.path.as_str()).filter(|whole| **whole != span.path);
        if let Some(whole) =
            whole.filter(|_| self.runner.locate(&self.cwd.join(&span.path)).is_none())
        {
            span.path = (*whole).to_owned();
        }
        if !self.folder.is_empty() {
            span.path = format!("{}/{}", self.folder, span.path);
        }
    }
}

// A tool's words choose the path, so nothing outside the folder is opened.
fn source_below(folder: &Path, path: &str, runner: &dyn RunPrograms) -> Option<String> {
    const MOST_BYTES: u64 = 4 << 20;
    let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let path = runner.locate(&folder.join(path)).filter(|_| inside)?;
    let meta = std::fs::symlink_metadata(&path).ok()?;
    if !meta.is_file() || meta.len() > MOST_BYTES {
        return None;
    }
    std::fs::read(&path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
