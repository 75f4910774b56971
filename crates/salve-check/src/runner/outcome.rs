//! What the launcher's report means for a run.
//!
//! In: a report, or none. Out: the ending for the record, or why nothing was run. Never guesses: a
//! launcher that is lost without a reason is an error.

use super::session::{EndedBecause, Finished};
use crate::{
    Capture, Gate, LauncherReport, Layer, ProgramEnding, RunClass, RunEnding, RunError, RunRequest,
    StartedBy,
};

/// Why an attempt ran nothing.
pub(super) enum Refusal {
    Layer(Layer, String),
    Other(RunError),
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Self {
        Self::Other(error)
    }
}

/// No person is there who could agree to running without a guarantee.
pub(super) fn needs_every_guarantee(request: &RunRequest) -> bool {
    match request.gate {
        Gate::Approved => false,
        Gate::Policy { .. } => true,
        // A person who starts a check is there; a program's version can be asked for anywhere.
        Gate::Toolchain { .. } => request.by != StartedBy::User && request.class != RunClass::Probe,
    }
}

/// Returns how a run ended and how many processes had to be ended with it.
pub(super) fn ending(finished: &Finished) -> Result<(RunEnding, u32), Refusal> {
    let because = finished.ended.map(|because| match because {
        EndedBecause::Deadline => RunEnding::DeadlinePassed,
        EndedBecause::Output => RunEnding::TooMuchOutput,
    });
    match (&finished.report, because) {
        (Some(LauncherReport::Executed { orphans, .. }), Some(ending)) => Ok((ending, *orphans)),
        (Some(LauncherReport::Executed { last, orphans, exceeded }), None) => {
            let ending = match (*exceeded, *last) {
                (Some(limit), _) => RunEnding::LimitExceeded { limit },
                (None, ProgramEnding::Code(code)) => RunEnding::Exited { code },
                (None, ProgramEnding::Signal(signal)) => RunEnding::Signalled { signal },
            };
            Ok((ending, *orphans))
        }
        (Some(LauncherReport::NoSuchProgram { program }), _) => {
            Err(RunError::NoSuchProgram { program: program.clone() }.into())
        }
        (Some(LauncherReport::LayerFailed { layer, why }), _) => {
            Err(Refusal::Layer(*layer, why.clone()))
        }
        // Taken in by the session, and no report.
        (Some(LauncherReport::Listening { .. } | LauncherReport::Terminal), _) => {
            Err(system("run the launcher")(std::io::ErrorKind::InvalidData.into()).into())
        }
        (Some(LauncherReport::Failed { action, why }), _) => {
            let source = std::io::Error::other(why.clone());
            Err(RunError::System { action: action.clone(), source }.into())
        }
        (None, Some(ending)) => Ok((ending, 0)),
        (None, None) => {
            let lost = std::io::Error::other("it ended without a report");
            Err(system("run the launcher")(lost).into())
        }
    }
}

/// Adds a stream to the hash of the output, from memory or from its file.
pub(super) fn add_to_hash(hasher: &mut blake3::Hasher, capture: &Capture) -> std::io::Result<()> {
    if capture.is_whole() {
        hasher.update(&capture.head).update(&capture.tail);
        return Ok(());
    }
    let file = capture.file.as_ref().ok_or(std::io::ErrorKind::NotFound)?;
    hasher.update_reader(std::fs::File::open(file)?).map(drop)
}

/// Makes an error of the system say what was tried.
pub(super) fn system(action: impl Into<String>) -> impl FnOnce(std::io::Error) -> RunError {
    let action = action.into();
    move |source| RunError::System { action, source }
}
