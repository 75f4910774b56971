//! What a flow is given, in memory.
//!
//! In: a job. Out: steps, children, waits and stages, written down as the engine writes them. It runs
//! once and is never replayed, so it cannot show that a flow is not deterministic.

use super::desk::{Beginning, Desk, StepWork};
use crate::engine::envelope::{MOST_BYTES, check_size, input_hash};
use crate::names::step_key;
use crate::{
    CallKey, FlowCtx, FlowError, FlowName, Fut, Happened, JobBook, JobError, JobId, Json, Needs,
    NewJob, Registered, Retry, Stage, StepError, StepName,
};
use salve_types::Timestamp;
use serde_json::json;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// One life of a job, until it ends or begins again.
pub(super) struct Life {
    pub(super) desk: Arc<Desk>,
    pub(super) job: JobId,
    pub(super) needs: Needs,
    pub(super) execution: u64,
    pub(super) position: AtomicU32,
    pub(super) again: Arc<Again>,
}

/// With what a job wants to begin again.
#[derive(Default)]
pub(super) struct Again {
    pub(super) input: Mutex<Option<Json>>,
    pub(super) wanted: Notify,
}

impl FlowCtx for Life {
    fn id(&self) -> &JobId {
        &self.job
    }

    fn step(
        &self,
        name: &StepName,
        input: Json,
        retry: Retry,
    ) -> Fut<'static, Result<Json, StepError>> {
        let step = StepCalls {
            desk: Arc::clone(&self.desk),
            job: self.job.clone(),
            name: name.clone(),
            needs: self.needs.clone(),
            position: self.position.fetch_add(1, Ordering::Relaxed) + 1,
            execution: self.execution,
        };
        Box::pin(async move { step.attempts(input, retry).await })
    }

    fn child(
        &self,
        flow: &FlowName,
        name: &str,
        input: Json,
    ) -> Fut<'static, Result<Json, JobError>> {
        let (desk, job, needs) = (Arc::clone(&self.desk), self.job.clone(), self.needs.clone());
        let (flow, id) = (flow.clone(), self.job.child(name));
        Box::pin(async move {
            let refused = |message: String| JobError::Flow { message };
            let id = id.map_err(|error| refused(error.to_string()))?;
            check_size("the child's input", input.to_string().len())
                .map_err(|error| refused(error.to_string()))?;
            run_child(&desk, &job, Beginning { id, flow, needs, input }).await
        })
    }

    fn sleep(&self, length: Duration) -> Fut<'static, ()> {
        let (desk, job) = (Arc::clone(&self.desk), self.job.clone());
        Box::pin(async move { sleep(&desk, &job, length).await })
    }

    fn wait_signal(&self, name: &str, timeout: Option<Duration>) -> Fut<'static, Option<Json>> {
        let (desk, job, name) = (Arc::clone(&self.desk), self.job.clone(), name.to_owned());
        Box::pin(async move {
            let Some(timeout) = timeout else { return Some(hear(&desk, &job, &name).await) };
            let begin = falls_asleep(&desk, &job, timeout);
            tokio::select! {
                biased;
                told = hear(&desk, &job, &name) => Some(told),
                () = wakes_up(&desk, &job, begin) => None,
            }
        })
    }

    fn stage(&self, name: &str, detail: Json) {
        let bytes = detail.to_string().len();
        let detail = if bytes > MOST_BYTES { json!({ "left_out_bytes": bytes }) } else { detail };
        let stage = Stage { name: name.to_owned(), detail };
        self.desk.book.append(&self.job, Happened::Stage { stage });
    }

    fn now(&self) -> Fut<'static, Timestamp> {
        Box::pin(std::future::ready(self.desk.clock.now()))
    }

    fn restart_with(&self, input: Json) -> Fut<'static, Result<Json, FlowError>> {
        let again = Arc::clone(&self.again);
        Box::pin(async move {
            check_size("the job's next input", input.to_string().len())
                .map_err(|error| FlowError::new(error.to_string()))?;
            *super::lock(&again.input) = Some(input);
            again.wanted.notify_one();
            // This life ends here.
            std::future::pending().await
        })
    }
}

/// One step of a flow with all its attempts.
struct StepCalls {
    desk: Arc<Desk>,
    job: JobId,
    name: StepName,
    needs: Needs,
    position: u32,
    execution: u64,
}

impl StepCalls {
    async fn attempts(&self, input: Json, retry: Retry) -> Result<Json, StepError> {
        check_size("the step's input", input.to_string().len())
            .map_err(|error| StepError::fatal(error.to_string()))?;
        let seed = format!("{}:{}:{}", self.execution, self.name, input_hash(&input));
        let mut attempt = 1;
        loop {
            let key = step_key(&self.job, self.position, attempt, &seed);
            match self.once(key, attempt, input.clone()).await {
                Err(StepError::InDoubt { key }) => {
                    hear(&self.desk, &self.job, &key.resolve_signal()).await;
                }
                Err(StepError::Retryable { after, .. }) if attempt < retry.attempts => {
                    let wait = retry.wait_after(attempt).max(after.unwrap_or_default());
                    if !wait.is_zero() {
                        sleep(&self.desk, &self.job, wait).await;
                    }
                    attempt += 1;
                }
                ended => return ended,
            }
        }
    }

    async fn once(&self, key: CallKey, attempt: u32, input: Json) -> Result<Json, StepError> {
        let step = self.name.as_str().to_owned();
        let position = self.position;
        let scheduled = Happened::StepScheduled { step, position, attempt, key: key.clone() };
        self.desk.book.append(&self.job, scheduled);
        self.desk.step_begins(&self.job, position, &self.name);
        let (reply, answer) = oneshot::channel();
        let mut under_way = UnderWay { step: self, ended: false };
        let (job, name, needs) = (self.job.clone(), self.name.clone(), self.needs.clone());
        let work = StepWork { job, step: name, needs, key, attempt, input, reply };
        self.desk.put_step(work, false);
        let outcome = answer.await.unwrap_or(Err(StepError::Cancelled));
        under_way.ended = true;
        let step = self.name.as_str().to_owned();
        self.desk.book.append(
            &self.job,
            match &outcome {
                Ok(_) => Happened::StepDone { step, position, attempt },
                Err(error) => {
                    Happened::StepFailed { step, position, attempt, error: error.to_string() }
                }
            },
        );
        outcome
    }
}

/// A step that its flow waits for; dropping it is how a flow gives it up.
struct UnderWay<'a> {
    step: &'a StepCalls,
    ended: bool,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.step.desk.step_ends(&self.step.job, self.step.position, !self.ended);
    }
}

async fn run_child(desk: &Desk, parent: &JobId, child: Beginning) -> Result<Json, JobError> {
    let id = child.id.clone();
    let row = NewJob {
        id: id.clone(),
        flow: child.flow.clone(),
        input_hash: input_hash(&child.input),
        needs: child.needs.clone(),
    };
    let registered = desk.book.register(row).await;
    desk.book.append(parent, Happened::ChildStarted { child: id.clone() });
    if !matches!(registered, Ok(Registered::New)) {
        let error = JobError::Engine { message: format!("there is a job {id} already") };
        let told = Some(error.to_string());
        desk.book.append(parent, Happened::ChildEnded { child: id, error: told });
        return Err(error);
    }
    desk.count_children(parent, 1);
    let (reply, answer) = oneshot::channel();
    desk.begin(child, Some(reply));
    let mut dropped = Dropped { desk, parent, child: Some(id.clone()) };
    let gone = || JobError::Engine { message: "its process is gone".to_owned() };
    let ended = answer.await.unwrap_or_else(|_| Err(gone()));
    dropped.child = None;
    let error = ended.as_ref().err().map(ToString::to_string);
    desk.book.append(parent, Happened::ChildEnded { child: id, error });
    ended
}

struct Dropped<'a> {
    desk: &'a Desk,
    parent: &'a JobId,
    child: Option<JobId>,
}

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.desk.count_children(self.parent, -1);
        if let Some(child) = self.child.take() {
            self.desk.drop_child(&child);
        }
    }
}

/// Waits for a signal.
async fn hear(desk: &Desk, job: &JobId, signal: &str) -> Json {
    let Some((wait, news)) = desk.wait_for(job, signal) else {
        return std::future::pending().await;
    };
    let told = loop {
        let next = news.notified();
        if let Some(told) = desk.take_signal(job, signal) {
            break told;
        }
        next.await;
    };
    desk.waited(job, wait);
    told
}

async fn sleep(desk: &Desk, job: &JobId, length: Duration) {
    let begin = falls_asleep(desk, job, length);
    wakes_up(desk, job, begin).await;
}

fn falls_asleep(desk: &Desk, job: &JobId, length: Duration) -> tokio::time::Sleep {
    let millis = i64::try_from(length.as_millis()).unwrap_or(i64::MAX);
    let until = desk.clock.now().plus_millis(millis);
    desk.book.append(job, Happened::Sleeping { until });
    tokio::time::sleep(length)
}

async fn wakes_up(desk: &Desk, job: &JobId, sleep: tokio::time::Sleep) {
    sleep.await;
    desk.book.append(job, Happened::Woke);
}
