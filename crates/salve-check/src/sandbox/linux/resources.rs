//! What a run may use up, as limits that the kernel keeps.
//!
//! In: the limits of a launch. Out: they hold for this process and everything it starts. Never
//! raises a limit.
//!
//! Memory and disk are watched by the launcher instead, because these limits hold for each process
//! and count what is reserved. Processes are limited twice: `RLIMIT_NPROC` counts per user and user
//! namespace, but never holds for the machine's root, so the PID namespace also gets a highest number
//! of its own, which holds for all users, and the launcher counts as well.

use super::refused;
use crate::Limits;
use crate::launcher::{Launch, Layer, LayerError};
use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The launcher's own processes and threads, which count as well.
const OUR_OWN: u64 = 8;
/// Numbers below are handed out once only, so the highest number must lie above.
const RESERVED_NUMBERS: u64 = 300;
/// Since this version of Linux a PID namespace has its own highest number. Before it the same file
/// is the machine's, which must not be touched.
const OWN_HIGHEST_NUMBER: (u32, u32) = (6, 14);

/// Sets every limit.
pub(super) fn limit(launch: &Launch) -> Result<(), LayerError> {
    // Without a user namespace the user's other processes count too.
    let others = if launch.goes_by_rules() { tasks_of_user() } else { 0 };
    for (resource, value) in values(&launch.limits, others) {
        lower(resource, value).map_err(|error| refused(Layer::Rlimits, &error))?;
    }
    // Never lets a program hand out more than the user's own mask would.
    let mask = rustix::process::umask(Mode::from_raw_mode(0o077));
    rustix::process::umask(mask | Mode::from_raw_mode(0o022));
    Ok(())
}

/// When the machine runs out of memory, a run ends before anything of the user's does: its limits
/// hold for each process, and not for what processes share. Called while `/proc` can be written.
pub(super) fn go_first() -> Result<(), LayerError> {
    OpenOptions::new()
        .write(true)
        .open("/proc/self/oom_score_adj")
        .and_then(|mut file| file.write_all(b"1000"))
        .map_err(|error| refused(Layer::Rlimits, &error))
}

fn values(limits: &Limits, others: u64) -> [(Resource, u64); 6] {
    [
        (Resource::Cpu, limits.cpu_seconds),
        (Resource::Nproc, limits.processes.saturating_add(OUR_OWN + others)),
        (Resource::Nofile, limits.open_files),
        (Resource::Fsize, limits.file_bytes),
        (Resource::Core, 0),
        (Resource::Rtprio, 0),
    ]
}

/// Every thread of this user, as far as `/proc` shows them.
fn tasks_of_user() -> u64 {
    let user = rustix::process::getuid().as_raw();
    let mine = |entry: &std::fs::DirEntry| {
        entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit)
            && entry.metadata().is_ok_and(|found| found.uid() == user)
    };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten().filter(mine);
    let threads = processes.map(|entry| {
        std::fs::read_dir(entry.path().join("task")).map_or(1, |tasks| tasks.count() as u64)
    });
    threads.sum()
}

fn lower(resource: Resource, value: u64) -> io::Result<()> {
    let highest = rustix::process::getrlimit(resource).maximum;
    let value = highest.map_or(value, |highest| highest.min(value));
    let set =
        |maximum| rustix::process::setrlimit(resource, Rlimit { current: Some(value), maximum });
    // Servers and their tests raise this one by themselves, as far as they could outside. All of it from
    // the start would make programs slow that close every number there is.
    if resource == Resource::Nofile && set(highest).is_ok() {
        return Ok(());
    }
    Ok(set(Some(value))?)
}

/// Limits the processes of this PID namespace, given its own `proc` file system.
pub(super) fn limit_processes(proc: &Path, processes: u64) -> Result<(), LayerError> {
    if kernel_version() < OWN_HIGHEST_NUMBER {
        return if rustix::process::getuid().is_root() {
            let why = "root cannot be limited in processes before Linux 6.14".to_owned();
            Err(LayerError { layer: Layer::Rlimits, why })
        } else {
            Ok(())
        };
    }
    let highest = RESERVED_NUMBERS + processes.max(1) + OUR_OWN;
    OpenOptions::new()
        .write(true)
        .open(proc.join("sys/kernel/pid_max"))
        .and_then(|mut file| file.write_all(highest.to_string().as_bytes()))
        .map_err(|error| refused(Layer::Rlimits, &error))
}

fn kernel_version() -> (u32, u32) {
    let system = rustix::system::uname();
    let release = system.release().to_string_lossy();
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit());
    let mut next = || numbers.next().and_then(|number| number.parse().ok()).unwrap_or(0);
    (next(), next())
}
