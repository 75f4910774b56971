//! Sessions: what a conversation about a workspace keeps.
//!
//! In: names, hashes and moments. Out: plain data that the store keeps, the engine decides on and people
//! are shown. Never decides anything itself, and holds no text of a model beyond what is listed.

use crate::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The name of a session: 26 characters that sort by the moment it was made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(pub String);

// The digits of Crockford's base 32, which leaves out the letters that are taken for digits.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

impl SessionId {
    /// Makes the name of a number. Names sort as their numbers do.
    pub fn of_number(number: u128) -> Self {
        let digit = |place: u32| {
            let index = usize::try_from((number >> (place * 5)) & 31).unwrap_or_default();
            char::from(DIGITS.get(index).copied().unwrap_or(b'0'))
        };
        Self((0..26).rev().map(digit).collect())
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.0)
    }
}

macro_rules! names {
    ($type:ident { $($variant:ident => $name:literal),+ $(,)? }) => {
        impl $type {
            /// Lists them all.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns its name on the wire.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            /// Returns the one of a name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}

/// How far a turn is, or how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// It was asked for, and nothing was done yet.
    #[default]
    Pending,
    /// It is being worked on.
    Running,
    /// Edits or commands wait for a person.
    Waiting,
    /// Done.
    Completed,
    /// Done as far as the answer went; the rest is missing.
    CompletedPartial,
    /// A person has to look: something was blocked or stayed red.
    NeedsAttention,
    /// It ended without a result; it can be tried again.
    Failed,
    /// It was stopped.
    Cancelled,
}

names!(TurnStatus {
    Pending => "pending",
    Running => "running",
    Waiting => "waiting",
    Completed => "completed",
    CompletedPartial => "completed_partial",
    NeedsAttention => "needs_attention",
    Failed => "failed",
    Cancelled => "cancelled",
});

impl TurnStatus {
    /// Returns whether nothing more will happen unless somebody asks for it.
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Self::Pending | Self::Running | Self::Waiting)
    }
}

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOpKind {
    /// It was read for the model.
    Read,
    /// It was made.
    Create,
    /// It was changed.
    Update,
    /// It was removed.
    Delete,
}

names!(FileOpKind { Read => "read", Create => "create", Update => "update", Delete => "delete" });

/// Who did something to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOpBy {
    /// The model asked for it.
    Ai,
    /// The user, through Salve.
    User,
    /// Another program; it was noticed afterwards.
    External,
}

names!(FileOpBy { Ai => "ai", User => "user", External => "external" });

/// One thing that was done to a file in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileOperation {
    /// The file, relative to the workspace.
    pub path: String,
    /// What was done.
    pub op: FileOpKind,
    /// BLAKE3 of the content before, if there was one.
    pub hash_before: Option<String>,
    /// BLAKE3 of the content afterwards, if there is one.
    pub hash_after: Option<String>,
    /// MD5 of the content afterwards, for those who ask for it by that name.
    pub md5: Option<String>,
    /// Bytes afterwards.
    pub size: u64,
    /// Who did it.
    pub by: FileOpBy,
    /// When.
    pub at: Timestamp,
    /// In which turn.
    pub turn: u32,
}

/// Why a file is in the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadedBy {
    /// The user named it.
    User,
    /// The plan of a turn chose it.
    Auto,
    /// The model asked for it while it answered.
    AiAdhoc,
}

names!(LoadedBy { User => "user", Auto => "auto", AiAdhoc => "ai-adhoc" });

/// A task of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoItem {
    /// Its name in the session.
    pub id: String,
    /// What is to be done.
    pub text: String,
    /// Whether it is done: a change for it was applied and checked.
    pub completed: bool,
    /// The change that completed it.
    pub completed_by: Option<String>,
    /// Whether the model says that it is done, which proves nothing.
    pub claimed: bool,
    /// The turn that named it first.
    pub origin_turn: u32,
}

/// What kind of fault a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BugKind {
    /// The answer was not the JSON it had to be.
    Json,
    /// Anything else.
    Other,
}

names!(BugKind { Json => "json", Other => "other" });

/// Who reported a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BugBy {
    /// Salve noticed it.
    Script,
    /// The user.
    User,
}

names!(BugBy { Script => "script", User => "user" });

/// A fault that was reported in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BugReport {
    /// What kind of fault.
    pub kind: BugKind,
    /// Who reported it.
    pub by: BugBy,
    /// What happened.
    pub description: String,
    /// In which turn.
    pub turn: u32,
    /// When.
    pub at: Timestamp,
}

/// On whose behalf a command ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandBy {
    /// The model proposed it.
    Ai,
    /// The user typed it.
    User,
    /// A heal ran it.
    Healer,
}

names!(CommandBy { Ai => "ai", User => "user", Healer => "healer" });

/// A command that ran in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandResult {
    /// The line.
    pub command: String,
    /// Where, relative to the workspace.
    pub cwd: String,
    /// What it ended with; nothing when it was ended.
    pub exit: Option<i32>,
    /// How long it took.
    pub duration_ms: u64,
    /// The id of the text of all its output, if that was kept.
    pub output: Option<String>,
    /// The part of its output that was shown.
    pub shown: String,
    /// On whose behalf.
    pub by: CommandBy,
    /// In which turn.
    pub turn: u32,
    /// When it ended.
    pub at: Timestamp,
}

/// What became of a change set of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeState {
    /// It waits for a person.
    Proposed,
    /// It is in the workspace.
    Applied,
    /// It was, and was taken back.
    Reverted,
    /// It was refused.
    Blocked,
    /// A person did not want it.
    Skipped,
}

names!(ChangeState {
    Proposed => "proposed",
    Applied => "applied",
    Reverted => "reverted",
    Blocked => "blocked",
    Skipped => "skipped",
});

/// A change set of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionChange {
    /// Its name in the history of the workspace, or the name it was proposed by.
    pub change_id: String,
    /// In which turn.
    pub turn: u32,
    /// What became of it.
    pub state: ChangeState,
    /// The tasks it is for: ids.
    pub todos: Vec<String>,
    /// What it cost, in millionths of a dollar.
    pub micro_dollars: u64,
    /// Whether the check passed with it; nothing where no check fits the workspace.
    pub checked: Option<bool>,
    /// The change it belongs to: a fix of a heal belongs to what it healed.
    pub parent_change: Option<String>,
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEvent {
    /// Its number: larger than that of every event before it.
    pub id: u64,
    /// The session.
    pub session: SessionId,
    /// The turn, if it belongs to one.
    pub turn: Option<u32>,
    /// What happened.
    pub name: String,
    /// When.
    pub at: Timestamp,
    /// The rest.
    pub payload: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_names_sort_as_their_numbers() {
        let numbers = [0, 1, 31, 32, 1 << 80, (1 << 80) + 1, u128::MAX];
        let names: Vec<SessionId> = numbers.into_iter().map(SessionId::of_number).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
        assert!(names.iter().all(|name| name.as_str().len() == 26), "{names:?}");
        assert_eq!(SessionId::of_number(33).as_str(), "00000000000000000000000011");
    }

    #[test]
    fn names_are_those_on_the_wire() {
        fn check<T: Copy + PartialEq + fmt::Debug + Serialize>(
            all: &[T],
            name: fn(T) -> &'static str,
            from_name: fn(&str) -> Option<T>,
        ) {
            for &one in all {
                assert_eq!(serde_json::to_value(one).unwrap(), name(one));
                assert_eq!(from_name(name(one)), Some(one));
            }
            assert_eq!(from_name("none of them"), None);
        }
        check(TurnStatus::ALL, TurnStatus::name, TurnStatus::from_name);
        check(FileOpKind::ALL, FileOpKind::name, FileOpKind::from_name);
        check(FileOpBy::ALL, FileOpBy::name, FileOpBy::from_name);
        check(LoadedBy::ALL, LoadedBy::name, LoadedBy::from_name);
        check(BugKind::ALL, BugKind::name, BugKind::from_name);
        check(BugBy::ALL, BugBy::name, BugBy::from_name);
        check(CommandBy::ALL, CommandBy::name, CommandBy::from_name);
        check(ChangeState::ALL, ChangeState::name, ChangeState::from_name);
    }
}
