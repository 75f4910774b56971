//! The scenes of the demo that are about processes.
//!
//! In: a temporary folder, a command line as a model proposes it, two programs that misbehave, one
//! error as two machines print it. Out: what is asked instead of run, what is left of the programs,
//! and the signature. Never shows a canned answer, and never starts a hostile program outside every
//! layer of the sandbox.

use super::stage::{Shown, Stage};
use crate::failure::Failure;
use crate::workspace_config;
use salve_check::{
    FinishedRun, Gate, Limits, Plan, PolicyRules, RiskClass, RunClass, RunInput, RunPrograms,
    RunRequest, Runner, StartedBy, judge_command, quote_for_display, sign_text,
};
use salve_engine::facts::{CommandPaths, RepositoryFacts};
use salve_tree::Root;
use std::path::Path;
use std::time::Duration;

/// Plays the scenes that are about processes.
pub(super) fn play() -> Result<Vec<(&'static str, Shown)>, Failure> {
    let folder = tempfile::Builder::new().prefix("salve-demo-").tempdir()?;
    let runner = workspace_config::runner(folder.path())?;
    let scenes = vec![
        ("A command with a tail", proposed(folder.path())?),
        ("A fork bomb, and a child that hides", hostile(&runner, folder.path())?),
        ("One error, two machines", signed()),
    ];
    folder.close()?;
    Ok(scenes)
}

fn proposed(folder: &Path) -> Result<Shown, Failure> {
    let mut stage = Stage::default();
    std::fs::create_dir(folder.join("x"))?;
    let line = "ls; rm -rf x";
    stage.received(line);
    stage.says("elsewhere", "it begins with `ls`, which is on the list, and runs");
    let root = Root::open(folder)?;
    let verdict = judge_command(
        line,
        &PolicyRules::default(),
        &CommandPaths::new(&root),
        &RepositoryFacts::of(folder),
    );
    let about = verdict.segment.as_ref().map(|segment| quote_for_display(&segment.argv));
    stage.says("asked", &format!("{}: {}", verdict.rule.name(), verdict.why));
    stage.says("about", &about.unwrap_or_default());
    stage.says("x", if folder.join("x").is_dir() { "is still there" } else { "is GONE" });
    Ok(stage.end(!verdict.allow && folder.join("x").is_dir()))
}

fn hostile(runner: &Runner, folder: &Path) -> Result<Shown, Failure> {
    let mut stage = Stage::default();
    let missing: Vec<String> = runner
        .guarantees()?
        .iter()
        .filter(|report| !report.held)
        .map(|report| report.guarantee.to_string())
        .collect();
    if !missing.is_empty() {
        stage.says("skipped", &format!("this machine lacks {}", missing.join(", ")));
        return Ok(stage.end(false));
    }
    let bomb = ":(){ :|:& };:";
    let hiding = "setsid sleep 600 & setsid sleep 600 & exit 0";
    let mut left = 0;
    for script in [bomb, hiding] {
        stage.received(script);
        let mark = format!("salve-demo-{}", std::process::id());
        let ended = runner.run(&request(script, folder, &mark))?;
        stage.says("ended", &ending(&ended));
        left += processes_with(&mark);
    }
    stage.says("left", &format!("{left} processes"));
    Ok(stage.end(left == 0))
}

fn request(script: &str, folder: &Path, mark: &str) -> RunRequest {
    RunRequest {
        plan: Plan::of_argv(["bash", "-c", script, mark]),
        cwd: folder.to_owned(),
        class: RunClass::Proposed,
        risk: RiskClass::Build,
        gate: Gate::Approved,
        by: StartedBy::Salve,
        limits: Limits {
            deadline: Duration::from_secs(1),
            grace: Duration::from_millis(200),
            processes: 64,
            ..Limits::of(RunClass::Proposed)
        },
        environment: vec![(MARK.to_owned(), mark.to_owned())],
        input: RunInput::Nothing,
        protected: salve_check::ProtectedFileUse::default(),
        ports: Vec::new(),
    }
}

/// The variable by which the demo knows its own processes.
const MARK: &str = "SALVE_DEMO_MARK";

fn ending(ended: &FinishedRun) -> String {
    let how = match &ended.record.ending {
        salve_check::RunEnding::Exited { code } => format!("exit code {code}"),
        salve_check::RunEnding::Signalled { signal } => format!("signal {signal}"),
        salve_check::RunEnding::DeadlinePassed => "its deadline passed".to_owned(),
        salve_check::RunEnding::TooMuchOutput => "it wrote too much".to_owned(),
        salve_check::RunEnding::LimitExceeded { limit } => limit.in_words().to_owned(),
    };
    let orphans = ended.record.orphans;
    format!("{how} after {} ms, {orphans} left behind and ended", ended.record.duration_ms)
}

// Looks from outside: a process that got away still carries the mark in its environment.
fn processes_with(mark: &str) -> usize {
    let carries = |entry: std::fs::DirEntry| {
        std::fs::read(entry.path().join("environ"))
            .is_ok_and(|text| String::from_utf8_lossy(&text).contains(&format!("{MARK}={mark}")))
    };
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.map(carries).filter(|found| *found).count()
}

fn signed() -> Shown {
    let mut stage = Stage::default();
    let laptop = "\
Traceback (most recent call last):
  File \"/home/ada/shop/cart.py\", line 41, in total
    return price * quantity
TypeError: can't multiply sequence by non-int of type 'str'
";
    let server = "\
Mar 04 11:02:55 web worker[4127]: Traceback (most recent call last):
Mar 04 11:02:55 web worker[4127]:   File \"/srv/app/releases/9f2c/cart.py\", line 58, in total
Mar 04 11:02:55 web worker[4127]:     return price * quantity
Mar 04 11:02:55 web worker[4127]: TypeError: can't multiply sequence by non-int of type 'str'
";
    stage.received(laptop);
    stage.received(server);
    stage.says("elsewhere", "two errors: other path, other line, other time");
    let [one, other] = [laptop, server].map(|text| sign_text(None, text).run);
    stage.says("exact", &format!("{}  and  {}", one.exact.wire(), other.exact.wire()));
    stage.says("shape", &format!("{}  and  {}", one.shape.wire(), other.shape.wire()));
    stage.end(one.exact == other.exact)
}
