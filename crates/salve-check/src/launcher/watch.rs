//! What a run uses up together: memory, processes, disk.
//!
//! In: the limits of a launch. Out: a thread that looks a few times a second and ends the run when
//! its processes together are above one of them. Never counts what shared pages count twice as an
//! excess: what looks like too much memory is measured exactly before anything is ended.
//!
//! The kernel's own limits hold for each process, and the one for address space is of no use:
//! sanitizers, node and Java reserve terabytes that they never touch. Control groups would be exact,
//! but an ordinary user has none to give. A run that outruns the looks meets the machine's own
//! end of memory, where it is the first to go.

mod shared_memory;

use super::Launch;
use super::control::{Control, Word};
use super::family::Family;
use crate::{Limits, RunLimit};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long between two looks.
const PAUSE: Duration = Duration::from_millis(100);
/// A thread of the run may be starting or ending while it is counted.
const SLACK: u64 = 8;

/// Starts the thread, unless the launch has no limits.
pub(super) fn start(launch: &Launch, control: &Control, family: Family) -> std::io::Result<()> {
    if !launch.layers.contains(&super::Layer::Rlimits) {
        return Ok(());
    }
    let watch = Watch {
        limits: launch.limits.clone(),
        workspace: launch.workspace.clone(),
        files: files_of(&launch.workspace),
        bytes: bytes_of(&launch.workspace),
        has_segments: launch.layers.contains(&super::Layer::IpcNamespace),
    };
    let control = control.clone();
    let looks = move || {
        while control.word() == Word::GoOn {
            std::thread::sleep(PAUSE);
            if let Some(limit) = watch.look() {
                control.exceed(limit, family);
            }
        }
    };
    std::thread::Builder::new().name("watch".to_owned()).spawn(looks).map(drop)
}

struct Watch {
    limits: Limits,
    workspace: PathBuf,
    /// How many files the workspace's file system had at the start, where it counts them.
    files: Option<u64>,
    /// How many of its bytes were in use.
    bytes: Option<u64>,
    /// Whether the segments of shared memory that can be seen are those of the run alone.
    has_segments: bool,
}

impl Watch {
    fn look(&self) -> Option<RunLimit> {
        let family = family();
        let sum = |count: fn(i32) -> Option<u64>| -> u64 {
            family.iter().filter_map(|pid| count(*pid)).sum()
        };
        if sum(threads) > self.limits.processes + SLACK {
            return Some(RunLimit::Processes);
        }
        let segments = if self.has_segments { shared_memory::in_segments() } else { 0 };
        let held = segments + shared_memory::in_open_files(&family);
        let most = self.limits.memory_bytes;
        if held + sum(resident) + sum(shared) > most
            && held
                + sum(proportional)
                + shared_memory::in_other_mappings(&family, self.has_segments)
                > most
        {
            return Some(RunLimit::Memory);
        }
        let grown = |then: Option<u64>, count: fn(&Path) -> Option<u64>| {
            then.zip(count(&self.workspace)).map(|(then, now)| now.saturating_sub(then))
        };
        // What a process wrote is added to its parent's when that waits for it, and to no process's
        // when nothing does; the file system has it in any case.
        let own = written(own_pid()).unwrap_or(0);
        let disk = self.limits.disk_bytes;
        if own + sum(written) > disk || grown(self.bytes, bytes_of) > Some(disk) {
            return Some(RunLimit::Disk);
        }
        (grown(self.files, files_of) > Some(self.limits.new_files)).then_some(RunLimit::Files)
    }
}

fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

/// Everything below this process, by the kernel's lists of children. What is born or moves while
/// they are read may be missed until the next look.
fn family() -> Vec<i32> {
    let mut found = Vec::new();
    let mut open = vec![own_pid()];
    while let Some(pid) = open.pop() {
        for task in std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(task.path().join("children"));
            let children = children.unwrap_or_default();
            let children = children.split_ascii_whitespace().filter_map(|pid| pid.parse().ok());
            for child in children {
                open.push(child);
                found.push(child);
            }
        }
    }
    found
}

fn read(pid: i32, name: &str) -> Option<String> {
    std::fs::read_to_string(format!("/proc/{pid}/{name}")).ok()
}

fn threads(pid: i32) -> Option<u64> {
    field(&read(pid, "status")?, "Threads:")
}

/// Memory that is this process's own, but for what it still shares with the one that it was forked
/// from.
fn resident(pid: i32) -> Option<u64> {
    Some(field(&read(pid, "status")?, "RssAnon:")? << 10)
}

/// Pages of shared memory that this process has mapped.
fn shared(pid: i32) -> Option<u64> {
    Some(field(&read(pid, "status")?, "RssShmem:")? << 10)
}

/// Memory with every shared page divided by those who share it; slow to ask for.
fn proportional(pid: i32) -> Option<u64> {
    match read(pid, "smaps_rollup") {
        Some(text) => Some(field(&text, "Pss_Anon:").or_else(|| field(&text, "Pss:"))? << 10),
        None => resident(pid),
    }
}

/// Bytes meant for a disk, with those of every child that was waited for.
fn written(pid: i32) -> Option<u64> {
    let text = read(pid, "io")?;
    let cancelled = field(&text, "cancelled_write_bytes:").unwrap_or(0);
    Some(field(&text, "\nwrite_bytes:")?.saturating_sub(cancelled))
}

fn field(text: &str, name: &str) -> Option<u64> {
    let (_, after) = text.split_once(name)?;
    after.split_ascii_whitespace().next()?.parse().ok()
}

fn files_of(folder: &Path) -> Option<u64> {
    let counted = rustix::fs::statvfs(folder).ok()?;
    (counted.f_files > 0).then(|| counted.f_files.saturating_sub(counted.f_ffree))
}

fn bytes_of(folder: &Path) -> Option<u64> {
    let counted = rustix::fs::statvfs(folder).ok()?;
    Some(counted.f_blocks.saturating_sub(counted.f_bfree).saturating_mul(counted.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_measured() {
        let pid = own_pid();
        assert!(threads(pid).is_some_and(|count| count > 0));
        assert!(resident(pid).is_some_and(|bytes| bytes > 100 << 10));
        assert!(proportional(pid).is_some_and(|bytes| bytes > 0));
        assert!(written(pid).is_some());
        assert!(shared(pid).is_some());
        assert!(bytes_of(Path::new("/tmp")).is_some());
    }

    #[test]
    fn fields_are_read_by_their_name() {
        let io = "wchar: 5\nwrite_bytes: 4096\ncancelled_write_bytes: 96\n";
        assert_eq!(field(io, "\nwrite_bytes:"), Some(4096));
        assert_eq!(field(io, "cancelled_write_bytes:"), Some(96));
        assert_eq!(field(io, "nothing:"), None);
    }
}
