//! Whether an allowed command may start without anybody being asked: another question than whether
//! it is allowed.
//!
//! In: a verdict, whether every layer of the sandbox is there, and how careful the user is. Out: run,
//! or the reason to ask. Never turns a refused command into one that runs.

use super::CommandVerdict;
use crate::RiskClass;
use serde::{Deserialize, Serialize};

/// How careful the user wants to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AutoRunMode {
    /// Nothing starts by itself.
    #[default]
    Off,
    /// Only what reads, and what builds with the project's own tools.
    Strict,
    /// Whatever is allowed.
    Listed,
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[must_use]
pub enum AutoRun {
    /// It may start.
    Run,
    /// Ask: the policy does not allow it.
    NotAllowed,
    /// Ask: starting by itself is turned off.
    TurnedOff,
    /// Ask: the sandbox is not complete, and it is the boundary.
    MissingLayers,
    /// Ask: it writes or speaks to the network, and the mode is strict.
    TooRisky,
}

/// Decides whether a judged command may start without asking. An unattended caller takes everything
/// but [`AutoRun::Run`] as no.
pub fn may_auto_run(verdict: &CommandVerdict, layers_complete: bool, mode: AutoRunMode) -> AutoRun {
    if !verdict.allow {
        return AutoRun::NotAllowed;
    }
    match mode {
        AutoRunMode::Off => AutoRun::TurnedOff,
        _ if !layers_complete => AutoRun::MissingLayers,
        AutoRunMode::Strict if verdict.risk >= RiskClass::Write => AutoRun::TooRisky,
        AutoRunMode::Strict | AutoRunMode::Listed => AutoRun::Run,
    }
}
