//! Why a command could not run, and the exit codes.
//!
//! In: errors from below. Out: a message, hints, and the exit code other programs rely on. Never
//! used for an outcome: a cut text is a result, not a failure.

use salve_check::RunError;
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
    /// The exit code of a program that was run in place of this one.
    Program(u8),
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Clean => Self::SUCCESS,
            Ending::Findings => Self::from(1),
            Ending::RolledBack => Self::from(3),
            Ending::NeedsApproval => Self::from(4),
            Ending::LimitReached => Self::from(5),
            Ending::Program(code) => Self::from(code),
        }
    }
}

/// Why nothing was done: a usage or configuration problem, exit code 2; or a person holds it back, exit
/// code 4.
#[derive(Debug)]
pub(crate) struct Failure {
    error: anyhow::Error,
    hints: Vec<String>,
    held_back: bool,
    // What stands in for the exit code of a program that could not be started.
    of_program: Option<u8>,
}

impl Failure {
    /// Makes a failure from words.
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        Self::from(anyhow::anyhow!("{message}"))
    }

    /// Says that a person holds it back, and can let it go on.
    pub(crate) fn held_back(self) -> Self {
        Self { held_back: true, ..self }
    }

    /// Ends with this code, in place of a program that was to give its own.
    pub(crate) fn in_place_of_program(self, code: u8) -> Self {
        Self { of_program: Some(code), ..self }
    }

    /// Returns the exit code: that in place of a program's, 4 when a person holds it back, else 2.
    pub(crate) fn exit_code(&self) -> u8 {
        let paused = |cause: &(dyn std::error::Error + 'static)| {
            matches!(cause.downcast_ref::<RunError>(), Some(RunError::Paused))
        };
        let own = if self.held_back || self.error.chain().any(paused) { 4 } else { 2 };
        self.of_program.unwrap_or(own)
    }

    /// Adds what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Returns whether the reader of our output went away, which is not a failure.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.system_errors().any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    }

    /// Returns what kind of error the system gave, when it is one of the system's.
    pub(crate) fn io_kind(&self) -> Option<std::io::ErrorKind> {
        self.system_errors().map(std::io::Error::kind).next()
    }

    fn system_errors(&self) -> impl Iterator<Item = &std::io::Error> {
        self.error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>())
    }

    /// Returns the message with its causes and hints, one per line.
    pub(crate) fn render(&self) -> String {
        let style = anstyle::AnsiColor::Red.on_default().bold();
        let calm = anstyle::AnsiColor::Cyan.on_default();
        let mut text = format!("{style}error{style:#}: {}\n", self.message());
        for hint in &self.hints {
            text.push_str(&format!(" {calm}hint{calm:#}: {hint}\n"));
        }
        text
    }

    /// Returns the message and its causes; a cause whose words the message before it has already is not said
    /// twice.
    pub(crate) fn message(&self) -> String {
        let mut said = String::new();
        for cause in self.error.chain().map(ToString::to_string) {
            if said.is_empty() {
                said = cause;
            } else if !said.contains(&cause) {
                said = format!("{said}: {cause}");
            }
        }
        said
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self { error: error.into(), hints: Vec::new(), held_back: false, of_program: None }
    }
}

/// What every command returns.
pub(crate) type CommandResult = Result<Ending, Failure>;

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Wordy {
        source: std::io::Error,
    }

    impl fmt::Display for Wordy {
        fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(out, "cannot write `x`: {}", self.source)
        }
    }

    impl std::error::Error for Wordy {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.source)
        }
    }

    #[test]
    fn a_cause_is_said_once() {
        let source = std::io::Error::from_raw_os_error(28);
        let failure = Failure::from(Wordy { source });
        assert_eq!(failure.message().matches("No space left").count(), 1);
        let terse = Failure::from(anyhow::anyhow!("inner").context("outer"));
        assert_eq!(terse.message(), "outer: inner");
    }

    #[test]
    fn what_a_person_holds_back_is_another_code_than_bad_usage() {
        let paused = || anyhow::Error::from(RunError::Paused);
        for (failure, code) in [
            (Failure::new("no such file"), 2),
            (Failure::from(RunError::NoSuchProgram { program: "x".to_owned() }), 2),
            (Failure::from(RunError::Paused), 4),
            (Failure::from(paused().context("cannot check")), 4),
            (Failure::new("paused").held_back().hint("go on"), 4),
        ] {
            assert_eq!(failure.exit_code(), code, "{failure:?}");
        }
    }
}
