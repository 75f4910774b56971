//! A turn between two steps, and what a step leaves to be written into the store.
//!
//! In: the machine, and what its driver knows beside it. Out: values that are kept on this disk, for they hold
//! code of the user. What goes into the store is decided together with the state, so that a step which is done
//! again after a crash writes the same. Never written into the store itself.

use super::batch::{CommandBatch, PauseReason};
use super::images::DrawnSet;
use super::input::TurnDecision;
use super::load::LoadedFile;
use super::machine::TurnMachine;
use super::plan::TurnPlan;
use super::review::{HeldIds, HunkChoice};
use super::uploads::TurnUploads;
use super::urls::FetchedPage;
use super::{TurnEvent, TurnReport};
use salve_types::{
    BugReport, CommandResult, FileOperation, SessionChange, TodoItem, TurnStatus, Usage,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A turn between two steps.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedTurn {
    /// The turn itself.
    pub machine: TurnMachine,
    /// What the person said.
    pub request: String,
    /// The tasks as they are now.
    pub todos: Vec<TodoItem>,
    /// Files that the session was about before, the last ones first.
    pub known: Vec<String>,
    /// What is looked for.
    pub plan: TurnPlan,
    /// What another model proposed to look for.
    #[serde(default)]
    pub proposed: Option<TurnPlan>,
    /// The pages that the model gets.
    #[serde(default)]
    pub pages: Vec<FetchedPage>,
    /// How many images belong to the request.
    #[serde(default)]
    pub images: u32,
    /// The images that it makes.
    #[serde(default)]
    pub drawing: DrawnSet,
    /// The files that the model gets.
    pub files: Vec<LoadedFile>,
    /// What was looked for and not found, as the model is told.
    pub failures: Vec<String>,
    /// Files that were left out, as the model is told.
    pub omitted: Vec<String>,
    /// The hash of each file as the model saw it or wrote it.
    pub bases: BTreeMap<String, String>,
    /// The hash of each file that the session knows, as its log ends.
    #[serde(default)]
    pub seen: BTreeMap<String, String>,
    /// Files that a session before this one changed, which its first turn gets.
    #[serde(default)]
    pub inherited: Vec<String>,
    /// The same, as they were read.
    #[serde(default)]
    pub inherited_files: Vec<LoadedFile>,
    /// What the provider has of them.
    #[serde(default)]
    pub uploads: TurnUploads,
    /// The answer at hand.
    pub text: String,
    /// Its id in the store.
    pub text_id: Option<String>,
    /// The answer as another model wrote it again.
    #[serde(default)]
    pub cleaned: Option<String>,
    /// The result as a model wrote it when it was asked for it alone.
    #[serde(default)]
    pub shaped: Option<String>,
    /// The result in the caller's shape.
    #[serde(default)]
    pub output: Option<Value>,
    /// Why edits did not fit, in words for the model.
    pub refusal: Option<String>,
    /// Files that it wrote about without having seen them.
    pub wanted: Vec<String>,
    /// The commands that ran since the model was asked, with what it is told of them.
    pub ran: Vec<RanCommand>,
    /// The commands of the answer, while they run.
    #[serde(default)]
    pub batch: Option<CommandBatch>,
    /// What a person said about all of them.
    #[serde(default)]
    pub row: RowConsent,
    /// The hunks that were shown to a person, by file.
    #[serde(default)]
    pub held: HeldIds,
    /// What a person decided about a part of the edits at hand, while the others wait.
    #[serde(default)]
    pub decided: DecidedPart,
    /// What a person said about the edits or the command that wait.
    pub decision: Option<TurnDecision>,
    /// Whether a person is there to be asked.
    pub attended: bool,
    /// The changes of this turn, in order.
    pub changes: Vec<SessionChange>,
    /// The files of the changes, each with the lines that it gained and lost.
    pub preview: Vec<Value>,
    /// What waits for a person.
    pub waits: Option<Waits>,
    /// Why it ended as it did, in words.
    pub why: Option<String>,
    /// What it came to, when it ended or stopped last.
    pub report: Option<TurnReport>,
    /// What is to be written into the store with this state.
    pub effects: Effects,
}

impl SavedTurn {
    /// Begins a turn.
    pub fn new(
        machine: TurnMachine,
        request: String,
        todos: Vec<TodoItem>,
        attended: bool,
    ) -> Self {
        Self {
            machine,
            request,
            todos,
            known: Vec::new(),
            plan: TurnPlan::default(),
            proposed: None,
            pages: Vec::new(),
            images: 0,
            drawing: DrawnSet::default(),
            files: Vec::new(),
            failures: Vec::new(),
            omitted: Vec::new(),
            bases: BTreeMap::new(),
            seen: BTreeMap::new(),
            inherited: Vec::new(),
            inherited_files: Vec::new(),
            uploads: TurnUploads::default(),
            text: String::new(),
            text_id: None,
            cleaned: None,
            shaped: None,
            output: None,
            refusal: None,
            wanted: Vec::new(),
            ran: Vec::new(),
            batch: None,
            row: RowConsent::NotAsked,
            held: HeldIds::new(),
            decided: DecidedPart::default(),
            decision: None,
            attended,
            changes: Vec::new(),
            preview: Vec::new(),
            waits: None,
            why: None,
            report: None,
            effects: Effects::default(),
        }
    }
}

/// What a person decided about a part of the edits at hand.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DecidedPart {
    /// The files, each with what was taken of it.
    pub choice: HunkChoice,
    /// How many changes were written.
    pub written: u32,
    /// The commands that were decided about before their turn, by their place in the answer.
    pub early: BTreeSet<u32>,
}

/// A command that ran, and what the model is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RanCommand {
    /// The line.
    pub command: String,
    /// Its output, as much as the model gets.
    pub output: String,
    /// Whether it succeeded.
    pub ok: bool,
}

/// What waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Waits {
    /// Edits of these files.
    Edits {
        /// Their paths.
        files: Vec<String>,
    },
    /// A command.
    Command {
        /// The line.
        command: String,
        /// Why it does not run by itself.
        why: String,
    },
    /// Whether images are meant.
    Images {
        /// How many would be made.
        count: u32,
        /// What they would cost in millionths of a dollar, where that is known.
        micro_dollars: Option<u64>,
    },
    /// The commands that are left of several.
    Commands {
        /// The lines.
        commands: Vec<String>,
        /// Why they do not run by themselves.
        why: PauseReason,
    },
}

/// What a person said about several commands that do not run by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowConsent {
    /// Nothing yet.
    #[default]
    NotAsked,
    /// Those on the list run; the others are asked about.
    Listed,
    /// Each is asked about.
    OneByOne,
}

/// What a step leaves to be written into the store, in one write.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Effects {
    /// What happened, in order.
    pub events: Vec<TurnEvent>,
    /// The state of the turn.
    pub status: Option<TurnStatus>,
    /// The text of the answer, before anything has read it.
    pub raw: Option<String>,
    /// Whether that text is only a part of an answer.
    pub partial: Option<bool>,
    /// The answer as it was read.
    pub result: Option<Value>,
    /// What is looked for.
    pub plan: Option<Value>,
    /// Who answered.
    pub model: Option<String>,
    /// Why the answer ended, as its provider says.
    pub finish_reason: Option<String>,
    /// What the provider counted.
    pub usage: Usage,
    /// The price, in millionths of a dollar.
    pub micro_dollars: u64,
    /// The tasks, where they changed.
    pub todos: Option<Vec<TodoItem>>,
    /// What was done to files.
    pub file_operations: Vec<FileOperation>,
    /// Faults.
    pub bugs: Vec<BugReport>,
    /// Commands that ran.
    pub commands: Vec<CommandResult>,
    /// Changes of files.
    pub changes: Vec<SessionChange>,
    /// The id of the text of the standing instructions, where the answer is to be audited.
    pub system: Option<String>,
    /// The ids of contents that the turn keeps.
    pub held: Vec<String>,
}

impl Effects {
    /// Adds an event.
    pub fn say(&mut self, event: TurnEvent) {
        self.events.push(event);
    }
}
