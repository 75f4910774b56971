//! A worker as a process of its own, which is this program started again.
//!
//! In: what it is to do, in one environment variable. Out: jobs that go on, until it is killed.
//! Never outlives the test that started it.

use crate::act::Stage;
use crate::flows::{Generation, flows, steps};
use crate::paid_log::PaidLog;
use crate::world::store_options;
use salve_engine::jobs::{JobsPlace, open_jobs};
use salve_jobs::{JobRunner, WorkerOptions};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// What a worker is to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WorkerConfig {
    pub(crate) name: String,
    /// Its folder: everything on SQLite, the spool only on Postgres.
    pub(crate) folder: PathBuf,
    /// The database that it shares, if it does.
    pub(crate) address: Option<String>,
    pub(crate) log: PathBuf,
    pub(crate) provider: Option<String>,
    pub(crate) generation: Generation,
    pub(crate) lease_ms: u64,
    pub(crate) most_deaths: u32,
    pub(crate) steps_at_once: usize,
    pub(crate) parent: i32,
}

impl WorkerConfig {
    /// Where its jobs are.
    pub(crate) fn place(&self) -> JobsPlace {
        let folder = self.folder.clone();
        match self.address.clone() {
            Some(address) => JobsPlace::Postgres { address, folder },
            None => JobsPlace::Folder(folder),
        }
    }

    /// How its runner works.
    pub(crate) fn runner_options(&self) -> WorkerOptions {
        let lease = Duration::from_millis(self.lease_ms);
        WorkerOptions {
            worker: self.name.clone(),
            step_lease: lease,
            flow_lease: lease,
            most_deaths: self.most_deaths,
            steps_at_once: self.steps_at_once,
            ..WorkerOptions::default()
        }
    }

    /// What its steps have.
    pub(crate) fn stage(&self) -> Stage {
        let log = PaidLog::at(&self.log);
        Stage { worker: self.name.clone(), log, provider: self.provider.clone() }
    }
}

/// Works until it is killed or told to end, or until the process that started it is gone.
pub(crate) fn run(config: WorkerConfig) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(work(config));
}

async fn work(config: WorkerConfig) {
    let lease = Duration::from_millis(config.lease_ms);
    let opened = open_jobs(&config.place(), store_options(&config.name, lease)).await.unwrap();
    let (flows, steps) = (flows(config.generation), steps(&config.stage()));
    let runner = opened.jobs.run(flows, steps, config.runner_options()).await.unwrap();
    println!("ready");
    let kind = tokio::signal::unix::SignalKind::terminate();
    let mut told_to_end = tokio::signal::unix::signal(kind).unwrap();
    loop {
        tokio::select! {
            _ = told_to_end.recv() => break,
            () = tokio::time::sleep(Duration::from_millis(500)) => {
                let parent = rustix::process::getppid().map(rustix::process::Pid::as_raw_nonzero);
                if parent.map(std::num::NonZero::get) != Some(config.parent) {
                    return;
                }
            }
        }
    }
    runner.drain(Duration::from_secs(5)).await;
    opened.close(Duration::from_secs(5)).await;
}
