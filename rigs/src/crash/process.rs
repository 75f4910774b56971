//! Starting the processes in which things go wrong, and those that put them right.
//!
//! In: a program with its arguments. Out: what it printed and how it ended. Never waits longer than
//! its deadline, and leaves no process behind.

use anyhow::{Context, bail};
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// No step of a workload takes this long; a process that does hangs.
const DEADLINE: Duration = Duration::from_secs(60);

/// The programs of a run.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    /// This program, which is the child too.
    pub(crate) own: PathBuf,
    /// The product.
    pub(crate) salve: PathBuf,
}

/// How a process ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What it printed.
    pub(crate) lines: Vec<String>,
    /// Its status.
    pub(crate) status: ExitStatus,
    /// What it complained of.
    pub(crate) complaint: String,
}

impl Programs {
    /// Prepares a child that works on a folder.
    pub(crate) fn child(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.own);
        command.arg("crash-child").arg("--folder").arg(folder).args(arguments);
        command
    }

    /// Lets the real binary bring a folder to rest.
    pub(crate) fn recover(&self, folder: &Path) -> anyhow::Result<()> {
        let mut command = Command::new(&self.salve);
        // Named, because a folder below `target` is inside of a repository.
        command.arg("recover").arg("-C").arg(folder).arg("--root").arg(folder);
        let ended = run(&mut command)?;
        if !ended.status.success() {
            bail!("salve recover ended with {}: {}", ended.status, ended.complaint.trim());
        }
        Ok(())
    }
}

impl Ended {
    /// Returns whether the process was ended from outside.
    pub(crate) fn was_killed(&self) -> bool {
        self.status.signal() == Some(9)
    }

    /// Counts the acts that were promised.
    pub(crate) fn acks(&self) -> usize {
        self.lines.iter().filter(|line| *line == "ack").count()
    }

    /// Returns the line that begins with a word.
    pub(crate) fn line(&self, word: &str) -> Option<&str> {
        self.lines.iter().map(String::as_str).find(|line| line.starts_with(word))
    }
}

/// Runs a process to its end.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<Ended> {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("could not start a child")?;
    finish(Started::new(child))
}

/// A process that is ended with the value, if it has not ended by itself.
pub(crate) struct Started {
    child: Child,
    /// What it printed so far.
    lines: Vec<String>,
}

impl Started {
    fn new(child: Child) -> Self {
        Self { child, lines: Vec::new() }
    }

    /// Starts a process that may say `held`, and waits until it says so or has ended. Returns
    /// whether it is held.
    pub(crate) fn until_held(command: &mut Command) -> anyhow::Result<(Self, bool)> {
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("could not start a child")?;
        let mut started = Self::new(child);
        let output = started.child.stdout.take().context("the child has no output")?;
        for line in BufReader::new(output).lines() {
            let line = line?;
            if line == "held" {
                return Ok((started, true));
            }
            started.lines.push(line);
        }
        Ok((started, false))
    }

    /// Starts a process that is left alone for a while.
    pub(crate) fn aside(command: &mut Command) -> anyhow::Result<Self> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(Self::new(child.spawn().context("could not start a child")?))
    }

    /// Ends it as `kill -9` does.
    pub(crate) fn kill(mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a process to end by itself.
pub(crate) fn finish(mut started: Started) -> anyhow::Result<Ended> {
    let begin = Instant::now();
    let output = started.child.stdout.take();
    let complaints = started.child.stderr.take();
    // The other end is read first, so that a child that prints much does not wait for us.
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = output.map(|mut output| output.read_to_string(&mut text));
        text
    });
    let status = loop {
        if let Some(status) = started.child.try_wait()? {
            break status;
        }
        if begin.elapsed() > DEADLINE {
            bail!("a child hung and was ended after {} s", DEADLINE.as_secs());
        }
        std::thread::sleep(Duration::from_micros(300));
    };
    let text = reader.join().unwrap_or_default();
    let mut complaint = String::new();
    let _ = complaints.map(|mut pipe| pipe.read_to_string(&mut complaint));
    let mut lines = std::mem::take(&mut started.lines);
    lines.extend(text.lines().map(str::to_owned));
    Ok(Ended { lines, status, complaint })
}
