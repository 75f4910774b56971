//! A folder with jobs, an index and a ledger in memory, and small words for the tests.

use salve_engine::facts::TextRedactor;
use salve_engine::jobs::StoreEngine;
use salve_jobs::{
    EngineJobs, EventId, FlowCtx, FlowError, FlowName, Flows, Happened, JobFilter, JobId,
    JobRunner, JobState, Jobs, Json, MemoryJobIndex, MemoryLedger, Page, Retry, RunningRunner,
    StartOptions, Started, StepCtx, StepError, StepName, Steps, WorkerOptions,
};
use salve_store::{Store, StoreOptions};
use salve_types::Clock;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// No test may take longer than this; a good one is far below.
pub(crate) const BOUND: Duration = Duration::from_secs(30);

pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) index: Arc<MemoryJobIndex>,
    pub(crate) ledger: Arc<MemoryLedger>,
    pub(crate) jobs: Arc<EngineJobs>,
}

impl World {
    pub(crate) async fn new() -> Self {
        let clock = clock();
        let folder = tempfile::tempdir().unwrap();
        let index = Arc::new(MemoryJobIndex::new(Arc::clone(&clock)));
        let ledger = Arc::new(MemoryLedger::new(Arc::clone(&clock), "here"));
        let path = folder.path().join("state/salve.db");
        let jobs = open(&path, index.clone(), ledger.clone()).await;
        Self { folder, index, ledger, jobs: Arc::new(jobs) }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("state/salve.db")
    }

    /// Another process would open the same file and the same index.
    pub(crate) async fn peer(&self) -> EngineJobs {
        open(&self.path(), self.index.clone(), self.ledger.clone()).await
    }

    pub(crate) async fn run(&self, flows: Flows, steps: Steps) -> Box<dyn RunningRunner> {
        self.jobs.run(flows, steps, quick()).await.unwrap()
    }

    pub(crate) async fn start(&self, flow: &str, id: &str, input: Json) -> JobId {
        let id = JobId::new(id).unwrap();
        let options = StartOptions::default();
        let started = self.jobs.start(&flow_name(flow), id.clone(), input, options).await.unwrap();
        assert_eq!(started, Started::New);
        id
    }

    pub(crate) async fn state(&self, id: &JobId) -> JobState {
        self.jobs.state(id).await.unwrap().unwrap().state
    }

    pub(crate) async fn ended(&self, id: &JobId) -> JobState {
        self.until(id, JobState::is_terminal).await
    }

    pub(crate) async fn until(&self, id: &JobId, is_so: impl Fn(&JobState) -> bool) -> JobState {
        let begun = Instant::now();
        loop {
            // A child is not there before its parent has started it.
            let state = self.jobs.state(id).await.unwrap().map(|job| job.state);
            if let Some(state) = state.clone().filter(|state| is_so(state)) {
                return state;
            }
            assert!(begun.elapsed() < BOUND, "{id} is still {state:?}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Everything that happened to a job until it ended, as short words.
    pub(crate) async fn story(&self, id: &JobId) -> Vec<String> {
        let watching = futures_util::StreamExt::collect::<Vec<_>>(self.jobs.watch(id, EventId(0)));
        let events = tokio::time::timeout(BOUND, watching).await.unwrap();
        events.into_iter().map(|event| word(&event.unwrap().what)).collect()
    }

    /// What happened to a job so far.
    pub(crate) async fn story_so_far(&self, id: &JobId) -> Vec<String> {
        let events = self.jobs.history(id, EventId(0), 1000).await.unwrap();
        events.iter().map(|event| word(&event.what)).collect()
    }

    pub(crate) async fn all(&self) -> Vec<JobId> {
        let page = Page { after: None, limit: 100 };
        let jobs = self.jobs.list(JobFilter::default(), page).await.unwrap();
        jobs.into_iter().map(|job| job.id).collect()
    }
}

/// Opens jobs in a file, with an index and a ledger in memory.
pub(crate) async fn open(
    path: &Path,
    index: Arc<MemoryJobIndex>,
    ledger: Arc<MemoryLedger>,
) -> EngineJobs {
    let redactor = Arc::new(TextRedactor::new(&salve_text::RedactOptions::default()));
    let options = StoreOptions::new(clock(), redactor, "here");
    let store = Store::open(path, options).await.unwrap();
    EngineJobs::local(Arc::new(StoreEngine::new(&store)), index, ledger, clock())
}

pub(crate) fn clock() -> Arc<dyn Clock> {
    crate::world::clock()
}

pub(crate) fn quick() -> WorkerOptions {
    WorkerOptions {
        step_lease: Duration::from_secs(2),
        flow_lease: Duration::from_secs(2),
        poll: Duration::from_millis(20),
        ..WorkerOptions::default()
    }
}

pub(crate) fn flow_name(text: &str) -> FlowName {
    FlowName::try_from(text.to_owned()).unwrap()
}

pub(crate) fn step_name(text: &str) -> StepName {
    StepName::new(text).unwrap()
}

/// Retries without a wait worth mentioning.
pub(crate) fn tries(attempts: u32) -> Retry {
    Retry { attempts, first_wait: Duration::from_millis(1), longest_wait: Duration::from_millis(2) }
}

pub(crate) fn flow<F>(
    name: &str,
    code: impl Fn(Arc<dyn FlowCtx>, Json) -> F + Send + Sync + 'static,
) -> Flows
where
    F: Future<Output = Result<Json, FlowError>> + Send + 'static,
{
    Flows::default().with(flow_name(name), code)
}

pub(crate) fn step<F>(
    name: &str,
    code: impl Fn(Arc<dyn StepCtx>, Json) -> F + Send + Sync + 'static,
) -> Steps
where
    F: Future<Output = Result<Json, StepError>> + Send + 'static,
{
    Steps::default().with(step_name(name), code)
}

/// A flow of one step that passes its input on.
pub(crate) fn one_step(name: &str) -> Flows {
    flow(name, |context, input| async move {
        Ok(context.step(&step_name("do"), input, Retry::NEVER).await?)
    })
}

pub(crate) fn echo() -> Steps {
    step("do", |_, input| async move { Ok(input) })
}

/// A step that ends only when it is cancelled, and says so.
pub(crate) fn endless(name: &str, seen: tokio::sync::mpsc::UnboundedSender<&'static str>) -> Steps {
    step(name, move |context, _| {
        let seen = seen.clone();
        async move {
            seen.send("begun").unwrap();
            context.cancelled().cancelled().await;
            seen.send("cancelled").unwrap();
            Err(StepError::Cancelled)
        }
    })
}

fn word(what: &Happened) -> String {
    match what {
        Happened::Started { flow } => format!("started {flow}"),
        Happened::Stage { stage } => format!("stage {}", stage.name),
        Happened::StepScheduled { step, position, attempt, .. } => {
            format!("step {step} {position}.{attempt}")
        }
        Happened::StepDone { step, position, attempt } => {
            format!("done {step} {position}.{attempt}")
        }
        Happened::StepFailed { step, position, attempt, error } => {
            format!("failed {step} {position}.{attempt}: {error}")
        }
        Happened::ChildStarted { child } => format!("child {child}"),
        Happened::ChildEnded { child, error } => {
            format!(
                "child {child} ended{}",
                error.as_ref().map_or_else(String::new, |e| format!(": {e}"))
            )
        }
        Happened::Waiting { signal } => format!("waiting {signal}"),
        Happened::Signalled { signal } => format!("signalled {signal}"),
        Happened::Sleeping { .. } => "sleeping".to_owned(),
        Happened::Woke => "woke".to_owned(),
        Happened::CancelRequested { reason } => format!("cancel requested: {reason}"),
        Happened::Restarted => "restarted".to_owned(),
        Happened::Ended { state } => format!("ended {}", state.name()),
        other => format!("{other:?}"),
    }
}
