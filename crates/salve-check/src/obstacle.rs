//! What of the sandbox probably made a command fail, from the words of the tools it stopped.
//!
//! In: how a run ended, what it wrote, and by what it was held. Out: the one obstacle that is most
//! likely, and what to do about it. The only place that knows these words. Never certain: it is a hint
//! for a person, and nothing is decided by it.

mod denied;
mod layers;
mod words;

pub use layers::LayerLimit;
pub(crate) use layers::layer_limit;

use crate::{Capture, FinishedRun, Gate, Layer, RiskClass, RunEnding, RunLimit, RunRecord};
use serde::Serialize;
use std::fmt;

/// What was in the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "obstacle", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Obstacle {
    /// A dependency is not on this machine and cannot be fetched from in here.
    Unfetched {
        /// The command that fetches it outside.
        fetch: &'static str,
    },
    /// The network.
    Network,
    /// A service on this machine.
    Service {
        /// Its port, when it was said.
        port: Option<u16>,
    },
    /// The repository's own folder, which is read-only.
    Repository,
    /// A file that tools outside of the sandbox obey, which is read-only.
    Protected {
        /// The file, as the tool wrote it.
        path: String,
    },
    /// The workspace's own folder, where nothing new can be made without namespaces.
    WorkspaceFolder,
    /// The system's folders for temporary files, which are closed without namespaces.
    TemporaryFolder,
    /// The loopback, which does not exist without namespaces.
    Loopback,
    /// The system call by which debuggers, and LeakSanitizer at its end, look into processes.
    Tracing,
    /// The limit of memory.
    Memory,
    /// The limit of a file's size.
    FileSize,
    /// The limit of open files.
    OpenFiles,
    /// The limit of processes and threads.
    Processes,
    /// The limit of what is written to disk.
    Disk,
    /// The limit of new files.
    NewFiles,
    /// The file system in memory that everything outside the workspace is written to.
    Space,
    /// The deadline.
    Deadline {
        /// The toolchain whose deadline it is; a command's own when absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        target: Option<String>,
    },
}

/// Returns the likely obstacle of a run that failed.
#[must_use]
pub fn likely_obstacle(run: &FinishedRun) -> Option<Obstacle> {
    let text = [text_of(&run.stderr), text_of(&run.stdout)].concat();
    obstacle_in(&run.record, &text)
}

/// The same from the text of both streams.
#[must_use]
pub fn obstacle_in(record: &RunRecord, text: &str) -> Option<Obstacle> {
    /// The system's signal for a file that grew too large.
    const FILE_SIZE: i32 = 25;
    match &record.ending {
        // What wrote too much is said with the ending.
        RunEnding::Exited { code: 0 } | RunEnding::TooMuchOutput => None,
        RunEnding::LimitExceeded { limit } => Some(match limit {
            RunLimit::Memory => Obstacle::Memory,
            RunLimit::Processes => Obstacle::Processes,
            RunLimit::Disk => Obstacle::Disk,
            RunLimit::Files => Obstacle::NewFiles,
        }),
        RunEnding::DeadlinePassed => {
            let target = match &record.gate {
                Gate::Toolchain { target } => Some(target.clone()),
                _ => None,
            };
            Some(Obstacle::Deadline { target })
        }
        RunEnding::Signalled { signal: FILE_SIZE } => Some(Obstacle::FileSize),
        RunEnding::Exited { .. } | RunEnding::Signalled { .. } => {
            words::read(text, &Walls::of(record))
        }
    }
}

/// What was around a run.
struct Walls {
    has_network: bool,
    /// There were no namespaces: rules alone held it.
    by_rules: bool,
    /// Where it started, in lower case as everything that is compared.
    cwd: String,
}

impl Walls {
    fn of(record: &RunRecord) -> Self {
        let lacks = |layer: Layer| record.missing_layers.iter().any(|name| name == layer.name());
        // Shells say so of a file that exists and is not executable.
        let not_executable = record.ending == RunEnding::Exited { code: 126 };
        Self {
            has_network: record.risk == RiskClass::Network,
            by_rules: lacks(Layer::MountNamespace) && !not_executable,
            cwd: record.cwd.to_string_lossy().to_lowercase(),
        }
    }
}

fn text_of(capture: &Capture) -> String {
    let mut bytes = capture.head.clone();
    bytes.extend_from_slice(&capture.notable);
    bytes.extend_from_slice(&capture.tail);
    String::from_utf8_lossy(&bytes).into_owned()
}

impl fmt::Display for Obstacle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfetched { fetch } => write!(
                out,
                "there is no network in here and a dependency is not on this machine: run `{fetch}` \
                 yourself first, or give this the network with `salve run --network`"
            ),
            Self::Network => out.write_str(
                "there is no network in here; `salve run --network` gives it one, once that is approved",
            ),
            Self::Service { port: Some(port) } => write!(
                out,
                "services of this machine are not reachable in here unless their port is named: `salve \
                 run --allow-port {port}`"
            ),
            Self::Service { port: None } => out.write_str(
                "services of this machine are not reachable in here unless their port is named: `salve \
                 run --allow-port PORT`",
            ),
            Self::Repository => out.write_str(
                "`.git` is read-only in here: run the git command that writes to it yourself",
            ),
            Self::Protected { path } => write!(
                out,
                "`{path}` is read-only in here, because editors, hooks, build servers or agents obey such \
                 files: `salve run --allow-protected` lets a command write them"
            ),
            Self::WorkspaceFolder => write!(
                out,
                "without namespaces nothing new can be made directly in the workspace's folder: make it \
                 yourself first (`mkdir`, `touch`), write into a folder below, or {ALLOW_NAMESPACES}"
            ),
            Self::TemporaryFolder => write!(
                out,
                "without namespaces a run has no `/tmp` but the folder that `TMPDIR` names: use that one, \
                 or {ALLOW_NAMESPACES}"
            ),
            Self::Loopback => write!(
                out,
                "without namespaces a run has no sockets, not even on its own loopback: \
                 {ALLOW_NAMESPACES}, or run it yourself"
            ),
            Self::Tracing => out.write_str(
                "no process can trace another in here (ptrace): `--env ASAN_OPTIONS=detect_leaks=0` \
                 leaves LeakSanitizer out; run a debugger yourself",
            ),
            Self::Memory => out.write_str(
                "the sandbox limits the memory of a run, all of its processes together, which may be \
                 why; run it yourself if it needs more",
            ),
            Self::FileSize => out.write_str(
                "the sandbox limits the size of a file that is written, which may be why; run it \
                 yourself if it needs more",
            ),
            Self::OpenFiles => out.write_str(
                "the sandbox limits the number of open files, which may be why; run it yourself if it \
                 needs more",
            ),
            Self::Processes => out.write_str(
                "the sandbox limits the processes and threads of a run, which may be why: give it fewer \
                 workers (`-j 2`), or run it yourself",
            ),
            Self::Disk => out.write_str(
                "the sandbox limits what a run writes to disk; run it yourself if it needs more",
            ),
            Self::NewFiles => out.write_str(
                "the sandbox limits how many files a run makes; run it yourself if it needs more",
            ),
            Self::Space => out.write_str(
                "what a run writes outside the workspace, `/tmp` too, is kept in memory and limited, \
                 which may be why: let it write into the workspace (`--env TMPDIR=FOLDER`)",
            ),
            Self::Deadline { target: None } => {
                out.write_str("it was ended at its deadline; `--timeout SECONDS` gives it longer")
            }
            Self::Deadline { target: Some(target) } => write!(
                out,
                "{target} was ended at its deadline; `timeout_seconds` of a `[[toolchain]]` with \
                 `target_id = \"{target}\"` in your config.toml gives it longer"
            ),
        }
    }
}

/// What a person does about a machine without namespaces.
const ALLOW_NAMESPACES: &str = "allow namespaces (`salve doctor` says how)";

#[cfg(test)]
mod tests;
