//! Why a command could not run, and the exit codes.
//!
//! In: errors from below. Out: a message, hints, and the exit code other programs rely on. Never
//! used for an outcome: a cut text is a result, not a failure.

use std::fmt;
use std::process::ExitCode;

/// How a command ended, as its exit code says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// 0: clean or healed.
    Clean,
    /// 1: findings remain.
    Findings,
    /// 3: something was written and taken back.
    RolledBack,
    /// 4: a person must allow it.
    NeedsApproval,
    /// 5: a deadline or another limit ended it.
    LimitReached,
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Clean => Self::SUCCESS,
            Ending::Findings => Self::from(1),
            Ending::RolledBack => Self::from(3),
            Ending::NeedsApproval => Self::from(4),
            Ending::LimitReached => Self::from(5),
        }
    }
}

/// A usage or configuration problem: exit code 2.
#[derive(Debug)]
pub(crate) struct Failure {
    error: anyhow::Error,
    hints: Vec<String>,
}

impl Failure {
    /// Makes a failure from words.
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        Self { error: anyhow::anyhow!("{message}"), hints: Vec::new() }
    }

    /// Adds what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Returns whether the reader of our output went away, which is not a failure.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.error
            .chain()
            .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
            .any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    }

    /// Returns the message with its causes and hints, one per line.
    pub(crate) fn render(&self) -> String {
        let style = anstyle::AnsiColor::Red.on_default().bold();
        let calm = anstyle::AnsiColor::Cyan.on_default();
        let mut text = format!("{style}error{style:#}: {:#}\n", self.error);
        for hint in &self.hints {
            text.push_str(&format!(" {calm}hint{calm:#}: {hint}\n"));
        }
        text
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self { error: error.into(), hints: Vec::new() }
    }
}

/// What every command returns.
pub(crate) type CommandResult = Result<Ending, Failure>;
