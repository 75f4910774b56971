//! The keeper: the outer stage where there are no namespaces.
//!
//! In: a launch, the socket to the runner. Out: an inner stage with a socket of its own, words passed
//! on between the two, and at the end the inner stage's report. Never ends before everything that
//! was started has ended, and never enters the walls: programs inside cannot signal it.
//!
//! A PID namespace ends its processes when its first one ends. Without one, the kernel gives the
//! orphans of a subreaper to the next one above: so even a program that kills the inner stage only
//! hands itself over to the keeper. The report is held back until no process is left, because the
//! runner takes it for the end of the run.

use super::family::{self, Family};
use super::{KILL, Launch, LauncherReport, ProgramEnding, UNHEARD, answer, failed};
use super::{read_frame_with, write_frame, write_frame_with};
use crate::sandbox;
use rustix::process::Signal;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long the inner stage may take to end all processes by itself after the runner's last word.
const ITS_TURN: Duration = Duration::from_millis(100);
/// A keeper that gave up would leave processes behind, so it does not give up soon.
const PATIENCE: Duration = Duration::from_secs(60);
const KILLED: i32 = 9;

/// Starts the inner stage and returns the exit code when nothing of it is left.
pub(super) fn keep(launch: &Launch, runner: &UnixStream, inner_arguments: &[&str]) -> u8 {
    // A question leaves no trace in the workspace, not even for a moment.
    let asks = launch.plan.pipelines.is_empty();
    let folders = (!asks).then(|| sandbox::make_build_folders(launch));
    let (child, inner) = match start(launch, runner, inner_arguments) {
        Ok(started) => started,
        Err(error) => {
            let report = failed("start the inner stage of the launcher", &error);
            return answer(runner, &report);
        }
    };
    let said = stand_between(runner, &inner);
    let ended = Family::Descendants.end_within(PATIENCE);
    drop((child, folders));
    match said.is_empty() {
        false => (&*runner).write_all(&said).map_or(UNHEARD, |()| 0),
        // The inner stage was killed from inside; whatever it started has ended with it.
        true => {
            let last = ProgramEnding::Signal(KILLED);
            let report = LauncherReport::Executed { last, orphans: ended, exceeded: None };
            answer(runner, &report)
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the launcher is part of the runner: its inner stage"
)]
fn start(
    launch: &Launch,
    runner: &UnixStream,
    inner_arguments: &[&str],
) -> std::io::Result<(Child, UnixStream)> {
    // Away from the terminal: what is typed there is for Salve, whose end is the end of everything.
    let _ = rustix::process::setsid();
    family::adopt_orphans()?;
    let (ours, theirs) = UnixStream::pair()?;
    let inner = Command::new("/proc/self/exe")
        .args(inner_arguments)
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .spawn()?;
    // The frame for the inner stage is written anew: its copy on the runner's socket is dropped.
    let (_, input) = read_frame_with::<Launch>(runner)?;
    match &input {
        Some(input) => write_frame_with(&ours, launch, input.as_fd())?,
        None => write_frame(&ours, launch)?,
    }
    Ok((inner, ours))
}

/// Passes the runner's words on and returns what the inner stage said when its end of the socket is
/// closed. When the runner is gone, all processes are ended.
fn stand_between(runner: &UnixStream, inner: &UnixStream) -> Vec<u8> {
    let mut said = Vec::new();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| pass_on(runner, inner, &over));
        let _ = (&*inner).read_to_end(&mut said);
        over.store(true, Ordering::Release);
        // Wakes the other thread, which waits for a word; what is written later still arrives.
        let _ = runner.shutdown(Shutdown::Read);
    });
    said
}

fn pass_on(mut runner: &UnixStream, mut inner: &UnixStream, over: &AtomicBool) {
    let mut word = [0];
    while runner.read_exact(&mut word).is_ok() {
        let _ = inner.write_all(&word);
        if word == [KILL] {
            break;
        }
    }
    if !over.load(Ordering::Acquire) {
        let _ = inner.shutdown(Shutdown::Write);
        std::thread::sleep(ITS_TURN);
        Family::Descendants.signal(Signal::KILL);
    }
}
