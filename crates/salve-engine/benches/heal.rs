//! What the heal loop costs around the toolchain and the model.
//!
//! In: folders made here, a check that fails at once, and answers of a model as texts. Out: one table: an
//! attempt from its prompt to the written state, against the same check run alone, with the figure asked
//! for and PASS or BELOW. Times are medians. This executable is its own launcher of sandboxed programs.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use salve_check::{
    CheckOptions, Keep, Launcher, LauncherStage, Runner, check_command, launcher_main,
};
use salve_engine::facts::TextRedactor;
use salve_engine::heal::machine::{HealOptions, Loop, Step, TierPlan};
use salve_engine::heal::{
    CommandConsent, HealInput, HealParts, HealWork, SavedHeal, StateFolder, Then, make_prompt,
    perform, take_answer,
};
use salve_engine::host::{MachineConfig, WorkspaceConfig, WorkspaceHost};
use salve_engine::knowledge::{KnowledgeSettings, Recalled};
use salve_model::{Role, Strategy};
use salve_types::{Severity, Timestamp};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

const LAUNCH: &str = "__launch";
const INNER: &str = "inner";
const ATTEMPTS: u32 = 21;
const CHECK: &str = "echo 'src/code.c:3:10: error: expected a good value'; exit 1";
const LIMIT: Duration = Duration::from_millis(20);

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == LAUNCH) {
        let inner = arguments.next().is_some_and(|second| second == INNER);
        let stage = if inner { LauncherStage::Inner } else { LauncherStage::Outer };
        return launcher_main(stage, &[LAUNCH, INNER]);
    }
    println!("{:<52} {:>14} {:>14}  verdict", "what", "measured", "limit");
    for files in [10, 1_000] {
        attempts(files);
    }
    ExitCode::SUCCESS
}

fn attempts(files: usize) {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let root = project(folder.path(), files);
    let alone = alone(&root, folder.path());
    let work = HealWork::open(
        parts(&root, folder.path()),
        input(&root),
        "bench",
        folder.path().join("private"),
    );
    let work = work.expect("a shadow");
    let states = StateFolder::open(&folder.path().join("states"), "bench").expect("a folder");
    let mut saved = SavedHeal::new(Loop::new(options()), 0);
    let mut number = 0;
    let mut write = |saved: &SavedHeal| {
        number += 1;
        states.write(number, saved).expect("a state")
    };
    let mut times = Vec::new();
    loop {
        match saved.machine.next() {
            Step::Done(_) => break,
            Step::Ask(ask) => {
                let begun = Instant::now();
                let prompt = make_prompt(&work, &saved, &ask, &input(&root));
                assert!(prompt.prompt.contains("expected a good value"), "{}", prompt.prompt);
                let answer = answer(ask.number);
                take_answer(&work, &mut saved, &answer, 100).expect("an answer");
                write(&saved);
                assert!(
                    matches!(saved.machine.next(), Step::Try(_)),
                    "{:?}",
                    saved.machine.attempts()
                );
                perform(&work, &mut saved, &Recalled::default(), 0).expect("a check");
                write(&saved);
                times.push(begun.elapsed());
            }
            _ => {
                perform(&work, &mut saved, &Recalled::default(), 0).expect("a step");
                write(&saved);
            }
        }
    }
    assert_eq!(times.len(), ATTEMPTS as usize, "{:?}", saved.machine.next());
    let attempt = median(times);
    println!("{:<52} {:>14}", format!("the check alone, of {files} files"), shown(alone));
    println!("{:<52} {:>14}", "an attempt with it", shown(attempt));
    let overhead = attempt.saturating_sub(alone);
    goal("the loop's part of an attempt", &shown(overhead), &shown(LIMIT), overhead <= LIMIT);
}

// The check in the sandbox, in the tree itself.
fn alone(root: &Path, folder: &Path) -> Duration {
    let options = parts(root, folder).workspace.runner_options(Keep::RECORDS);
    let runner = Runner::new(options).expect("a runner");
    let argv = ["sh", "-c", CHECK].map(str::to_owned);
    let times = (0..ATTEMPTS).map(|_| {
        let begun = Instant::now();
        let run = check_command(&argv, root, "", &CheckOptions::default(), &runner);
        assert!(run.expect("a run").is_red());
        begun.elapsed()
    });
    median(times.collect())
}

fn project(folder: &Path, files: usize) -> PathBuf {
    let root = folder.join("work");
    let code = "int value(void) {\n  int right = 0;\n  return right + 0;\n}\n";
    std::fs::create_dir_all(root.join("src")).expect("a folder");
    std::fs::create_dir_all(folder.join("temporary")).expect("a folder");
    let write = |path: String, text: &str| {
        let mut file = File::create(root.join(path)).expect("a file");
        file.write_all(text.as_bytes()).expect("a file");
    };
    write("src/code.c".to_owned(), code);
    for number in 1..files {
        let text = format!("int other_{number}(int given) {{\n  return given + {number};\n}}\n")
            .repeat(20);
        write(format!("src/other{number}.c"), &text);
    }
    root
}

// Another wrong value each time.
fn answer(number: u32) -> String {
    format!(
        "src/code.c\n<<<<<<< SEARCH\n  return right + 0;\n=======\n  return right + {number};\n>>>>>>> REPLACE\n"
    )
}

fn parts(root: &Path, folder: &Path) -> HealParts {
    let launcher = Launcher {
        program: std::env::current_exe().expect("this executable"),
        arguments: vec![LAUNCH.to_owned()],
    };
    let machine = MachineConfig {
        clock: || Timestamp(0),
        launcher,
        variables: std::env::vars().collect(),
        temporary: folder.join("temporary"),
        caches: None,
    };
    let config = WorkspaceConfig { folder: root.to_owned(), ..WorkspaceConfig::default() };
    HealParts {
        workspace: WorkspaceHost::new(&machine, config).expect("a workspace"),
        environment: Vec::new(),
        lock: None,
        agents: Vec::new(),
        redact: Arc::new(TextRedactor::default()),
        rules: Vec::new(),
        knowledge: KnowledgeSettings::default(),
    }
}

fn input(root: &Path) -> HealInput {
    HealInput {
        root: root.to_owned(),
        here: String::new(),
        command: ["sh", "-c", CHECK].map(str::to_owned).to_vec(),
        targets: Vec::new(),
        scope: Vec::new(),
        fail_on: Severity::Error,
        options: options(),
        then: Then::Show,
        time_limit: 600,
        commands: CommandConsent::default(),
        proposal: None,
    }
}

fn options() -> HealOptions {
    let tier = TierPlan {
        role: Role::Medium,
        strategy: Strategy::ContextAware,
        attempts: ATTEMPTS,
        tokens: 10_000,
    };
    HealOptions {
        fixers: false,
        tiers: vec![tier],
        tokens: u64::MAX,
        catastrophic_after: u32::MAX,
        ..HealOptions::default()
    }
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
