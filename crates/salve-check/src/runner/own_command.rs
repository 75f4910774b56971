//! Runs a command of the person's own outside of the sandbox.
//!
//! In: the words, a deadline and the most bytes it may print. Out: what it printed. Such a command has
//! to reach the person's agent, keyring or display, which is why its words may come from nowhere but
//! the person's settings or this program. Never a shell, never past the deadline, never more output
//! than was allowed, and nothing of it in any record.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Why a command of the person's own gave nothing. None of these holds what it printed as its result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnCommandError {
    /// There are no words.
    #[error("the command has no words")]
    NoWords,
    /// It cannot be started.
    #[error("cannot run `{program}`")]
    NotStarted {
        /// The program.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// It failed.
    #[error("`{program}` failed: {ending}")]
    Failed {
        /// The program.
        program: String,
        /// How it ended.
        ending: String,
        /// The first line that it wrote as a complaint.
        complaint: Option<String>,
    },
    /// It took too long.
    #[error("`{program}` took longer than {deadline:?} and was ended")]
    TooLong {
        /// The program.
        program: String,
        /// The deadline.
        deadline: Duration,
    },
    /// It printed more than was allowed.
    #[error("`{program}` printed more than {most_bytes} bytes")]
    TooMuch {
        /// The program.
        program: String,
        /// What was allowed.
        most_bytes: u64,
    },
}

/// How much of a complaint is read.
const LONGEST_COMPLAINT: u64 = 4096;

/// Runs a command of the person's own and returns what it printed.
///
/// # Errors
///
/// Fails when it cannot be started, fails, takes too long or prints too much.
#[expect(clippy::disallowed_methods, reason = "the person's own command, started by the runner")]
pub fn run_own_command(
    words: &[&str],
    deadline: Duration,
    most_bytes: u64,
) -> Result<Vec<u8>, OwnCommandError> {
    let [name, arguments @ ..] = words else { return Err(OwnCommandError::NoWords) };
    let program = (*name).to_owned();
    let mut child = Command::new(name)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|source| OwnCommandError::NotStarted { program: program.clone(), source })?;
    // One byte more than allowed, so that too much can be told from just enough.
    let printed = child.stdout.take().map(|out| first_bytes(out, most_bytes.saturating_add(1)));
    let complaint = child.stderr.take().map(complaint_bytes);
    let ended = wait(&mut child, deadline);
    // What it left running would keep the pipes open, and has no business here any more.
    end_group(&child);
    let printed = read(printed);
    let complaint = read(complaint);
    let failed = |ending: String| {
        let complaint = String::from_utf8_lossy(&complaint);
        let complaint = complaint.trim().lines().next().map(str::to_owned);
        OwnCommandError::Failed { program: program.clone(), ending, complaint }
    };
    // A command that is cut off at the cap may fail for that alone.
    if printed.len() as u64 > most_bytes {
        return Err(OwnCommandError::TooMuch { program, most_bytes });
    }
    match ended {
        Ok(Some(status)) if status.success() => Ok(printed),
        Ok(Some(status)) => Err(failed(status.to_string())),
        Ok(None) => Err(OwnCommandError::TooLong { program, deadline }),
        Err(error) => Err(failed(error.to_string())),
    }
}

type Reading = JoinHandle<Vec<u8>>;

// Both pipes are read while it runs, so that a full one does not stop it. A result over the cap is not
// read on, which ends the command by a broken pipe.
fn first_bytes(out: impl Read + Send + 'static, most: u64) -> Reading {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is what there is.
        let _ = out.take(most).read_to_end(&mut bytes);
        bytes
    })
}

// Warnings are no reason to end it, however many: those after the first are read and dropped.
fn complaint_bytes(mut out: impl Read + Send + 'static) -> Reading {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = out.by_ref().take(LONGEST_COMPLAINT).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut out, &mut std::io::sink());
        bytes
    })
}

fn read(reading: Option<Reading>) -> Vec<u8> {
    reading.and_then(|reading| reading.join().ok()).unwrap_or_default()
}

fn wait(child: &mut Child, deadline: Duration) -> std::io::Result<Option<ExitStatus>> {
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

// The group is the command's own, made for it; when no process is left in it, there is nothing to end.
fn end_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use OwnCommandError as E;

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn what_it_prints_is_given_back_and_no_shell_reads_the_words() {
        assert_eq!(run_own_command(&["printf", "%s", "$HOME;id"], LONG, 8).unwrap(), b"$HOME;id");
        // Warnings are read on, and do not end it.
        let words = ["sh", "-c", "yes warning | head -c 300000 >&2; printf 1"];
        assert_eq!(run_own_command(&words, LONG, 8).unwrap(), b"1");
        // Just as much as is allowed is not too much.
        assert_eq!(run_own_command(&["printf", "12345"], LONG, 5).unwrap(), b"12345");
    }

    #[test]
    fn every_way_to_fail_is_told_apart() {
        assert!(matches!(run_own_command(&[], LONG, 9), Err(E::NoWords)));
        let missing = run_own_command(&["no-such-program-anywhere"], LONG, 9).unwrap_err();
        assert!(
            matches!(&missing, E::NotStarted { source, .. }
                if source.kind() == std::io::ErrorKind::NotFound),
            "{missing:?}"
        );
        let words = ["sh", "-c", "echo planted; echo first >&2; echo second >&2; exit 3"];
        let failed = run_own_command(&words, LONG, 99).unwrap_err();
        assert!(
            matches!(&failed, E::Failed { complaint: Some(said), .. } if said == "first"),
            "{failed:?}"
        );
        assert!(!format!("{failed} {failed:?}").contains("planted"));
    }

    #[test]
    fn an_endless_output_is_cut_off_at_the_cap() {
        for words in [&["yes"][..], &["sh", "-c", "printf 123456"]] {
            let much = run_own_command(words, LONG, 5);
            assert!(matches!(much, Err(E::TooMuch { most_bytes: 5, .. })), "{much:?}");
        }
    }

    #[test]
    fn a_command_that_hangs_is_ended_with_all_it_started() {
        let begun = Instant::now();
        let words = ["sh", "-c", "sleep 60 & sleep 60"];
        let hanging = run_own_command(&words, Duration::from_millis(100), 9);
        assert!(matches!(hanging, Err(E::TooLong { .. })), "{hanging:?}");
        // A child that keeps the pipe open after its parent ended must not be waited for either.
        let left = run_own_command(&["sh", "-c", "echo 1; sleep 60 & exit 0"], LONG, 9);
        assert_eq!(left.unwrap(), b"1\n");
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
