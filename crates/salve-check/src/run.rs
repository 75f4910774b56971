//! The vocabulary of a run: its class, its limits, how it ended, its record.
//!
//! In: nothing. Out: plain data that the policy, the runner, the toolchains and the record speak.
//! Never starts anything.

use crate::{Guarantee, Layer, LayerLimit, Plan};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a command can do at worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskClass {
    /// Reads files of the workspace.
    Read,
    /// Runs the project's own tools, which may run the project's own code.
    Build,
    /// Writes files by itself.
    Write,
    /// Speaks to the network.
    Network,
}

/// Who chose the command; decides the deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunClass {
    /// A line was proposed: 30 seconds.
    Proposed,
    /// A registered toolchain: 300 seconds.
    Toolchain,
    /// A question to a program, such as its version: 10 seconds.
    Probe,
}

/// What a run may use up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall clock until the run is ended.
    pub deadline: Duration,
    /// Between asking (TERM) and ending (KILL).
    pub grace: Duration,
    /// Output above which the run is ended, both streams together.
    pub output_bytes: u64,
    /// Processor time of each process, in seconds.
    pub cpu_seconds: u64,
    /// Memory in use, of all processes together.
    pub memory_bytes: u64,
    /// Processes and threads at a time.
    pub processes: u64,
    /// Open files of each process, unless it raises that to the most this process may have.
    pub open_files: u64,
    /// Size of a file that is written.
    pub file_bytes: u64,
    /// Bytes written to disks, of all processes together.
    pub disk_bytes: u64,
    /// Files and folders by which the workspace's file system may grow meanwhile.
    pub new_files: u64,
}

/// A limit that ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RunLimit {
    /// [`Limits::memory_bytes`].
    Memory,
    /// [`Limits::processes`].
    Processes,
    /// [`Limits::disk_bytes`].
    Disk,
    /// [`Limits::new_files`].
    Files,
}

impl RunLimit {
    /// Says in words what there was too much of.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Memory => "too much memory",
            Self::Processes => "too many processes",
            Self::Disk => "too much written to disk",
            Self::Files => "too many new files",
        }
    }
}

impl Limits {
    /// Returns the limits of a proposed command: what only reads has the time of a question, what
    /// builds, tests or fetches that of a build.
    pub fn of_proposed(risk: RiskClass, deadline: Option<Duration>) -> Self {
        let usual = match risk {
            RiskClass::Read => 30,
            RiskClass::Build | RiskClass::Write | RiskClass::Network => 600,
        };
        let deadline = deadline.unwrap_or(Duration::from_secs(usual));
        let cpu_seconds = deadline.as_secs().saturating_mul(2).max(1);
        Self { deadline, cpu_seconds, ..Self::of(RunClass::Proposed) }
    }

    /// Returns the defaults of a class.
    pub fn of(class: RunClass) -> Self {
        let seconds = match class {
            RunClass::Proposed => 30,
            RunClass::Toolchain => 300,
            RunClass::Probe => 10,
        };
        Self {
            deadline: Duration::from_secs(seconds),
            grace: Duration::from_secs(2),
            output_bytes: 64 << 20,
            cpu_seconds: 2 * seconds,
            memory_bytes: 4 << 30,
            processes: 256,
            open_files: 1 << 16,
            file_bytes: 16 << 30,
            disk_bytes: 16 << 30,
            new_files: 1_000_000,
        }
    }
}

/// Why a run was let through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "gate", rename_all = "kebab-case")]
pub enum Gate {
    /// The policy allows it and every layer of the sandbox is there.
    Policy {
        /// The rule that allowed it.
        rule: String,
    },
    /// A person said yes.
    Approved,
    /// A toolchain of the registry.
    Toolchain {
        /// Its id.
        target: String,
    },
}

/// On whose behalf a run was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartedBy {
    /// A person at the command line.
    User,
    /// A model proposed it.
    Model,
    /// Salve itself: a check or a fix.
    Salve,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RunEnding {
    /// The last program ended by itself.
    Exited {
        /// Its exit code.
        code: i32,
    },
    /// A signal ended it that was not ours.
    Signalled {
        /// The number of the signal.
        signal: i32,
    },
    /// The deadline passed.
    DeadlinePassed,
    /// It wrote more than its limit.
    TooMuchOutput,
    /// It used up something else.
    LimitExceeded {
        /// What.
        limit: RunLimit,
    },
}

/// What a program reads from its standard input.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum RunInput {
    /// Nothing.
    #[default]
    Nothing,
    /// What the caller gave to this process: a pipe or a file. Never a terminal.
    Caller,
    /// These bytes.
    Bytes(Vec<u8>),
    /// What is typed at the terminal of this process, through a terminal of the run's own, which its
    /// output goes to as well. Nothing where this process has none, or the run cannot have one.
    Terminal,
}

/// What is kept of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// A name for this run, unique in its workspace.
    pub id: String,
    /// When it started: seconds since 1970.
    pub started_at: u64,
    /// What was executed.
    pub plan: Plan,
    /// Where.
    pub cwd: PathBuf,
    /// Its class.
    pub class: RunClass,
    /// What it could do at worst.
    pub risk: RiskClass,
    /// Why it was let through.
    #[serde(flatten)]
    pub gate: Gate,
    /// On whose behalf.
    pub by: StartedBy,
    /// How it ended.
    pub ending: RunEnding,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Bytes written to standard output and standard error.
    pub output_bytes: u64,
    /// BLAKE3 of the output, standard output first, as hexadecimal digits; empty when there was too
    /// much of it to be kept.
    pub output_hash: String,
    /// The file with all of standard output, relative to the workspace; standard error is beside it
    /// as `.err`. Absent when none was kept.
    pub output_file: Option<String>,
    /// Processes that outlived their command and were ended with it.
    pub orphans: u32,
    /// Layers of the sandbox that were missing.
    pub missing_layers: Vec<String>,
    /// Guarantees that nothing kept: a person agreed to run without them.
    #[serde(default)]
    pub missing_guarantees: Vec<String>,
    /// Ports of this machine whose services it could reach.
    #[serde(default)]
    pub ports: Vec<u16>,
}

/// Everything the runner must be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRequest {
    /// What to execute.
    pub plan: Plan,
    /// Where; inside the runner's workspace.
    pub cwd: PathBuf,
    /// Its class.
    pub class: RunClass,
    /// What it could do at worst; only [`RiskClass::Network`] gets a network.
    pub risk: RiskClass,
    /// Why it was let through.
    pub gate: Gate,
    /// On whose behalf.
    pub by: StartedBy,
    /// What it may use up.
    pub limits: Limits,
    /// Variables beside those every run gets.
    pub environment: Vec<(String, String)>,
    /// What it reads.
    pub input: RunInput,
    /// What it may do to the protected files of the workspace.
    pub protected: ProtectedFileUse,
    /// Services of this machine that it may reach: TCP ports on `127.0.0.1` or `::1`.
    pub ports: Vec<u16>,
}

/// What a run may do to files that editors, hooks, build servers and agents execute or obey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ProtectedFileUse {
    /// Nothing: what exists is read-only, what is new is moved aside afterwards.
    #[default]
    Kept,
    /// What it likes: a person said so.
    Allowed,
}

/// Starts what was let through. Toolchains are written against this, so that a test can count.
pub trait RunPrograms {
    /// Runs to the end, whatever the end is.
    ///
    /// # Errors
    ///
    /// Fails when nothing was run: the program is not there, the loop is paused, a layer is missing.
    fn run(&self, request: &RunRequest) -> Result<FinishedRun, RunError>;

    /// Returns where the file lies that programs find at a path; nothing when there is none. Programs
    /// that run in a layer over a folder find other files there than this process does.
    fn locate(&self, path: &Path) -> Option<PathBuf> {
        path.symlink_metadata().is_ok().then(|| path.to_owned())
    }

    /// Lists the files below a folder that programs find in other places than this process does, or
    /// do not find at all. A later one of the same path counts.
    fn laid_over(&self, folder: &Path) -> Vec<LaidOver> {
        let _folders_are_what_they_are = folder;
        Vec::new()
    }
}

/// A file in a layer over a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaidOver {
    /// Its path, relative to the folder, with `/`.
    pub path: String,
    /// Whether it is there; if not, it is taken away with everything below it.
    pub is_there: bool,
}

/// A run that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedRun {
    /// What is kept of it.
    pub record: RunRecord,
    /// Standard output.
    pub stdout: Capture,
    /// Standard error.
    pub stderr: Capture,
    /// What the run set off beside its own end.
    pub events: Vec<RunEvent>,
}

/// Something that the driver of a loop of runs must hear of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RunEvent {
    /// Commands left too many processes behind: PAUSE was written to the control file.
    BreakerTripped {
        /// How many processes had to be ended since the runner was made or last tripped.
        orphans: u32,
        /// The control file, relative to the workspace.
        control_file: String,
    },
    /// The run made files that editors, hooks, build servers or agents execute or obey.
    MovedAside {
        /// Where they were, relative to the workspace.
        paths: Vec<PathBuf>,
        /// The folder they are in now, relative to the workspace.
        folder: String,
    },
    /// The run left more files than are looked at: what editors, hooks, build servers or agents obey
    /// was looked for by name only in some folders, and not below them.
    NotLookedAt {
        /// How many folders.
        folders: usize,
    },
    /// Another run had the caches that are kept for the workspace, so that this one went without.
    CachesBusy {
        /// Whether this run would have added to them: nothing that it fetched is kept.
        added: bool,
    },
    /// The run failed by what layers over the workspace cannot do, and was repeated in a copy of it.
    RepeatedOnCopy {
        /// What they cannot.
        because: LayerLimit,
    },
}

/// What a stream carried: its two ends in memory, all of it in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capture {
    /// How many bytes came.
    pub bytes: u64,
    /// The first of them, at most [`Capture::KEPT`].
    pub head: Vec<u8>,
    /// The last of them that are not in `head`, at most [`Capture::KEPT`].
    pub tail: Vec<u8>,
    /// Lines from between the two ends that look like diagnostics, at most [`Capture::NOTABLE`].
    pub notable: Vec<u8>,
    /// Where all of them are, when they were kept.
    pub file: Option<PathBuf>,
}

impl Capture {
    /// How much of each end is kept in memory.
    pub const KEPT: usize = 32 << 10;
    /// How much of what looks like diagnostics is kept from between the ends.
    pub const NOTABLE: usize = 4 << 10;
}

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The program does not exist.
    #[error("there is no program `{program}` on this machine")]
    NoSuchProgram {
        /// Its name.
        program: String,
    },
    /// A person wrote PAUSE.
    #[error(
        "paused by `.salve/CONTROL.md`; remove the word PAUSE there, or write RESUME, to go on"
    )]
    Paused,
    /// The sandbox lacks layers and no one said to run without them.
    #[error("the sandbox lacks {}; a person can still run it with `--yes`", .missing.join(", "))]
    MissingLayers {
        /// The missing layers.
        missing: Vec<String>,
        /// The guarantees that nothing keeps without them.
        open: Vec<Guarantee>,
    },
    /// The run has no network of its own, in which ports could be given to it.
    #[error(
        "ports can be named only where a run has a network of its own, which needs the layer \
         {}; `--network` gives it all of the machine's, once that is approved",
        Layer::NetworkNamespace
    )]
    NoPorts,
    /// The system refused.
    #[error("cannot {action}: {source}")]
    System {
        /// What was tried.
        action: String,
        /// What the system said.
        source: std::io::Error,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_that_of_the_class_unless_it_is_given() {
        let seconds = |risk, given: Option<u64>| {
            let limits = Limits::of_proposed(risk, given.map(Duration::from_secs));
            (limits.deadline.as_secs(), limits.cpu_seconds)
        };
        assert_eq!(seconds(RiskClass::Read, None), (30, 60));
        for risk in [RiskClass::Build, RiskClass::Write, RiskClass::Network] {
            assert_eq!(seconds(risk, None), (600, 1200), "{risk:?}");
        }
        assert_eq!(seconds(RiskClass::Build, Some(7)), (7, 14));
    }
}
