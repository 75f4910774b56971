//! A folder with a runner in it, for the tests.

use salve_check::{
    FinishedRun, Gate, Joiner, Keep, Launcher, Layer, Limits, Plan, PlannedCommand,
    PlannedPipeline, PlannedRedirect, RedirectTarget, RiskClass, RunClass, RunError, RunInput,
    RunPrograms, RunRequest, Runner, RunnerOptions, StartedBy, WordTarget, parse_command_line,
};
use salve_types::Timestamp;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A workspace, a folder for temporary homes, and a runner.
pub(crate) struct Workplace {
    folder: TempDir,
    pub(crate) runner: Runner,
}

/// The variable that tells a second process of these tests where the launcher is.
const LAUNCHER: &str = "SALVE_TEST_LAUNCHER";

impl Workplace {
    /// Makes one with every layer the machine has.
    pub(crate) fn new() -> Self {
        Self::without(&[])
    }

    /// Makes one that lacks layers.
    pub(crate) fn without(layers: &[Layer]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work", "temporary"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let runner = Runner::new(options(folder.path(), layers)).unwrap();
        Self { folder, runner }
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work").canonicalize().unwrap()
    }

    pub(crate) fn temporary(&self) -> PathBuf {
        self.folder.path().join("temporary")
    }

    /// Runs a line with a person's yes and ten seconds.
    pub(crate) fn line(&self, line: &str) -> Result<FinishedRun, RunError> {
        self.runner.run(&self.request(plan(line)))
    }

    /// Runs a program with a person's yes and ten seconds.
    pub(crate) fn argv(&self, argv: &[&str]) -> Result<FinishedRun, RunError> {
        self.runner.run(&self.request(Plan::of_argv(argv.iter().copied())))
    }

    pub(crate) fn request(&self, plan: Plan) -> RunRequest {
        RunRequest {
            plan,
            cwd: self.work(),
            class: RunClass::Proposed,
            risk: RiskClass::Build,
            gate: Gate::Approved,
            by: StartedBy::User,
            limits: Limits { deadline: Duration::from_secs(10), ..Limits::of(RunClass::Proposed) },
            environment: Vec::new(),
            input: RunInput::Nothing,
            protected: salve_check::ProtectedFileUse::default(),
            ports: Vec::new(),
        }
    }
}

pub(crate) fn options(folder: &Path, without: &[Layer]) -> RunnerOptions {
    RunnerOptions {
        launcher: Launcher { program: launcher(), arguments: Vec::new() },
        workspace: folder.join("work"),
        inherited: BTreeMap::from([("PATH".to_owned(), PATH.to_owned())]),
        temporary: folder.join("temporary"),
        clock: || Timestamp(1_800_000_000_000),
        keep: Keep::RECORDS,
        without: without.to_vec(),
        caches: None,
    }
}

pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

#[expect(clippy::disallowed_methods, reason = "the tests call themselves as another user")]
fn launcher() -> PathBuf {
    std::env::var_os(LAUNCHER)
        .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_salve-launcher")), PathBuf::from)
}

/// Runs tests of this executable as nobody; returns whether they passed, and what they said.
#[expect(clippy::disallowed_methods, reason = "the same tests as another user")]
pub(crate) fn as_nobody(arguments: &[&str]) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    rustix::fs::chmod(folder.path(), rustix::fs::Mode::from_raw_mode(0o755)).unwrap();
    let copy = |path: &Path, name: &str| {
        let to = folder.path().join(name);
        std::fs::copy(path, &to).unwrap();
        to
    };
    let tests = copy(&std::env::current_exe().unwrap(), "tests");
    let launcher = copy(&launcher(), "launcher");
    let output = std::process::Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"])
        .arg(tests)
        .args(arguments)
        .env(LAUNCHER, launcher)
        .env("HOME", "/nonexistent")
        .current_dir("/")
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Makes a line without patterns a plan.
pub(crate) fn plan(line: &str) -> Plan {
    let line = parse_command_line(line).unwrap();
    let redirect = |redirect: &salve_check::Redirect| PlannedRedirect {
        descriptor: redirect.descriptor,
        target: match &redirect.target {
            WordTarget::Read(word) => RedirectTarget::Read(word.text.clone()),
            WordTarget::Write(word) => RedirectTarget::Write(word.text.clone()),
            WordTarget::Append(word) => RedirectTarget::Append(word.text.clone()),
            WordTarget::Same(other) => RedirectTarget::Same(*other),
        },
    };
    let pipelines = line.pipelines.iter().map(|pipeline| PlannedPipeline {
        joiner: pipeline.joiner,
        commands: pipeline
            .commands
            .iter()
            .map(|command| PlannedCommand {
                argv: command.argv().map(str::to_owned).collect(),
                redirects: command.redirects.iter().map(redirect).collect(),
            })
            .collect(),
    });
    let pipelines: Vec<PlannedPipeline> = pipelines.collect();
    assert_eq!(pipelines[0].joiner, Joiner::Then);
    Plan { pipelines }
}
