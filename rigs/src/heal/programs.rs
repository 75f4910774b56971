//! Starting the projects' own tools and the product, each with a deadline.
//!
//! In: a folder and a program. Out: how it ended and what it printed. Never leaves a process of its group
//! behind, and hands on nothing of the build that this program itself is part of.

use super::projects::Project;
use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use salve_types::Language;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Its exit code; nothing when it was ended by a signal or by the deadline.
    pub(crate) code: Option<i32>,
    pub(crate) hung: bool,
    pub(crate) printed: String,
    pub(crate) told: String,
    pub(crate) took: Duration,
}

/// What a project's own tools say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Green,
    /// It does not compile.
    Compile,
    /// It compiles, and a test fails.
    Tests,
    /// A test does not end.
    Hangs,
}

const CHECK_PATIENCE: Duration = Duration::from_secs(60);

/// Prepares a program in a folder, with the search path of a project.
pub(crate) fn command(program: &Path, folder: &Path, programs: &[PathBuf]) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO") && text != "CARGO_HOME" || text.starts_with("RUST") {
            command.env_remove(&name);
        }
    }
    // The tool chain of the machine, where it is chosen by a variable.
    if let Some(chosen) = std::env::var_os("RUSTUP_HOME") {
        command.env("RUSTUP_HOME", chosen);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = programs.iter().cloned().chain(std::env::split_paths(&path));
    if let Ok(joined) = std::env::join_paths(paths) {
        command.env("PATH", joined);
    }
    command.current_dir(folder).env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::null());
    command
}

/// A program that runs in a group of its own.
pub(crate) struct Running {
    child: Child,
    printed: std::fs::File,
    told: std::fs::File,
    begin: Instant,
}

/// Starts a program.
pub(crate) fn start(command: &mut Command) -> Result<Running> {
    let (printed, told) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdout(printed.try_clone()?).stderr(told.try_clone()?).process_group(0);
    let begin = Instant::now();
    let child = command
        .spawn()
        .with_context(|| format!("could not start {}", command.get_program().to_string_lossy()))?;
    Ok(Running { child, printed, told, begin })
}

impl Running {
    /// Waits, at most this long; then the whole group is ended.
    pub(crate) fn wait(mut self, patience: Duration) -> Result<Ended> {
        let mut hung = false;
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if self.begin.elapsed() > patience {
                hung = true;
                self.kill_group();
                break self.child.wait()?;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let took = self.begin.elapsed();
        self.kill_group();
        let (printed, told) = (text(&mut self.printed)?, text(&mut self.told)?);
        Ok(Ended { code: status.code(), hung, printed, told, took })
    }

    /// Ends the program alone, as a crash would; nothing is told to it or to what it started.
    pub(crate) fn crash(&mut self) {
        let _ = self.child.kill();
    }

    fn kill_group(&self) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

fn text(file: &mut std::fs::File) -> Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Runs a program to its end.
pub(crate) fn run(command: &mut Command, patience: Duration) -> Result<Ended> {
    start(command)?.wait(patience)
}

/// Asks the project's own tools, without the product.
pub(crate) fn plain_check(project: &Project, folder: &Path, builds: &Path) -> Result<Verdict> {
    let compile: &[&str] = match project.language {
        Language::Rust => &["cargo", "test", "--no-run", "--offline", "--quiet"],
        Language::Python => &["python3", "-c", COMPILES],
        Language::TypeScript => &["node_modules/.bin/tsc", "--noEmit", "-p", "."],
        _ => &["sh", "-c", EVERY_FILE],
    };
    for (words, failed) in [(compile, Verdict::Compile), (project.tests, Verdict::Tests)] {
        let Some((program, arguments)) = words.split_first() else { continue };
        let mut command = command(Path::new(program), folder, &project.programs);
        command.args(arguments).env("CARGO_TARGET_DIR", builds).env("PYTHONPATH", ".");
        let ended = run(command.env("CI", "true"), CHECK_PATIENCE)?;
        if ended.hung {
            return Ok(Verdict::Hangs);
        }
        if ended.code != Some(0) {
            return Ok(failed);
        }
    }
    Ok(Verdict::Green)
}

const COMPILES: &str = "import ast, pathlib\n\
for path in pathlib.Path('.').rglob('*.py'):\n    compile(path.read_bytes(), str(path), 'exec')\n";

// Every folder with a header is on the include path, and the one above it.
const EVERY_FILE: &str = "gcc -fsyntax-only $(find . -name '*.h' -exec dirname {} \\; | sort -u | sed 's#.*#-I& -I&/..#') \
    $(find . -name '*.c' -not -path './build/*')";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let mut sleeper = command(Path::new("sleep"), Path::new("."), &[]);
        let ended = run(sleeper.arg("60"), Duration::from_millis(50)).expect("it ran");
        assert!(ended.hung && ended.code.is_none());
    }

    #[test]
    fn what_a_program_prints_is_kept() {
        let mut shell = command(Path::new("sh"), Path::new("."), &[]);
        let ended = run(shell.args(["-c", "echo a; echo b >&2; exit 3"]), CHECK_PATIENCE);
        let ended = ended.expect("it ran");
        assert_eq!(
            (ended.code, ended.printed.as_str(), ended.told.as_str()),
            (Some(3), "a\n", "b\n")
        );
    }
}
