//! The commands of an answer: judged, and run where they may run.
//!
//! In: a line that a model proposes, and whether a person agreed to it. Out: how it ended, or why it did not
//! run. Never decides by itself: `salve_check::next_step` does, and silence is no yes.

use super::{TurnWork, io};
use crate::facts::{CommandPaths, RepositoryFacts, judge_line};
use crate::heal::{HealParts, RepairError};
use crate::session::reply::SuggestedCommand;
use salve_check::{
    Attendance, AutoRunMode, CommandVerdict, FinishedRun, Gate, Keep, Limits, NextStep,
    ProposedCommand, ProtectedFileUse, RiskClass, Rule, RunClass, RunEnding, RunInput, RunPrograms,
    RunRequest, StartedBy, entries_to_add, next_step,
};

/// What became of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandOutcome {
    /// It ran.
    Ran(Box<RunOutcome>),
    /// A person is there, and is asked.
    Waits {
        /// Why it does not run by itself.
        why: String,
    },
    /// A person would have to allow it, and none is there.
    Skipped {
        /// Why it does not run by itself.
        why: String,
    },
    /// It cannot run, or a rule denies it.
    Denied {
        /// Why.
        why: String,
    },
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    /// Whether it succeeded.
    pub ok: bool,
    /// Its exit code, where it ended by itself.
    pub exit: Option<i32>,
    /// How long it took.
    pub duration_ms: u64,
    /// Where it ran, relative to the workspace.
    pub cwd: String,
    /// What a person is shown of its output.
    pub shown: String,
    /// What the model is told of it.
    pub for_model: String,
    /// What it wrote, where that says all: one stream alone, of a command that ended by itself; else as `for_model`.
    pub said: String,
}

impl TurnWork {
    /// Runs a command if it may run: `mode` says which run by themselves.
    ///
    /// # Errors
    /// When the workspace cannot be opened.
    pub fn run_command(
        &self,
        command: &SuggestedCommand,
        mode: AutoRunMode,
        agreed: bool,
        attended: bool,
    ) -> Result<CommandOutcome, RepairError> {
        run_line(&self.parts, &self.input.here, command, mode, agreed, attended)
    }
}

/// Runs a line in a workspace if it may run: `mode` says which run by themselves.
///
/// # Errors
/// When the workspace cannot be opened.
pub(crate) fn run_line(
    parts: &HealParts,
    here: &str,
    command: &SuggestedCommand,
    mode: AutoRunMode,
    agreed: bool,
    attended: bool,
) -> Result<CommandOutcome, RepairError> {
    let workspace = &parts.workspace;
    let root = workspace.root().map_err(|error| io(&error))?;
    let start = command.cwd.as_deref().map(str::trim).filter(|cwd| !matches!(*cwd, "" | "."));
    let start = start.unwrap_or(here);
    let Some(start) = inside(&workspace.folder, start) else {
        let why = format!("`{start}` is no folder of the workspace");
        return Ok(CommandOutcome::Denied { why });
    };
    let judged = judge_line(&command.command, &workspace.policy, &root, &start);
    let Some(plan) = judged.verdict.plan.clone() else {
        return Ok(CommandOutcome::Denied { why: judged.verdict.why });
    };
    let paths = CommandPaths::from_here(&root, &judged.here);
    let repository = RepositoryFacts::of(&workspace.folder.join(&judged.here));
    let addable =
        entries_to_add(&judged.line, RiskClass::Write, &workspace.policy, &paths, &repository);
    let attendance = match (agreed, attended) {
        (true, _) => Attendance::Agreed,
        (false, true) => Attendance::Interactive,
        (false, false) => Attendance::Unattended,
    };
    let step = next_step(ProposedCommand {
        verdict: &judged.verdict,
        addable: addable.is_ok_and(|entries| !entries.is_empty()),
        layers_complete: true,
        mode,
        attendance,
    });
    let why = judged.verdict.why.clone();
    match step {
        NextStep::Run => {}
        NextStep::Skip if judged.verdict.rule == Rule::Denied => {
            return Ok(CommandOutcome::Denied { why });
        }
        NextStep::Skip => return Ok(CommandOutcome::Skipped { why }),
        NextStep::RunButton | NextStep::Prompt(_) => return Ok(CommandOutcome::Waits { why }),
    }
    let (gate, risk) = allowed(&judged.verdict, agreed);
    let request = RunRequest {
        plan,
        cwd: workspace.folder.join(&judged.here),
        class: RunClass::Proposed,
        risk,
        gate,
        by: StartedBy::Model,
        limits: Limits::of_proposed(risk, None),
        environment: parts.environment.clone(),
        input: RunInput::Nothing,
        protected: ProtectedFileUse::default(),
        ports: Vec::new(),
    };
    let runner = workspace.runner(Keep::RECORDS).map_err(|error| io(&error))?;
    Ok(match runner.run(&request) {
        Ok(finished) => CommandOutcome::Ran(Box::new(ran(&finished, judged.here))),
        Err(error) => CommandOutcome::Denied { why: error.to_string() },
    })
}

// What a yes gives: a line that is not understood gets no network for it.
fn allowed(verdict: &CommandVerdict, agreed: bool) -> (Gate, RiskClass) {
    if !agreed {
        let rule = serde_json::to_value(verdict.rule).ok();
        let rule = rule.and_then(|rule| rule.as_str().map(str::to_owned)).unwrap_or_default();
        return (Gate::Policy { rule }, verdict.risk);
    }
    let is_strange =
        matches!(verdict.rule, Rule::Never | Rule::NotListed | Rule::Name | Rule::Denied);
    let risk = if verdict.allow || !is_strange { verdict.risk } else { RiskClass::Write };
    (Gate::Approved, risk)
}

fn ran(finished: &FinishedRun, cwd: String) -> RunOutcome {
    RunOutcome {
        ok: finished.succeeded(),
        exit: match finished.record.ending {
            RunEnding::Exited { code } => Some(code),
            _ => None,
        },
        duration_ms: finished.record.duration_ms,
        cwd,
        shown: finished.for_display(),
        for_model: finished.for_model(),
        said: said(finished),
    }
}

fn said(finished: &FinishedRun) -> String {
    let ended = matches!(finished.record.ending, RunEnding::Exited { .. });
    match (finished.stdout.bytes, finished.stderr.bytes) {
        (0, 0) if ended => String::new(),
        (_, 0) if ended => finished.stdout.for_model(),
        (0, _) if ended => finished.stderr.for_model(),
        _ => finished.for_model(),
    }
}

// A folder of the workspace, relative to its root and without links; nothing for any other.
fn inside(root: &std::path::Path, folder: &str) -> Option<String> {
    let real = root.join(folder).canonicalize().ok()?;
    let inside = real.strip_prefix(root).ok()?;
    real.is_dir().then(|| inside.to_string_lossy().into_owned())
}
