//! What a check showed, in full.
//!
//! In: the runs of a check. Out: the diagnostics that make it red, and the summary that the loop is told.
//! Never says green of a run that failed.

use crate::heal::machine::{CheckSummary, ErrorSeen};
use salve_check::{
    CheckReport, CheckRun, NotInstalled, for_model, phase_of, sign, without_consequences,
};
use salve_types::{Diagnostic, ErrorClass, Severity};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The kind of the note that names the test which failed.
const TEST_NOTE: &str = "test";

/// How much of a check's words is kept for people and records.
const TEXT_BYTES: usize = 8 << 10;

/// What a check showed.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckFindings {
    green: bool,
    /// What makes it red.
    pub diagnostics: Vec<Diagnostic>,
    orphans: u32,
    /// Whether a run failed without an error that could be read.
    unread: bool,
    /// What ran and what could not.
    pub tools: ToolsUsed,
}

/// The tools of a check.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolsUsed {
    /// Those that ran, by the names of their toolchains, or the command.
    pub ran: Vec<String>,
    /// Those that apply and are not installed, each with how to install it.
    pub missing: Vec<String>,
}

impl CheckFindings {
    /// Reads the report of a check.
    pub(super) fn of_report(report: &CheckReport, fail_on: Severity) -> Self {
        let mut seen = Self::of_runs(&report.runs.iter().collect::<Vec<_>>(), fail_on);
        let how = |one: &NotInstalled| format!("{} ({})", one.binary_name, one.install_hint);
        seen.tools.missing = report.missing.iter().map(how).collect();
        seen.tools.missing.dedup();
        seen
    }

    /// Reads the run of one command.
    pub(super) fn of_run(run: &CheckRun, fail_on: Severity) -> Self {
        Self::of_runs(&[run], fail_on)
    }

    fn of_runs(runs: &[&CheckRun], fail_on: Severity) -> Self {
        let red = || runs.iter().filter(|run| run.is_red());
        let counts = |one: &&Diagnostic| one.severity <= fail_on;
        let of_run = |run: &&CheckRun| {
            without_consequences(run.diagnostics().iter().filter(counts).cloned().collect())
        };
        let diagnostics: Vec<Diagnostic> = red().flat_map(of_run).collect();
        Self {
            green: red().next().is_none(),
            unread: diagnostics.is_empty(),
            diagnostics,
            tools: ToolsUsed {
                ran: runs.iter().map(|run| run.target_id().to_owned()).collect(),
                missing: Vec::new(),
            },
            orphans: runs.iter().flat_map(|run| run.records()).map(|record| record.orphans).sum(),
        }
    }

    /// Returns whether it passed.
    pub fn is_green(&self) -> bool {
        self.green
    }

    /// Returns whether it is red by tests alone.
    pub(super) fn only_tests_fail(&self) -> bool {
        !self.unread && self.diagnostics.iter().all(|one| one.class == ErrorClass::Test)
    }

    /// Returns the names of what failed here and does not there.
    pub(super) fn no_longer_failing(&self, other: &Self) -> BTreeSet<String> {
        let names = |seen: &Self| seen.diagnostics.iter().map(name_of).collect::<BTreeSet<_>>();
        names(self).difference(&names(other)).cloned().collect()
    }

    /// Leaves out what is named.
    pub(super) fn without(mut self, names: &BTreeSet<String>) -> Self {
        if !names.is_empty() {
            self.diagnostics.retain(|one| !names.contains(&name_of(one)));
            self.green |= self.diagnostics.is_empty() && !self.unread;
        }
        self
    }

    /// Returns what the loop is told.
    pub fn summary(&self) -> CheckSummary {
        CheckSummary {
            green: self.green,
            errors: self.diagnostics.iter().map(error_seen).collect(),
            text: for_model(&self.diagnostics, TEXT_BYTES),
            orphans: self.orphans,
        }
    }
}

fn error_seen(diagnostic: &Diagnostic) -> ErrorSeen {
    let signature = sign(diagnostic);
    let place = diagnostic.primary();
    ErrorSeen {
        exact: signature.exact.wire(),
        shape: signature.shape.wire(),
        class: signature.class.wire(),
        path: place.map(|span| span.path.clone()).unwrap_or_default(),
        line: place.and_then(|span| span.start).map(|start| start.line),
        error_class: diagnostic.class,
        phase: phase_of(diagnostic),
        message: diagnostic.message.clone(),
    }
}

/// Names a failure in the same words before and after a fix: without a place, which moves.
pub(in crate::heal) fn name_of(diagnostic: &Diagnostic) -> String {
    let path = diagnostic.primary().map(|span| span.path.as_str()).unwrap_or_default();
    let code = diagnostic.code.as_deref().unwrap_or_default();
    match diagnostic.class {
        // The message of a failed test may hold the values it failed with; two tests of a file are two.
        ErrorClass::Test => {
            let test = diagnostic.notes.iter().find(|note| note.kind == TEST_NOTE);
            format!("{path} {code} {}", test.map(|note| note.message.as_str()).unwrap_or_default())
        }
        _ => format!("{path} {code} {}", diagnostic.message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_types::DiagnosticNote;

    fn failed(test: &str) -> Diagnostic {
        let message = "assertion `left == right` failed";
        let mut diagnostic =
            Diagnostic::new("rust-test", Severity::Error, ErrorClass::Test, message);
        let (kind, message) = (TEST_NOTE.to_owned(), test.to_owned());
        diagnostic.notes.push(DiagnosticNote { kind, message, spans: Vec::new() });
        diagnostic
    }

    fn findings(tests: &[&str]) -> CheckFindings {
        let diagnostics = tests.iter().map(|test| failed(test)).collect();
        let green = tests.is_empty();
        CheckFindings { green, diagnostics, orphans: 0, unread: false, tools: ToolsUsed::default() }
    }

    #[test]
    fn of_two_tests_of_a_file_the_flaky_one_is_left_out() {
        let first = findings(&["sums", "sometimes"]);
        let flaky = first.no_longer_failing(&findings(&["sums"]));
        assert_eq!(flaky.len(), 1, "{flaky:?}");
        let left = first.without(&flaky);
        assert_eq!(left.diagnostics, [failed("sums")]);
        assert!(!left.is_green());
        assert!(findings(&["sometimes"]).without(&flaky).is_green());
    }
}
