//! Runs the command by which a person fetches a key, such as a password manager.
//!
//! In: the words of the person's own settings, and a deadline. Out: what it printed. Never more than a
//! key's length of output, and nothing of it in any error or record.

use super::own_command::{OwnCommandError, run_own_command};
use std::time::Duration;

/// Why a command gave no key. None of these holds what it printed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyCommandError {
    /// There is no command.
    #[error("the command for the key has no words; write it like [\"pass\", \"show\", \"xai\"]")]
    Nothing,
    /// It cannot be started.
    #[error("cannot run `{program}` for the key")]
    NotStarted {
        /// The program.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// It failed.
    #[error("`{program}` gave no key: {ending}; run it by hand to see why")]
    Failed {
        /// The program.
        program: String,
        /// How it ended.
        ending: String,
    },
    /// It took too long.
    #[error("`{program}` gave no key within {deadline:?} and was ended")]
    TooLong {
        /// The program.
        program: String,
        /// The deadline.
        deadline: Duration,
    },
    /// It printed more than a key, or no text.
    #[error("`{program}` printed something that is no key")]
    NoKey {
        /// The program.
        program: String,
    },
}

const LONGEST_KEY: u64 = 16 * 1024;

/// Runs a command of the person's own and returns the key that it printed.
///
/// # Errors
///
/// Fails when it cannot be started, fails, takes too long or prints no key.
pub fn run_key_command(words: &[String], deadline: Duration) -> Result<String, KeyCommandError> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let printed = run_own_command(&words, deadline, LONGEST_KEY).map_err(without_output)?;
    String::from_utf8(printed).map_err(|_| KeyCommandError::NoKey {
        program: words.first().copied().unwrap_or_default().to_owned(),
    })
}

// A password manager's complaint is left out: it may quote what it was asked for.
fn without_output(error: OwnCommandError) -> KeyCommandError {
    match error {
        OwnCommandError::NoWords => KeyCommandError::Nothing,
        OwnCommandError::NotStarted { program, source } => {
            KeyCommandError::NotStarted { program, source }
        }
        OwnCommandError::Failed { program, ending, complaint: _ } => {
            KeyCommandError::Failed { program, ending }
        }
        OwnCommandError::TooLong { program, deadline } => {
            KeyCommandError::TooLong { program, deadline }
        }
        OwnCommandError::TooMuch { program, .. } => KeyCommandError::NoKey { program },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[&str], deadline: Duration) -> Result<String, KeyCommandError> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        run_key_command(&words, deadline)
    }

    #[test]
    fn a_command_of_ones_own_prints_the_key() {
        let long = Duration::from_secs(20);
        assert_eq!(run(&["printf", "sk-1\n"], long).unwrap(), "sk-1\n");
    }

    #[test]
    fn every_way_to_fail_is_told_apart_and_shows_no_output() {
        use KeyCommandError as E;
        let long = Duration::from_secs(20);
        assert!(matches!(run(&[], long), Err(E::Nothing)));
        assert!(matches!(run(&["no-such-program-anywhere"], long), Err(E::NotStarted { .. })));
        let failed = run(&["sh", "-c", "echo sk-planted | tee /dev/stderr; exit 3"], long);
        let failed = failed.unwrap_err();
        assert!(matches!(failed, E::Failed { .. }));
        assert!(!format!("{failed} {failed:?}").contains("planted"));
        assert!(matches!(run(&["sh", "-c", "printf '\\377'"], long), Err(E::NoKey { .. })));
        let much = run(&["head", "-c", "100000", "/dev/zero"], long);
        assert!(matches!(much, Err(E::NoKey { .. })), "{much:?}");
        let hanging = run(&["sleep", "60"], Duration::from_millis(100));
        assert!(matches!(hanging, Err(E::TooLong { .. })), "{hanging:?}");
    }
}
