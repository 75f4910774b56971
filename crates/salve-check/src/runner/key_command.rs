//! Runs the command a person keeps a key behind, such as a password manager.
//!
//! In: the words of the person's own settings, and a deadline. Out: what it printed. It runs outside
//! of the sandbox, because it has to reach the person's agent and keyring; that is why its words may
//! come from nowhere but the person's settings. Never a shell, never past the deadline, never more
//! than a key's length of output, and nothing of it in any record.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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
        /// Why.
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

/// Runs a command of the person's own and returns what it printed.
///
/// # Errors
///
/// Fails when it cannot be started, fails, takes too long or prints no key.
#[expect(clippy::disallowed_methods, reason = "the person's own command, started by the runner")]
pub fn run_key_command(words: &[String], deadline: Duration) -> Result<String, KeyCommandError> {
    let [program, arguments @ ..] = words else { return Err(KeyCommandError::Nothing) };
    let program = program.clone();
    let mut child = Command::new(&program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|source| KeyCommandError::NotStarted { program: program.clone(), source })?;
    let reader = child.stdout.take().map(|out| {
        std::thread::spawn(move || {
            let mut printed = Vec::new();
            // One byte more than allowed, so that too much can be told from just enough.
            out.take(LONGEST_KEY + 1).read_to_end(&mut printed).map(|_| printed)
        })
    });
    let ended = wait(&mut child, deadline);
    // Whatever it left behind would keep the pipe open, and has no business here any more.
    end_group(&child);
    let failed = |ending: String| KeyCommandError::Failed { program: program.clone(), ending };
    let status = match ended {
        Ok(Some(status)) => status,
        Ok(None) => return Err(KeyCommandError::TooLong { program, deadline }),
        Err(error) => return Err(failed(error.to_string())),
    };
    if !status.success() {
        return Err(failed(status.to_string()));
    }
    let printed = reader.and_then(|reader| reader.join().ok()).and_then(Result::ok);
    printed
        .filter(|bytes| bytes.len() as u64 <= LONGEST_KEY)
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or(KeyCommandError::NoKey { program })
}

fn wait(
    child: &mut Child,
    deadline: Duration,
) -> std::io::Result<Option<std::process::ExitStatus>> {
    let until = Instant::now() + deadline;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= until {
            end_group(child);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

// The group is the command's own, made for it; when nobody is left in it, there is nothing to end.
fn end_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
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
        // No shell: what would be one's syntax is text.
        assert_eq!(run(&["printf", "%s", "$HOME;id"], long).unwrap(), "$HOME;id");
    }

    #[test]
    fn every_way_to_fail_is_told_apart_and_shows_no_output() {
        use KeyCommandError as E;
        let long = Duration::from_secs(20);
        assert!(matches!(run(&[], long), Err(E::Nothing)));
        assert!(matches!(run(&["no-such-program-anywhere"], long), Err(E::NotStarted { .. })));
        let failed = run(&["sh", "-c", "echo sk-planted; exit 3"], long).unwrap_err();
        assert!(matches!(failed, E::Failed { .. }));
        assert!(!format!("{failed} {failed:?}").contains("planted"));
        assert!(matches!(run(&["sh", "-c", "printf '\\377'"], long), Err(E::NoKey { .. })));
        let much = run(&["head", "-c", "100000", "/dev/zero"], long);
        assert!(matches!(much, Err(E::NoKey { .. } | E::Failed { .. })), "{much:?}");
    }

    #[test]
    fn a_command_that_hangs_is_ended_with_all_it_started() {
        let begun = Instant::now();
        let hanging = run(&["sh", "-c", "sleep 60 & sleep 60"], Duration::from_millis(100));
        assert!(matches!(hanging, Err(KeyCommandError::TooLong { .. })), "{hanging:?}");
        // A child that keeps the pipe open after its parent ended must not be waited for either.
        let left = run(&["sh", "-c", "echo sk-1; sleep 60 & exit 0"], Duration::from_secs(20));
        assert_eq!(left.unwrap(), "sk-1\n");
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
