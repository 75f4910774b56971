//! What a run uses up is bounded, as root and as nobody.

use crate::cage;
use crate::world::World;
use salve_check::{Launch, LauncherReport, Layer, Plan, RunLimit};

/// Forks until it cannot, and says how often it could.
const FORKS: &str = r#"
import os, time
count = 0
try:
    while count < 2000:
        if os.fork() == 0:
            time.sleep(20); os._exit(0)
        count += 1
except OSError: pass
print("forks", count, flush=True)
"#;

#[test]
fn processes_are_bounded_for_root_as_well() {
    for user in cage::users() {
        let world = World::new(user);
        let workspace = world.path("ws");
        let mut launch =
            world.launch(&workspace, Plan::of_argv(["python3", "-I", "-S", "-c", FORKS]));
        launch.limits.processes = 64;
        for layers in [Layer::ALL, Layer::OF_RULES] {
            let mut launch = if layers == Layer::ALL {
                launch.clone()
            } else {
                let plan = launch.plan.clone();
                let limits = launch.limits.clone();
                Launch { limits, ..world.launch_by_rules(&workspace, plan) }
            };
            launch.layers = layers.to_vec();
            let outcome = cage::run(&launch, user);
            // The kernel's limit answers the next fork with an error; where root is above it, the
            // launcher counts, and ends the run.
            let forks = number_after(&outcome.output, "forks ");
            let refused = forks.is_some_and(|forks| (10..450).contains(&forks));
            let ended = exceeded(&outcome) == Some(RunLimit::Processes);
            assert!(refused || ended, "as {user}: {:?} {}", outcome.report, outcome.output);
        }
    }
}

fn exceeded(outcome: &cage::Outcome) -> Option<RunLimit> {
    match outcome.report {
        Some(LauncherReport::Executed { exceeded, .. }) => exceeded,
        _ => None,
    }
}

#[test]
fn a_fork_bomb_ends_with_its_launcher() {
    for user in cage::users() {
        let world = World::new(user);
        let workspace = world.path("ws");
        let bomb = format!("f() {{ f | f & }}; f; sleep 1; : daemon-of-{}", workspace_name(&world));
        let mut launch = world.launch(&workspace, Plan::of_argv(["sh", "-c", &bomb]));
        launch.limits.processes = 64;
        let outcome = cage::run(&launch, user);
        assert!(outcome.is_executed(), "{:?}", outcome.report);
        assert_eq!(world.survivors(), [0; 0]);
    }
}

/// The kernel lets a signal through to the first process of a namespace when its first thread holds
/// signals back and another does not: one attempt in twenty once ended the launcher.
#[test]
fn programs_cannot_end_their_launcher_by_signals() {
    for user in cage::users() {
        let world = World::new(user);
        let script = "for s in TERM INT HUP USR1 ALRM; do kill -$s 1; done; echo DONE";
        let launch = world.launch(&world.path("ws"), Plan::of_argv(["sh", "-c", script]));
        for _ in 0..40 {
            let outcome = cage::run(&launch, user);
            assert!(outcome.is_executed() && outcome.output.contains("DONE"));
        }
    }
}

#[test]
fn a_run_ends_before_anything_else_when_memory_runs_out() {
    for user in cage::users() {
        let world = World::new(user);
        let plan = Plan::of_argv(["cat", "/proc/self/oom_score_adj"]);
        let outcome = cage::run(&world.launch(&world.path("ws"), plan), user);
        assert_eq!(outcome.output.trim(), "1000");
    }
}

/// Eight processes that use little each and too much together.
const SHARED_OUT: &str = r#"
import os, time
for n in range(8):
    if os.fork() == 0:
        x = os.urandom(1 << 20) * 90; time.sleep(20); os._exit(0)
time.sleep(20)"#;

const WRITTEN: &str = r#"
import os, time
for n in range(200):
    with open("part", "wb") as file: file.write(bytes(4 << 20)); os.fsync(file.fileno())
    os.rename("part", "part-%d" % (n % 3)); time.sleep(0.005)
time.sleep(20)"#;

/// Memory that is in no process's own pages: an open memory file, a mapping that is shared, a segment
/// that nothing has attached.
const MEMORY_FILE: &str = r#"
import os, time
files = [os.memfd_create("x%d" % n) for n in range(80)]
for f in files: os.write(f, os.urandom(8 << 20))
time.sleep(20)"#;

const SHARED_MAPPING: &str = r#"
import mmap, time
m = mmap.mmap(-1, 600 << 20)
for n in range(0, 600 << 20, 4096): m[n] = 1
time.sleep(20)"#;

const SEGMENTS: &str = r#"
import ctypes, time
c = ctypes.CDLL(None); c.shmat.restype = ctypes.c_void_p
for n in range(10):
    i = c.shmget(0, 60 << 20, 0o1600)
    p = c.shmat(i, None, 0); ctypes.memset(p, 1, 60 << 20); c.shmdt(ctypes.c_void_p(p))
time.sleep(20)"#;

/// The bytes of children that the kernel takes away by itself are added to no process.
const WRITTEN_BY_THE_FORGOTTEN: &str = r#"
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for n in range(60):
    if os.fork() == 0:
        with open("gone-%d" % n, "wb") as file: file.write(os.urandom(4 << 20)); os.fsync(file.fileno())
        os._exit(0)
    time.sleep(0.02)
time.sleep(20)"#;

const CREATED: &str = r#"
import os, time
os.mkdir("many")
for n in range(6000): open("many/%d" % n, "w").close()
time.sleep(20)"#;

/// What a program reserves and does not touch costs nothing: sanitizers and Java reserve terabytes.
#[test]
fn memory_that_is_not_touched_does_not_count() {
    let text = "import mmap\ny = mmap.mmap(-1, 1 << 44, mmap.MAP_PRIVATE | \
                mmap.MAP_ANONYMOUS | 0x4000)\nprint('reserved', flush=True)";
    for user in cage::users() {
        let world = World::new(user);
        let plan = Plan::of_argv(["python3", "-I", "-S", "-c", text]);
        let outcome = cage::run(&world.launch(&world.path("ws"), plan), user);
        assert!(outcome.output.contains("reserved"), "{:?} {}", outcome.report, outcome.output);
    }
}

#[test]
fn memory_file_size_and_temporary_files_are_bounded() {
    let programs = [
        ("memory", r#"x = b"x" * (600 << 20); import time; time.sleep(20)"#),
        ("memory of many", SHARED_OUT),
        ("a memory file", MEMORY_FILE),
        ("a shared mapping", SHARED_MAPPING),
        ("segments", SEGMENTS),
        ("disk of the forgotten", WRITTEN_BY_THE_FORGOTTEN),
        ("file size", r#"open("big", "wb").write(bytes(20 << 20))"#),
        ("disk", WRITTEN),
        ("files", CREATED),
        (
            "temporary files",
            r#"[open("/tmp/%d" % n, "wb").write(bytes(9 << 20)) for n in range(40)]"#,
        ),
    ];
    for user in cage::users() {
        let world = World::new(user);
        let workspace = world.path("ws");
        for (name, text) in programs {
            let text = format!("{text}\nprint('unbounded', flush=True)");
            let mut launch =
                world.launch(&workspace, Plan::of_argv(["python3", "-I", "-S", "-c", &text]));
            launch.limits.memory_bytes = 500 << 20;
            launch.limits.file_bytes = 10 << 20;
            launch.limits.disk_bytes = 64 << 20;
            launch.limits.new_files = 3000;
            let outcome = cage::run(&launch, user);
            assert!(outcome.is_executed(), "{:?}", outcome.report);
            assert!(!outcome.output.contains("unbounded"), "{name}: {}", outcome.output);
        }
    }
}

fn workspace_name(world: &World) -> String {
    let environment = world.environment(&world.path("ws"));
    environment.into_iter().find(|(name, _)| name == "WORLD").map(|(_, value)| value).unwrap()
}

fn number_after(output: &str, word: &str) -> Option<u32> {
    output.lines().find_map(|line| line.strip_prefix(word)?.parse().ok())
}
