//! Executes a plan: pipelines with real pipes, joined as `bash` would join them.
//!
//! In: a plan. Out: programs started and reaped, and the report. Never reads a word again: what the
//! plan holds is what the programs get.

use super::control::{Control, Word};
use super::family::Family;
use super::lookup::{Found, find_program};
use super::streams::Streams;
use super::{Launch, LauncherReport, ProgramEnding};
use crate::{Joiner, PlannedCommand, PlannedPipeline};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, WaitStatus};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// How long a process may live on after its command before it counts as an orphan.
const SETTLE: Duration = Duration::from_millis(60);
/// What shells answer when there is no such program.
const NOT_FOUND: ProgramEnding = ProgramEnding::Code(127);
/// What shells answer when a file cannot be executed.
const NOT_EXECUTABLE: ProgramEnding = ProgramEnding::Code(126);
const FAILED: ProgramEnding = ProgramEnding::Code(1);

/// Executes the plan of a launch and ends whatever it leaves behind.
pub(super) fn execute(
    launch: &Launch,
    control: &Control,
    family: Family,
    input: Option<OwnedFd>,
) -> LauncherReport {
    if let Some(program) = missing_program(launch) {
        return LauncherReport::NoSuchProgram { program };
    }
    let executor = Executor { launch, control, input };
    let mut last = ProgramEnding::Code(0);
    for pipeline in &launch.plan.pipelines {
        let wanted = match pipeline.joiner {
            Joiner::Then => true,
            Joiner::And => last.is_success(),
            Joiner::Or => !last.is_success(),
        };
        if wanted && control.word() == Word::GoOn {
            last = executor.pipeline(pipeline);
        }
    }
    let settle = if control.word() == Word::GoOn { SETTLE } else { launch.limits.grace };
    let orphans = family.end(settle, || control.word() == Word::Kill);
    LauncherReport::Executed { last, orphans, exceeded: control.exceeded() }
}

/// A plan of one command without its program is no run at all.
fn missing_program(launch: &Launch) -> Option<String> {
    let [PlannedPipeline { commands, .. }] = launch.plan.pipelines.as_slice() else { return None };
    let [PlannedCommand { argv, .. }] = commands.as_slice() else { return None };
    let program = argv.first()?;
    let nothing = find_program(program, &launch.environment) == Found::Nothing;
    nothing.then(|| program.clone())
}

struct Executor<'a> {
    launch: &'a Launch,
    control: &'a Control,
    /// What the first command of a pipeline reads; nothing when absent.
    input: Option<OwnedFd>,
}

impl Executor<'_> {
    /// Starts every command of a pipeline, waits for all of them, returns the last one's ending.
    fn pipeline(&self, pipeline: &PlannedPipeline) -> ProgramEnding {
        let mut input = self.input.as_ref().and_then(|input| input.try_clone().ok());
        let mut running: Vec<Slot> = Vec::new();
        let last = pipeline.commands.len().saturating_sub(1);
        for (index, command) in pipeline.commands.iter().enumerate() {
            let (next, output) = if index == last {
                (None, None)
            } else {
                match std::io::pipe() {
                    Ok((reader, writer)) => (Some(OwnedFd::from(reader)), Some(writer.into())),
                    Err(_) => return wait_for(running, FAILED),
                }
            };
            running.push(self.command(command, input.take(), output));
            input = next;
        }
        wait_for(running, ProgramEnding::Code(0))
    }

    fn command(
        &self,
        command: &PlannedCommand,
        input: Option<OwnedFd>,
        output: Option<OwnedFd>,
    ) -> Slot {
        let Ok(mut streams) = Streams::new(input, output) else { return Slot::Ended(FAILED) };
        if let Err((target, error)) = streams.redirect(&command.redirects, self.launch) {
            streams.complain(&format!("salve: {target}: {}\n", words(&error)));
            return Slot::Ended(FAILED);
        }
        let Some((program, arguments)) = command.argv.split_first() else {
            return Slot::Ended(ProgramEnding::Code(0));
        };
        match find_program(program, &self.launch.environment) {
            Found::Program(path) => self.start(&path, program, arguments, streams),
            Found::NotExecutable => {
                streams.complain(&format!("salve: {program}: cannot be executed\n"));
                Slot::Ended(NOT_EXECUTABLE)
            }
            Found::Nothing => {
                streams.complain(&format!("salve: {program}: command not found\n"));
                Slot::Ended(NOT_FOUND)
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "this is where the runner starts programs")]
    fn start(
        &self,
        path: &std::path::Path,
        name: &str,
        arguments: &[String],
        streams: Streams,
    ) -> Slot {
        // Kept to complain into when the start fails after the streams have been given away.
        let complaints = streams.spare_errors();
        let [input, output, errors] = streams.into_descriptors();
        let mut command = Command::new(path);
        command.arg0(name).args(arguments).env_clear();
        command.envs(self.launch.environment.iter().map(|(key, value)| (key, value)));
        command.stdin(input).stdout(output).stderr(errors);
        if self.launch.goes_by_rules() {
            // `kill 0`, which scripts end their children with, must not mean this process too.
            command.process_group(0);
        }
        // The child is waited for by its id, together with every orphan, and not by its handle.
        match self.control.unless_ended(|| command.spawn().map(|child| child.id())) {
            Some(Ok(id)) => i32::try_from(id)
                .ok()
                .and_then(Pid::from_raw)
                .map_or(Slot::Ended(FAILED), Slot::Running),
            Some(Err(error)) => {
                if let Some(complaints) = complaints {
                    let message = format!("salve: {name}: {}\n", words(&error));
                    let _ = rustix::io::write(complaints, message.as_bytes());
                }
                Slot::Ended(NOT_EXECUTABLE)
            }
            None => Slot::Ended(ProgramEnding::Signal(TERMINATED)),
        }
    }
}

const TERMINATED: i32 = 15;

/// One command of a pipeline.
enum Slot {
    Running(Pid),
    Ended(ProgramEnding),
}

/// Waits until every command has ended. Whatever else ends meanwhile is reaped too: the first
/// process of a namespace inherits all orphans.
fn wait_for(mut slots: Vec<Slot>, empty: ProgramEnding) -> ProgramEnding {
    while slots.iter().any(|slot| matches!(slot, Slot::Running(_))) {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) => {
                for slot in &mut slots {
                    if matches!(slot, Slot::Running(running) if *running == pid) {
                        *slot = Slot::Ended(ending(status));
                    }
                }
            }
            Ok(None) | Err(Errno::INTR) => {}
            Err(_) => return FAILED,
        }
    }
    match slots.last() {
        Some(Slot::Ended(ending)) => *ending,
        _ => empty,
    }
}

fn ending(status: WaitStatus) -> ProgramEnding {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => ProgramEnding::Code(code),
        (None, Some(signal)) => ProgramEnding::Signal(signal),
        (None, None) => FAILED,
    }
}

/// What the system said, without the number the standard library adds.
fn words(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
