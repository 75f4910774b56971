//! Whether a candidate is a repair at all, before anything of it runs.
//!
//! In: a candidate, the files it was made on, and what the tools said of them. Out: passed, or why not,
//! as a code with what and where. A repair stays where the errors are, keeps tests and checks as they
//! are, and silences nothing. Never tells whether it works: only the check does.

mod extent;
mod file;
mod hollow;
mod items;
mod manifest;
mod paths;
mod reports;
mod silencing;
mod weakened;

use super::machine::Candidate;
use super::{FixOrigin, Sources};
use file::ChangedFile;
use reports::Reports;
pub(super) use reports::words;
use salve_types::Diagnostic;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What the gates allow beyond the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GateOptions {
    /// Whether a fix may rewrite much of a file, and reach beyond what the errors speak of.
    pub allow_large: bool,
}

/// Why a candidate was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateRefusal {
    /// Which rule.
    pub rule: GateRule,
    /// The file.
    pub path: String,
    /// The line of the changed file, where there is one.
    pub line: Option<u32>,
    /// What of it, in words.
    pub what: String,
}

impl fmt::Display for GateRefusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} in `{}`", self.what, self.path)?;
        self.line.map_or(Ok(()), |line| write!(out, " line {line}"))
    }
}

/// The rules of the gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GateRule {
    /// Changes an item that no error points at or names.
    OtherItem,
    /// Changes too much of a file.
    TooMuch,
    /// Leaves fewer definitions.
    LostDefinition,
    /// Deletes a file.
    DeletedFile,
    /// Changes a test that is not what fails to compile.
    TestFile,
    /// Removes or changes a test or an assertion.
    WeakenedTest,
    /// Has a test skipped.
    SkippedTest,
    /// Changes a snapshot.
    Snapshot,
    /// Changes what defines the check.
    CheckSettings,
    /// Changes a lock file by hand.
    LockFile,
    /// Makes a file that a build or a test runner loads by itself.
    LoadedFile,
    /// Changes a file that is executed or obeyed later, or holds secrets.
    ProtectedFile,
    /// Silences a diagnostic instead of repairing what it speaks of.
    Silenced,
    /// Swallows an error.
    SwallowedError,
    /// Leaves a stub where code was.
    Stub,
}

/// Judges a candidate. `before` is the state it was made on, `diagnostics` what was said of that state.
///
/// # Errors
/// Why it is refused.
pub fn judge(
    candidate: &Candidate,
    before: &dyn Sources,
    diagnostics: &[Diagnostic],
    options: GateOptions,
) -> Result<(), GateRefusal> {
    let changed = candidate.patch.files.iter().map(|(path, text)| (path, text.as_deref()));
    let files: Vec<ChangedFile> = changed
        .filter_map(|(path, text)| ChangedFile::new(path, before.read(path), text))
        .collect();
    let reports = Reports::new(diagnostics, before);
    let by_tool = candidate.origin == FixOrigin::Tool;
    for file in &files {
        paths::judge(file, &reports, !candidate.commands.is_empty())?;
        weakened::judge(file, &reports)?;
        if !by_tool && !candidate.pinned {
            silencing::judge(file, &reports)?;
        }
    }
    if !by_tool && !options.allow_large {
        extent::judge(&files, &reports)?;
    }
    if !by_tool && !candidate.pinned {
        files.iter().try_for_each(hollow::judge)?;
    }
    files.iter().try_for_each(paths::judge_names)
}

fn refusal(rule: GateRule, path: &str, line: Option<u32>, what: impl Into<String>) -> GateRefusal {
    GateRefusal { rule, path: path.to_owned(), line, what: what.into() }
}

#[cfg(test)]
mod tests;
