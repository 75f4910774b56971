//! `salve apply --check`: the edits are tried beside the workspace first.
//!
//! In: verified edits and the workspace. Out: what the toolchains say about the result, in a shadow of the
//! workspace, or in a copy where the edits are not all texts. Never writes into the workspace: shadow and
//! copy are thrown away.

use crate::commands::check::{self, Aside};
use crate::failure::Failure;
use crate::{host, output};
use salve_check::{CheckReport, CheckVerdict};
use salve_engine::pipeline::{CopyError, CopyLimits, copy_with_plan};
use salve_tree::{PlannedFile, VerifiedEdits};
use std::collections::BTreeMap;
use std::path::Path;

/// The permissions of a file that is new.
const USUAL_MODE: u32 = 0o644;

/// What became of the edits.
pub(super) enum Tried {
    /// The toolchains have nothing against them.
    Green,
    /// They have; the words say what.
    Red(String),
    /// Nothing ran: the sandbox lacks a layer.
    NotRun,
}

/// Carries the edits out beside the workspace and checks the result.
pub(super) fn try_out(folder: &Path, edits: &VerifiedEdits, yes: bool) -> Result<Tried, Failure> {
    if let Some(files) = texts(edits) {
        output::story("Checking the result in a shadow of the workspace.\n");
        let report = check::aside(folder, &Aside::Shadow(&files), yes)?;
        return Ok(tried(report, folder));
    }
    let place = host::private_folder("salve-check-")?;
    // The folder keeps its name: some tools take it for the project's.
    let name = folder.file_name().unwrap_or(std::ffi::OsStr::new("workspace"));
    let copy = place.path().canonicalize()?.join(name);
    std::fs::create_dir(&copy)?;
    output::story("Checking the result in a copy of the workspace.\n");
    copy_with_plan(folder, &copy, edits, CopyLimits::default())
        .map_err(|error| too_large(&error))?;
    Ok(tried(check::aside(folder, &Aside::Copy(&copy), yes)?, &copy))
}

// The files as a shadow takes them; nothing where one is no text, or gets other permissions.
fn texts(edits: &VerifiedEdits) -> Option<BTreeMap<String, Option<String>>> {
    let text = |file: &PlannedFile| {
        let text = match &file.after {
            None => None,
            Some(after) => {
                let usual = file.before.as_ref().map_or(USUAL_MODE, |before| before.mode & 0o777);
                if after.mode & 0o777 != usual {
                    return None;
                }
                Some(String::from_utf8(after.bytes.clone()).ok()?)
            }
        };
        Some((file.path.as_str().to_owned(), text))
    };
    edits.files().iter().map(text).collect()
}

fn tried(report: Option<CheckReport>, folder: &Path) -> Tried {
    match report {
        None => Tried::NotRun,
        Some(report) if report.verdict() == CheckVerdict::Red => Tried::Red(words(&report, folder)),
        Some(_) => Tried::Green,
    }
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
