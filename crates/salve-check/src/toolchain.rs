//! Toolchains: the programs that check code, and how each of them is asked.
//!
//! In: a table of specs, built in and the user's own, and a folder. Out: which of them apply, and
//! what each said when it was run. A program runs only through [`crate::RunPrograms`], so the
//! sandbox is around it. A compile failure is a result; a program that is not there is an error with
//! its install hint. Never downloads or installs anything.
//!
//! A compiler or linter that lies in the project (`node_modules/.bin`, `.venv/bin`) is preferred to
//! the one on the search path: it is the version the project is written for. That runs a file of the
//! workspace, but so does every other check of the class build (build scripts, `eslint.config.js`,
//! `conftest.py`); the sandbox is the boundary for all of them.

mod declared;
mod detect;
mod invoke;
mod json_schema;
mod name_pattern;
mod neighbours;
mod probe;
mod registry;
mod spec_text;
mod survey;
mod typescript_fixes;
mod user_command;
mod version;
mod words;

pub use declared::Declared;
pub use detect::Detected;
pub(crate) use detect::{header_folders, its_files, where_it_applies};
pub(crate) use invoke::{Work, run_words, run_work};
pub(crate) use name_pattern::file_name;
pub use probe::{ToolReport, probe_versions};
pub use registry::Registry;
pub use spec_text::SpecError;
pub use survey::project_files;
pub(crate) use survey::{Ignored, Survey, is_in, is_tool_folder, survey, survey_for};
pub use typescript_fixes::add_typescript_fixes;
pub(crate) use user_command::read_command;

use crate::{OutputParser, RunError};
use salve_types::Severity;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// One toolchain: what it is called, how it is started, when it applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolchainSpec {
    /// The name it is asked for by: `cargo-check`, `tsc`, …
    pub target_id: String,
    /// The name people read.
    pub display_name: String,
    /// The program that must be there; its version is asked for.
    pub binary_name: String,
    /// What makes the program say its version.
    pub version_args: Vec<String>,
    /// What is started, split at spaces; no shell reads it. Empty for what Salve checks by itself.
    pub compile_command: String,
    /// Its arguments, with the placeholders of `built_in.toml`.
    pub compile_args: Vec<String>,
    /// What a person does when the program is missing.
    pub install_hint: String,
    /// When it is ended.
    pub timeout: Duration,
    /// The format it prints in.
    pub parser: OutputParser,
    /// Further arguments for a release build.
    pub release_args: Vec<String>,
    /// Other arguments from a version on, lowest version first.
    pub since: Vec<ArgsSince>,
    /// Other arguments when two of its files have one name, for a program that prints names without
    /// their folder.
    pub twin_args: Vec<String>,
    /// When it runs, seen from the others.
    pub phase: Phase,
    /// What it is given at a time.
    pub unit: WorkUnit,
    /// Where it applies.
    pub applies: Applies,
    /// Targets that must not be red for it to run.
    pub after: Vec<String>,
    /// The target it stands in for where that one is not installed.
    pub instead_of: Option<String>,
    /// Folders of a project that are looked into before the search path.
    pub local_folders: Vec<String>,
    /// Variables it is run with.
    pub environment: Vec<(String, String)>,
    /// Exit codes that mean: nothing wrong.
    pub success_codes: Vec<i32>,
    /// The mildest severity that makes it red; the check's own setting when absent.
    pub fail_on: Option<Severity>,
    /// What it can do, for the author of a repair request.
    pub capabilities: Vec<String>,
    /// What code must hold to, for the author of a repair request.
    pub conventions: Vec<String>,
}

impl ToolchainSpec {
    /// How long a toolchain may take unless said otherwise.
    pub const TIMEOUT: Duration = Duration::from_secs(300);

    /// Makes a spec that starts the program of the same name and reads its output as plain text.
    pub fn named(target_id: &str) -> Self {
        Self {
            target_id: target_id.to_owned(),
            display_name: target_id.to_owned(),
            binary_name: target_id.to_owned(),
            version_args: vec!["--version".to_owned()],
            compile_command: target_id.to_owned(),
            compile_args: Vec::new(),
            install_hint: format!("install `{target_id}` and put it on the search path"),
            timeout: Self::TIMEOUT,
            parser: OutputParser::Console,
            release_args: Vec::new(),
            since: Vec::new(),
            twin_args: Vec::new(),
            phase: Phase::Types,
            unit: WorkUnit::Folder,
            applies: Applies::default(),
            after: Vec::new(),
            instead_of: None,
            local_folders: Vec::new(),
            environment: Vec::new(),
            success_codes: vec![0],
            fail_on: None,
            capabilities: Vec::new(),
            conventions: Vec::new(),
        }
    }

    /// Returns whether Salve does the work itself and no program is started.
    pub fn is_in_process(&self) -> bool {
        self.compile_command.trim().is_empty()
    }

    /// Returns what a repair request says about the target.
    pub fn profile(&self) -> TargetProfile {
        TargetProfile {
            id: self.target_id.clone(),
            display_name: self.display_name.clone(),
            capabilities: self.capabilities.clone(),
            conventions: self.conventions.clone(),
        }
    }
}

/// What a repair request says about the target that found the error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetProfile {
    /// The target's id.
    pub id: String,
    /// The name people read.
    pub display_name: String,
    /// What the target can do: codes, spans, suggestions, running tests.
    pub capabilities: Vec<String>,
    /// What code must hold to.
    pub conventions: Vec<String>,
}

/// Arguments from a version of the program on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgsSince {
    /// The first version they hold for, such as `1.24`.
    pub version: String,
    /// The arguments instead of the others.
    pub compile_args: Vec<String>,
}

/// What kind of errors a toolchain finds; they run in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Whether the text is of the language.
    Syntax,
    /// Whether names and types fit.
    Types,
    /// Whether it holds to rules.
    Lint,
    /// Whether it does what it should.
    Tests,
}

impl Phase {
    /// Returns the phase as written on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Types => "types",
            Self::Lint => "lint",
            Self::Tests => "tests",
        }
    }
}

/// What one run of a toolchain is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkUnit {
    /// The folder; the program finds its files itself.
    Folder,
    /// All files that belong to it.
    Files,
    /// One file; it is run once for each.
    File,
}

/// Where a toolchain applies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applies {
    /// Files that say that it does; it runs in their folder.
    pub markers: Vec<Marker>,
    /// The names of the files it is given, with `*`; without markers, one such file is enough.
    pub files: Vec<String>,
    /// Files of which one must lie beside the marker or the file, or in a folder above.
    pub beside: Vec<String>,
    /// Files that must not lie there.
    pub not_beside: Vec<String>,
    /// Files that make a folder a project of its own: what lies above it is not beside it.
    pub project_files: Vec<String>,
    /// Targets that do the same better in the folders where they apply, and below.
    pub unless: Vec<String>,
    /// Whether it also runs in marked folders below a marked folder.
    pub nested: bool,
    /// Whether it runs in the marked folder nearest to what is to be checked instead of the outermost.
    pub nearest: bool,
}

/// Which project is checked for a file, where one project lies in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Reach {
    /// The one it belongs to.
    #[default]
    Nearest,
    /// The outermost one, with what else is in there and may depend on the file.
    Outermost,
}

/// A file that says that a toolchain applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// Its name, with `*`.
    pub file: String,
    /// What its text must hold, one of them; empty when the name is enough.
    pub contains: Vec<String>,
    /// What it must declare, one of them; empty when that does not matter.
    pub declares: Vec<Declared>,
    /// Whether the toolchain runs at the top of the marker's project and not beside the marker.
    pub at_top: bool,
}

/// Whether what is built is for developing or for shipping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BuildProfile {
    /// As while developing.
    #[default]
    Development,
    /// As for shipping.
    Release,
}

/// Why a toolchain was not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolchainError {
    /// It is not registered.
    #[error("there is no toolchain `{target_id}`; known are: {}", .known.join(", "))]
    Unknown {
        /// What was asked for.
        target_id: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Its program is not on this machine.
    #[error("{display_name} is not installed (no program `{binary_name}`): {install_hint}")]
    Missing {
        /// The toolchain.
        target_id: String,
        /// The name people read.
        display_name: String,
        /// The program that is missing.
        binary_name: String,
        /// What to do about it.
        install_hint: String,
    },
    /// It takes files, and there are none.
    #[error("{target_id} has nothing to check in `{}`; it looks for {looked_for}", .folder.display())]
    NothingToCheck {
        /// The toolchain.
        target_id: String,
        /// Where.
        folder: PathBuf,
        /// The names of its files.
        looked_for: String,
    },
    /// The runner refused or failed.
    #[error("{target_id} was not run: {source}")]
    NotRun {
        /// The toolchain.
        target_id: String,
        /// Why.
        source: RunError,
    },
    /// The folder or a file of it cannot be read.
    #[error("cannot read `{}`: {source}", .path.display())]
    Unreadable {
        /// What.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
