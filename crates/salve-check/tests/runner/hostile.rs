//! Programs that do not want to end. None survives, with and without a namespace of its own.

use crate::workplace::{Workplace, as_nobody};
use salve_check::{Layer, Plan, RunEnding, RunPrograms};
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_millis(700);
/// For programs that end before it on any machine, however busy.
const LONG: Duration = Duration::from_secs(30);
/// Far below what any of the programs would take.
const BEYOND: Duration = Duration::from_secs(30);

/// How a hostile program is expected to end.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ends {
    ByDeadline,
    ByOutput,
    ByItself,
    /// Loops that meet a limit first on one machine and the deadline on another.
    Somehow,
}

const KINDS: &[(&str, &str, Ends)] = &[
    ("yes", "yes", Ends::ByOutput),
    ("setsid", "setsid sh -c 'sleep 600' & sleep 600", Ends::ByDeadline),
    ("setsid and gone", "setsid sleep 600 >/dev/null 2>&1 &", Ends::ByItself),
    ("double fork", "(setsid sh -c '(sleep 600 &) ; sleep 600' &) ; sleep 600", Ends::ByDeadline),
    ("ignores TERM", "trap '' TERM INT HUP; while :; do sleep 600; done", Ends::ByDeadline),
    (
        "children ignore TERM",
        "trap '' TERM; for i in 1 2 3 4; do (sleep 600; sleep 600) & done; wait",
        Ends::ByDeadline,
    ),
    ("big writer", "while :; do head -c 1000000 /dev/zero >> big; done", Ends::ByDeadline),
    ("waits for input", "read line; sleep 600", Ends::ByDeadline),
    ("flood without lines", "tr '\\0' x < /dev/zero", Ends::ByOutput),
    ("flood on both", "yes >&2 & yes", Ends::ByOutput),
    ("closed stdout", "exec >&- 2>&-; sleep 600", Ends::ByDeadline),
    ("stops itself", "kill -STOP $$", Ends::ByDeadline),
    ("kills its parent", "kill -9 $PPID; sleep 600", Ends::ByDeadline),
];

/// Only where the sandbox bounds the number of processes.
const BOMBS: &[(&str, &str, Ends)] = &[
    ("fork bomb", "bomb() { bomb | bomb & }; bomb; sleep 600", Ends::Somehow),
    (
        "fork bomb that ignores TERM",
        "trap '' TERM; bomb() { bomb & bomb & sleep 600; }; bomb",
        Ends::Somehow,
    ),
];

#[test]
fn c064_no_hostile_program_survives() {
    let place = || Workplace::new();
    assert_eq!(missing(&place()), [], "this machine should have every layer");
    for kind in KINDS.iter().chain(BOMBS) {
        ends(&place(), kind);
    }
}

/// The fallback cannot stop a program that kills its own launcher, and does not bound forks.
#[test]
fn c064_no_hostile_program_survives_without_the_sandbox() {
    for kind in KINDS.iter().filter(|(name, ..)| *name != "kills its parent") {
        ends(&Workplace::without(Layer::ALL), kind);
    }
}

/// Without namespaces. Root is above the kernel's limit of processes, so bombs are left to nobody.
#[test]
fn c064_no_hostile_program_survives_by_rules() {
    let bombs = if rustix::process::geteuid().is_root() { &[] } else { BOMBS };
    for (name, script, expected) in KINDS.iter().chain(bombs) {
        // To kill the launcher is possible here, and ends the run.
        let expected = if *name == "kills its parent" { Ends::Somehow } else { *expected };
        ends(&Workplace::without(Layer::OF_NAMESPACES), &(*name, *script, expected));
    }
}

#[test]
fn c064_no_hostile_program_survives_as_nobody() {
    if !rustix::process::geteuid().is_root() {
        // The caller that runs the tests without privileges has just tested this.
        return;
    }
    let (passed, said) = as_nobody(&[
        "--exact",
        "hostile::c064_no_hostile_program_survives",
        "hostile::c064_no_hostile_program_survives_by_rules",
    ]);
    assert!(passed && said.contains("2 passed"), "{said}");
}

#[test]
fn c064_programs_end_with_salve_itself() {
    ends_with_salve("namespaces");
}

#[test]
fn c064_programs_end_with_salve_itself_by_rules() {
    ends_with_salve(RULES);
}

/// Starts a process that is told to run something long, and kills it.
fn ends_with_salve(way: &str) {
    let mark = mark("killed runner");
    let folder = tempfile::tempdir().unwrap();
    #[expect(clippy::disallowed_methods, reason = "a second Salve, to be killed")]
    let mut other = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "hostile::runs_long_when_asked", "--nocapture"])
        .env(ASKED, &mark)
        .env(WAY, way)
        .env("TMPDIR", folder.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let started = wait_until(|| marked(&mark).len() > 1, LONG);
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(started, "the other process ran nothing");
    let gone = wait_until(|| marked(&mark).is_empty(), BEYOND);
    assert!(gone, "survivors: {:?}", marked(&mark));
}

const ASKED: &str = "SALVE_TEST_ASKED";
const WAY: &str = "SALVE_TEST_WAY";
const RULES: &str = "rules";

#[test]
#[expect(clippy::disallowed_methods, reason = "tells a test from the process it starts")]
fn runs_long_when_asked() {
    let Ok(mark) = std::env::var(ASKED) else { return };
    let by_rules = std::env::var(WAY).is_ok_and(|way| way == RULES);
    let place = Workplace::without(if by_rules { Layer::OF_NAMESPACES } else { &[] });
    let mut request = place.request(Plan::of_argv(["sh", "-c", "setsid sleep 60 & sleep 60"]));
    request.environment.push((MARK.to_owned(), mark));
    let _ = place.runner.run(&request);
}

fn ends(place: &Workplace, (name, script, expected): &(&str, &str, Ends)) {
    let mark = mark(name);
    let mut request = place.request(Plan::of_argv(["bash", "-c", script]));
    request.environment.push((MARK.to_owned(), mark.clone()));
    let deadline = match expected {
        Ends::ByDeadline | Ends::Somehow => DEADLINE,
        Ends::ByOutput | Ends::ByItself => LONG,
    };
    request.limits.deadline = deadline;
    request.limits.output_bytes = 8 << 20;
    let started = Instant::now();
    let run = place.runner.run(&request).unwrap_or_else(|error| panic!("{name}: {error}"));
    let took = started.elapsed();
    let survivors = marked(&mark);
    assert!(survivors.is_empty(), "{name}: {survivors:?}");
    assert!(took <= deadline + BEYOND, "{name} took {took:?}");
    let ending = run.record.ending;
    match expected {
        Ends::ByDeadline => assert_eq!(ending, RunEnding::DeadlinePassed, "{name}"),
        Ends::ByOutput => assert_eq!(ending, RunEnding::TooMuchOutput, "{name}"),
        Ends::ByItself => assert_eq!(ending, RunEnding::Exited { code: 0 }, "{name}"),
        Ends::Somehow => {}
    }
}

fn missing(place: &Workplace) -> Vec<salve_check::LayerReport> {
    let reports = place.runner.layers().unwrap();
    reports.into_iter().filter(|report| !report.available).collect()
}

const MARK: &str = "SALVE_TEST_MARK";

fn mark(name: &str) -> String {
    let id = std::process::id();
    let time = Instant::now();
    format!("{MARK}-{id}-{time:?}-{name}").replace(|c: char| !c.is_ascii_alphanumeric(), "-")
}

/// Processes that carry the mark in their variables, seen from outside of every namespace.
fn marked(mark: &str) -> Vec<String> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let pid = entry.file_name().to_string_lossy().into_owned();
        if pid == own || !pid.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environ.windows(mark.len()).any(|window| window == mark.as_bytes()) {
            let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            found.push(format!("{pid}: {stat}"));
        }
    }
    found
}

fn wait_until(done: impl Fn() -> bool, most: Duration) -> bool {
    let started = Instant::now();
    while started.elapsed() < most {
        if done() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    done()
}
