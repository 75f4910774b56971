//! What a sandboxed run costs over a bare one, in time and in memory.
//!
//! In: the built launcher and programs every machine has. Out: one table, each line with the figure
//! asked for and PASS or BELOW. Times are medians of many rounds, bare and sandboxed in turn.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use salve_check::{
    FinishedRun, Gate, Keep, Launcher, Limits, Plan, RiskClass, RunClass, RunEnding, RunInput,
    RunPrograms, RunRequest, Runner, RunnerOptions, StartedBy,
};
use salve_types::Timestamp;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 41;
const MIB: u64 = 1 << 20;
/// Below the limit of 64 MiB of output, and far above what is kept in memory.
const LARGE: u64 = 60 * MIB;
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

fn main() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for name in ["work", "temporary"] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    let runner = runner(folder.path());
    for report in runner.layers().expect("the launcher").iter().filter(|layer| !layer.available) {
        println!("missing here: {}: {}", report.layer, report.detail);
    }
    println!("{:<52} {:>14} {:>14}  verdict", "what", "measured", "limit");
    overhead(&runner, folder.path());
    completes(&runner, folder.path());
    throughput(&runner, folder.path());
    flood(&runner, folder.path());
    memory();
}

fn overhead(runner: &Runner, folder: &Path) {
    let (mut bare, mut sandboxed) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.push(timed(|| bare_run(&["true"], folder)));
        sandboxed.push(timed(|| {
            let run = run(runner, folder, &["true"]);
            assert_eq!(run.record.ending, RunEnding::Exited { code: 0 });
        }));
    }
    let (bare, sandboxed) = (median(bare), median(sandboxed));
    println!("{:<52} {:>14}", "a bare `true`", shown(bare));
    println!("{:<52} {:>14}", "a sandboxed, recorded `true`", shown(sandboxed));
    let over = sandboxed.saturating_sub(bare);
    let limit = Duration::from_millis(15);
    goal("overhead of the runner over a bare spawn", &shown(over), &shown(limit), over <= limit);
}

/// Everything arrives, is hashed and kept.
fn completes(runner: &Runner, folder: &Path) {
    let count = LARGE.to_string();
    let run = run(runner, folder, &["head", "-c", &count, "/dev/zero"]);
    let stored = run.stdout.file.as_ref().and_then(|file| std::fs::metadata(file).ok());
    let whole = run.record.ending == RunEnding::Exited { code: 0 }
        && run.stdout.bytes == LARGE
        && stored.is_some_and(|stored| stored.len() == LARGE);
    let bytes = format!("{} MiB", run.stdout.bytes / MIB);
    goal("an output of 60 MiB completes", &bytes, "60 MiB", whole);
}

/// The same bytes through a pipe that throws them away.
fn throughput(runner: &Runner, folder: &Path) {
    let mut file = std::fs::File::create(folder.join("work/large")).expect("a file");
    // In pieces: the memory of this process is measured too.
    let piece = "a line as a compiler would write it, 0123456789 and more\n".repeat(1000);
    for _ in 0..LARGE / piece.len() as u64 {
        file.write_all(piece.as_bytes()).expect("room for 60 MiB");
    }
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        bare.push(timed(|| bare_run(&["cat", "large"], folder)));
        ours.push(timed(|| {
            let run = run(runner, folder, &["cat", "large"]);
            assert_eq!(run.record.ending, RunEnding::Exited { code: 0 });
        }));
    }
    let (bare, ours) = (median(bare), median(ours));
    let rate = |time: Duration| format!("{:.0} MB/s", LARGE as f64 / 1e6 / time.as_secs_f64());
    println!("{:<52} {:>14}", "`cat` of 60 MiB into a bare pipe", rate(bare));
    println!("{:<52} {:>14}", "`cat` of 60 MiB, kept, hashed and stored", rate(ours));
    let ratio = ours.as_secs_f64() / bare.as_secs_f64();
    goal("time of the runner over a bare pipe", &format!("{ratio:.1}x"), "10x", ratio <= 10.0);
}

fn flood(runner: &Runner, folder: &Path) {
    let started = Instant::now();
    let run = run(runner, folder, &["yes"]);
    let took = started.elapsed();
    let ended = run.record.ending == RunEnding::TooMuchOutput && run.stdout.bytes == 64 * MIB;
    let limit = Duration::from_secs(33);
    goal("`yes` is ended at 64 MiB", &shown(took), &shown(limit), ended && took <= limit);
}

/// The most this process ever had in memory, all of the above included.
fn memory() {
    let status = std::fs::read_to_string("/proc/self/status").expect("the process table");
    let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("the peak of memory");
    let kib = line.split_ascii_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok());
    let mib = kib.expect("a number").div_ceil(1 << 10);
    goal("memory of the runner, flood included", &format!("{mib} MiB"), "64 MiB", mib <= 64);
}

fn runner(folder: &Path) -> Runner {
    let program = env!("CARGO_BIN_EXE_salve-launcher").into();
    Runner::new(RunnerOptions {
        launcher: Launcher { program, arguments: Vec::new() },
        workspace: folder.join("work"),
        inherited: BTreeMap::from([("PATH".to_owned(), PATH.to_owned())]),
        temporary: folder.join("temporary"),
        clock: || Timestamp(0),
        keep: Keep::RECORDS,
        without: Vec::new(),
        caches: None,
    })
    .expect("a runner")
}

fn run(runner: &Runner, folder: &Path, argv: &[&str]) -> FinishedRun {
    let request = RunRequest {
        plan: Plan::of_argv(argv.iter().copied()),
        cwd: folder.join("work"),
        class: RunClass::Proposed,
        risk: RiskClass::Read,
        gate: Gate::Policy { rule: "benchmark".to_owned() },
        by: StartedBy::User,
        limits: Limits::of(RunClass::Proposed),
        environment: Vec::new(),
        input: RunInput::Nothing,
        protected: salve_check::ProtectedFileUse::default(),
        ports: Vec::new(),
    };
    runner.run(&request).expect("a run")
}

#[expect(clippy::disallowed_methods, reason = "the peer that the runner is compared with")]
fn bare_run(argv: &[&str], folder: &Path) {
    let mut child = Command::new(argv[0])
        .args(&argv[1..])
        .current_dir(folder.join("work"))
        .env_clear()
        .env("PATH", PATH)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a program");
    let mut buffer = vec![0; 128 << 10];
    let mut output = child.stdout.take().expect("a pipe");
    while output.read(&mut buffer).expect("output") > 0 {}
    child.wait().expect("an end");
}

fn timed(act: impl FnOnce()) -> Duration {
    let started = Instant::now();
    act();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn shown(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

fn goal(what: &str, measured: &str, limit: &str, reached: bool) {
    let verdict = if reached { "PASS" } else { "BELOW" };
    println!("{what:<52} {measured:>14} {limit:>14}  {verdict}");
}
