//! The short form: seeds and a fixed number of mutations in one process, on stable Rust.
//!
//! In: a target and a plan. Out: how many inputs ran and which was slowest (kept beside the
//! crashes), or the failure with the file that holds its input. Never loses an input: it is on disk
//! before it runs, so that even a stack overflow leaves it behind.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "keeps the inputs it finds; not part of the product"
)]

use crate::mutate::Mutator;
use crate::targets::Target;
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What to run.
pub struct Plan<'a> {
    /// The folder that holds a folder of seeds per target.
    pub corpus: &'a Path,
    /// Where the input of a failure is kept.
    pub crashes: &'a Path,
    /// How many mutated inputs to run after the seeds.
    pub mutations: u64,
    /// The seed of the mutator.
    pub seed: u64,
    /// How long one input may take before the process is ended.
    pub limit: Duration,
}

/// What a target did.
#[must_use]
#[derive(Debug)]
pub struct Summary {
    /// Inputs run, seeds included.
    pub executions: u64,
    /// Time for all of them.
    pub total: Duration,
    /// Time of the slowest input.
    pub slowest: Duration,
    /// The slowest input.
    pub slowest_input: Vec<u8>,
}

/// Why a target did not finish.
#[derive(Debug)]
pub enum Failure {
    /// A property does not hold for the input in this file.
    Broken(PathBuf),
    /// A file could not be read or written.
    Io(PathBuf, io::Error),
}

/// Runs one target by the plan.
pub fn drive(target: &Target, plan: &Plan<'_>) -> Result<Summary, Failure> {
    let seeds = read_seeds(&plan.corpus.join(target.name))?;
    let current = plan.crashes.join(format!("{}.current", target.name));
    let mut run = Run::start(target, current, plan.limit)?;
    for seed in &seeds {
        run.execute(seed)?;
    }
    let mut mutator = Mutator::new(&seeds, target.dictionary, plan.seed);
    for _ in 0..plan.mutations {
        run.execute(mutator.next_input())?;
    }
    run.finish()
}

fn read_seeds(folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let failed = |error| Failure::Io(folder.to_path_buf(), error);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    // The order of a folder is the file system's; the run must not depend on it.
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read(path).map_err(|error| Failure::Io(path.clone(), error)))
        .collect()
}

struct Run<'a> {
    target: &'a Target,
    path: PathBuf,
    file: File,
    watchdog: Watchdog,
    begin: Instant,
    summary: Summary,
}

impl<'a> Run<'a> {
    fn start(target: &'a Target, path: PathBuf, limit: Duration) -> Result<Self, Failure> {
        let failed = |error| Failure::Io(path.clone(), error);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let file = File::create(&path).map_err(failed)?;
        let watchdog = Watchdog::start(path.clone(), limit);
        let (total, slowest) = (Duration::ZERO, Duration::ZERO);
        let summary = Summary { executions: 0, total, slowest, slowest_input: Vec::new() };
        Ok(Self { target, path, file, watchdog, begin: Instant::now(), summary })
    }

    fn execute(&mut self, input: &[u8]) -> Result<(), Failure> {
        self.save(input).map_err(|error| Failure::Io(self.path.clone(), error))?;
        let start = Instant::now();
        self.watchdog.enter();
        let check = self.target.check;
        let result = catch_unwind(AssertUnwindSafe(|| check(input)));
        self.watchdog.leave();
        let time = start.elapsed();
        if time > self.summary.slowest {
            self.summary.slowest = time;
            self.summary.slowest_input = input.to_vec();
        }
        self.summary.executions += 1;
        match result {
            Ok(()) => Ok(()),
            Err(_) => Err(self.keep(input)),
        }
    }

    fn save(&mut self, input: &[u8]) -> io::Result<()> {
        self.file.rewind()?;
        self.file.write_all(input)?;
        self.file.set_len(input.len().try_into().unwrap_or(u64::MAX))
    }

    // The current file is overwritten by the next run; a found input gets a name of its own.
    fn keep(&self, input: &[u8]) -> Failure {
        let name = format!("{}-{}", self.target.name, self.summary.executions);
        let path = self.path.with_file_name(name);
        match fs::write(&path, input) {
            Ok(()) => Failure::Broken(path),
            Err(error) => Failure::Io(path, error),
        }
    }

    fn finish(mut self) -> Result<Summary, Failure> {
        self.summary.total = self.begin.elapsed();
        self.watchdog.stop();
        let failed = |error| Failure::Io(self.path.clone(), error);
        fs::write(self.path.with_extension("slowest"), &self.summary.slowest_input)
            .map_err(failed)?;
        fs::remove_file(&self.path).map_err(failed)?;
        Ok(self.summary)
    }
}

/// How often the watchdog looks within its limit.
const TICKS: u32 = 10;

/// Ends the process when one input takes too long.
struct Watchdog {
    /// Odd while an input runs; each input has its own number.
    turn: Arc<AtomicU64>,
    end: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    fn start(input: PathBuf, limit: Duration) -> Self {
        let turn = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&turn);
        let (end, ended) = mpsc::channel::<()>();
        let watch = move || {
            let (mut last, mut ticks) = (0, 0);
            while let Err(mpsc::RecvTimeoutError::Timeout) = ended.recv_timeout(limit / TICKS) {
                let now = seen.load(Ordering::Relaxed);
                let is_same_input = now % 2 == 1 && now == last;
                ticks = if is_same_input { ticks + 1 } else { 0 };
                if ticks >= TICKS {
                    eprintln!("one input ran longer than {limit:?}: {}", input.display());
                    std::process::abort();
                }
                last = now;
            }
        };
        Self { turn, end: Some(end), thread: Some(thread::spawn(watch)) }
    }

    fn enter(&self) {
        self.turn.fetch_add(1, Ordering::Relaxed);
    }

    fn leave(&self) {
        self.turn.fetch_add(1, Ordering::Relaxed);
    }

    fn stop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // The thread only waits; it cannot have panicked.
            let _ = thread.join();
        }
    }
}
