//! The records of the history.
//!
//! In: a plan that was applied and what its caller says about it. Out: plain data, written in the
//! words of the wire. Never: contents; they are kept once each, under their hashes.

use crate::ContentHash;
use crate::history::{Stats, count, is_binary};
use crate::journal::Version;
use crate::plan::PlannedFile;
use serde::{Deserialize, Serialize};
use std::hash::{BuildHasher as _, RandomState};

/// One record of the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// A change set.
    Change(ChangeSet),
    /// The position moved.
    Move(Move),
}

/// A set of changes that was applied, or could not be, as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeSet {
    /// Unique: `cs-`, milliseconds since 1970, a random suffix.
    pub id: String,
    /// Its number in the workspace, from 1.
    pub number: u64,
    /// The session it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Milliseconds since 1970.
    pub timestamp: u64,
    /// The files.
    pub files: Vec<ChangedFile>,
    /// The sum over the files.
    pub total_stats: Stats,
    /// Whether the files were changed.
    pub applied: bool,
    /// Why not, if not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_applied: Option<NotApplied>,
    /// Where it comes from.
    pub origin: Origin,
    /// What it cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// The change set it is based on; `None` at the beginning.
    pub parent: Option<String>,
    /// What it is for, in its author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Who applied it.
    pub holder: String,
    /// Directories it made, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_dirs: Vec<String>,
    /// Commands that ran with it, whose other effects are not taken back with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remains: Vec<String>,
    /// The change set that this one takes back, where that is what it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takes_back: Option<String>,
}

/// One file of a change set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// The path in the workspace.
    pub file_path: String,
    /// Its last component.
    pub file_name: String,
    /// What was there; `None`: nothing.
    pub old: Option<Version>,
    /// What is there since; `None`: nothing.
    pub new: Option<Version>,
    /// Whether it did not exist before.
    pub is_new_file: bool,
    /// Where the content came from, when the file was moved here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// Whether lines mean nothing in it; its counts are zero then.
    pub binary: bool,
    /// The lines, counted as `git diff --numstat` does.
    pub stats: Stats,
}

/// The position moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Unique: `mv-`, milliseconds since 1970, a random suffix.
    pub id: String,
    /// How it was asked for.
    pub motion: Motion,
    /// Milliseconds since 1970.
    pub timestamp: u64,
    /// From which change set; none at the beginning.
    pub from: Option<String>,
    /// To which change set; none at the beginning.
    pub to: Option<String>,
    /// Who moved it.
    pub holder: String,
}

/// How a move was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Motion {
    /// One change back.
    Undo,
    /// One change forth.
    Redo,
    /// To any change.
    Rewind,
}

/// Where a change comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Origin {
    /// A conversation.
    #[default]
    Chat,
    /// The heal loop.
    Heal,
    /// A learned rule.
    Rule,
    /// A sub-task.
    SubTask,
    /// The user, by Salve or beside it.
    User,
    /// A checkpoint that was restored.
    Checkpoint,
}

/// Why a change set was not applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NotApplied {
    /// It did not fit the files.
    Blocked,
    /// The files were so already, as intended.
    NoChangeNeeded,
}

/// What a change cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// Tokens sent.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// Money, in millionths of a dollar.
    pub micro_dollars: u64,
}

/// What the caller of a transaction says about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeMeta {
    /// Milliseconds since 1970.
    pub now: u64,
    /// Where it comes from.
    pub origin: Origin,
    /// The session it belongs to.
    pub session: Option<String>,
    /// What it cost.
    pub cost: Option<Cost>,
    /// What it is for.
    pub label: Option<String>,
    /// Commands that run with it, whose other effects are not taken back with it.
    pub remains: Vec<String>,
}

impl ChangedFile {
    /// Describes one file of a plan.
    pub(crate) fn of(file: &PlannedFile) -> Self {
        let old = file.before.as_ref().map(|state| state.bytes.as_slice());
        let new = file.after.as_ref().map(|content| content.bytes.as_slice());
        let (before, after) = (old.unwrap_or_default(), new.unwrap_or_default());
        let binary = is_binary(before) || is_binary(after);
        let path = file.path.as_str();
        Self {
            file_path: path.to_owned(),
            file_name: path.rsplit('/').next().unwrap_or(path).to_owned(),
            old: file.before.as_ref().map(|state| Version { hash: state.hash, mode: state.mode }),
            new: file.after.as_ref().map(|content| Version {
                hash: ContentHash::of(&content.bytes),
                mode: content.mode,
            }),
            is_new_file: file.before.is_none(),
            moved_from: file.moved_from.as_ref().map(|path| path.as_str().to_owned()),
            binary,
            stats: if binary { Stats::default() } else { count(before, after) },
        }
    }
}

impl ChangedFile {
    /// Describes a file that was named and not touched.
    pub(crate) fn untouched(path: &str) -> Self {
        Self {
            file_path: path.to_owned(),
            file_name: path.rsplit('/').next().unwrap_or(path).to_owned(),
            old: None,
            new: None,
            is_new_file: false,
            moved_from: None,
            binary: false,
            stats: Stats::default(),
        }
    }
}

impl Record {
    /// Returns the name of the transaction that wrote it.
    pub fn id(&self) -> &str {
        match self {
            Self::Change(change) => &change.id,
            Self::Move(to) => &to.id,
        }
    }
}

/// Makes a name that no other process makes: the time tells people when, the suffix makes it unique.
pub(crate) fn unique(prefix: &str, now: u64) -> String {
    // The standard library seeds each of these from the system's randomness.
    let suffix = RandomState::new().hash_one(now);
    format!("{prefix}-{now}-{suffix:016x}")
}
