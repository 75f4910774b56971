//! Stage 6, verify: do these edits fit this tree, and what would every file become?
//!
//! In: an edit set, a tree to read, what the caller knows and allows. Out: a sealed plan with a
//! report per file and hunk, or a refusal that a model can act on. Never: a write, a guess, a plan
//! from a reply that was cut.

mod carriers;
mod change;
mod guards;
mod hashes;
mod message;
mod plan_files;
mod rebase;
mod report;

pub use rebase::merge_texts;
pub use report::{
    FileOutcome, FileReport, Operation, Refusal, RefusalCode, Report, SideOfConflict,
};

use crate::{FileView, MatchOptions, NoProbe, SyntaxProbe, TreePath, VerifiedEdits};
use carriers::gather;
use plan_files::{FilePlan, join_plans, plan_file};
use salve_types::{EditEnd, EditFormat, EditSet};
use std::collections::BTreeMap;
use std::fmt;

/// What the caller knows and allows.
#[derive(Clone, Copy)]
pub struct VerifyOptions<'a> {
    /// The file that is meant where the edit names none.
    pub target: Option<&'a str>,
    /// The hashes of the files as the model saw them, by path. When given, every existing file
    /// that is touched needs one, here or in the carrier.
    pub bases: Option<&'a BTreeMap<String, String>>,
    /// Where contents of former versions are found, for edits that were made on them.
    pub history: Option<&'a dyn BaseSource>,
    /// The grammar's opinion.
    pub probe: &'a dyn SyntaxProbe,
    /// What the matching ladder may do.
    pub matching: MatchOptions,
    /// Keeps the files that fit when others do not, instead of all or nothing.
    pub partial: bool,
    /// The guards that are let pass.
    pub allow: Allow,
}

/// The guards that a person allowed to be passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allow {
    /// New text in which a comment stands for code that was left out.
    pub omissions: bool,
    /// A whole file that shrinks by more than half.
    pub shrink: bool,
    /// More syntax errors than before.
    pub syntax: bool,
}

/// Finds former contents of files.
pub trait BaseSource {
    /// Returns the content of `path` that a hash as written names, when it was ever there.
    fn base(&self, path: &TreePath, written: &str) -> Option<Vec<u8>>;
}

/// What verification says.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum Verification {
    /// The edits fit. The plan is empty when nothing needs to change.
    Verified {
        /// The plan.
        edits: VerifiedEdits,
        /// What was decided about every file and hunk.
        report: Report,
    },
    /// The edits do not fit, and nothing may be applied.
    Refused(Refusal),
}

/// Verifies edits against a tree.
pub fn verify(edits: &EditSet, view: &dyn FileView, options: &VerifyOptions<'_>) -> Verification {
    match &edits.end {
        EditEnd::Truncated { why, .. } => {
            return Verification::Refused(Refusal::truncated(edits.files.len(), why));
        }
        EditEnd::Malformed { why, .. } => {
            return Verification::Refused(Refusal::of_set(RefusalCode::Malformed, why));
        }
        EditEnd::Complete if edits.files.is_empty() => {
            let why = "the reply holds no edit";
            return Verification::Refused(Refusal::of_set(RefusalCode::NoEdits, why));
        }
        EditEnd::Complete => {}
    }
    let options = &VerifyOptions { matching: reading_of(edits, options), ..*options };
    let known = hashes::Known::gather(edits, view, options);
    let plans: Vec<FilePlan> = gather(edits, view, options)
        .into_iter()
        .map(|wish| plan_file(wish, view, &known, options))
        .collect();
    conclude(plans, view, options)
}

/// Says what the format of a set means for its lines.
fn reading_of(edits: &EditSet, options: &VerifyOptions<'_>) -> MatchOptions {
    // An envelope has no sign for a last line without a line break, and all tools that read it
    // write one.
    MatchOptions { whole_lines: edits.format == EditFormat::ApplyPatch, ..options.matching }
}

fn conclude(
    mut plans: Vec<FilePlan>,
    view: &dyn FileView,
    options: &VerifyOptions<'_>,
) -> Verification {
    let planned = join_plans(&mut plans, view);
    let report = Report { files: plans.into_iter().map(|plan| plan.report).collect() };
    let refused = report.files.iter().filter(|file| file.outcome.is_refused()).count();
    let nothing_left = refused == report.files.len();
    if refused > 0 && (!options.partial || nothing_left) {
        return Verification::Refused(Refusal::of_report(report));
    }
    Verification::Verified { edits: VerifiedEdits::seal(planned), report }
}

impl Verification {
    /// Returns what was decided about every file and hunk.
    pub fn report(&self) -> &Report {
        match self {
            Self::Verified { report, .. } => report,
            Self::Refused(refusal) => &refusal.report,
        }
    }
}

impl Default for VerifyOptions<'_> {
    fn default() -> Self {
        Self {
            target: None,
            bases: None,
            history: None,
            probe: &NoProbe,
            matching: MatchOptions::default(),
            partial: false,
            allow: Allow::default(),
        }
    }
}

impl fmt::Debug for VerifyOptions<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("VerifyOptions")
            .field("target", &self.target)
            .field("bases", &self.bases)
            .field("matching", &self.matching)
            .field("partial", &self.partial)
            .field("allow", &self.allow)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
