//! Which toolchains this machine has.
//!
//! In: the registry and a runner. Out: for each toolchain its version or its install hint. Each
//! program is asked once. Never changes anything, never fails: what does not answer is not there.

use super::invoke::text_of;
use super::version::version_in;
use super::{Registry, ToolchainSpec};
use crate::{
    Gate, Limits, Plan, RiskClass, RunClass, RunEnding, RunError, RunInput, RunPrograms,
    RunRequest, StartedBy,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What is known of a toolchain on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolReport {
    /// Which.
    pub target_id: String,
    /// The name people read.
    pub display_name: String,
    /// The version that answered; absent when none did.
    pub found: Option<String>,
    /// What to do when it is absent.
    pub install_hint: String,
}

/// Asks every toolchain of a registry for its version. `folder` is where the programs run.
pub fn probe_versions(
    registry: &Registry,
    folder: &Path,
    runner: &dyn RunPrograms,
) -> Vec<ToolReport> {
    let mut asked: BTreeMap<(String, Vec<String>), Option<String>> = BTreeMap::new();
    let mut reports = Vec::new();
    for spec in registry.specs() {
        let found = if spec.is_in_process() {
            Some(env!("CARGO_PKG_VERSION").to_owned())
        } else {
            let question = (spec.binary_name.clone(), spec.version_args.clone());
            let ask = || ask_version(spec, &spec.binary_name, folder, runner).ok().flatten();
            asked.entry(question).or_insert_with(ask).clone()
        };
        reports.push(ToolReport {
            target_id: spec.target_id.clone(),
            display_name: spec.display_name.clone(),
            found,
            install_hint: spec.install_hint.clone(),
        });
    }
    reports
}

/// Asks one program for its version. `None` when it ran and did not answer with success.
pub(super) fn ask_version(
    spec: &ToolchainSpec,
    program: &str,
    folder: &Path,
    runner: &dyn RunPrograms,
) -> Result<Option<String>, RunError> {
    let words = std::iter::once(program.to_owned()).chain(spec.version_args.iter().cloned());
    let finished = runner.run(&RunRequest {
        plan: Plan::of_argv(words),
        cwd: folder.to_owned(),
        class: RunClass::Probe,
        risk: RiskClass::Build,
        gate: Gate::Toolchain { target: spec.target_id.clone() },
        by: StartedBy::Salve,
        limits: Limits::of(RunClass::Probe),
        environment: spec.environment.clone(),
        input: RunInput::Nothing,
        protected: crate::ProtectedFileUse::default(),
        ports: Vec::new(),
    })?;
    if finished.record.ending != (RunEnding::Exited { code: 0 }) {
        return Ok(None);
    }
    let said = [text_of(&finished.stdout), text_of(&finished.stderr)];
    let version = said.iter().find_map(|text| version_in(text));
    // A program that answers without a number is there all the same.
    Ok(Some(version.unwrap_or_else(|| "unknown version".to_owned())))
}
