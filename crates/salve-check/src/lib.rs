//! Processes: what may be started, how it is started, and what it said.
//!
//! In: a command line that somebody proposes, or a folder to check. Out: a verdict, a run under the
//! sandbox with its record, diagnostics, signatures. Never: a process outside the runner, a second
//! shell, a decision that depends on anything but its arguments.

mod console;
mod diagnostics;
mod facts;
mod plan;
mod run;
mod signature;

pub use console::parse_console;
pub use diagnostics::{CheckedFolder, OutputParser, classify, parse_output};
pub use facts::{GlobMatches, PathFacts, PathJudgement, PathUse, RepoFacts, RepoHazard};
pub use plan::{Joiner, Plan, PlannedCommand, PlannedPipeline, PlannedRedirect, RedirectTarget};
pub use run::{
    Capture, FinishedRun, Gate, Limits, RiskClass, RunClass, RunEnding, RunError, RunPrograms,
    RunRecord, RunRequest, StartedBy,
};
pub use signature::{
    CanonicalForms, Digest, Signature, Signatures, SignedDiagnostic, canonical, normalise,
    primary_diagnostics, sign, sign_run, sign_text, summary,
};
