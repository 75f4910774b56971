//! Running one toolchain.
//!
//! In: a spec, a folder and files, a runner. Out: one [`CheckRun`] with everything that was said,
//! read into diagnostics. Each file is compiled once and that run's output is what is reported; there
//! is no second run to fetch a message. A missing program is an error, never a result.

use super::json_schema;
use super::name_pattern::file_name;
use super::probe::ask_version;
use super::version::is_at_least;
use super::words::{Given, words};
use super::{BuildProfile, ToolchainError, ToolchainSpec, WorkUnit};
use crate::check::{CheckRun, Outputs};
use crate::{
    Capture, FinishedRun, Gate, Limits, Plan, RiskClass, RunClass, RunError, RunInput, RunPrograms,
    RunRequest, StartedBy,
};
use salve_types::Severity;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What one toolchain is to check.
pub(crate) struct Work<'a> {
    /// The toolchain.
    pub(crate) spec: &'a ToolchainSpec,
    /// The checked folder.
    pub(crate) root: &'a Path,
    /// Where it runs, relative to the checked folder; empty at the top.
    pub(crate) folder: &'a str,
    /// The files it is given, relative to `folder`.
    pub(crate) files: &'a [String],
    /// Folders with headers, relative to `folder`.
    pub(crate) headers: &'a [String],
    /// Whether a release is built.
    pub(crate) profile: BuildProfile,
    /// On whose behalf.
    pub(crate) by: StartedBy,
    /// Variables beside those of the toolchain.
    pub(crate) environment: &'a [(String, String)],
    /// The mildest severity that makes the run red; nothing when its exit code alone decides.
    pub(crate) fail_on: Option<Severity>,
}

/// How many files a program that takes one at a time is started for.
const MOST_STARTS: usize = 400;
/// How many bytes of file names one start is given; the system's limit is twice that.
const MOST_NAME_BYTES: usize = 1 << 20;
/// The most output that is read back; the runner ends what writes more.
const MOST_OUTPUT: u64 = 64 << 20;

/// Runs a toolchain.
pub(crate) fn run_work(
    work: &Work<'_>,
    runner: &dyn RunPrograms,
) -> Result<CheckRun, ToolchainError> {
    let cwd = work.root.join(work.folder);
    if work.spec.is_in_process() {
        let diagnostics = json_schema::check_files(&cwd, work.files, runner);
        return Ok(CheckRun::in_process(work, diagnostics));
    }
    let program = find_program(work, &cwd, runner);
    let arguments = arguments_for(work, &program, &cwd, runner)?;
    let batches = batches(work.spec.unit, work.files);
    let left_out = work.files.len() - batches.iter().map(|batch| batch.len()).sum::<usize>();
    let mut outputs = Vec::new();
    for files in batches {
        let given = Given {
            program: &program,
            arguments: &arguments,
            files,
            headers: work.headers,
            profile: work.profile,
        };
        let request = request(work, &cwd, words(work.spec, &given));
        let finished = runner.run(&request).map_err(|error| refused(work, runner, error))?;
        outputs.push(outputs_of(finished));
    }
    Ok(CheckRun::of_program(work, runner, outputs, left_out))
}

/// Runs a command of the user's own, which needs no one's leave.
pub(crate) fn run_words(
    work: &Work<'_>,
    words: Vec<String>,
    runner: &dyn RunPrograms,
) -> Result<CheckRun, ToolchainError> {
    let cwd = work.root.join(work.folder);
    let request = RunRequest { gate: Gate::Approved, ..request(work, &cwd, words) };
    let finished = runner.run(&request).map_err(|error| refused(work, runner, error))?;
    Ok(CheckRun::of_program(work, runner, vec![outputs_of(finished)], 0))
}

fn request(work: &Work<'_>, cwd: &Path, words: Vec<String>) -> RunRequest {
    let timeout = work.spec.timeout;
    let limits = Limits {
        deadline: timeout,
        cpu_seconds: timeout.as_secs().saturating_mul(2).max(1),
        ..Limits::of(RunClass::Toolchain)
    };
    RunRequest {
        plan: Plan::of_argv(words),
        cwd: cwd.to_owned(),
        class: RunClass::Toolchain,
        risk: RiskClass::Build,
        gate: Gate::Toolchain { target: work.spec.target_id.clone() },
        by: work.by,
        limits,
        environment: environment(work),
        input: RunInput::Nothing,
        protected: crate::ProtectedFileUse::default(),
        ports: Vec::new(),
    }
}

fn environment(work: &Work<'_>) -> Vec<(String, String)> {
    let own = &work.spec.environment;
    let is_own = |name: &String| own.iter().any(|(other, _)| other == name);
    let others = work.environment.iter().filter(|(name, _)| !is_own(name));
    others.chain(own).cloned().collect()
}

// The project's own program when it has one, else the name, which the runner looks up.
fn find_program(work: &Work<'_>, cwd: &Path, runner: &dyn RunPrograms) -> String {
    let name = work.spec.compile_command.split_whitespace().next().unwrap_or_default();
    let folders = cwd.ancestors().take_while(|folder| folder.starts_with(work.root));
    let candidates = folders.flat_map(|folder| {
        work.spec.local_folders.iter().map(move |local| folder.join(local).join(name))
    });
    candidates
        .filter(|path: &PathBuf| runner.locate(path).is_some_and(|place| place.is_file()))
        .find_map(|path| path.to_str().map(str::to_owned))
        .unwrap_or_else(|| name.to_owned())
}

// A question about the version is only asked where the answer changes the arguments.
fn arguments_for(
    work: &Work<'_>,
    program: &str,
    cwd: &Path,
    runner: &dyn RunPrograms,
) -> Result<Vec<String>, ToolchainError> {
    let spec = work.spec;
    if !spec.twin_args.is_empty() && have_twins(work.files) {
        return Ok(spec.twin_args.clone());
    }
    if spec.since.is_empty() {
        return Ok(spec.compile_args.clone());
    }
    let version =
        ask_version(spec, program, cwd, runner).map_err(|error| refused(work, runner, error))?;
    let version = version.unwrap_or_default();
    let newer = spec.since.iter().rev().find(|since| is_at_least(&version, &since.version));
    Ok(newer.map_or(&spec.compile_args, |since| &since.compile_args).clone())
}

fn have_twins(files: &[String]) -> bool {
    let names: BTreeSet<&str> = files.iter().map(|file| file_name(file)).collect();
    names.len() < files.len()
}

fn batches(unit: WorkUnit, files: &[String]) -> Vec<&[String]> {
    match unit {
        WorkUnit::Folder => vec![files],
        WorkUnit::File => files.chunks(1).take(MOST_STARTS).collect(),
        WorkUnit::Files => {
            let (mut batches, mut start, mut bytes) = (Vec::new(), 0, 0);
            for (at, file) in files.iter().enumerate() {
                if bytes + file.len() > MOST_NAME_BYTES && at > start {
                    batches.push(&files[start..at]);
                    (start, bytes) = (at, 0);
                }
                bytes += file.len() + 1;
            }
            batches.push(&files[start..]);
            batches
        }
    }
}

fn refused(work: &Work<'_>, runner: &dyn RunPrograms, error: RunError) -> ToolchainError {
    let spec = work.spec;
    match error {
        RunError::NoSuchProgram { .. } => ToolchainError::Missing {
            target_id: spec.target_id.clone(),
            display_name: spec.display_name.clone(),
            binary_name: spec.binary_name.clone(),
            install_hint: install_hint(work, runner),
        },
        source => ToolchainError::NotRun { target_id: spec.target_id.clone(), source },
    }
}

// A package that the project names already is installed with all the others.
fn install_hint(work: &Work<'_>, runner: &dyn RunPrograms) -> String {
    let hint = &work.spec.install_hint;
    let package =
        hint.split("npm install --save-dev ").nth(1).and_then(|rest| rest.split('`').next());
    let Some(package) = package else { return hint.clone() };
    let cwd = work.root.join(work.folder);
    let mut folders = cwd.ancestors().take_while(|folder| folder.starts_with(work.root));
    let named = folders.any(|folder| {
        let manifest = runner.locate(&folder.join("package.json"));
        manifest.is_some_and(|manifest| names_package(&manifest, package))
    });
    if named {
        return format!("`npm install`: package.json names {package}, and it is not installed");
    }
    hint.clone()
}

fn names_package(manifest: &Path, package: &str) -> bool {
    const MOST_BYTES: u64 = 1 << 20;
    let mut text = String::new();
    let read = std::fs::File::open(manifest)
        .and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text));
    let Some(manifest) =
        read.ok().and_then(|_| serde_json::from_str::<serde_json::Value>(&text).ok())
    else {
        return false;
    };
    ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
        .iter()
        .any(|list| manifest.get(list).is_some_and(|list| list.get(package).is_some()))
}

fn outputs_of(finished: FinishedRun) -> Outputs {
    Outputs {
        stdout: text_of(&finished.stdout),
        stderr: text_of(&finished.stderr),
        record: finished.record,
    }
}

/// Returns all that a stream carried, from the file when memory holds only its ends.
pub(super) fn text_of(capture: &Capture) -> String {
    let mut bytes = Vec::new();
    let from_file = capture.file.as_ref().and_then(|path| std::fs::File::open(path).ok());
    let whole = from_file.is_some_and(|file| {
        file.take(MOST_OUTPUT).read_to_end(&mut bytes).is_ok_and(|read| read > 0)
    });
    if !whole {
        bytes = [capture.head.as_slice(), capture.tail.as_slice()].concat();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
