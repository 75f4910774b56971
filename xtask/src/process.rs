//! Starting other programs.
//!
//! In: a program and its arguments. Out: success, or an error that names the command line. Never
//! hides what a program prints unless its output is the result, and never leaves the reader without
//! a sign of life for long.

use crate::workspace;
use anyhow::{Context, bail};
use std::io::{IsTerminal, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A program that prints nothing for this long is said to be still running.
const QUIET: Duration = Duration::from_secs(20);

/// Returns a cargo invocation in the repository's root, by the same cargo that started us.
///
/// What cargo told us about our own package is not passed on: build scripts watch these variables,
/// and everything on top of ring would be built again whenever they change.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(workspace::root());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs a command whose output is for the reader.
pub fn run(command: &mut Command) -> anyhow::Result<()> {
    let line = line_of(command);
    // On a terminal, programs draw their own progress.
    let status = if std::io::stderr().is_terminal() {
        command.status().with_context(|| format!("could not start: {line}"))?
    } else {
        followed(command, &line, None)?
    };
    ended_well(&line, status)
}

/// Runs a command whose standard output is the result.
pub fn output(command: &mut Command) -> anyhow::Result<String> {
    let line = line_of(command);
    let kept = Arc::default();
    let status = followed(command, &line, Some(Arc::clone(&kept)))?;
    ended_well(&line, status)?;
    let bytes = kept.lock().map(|mut bytes| std::mem::take(&mut *bytes)).unwrap_or_default();
    String::from_utf8(bytes).with_context(|| format!("{line} printed other than UTF-8"))
}

/// Returns whether a program is there and answers.
pub fn answers(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|code| code.success())
}

/// Builds every binary the way the tests do.
///
/// Asking for one package alone would choose other features for its dependencies and build them a
/// second time; the tests of a package bring its binaries along.
pub fn build_as_tested() -> anyhow::Result<()> {
    run(&mut cargo(&["test", "--quiet", "--workspace", "--no-run"]))
}

fn ended_well(line: &str, status: ExitStatus) -> anyhow::Result<()> {
    if !status.success() {
        bail!("{line} ended with {status}");
    }
    Ok(())
}

type Kept = Arc<Mutex<Vec<u8>>>;

/// What a program printed last, and when.
struct Sign {
    line: String,
    at: Instant,
}

// Passes on what the program prints, and says that it is running when it prints nothing.
fn followed(command: &mut Command, line: &str, keep: Option<Kept>) -> anyhow::Result<ExitStatus> {
    let begin = Instant::now();
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("could not start: {line}"))?;
    let sign = Arc::new(Mutex::new(Sign { line: line.to_owned(), at: begin }));
    let mut readers = Vec::new();
    if let Some(from) = child.stderr.take() {
        readers.push(pass_on(from, &sign, |bytes| std::io::stderr().write_all(bytes)));
    }
    if let Some(from) = child.stdout.take() {
        readers.push(pass_on(from, &sign, move |bytes| match &keep {
            Some(kept) => {
                kept.lock().map(|mut kept| kept.extend_from_slice(bytes)).unwrap_or_default();
                Ok(())
            }
            None => {
                let mut out = std::io::stdout();
                out.write_all(bytes).and_then(|()| out.flush())
            }
        }));
    }
    let status = wait(&mut child, &sign, begin).with_context(|| format!("{line} was lost"))?;
    // A program that it left running may keep the pipes open for ever.
    let patience = Instant::now() + Duration::from_secs(2);
    while readers.iter().any(|reader| !reader.is_finished()) && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(status)
}

fn wait(child: &mut Child, sign: &Mutex<Sign>, begin: Instant) -> std::io::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        std::thread::sleep(Duration::from_millis(25));
        if let Ok(mut sign) = sign.lock()
            && sign.at.elapsed() >= QUIET
        {
            sign.at = Instant::now();
            let text = heartbeat(begin.elapsed(), &sign.line);
            writeln!(std::io::stderr(), "{text}")?;
        }
    }
}

fn heartbeat(elapsed: Duration, last: &str) -> String {
    format!("  … running for {} s; last: {last}", elapsed.as_secs())
}

fn pass_on(
    mut from: impl Read + Send + 'static,
    sign: &Arc<Mutex<Sign>>,
    mut to: impl FnMut(&[u8]) -> std::io::Result<()> + Send + 'static,
) -> JoinHandle<()> {
    let sign = Arc::clone(sign);
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        let mut line = Vec::new();
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            let _ = to(&buffer[..read]);
            line.extend_from_slice(&buffer[..read]);
            if let Some(last) = last_line(&line)
                && let Ok(mut sign) = sign.lock()
            {
                *sign = Sign { line: last, at: Instant::now() };
            }
            let begins = line.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            line.drain(..begins);
        }
    })
}

// The last line that says something; it may not be finished.
fn last_line(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    Some(last.chars().take(120).collect())
}

fn line_of(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or(&program).to_owned();
    command
        .get_args()
        .fold(program, |line, argument| format!("{line} {}", argument.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn the_result_is_standard_output_alone_and_failure_names_the_command() {
        assert_eq!(
            output(&mut shell("echo one; echo two >&2; echo three")).unwrap(),
            "one\nthree\n"
        );
        let error = output(&mut shell("exit 3")).unwrap_err().to_string();
        assert_eq!(error, "sh -c exit 3 ended with exit status: 3");
    }

    #[test]
    fn a_program_left_behind_does_not_hold_its_parent() {
        let begin = Instant::now();
        assert_eq!(output(&mut shell("sleep 10 & echo done")).unwrap(), "done\n");
        assert!(begin.elapsed() < Duration::from_secs(9));
    }

    #[test]
    fn a_heartbeat_tells_the_time_and_the_last_line() {
        let last = last_line(b"   Compiling a\n   Compiling b\n\n").unwrap();
        assert_eq!(
            heartbeat(Duration::from_secs(61), &last),
            "  … running for 61 s; last: Compiling b"
        );
        assert_eq!(last_line(b" \n\n"), None);
    }
}
