//! A runner without programs: it counts, and answers as it is told.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use salve_check::{Capture, FinishedRun, RunEnding, RunError, RunPrograms, RunRecord, RunRequest};
use std::sync::Mutex;

/// What one program does.
pub(crate) struct FakeProgram {
    pub(crate) name: &'static str,
    pub(crate) ending: RunEnding,
    pub(crate) stdout: &'static str,
    pub(crate) stderr: &'static str,
}

impl FakeProgram {
    pub(crate) fn exits(
        name: &'static str,
        code: i32,
        stdout: &'static str,
        stderr: &'static str,
    ) -> Self {
        Self { name, ending: RunEnding::Exited { code }, stdout, stderr }
    }
}

/// A machine with these programs and no others.
pub(crate) struct FakeMachine {
    programs: Vec<FakeProgram>,
    pub(crate) requests: Mutex<Vec<RunRequest>>,
}

impl FakeMachine {
    pub(crate) fn with(programs: Vec<FakeProgram>) -> Self {
        Self { programs, requests: Mutex::new(Vec::new()) }
    }

    /// Returns the command lines of all runs so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests.iter().map(|request| words(request).join(" ")).collect()
    }
}

pub(crate) fn words(request: &RunRequest) -> Vec<String> {
    request.plan.commands().flat_map(|command| command.argv.clone()).collect()
}

impl RunPrograms for FakeMachine {
    fn run(&self, request: &RunRequest) -> Result<FinishedRun, RunError> {
        self.requests.lock().unwrap().push(request.clone());
        let program = words(request).remove(0);
        let fake = self.programs.iter().find(|fake| fake.name == program);
        let fake = fake.ok_or(RunError::NoSuchProgram { program })?;
        let capture = |text: &str| Capture {
            bytes: text.len() as u64,
            head: text.as_bytes().to_vec(),
            ..Capture::default()
        };
        let (stdout, stderr) = (capture(fake.stdout), capture(fake.stderr));
        let record = RunRecord {
            id: "1".to_owned(),
            started_at: 0,
            plan: request.plan.clone(),
            cwd: request.cwd.clone(),
            class: request.class,
            risk: request.risk,
            gate: request.gate.clone(),
            by: request.by,
            ending: fake.ending.clone(),
            duration_ms: 1,
            output_bytes: stdout.bytes + stderr.bytes,
            output_hash: String::new(),
            output_file: None,
            orphans: 0,
            missing_layers: Vec::new(),
            missing_guarantees: Vec::new(),
            ports: Vec::new(),
        };
        Ok(FinishedRun { record, stdout, stderr, events: Vec::new() })
    }
}
