//! Commands that belong to a fix, such as adding a dependency.
//!
//! In: the commands of a candidate, and what may run. Out: the candidate's layer with them run in it, the
//! manifests and lock files that they wrote, and whether they installed something that git ignores; or
//! the commands that a person would have to allow. Never runs what the policy denies, never in the user's
//! tree unless the fix was applied there.

use super::HealWork;
use crate::heal::{FixCommand, Patch, RepairError};
use salve_check::{
    Attendance, AutoRunMode, FinishedRun, Gate, InstallPlace, Keep, Limits, NextStep, Plan,
    ProposedCommand, ProtectedFileUse, RiskClass, Rule, RunClass, RunInput, RunPrograms,
    RunRequest, ShadowLayer, StartedBy, forgotten_install, next_step, quote_for_display,
};
use salve_types::CheckRole;
use serde::{Deserialize, Serialize};

/// What commands of fixes may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CommandConsent {
    /// Which run by themselves, of those that the policy allows.
    pub mode: AutoRunMode,
    /// Whether a person agreed to all that the policy does not deny, with a network.
    pub agreed: bool,
}

/// A layer with the commands of a candidate run in it.
pub(super) enum Prepared<'a> {
    /// They ran.
    Ready {
        layer: ShadowLayer<'a>,
        /// Whether they wrote what git ignores, which is no part of a change.
        installs: bool,
    },
    /// A person would have to allow these.
    NeedsApproval(Vec<String>),
    /// One failed, and what it said.
    Failed(String),
}

impl HealWork {
    /// Opens the layer of a state, and runs its commands there.
    pub(super) fn prepared(
        &self,
        patch: &Patch,
        commands: &[FixCommand],
    ) -> Result<Prepared<'_>, RepairError> {
        let mut requests = Vec::new();
        for command in commands {
            match self.allowed(command)? {
                Some(request) => requests.push(request),
                None => return Ok(Prepared::NeedsApproval(commands.iter().map(line_of).collect())),
            }
        }
        let layer = self.shadow.candidate(&patch.files).map_err(|error| super::io(&error))?;
        for (request, command) in requests.iter().zip(commands) {
            match layer.run(request) {
                Ok(finished) if finished.succeeded() => {}
                Ok(finished) => return Ok(Prepared::Failed(failed(command, &finished))),
                Err(error) => {
                    return Ok(Prepared::Failed(format!("`{}`: {error}", line_of(command))));
                }
            }
        }
        let installs = !commands.is_empty() && layer.wrote_ignored();
        Ok(Prepared::Ready { layer, installs })
    }

    // The run that a command may be; nothing when a person would have to allow it.
    fn allowed(&self, command: &FixCommand) -> Result<Option<RunRequest>, RepairError> {
        let consent = self.input.commands;
        let workspace = &self.parts.workspace;
        let plan = Plan::of_argv(command.argv.iter().cloned());
        let cwd = workspace.folder.join(&command.folder);
        let place = InstallPlace { workspace: &workspace.folder, cwd: &cwd, environment: None };
        // What it installs would be gone with its sandbox, also where a person allows it.
        if forgotten_install(&plan, place).is_some() {
            return Ok(None);
        }
        let verdict = workspace.judge(&line_of(command)).map_err(|error| super::io(&error))?;
        let attendance = if consent.agreed { Attendance::Agreed } else { Attendance::Unattended };
        let proposed = ProposedCommand {
            verdict: &verdict,
            addable: false,
            layers_complete: true,
            mode: consent.mode,
            attendance,
        };
        if next_step(proposed) != NextStep::Run {
            return Ok(None);
        }
        let (gate, risk) = match consent.agreed {
            true => (Gate::Approved, RiskClass::Network),
            false => (Gate::Policy { rule: rule_name(verdict.rule) }, verdict.risk),
        };
        Ok(Some(RunRequest {
            plan,
            cwd,
            class: RunClass::Proposed,
            risk,
            gate,
            by: StartedBy::Salve,
            limits: Limits::of_proposed(risk, None),
            environment: self.parts.environment.clone(),
            input: RunInput::Nothing,
            protected: ProtectedFileUse::default(),
            ports: Vec::new(),
        }))
    }

    /// Runs commands again in the tree that their fix was applied to, so that what they install is there
    /// too. Returns what a person should know of those that failed, or wrote something else than in the
    /// shadow.
    pub(crate) fn install(&self, commands: &[FixCommand], applied: &Patch) -> Vec<String> {
        let mut warnings = Vec::new();
        let runner = match self.parts.workspace.runner(Keep::RECORDS) {
            Ok(runner) => runner,
            Err(error) => return vec![error.to_string()],
        };
        for command in commands {
            let ran = match self.allowed(command) {
                Ok(Some(request)) => runner.run(&request).map_err(|error| error.to_string()),
                Ok(None) => Err("it is not allowed any more".to_owned()),
                Err(error) => Err(error.to_string()),
            };
            let line = line_of(command);
            match ran {
                Ok(finished) if finished.succeeded() => {}
                Ok(finished) => warnings.push(failed(command, &finished)),
                Err(why) => warnings.push(format!("`{line}` did not run here: {why}")),
            }
        }
        for (path, text) in &applied.files {
            let now = std::fs::read(self.folder().join(path)).ok();
            if now.as_deref() != text.as_deref().map(str::as_bytes) {
                warnings.push(format!("`{path}` was written again by a command of the fix"));
            }
        }
        warnings
    }
}

/// Returns the manifests and lock files that runs in a layer wrote.
pub(super) fn manifests(layer: &ShadowLayer<'_>) -> Patch {
    let written = layer.written().unwrap_or_default().into_iter();
    let of_manager = written.filter(|path| {
        let names: Vec<&str> = path.split('/').collect();
        matches!(CheckRole::of(&names), Some(CheckRole::Manifest | CheckRole::Lock))
    });
    let files = of_manager.filter_map(|path| {
        let text = layer.read(&path).ok()??;
        Some((path, Some(String::from_utf8(text).ok()?)))
    });
    Patch { files: files.collect() }
}

/// Returns a command as a person would type it, at the top of the workspace.
pub(crate) fn line_of(command: &FixCommand) -> String {
    quote_for_display(&command.argv)
}

fn rule_name(rule: Rule) -> String {
    let name = serde_json::to_value(rule).ok();
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

fn failed(command: &FixCommand, finished: &FinishedRun) -> String {
    let said = finished.stderr.for_display();
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    format!("`{}` failed: {last}", line_of(command))
}
