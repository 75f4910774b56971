//! The processes a launcher is responsible for: signalling, reaping and ending all of them.
//!
//! In: how they can be told from other processes. Out: signals to all of them, and how many had to
//! be ended. Never signals a process that is not a descendant.

use super::{Launch, Layer};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, WaitStatus};
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
            Self::Descendants => descendants().into_iter().for_each(|one| one.signal(signal)),
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
        self.end_within(VANISH)
    }

    /// Ends what is left, for as long as that takes up to a bound. Returns how many were ended.
    pub(super) fn end_within(self, bound: Duration) -> u32 {
        let mut ended = 0;
        let until = Instant::now() + bound;
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

/// A process below this one, as it was when the table was read.
struct Descendant {
    pid: i32,
    entry: Entry,
}

impl Descendant {
    /// Sends a signal to this process and to no other that was given its number since: the handle is
    /// taken first, and what has the number then must still be the process that was found.
    fn signal(&self, signal: Signal) {
        let Some(pid) = Pid::from_raw(self.pid) else { return };
        let Ok(handle) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else { return };
        if entry_of(self.pid).is_some_and(|entry| entry.started == self.entry.started) {
            let _ = rustix::process::pidfd_send_signal(handle, signal);
        }
    }
}

/// Every process below this one, from one look at the process table.
fn descendants() -> Vec<Descendant> {
    let mut children: HashMap<i32, Vec<Descendant>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        if let Some(entry) = entry_of(pid) {
            children.entry(entry.parent).or_default().push(Descendant { pid, entry });
        }
    }
    let mut found = Vec::new();
    let mut open = vec![rustix::process::getpid().as_raw_nonzero().get()];
    while let Some(parent) = open.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            open.push(child.pid);
            found.push(child);
        }
    }
    found
}

/// What the process table says about a process.
struct Entry {
    parent: i32,
    started: u64,
}

/// The parent and the time of the start are 2 and 20 words after the name, which may itself hold
/// brackets and spaces.
fn entry_of(pid: i32) -> Option<Entry> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let after_name = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(after_name + 1..)?).ok()?;
    let mut words = rest.split_ascii_whitespace();
    let parent = words.nth(1)?.parse().ok()?;
    Some(Entry { parent, started: words.nth(17)?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_of_this_process_is_found_in_the_table() {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
        assert_eq!(entry_of(pid).map(|entry| entry.parent), parent);
        assert!(entry_of(pid).is_some_and(|entry| entry.started > 0));
    }
}
