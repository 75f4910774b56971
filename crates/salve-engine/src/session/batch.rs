//! The commands of an answer, run one by one under the eye of a model.
//!
//! In: the commands, and the result of each step. Out: the next step: judge a command, run it, ask the
//! model, wait, or the end. Never runs what was not judged a moment before, never two commands at once,
//! and never goes on after a failure that no one looked at. All of it can be written down after any step
//! and read back.

mod panel;
#[cfg(test)]
mod tests;
mod text;

pub use panel::{BatchPanel, PanelRow};
pub use text::{
    feedback_message, not_run_message, progress_text, supervision_lines, supervisor_prompt,
};

use super::reply::SuggestedCommand;
use salve_check::CommandFollowUp;
use serde::{Deserialize, Serialize};

/// How often a command may be replaced before a person has to look.
const MOST_REPLACEMENTS: u32 = 5;

/// The commands of an answer between two steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct CommandBatch {
    commands: Vec<SuggestedCommand>,
    /// Which one is worked on, from 0; their number at the end.
    at: usize,
    /// What runs in its place.
    replacement: Option<SuggestedCommand>,
    /// How often it was replaced since a person last looked.
    replaced: u32,
    state: BatchState,
    /// A person asked for a pause; it comes before the next command.
    pause_wanted: bool,
    /// Whether a model looks at each result.
    supervised: bool,
    tally: BatchTally,
    runs: Vec<BatchRun>,
}

/// What became of the commands so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BatchTally {
    /// Runs that succeeded.
    pub succeeded: u32,
    /// Runs that failed.
    pub failed: u32,
    /// Commands a person did not want.
    pub skipped: u32,
}

/// One command that ran, or was skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchRun {
    /// The line.
    pub command: String,
    /// Its number, from 1. What runs in the place of a command has its number.
    pub number: usize,
    /// Whether it succeeded; nothing when it was skipped.
    pub succeeded: Option<bool>,
    /// The last line that it wrote, shortened.
    #[serde(default)]
    pub preview: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum BatchState {
    Judging,
    Running,
    Asking { summary: String },
    Paused(PauseReason),
    Done,
}

/// Why nothing runs until a person says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PauseReason {
    /// A person asked for it.
    Wanted,
    /// The model wants no further command.
    Stopped {
        /// Its reason.
        why: String,
    },
    /// A command needs a person's word, and no person was there.
    NotAllowed,
    /// A command failed, and no model looks at it.
    Failed,
    /// The model could not be asked.
    NoAnswer,
    /// The model replaced one command again and again.
    TooManyReplacements,
}

impl PauseReason {
    /// Says it in words.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Wanted => "a person asked for a pause".to_owned(),
            Self::Stopped { why } => format!("the model says stop: {why}"),
            Self::NotAllowed => "it needs a person's word".to_owned(),
            Self::Failed => "a command failed, and no model looks at it".to_owned(),
            Self::NoAnswer => "a command ran, and the model could not be asked about it".to_owned(),
            Self::TooManyReplacements => {
                "the model replaced one command again and again".to_owned()
            }
        }
    }
}

/// The next thing to do with a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum BatchStep {
    /// Ask the gate about this command.
    Gate {
        /// The command.
        command: SuggestedCommand,
        /// Its number, from 1.
        number: usize,
    },
    /// Run it: it was allowed.
    Run {
        /// The command.
        command: SuggestedCommand,
        /// Its number, from 1.
        number: usize,
    },
    /// Show what happened, and ask the model what to do.
    Ask {
        /// What happened, for people and for the model.
        summary: String,
        /// The commands that are left, whole.
        remaining: Vec<String>,
    },
    /// Wait until a person resumes it.
    Paused(PauseReason),
    /// Nothing is left.
    Done,
}

/// The result of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchResult {
    /// Of [`BatchStep::Gate`].
    Judged(GateAnswer),
    /// Of [`BatchStep::Run`].
    Ran {
        /// Whether it succeeded: it ended by itself, with exit code 0.
        succeeded: bool,
        /// What it wrote, as a model is sent it.
        output: String,
    },
    /// Of [`BatchStep::Ask`]: the model's word.
    Answered(CommandFollowUp),
    /// Of [`BatchStep::Ask`]: there was none.
    NoAnswer,
}

/// What the gate says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateAnswer {
    /// It may run now.
    Allowed,
    /// A person does not want it; the next one is asked about.
    Skipped,
    /// It needs a person's word.
    Waits,
}

/// A result of another step than the one at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the result is not that of the step at hand")]
pub struct OutOfOrder;

impl CommandBatch {
    /// Begins with the commands of an answer. Without a model a failure pauses it.
    pub fn new(commands: Vec<SuggestedCommand>, supervised: bool) -> Self {
        let commands: Vec<SuggestedCommand> =
            commands.into_iter().filter(|it| !it.command.trim().is_empty()).collect();
        let state = if commands.is_empty() { BatchState::Done } else { BatchState::Judging };
        Self {
            commands,
            at: 0,
            replacement: None,
            replaced: 0,
            state,
            pause_wanted: false,
            supervised,
            tally: BatchTally::default(),
            runs: Vec::new(),
        }
    }

    /// Returns the next step; the same one until its result was taken.
    pub fn next(&self) -> BatchStep {
        let number = self.at + 1;
        match &self.state {
            BatchState::Judging | BatchState::Running => match self.current() {
                None => BatchStep::Done,
                Some(command) if self.state == BatchState::Running => {
                    BatchStep::Run { command: command.clone(), number }
                }
                Some(command) => BatchStep::Gate { command: command.clone(), number },
            },
            BatchState::Asking { summary } => {
                BatchStep::Ask { summary: summary.clone(), remaining: self.remaining() }
            }
            BatchState::Paused(why) => BatchStep::Paused(why.clone()),
            BatchState::Done => BatchStep::Done,
        }
    }

    /// Takes the result of the step at hand.
    ///
    /// # Errors
    /// The result is that of another step; nothing changes.
    pub fn take(&mut self, result: BatchResult) -> Result<(), OutOfOrder> {
        match (&self.state, result) {
            (BatchState::Judging, BatchResult::Judged(answer)) => self.judged(answer),
            (BatchState::Running, BatchResult::Ran { succeeded, output }) => {
                self.ran(succeeded, &output);
            }
            (BatchState::Asking { .. }, BatchResult::Answered(word)) => self.answered(word),
            (BatchState::Asking { .. }, BatchResult::NoAnswer) => {
                self.pause_or_end(PauseReason::NoAnswer);
            }
            _ => return Err(OutOfOrder),
        }
        Ok(())
    }

    /// Pauses it before the next command; what runs now runs to its end.
    pub fn pause(&mut self) {
        match self.state {
            BatchState::Judging => self.state = BatchState::Paused(PauseReason::Wanted),
            BatchState::Running | BatchState::Asking { .. } => self.pause_wanted = true,
            BatchState::Paused(_) | BatchState::Done => {}
        }
    }

    /// Goes on after a pause: with the same command where it had to wait, else with the next.
    pub fn resume(&mut self) {
        if !matches!(self.state, BatchState::Paused(_)) {
            return;
        }
        self.replaced = 0;
        self.state = BatchState::Judging;
    }

    /// Tells whether the command at hand is one that the model put in the place of another.
    pub const fn is_replaced(&self) -> bool {
        self.replacement.is_some()
    }

    /// Tells whether the last command that ran failed.
    pub fn last_failed(&self) -> bool {
        let mut ran = self.runs.iter().rev().filter_map(|run| run.succeeded);
        ran.next() == Some(false)
    }

    /// Lists the commands that did not run although they are not skipped; none when it is over.
    #[must_use]
    pub fn left(&self) -> Vec<String> {
        if self.state == BatchState::Done { Vec::new() } else { self.remaining() }
    }

    /// Leaves what is left.
    pub fn give_up(&mut self) {
        self.state = BatchState::Done;
    }

    /// Returns what became of the commands so far.
    pub const fn tally(&self) -> BatchTally {
        self.tally
    }

    /// Lists what ran or was skipped, in order.
    pub fn runs(&self) -> &[BatchRun] {
        &self.runs
    }

    /// Returns how many commands the answer had.
    pub fn total(&self) -> usize {
        self.commands.len()
    }

    /// Lists the commands that are left after the one at hand, or with it where it did not run yet.
    #[must_use]
    pub fn remaining(&self) -> Vec<String> {
        let from = if self.has_run() { self.at + 1 } else { self.at };
        self.commands.iter().skip(from).map(|it| it.command.clone()).collect()
    }

    fn has_run(&self) -> bool {
        matches!(self.state, BatchState::Running | BatchState::Asking { .. })
    }

    fn current(&self) -> Option<&SuggestedCommand> {
        self.replacement.as_ref().or_else(|| self.commands.get(self.at))
    }

    fn note(&mut self, succeeded: Option<bool>, output: &str) {
        let count = match succeeded {
            Some(true) => &mut self.tally.succeeded,
            Some(false) => &mut self.tally.failed,
            None => &mut self.tally.skipped,
        };
        *count += 1;
        let command = self.current().map(|it| it.command.clone()).unwrap_or_default();
        let preview = panel::preview_of(output);
        self.runs.push(BatchRun { command, number: self.at + 1, succeeded, preview });
    }

    fn judged(&mut self, answer: GateAnswer) {
        match answer {
            GateAnswer::Allowed => self.state = BatchState::Running,
            GateAnswer::Waits => self.state = BatchState::Paused(PauseReason::NotAllowed),
            GateAnswer::Skipped => {
                self.note(None, "");
                self.advance();
            }
        }
    }

    fn ran(&mut self, succeeded: bool, output: &str) {
        self.note(Some(succeeded), output);
        if self.supervised {
            let summary = progress_text(self, output);
            self.state = BatchState::Asking { summary };
        } else if succeeded {
            self.advance();
        } else {
            self.pause_or_end(PauseReason::Failed);
        }
    }

    fn answered(&mut self, word: CommandFollowUp) {
        match word {
            CommandFollowUp::Continue => self.advance(),
            CommandFollowUp::Stop { why } => self.pause_or_end(PauseReason::Stopped { why }),
            CommandFollowUp::Replace { command } => self.replace(command),
        }
    }

    /// A replacement is in the place of what failed, or else of the next command; while one command is
    /// being replaced, what follows is in the same place. So a model can look around, correct and retry.
    fn replace(&mut self, command: String) {
        let failed = self.runs.last().is_some_and(|run| run.succeeded == Some(false));
        if !failed && self.replacement.is_none() {
            self.step_over();
        }
        // After the last command there is no place to take: it is looked at once more, as the last.
        self.at = self.at.min(self.commands.len().saturating_sub(1));
        self.replaced += 1;
        let cwd = self.commands.get(self.at).and_then(|replaced| replaced.cwd.clone());
        self.replacement = Some(SuggestedCommand { command, description: None, cwd });
        self.state = if self.replaced > MOST_REPLACEMENTS {
            BatchState::Paused(PauseReason::TooManyReplacements)
        } else {
            BatchState::Judging
        };
        self.heed_pause();
    }

    fn step_over(&mut self) {
        self.at += 1;
        self.replacement = None;
        self.replaced = 0;
    }

    fn advance(&mut self) {
        self.step_over();
        let is_over = self.at >= self.commands.len();
        self.state = if is_over { BatchState::Done } else { BatchState::Judging };
        self.heed_pause();
    }

    fn pause_or_end(&mut self, why: PauseReason) {
        self.advance();
        if self.state != BatchState::Done {
            self.state = BatchState::Paused(why);
        }
    }

    fn heed_pause(&mut self) {
        if std::mem::take(&mut self.pause_wanted) && self.state == BatchState::Judging {
            self.state = BatchState::Paused(PauseReason::Wanted);
        }
    }
}
