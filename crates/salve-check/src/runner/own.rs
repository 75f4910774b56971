//! Starts Salve's own executable once more, outside of the sandbox: it is no program of anybody else.
//!
//! In: arguments and a deadline. Out: how it ended. Never starts another executable, and never waits
//! past the deadline.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Runs an executable of Salve with nothing to read, and kills it at the deadline. For a process
/// that has to die in a certain way, such as the one that shows what a crash leaves behind.
///
/// # Errors
///
/// Fails when it cannot be started or waited for.
#[expect(clippy::disallowed_methods, reason = "Salve's own executable, started by the runner")]
pub fn run_own_executable<S: AsRef<OsStr>>(
    executable: &Path,
    arguments: impl IntoIterator<Item = S>,
    deadline: Duration,
) -> std::io::Result<ExitStatus> {
    let mut child = Command::new(executable).args(arguments).stdin(Stdio::null()).spawn()?;
    let until = Instant::now() + deadline;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= until {
            child.kill()?;
            return child.wait();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
