//! The work of a heal: checks in the shadow, fixes made, candidates tried.
//!
//! In: the parts that work on a folder, and a step of the loop. Out: what was found out, for the loop, and
//! the diagnostics in full, for the next fix. Programs run in the shadow alone. Never writes to the
//! user's tree: that is `finish`.

mod commands;
mod consult;
mod findings;
mod shadow_sources;

pub use commands::CommandConsent;
pub(super) use commands::line_of;
pub(super) use findings::name_of;
pub use findings::{CheckFindings, ToolsUsed};

use super::context::target_of;
use super::gates::{GateOptions, judge};
use super::machine::{
    Candidate, Catastrophe, Confidence, Confirmation, HealState, StepResult, TrialResult,
};
use super::{
    AgentSettings, Fix, FixOrigin, FixSource, HaltReason, HealFiles, HealInput, HealLock, Patch,
    RepairError, SavedHeal, Sources, UnusableAnswer, changed_lines, fixers, read_answer,
};
use crate::host::WorkspaceHost;
use crate::knowledge::{FixRule, KnowledgeSettings, Recalled};
use commands::Prepared;
use salve_check::{
    CheckOptions, CheckReport, CheckVerdict, Keep, Shadow, ShadowLayer, ShadowOptions, StartedBy,
    add_typescript_fixes, check_command, check_watched, is_paused,
};
use salve_store::Redact;
use shadow_sources::ShadowSources;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Returns the files of a folder with a patch on top.
pub(crate) fn sources_of<'a>(root: &'a Path, patch: &'a Patch) -> impl Sources + 'a {
    ShadowSources::new(root, patch)
}

/// What a heal needs of a workspace.
pub struct HealParts {
    /// Policy, toolchains and runner.
    pub workspace: WorkspaceHost,
    /// Variables the programs of a check get.
    pub environment: Vec<(String, String)>,
    /// The lock of the workspace, where the caller does not hold it itself.
    pub lock: Option<HealLock>,
    /// The agents of the user's own settings.
    pub agents: Vec<AgentSettings>,
    /// Takes secrets out of what agents are told.
    pub redact: Arc<dyn Redact>,
    /// The rules of the workspace itself, where the user trusts them.
    pub rules: Vec<FixRule>,
    /// Who else may see what is learned, and whose pins count.
    pub knowledge: KnowledgeSettings,
}

/// What became of a candidate.
pub struct Trial {
    /// For the loop.
    pub result: TrialResult,
    /// What its check showed, where it was checked.
    pub seen: Option<CheckFindings>,
    /// How long it took.
    pub milliseconds: u64,
    /// Whether its commands installed what is no part of a change.
    pub installs: bool,
}

/// A workspace and its shadow, while a heal works on it.
pub struct HealWork {
    parts: HealParts,
    input: HealInput,
    files: HealFiles,
    shadow: Shadow,
    /// What of the project's own build and tests fails in the tree as it is.
    failing_before: Mutex<Option<BTreeSet<String>>>,
}

impl HealWork {
    /// Opens the shadow of a workspace, with its layers in a private folder.
    ///
    /// # Errors
    /// When there can be no shadow.
    pub fn open(
        parts: HealParts,
        input: HealInput,
        job: &str,
        private: PathBuf,
    ) -> Result<Self, RepairError> {
        let runner = parts.workspace.runner_options(Keep::RECORDS);
        let shadow = Shadow::open(ShadowOptions { runner, private }).map_err(|error| io(&error))?;
        let files = HealFiles::new(&parts.workspace.folder, job);
        Ok(Self { parts, input, files, shadow, failing_before: Mutex::new(None) })
    }

    /// Returns the root of the workspace.
    pub fn folder(&self) -> &Path {
        &self.parts.workspace.folder
    }

    /// Returns the files that people find in `.salve`.
    pub fn files(&self) -> &HealFiles {
        &self.files
    }

    /// Returns whether the control file says PAUSE.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn is_paused(&self) -> Result<bool, RepairError> {
        let control = self.folder().join(".salve/CONTROL.md");
        match control.symlink_metadata() {
            Ok(found) if found.is_file() => Ok(is_paused(&std::fs::read_to_string(&control)?)),
            _ => Ok(false),
        }
    }

    /// Returns which files of the user's tree changed since the shadow was opened.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn tree_changes(&self) -> Result<Vec<String>, RepairError> {
        self.shadow.tree_changes().map_err(|error| io(&error))
    }

    /// Returns the name of the user's tree as it was when the shadow was opened.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn tree_name(&self) -> Result<String, RepairError> {
        self.shadow.tree_name().map_err(|error| io(&error))
    }

    /// Runs the failing check on the tree as it is. Where only tests fail, they run a second time: one
    /// that passes then is flaky.
    ///
    /// # Errors
    /// When a toolchain cannot be run.
    pub fn check(&self) -> Result<(CheckFindings, BTreeSet<String>), RepairError> {
        let layer = self.shadow.baseline().map_err(|error| io(&error))?;
        let first = self.failing_check(&layer)?;
        if first.is_green() || !first.only_tests_fail() {
            return Ok((first, BTreeSet::new()));
        }
        let again = self.failing_check(&layer)?;
        let flaky = first.no_longer_failing(&again);
        Ok((first.without(&flaky), flaky))
    }

    /// Returns the files of a state, as fixers and prompts see them.
    pub fn sources<'a>(&'a self, patch: &'a Patch) -> impl Sources + 'a {
        ShadowSources::new(&self.parts.workspace.folder, patch)
    }

    /// Asks a free source for fixes of what is wrong in the best state.
    ///
    /// # Errors
    /// When there is a proposal and no fix in it: who made it, and why not.
    pub fn propose(
        &self,
        source: FixSource,
        state: &SavedHeal,
        recalled: &Recalled,
    ) -> Result<Vec<Candidate>, (String, UnusableAnswer)> {
        let best = state.machine.best();
        let sources = self.sources(&best.patch);
        let fixes = match source {
            FixSource::Fixer => fixers::propose(&state.diagnostics, &sources),
            FixSource::Proposal => {
                return Ok(self.proposal(state, &sources)?.into_iter().collect());
            }
            FixSource::Rule => recalled.fixes_with(&self.parts.rules, &state.diagnostics, &sources),
            _ => recalled.fixes(source, &state.diagnostics, &sources),
        };
        Ok(fixes.into_iter().filter_map(|fix| candidate(fix, state, &sources)).collect())
    }

    /// Returns what the user decides about what is learned.
    pub const fn knowledge(&self) -> &KnowledgeSettings {
        &self.parts.knowledge
    }

    /// Adds to the diagnostics of the best state what tools propose only when they are asked: tsc prints no
    /// suggestions, its language service makes them. Fixes of other kinds are proposed also where it cannot
    /// be asked; then the report says why.
    ///
    /// # Errors
    /// When there can be no layer.
    pub(crate) fn add_code_fixes(&self, saved: &mut SavedHeal) -> Result<(), RepairError> {
        if !saved.diagnostics.iter().any(|one| one.tool == "tsc") {
            return Ok(());
        }
        let files = &saved.machine.best().patch.files;
        let layer = self.shadow.candidate(files).map_err(|error| io(&error))?;
        let (root, options) = (&self.parts.workspace.folder, self.check_options());
        for why in add_typescript_fixes(&mut saved.diagnostics, root, &options, &layer) {
            if !saved.warnings.contains(&why) {
                saved.warnings.push(why);
            }
        }
        Ok(())
    }

    fn proposal(
        &self,
        state: &SavedHeal,
        sources: &dyn Sources,
    ) -> Result<Option<Candidate>, (String, UnusableAnswer)> {
        let Some((agent, text)) = &self.input.proposal else { return Ok(None) };
        let best = state.machine.best();
        let target = target_of(&state.diagnostics, sources);
        let fix = read_answer(text, &best.patch, sources, target.as_deref())
            .map_err(|why| (agent.clone(), why))?;
        Ok(Some(Candidate {
            source: FixSource::Proposal,
            author: agent.clone(),
            description: format!("the change that {agent} proposed"),
            confidence: Confidence::from(fix.confidence),
            origin: FixOrigin::Derived,
            pinned: false,
            changed_lines: changed_lines(&best.patch, &fix.patch, sources),
            patch: fix.patch,
            commands: best.commands.clone(),
            round: 0,
        }))
    }

    /// Judges and tries candidates, at the same time where there are several.
    ///
    /// # Errors
    /// When a toolchain cannot be run at all.
    pub fn try_all(
        &self,
        candidates: &[Candidate],
        state: &SavedHeal,
    ) -> Result<Vec<Trial>, RepairError> {
        std::thread::scope(|scope| {
            let timed = |candidate: &Candidate| -> Result<Trial, RepairError> {
                let began = Instant::now();
                let tried = self.try_one(candidate, state)?;
                let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                Ok(Trial { milliseconds, ..tried })
            };
            let running: Vec<_> =
                candidates.iter().map(|candidate| scope.spawn(move || timed(candidate))).collect();
            let ended = running.into_iter().map(|one| {
                one.join().unwrap_or_else(|_| {
                    Err(RepairError::Io("a thread that tried a fix ended badly".to_owned()))
                })
            });
            ended.collect()
        })
    }

    fn try_one(&self, candidate: &Candidate, state: &SavedHeal) -> Result<Trial, RepairError> {
        let best = state.machine.best();
        let before = self.sources(&best.patch);
        let options = GateOptions::default();
        if let Err(refusal) = judge(candidate, &before, &state.diagnostics, options) {
            return Ok(TrialResult::Refused(refusal).into());
        }
        let (layer, installs) = match self.prepared(&candidate.patch, &candidate.commands)? {
            Prepared::Ready { layer, installs } => (layer, installs),
            Prepared::NeedsApproval(lines) => return Ok(TrialResult::NeedsApproval(lines).into()),
            Prepared::Failed(why) => return Ok(TrialResult::NotTried(why).into()),
        };
        let seen = self.failing_check(&layer)?.without(&state.flaky);
        let check = seen.summary();
        if candidate.commands.is_empty() {
            return Ok(Trial::new(TrialResult::Checked(check), seen, false));
        }
        let written = commands::manifests(&layer);
        // A package manager may write its own files, and in them what is no setting of the check.
        let by_manager =
            Candidate { origin: FixOrigin::Tool, patch: written.clone(), ..candidate.clone() };
        if let Err(refusal) = judge(&by_manager, &before, &state.diagnostics, options) {
            return Ok(TrialResult::Refused(refusal).into());
        }
        Ok(Trial::new(TrialResult::Grown { check, written }, seen, installs))
    }

    /// Runs the project's own build and tests with a candidate, and on the tree as it was. Where the
    /// failing check was these already, there is nothing more to run.
    ///
    /// # Errors
    /// When a toolchain cannot be run.
    pub fn confirm(
        &self,
        candidate: &Candidate,
        state: &SavedHeal,
    ) -> Result<Confirmation, RepairError> {
        let flaky = state.flaky.clone();
        if self.input.command.is_empty() {
            return Ok(Confirmation { flaky, ..Confirmation::default() });
        }
        let layer = match self.prepared(&candidate.patch, &candidate.commands)? {
            Prepared::Ready { layer, .. } => layer,
            Prepared::NeedsApproval(lines) => return Ok(unprepared(lines.join("; "))),
            Prepared::Failed(why) => return Ok(unprepared(why)),
        };
        let Some(report) = self.own_checks(&layer)? else {
            return Ok(Confirmation { flaky, ..Confirmation::default() });
        };
        let after = failing(&report);
        if after.is_empty() {
            return Ok(Confirmation { after, flaky, ..Confirmation::default() });
        }
        Ok(Confirmation { before: self.failing_before()?, after, flaky })
    }

    /// Runs the failing check on a state that was reached before.
    ///
    /// # Errors
    /// When a toolchain cannot be run.
    pub fn look_at(
        &self,
        reached: &HealState,
        flaky: &BTreeSet<String>,
    ) -> Result<CheckFindings, RepairError> {
        let layer = match self.prepared(&reached.patch, &reached.commands)? {
            Prepared::Ready { layer, .. } => layer,
            Prepared::NeedsApproval(lines) => return Err(RepairError::Io(lines.join("; "))),
            Prepared::Failed(why) => return Err(RepairError::Io(why)),
        };
        Ok(self.failing_check(&layer)?.without(flaky))
    }

    /// Runs the project's own checks with a patch, or on the tree as it is where the patch is empty. Nothing where
    /// no toolchain applies.
    ///
    /// # Errors
    /// When a toolchain applies and cannot be run.
    pub fn check_patch(&self, patch: &Patch) -> Result<Option<CheckFindings>, RepairError> {
        let layer = match patch.is_empty() {
            true => self.shadow.baseline(),
            false => self.shadow.candidate(&patch.files),
        };
        let report = self.own_checks(&layer.map_err(|error| io(&error))?)?;
        Ok(report.map(|report| CheckFindings::of_report(&report, self.input.fail_on)))
    }

    /// Gives up what was reached: keeps it for forensics first, then finds a checkpoint to go back to.
    pub fn roll_back(&self, catastrophe: &Catastrophe, saved: &SavedHeal, now: u64) -> StepResult {
        let state = serde_json::json!({
            "state": catastrophe.patch,
            "diff": catastrophe.patch.files.keys().collect::<Vec<_>>(),
            "error": catastrophe.compiler_error,
            "attempts": saved.machine.attempts(),
        });
        let kept = self.files.corrupted(now, &state);
        let Some(checkpoint) = kept.ok().and_then(|_| self.files.newest_valid_checkpoint()) else {
            return StepResult::Interrupted(HaltReason::NoCheckpoint);
        };
        let failures = catastrophe.failures;
        let words = format!("CATASTROPHIC ROLLBACK: {failures} failures in a row; to {checkpoint}");
        match self.files.decision(now, &words) {
            Ok(()) => StepResult::RolledBack { checkpoint },
            Err(_) => StepResult::Interrupted(HaltReason::NoCheckpoint),
        }
    }

    // Run once, and only when something fails with a candidate.
    fn failing_before(&self) -> Result<BTreeSet<String>, RepairError> {
        let mut known = self.failing_before.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known {
            return Ok(known.clone());
        }
        let layer = self.shadow.baseline().map_err(|error| io(&error))?;
        let failing = self.own_checks(&layer)?.map(|report| failing(&report)).unwrap_or_default();
        Ok(known.insert(failing).clone())
    }

    fn failing_check(&self, layer: &ShadowLayer<'_>) -> Result<CheckFindings, RepairError> {
        if self.input.command.is_empty() {
            let report = self
                .own_checks(layer)?
                .ok_or_else(|| RepairError::Toolchain("nothing here can be checked".to_owned()))?;
            return Ok(CheckFindings::of_report(&report, self.input.fail_on));
        }
        let (root, options) = (&self.parts.workspace.folder, self.check_options());
        let run = check_command(&self.input.command, root, &self.input.here, &options, layer)
            .map_err(|error| RepairError::Toolchain(error.to_string()))?;
        Ok(CheckFindings::of_run(&run, self.input.fail_on))
    }

    // Nothing where no toolchain applies.
    fn own_checks(&self, layer: &ShadowLayer<'_>) -> Result<Option<CheckReport>, RepairError> {
        let (workspace, options) = (&self.parts.workspace, self.check_options());
        let registry = &workspace.toolchains;
        let report = check_watched(&workspace.folder, &options, registry, layer, &mut |_| {})
            .map_err(|error| RepairError::Toolchain(error.to_string()))?;
        if report.verdict() == CheckVerdict::Nothing {
            if let Some(missing) = report.missing.first() {
                let (name, hint) = (&missing.binary_name, &missing.install_hint);
                return Err(RepairError::Toolchain(format!("`{name}` is not installed: {hint}")));
            }
            return Ok(None);
        }
        Ok(Some(report))
    }

    fn check_options(&self) -> CheckOptions {
        CheckOptions {
            targets: self.input.targets.clone(),
            scope: self.input.scope.clone(),
            fail_on: self.input.fail_on,
            by: StartedBy::Salve,
            environment: self.parts.environment.clone(),
            ..CheckOptions::default()
        }
    }
}

fn candidate(fix: Fix, state: &SavedHeal, sources: &dyn Sources) -> Option<Candidate> {
    let best = state.machine.best();
    let patch = best.patch.with(&fix.changes, sources).ok()?;
    let commands = best.commands.iter().chain(&fix.commands).cloned().collect();
    // What answers several errors at once is tried first, then each by itself.
    let round = u32::from(fix.answers.len() < 2);
    Some(Candidate {
        source: fix.source,
        author: fix.author,
        description: fix.description,
        confidence: Confidence::Unstated,
        origin: fix.origin,
        pinned: false,
        changed_lines: changed_lines(&best.patch, &patch, sources),
        patch,
        commands,
        round,
    })
}

impl Trial {
    fn new(result: TrialResult, seen: CheckFindings, installs: bool) -> Self {
        Self { result, seen: Some(seen), milliseconds: 0, installs }
    }
}

impl From<TrialResult> for Trial {
    fn from(result: TrialResult) -> Self {
        Self { result, seen: None, milliseconds: 0, installs: false }
    }
}

// What passed once and cannot be made again is not to be relied on.
fn unprepared(why: String) -> Confirmation {
    Confirmation { after: [why].into(), ..Confirmation::default() }
}

// Names of what fails, the same before and after: toolchain, folder and test or error.
fn failing(report: &CheckReport) -> BTreeSet<String> {
    let red = report.runs.iter().filter(|run| run.is_red());
    let named = red.flat_map(|run| {
        let errors = run.diagnostics().iter().map(name_of);
        errors.map(move |name| format!("{} {}: {name}", run.target_id(), run.folder()))
    });
    named.collect()
}

fn io(error: &dyn std::fmt::Display) -> RepairError {
    RepairError::Io(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::{HealParts, HealWork};
    use crate::heal::machine::Loop;

    // Held by the compiler.
    #[test]
    fn r06_the_parts_of_a_heal_go_to_any_thread() {
        fn is_shared<T: Send + Sync>() {}
        is_shared::<HealParts>();
        is_shared::<HealWork>();
        is_shared::<Loop>();
    }
}
