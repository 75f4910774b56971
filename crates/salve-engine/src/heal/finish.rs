//! The end of a heal: the change in the tree, and the report.
//!
//! In: a loop that is over. Out: the report, and where a fix passed, one change set of the files it
//! edited. Before anything is written the user's tree is looked at again: what changed meanwhile means
//! checking again. Never writes what was not verified, and never a part of it.

use super::breakers::{Breaker, BreakerState};
use super::driver::begin_again;
use super::machine::{Accepted, AttemptResult, Flag, Loop, Step};
use super::work::line_of;
use super::{
    AgentTurn, FixCommand, HealInput, HealWork, Outcome, Patch, RepairError, SavedHeal, Then,
};
use crate::facts::GrammarProbe;
use crate::host::OpenWorkspace;
use crate::knowledge::{FixRule, Taught};
use salve_tree::{
    AdmitOptions, Allow, ApplyOutcome, ChangeMeta, Cost, History, Origin, Verification,
    VerifiedEdits, VerifyOptions, WorkspaceOptions, apply, verify,
};
use salve_types::{EditEnd, EditFormat, EditSet, FileChange, FileEdit, Span};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a heal came to, as other programs read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HealReport {
    /// How it ended.
    pub outcome: String,
    /// The same with its fields.
    #[serde(rename = "detail")]
    pub ending: Outcome,
    /// How many fixes were tried.
    pub attempts: u32,
    /// How often a model was asked.
    pub model_calls: u32,
    /// The tokens of all calls.
    pub tokens: u64,
    /// Their price in dollars.
    pub cost: f64,
    /// Where the fix is from.
    pub source: Option<super::FixSource>,
    /// Whether a rule was learned.
    pub rule_added: bool,
    /// The change set, when one was applied.
    pub change: Option<String>,
    /// The files of the fix.
    pub files: Vec<String>,
    /// Errors before anything was changed.
    pub errors_before: usize,
    /// Errors that remain in the tree.
    pub errors_after: usize,
    /// The errors that remain, in the tools' words.
    pub remaining: Vec<String>,
    /// The change as it would be applied, where it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Patch>,
    /// Whether only some of the errors are healed by the change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// Whether a person has to allow the change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// The tools whose checks a fix has to pass.
    #[serde(default)]
    pub checked_by: Vec<String>,
    /// Tools that apply here and are not installed: what they would say is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<String>,
    /// What the agents did that were asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentTurn>,
    /// Commands that a person could run, or allow with `--commands`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub could_run: Vec<String>,
    /// Commands that installed what is no part of the change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub installed: Vec<String>,
    /// Why the fix is believed, or what was tried, a line each.
    #[serde(default)]
    pub story: Vec<String>,
    /// What was learned, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<String>,
    /// The tokens that were not spent because the fix was known; what such heals usually took.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens_saved: u64,
    /// What a person should look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
    /// How far each breaker has counted.
    #[serde(default)]
    pub breakers: BTreeMap<Breaker, BreakerState>,
    /// What could not be written down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What became of the end.
#[derive(Debug, Clone, PartialEq)]
pub enum Finished {
    /// The user's files changed meanwhile: the loop goes on.
    Again,
    /// It is over.
    Ended(Box<HealReport>),
}

impl HealReport {
    /// Adds what the heal taught.
    pub fn add_taught(&mut self, taught: &Taught) {
        self.rule_added = !taught.rules.is_empty();
        if let Outcome::Repaired { rule_added, .. } = &mut self.ending {
            *rule_added = self.rule_added;
        }
        let line = |rule: &FixRule| format!("rule {}: {}", rule.id, rule.description);
        self.learned = taught.rules.iter().map(line).collect();
        self.tokens_saved = taught.saved.tokens;
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Ends a heal whose loop is over: applies what was accepted, and reports. `job` names the heal in the
/// history, so that one which was applied just before a crash is found again.
///
/// # Errors
/// When the tree cannot be read or written.
pub fn finish(
    work: &HealWork,
    input: &HealInput,
    saved: &mut SavedHeal,
    job: &str,
    now: u64,
) -> Result<Finished, RepairError> {
    let Step::Done(outcome) = saved.machine.next() else {
        return Err(RepairError::Io("the loop is not over".to_owned()));
    };
    let accepted = saved.machine.accepted().cloned();
    let mut report = report(saved, outcome, accepted.as_ref());
    match accepted {
        None => {}
        Some(accepted) if input.then == Then::Show || accepted.proposal => {
            if !is_known(work, saved)? {
                begin_again(saved)?;
                return Ok(Finished::Again);
            }
            report.held = accepted.proposal;
            report.patch = Some(accepted.candidate.patch);
        }
        Some(accepted) => match applied(work, saved, &accepted, job, now)? {
            Some(change) => {
                report.change = Some(change);
                let installs = installs(saved, &accepted);
                report.installed = installs.iter().map(line_of).collect();
                if !installs.is_empty() {
                    report.warnings.extend(work.install(&installs, &accepted.candidate.patch));
                }
            }
            None => {
                begin_again(saved)?;
                return Ok(Finished::Again);
            }
        },
    }
    // A change that holds is not thrown away because it could not be written down.
    if let Err(error) = written_down(work, saved, &report, now) {
        report.warnings.push(RepairError::Manifest(error.to_string()).to_string());
    }
    Ok(Finished::Ended(Box::new(report)))
}

// The commands of a fix that installed what is no part of the change.
fn installs(saved: &SavedHeal, accepted: &Accepted) -> Vec<FixCommand> {
    let commands = accepted.candidate.commands.iter();
    commands.filter(|command| saved.installs.contains(command)).cloned().collect()
}

fn could_run(machine: &Loop) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for attempt in machine.attempts() {
        if let AttemptResult::NeedsApproval(commands) = &attempt.result {
            lines.extend(
                commands.iter().filter(|line| !lines.contains(line)).cloned().collect::<Vec<_>>(),
            );
        }
    }
    lines
}

// One file for each attempt, and one line for the whole.
fn written_down(
    work: &HealWork,
    saved: &SavedHeal,
    report: &HealReport,
    now: u64,
) -> std::io::Result<()> {
    let errors = &saved.machine.baseline().errors;
    for attempt in saved.machine.attempts() {
        let mut record = serde_json::to_value(attempt).map_err(std::io::Error::other)?;
        if let Some(fields) = record.as_object_mut() {
            let signatures: Vec<&str> = errors.iter().map(|error| error.exact.as_str()).collect();
            fields.insert("signatures".to_owned(), signatures.into());
            let errors: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
            fields.insert("errors".to_owned(), errors.into());
        }
        work.files().attempt(attempt.number, &record)?;
    }
    let how = match (report.source, saved.machine.attempts().last()) {
        (Some(source), Some(last)) => {
            format!(" by {} {}: {}", source.name(), last.author, last.description)
        }
        _ => String::new(),
    };
    let change = report.change.as_deref().unwrap_or("no change");
    let outcome = &report.outcome;
    work.files().decision(now, &format!("{outcome}{how} ({} attempts, {change})", report.attempts))
}

// Nothing when the user's files changed meanwhile.
fn applied(
    work: &HealWork,
    saved: &SavedHeal,
    accepted: &Accepted,
    job: &str,
    now: u64,
) -> Result<Option<String>, RepairError> {
    let io = |error: &dyn std::fmt::Display| RepairError::Io(error.to_string());
    let options =
        WorkspaceOptions { holder: format!("salve heal {job}"), ..WorkspaceOptions::default() };
    let workspace = OpenWorkspace::open(work.folder(), options).map_err(|error| io(&error))?;
    let history = History::load(&workspace.tree).map_err(|error| io(&error))?;
    let label = format!("heal {job}: {}", accepted.candidate.description);
    let own = format!("heal {job}: ");
    let is_own = |change: &&salve_tree::ChangeSet| {
        change.applied && change.label.as_deref().is_some_and(|label| label.starts_with(&own))
    };
    if let Some(change) = history.changes().iter().rev().find(is_own) {
        return Ok(Some(change.id.clone()));
    }
    let verified = verified(&workspace, &accepted.candidate.patch)?;
    // Looked at after the files were read: what is replaced is what the fix was made for.
    if !is_known(work, saved)? {
        return Ok(None);
    }
    let cost = Cost { micro_dollars: saved.micro_dollars, ..Cost::default() };
    let meta = ChangeMeta {
        now,
        origin: Origin::Heal,
        label: Some(label),
        remains: installs(saved, accepted).iter().map(line_of).collect(),
        cost: (saved.micro_dollars > 0).then_some(cost),
        ..ChangeMeta::default()
    };
    match apply(&workspace.tree, verified, &meta).map_err(|error| io(&error))? {
        ApplyOutcome::Applied(change) => Ok(Some(change.id().to_owned())),
        ApplyOutcome::Conflict(_) => Ok(None),
        ApplyOutcome::NothingToDo => Ok(Some(String::new())),
    }
}

// Whether the files are those that the shadow was made of, and the fix.
fn is_known(work: &HealWork, saved: &SavedHeal) -> Result<bool, RepairError> {
    Ok(saved.tree == Some(work.tree_name()?) && work.tree_changes()?.is_empty())
}

/// Turns a patch into edits that can be applied. The gates and the toolchain have judged the content; here it is
/// held to the bytes.
///
/// # Errors
/// When a file cannot be written, or would get other bytes.
pub(crate) fn verified(
    workspace: &OpenWorkspace,
    patch: &Patch,
) -> Result<VerifiedEdits, RepairError> {
    let files = patch.files.iter().map(|(path, text)| FileEdit {
        path: Some(path.clone()),
        change: text.clone().map_or(FileChange::Delete, FileChange::Write),
        rename_to: None,
        mode: None,
        span: Span::new(0, 0),
    });
    let edits = EditSet {
        format: EditFormat::WholeFile,
        files: files.collect(),
        end: EditEnd::Complete,
        notes: Vec::new(),
        hashes: None,
    };
    let options = VerifyOptions {
        probe: &GrammarProbe,
        allow: Allow { omissions: true, shrink: true, syntax: true },
        ..VerifyOptions::default()
    };
    let view = workspace.view(AdmitOptions::default());
    let verified = match verify(&edits, &view, &options) {
        Verification::Verified { edits, .. } => edits,
        Verification::Refused(refusal) => return Err(RepairError::Io(refusal.detail)),
    };
    for file in verified.files() {
        let wanted = patch.files.get(file.path.as_str()).and_then(Option::as_ref);
        let planned = file.after.as_ref().map(|after| after.bytes.as_slice());
        if planned != wanted.map(String::as_bytes) {
            let path = file.path.as_str();
            return Err(RepairError::Io(format!("`{path}` would not get the verified bytes")));
        }
    }
    Ok(verified)
}

fn report(saved: &SavedHeal, outcome: Outcome, accepted: Option<&Accepted>) -> HealReport {
    let machine = &saved.machine;
    let healed = outcome.is_success();
    let errors_before = machine.baseline().errors.len();
    let remaining: Vec<String> = match accepted {
        Some(_) if healed => Vec::new(),
        Some(_) => machine.best().check.errors.iter().map(|one| one.message.clone()).collect(),
        None => machine.baseline().errors.iter().map(|one| one.message.clone()).collect(),
    };
    HealReport {
        attempts: u32::try_from(machine.attempts().len()).unwrap_or(u32::MAX),
        model_calls: machine.model_calls(),
        tokens: machine.tokens(),
        cost: saved.micro_dollars as f64 / 1e6,
        source: accepted.map(|one| one.candidate.source),
        rule_added: false,
        change: None,
        files: accepted
            .map(|one| one.candidate.patch.files.keys().cloned().collect())
            .unwrap_or_default(),
        errors_before,
        errors_after: remaining.len(),
        remaining,
        patch: None,
        partial: accepted.is_some_and(|one| one.partial),
        held: false,
        checked_by: saved.tools.ran.clone(),
        not_checked: saved.tools.missing.clone(),
        agents: saved.agents.clone(),
        could_run: if healed { Vec::new() } else { could_run(machine) },
        installed: Vec::new(),
        story: machine.attempts().iter().map(told).collect(),
        learned: Vec::new(),
        tokens_saved: 0,
        flags: machine.flags().to_vec(),
        breakers: machine.breakers().into_iter().map(|state| (state.breaker, state)).collect(),
        warnings: saved.warnings.clone(),
        outcome: outcome.name().to_owned(),
        ending: outcome,
    }
}

fn told(attempt: &super::machine::Attempt) -> String {
    let (source, author) = (attempt.source.name(), &attempt.author);
    format!("{source} {author}: {}: {}", attempt.description, attempt.result.in_words())
}
