//! What a turn is started and gone on with, as values that a history can hold.
//!
//! In: arguments and settings, read by the caller. Out: the same, serialisable. Never a text: what the person
//! said is in the store.

use super::hand_over::WINDOW_TOKENS;
use super::machine::TurnOptions;
use super::review::HunkChoice;
use super::uploads::UploadSettings;
use super::urls::UrlPolicy;
use crate::heal::CommandConsent;
use crate::heal::machine::HealOptions;
use crate::jobs::WhichModel;
use salve_types::{SessionId, SpendLimit};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

/// What is to be answered, and what may be done about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnInput {
    /// The root of the workspace.
    pub root: PathBuf,
    /// The folder that commands are started in, relative to the root; empty at the top.
    #[serde(default)]
    pub here: String,
    /// The session.
    pub session: SessionId,
    /// Which turn of it.
    pub turn: u32,
    /// The limits.
    #[serde(default)]
    pub options: TurnOptions,
    /// Who is asked.
    #[serde(default)]
    pub model: WhichModel,
    /// Whether edits that fit are written without asking.
    #[serde(default)]
    pub apply: bool,
    /// Whether a person is there to be asked about commands.
    #[serde(default)]
    pub attended: bool,
    /// Which commands run by themselves.
    #[serde(default)]
    pub commands: CommandConsent,
    /// The text of the user's own sections of the standing instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// What a heal of a red check may do.
    #[serde(default)]
    pub heal: HealOptions,
    /// The most tokens of earlier exchanges that the model gets, where the session was not extended.
    #[serde(default = "usual_window")]
    pub window: u64,
    /// Who and what else may be asked.
    #[serde(default)]
    pub help: TurnHelp,
    /// How often the person asked for this turn, from 1.
    #[serde(default = "first")]
    pub attempt: u32,
}

const fn usual_window() -> u64 {
    WINDOW_TOKENS
}

const fn first() -> u32 {
    1
}

/// Who and what else may be asked for a turn. Nothing of it: the model alone, and the files.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TurnHelp {
    /// Who plans which files are meant.
    pub planner: Option<WhichModel>,
    /// Whether it plans also where the request has images.
    pub plan_with_images: bool,
    /// Who writes an answer again that could not be read.
    pub cleaner: Option<WhichModel>,
    /// Whose pages are fetched.
    pub pages: UrlPolicy,
    /// The JSON Schema that the result has to fit.
    pub output: Option<Value>,
    /// Who makes images; nothing where no model does.
    pub draw: Option<DrawHelp>,
    /// What is uploaded to the provider in place of a text in the prompt.
    pub uploads: UploadSettings,
}

/// Who makes images for a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DrawHelp {
    /// The model that makes them.
    pub model: WhichModel,
    /// The one that writes prompts for several.
    pub prompter: WhichModel,
    /// What one costs in millionths of a dollar, where that is known.
    pub micro_dollars: Option<u64>,
    /// The most of one request.
    pub most: u32,
}

/// What a turn that stopped is told. Nothing of it: to go on as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TurnResume {
    /// What the turn may take from now on, where that is another limit than before.
    pub budget: Option<SpendLimit>,
    /// What a person says about the edits or the command that wait.
    pub decision: Option<TurnDecision>,
    /// Whether a person is there to be asked about what comes next.
    pub attended: bool,
}

/// What a person says about edits or a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnDecision {
    /// Apply them, or run it this once.
    Yes,
    /// Neither.
    No,
    /// Apply this part of the edits.
    Hunks(HunkChoice),
    /// Decide about these files now; the others wait on.
    Part(HunkChoice),
    /// Run a command now, while the edits wait on.
    Run(EarlyRun),
}

/// A command that a person decides about before the edits of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlyRun {
    /// Its place in the answer, from 0.
    pub number: u32,
    /// Whether it runs; else it is skipped.
    pub agreed: bool,
}
