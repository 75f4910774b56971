//! What of the sandbox probably made a command fail, from the words of the tools it stopped.
//!
//! In: how a run ended, what it wrote, and whether it had the network. Out: the one obstacle that is
//! most likely, and what to do about it. The only place that knows these words. Never certain: it is a
//! hint for a person, and nothing is decided by it.

mod words;

use crate::{Capture, FinishedRun, RiskClass, RunEnding, RunLimit};
use serde::Serialize;
use std::fmt;

/// What stood in the way.
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
    /// The limit of memory.
    Memory,
    /// The limit of a file's size.
    FileSize,
    /// The limit of open files.
    OpenFiles,
    /// The deadline.
    Deadline,
}

/// Returns the likely obstacle of a run that failed.
#[must_use]
pub fn likely_obstacle(run: &FinishedRun) -> Option<Obstacle> {
    let text = [text_of(&run.stderr), text_of(&run.stdout)].concat();
    obstacle_in(&run.record.ending, run.record.risk, &text)
}

/// The same from the text of both streams.
#[must_use]
pub fn obstacle_in(ending: &RunEnding, risk: RiskClass, text: &str) -> Option<Obstacle> {
    /// The system's signal for a file that grew too large.
    const FILE_SIZE: i32 = 25;
    match ending {
        RunEnding::LimitExceeded { limit: RunLimit::Memory } => Some(Obstacle::Memory),
        // What exceeded another limit is said with the ending.
        RunEnding::Exited { code: 0 }
        | RunEnding::TooMuchOutput
        | RunEnding::LimitExceeded { .. } => None,
        RunEnding::DeadlinePassed => Some(Obstacle::Deadline),
        RunEnding::Signalled { signal: FILE_SIZE } => Some(Obstacle::FileSize),
        RunEnding::Exited { .. } | RunEnding::Signalled { .. } => {
            words::read(text, risk == RiskClass::Network)
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
            Self::Memory => out.write_str(
                "the sandbox limits the memory of each process, which may be why; run it yourself if it \
                 needs more",
            ),
            Self::FileSize => out.write_str(
                "the sandbox limits the size of a file that is written, which may be why; run it \
                 yourself if it needs more",
            ),
            Self::OpenFiles => out.write_str(
                "the sandbox limits the number of open files, which may be why; run it yourself if it \
                 needs more",
            ),
            Self::Deadline => {
                out.write_str("it was ended at its deadline; `--timeout SECONDS` gives it longer")
            }
        }
    }
}

#[cfg(test)]
mod tests;
