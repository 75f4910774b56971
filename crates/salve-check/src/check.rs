//! `check`: a folder, and what its real toolchains say about it.
//!
//! In: a folder, a registry, a runner. Out: one [`CheckRun`] for each toolchain that applies, in
//! the order syntax, types, lint, tests; each thing said once; paths relative to the folder; a
//! verdict. A toolchain that is not installed is named with its hint, never passed over in silence.
//! Never changes a file itself, never runs a toolchain twice.

mod check_run;
mod command;
mod fallback;

pub(crate) use check_run::Outputs;
pub use check_run::{CheckRun, CheckVerdict};
pub use command::check_command;

use crate::toolchain::{
    BuildProfile, Detected, Reach, Registry, Survey, ToolchainError, ToolchainSpec, Work,
    header_folders, is_in, its_files, run_work, survey_for, where_it_applies,
};
use crate::{RunPrograms, StartedBy, WorkUnit};
use salve_types::{Diagnostic, Severity};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// What to check, and how strictly.
#[derive(Debug, Clone)]
pub struct CheckOptions {
    /// The toolchains to run; all that apply when empty.
    pub targets: Vec<String>,
    /// The files and folders to check, relative to the folder, with `/`; all of it when empty. A
    /// toolchain that checks a whole project checks the project they belong to.
    pub scope: Vec<String>,
    /// Which project that is, where one project lies in another.
    pub reach: Reach,
    /// Whether a release is built.
    pub profile: BuildProfile,
    /// The mildest severity that makes the check red, where a toolchain does not say otherwise.
    pub fail_on: Severity,
    /// On whose behalf.
    pub by: StartedBy,
    /// Variables the programs get beside those of their toolchain, which win.
    pub environment: Vec<(String, String)>,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            targets: Vec::new(),
            scope: Vec::new(),
            reach: Reach::Nearest,
            profile: BuildProfile::Development,
            fail_on: Severity::Error,
            by: StartedBy::Salve,
            environment: Vec::new(),
        }
    }
}

/// The outcome of a check.
#[derive(Debug, Clone, Serialize)]
#[must_use]
pub struct CheckReport {
    /// The toolchains that ran, in order.
    pub runs: Vec<CheckRun>,
    /// Those that apply and are not installed.
    pub missing: Vec<NotInstalled>,
    /// Those that were held back.
    pub held_back: Vec<HeldBack>,
    /// Whether the folder has more files than were looked at.
    pub cut: bool,
}

/// A toolchain that applies and is not installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotInstalled {
    /// Which.
    pub target_id: String,
    /// Where it would have run, relative to the checked folder; empty at the top.
    pub folder: String,
    /// The program that is missing.
    pub binary_name: String,
    /// What to do about it.
    pub install_hint: String,
}

/// A toolchain that was not run because another one is red.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldBack {
    /// Which.
    pub target_id: String,
    /// Where it would have run, relative to the checked folder; empty at the top.
    pub folder: String,
    /// The one that is red.
    pub because_of: String,
}

impl CheckReport {
    /// Returns the verdict of all runs together; [`CheckVerdict::Nothing`] when nothing ran.
    pub fn verdict(&self) -> CheckVerdict {
        if self.runs.is_empty() {
            CheckVerdict::Nothing
        } else if self.runs.iter().any(CheckRun::is_red) {
            CheckVerdict::Red
        } else {
            CheckVerdict::Green
        }
    }

    /// Iterates over everything the toolchains said.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.runs.iter().flat_map(CheckRun::diagnostics)
    }
}

/// How far a check is.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum CheckProgress<'a> {
    /// A toolchain is about to run.
    Starts {
        /// Which.
        target_id: &'a str,
        /// Where, relative to the checked folder; empty at the top.
        folder: &'a str,
        /// Which one it is, from 1, and of how many.
        step: (usize, usize),
    },
    /// A toolchain has run.
    Ended(&'a CheckRun),
}

/// Checks a folder.
///
/// # Errors
///
/// As [`check_watched`].
pub fn check(
    folder: &Path,
    options: &CheckOptions,
    registry: &Registry,
    runner: &dyn RunPrograms,
) -> Result<CheckReport, ToolchainError> {
    check_watched(folder, options, registry, runner, &mut |_| {})
}

/// Checks a folder, saying how far it is.
///
/// # Errors
///
/// Fails when the folder cannot be read, a toolchain asked for by name is unknown or not installed,
/// none of those that apply is installed, or the runner refuses.
pub fn check_watched(
    folder: &Path,
    options: &CheckOptions,
    registry: &Registry,
    runner: &dyn RunPrograms,
    watch: &mut dyn FnMut(CheckProgress<'_>),
) -> Result<CheckReport, ToolchainError> {
    let (scope, reach) = (options.scope.clone(), options.reach);
    let found = Survey { scope, reach, ..survey_for(folder, runner)? };
    let planned = plan(folder, options, registry, &found)?;
    let mut report = CheckReport {
        runs: Vec::new(),
        missing: Vec::new(),
        held_back: Vec::new(),
        cut: found.cut,
    };
    for (index, (spec, detected)) in planned.iter().enumerate() {
        let folder_of = || detected.folder.clone();
        if let Some(red) = red_before(spec, &detected.folder, &report.runs) {
            let (target_id, because_of) = (spec.target_id.clone(), red.to_owned());
            report.held_back.push(HeldBack { target_id, folder: folder_of(), because_of });
            continue;
        }
        let by_name = !options.targets.is_empty();
        let step = (index + 1, planned.len());
        let (target_id, within) = (&spec.target_id, &detected.folder);
        watch(CheckProgress::Starts { target_id, folder: within, step });
        match run_or_stand_in(folder, options, registry, runner, spec, detected, &found) {
            Ok(run) => {
                watch(CheckProgress::Ended(&run));
                report.runs.push(run);
            }
            Err(error @ ToolchainError::Missing { .. }) if by_name => return Err(error),
            Err(ToolchainError::Missing { target_id, binary_name, install_hint, .. }) => {
                let folder = folder_of();
                report.missing.push(NotInstalled { target_id, folder, binary_name, install_hint });
            }
            Err(error) => return Err(error),
        }
    }
    say_once(&mut report.runs);
    Ok(report)
}

/// Checks a folder or a file with one toolchain.
pub(crate) fn check_one(
    spec: &ToolchainSpec,
    path: &Path,
    options: &CheckOptions,
    runner: &dyn RunPrograms,
) -> Result<CheckRun, ToolchainError> {
    let name = path.file_name().and_then(|name| name.to_str());
    let (root, file) = match (path.is_file(), path.parent(), name) {
        // What is told by a marker checks the project that the file belongs to.
        (true, Some(parent), _) if spec.unit == WorkUnit::Folder && is_marked(spec) => {
            (marked_above(spec, parent).unwrap_or(parent), None)
        }
        (true, Some(parent), Some(name)) => (parent, Some(name.to_owned())),
        _ => (path, None),
    };
    let found = match &file {
        Some(file) => Survey { files: vec![file.clone()], ..Survey::default() },
        None => survey_for(root, runner)?,
    };
    let detected = Detected {
        target_id: spec.target_id.clone(),
        folder: String::new(),
        files: file.map_or_else(|| its_files(spec, "", &found), |file| vec![file]),
        because: String::new(),
    };
    run_detected(root, options, runner, spec, &detected, &found)
}

fn is_marked(spec: &ToolchainSpec) -> bool {
    !spec.applies.markers.is_empty()
}

fn marked_above<'a>(spec: &ToolchainSpec, folder: &'a Path) -> Option<&'a Path> {
    folder
        .ancestors()
        .find(|above| spec.applies.markers.iter().any(|marker| above.join(&marker.file).is_file()))
}

// What is going to run, in order.
fn plan<'a>(
    folder: &Path,
    options: &CheckOptions,
    registry: &'a Registry,
    found: &Survey,
) -> Result<Vec<(&'a ToolchainSpec, Detected)>, ToolchainError> {
    let mut planned = Vec::new();
    if options.targets.is_empty() {
        for detected in registry.detect_in(folder, found) {
            planned.push((registry.find(&detected.target_id)?, detected));
        }
        return Ok(planned);
    }
    for target_id in &options.targets {
        let spec = registry.find(target_id)?;
        let mut places = where_it_applies(spec, folder, found);
        if places.is_empty() {
            places.push(Detected {
                target_id: target_id.clone(),
                folder: String::new(),
                files: its_files(spec, "", found),
                because: "asked for by name".to_owned(),
            });
        }
        planned.extend(places.into_iter().map(|detected| (spec, detected)));
    }
    planned.sort_by_key(|(spec, _)| spec.phase);
    Ok(planned)
}

// What is red in one project says nothing about another beside it.
fn red_before<'a>(spec: &ToolchainSpec, folder: &str, runs: &'a [CheckRun]) -> Option<&'a str> {
    let concerns = |run: &&CheckRun| is_in(run.folder(), folder) || is_in(folder, run.folder());
    let red = runs.iter().filter(|run| run.is_red()).filter(concerns).map(CheckRun::target_id);
    red.into_iter().find(|&target| spec.after.iter().any(|after| after == target))
}

fn run_or_stand_in(
    root: &Path,
    options: &CheckOptions,
    registry: &Registry,
    runner: &dyn RunPrograms,
    spec: &ToolchainSpec,
    detected: &Detected,
    found: &Survey,
) -> Result<CheckRun, ToolchainError> {
    let first = run_detected(root, options, runner, spec, detected, found);
    let Err(ToolchainError::Missing { .. }) = first else {
        return first;
    };
    match registry.stand_in(&spec.target_id) {
        Some(other) if options.targets.is_empty() => {
            run_detected(root, options, runner, other, detected, found).or(first)
        }
        _ => first,
    }
}

fn run_detected(
    root: &Path,
    options: &CheckOptions,
    runner: &dyn RunPrograms,
    spec: &ToolchainSpec,
    detected: &Detected,
    found: &Survey,
) -> Result<CheckRun, ToolchainError> {
    if spec.unit != WorkUnit::Folder && detected.files.is_empty() {
        return Err(ToolchainError::NothingToCheck {
            target_id: spec.target_id.clone(),
            folder: root.to_owned(),
            looked_for: spec.applies.files.join(", "),
        });
    }
    let work = Work {
        spec,
        root,
        folder: &detected.folder,
        files: &detected.files,
        headers: &header_folders(&detected.folder, found),
        profile: options.profile,
        by: options.by,
        environment: &options.environment,
        fail_on: Some(spec.fail_on.unwrap_or(options.fail_on)),
    };
    run_work(&work, runner)
}

// A build that follows another build says its warnings again; the first to say it keeps it.
fn say_once(runs: &mut [CheckRun]) {
    let mut said = BTreeSet::new();
    for run in runs {
        // Within one run, two tests may well fail with the same words.
        run.retain(|diagnostic| !said.contains(&sameness(diagnostic)));
        said.extend(run.diagnostics().iter().map(sameness));
    }
}

type Sameness = (Option<String>, String, Option<(String, Option<salve_types::Position>)>, Severity);

fn sameness(diagnostic: &Diagnostic) -> Sameness {
    let place = diagnostic.primary().map(|span| (span.path.clone(), span.start));
    (diagnostic.code.clone(), diagnostic.message.clone(), place, diagnostic.severity)
}
