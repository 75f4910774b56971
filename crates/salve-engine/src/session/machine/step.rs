//! What a turn asks for, and what it is told.
//!
//! In: nothing. Out: the steps of a turn and their results, as values that can be written down. Never a text
//! of the user: what a step works on is the driver's.

use salve_types::Spend;
use serde::{Deserialize, Serialize};

/// What is to be done next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnStep {
    /// Find out which files are meant.
    Plan,
    /// Read them.
    Load(LoadWhy),
    /// Give them to the provider, then ask for this.
    Upload(AskWhy),
    /// Ask the model.
    Ask(AskTurn),
    /// Read the answer, whose text is saved.
    Read,
    /// Write its edits, or hold them.
    Apply,
    /// Check what was written.
    Check,
    /// Heal what the check found.
    Heal,
    /// Run the command at hand, if it may run. The number counts those of the answer that were at hand, from 0.
    Command(u32),
    /// Ask the model what comes after the command that ran. The number counts such questions of the turn, from 1.
    Supervise(u32),
    /// Ask another model for help.
    Help(HelpWhy),
    /// Read the result that the caller wants in a shape of its own.
    Shape,
    /// Find out from a person whether images are meant.
    Intent,
    /// Have the images made.
    Draw,
    /// The turn is over.
    Done(TurnEnding),
}

/// What another model is asked for. Its answer is a proposal, and the turn goes on without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HelpWhy {
    /// Which files are meant.
    Plan,
    /// An answer that could not be read, in the form it should have had.
    Clean,
    /// The result in the shape that the caller wants.
    Shape,
    /// Prompts for images that differ.
    Prompts,
}

/// Whether a request is one for images, and how they are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrawWish {
    /// It is none.
    #[default]
    No,
    /// A person is asked.
    Unsure,
    /// Its own words are the prompt.
    Direct,
    /// Another model writes the prompts.
    Prompted,
}

/// Why files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadWhy {
    /// The plan names them.
    Planned,
    /// The answer was made on other contents: it gets those of now.
    Again,
    /// Commands ran, and may have changed them.
    Feedback,
}

/// A question to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskTurn {
    /// Which answer of the turn it is, from 1.
    pub number: u32,
    /// Why.
    pub why: AskWhy,
}

/// Why the model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskWhy {
    /// A person asked for something.
    Request,
    /// Its edits did not fit the files, which it gets again.
    Refused,
    /// A secret was taken out of an edit or a command, which is therefore not what it sent.
    Redacted,
    /// It gets the output of its commands.
    Feedback,
}

/// What a step came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnResult {
    /// It is known which files are meant.
    Planned,
    /// They were read.
    Loaded,
    /// The provider has those it takes.
    Uploaded,
    /// The model that was asked for help has answered, or cannot.
    Helped {
        /// What it took.
        spent: Spend,
    },
    /// The result was read.
    Shaped {
        /// Whether it has the shape that the caller wants.
        fits: bool,
    },
    /// An answer is there and its text is saved.
    Answered {
        /// Whether it is proven to be whole.
        whole: bool,
        /// What it took.
        spent: Spend,
    },
    /// There is no answer.
    NoAnswer {
        /// Whether because a budget is used up.
        over_budget: bool,
        /// What it took all the same.
        spent: Spend,
    },
    /// The answer was read.
    ReadAnswer(AnswerFacts),
    /// Its edits were written.
    Applied(WrittenChange),
    /// Those of some files were written; a person decides about the others.
    AppliedPart(WrittenChange),
    /// Those of some files are not wanted; a person decides about the others.
    LeftPart,
    /// A command ran before its turn, while the edits wait.
    RanEarly {
        /// Whether it succeeded.
        ok: bool,
    },
    /// There was nothing to write.
    NothingToApply,
    /// The edits fit, and a person decides.
    Held,
    /// A person wants none of them.
    Declined,
    /// The edits do not fit; nothing was written.
    Refused {
        /// Whether another answer, with the files as they are now, could fit.
        answerable: bool,
    },
    /// The check has ended.
    Checked(CheckEnd),
    /// The heal has ended.
    Healed {
        /// Whether the check passes now.
        green: bool,
        /// What it took.
        spent: Spend,
    },
    /// The command has ended, or did not run.
    Command {
        /// What became of it.
        end: CommandEnd,
        /// What comes after it.
        next: BatchNext,
    },
    /// The model said what comes after a command, or could not be asked.
    Supervised {
        /// What comes next.
        next: BatchNext,
        /// What it took.
        spent: Spend,
    },
    /// It is known whether images are meant.
    Meant(DrawWish),
    /// The images were made, or some of them.
    Drawn {
        /// How many there are.
        made: u32,
        /// How many could not be made.
        missing: u32,
        /// What they took.
        spent: Spend,
    },
    /// Something ended the turn from outside.
    Interrupted(Interruption),
}

/// What is in an answer, as far as the turn depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AnswerFacts {
    /// Whether only parts could be read; then nothing of it is applied or run.
    pub recovered: bool,
    /// Whether anything at all could be read.
    pub readable: bool,
    /// Whether it could be read if it were written again: it is there, and not in the form it should have.
    #[serde(default)]
    pub unformed: bool,
    /// Whether a secret was taken out of an edit or a command.
    pub redacted: bool,
    /// Whether it holds edits.
    pub edits: bool,
    /// How many commands it proposes.
    pub commands: u32,
}

/// A change that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenChange {
    /// Its id in the history of the workspace.
    pub change: String,
    /// The tasks that it does, by their ids.
    pub todos: Vec<String>,
}

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckEnd {
    /// Everything passes.
    Green,
    /// Something fails.
    Red,
    /// Nothing fits the project.
    Nothing,
    /// What fits could not run: a tool is missing, or nobody agreed to run it.
    NotRun,
}

/// What became of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandEnd {
    /// It ran.
    Ran {
        /// Whether it succeeded.
        ok: bool,
    },
    /// A person is there to allow it, and is asked.
    Waits,
    /// A person would have to allow it, and none is there.
    Skipped,
    /// A rule denies it, or it cannot be run at all.
    Denied,
}

/// What comes next in a row of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchNext {
    /// Another command.
    Command,
    /// The model is asked about the one that ran.
    Ask,
    /// Nothing, until a person says so.
    Paused,
    /// Nothing, because one failed and the model wants no further one: it is asked for a way out.
    Fix,
    /// None is left.
    Over,
}

/// What ends a turn from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    /// The control file says PAUSE.
    Paused,
    /// A person gave it up.
    Cancelled,
    /// A budget is used up.
    Budget,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[must_use]
pub enum TurnEnding {
    /// Everything in the answer was done.
    Completed,
    /// Edits or commands wait for a person.
    Waiting,
    /// A person should look at it.
    NeedsAttention(AttentionCode),
    /// There is no answer.
    Failed,
    /// A budget is used up. More of it goes on from there.
    OverBudget,
    /// A person gave it up.
    Cancelled,
    /// It was interrupted, and goes on when it is told to.
    Paused,
}

/// Why a person should look at a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AttentionCode {
    /// Only parts of the answer could be read: they are shown, and nothing was applied.
    Recovered,
    /// Nothing of the answer could be read.
    Unreadable,
    /// A secret was taken out of an edit or a command.
    Redacted,
    /// The edits do not fit the files.
    Refused,
    /// What was written fails its check, and was not healed.
    Red,
    /// A command failed, and the model is not asked about it again.
    CommandFailed,
    /// The result does not have the shape that the caller wants.
    Misshapen,
    /// Some of the images could not be made.
    ImagesMissing,
}

impl AttentionCode {
    /// Says it in words.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Recovered => "only parts of the answer arrived; nothing of it was applied or run",
            Self::Unreadable => "nothing of the answer could be read",
            Self::Redacted => {
                "the answer holds a secret, which is never kept; nothing of it was applied or run"
            }
            Self::Refused => "the edits do not fit the files; nothing was written",
            Self::Red => "the change was written, and the check is red",
            Self::CommandFailed => "a command failed",
            Self::Misshapen => "the result does not fit the schema that was asked for",
            Self::ImagesMissing => "some of the images could not be made; the others are there",
        }
    }
}
