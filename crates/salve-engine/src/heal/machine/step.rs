//! What the loop asks its driver to do, and what the driver answers.
//!
//! In: nothing. Out: plain data, all of it serialisable, so that a heal which was killed goes on from
//! its last written step. Never a path of the machine, a clock or a process.

use super::ErrorGroup;
use crate::heal::gates::GateRefusal;
use crate::heal::{AgentWave, FixCommand, FixOrigin, FixSource, HaltReason, Outcome, Patch};
use salve_check::ToolPhase;
use salve_model::{Role, Strategy};
use salve_types::ErrorClass;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What is to be done next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[must_use]
pub enum Step {
    /// Run the failing check on the tree as it is. Answer: [`StepResult::Checked`].
    Check,
    /// Ask a free source for fixes of the errors of [`Loop::best`](super::Loop::best), made on top of
    /// its patch. Answer: [`StepResult::Proposed`].
    Propose(FixSource),
    /// Ask registered agents, all of a wave at the same time. Answer: [`StepResult::Proposed`].
    Consult(AgentWave),
    /// Judge each by the gates and, where they pass it, run the failing check on it in a shadow; at the
    /// same time where there are several. Answer: [`StepResult::Tried`].
    Try(Vec<Candidate>),
    /// Ask a model. Answer: [`StepResult::Answered`] or [`StepResult::NoAnswer`].
    Ask(AskTier),
    /// The failing check passes with it: run the project's own build and tests as well. Answer:
    /// [`StepResult::Confirmed`].
    Confirm(Box<Candidate>),
    /// Too many failures in a row. Keep what is wrong in a file first, then find the newest valid
    /// checkpoint and write the `CATASTROPHIC ROLLBACK` line. Answer: [`StepResult::RolledBack`], or
    /// [`StepResult::Interrupted`] with [`HaltReason::NoCheckpoint`].
    RollBack(Catastrophe),
    /// It is over. What is to be applied is in [`Loop::accepted`](super::Loop::accepted).
    Done(Outcome),
}

/// What the driver found out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepResult {
    /// The check of the tree as it is.
    Checked(CheckSummary),
    /// What a free source or the agents propose, the best first.
    Proposed(Vec<Candidate>),
    /// What happened to each candidate, in their order.
    Tried(Vec<TrialResult>),
    /// A model answered.
    Answered {
        /// The fixes of its answer; none when nothing usable was in it.
        candidates: Vec<Candidate>,
        /// Why there is none, in words.
        unusable: Option<String>,
        /// The tokens it took, prompt and answer.
        tokens: u64,
    },
    /// No provider answered, after its own retries.
    NoAnswer {
        /// What it said.
        message: String,
        /// The tokens it took all the same, or may have taken.
        tokens: u64,
    },
    /// The project's own build and tests ran.
    Confirmed(Confirmation),
    /// Everything was rolled back.
    RolledBack {
        /// The checkpoint that was found valid.
        checkpoint: String,
    },
    /// The user's files changed meanwhile: what was found out so far holds no more. Fits every step.
    TreeChanged,
    /// Something else ended it. Fits every step.
    Interrupted(HaltReason),
}

/// A fix that can be tried: whole texts of files, against the user's tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Where it is from.
    pub source: FixSource,
    /// Who made it: a fixer, an agent, a rule or a model.
    pub author: String,
    /// What it does, in a sentence.
    pub description: String,
    /// How sure a model is of it.
    pub confidence: Confidence,
    /// Who vouches for its extent.
    pub origin: FixOrigin,
    /// Whether a person pinned it.
    pub pinned: bool,
    /// All files that differ from the user's tree, also those of the fix it is made on top of.
    pub patch: Patch,
    /// What it runs before the check, also those of the fix it is made on top of.
    pub commands: Vec<FixCommand>,
    /// How many lines it changes, of the user's tree: of two that pass the smaller one is taken.
    pub changed_lines: u32,
    /// Candidates of one round are tried together. Those of a later round are tried when none of an
    /// earlier one made progress: first all suggestions at once, then each alone.
    pub round: u32,
}

impl Candidate {
    /// Returns the hash that tells two candidates apart: by what they do, not by who made them.
    pub fn hash(&self) -> String {
        state_hash(&self.patch, &self.commands)
    }
}

/// Returns the hash of the state that files and commands lead to.
pub(super) fn state_hash(patch: &Patch, commands: &[FixCommand]) -> String {
    if commands.is_empty() {
        return patch.hash();
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(patch.hash().as_bytes());
    for command in commands {
        for part in command.argv.iter().chain([&command.folder]) {
            hasher.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.update(b"\0");
    }
    hasher.finalize().to_hex().to_string()
}

/// How sure a model is of its own answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// It does not say.
    #[default]
    Unstated,
    /// A number from 0 to 1.
    Stated(f64),
    /// It said something else, such as a number out of range.
    Unusable(String),
}

impl From<Option<f64>> for Confidence {
    // Kept as words, because JSON has no way to write a number that is none: it would be read back as
    // nothing said.
    fn from(number: Option<f64>) -> Self {
        match number {
            None => Self::Unstated,
            Some(number) if (0.0..=1.0).contains(&number) => Self::Stated(number),
            Some(number) => Self::Unusable(number.to_string()),
        }
    }
}

/// What the loop needs to know of a check.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CheckSummary {
    /// Whether it passed.
    pub green: bool,
    /// What is wrong: the primary errors, without tests that are known as flaky.
    pub errors: Vec<ErrorSeen>,
    /// The same in the tool's words, for people and records.
    pub text: String,
    /// How many processes its commands left behind.
    pub orphans: u32,
}

/// One error of a check.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ErrorSeen {
    /// This error with its names.
    pub exact: String,
    /// The same with other names.
    pub shape: String,
    /// The key of learned rules.
    pub class: String,
    /// The file, relative to the workspace; empty when the tool names none.
    pub path: String,
    /// The line, counted from one.
    pub line: Option<u32>,
    /// What kind of failure it is.
    pub error_class: ErrorClass,
    /// How far the tool had got.
    pub phase: ToolPhase,
    /// The headline.
    pub message: String,
}

/// What happened to a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialResult {
    /// It was checked.
    Checked(CheckSummary),
    /// It was checked, and its commands wrote these manifests and lock files, which belong to it.
    Grown {
        /// What the check said.
        check: CheckSummary,
        /// The files.
        written: Patch,
    },
    /// A person would have to allow its commands; nothing ran.
    NeedsApproval(Vec<String>),
    /// A gate refused it; nothing ran.
    Refused(GateRefusal),
    /// It could not be tried: a command of it failed, or it does not fit the files.
    NotTried(String),
}

/// One attempt of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskTier {
    /// Which model.
    pub role: Role,
    /// How it is asked.
    pub strategy: Strategy,
    /// The tokens that are held for it: prompt and answer together.
    pub tokens: u64,
    /// Which of the attempts of models it is, counted from one.
    pub number: u32,
    /// What is wrong, by signature and file, in the order in which it is to be healed.
    pub groups: Vec<ErrorGroup>,
    /// What was tried before and did not help.
    pub earlier: Vec<EarlierTry>,
}

/// A fix that did not help.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierTry {
    /// What it did.
    pub description: String,
    /// Why it did not help.
    pub failed: String,
}

/// How the project's own build and tests ended with a candidate, compared with the tree as it was. What
/// failed is named as the driver likes, by the same name before and after.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Confirmation {
    /// What failed before.
    pub before: BTreeSet<String>,
    /// What fails with the candidate.
    pub after: BTreeSet<String>,
    /// Tests that fail and pass on one tree: they count as neither.
    pub flaky: BTreeSet<String>,
}

impl Confirmation {
    /// Returns what fails now and did not before.
    pub fn newly_failing(&self) -> impl Iterator<Item = &String> {
        self.after.difference(&self.before).filter(|name| !self.flaky.contains(*name))
    }
}

/// What is rolled back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Catastrophe {
    /// How many failures there were in a row.
    pub failures: u32,
    /// What had been kept so far.
    pub patch: Patch,
    /// What is still wrong.
    pub compiler_error: String,
}
