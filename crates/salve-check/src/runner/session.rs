//! One run, from the start of the launcher to its end.
//!
//! In: a launch, where its output goes, its limits. Out: the launcher's report and both streams.
//! Never waits without a bound: a launcher that does not answer is killed, and its namespace ends
//! with it.

use super::collect::Collector;
use super::relay::Relay;
use super::terminal::{Joined, LOOK};
use super::{Launcher, OutputStream};
use crate::launcher::{KILL, TERMINATE, read_frame_with, write_frame, write_frame_with};
use crate::{Launch, LauncherReport};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::fs::File;
use std::io::{ErrorKind, Read, Result, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// How long the launcher may take to end everything before it is killed itself.
const ENDING: Duration = Duration::from_millis(500);
/// How long a keeper may take instead: killed, it would leave processes behind.
const KEEPING: Duration = Duration::from_secs(30);
/// How long streams are read that something still holds open when the launcher is gone.
const DRAIN: Duration = Duration::from_millis(200);
/// How long the launcher may take to hear or to say something it has begun to say.
const SPEAKING: Duration = Duration::from_secs(5);
/// A pipe that is larger than usual means fewer switches between writer and reader.
const PIPE_BYTES: usize = 1 << 20;
const CHUNK: usize = 128 << 10;

/// Why a run was ended before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndedBecause {
    Deadline,
    Output,
}

/// The outcome of a run.
#[derive(Debug)]
pub(super) struct Finished {
    /// What the launcher said; nothing when it was killed or lost.
    pub(super) report: Option<LauncherReport>,
    /// Why it was ended, when it did not end by itself.
    pub(super) ended: Option<EndedBecause>,
    pub(super) out: Collector,
    pub(super) err: Collector,
    pub(super) took: Duration,
}

/// Starts the launcher and sees the run to its end.
pub(super) fn run(
    launcher: &Launcher,
    launch: &Launch,
    collectors: [Collector; 2],
    input: Option<OwnedFd>,
    watch: &mut dyn FnMut(OutputStream, &[u8]),
) -> Result<Finished> {
    let mut session = Session::start(launcher, launch, collectors, input)?;
    while session.phase != Phase::Over {
        session.wait()?;
        session.pass_keys();
        session.take_output(watch)?;
        session.take_report();
        session.advance();
    }
    session.leave_terminal(watch);
    session.finish()
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Until the deadline.
    Running,
    /// Everybody was asked to end.
    Asked,
    /// Everybody was ended by the launcher.
    Killed,
    /// The launcher has said its last word, or was killed.
    Draining,
    Over,
}

struct Session<'a> {
    launch: &'a Launch,
    child: Child,
    socket: UnixStream,
    /// Standard output or the run's terminal, and standard error.
    pipes: [Option<File>; 2],
    collectors: [Collector; 2],
    /// The caller's terminal, while the run has one of its own.
    terminal: Option<Joined>,
    /// Bytes that were written to it and are not text.
    left_out: u64,
    buffer: Vec<u8>,
    phase: Phase,
    until: Instant,
    started: Instant,
    ended: Option<EndedBecause>,
    report: Option<LauncherReport>,
    /// What joins ports inside with ports of the machine; ends with the session.
    relay: Relay,
    hung_up: bool,
    ready: [bool; 4],
    /// Whether the last look at the streams brought something that is kept.
    more: bool,
}

impl<'a> Session<'a> {
    #[expect(clippy::disallowed_methods, reason = "this is where the runner starts its launcher")]
    fn start(
        launcher: &Launcher,
        launch: &'a Launch,
        collectors: [Collector; 2],
        input: Option<OwnedFd>,
    ) -> Result<Self> {
        let started = Instant::now();
        let (socket, theirs) = UnixStream::pair()?;
        let (out_reader, out_writer) = std::io::pipe()?;
        let (err_reader, err_writer) = std::io::pipe()?;
        for reader in [&out_reader, &err_reader] {
            // Users without privileges have a limit for all their pipes; the default is fine too.
            let _ = rustix::pipe::fcntl_setpipe_size(reader, PIPE_BYTES);
        }
        socket.set_write_timeout(Some(SPEAKING))?;
        socket.set_read_timeout(Some(SPEAKING))?;
        // The command is dropped at once, and with it our copies of the writing ends.
        let child = Command::new(&launcher.program)
            .args(&launcher.arguments)
            .env_clear()
            .stdin(OwnedFd::from(theirs))
            .stdout(out_writer)
            .stderr(err_writer)
            .spawn()?;
        // Once for each stage. A launcher that fails early says so; its silence is noticed below.
        // What the programs read goes to the inner one, and our copy of it is closed.
        let _ = write_frame(&socket, launch).and_then(|()| match &input {
            Some(input) => write_frame_with(&socket, launch, input.as_fd()),
            None => write_frame(&socket, launch),
        });
        drop(input);
        Ok(Self {
            launch,
            child,
            socket,
            pipes: [out_reader, err_reader].map(|pipe| Some(File::from(OwnedFd::from(pipe)))),
            collectors,
            terminal: None,
            left_out: 0,
            buffer: vec![0; CHUNK],
            phase: Phase::Running,
            until: started + launch.limits.deadline,
            started,
            ended: None,
            report: None,
            relay: Relay::default(),
            hung_up: false,
            ready: [false; 4],
            more: false,
        })
    }

    /// Sleeps until there is something to read or the time of this phase is over.
    fn wait(&mut self) -> Result<()> {
        let timeout = self.until.saturating_duration_since(Instant::now());
        let timeout = if self.terminal.is_some() { timeout.min(LOOK) } else { timeout };
        let timeout = Timespec::try_from(timeout).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
        let listening = !self.hung_up;
        let mut polled = Vec::with_capacity(4);
        let mut places = Vec::with_capacity(4);
        let has_typed = self.terminal.as_ref().is_some_and(Joined::has_typed);
        for (place, pipe) in self.pipes.iter().enumerate() {
            if let Some(pipe) = pipe {
                let writes =
                    if place == 0 && has_typed { PollFlags::OUT } else { PollFlags::empty() };
                polled.push(PollFd::new(pipe, PollFlags::IN | writes));
                places.push(place);
            }
        }
        if listening {
            polled.push(PollFd::new(&self.socket, PollFlags::IN));
            places.push(2);
        }
        if let Some(keys) = self.terminal.as_ref().and_then(Joined::keys) {
            polled.push(PollFd::from_borrowed_fd(keys, PollFlags::IN));
            places.push(3);
        }
        self.ready = [false; 4];
        match poll(&mut polled, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for (polled, place) in polled.iter().zip(places) {
            if let Some(ready) = self.ready.get_mut(place) {
                *ready = !polled.revents().is_empty();
            }
        }
        Ok(())
    }

    /// Gives the run what is typed, and the size of the caller's terminal.
    fn pass_keys(&mut self) {
        let [.., typed] = self.ready;
        if let Some(terminal) = &mut self.terminal {
            if typed {
                terminal.hear();
            }
            terminal.pass_on();
        }
    }

    /// Reads one chunk of each stream that has one. What comes after the limit is read and dropped,
    /// so that the writer can hear its signal.
    fn take_output(&mut self, watch: &mut dyn FnMut(OutputStream, &[u8])) -> Result<()> {
        self.more = false;
        for (place, stream) in OutputStream::BOTH.into_iter().enumerate() {
            let (Some(pipe), Some(true)) = (self.pipes.get_mut(place), self.ready.get(place))
            else {
                continue;
            };
            let Some(reader) = pipe else { continue };
            let count = match reader.read(&mut self.buffer) {
                Ok(count) => count,
                Err(error)
                    if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) =>
                {
                    continue;
                }
                // What a terminal says when nothing holds it any more.
                Err(error) if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => 0,
                Err(error) => return Err(error),
            };
            if count == 0 {
                *pipe = None;
                continue;
            }
            let room = self.launch.limits.output_bytes.saturating_sub(self.output_bytes());
            let kept = usize::try_from(room).unwrap_or(usize::MAX).min(count);
            let chunk = self.buffer.get(..kept).unwrap_or_default();
            let collector = self.collectors.get_mut(place);
            match self.terminal.as_mut().filter(|_| place == 0) {
                Some(terminal) => {
                    let shown = terminal.filter(chunk);
                    watch(OutputStream::Terminal, &shown.screen);
                    let left_out = kept.saturating_sub(shown.plain.len());
                    self.left_out = self.left_out.saturating_add(left_out as u64);
                    collector.into_iter().for_each(|collector| collector.push(&shown.plain));
                }
                None if chunk.is_empty() => {}
                None => {
                    watch(stream, chunk);
                    collector.into_iter().for_each(|collector| collector.push(chunk));
                }
            }
            self.more |= kept > 0;
            if kept < count && self.phase == Phase::Running {
                self.ask_to_end(EndedBecause::Output);
            }
        }
        Ok(())
    }

    fn output_bytes(&self) -> u64 {
        let kept: u64 = self.collectors.iter().map(Collector::bytes).sum();
        kept.saturating_add(self.left_out)
    }

    /// Joins the run's terminal with the caller's. Where that fails it is a stream like another.
    fn take_terminal(&mut self, terminal: OwnedFd) {
        self.terminal = Joined::take(&terminal).ok();
        let [out, _] = &mut self.pipes;
        *out = Some(File::from(terminal));
    }

    /// Brings the caller's terminal back to how it was.
    fn leave_terminal(&mut self, watch: &mut dyn FnMut(OutputStream, &[u8])) {
        if let Some(mut terminal) = self.terminal.take() {
            watch(OutputStream::Terminal, &terminal.undo());
        }
    }

    fn take_report(&mut self) {
        let [_, _, spoken, _] = self.ready;
        if !spoken {
            return;
        }
        match read_frame_with(&self.socket) {
            Ok((LauncherReport::Listening { port }, Some(listener)))
                if self.launch.ports.contains(&port) =>
            {
                self.relay.add(listener, port);
            }
            Ok((LauncherReport::Terminal, Some(terminal))) if self.launch.terminal.is_some() => {
                self.take_terminal(terminal);
            }
            Ok((LauncherReport::Listening { .. } | LauncherReport::Terminal, _)) => {}
            Ok((report, _)) => self.report = Some(report),
            // The inner stage is gone: the report came before, or will not come.
            Err(_) => self.hung_up = true,
        }
    }

    /// Goes on to the next phase when the time of this one is over, or the launcher is.
    fn advance(&mut self) {
        let now = Instant::now();
        if self.hung_up && self.phase != Phase::Draining {
            self.enter(Phase::Draining, DRAIN);
        }
        if self.report.is_some() && self.phase != Phase::Draining {
            self.enter(Phase::Draining, ENDING);
        }
        let silent = self.pipes.iter().all(Option::is_none);
        match self.phase {
            Phase::Draining if (self.hung_up && silent) || (now >= self.until && !self.more) => {
                self.phase = Phase::Over;
            }
            Phase::Running if now >= self.until => self.ask_to_end(EndedBecause::Deadline),
            Phase::Asked if now >= self.until => {
                let _ = self.socket.write_all(&[KILL]);
                let kept = self.launch.goes_by_rules();
                self.enter(Phase::Killed, if kept { KEEPING } else { ENDING });
            }
            Phase::Killed if now >= self.until => {
                let _ = self.child.kill();
                self.enter(Phase::Draining, DRAIN);
            }
            _ => {}
        }
    }

    fn ask_to_end(&mut self, why: EndedBecause) {
        self.ended = Some(why);
        let _ = self.socket.write_all(&[TERMINATE]);
        self.enter(Phase::Asked, self.launch.limits.grace);
    }

    fn enter(&mut self, phase: Phase, time: Duration) {
        self.phase = phase;
        self.until = Instant::now() + time;
    }

    fn finish(self) -> Result<Finished> {
        let Self { mut child, report, ended, started, hung_up, collectors, .. } = self;
        if report.is_some() && hung_up {
            // Every program has been reaped and the inner stage is gone. What is left is the kernel
            // taking namespaces apart, which need not be waited for.
            let reaper = std::thread::Builder::new().name("reaper".to_owned());
            reaper.spawn(move || child.wait())?;
        } else {
            let _ = child.kill();
            child.wait()?;
        }
        let [out, err] = collectors;
        Ok(Finished { report, ended, out, err, took: started.elapsed() })
    }
}
