//! The work of a turn: edits written, results checked, commands run.
//!
//! In: the parts that work on a folder, and an answer that is whole. Out: what was done, for the machine and
//! for the log. Never writes what was not verified, never runs what the policy denies, and does neither twice
//! when a process died in between.

mod commands;
mod edits;

pub(crate) use commands::run_line;
pub use commands::{CommandOutcome, RunOutcome};
pub use edits::{EditsAbout, EditsOutcome, RefusedEdits, Writing};

use super::input::TurnInput;
use super::machine::CheckEnd;
use super::urls::{
    FetchedPage, PinnedConnections, SystemNames, UrlLimits, UrlRefusal, fetch_page, judge_url,
};
use crate::heal::{HealParts, RepairError};
use salve_check::{
    CheckOptions, CheckReport, CheckRun, CheckVerdict, Keep, StartedBy, ToolchainError,
    check_watched, is_paused,
};
use std::path::{Path, PathBuf};

/// How many lines of a check are told.
const MOST_FINDINGS: usize = 20;

/// A workspace while a turn works on it.
pub struct TurnWork {
    parts: HealParts,
    input: TurnInput,
    job: String,
    /// The file that keeps the index of the repository's map.
    map_cache: PathBuf,
}

/// What a check found, for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckOutcome {
    /// For the machine.
    pub end: CheckEnd,
    /// The toolchains that ran.
    pub ran: Vec<String>,
    /// Those that apply and are not installed.
    pub missing: Vec<String>,
    /// What is wrong, a line each, or why nothing ran.
    pub findings: Vec<String>,
}

impl TurnWork {
    /// Takes the parts of a workspace for one turn. `job` names the turn in the history of the workspace;
    /// `private` is a folder of the user's own.
    pub fn new(parts: HealParts, input: TurnInput, job: &str, private: &Path) -> Self {
        let root = parts.workspace.folder.to_string_lossy();
        let name = blake3::hash(root.as_bytes()).to_hex();
        let map_cache = private.join(format!("map-{}.json", name.get(..16).unwrap_or_default()));
        Self { parts, input, job: job.to_owned(), map_cache }
    }

    /// Returns the file that keeps the index of the repository's map.
    pub fn map_cache(&self) -> Option<&Path> {
        Some(&self.map_cache)
    }

    /// Returns the root of the workspace.
    pub fn root(&self) -> &Path {
        &self.parts.workspace.folder
    }

    /// Returns what the turn was started with.
    pub const fn input(&self) -> &TurnInput {
        &self.input
    }

    /// Fetches a page, where the person's settings allow it.
    ///
    /// # Errors
    /// The code of the refusal.
    pub fn page(&self, url: &str) -> Result<FetchedPage, UrlRefusal> {
        let policy = &self.input.help.pages;
        judge_url(url, policy)?;
        // Steps work on threads of their own, beside the runtime.
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| UrlRefusal::NotReached)?;
        let limits = UrlLimits::default();
        runtime.block_on(fetch_page(url, policy, &limits, &SystemNames, &PinnedConnections))
    }

    /// Returns whether the control file says PAUSE.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn is_paused(&self) -> Result<bool, RepairError> {
        let control = self.root().join(".salve/CONTROL.md");
        match control.symlink_metadata() {
            Ok(found) if found.is_file() => Ok(is_paused(&std::fs::read_to_string(&control)?)),
            _ => Ok(false),
        }
    }

    /// Checks the workspace as it is, by its own toolchains.
    ///
    /// # Errors
    /// When the workspace cannot be read.
    pub fn check(&self) -> Result<CheckOutcome, RepairError> {
        check_workspace(&self.parts)
    }
}

/// Checks a workspace as it is, by its own toolchains.
///
/// # Errors
/// When the workspace cannot be read.
pub(crate) fn check_workspace(parts: &HealParts) -> Result<CheckOutcome, RepairError> {
    let workspace = &parts.workspace;
    let runner = workspace.runner(Keep::RECORDS).map_err(|error| io(&error))?;
    let options = CheckOptions {
        by: StartedBy::Salve,
        environment: parts.environment.clone(),
        ..CheckOptions::default()
    };
    let registry = &workspace.toolchains;
    match check_watched(&workspace.folder, &options, registry, &runner, &mut |_| {}) {
        Ok(report) => Ok(found(&report)),
        Err(ToolchainError::Unreadable { path, source }) => {
            Err(RepairError::Io(format!("`{}`: {source}", path.display())))
        }
        // What is not installed or not allowed to run says nothing about the change.
        Err(error) => Ok(CheckOutcome {
            end: CheckEnd::NotRun,
            ran: Vec::new(),
            missing: Vec::new(),
            findings: vec![error.to_string()],
        }),
    }
}

fn found(report: &CheckReport) -> CheckOutcome {
    let missing: Vec<String> = report.missing.iter().map(|one| one.target_id.clone()).collect();
    let end = match report.verdict() {
        CheckVerdict::Green => CheckEnd::Green,
        CheckVerdict::Red => CheckEnd::Red,
        _ if missing.is_empty() => CheckEnd::Nothing,
        _ => CheckEnd::NotRun,
    };
    let red = report.runs.iter().filter(|run| run.is_red());
    let told = red.flat_map(CheckRun::diagnostics).map(|one| {
        let place = one.spans.first().map(|span| match span.start {
            Some(start) => format!("{}:{}: ", span.path, start.line),
            None => format!("{}: ", span.path),
        });
        format!("{}{}", place.unwrap_or_default(), one.message)
    });
    CheckOutcome {
        end,
        ran: report.runs.iter().map(|run| run.target_id().to_owned()).collect(),
        missing,
        findings: told.take(MOST_FINDINGS).collect(),
    }
}

fn io(error: &dyn std::fmt::Display) -> RepairError {
    RepairError::Io(error.to_string())
}
