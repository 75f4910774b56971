//! The processes a launcher is responsible for: signalling, reaping and ending all of them.
//!
//! In: how they can be told from other processes. Out: signals to all of them, and how many had to
//! be ended. Never signals a process that is not a descendant.

use super::{Launch, Layer};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How long processes that were killed may take to vanish.
const VANISH: Duration = Duration::from_millis(1500);

/// How the processes of this launcher can be told from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// This is the first process of a PID namespace: everything else in it.
    Namespace,
    /// This process adopts orphans: every process below it.
    Descendants,
}

/// Makes this process the parent of every orphan below it.
pub(super) fn adopt_orphans() -> std::io::Result<()> {
    // Any process id switches it on; the kernel only looks whether it is zero.
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

impl Family {
    /// Tells what this launch has. Both conditions are needed: a launcher in a container may be the
    /// first process without a namespace of its own, and `kill(-1)` would be meant for all of it.
    pub(super) fn of(launch: &Launch) -> Self {
        let asked = launch.layers.contains(&Layer::PidNamespace);
        if asked && rustix::process::getpid().is_init() {
            Self::Namespace
        } else {
            Self::Descendants
        }
    }

    /// Returns whether the kernel ends all of them when this process ends.
    pub(super) fn ends_with_us(self) -> bool {
        self == Self::Namespace
    }

    /// Sends a signal to every process but this one.
    pub(super) fn signal(self, signal: Signal) {
        match self {
            // The group of process 1 is the kernel's word for everybody else in the namespace.
            Self::Namespace => {
                let _ = rustix::process::kill_process_group(Pid::INIT, signal);
            }
            Self::Descendants => {
                for pid in descendants() {
                    let _ = rustix::process::kill_process(pid, signal);
                }
            }
        }
    }

    /// Gives what is left `settle` to end by itself, then ends it. Returns how many were ended.
    pub(super) fn end(self, settle: Duration, hurry: impl Fn() -> bool) -> u32 {
        let until = Instant::now() + settle;
        while Instant::now() < until && !hurry() {
            if reap() == Left::Nobody {
                return 0;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let mut ended = 0;
        let until = Instant::now() + VANISH;
        while Instant::now() < until {
            self.signal(Signal::KILL);
            match reap_counting(&mut ended) {
                Left::Nobody => break,
                Left::Somebody => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        ended
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    Nobody,
    Somebody,
}

fn reap() -> Left {
    reap_counting(&mut 0)
}

fn reap_counting(killed: &mut u32) -> Left {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some((_, status))) => *killed += u32::from(was_killed(status)),
            Ok(None) => return Left::Somebody,
            Err(Errno::INTR) => {}
            Err(_) => return Left::Nobody,
        }
    }
}

fn was_killed(status: WaitStatus) -> bool {
    status.terminating_signal() == Some(Signal::KILL.as_raw())
}

/// Every process below this one, from one look at the process table.
fn descendants() -> Vec<Pid> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        if let Some(parent) = parent_of(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut open = vec![rustix::process::getpid().as_raw_nonzero().get()];
    while let Some(parent) = open.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            open.push(child);
            found.extend(Pid::from_raw(child));
        }
    }
    found
}

/// The parent is two words after the name, which may itself hold brackets and spaces.
fn parent_of(pid: i32) -> Option<i32> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let after_name = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(after_name + 1..)?).ok()?;
    rest.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_of_this_process_is_found_in_the_table() {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
        assert_eq!(parent_of(pid), parent);
    }
}
