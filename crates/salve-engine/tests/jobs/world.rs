//! One store with its jobs, its workers and its log, for one test.
//!
//! In: which store. Out: everything a test needs to start jobs, kill workers and see what was paid.
//! Each world has a folder of its own, and on Postgres a database of its own; both go with it.

use crate::flows::{Generation, Script, flows, script_flow, steps};
use crate::judge;
use crate::paid_log::PaidLog;
use crate::worker::WorkerConfig;
use rustix::process::{Pid, Signal, kill_process};
use salve_engine::facts::TextRedactor;
use salve_engine::jobs::{OpenJobs, StoreEngine, StoreJobIndex, StoreLedger, open_jobs};
use salve_jobs::{
    EngineJobs, EventId, JobEvent, JobId, JobRunner, JobSnapshot, JobState, Jobs, RunningRunner,
    StartOptions, Started,
};
use salve_store::{CallDetail, CallFilter, StoreOptions};
use salve_text::RedactOptions;
use salve_types::{Clock, Timestamp};
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};
use tempfile::TempDir;

/// How long a step stays with a worker that is not heard of, in these tests.
pub(crate) const LEASE: Duration = Duration::from_secs(2);

/// Where jobs are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Store {
    Memory,
    Sqlite,
    Postgres,
}

/// One store with its jobs.
pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) log: PaidLog,
    pub(crate) jobs: Arc<dyn Jobs>,
    /// The database, on Postgres.
    pub(crate) address: Option<String>,
    folder: TempDir,
    opened: Opened,
    workers_so_far: u32,
}

enum Opened {
    Memory(Arc<EngineJobs>),
    Engine(OpenJobs),
}

impl World {
    /// Makes a world; none when its store is not there, which is said aloud.
    pub(crate) async fn new(store: Store, test: &str) -> Option<Self> {
        let folder = tempfile::Builder::new().prefix("salve-jobs-").tempdir().unwrap();
        Self::in_folder(store, test, folder).await
    }

    /// Makes a world in a folder that may hold an earlier one.
    pub(crate) async fn in_folder(store: Store, test: &str, folder: TempDir) -> Option<Self> {
        let address = match store {
            Store::Postgres => match database::make(test).await {
                Some(address) => Some(address),
                None => {
                    println!(
                        "SKIPPED on Postgres: {test} (no server in SALVE_TEST_POSTGRES, or no feature `fleet`)"
                    );
                    return None;
                }
            },
            _ => None,
        };
        let log = PaidLog::at(&folder.path().join("paid.log"));
        let opened = open(store, &folder, address.clone()).await;
        let jobs: Arc<dyn Jobs> = match &opened {
            Opened::Memory(jobs) => Arc::clone(jobs) as Arc<dyn Jobs>,
            Opened::Engine(opened) => Arc::clone(&opened.jobs) as Arc<dyn Jobs>,
        };
        Some(Self { store, log, jobs, address, folder, opened, workers_so_far: 0 })
    }

    /// Opens the same jobs once more, as another process would.
    pub(crate) async fn another_client(&self) -> Client {
        match &self.opened {
            Opened::Memory(jobs) => {
                Client { jobs: Arc::clone(jobs) as Arc<dyn Jobs>, _opened: None }
            }
            Opened::Engine(_) => {
                let opened = open(self.store, &self.folder, self.address.clone()).await;
                let Opened::Engine(opened) = opened else { unreachable!("it is no memory") };
                Client { jobs: Arc::clone(&opened.jobs) as Arc<dyn Jobs>, _opened: Some(opened) }
            }
        }
    }

    /// Returns how a worker is usually started. Each has a name of its own.
    pub(crate) fn config(&mut self) -> WorkerConfig {
        self.workers_so_far += 1;
        let name = format!("w{}", self.workers_so_far);
        let folder = match self.store {
            // Each machine of a fleet has a disk of its own.
            Store::Postgres => self.folder.path().join(&name),
            _ => self.folder.path().to_owned(),
        };
        WorkerConfig {
            name,
            folder,
            address: self.address.clone(),
            log: self.folder.path().join("paid.log"),
            provider: None,
            generation: Generation::Old,
            lease_ms: u64::try_from(LEASE.as_millis()).unwrap(),
            most_deaths: 10,
            steps_at_once: 8,
            parent: Pid::as_raw_nonzero(rustix::process::getpid()).get(),
        }
    }

    /// Starts a worker.
    pub(crate) async fn worker(&mut self) -> Worker {
        let config = self.config();
        self.start_worker(config).await
    }

    /// Starts a worker that was described.
    pub(crate) async fn start_worker(&self, config: WorkerConfig) -> Worker {
        match &self.opened {
            Opened::Memory(jobs) => {
                let (flows, steps) = (flows(config.generation), steps(&config.stage()));
                let runner = jobs.run(flows, steps, config.runner_options()).await.unwrap();
                Worker { name: config.name.clone(), body: Body::Here(Some(runner)) }
            }
            Opened::Engine(_) => self.start_process(config).await,
        }
    }

    #[expect(clippy::disallowed_methods, reason = "these tests are about processes that die")]
    async fn start_process(&self, config: WorkerConfig) -> Worker {
        let said = self.folder.path().join(format!("{}.out", config.name));
        let complained = self.folder.path().join(format!("{}.err", config.name));
        let process = Command::new(std::env::current_exe().unwrap())
            .args(["a_worker_when_started_as_one", "--exact", "--nocapture", "--test-threads=1"])
            .env(judge::WORKER, serde_json::to_string(&config).unwrap())
            .stdin(Stdio::null())
            .stdout(File::create(&said).unwrap())
            .stderr(File::create(&complained).unwrap())
            .spawn()
            .unwrap();
        let mut worker = Worker { name: config.name.clone(), body: Body::Process(process) };
        for _ in 0..3000 {
            let ready = std::fs::read_to_string(&said).is_ok_and(|text| text.contains("ready"));
            if ready || !worker.is_alive() {
                return worker;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("no worker in a minute: {}", std::fs::read_to_string(complained).unwrap());
    }

    /// Starts a job in the first version of the flow.
    pub(crate) async fn start(&self, id: &str, script: &Script) -> JobId {
        let id = JobId::new(id).unwrap();
        let (flow, input) = (script_flow(1), serde_json::to_value(script).unwrap());
        let started = self.jobs.start(&flow, id.clone(), input, StartOptions::default()).await;
        assert_eq!(started.unwrap(), Started::New);
        id
    }

    /// Returns a job as it is now.
    pub(crate) async fn look(&self, id: &JobId) -> JobSnapshot {
        self.jobs.state(id).await.unwrap().unwrap()
    }

    /// Waits until a job is as wanted.
    pub(crate) async fn until(&self, id: &JobId, wanted: impl Fn(&JobState) -> bool) -> JobState {
        let begun = Instant::now();
        loop {
            let state = self.look(id).await.state;
            if wanted(&state) {
                return state;
            }
            let waited = begun.elapsed();
            assert!(waited < Duration::from_secs(90), "{id} is {state:?} after {waited:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until a job has ended.
    pub(crate) async fn ended(&self, id: &JobId) -> JobState {
        self.until(id, JobState::is_terminal).await
    }

    /// Waits until a job has ended well, and returns what it gave.
    pub(crate) async fn done(&self, id: &JobId) -> serde_json::Value {
        match self.ended(id).await {
            JobState::Done { output } => output,
            state => panic!("{id} ended as {state:?}"),
        }
    }

    /// Returns all events of a job that has ended.
    pub(crate) async fn events(&self, id: &JobId) -> Vec<JobEvent> {
        use futures_util::StreamExt;
        let events = self.jobs.watch(id, EventId(0)).map(Result::unwrap);
        tokio::time::timeout(Duration::from_secs(60), events.collect()).await.unwrap()
    }

    /// Returns the calls in the ledger, with those who lost them.
    pub(crate) async fn calls(&self) -> Vec<CallDetail> {
        let Opened::Engine(opened) = &self.opened else { return Vec::new() };
        let filter = CallFilter { limit: 100_000, ..CallFilter::default() };
        let mut calls = Vec::new();
        for call in opened.store.calls(&filter).await.unwrap() {
            calls.push(opened.store.call(call.id).await.unwrap().unwrap());
        }
        calls
    }

    /// Returns the folder.
    pub(crate) fn path(&self) -> &std::path::Path {
        self.folder.path()
    }
}

/// Another client of the same jobs.
pub(crate) struct Client {
    pub(crate) jobs: Arc<dyn Jobs>,
    _opened: Option<OpenJobs>,
}

/// A worker; it dies with this value.
pub(crate) struct Worker {
    pub(crate) name: String,
    body: Body,
}

enum Body {
    Process(Child),
    Here(Option<Box<dyn RunningRunner>>),
}

impl Worker {
    /// Kills it with SIGKILL and returns when it is gone.
    pub(crate) fn kill(&mut self) -> Instant {
        let Body::Process(process) = &mut self.body else { panic!("only processes are killed") };
        let at = Instant::now();
        process.kill().unwrap();
        process.wait().unwrap();
        at
    }

    /// Returns whether it still runs.
    pub(crate) fn is_alive(&mut self) -> bool {
        match &mut self.body {
            Body::Process(process) => process.try_wait().unwrap().is_none(),
            Body::Here(runner) => runner.is_some(),
        }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Returns its memory in MiB.
    pub(crate) fn memory_mib(&self) -> Option<f64> {
        let Body::Process(process) = &self.body else { return None };
        let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kib: f64 = line.trim().split(' ').next()?.parse().ok()?;
        Some(kib / 1024.0)
    }

    fn pid(&self) -> Pid {
        let Body::Process(process) = &self.body else { panic!("only processes have signals") };
        Pid::from_raw(i32::try_from(process.id()).unwrap()).unwrap()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Body::Process(process) = &mut self.body {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Returns how the store of a worker is opened.
pub(crate) fn store_options(worker: &str, silence: Duration) -> StoreOptions {
    let mut options =
        StoreOptions::new(clock(), Arc::new(TextRedactor::new(&RedactOptions::default())), worker);
    options.silence = silence;
    options
}

async fn open(store: Store, folder: &TempDir, address: Option<String>) -> Opened {
    let folder = folder.path().to_owned();
    let place = match (store, address) {
        (Store::Memory, _) => {
            return Opened::Memory(Arc::new(in_memory().await));
        }
        (_, Some(address)) => {
            salve_engine::jobs::JobsPlace::Postgres { address, folder: folder.join("client") }
        }
        (_, None) => salve_engine::jobs::JobsPlace::Folder(folder),
    };
    Opened::Engine(open_jobs(&place, store_options("client", LEASE)).await.unwrap())
}

/// Opens jobs in a database that is gone with this process.
async fn in_memory() -> EngineJobs {
    let store = salve_store::Store::memory(store_options("here", LEASE)).await.unwrap();
    let (index, ledger) = (StoreJobIndex::new(store.clone()), StoreLedger::new(store.clone()));
    let engine = StoreEngine::new(&store);
    EngineJobs::local(Arc::new(engine), Arc::new(index), Arc::new(ledger), clock())
}

/// Returns the clock of day.
pub(crate) fn clock() -> Arc<dyn Clock> {
    #[expect(clippy::disallowed_methods, reason = "workers in several processes share one time")]
    let now = || {
        let since = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    };
    Arc::new(now)
}

mod database {
    //! A Postgres database of its own for each test.

    #[cfg(not(feature = "fleet"))]
    #[expect(clippy::unused_async, reason = "with the feature it waits for the server")]
    pub(super) async fn make(_: &str) -> Option<String> {
        None
    }

    /// Makes a database, and returns its address. It stays until its server goes.
    #[cfg(feature = "fleet")]
    pub(super) async fn make(test: &str) -> Option<String> {
        use sqlx::{Connection, Executor};
        let server = crate::judge::postgres_address()?;
        let short: String = test.chars().take(24).collect();
        let name = format!("{short}_{}", uuid::Uuid::now_v7().simple());
        let mut connection = sqlx::PgConnection::connect(&server).await.unwrap();
        let make = format!("CREATE DATABASE {name}");
        connection.execute(&*make).await.unwrap();
        let (front, rest) = server.rsplit_once('/').unwrap();
        let options = rest.split_once('?').map(|(_, options)| format!("?{options}"));
        Some(format!("{front}/{name}{}", options.unwrap_or_default()))
    }
}
