//! What the flow takes and gives, as values that a history can hold.
//!
//! In: ids of texts, names, limits. Out: the same, with every default filled in. Never a text: a
//! prompt and an answer are in the store.

use super::super::JobStatus;
use salve_jobs::{DoubtPolicy, Json, Retry};
use salve_model::{FilePart, Purpose, Role};
use salve_types::{FinishReason, Mode, SessionId, Spend, SpendLimit, Usage};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What is to be generated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerateInput {
    /// The text of the prompt.
    pub prompt: String,
    /// The text of the standing instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The language of the answer, where it is to be code of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Whether the answer must be JSON.
    #[serde(default)]
    pub json: bool,
    /// Whether the answer holds edits of files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edits: bool,
    /// The schema it must fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Json>,
    /// Who is asked.
    #[serde(default)]
    pub model: WhichModel,
    /// The most tokens of one call; the model's own limit otherwise. A longer answer is continued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// What is done about an answer that is cut or wrong: it is healed, or a person decides; or it
    /// is passed on as it came, and that is recorded.
    #[serde(default, deserialize_with = "Mode::judging")]
    pub mode: Mode,
    /// How often the model is asked again.
    #[serde(default)]
    pub caps: GenerateCaps,
    /// What all calls of the job together may take.
    #[serde(default)]
    pub budget: SpendLimit,
    /// What is done about a call of a worker that died.
    #[serde(default)]
    pub doubt: DoubtPolicy,
    /// The session whose budget it counts in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What was said before, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<SaidBefore>,
    /// The ids of images that go with the prompt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<String>,
    /// Files that go with the prompt, which the provider has already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FilePart>,
    /// Where the answer is shown while it arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_in: Option<ShownIn>,
    /// Whether no person is there to decide: what cannot be healed ends the job as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unattended: bool,
    /// How often a call is tried when the provider fails.
    #[serde(default = "usual_attempts")]
    pub attempts: u32,
    /// The wait after the first of them, in milliseconds; it doubles each time.
    #[serde(default = "usual_wait")]
    pub wait_ms: u64,
}

impl GenerateInput {
    /// Asks for an answer to a prompt, with every default.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            prompt: prompt.into(),
            system: None,
            language: None,
            json: false,
            edits: false,
            schema: None,
            model: WhichModel::default(),
            max_tokens: None,
            mode: Mode::default(),
            caps: GenerateCaps::default(),
            budget: SpendLimit::default(),
            doubt: DoubtPolicy::default(),
            session: None,
            history: Vec::new(),
            images: Vec::new(),
            files: Vec::new(),
            shown_in: None,
            unattended: false,
            attempts: usual_attempts(),
            wait_ms: usual_wait(),
        }
    }

    pub(super) fn retry(&self) -> Retry {
        let first_wait = Duration::from_millis(self.wait_ms);
        Retry { attempts: self.attempts.max(1), first_wait, ..Retry::default() }
    }
}

/// Something that was said before a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidBefore {
    /// Whether the model said it; a person otherwise.
    pub by_model: bool,
    /// Its text.
    pub text: String,
}

/// The turn of a session in which an answer is shown while it arrives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownIn {
    /// The session.
    pub session: SessionId,
    /// The turn.
    pub turn: u32,
}

/// Who is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhichModel {
    /// The model that fills this role.
    Role(Role),
    /// The model that is asked at this attempt of the ladder, from 1.
    Tier(u32),
    /// This one, as `provider/model`.
    Name(String),
}

impl Default for WhichModel {
    fn default() -> Self {
        Self::Role(Role::Medium)
    }
}

/// How often the model is asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GenerateCaps {
    /// Continuations of a cut answer.
    pub resumes: u32,
    /// Corrections of a wrong answer.
    pub reworks: u32,
    /// Starts from the beginning, before a person is asked.
    pub retries: u32,
}

impl Default for GenerateCaps {
    fn default() -> Self {
        Self { resumes: 3, reworks: 3, retries: 0 }
    }
}

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValidationError {
    /// The outer code, such as `TRUNCATION_DETECTED`.
    #[serde(rename = "type")]
    pub code: String,
    /// The error in words.
    pub message: String,
    /// The line it is on, where it has one.
    pub line: Option<u32>,
    /// The most specific kind.
    pub kind: Option<String>,
    /// The last 400 characters of the answer.
    pub tail: String,
}

/// One reply, as a history holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Piece {
    /// Its text.
    pub(super) text: String,
    /// Why it was asked for.
    pub(super) purpose: Purpose,
    /// Why the provider said it ended.
    pub(super) finish: Option<FinishReason>,
    /// Whether it ended at a frame that could not be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) lost: bool,
    /// What the provider counted.
    pub(super) usage: Option<Usage>,
    /// The model that answered.
    pub(super) model: Option<String>,
    /// Whether there was reasoning before it.
    pub(super) thought: bool,
    /// Whether it is what a worker that died had received.
    pub(super) interrupted: bool,
    /// How often the call was begun before, by workers that died: each may have been charged.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) lost_calls: u32,
    /// What it took, at worst where it was not said.
    pub(super) spent: Spend,
}

/// How far a job is: what is in every stage of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    /// Which round, from 1; each retry of a person begins one.
    pub round: u32,
    /// Calls in this round that were answered.
    pub calls: u32,
    /// Those that continued a cut answer.
    pub continuations: u32,
    /// Those that corrected a wrong one.
    pub reworks: u32,
    /// The text of the answer as far as it came; never a result.
    pub partial_output: Option<String>,
    /// What is wrong with it.
    pub validation_error: Option<ValidationError>,
    /// Why a person has to decide, or why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The same as a code, where a program acts on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<StopCode>,
    /// What to show to the caller that waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toast: Option<String>,
    /// Calls of all rounds that were begun by a worker that died. They may have been charged, and
    /// count at the most they can have taken.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost_calls: u32,
    /// Tokens of all rounds.
    pub tokens: u64,
    /// Their price in millionths of a dollar.
    pub micro_dollars: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(super) const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Why a person has to decide, or why it failed, where a program acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopCode {
    /// The next call does not fit a budget.
    OverBudget,
    /// One that a later version wrote.
    #[serde(other)]
    Other,
}

/// What a job ended with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerateOutput {
    /// Completed, or completed in part.
    pub status: JobStatus,
    /// The text of the answer; only of one that is valid.
    pub code_result: Option<String>,
    /// The rest is as in every stage. The partial text is empty when there is a result.
    #[serde(flatten)]
    pub progress: Progress,
    /// The text of each reply as it came.
    pub replies: Vec<String>,
    /// The model that answered last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Why the last reply ended, as its provider says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<FinishReason>,
    /// What the providers counted of the replies of the last round.
    #[serde(default)]
    pub usage: Usage,
}

const fn usual_attempts() -> u32 {
    3
}

const fn usual_wait() -> u64 {
    500
}
