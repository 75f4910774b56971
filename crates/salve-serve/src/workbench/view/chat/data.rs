//! What the chat shows, as plain data.
//!
//! In: nothing. Out: types that a page fills and the views draw. Never behaviour beyond a question about a value.

use crate::workbench::view::diff::DiffHunk;
use salve_engine::session::{ChatAnswer, SuggestedStep};
use salve_types::{TodoItem, TurnStatus};
use serde::Deserialize;

/// All of the screen.
#[derive(Debug, Clone, Default)]
pub struct ChatView {
    /// The session itself.
    pub head: SessionHead,
    /// Turns before those that are shown in full.
    pub folded: Vec<FoldedTurn>,
    /// The turns, oldest first.
    pub turns: Vec<TurnView>,
    /// The tasks.
    pub todos: Vec<TodoItem>,
    /// A row of commands that runs or ran.
    pub panel: Option<PanelView>,
    /// Commands that wait for a person's word.
    pub questions: Vec<CommandQuestion>,
    /// The offer to go on in a fresh session.
    pub handoff: Option<HandoffView>,
    /// What an empty session proposes to ask.
    pub suggestions: Vec<String>,
}

impl ChatView {
    /// Returns whether a turn is being worked on.
    pub fn is_running(&self) -> bool {
        self.turns.last().is_some_and(TurnView::is_running)
    }
}

/// A session, for the head of the screen.
#[derive(Debug, Clone, Default)]
pub struct SessionHead {
    /// Its id.
    pub id: String,
    /// What people know it by.
    pub title: String,
    /// How many turns it has.
    pub turns: u32,
    /// Tokens, both ways.
    pub tokens: u64,
    /// What it cost, in millionths of a dollar.
    pub micro_dollars: u64,
    /// The session it goes on from.
    pub parent: Option<String>,
    /// The sessions that were used last: ids and titles.
    pub others: Vec<(String, String)>,
    /// What the input holds already, as after a handoff.
    pub prefilled: String,
}

/// A turn of which only a line is shown.
#[derive(Debug, Clone, Default)]
pub struct FoldedTurn {
    /// Its number, from one.
    pub number: u32,
    /// What was asked.
    pub request: String,
    /// How it ended.
    pub status: TurnStatus,
}

/// A turn.
#[derive(Debug, Clone, Default)]
pub struct TurnView {
    /// Its number, from one.
    pub number: u32,
    /// What was asked.
    pub request: String,
    /// How many images belong to it.
    pub images: usize,
    /// When it was asked, in milliseconds.
    pub at: i64,
    /// How far it is.
    pub status: TurnStatus,
    /// What is being done, in the words of the documents, in order.
    pub progress: Vec<String>,
    /// The files that were read for it.
    pub loaded: Vec<String>,
    /// What was looked for and not found.
    pub not_found: Vec<String>,
    /// What of them the provider keeps.
    pub uploads: Option<UploadsView>,
    /// The answer, once it was read.
    pub answer: Option<ChatAnswer>,
    /// The text that arrived so far, while there is no answer.
    pub arrived: Option<String>,
    /// What is said above an answer that is not whole.
    pub banner: Option<Banner>,
    /// The files that it changes.
    pub files: Vec<FileView>,
    /// The commands that it proposes.
    pub commands: Vec<CommandView>,
    /// What was done, in order.
    pub done: Vec<DoneLine>,
    /// What may be asked next.
    pub steps: Vec<SuggestedStep>,
    /// Why it ended as it did.
    pub why: Option<String>,
    /// Tokens, both ways.
    pub tokens: u64,
    /// What it cost, in millionths of a dollar.
    pub micro_dollars: u64,
    /// Who answered.
    pub model: Option<String>,
    /// What a decision about it names: the hash of what waits.
    pub approval: Option<String>,
    /// Whether the conversation was taken back to before it.
    pub rewound: bool,
    /// Whether it can be taken back.
    pub can_rewind: bool,
    /// The session it belongs to, for the addresses of its images.
    pub session: String,
    /// Whether a person is asked if images are meant.
    pub image_question: Option<ImageQuestion>,
    /// Where its images were saved last.
    pub saved_images: Vec<String>,
}

/// The question whether images are meant.
#[derive(Debug, Clone, Default)]
pub struct ImageQuestion {
    /// How many would be made.
    pub count: u32,
    /// What they would cost, in millionths of a dollar.
    pub micro_dollars: Option<u64>,
    /// What a decision about it names: the hash of what waits.
    pub approval: String,
}

/// The uploads of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UploadsView {
    /// How many there are, in words.
    pub words: String,
    /// Why nothing was uploaded, in words.
    pub refused: Option<String>,
    /// The files that the provider has.
    pub files: Vec<UploadView>,
    /// The paths of those it has not, each with why.
    pub skipped: Vec<(String, String)>,
}

/// A file that the provider has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UploadView {
    /// The file.
    pub path: String,
    /// The provider's id.
    pub id: String,
    /// What was done about it, in words.
    pub state: String,
    /// Whether it was there already.
    pub reused: bool,
    /// When its time is over, in milliseconds.
    pub expires_at: Option<i64>,
}

impl TurnView {
    /// Returns whether it is being worked on.
    pub const fn is_running(&self) -> bool {
        matches!(self.status, TurnStatus::Pending | TurnStatus::Running)
    }

    /// Counts the files in a state.
    pub fn files_in(&self, state: FileState) -> usize {
        self.files.iter().filter(|file| file.state == state).count()
    }

    /// Counts the commands that may still run.
    pub fn open_commands(&self) -> usize {
        self.commands.iter().filter(|command| command.state.is_open()).count()
    }
}

/// What is said above an answer that is not whole.
#[derive(Debug, Clone, Default)]
pub struct Banner {
    /// The text about what was recovered; nothing where nothing was.
    pub recovered: Option<String>,
    /// The text about changes that were blocked.
    pub blocked: Option<String>,
    /// Whether what was recovered can be accepted.
    pub can_continue: bool,
}

/// What became of a changed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileState {
    /// It waits for a person.
    #[default]
    Waiting,
    /// It is written.
    Applied,
    /// A person did not want it.
    Rejected,
    /// It was refused.
    Blocked,
    /// It was written and taken back.
    Reverted,
    /// It belongs to an answer that is only shown.
    Shown,
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileChangeKind {
    /// It is changed.
    #[default]
    Update,
    /// It comes.
    Create,
    /// It goes.
    Delete,
    /// It gets another name.
    Rename,
}

/// A changed file.
#[derive(Debug, Clone, Default)]
pub struct FileView {
    /// Its path in the workspace.
    pub path: String,
    /// Its new path, where it gets one.
    pub new_path: Option<String>,
    /// What happens to it.
    pub kind: FileChangeKind,
    /// What became of that.
    pub state: FileState,
    /// Lines that come.
    pub added: usize,
    /// Lines that go.
    pub removed: usize,
    /// The changed places.
    pub hunks: Vec<HunkView>,
    /// Why it is blocked, or what is to be known about it.
    pub note: Option<String>,
    /// What a decision about it names: the hash of what waits.
    pub approval: Option<String>,
}

impl FileView {
    /// Returns whether a person rejected all of it, and may think again while others wait.
    pub fn is_left(&self) -> bool {
        !self.hunks.is_empty() && self.hunks.iter().all(|hunk| hunk.decision == Some(false))
    }
}

/// A changed place, and what a person said about it.
#[derive(Debug, Clone, Default)]
pub struct HunkView {
    /// The place.
    pub hunk: DiffHunk,
    /// By what it is named in a decision.
    pub id: String,
    /// Kept, rejected, or not decided.
    pub decision: Option<bool>,
}

/// How far a command is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CommandState {
    /// It was proposed.
    #[default]
    Open,
    /// It waits for a person's word.
    Asked,
    /// It runs.
    Running,
    /// It succeeded.
    Succeeded,
    /// It failed.
    Failed,
    /// A person did not want it, or no one was there to ask.
    Skipped,
    /// A rule denies it.
    Denied,
}

impl CommandState {
    /// Returns whether it may still run.
    pub const fn is_open(&self) -> bool {
        matches!(self, Self::Open | Self::Asked)
    }
}

/// A command.
#[derive(Debug, Clone, Default)]
pub struct CommandView {
    /// Its place in the answer, from 0.
    pub number: u32,
    /// The line.
    pub command: String,
    /// What it is for.
    pub description: Option<String>,
    /// Where it runs.
    pub cwd: Option<String>,
    /// How far it is.
    pub state: CommandState,
    /// Why it waits or did not run.
    pub why: Option<String>,
    /// What it wrote, as much as is shown.
    pub output: String,
    /// What it ended with.
    pub exit: Option<i64>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// What a decision about it names, where it waits.
    pub approval: Option<String>,
    /// Whether a person is asked before it runs.
    pub asks: bool,
    /// Whether the changes before it wait, and it would run before they are decided about.
    pub early: bool,
}

/// A line of what was done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DoneLine {
    /// Whether it went well; nothing where that is no question.
    pub good: Option<bool>,
    /// What was done.
    pub words: String,
    /// More about it, a line each.
    pub details: Vec<String>,
}

/// A row of commands at a glance, as the event says it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PanelView {
    /// The turn whose commands they are.
    #[serde(skip)]
    pub turn: u32,
    /// Runs that succeeded.
    pub succeeded: u32,
    /// Runs that failed.
    pub failed: u32,
    /// Commands that are over.
    pub done: usize,
    /// Commands.
    pub total: usize,
    /// How far it is, of 100.
    pub percent: usize,
    /// What ran or was skipped, in order.
    pub rows: Vec<PanelRowView>,
    /// What is left.
    pub next: Vec<String>,
    /// Why nothing runs until a person says so.
    pub paused: Option<String>,
}

/// A command of the panel.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct PanelRowView {
    /// `✓`, `✗`, or `-` for what was skipped.
    pub mark: String,
    /// The line.
    pub command: String,
    /// A line of what it wrote.
    pub preview: String,
}

/// A command that waits for a person's word.
#[derive(Debug, Clone, Default)]
pub struct CommandQuestion {
    /// The turn.
    pub turn: u32,
    /// The line, or lines.
    pub command: String,
    /// Where it would run.
    pub cwd: Option<String>,
    /// Why it does not run by itself.
    pub why: String,
    /// What a decision about it names: the hash of what waits.
    pub approval: String,
    /// Whether it can be put on the list.
    pub can_add: bool,
    /// The place of the command in the answer, where the changes before it wait.
    pub early: Option<u32>,
    /// Whether it is about several commands, which have a button of their own.
    pub row: bool,
}

/// The offer to go on in a fresh session.
#[derive(Debug, Clone, Default)]
pub struct HandoffView {
    /// How full the context is, of 100.
    pub percent: u64,
    /// Tasks that are open.
    pub open_todos: usize,
}
