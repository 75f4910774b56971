//! Processes that end with the value that holds them.
//!
//! In: a command. Out: a child that can be signalled, waited for and measured. Never left behind: a
//! run that fails half-way drops its guards, and a dropped guard kills and waits.

use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, kill_process};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus};
use std::time::{Duration, Instant};

// What Linux counts in for programs, whatever its own clock does.
const TICKS_PER_SECOND: u64 = 100;

/// A child that is killed when this is dropped.
pub(crate) struct Guard {
    child: Child,
}

impl Guard {
    /// Starts it.
    pub(crate) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.spawn().with_context(|| format!("could not start {name}"))?;
        Ok(Self { child })
    }

    /// Returns its standard output, if it is a pipe.
    pub(crate) fn take_output(&mut self) -> anyhow::Result<ChildStdout> {
        self.child.stdout.take().context("the standard output is not a pipe")
    }

    /// Returns its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: Signal) -> anyhow::Result<()> {
        kill_process(Pid::from_child(&self.child), signal).context("could not send a signal")
    }

    /// Returns whether it has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for its end, so long and no longer.
    pub(crate) fn wait_at_most(&mut self, longest: Duration) -> anyhow::Result<ExitStatus> {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if begin.elapsed() > longest {
                bail!("process {} did not end within {longest:?}", self.id());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the processor time it took so far.
    pub(crate) fn processor_time(&self) -> anyhow::Result<Duration> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.id()))?;
        // The name of the program, in brackets, may hold spaces; the times are fields 14 and 15.
        let (_, fields) = text.rsplit_once(')').context("no statistics of the process")?;
        let times = fields.split_whitespace().skip(11).take(2);
        let ticks: u64 = times.filter_map(|field| field.parse::<u64>().ok()).sum();
        Ok(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
    }

    /// Returns its resident memory in MiB.
    pub(crate) fn memory(&self) -> anyhow::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
        Ok(kib.context("no memory of the process")? / 1024.0)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Finds a program the way a shell does.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}
