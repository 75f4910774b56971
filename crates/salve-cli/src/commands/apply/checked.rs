//! `salve apply --check`: the edits are tried in a copy of the workspace first.
//!
//! In: verified edits and the workspace. Out: what the toolchains say about the result. Never writes
//! into the workspace: the copy is thrown away.

use crate::commands::check;
use crate::failure::Failure;
use crate::output;
use salve_check::{CheckReport, CheckVerdict};
use salve_engine::pipeline::{CopyError, CopyLimits, copy_with_plan};
use salve_tree::VerifiedEdits;
use std::path::Path;

/// What became of the edits in the copy.
pub(super) enum Tried {
    /// The toolchains have nothing against them.
    Green,
    /// They have; the words say what.
    Red(String),
    /// Nothing ran: the sandbox lacks a layer.
    NotRun,
}

/// Carries the edits out in a copy and checks it.
pub(super) fn try_out(folder: &Path, edits: &VerifiedEdits, yes: bool) -> Result<Tried, Failure> {
    let place = tempfile::Builder::new().prefix("salve-check-").tempdir()?;
    // The folder keeps its name: some tools take it for the project's.
    let name = folder.file_name().unwrap_or(std::ffi::OsStr::new("workspace"));
    let copy = place.path().canonicalize()?.join(name);
    std::fs::create_dir(&copy)?;
    output::story("Checking the result in a copy of the workspace.\n");
    copy_with_plan(folder, &copy, edits, CopyLimits::default())
        .map_err(|error| too_large(&error))?;
    let Some(report) = check::of_copy(folder, &copy, yes)? else { return Ok(Tried::NotRun) };
    Ok(match report.verdict() {
        CheckVerdict::Red => Tried::Red(words(&report, &copy)),
        _ => Tried::Green,
    })
}

fn words(report: &CheckReport, copy: &Path) -> String {
    check::drawn(report, copy)
}

fn too_large(error: &CopyError) -> Failure {
    let told = match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    Failure::new(format!("the result cannot be checked aside: {told}"))
        .hint("Without `--check` the edits are applied; then `salve check`, and `salve undo` if it is red.")
}
