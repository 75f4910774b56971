//! What a shadow of the workspace costs over the workspace itself.
//!
//! In: the built launcher, cargo, and folders made here. Out: one table, each line with the figure
//! asked for and PASS or BELOW. Times are medians, in the tree and in the shadow in turn.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use salve_check::{
    CheckOptions, CheckVerdict, Gate, Keep, Launcher, Limits, Plan, RiskClass, RunClass, RunInput,
    RunPrograms, RunRequest, Runner, RunnerOptions, Shadow, ShadowOptions, StartedBy,
    check_command,
};
use salve_types::Timestamp;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FILES: usize = 100_000;
const ROUNDS: usize = 9;
const CHECKS: usize = 5;

fn main() {
    println!("{:<52} {:>14} {:>14}  verdict", "what", "measured", "limit");
    large_folder();
    cargo_project();
}

fn large_folder() {
    let folder = Folder::new();
    for number in 0..FILES {
        folder.write(&format!("d{:03}/f{number}.txt", number / 500), "text\n");
    }
    let (mut opening, mut all, mut changes) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let texts = BTreeMap::from([(format!("d000/f{round}.txt"), Some("other\n".to_owned()))]);
        let started = Instant::now();
        let shadow = folder.shadow();
        opening.push(started.elapsed());
        let layer = shadow.candidate(&texts).expect("a layer");
        layer.run(&folder.request(&["true"])).expect("a run");
        all.push(started.elapsed());
        drop(layer);
        let started = Instant::now();
        assert!(shadow.tree_changes().expect("the tree").is_empty());
        changes.push(started.elapsed());
    }
    let all = median(all);
    let limit = Duration::from_millis(100);
    println!("{:<52} {:>14}", "opening a shadow of 100,000 files", shown(median(opening)));
    goal("opening it and one run in a candidate", &shown(all), &shown(limit), all <= limit);
    println!("{:<52} {:>14}", "what the user changed in it meanwhile", shown(median(changes)));
}

fn cargo_project() {
    let folder = Folder::new();
    folder.project();
    let runner = Runner::new(folder.options()).expect("a runner");
    let argv = ["cargo", "check", "--offline"].map(str::to_owned);
    let check = |runner: &dyn RunPrograms| {
        let started = Instant::now();
        let run = check_command(&argv, &folder.work(), "", &CheckOptions::default(), runner);
        let run = run.expect("cargo");
        assert_eq!(run.verdict(), CheckVerdict::Green, "{}", run.stderr());
        started.elapsed()
    };
    let app = "pub fn answer() -> u64 { dep::m0::f0(2) }\n".to_owned();
    let edit = BTreeMap::from([("app/src/lib.rs".to_owned(), Some(app))]);
    let (mut tree, mut first, mut second) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..CHECKS {
        let _ = std::fs::remove_dir_all(folder.work().join("target"));
        tree.push(check(&runner));
        let _ = std::fs::remove_dir_all(folder.work().join("target"));
        let shadow = folder.shadow();
        first.push(check(&shadow.baseline().expect("a layer")));
        second.push(check(&shadow.candidate(&edit).expect("a layer")));
    }
    let (tree, first, second) = (median(tree), median(first), median(second));
    println!("{:<52} {:>14}", "`cargo check` in the tree, nothing built", shown(tree));
    let ratio = first.as_secs_f64() / tree.as_secs_f64();
    goal("the same in a shadow", &format!("{ratio:.2}x"), "1.10x", ratio <= 1.1);
    let ratio = second.as_secs_f64() / first.as_secs_f64();
    goal("a candidate after it", &format!("{ratio:.2}x"), "0.50x", ratio <= 0.5);
    println!("{:<52} {:>14}", "that candidate's check", shown(second));
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().expect("a folder for temporary files"));
        for name in ["work", "temporary", "private"] {
            std::fs::create_dir(folder.0.path().join(name)).expect("a folder");
        }
        folder
    }

    fn work(&self) -> PathBuf {
        self.0.path().join("work").canonicalize().expect("the folder")
    }

    #[expect(clippy::disallowed_methods, reason = "the benchmark's own files")]
    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join("work").join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    /// Two packages, of which one has some code.
    fn project(&self) {
        self.write(".gitignore", "target/\n");
        self.write("Cargo.toml", "[workspace]\nmembers = [\"app\", \"dep\"]\nresolver = \"2\"\n");
        let package = "[package]\nversion = \"0.1.0\"\nedition = \"2021\"\nname = ";
        let needs = "\n[dependencies]\ndep = { path = \"../dep\" }\n";
        self.write("app/Cargo.toml", &format!("{package}\"app\"\n{needs}"));
        self.write("dep/Cargo.toml", &format!("{package}\"dep\"\n"));
        self.write("app/src/lib.rs", "pub fn answer() -> u64 { dep::m0::f0(1) }\n");
        let mut modules = String::new();
        for module in 0..60 {
            let _ = writeln!(modules, "pub mod m{module};");
            let mut text = String::new();
            for function in 0..120 {
                let _ = writeln!(
                    text,
                    "pub fn f{function}(x: u64) -> u64 {{ let v: Vec<u64> = (0..x).map(|i| i * \
                     {function}).collect(); v.iter().filter(|n| **n > 3).sum::<u64>() + x }}"
                );
            }
            self.write(&format!("dep/src/m{module}.rs"), &text);
        }
        self.write("dep/src/lib.rs", &modules);
    }

    fn options(&self) -> RunnerOptions {
        RunnerOptions {
            launcher: Launcher {
                program: env!("CARGO_BIN_EXE_salve-launcher").into(),
                arguments: Vec::new(),
            },
            workspace: self.work(),
            inherited: std::env::vars().collect(),
            temporary: self.0.path().join("temporary"),
            clock: || Timestamp(0),
            keep: Keep::RECORDS,
            without: Vec::new(),
            caches: None,
        }
    }

    fn shadow(&self) -> Shadow {
        let private = self.0.path().join("private");
        Shadow::open(ShadowOptions { runner: self.options(), private }).expect("a shadow")
    }

    fn request(&self, argv: &[&str]) -> RunRequest {
        RunRequest {
            plan: Plan::of_argv(argv.iter().copied()),
            cwd: self.work(),
            class: RunClass::Toolchain,
            risk: RiskClass::Build,
            gate: Gate::Approved,
            by: StartedBy::User,
            limits: Limits::of(RunClass::Toolchain),
            environment: Vec::new(),
            input: RunInput::Nothing,
            protected: salve_check::ProtectedFileUse::default(),
            ports: Vec::new(),
        }
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
