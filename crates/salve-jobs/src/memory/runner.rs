//! The runner in memory.
//!
//! In: flows and steps, and what is on the desk. Out: jobs that go on. Never leaves a step behind when
//! it is drained: it finishes, or lies on the desk again for the next runner.

use super::desk::{Beginning, Desk, StepWork};
use super::flow::{Again, Life};
use super::jobs::MemoryJobs;
use super::lock;
use crate::attempt::Attempt;
use crate::engine::envelope::check_size;
use crate::{
    CallLedger, Flow, FlowError, Flows, Fut, Happened, JobError, JobRunner, JobsError, Json,
    RunningRunner, Step, StepError, Steps, WorkerOptions,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

impl JobRunner for MemoryJobs {
    fn run(
        &self,
        flows: Flows,
        steps: Steps,
        options: WorkerOptions,
    ) -> Fut<'_, Result<Box<dyn RunningRunner>, JobsError>> {
        let known = flows.clone();
        let runner = Arc::new(Runner {
            desk: Arc::clone(self.desk()),
            flows,
            steps,
            slots: Arc::new(Semaphore::new(options.steps_at_once.max(1))),
            options,
            closed: CancellationToken::new(),
            cut: CancellationToken::new(),
            handed_back: AtomicUsize::new(0),
        });
        Box::pin(async move {
            self.know(&known);
            tokio::spawn(take(Arc::clone(&runner)));
            Ok(Box::new(Running(runner)) as Box<dyn RunningRunner>)
        })
    }
}

struct Runner {
    desk: Arc<Desk>,
    flows: Flows,
    steps: Steps,
    options: WorkerOptions,
    slots: Arc<Semaphore>,
    closed: CancellationToken,
    cut: CancellationToken,
    handed_back: AtomicUsize,
}

/// A runner that is dropped takes nothing more.
struct Running(Arc<Runner>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.closed.cancel();
    }
}

impl RunningRunner for Running {
    fn drain(self: Box<Self>, grace: Duration) -> Fut<'static, usize> {
        Box::pin(async move {
            let runner = &self.0;
            runner.closed.cancel();
            let all = u32::try_from(runner.options.steps_at_once.max(1)).unwrap_or(u32::MAX);
            if tokio::time::timeout(grace, runner.slots.acquire_many(all)).await.is_err() {
                runner.cut.cancel();
                let _ = runner.slots.acquire_many(all).await;
            }
            runner.handed_back.load(Ordering::Relaxed)
        })
    }
}

/// Takes jobs and steps until the runner is closed.
async fn take(runner: Arc<Runner>) {
    loop {
        let news = runner.desk.work.notified();
        while runner.desk.take_job(|flow| runner.flows.get(flow).is_some(), |job| runner.begin(job))
        {
        }
        let slot = tokio::select! {
            () = runner.closed.cancelled() => return,
            slot = Arc::clone(&runner.slots).acquire_owned() => slot,
        };
        let Ok(slot) = slot else { return };
        if let Some((work, token)) = runner.desk.take_step(|work| runner.can_do(work)) {
            runner.spawn(work, token, slot);
            continue;
        }
        drop(slot);
        tokio::select! {
            () = runner.closed.cancelled() => return,
            () = news => {}
        }
    }
}

impl Runner {
    fn can_do(&self, work: &StepWork) -> bool {
        let has = |need: &Option<String>, all: &std::collections::BTreeSet<String>| {
            need.as_ref().is_none_or(|need| all.contains(need))
        };
        self.steps.get(&work.step).is_some()
            && has(&work.needs.toolchain, &self.options.toolchains)
            && has(&work.needs.root, &self.options.roots)
    }

    fn begin(&self, job: Beginning) -> tokio::task::AbortHandle {
        let (desk, flow) = (Arc::clone(&self.desk), self.flows.get(&job.flow).cloned());
        let id = job.id.clone();
        let task = tokio::spawn(async move {
            let Some(flow) = flow else { return };
            // A flow that panics takes its task with it, not the jobs.
            let lives = tokio::spawn(live(Arc::clone(&desk), flow, job));
            let _with_this = AbortOnDrop(lives.abort_handle());
            let ended = lives.await.unwrap_or_else(|error| {
                Err(JobError::Flow { message: format!("the flow panicked: {error}") })
            });
            desk.end(&id, ended);
        });
        task.abort_handle()
    }

    fn spawn(
        self: &Arc<Self>,
        work: StepWork,
        token: CancellationToken,
        slot: OwnedSemaphorePermit,
    ) {
        let runner = Arc::clone(self);
        tokio::spawn(async move {
            let Some(step) = runner.steps.get(&work.step).cloned() else { return };
            let (mut work, token) = (work, token.child_token());
            let ledger = Arc::clone(&runner.desk.ledger);
            let mut doing = tokio::spawn(attempt(step, ledger, &work, token.clone()));
            let _with_this = AbortOnDrop(doing.abort_handle());
            let given_up = async {
                work.reply.closed().await;
                token.cancel();
                std::future::pending::<()>().await;
            };
            tokio::select! {
                outcome = &mut doing => {
                    let outcome = outcome.unwrap_or_else(|error| {
                        Err(StepError::fatal(format!("the step panicked: {error}")))
                    });
                    let _ = work.reply.send(outcome);
                }
                () = given_up => {}
                () = runner.cut.cancelled() => {
                    runner.handed_back.fetch_add(1, Ordering::Relaxed);
                    runner.desk.put_step(work, true);
                }
            }
            drop(slot);
            runner.desk.work.notify_waiters();
        });
    }
}

struct AbortOnDrop(tokio::task::AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs a flow, and again when it wants to begin again.
async fn live(desk: Arc<Desk>, flow: Flow, job: Beginning) -> Result<Json, JobError> {
    let Beginning { id, needs, mut input, .. } = job;
    for execution in 1.. {
        let again = Arc::new(Again::default());
        let life = Life {
            desk: Arc::clone(&desk),
            job: id.clone(),
            needs: needs.clone(),
            execution,
            position: AtomicU32::new(0),
            again: Arc::clone(&again),
        };
        let mut turns = flow(Arc::new(life), input);
        let turns = std::future::poll_fn(|waker| {
            let turn = turns.as_mut().poll(waker);
            desk.turn_ends(&id);
            turn
        });
        let ended = tokio::select! {
            biased;
            ended = turns => Some(ended),
            () = again.wanted.notified() => None,
        };
        if let Some(ended) = ended {
            return checked(ended);
        }
        input = lock(&again.input).take().unwrap_or_default();
        desk.book.append(&id, Happened::Restarted);
    }
    Err(JobError::Engine { message: "it began again too often".to_owned() })
}

fn checked(ended: Result<Json, FlowError>) -> Result<Json, JobError> {
    let output = ended?;
    check_size("the job's result", output.to_string().len())
        .map_err(|error| FlowError::new(error.to_string()))?;
    Ok(output)
}

/// Does one attempt at a step.
fn attempt(
    step: Step,
    ledger: Arc<dyn CallLedger>,
    work: &StepWork,
    token: CancellationToken,
) -> impl Future<Output = Result<Json, StepError>> + Send + 'static {
    let (job, key, attempt) = (work.job.clone(), work.key.clone(), work.attempt);
    let context = Attempt { job, key, attempt, token, ledger };
    let input = work.input.clone();
    async move {
        let output = step(Arc::new(context), input).await?;
        check_size("the step's result", output.to_string().len())
            .map_err(|error| StepError::fatal(error.to_string()))?;
        Ok(output)
    }
}
