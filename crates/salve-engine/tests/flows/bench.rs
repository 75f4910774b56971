//! A folder with jobs in it, a runner, and a scripted model.
//!
//! In: what the model answers. Out: jobs to be looked at. Never waits for ever.

use salve_engine::facts::TextRedactor;
use salve_engine::jobs::{
    GENERATE_FLOW, GenerateInput, GenerateSteps, Generation, JobStatus, JobsPlace, ModelSource,
    NoModel, OpenJobs, WhichModel, all_flows, open_jobs,
};
use salve_jobs::{
    EventId, FlowName, Happened, JobEvent, JobId, JobRunner, JobSnapshot, Jobs, Json,
    RunningRunner, Stage, StartOptions, Started, Steps, WorkerOptions,
};
use salve_model::{
    AnyModel, Capability, Chosen, Model, ModelError, ModelReply, ModelRequest, Watch,
};
use salve_store::{Call, CallFilter, StoreOptions};
use salve_text::RedactOptions;
use salve_types::{Clock, FinishReason, Timestamp, Usage};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Longer than anything takes on a machine that is busy with other things.
const LONGEST: Duration = Duration::from_secs(120);

/// What a model answers to the request of this number, from 0.
pub(crate) type Answer = Result<ModelReply, ModelError>;

type Script = dyn Fn(&ModelRequest, usize) -> Answer + Send + Sync;

pub(crate) struct Told {
    answer: Box<Script>,
    asked: Mutex<Vec<ModelRequest>>,
}

impl Told {
    pub(crate) fn new(
        answer: impl Fn(&ModelRequest, usize) -> Answer + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { answer: Box::new(answer), asked: Mutex::default() })
    }

    pub(crate) fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().expect("no test panicked").clone()
    }
}

impl Model for Told {
    async fn call(&self, request: &ModelRequest, watch: &mut dyn Watch) -> Answer {
        let number = {
            let mut asked = self.asked.lock().expect("no test panicked");
            asked.push(request.clone());
            asked.len() - 1
        };
        let reply = (self.answer)(request, number)?;
        watch.arrived(&reply.text);
        Ok(reply)
    }
}

pub(crate) struct OneModel(pub(crate) AnyModel);

impl ModelSource for OneModel {
    fn choose(&self, _: &WhichModel) -> Result<Chosen, NoModel> {
        Ok(Chosen {
            model: self.0.clone(),
            name: "small".into(),
            provider: "nobody".into(),
            capability: Capability::default(),
        })
    }
}

pub(crate) struct Bench {
    pub(crate) open: OpenJobs,
    runner: Box<dyn RunningRunner>,
}

impl Bench {
    pub(crate) async fn new(folder: &Path, model: impl Model + 'static) -> Self {
        Self::with_steps(folder, model, Steps::default()).await
    }

    pub(crate) async fn with_steps(
        folder: &Path,
        model: impl Model + 'static,
        steps: Steps,
    ) -> Self {
        let redactor = Arc::new(TextRedactor::new(&RedactOptions::default()));
        let mut options = StoreOptions::new(clock(), redactor, "test");
        options.silence = Duration::from_millis(400);
        let open = open_jobs(&JobsPlace::Folder(folder.to_owned()), options)
            .await
            .expect("the jobs of a test");
        let models = Arc::new(OneModel(AnyModel::new(model)));
        let steps = GenerateSteps::new(open.store.clone(), models)
            .add_to(steps)
            .expect("the jobs of a test");
        let options = WorkerOptions {
            worker: "test".into(),
            step_lease: Duration::from_secs(2),
            flow_lease: Duration::from_secs(2),
            poll: Duration::from_millis(20),
            ..WorkerOptions::default()
        };
        let runner = open
            .jobs
            .run(all_flows().expect("the jobs of a test"), steps, options)
            .await
            .expect("the jobs of a test");
        Self { open, runner }
    }

    /// Returns every call that went out, newest first, those that were lost included.
    pub(crate) async fn went_out(&self) -> Vec<Call> {
        let (store, all) = (&self.open.store, CallFilter::default());
        let mut calls = store.calls(&all).await.expect("the calls of a test");
        calls.extend(store.earlier_tries(&all).await.expect("the calls of a test"));
        calls.sort_by_key(|call| std::cmp::Reverse((call.id, call.epoch)));
        calls
    }

    /// Starts a generation; the prompt is put into the store.
    pub(crate) async fn generate(&self, id: &str, prompt: &str, input: GenerateInput) -> JobId {
        let prompt = self.open.store.put_text(prompt).await.expect("the jobs of a test");
        let input =
            serde_json::to_value(GenerateInput { prompt, ..input }).expect("the jobs of a test");
        self.start(GENERATE_FLOW, id, input).await
    }

    pub(crate) async fn start(&self, flow: &str, id: &str, input: Json) -> JobId {
        let flow = FlowName::try_from(flow.to_owned()).expect("the jobs of a test");
        let id = JobId::new(id).expect("the jobs of a test");
        let options = StartOptions::default();
        let started = self
            .open
            .jobs
            .start(&flow, id.clone(), input, options)
            .await
            .expect("the jobs of a test");
        assert_eq!(started, Started::New);
        id
    }

    pub(crate) async fn job(&self, id: &JobId) -> JobSnapshot {
        self.open.jobs.state(id).await.expect("the jobs of a test").expect("the job is known")
    }

    pub(crate) async fn until(&self, id: &JobId, status: JobStatus) -> Generation {
        self.until_one_of(id, &[status]).await
    }

    pub(crate) async fn until_one_of(&self, id: &JobId, wanted: &[JobStatus]) -> Generation {
        let begun = Instant::now();
        loop {
            let job = self.job(id).await;
            let status = JobStatus::of(&job);
            if wanted.contains(&status) {
                return Generation::of(&job, &self.open.store).await.expect("the jobs of a test");
            }
            assert!(!job.state.is_terminal(), "{job:?}");
            assert!(begun.elapsed() < LONGEST, "{job:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) async fn tell(&self, id: &JobId, signal: &str, payload: Json) {
        static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.open
            .jobs
            .signal(id, signal, &number.to_string(), payload)
            .await
            .expect("the jobs of a test");
    }

    /// Returns the events of a job that has ended, once all of them are written down.
    pub(crate) async fn events(&self, id: &JobId) -> Vec<JobEvent> {
        let begun = Instant::now();
        loop {
            let events = self
                .open
                .jobs
                .history(id, EventId::default(), 10_000)
                .await
                .expect("the jobs of a test");
            let ended = |event: &JobEvent| matches!(event.what, Happened::Ended { .. });
            if events.last().is_some_and(ended) {
                return events;
            }
            assert!(begun.elapsed() < LONGEST, "{events:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) async fn stages(&self, id: &JobId) -> Vec<Stage> {
        let events = self.events(id).await.into_iter();
        events
            .filter_map(|event| match event.what {
                Happened::Stage { stage } => Some(stage),
                _ => None,
            })
            .collect()
    }

    pub(crate) async fn text(&self, id: &Json) -> String {
        let id = id.as_str().expect("the id of a text");
        self.open.store.text(id).await.expect("the jobs of a test").expect("the text is there")
    }

    /// Ends the runner without waiting for anything, and lets go of the files.
    pub(crate) async fn stop(self) {
        self.runner.drain(Duration::ZERO).await;
        self.open.close(Duration::from_secs(5)).await;
    }
}

/// The time of day: the engine sets its timers by it, and a store that is opened again goes on in it.
pub(crate) fn clock() -> Arc<dyn Clock> {
    #[expect(clippy::disallowed_methods, reason = "the engine's timers are set by the time of day")]
    let now = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    };
    Arc::new(now)
}

pub(crate) fn input() -> GenerateInput {
    GenerateInput { wait_ms: 1, ..GenerateInput::new("") }
}

pub(crate) fn rust() -> GenerateInput {
    GenerateInput { language: Some("rust".into()), ..input() }
}

pub(crate) fn said(text: &str, finish: FinishReason) -> Answer {
    let usage = Usage { input_tokens: 10, output_tokens: 10, ..Usage::default() };
    let (text, finish) = (text.to_owned(), Some(finish));
    Ok(ModelReply { text, finish, usage: Some(usage), ..ModelReply::default() })
}

pub(crate) fn refused(status: u16) -> Answer {
    Err(ModelError::Provider { status, message: "no".into(), retry_after: None })
}

/// A text in pieces, each said to have been ended by the limit but the last.
pub(crate) fn in_pieces(
    pieces: &'static [&'static str],
) -> impl Fn(&ModelRequest, usize) -> Answer + Send + Sync + 'static {
    move |_, number| {
        let last = number + 1 >= pieces.len();
        let finish = if last { FinishReason::Stop } else { FinishReason::Length };
        said(pieces[number.min(pieces.len() - 1)], finish)
    }
}
