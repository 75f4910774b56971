//! The flow `Plan@1`: sub-tasks asked side by side, their results merged, checked as a whole and written once.
//!
//! In: a [`PlanInput`]. Out: a [`PlanReport`]. The loop is `salve_engine::plan`, a plain value without texts that is
//! made again at each replay; results are on this disk. A sub-task's answer is a child, `Generate@1`, so that it is
//! paid once, continued when it is cut and found again after a crash. Never a text of the user in a history.

mod steps;

pub use steps::PlanSteps;

use super::generate::{GenerateInput, GenerateOutput};
use super::{GENERATE_FLOW, JobStatus, PAUSE_SIGNAL, RESUME_SIGNAL};
use crate::plan::machine::{
    AttentionCode, PlanEvent, PlanMachine, PlanNode, PlanStep, Start, TaskEnd, UnexpectedEvent,
};
use crate::plan::{PlanInput, PlanReport, PlanResume};
use salve_jobs::{FlowCtx, FlowError, FlowName, Fut, JobError, Json, Retry, StepError, StepName};
use salve_types::{Spend, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use steps::{ANSWER, BEGIN, MERGE, NOTE, PROMPT};

/// The stage under which a plan says what its tasks do.
pub const PLAN_STAGE: &str = "running";
/// The outcome of a plan that a person decides about.
const ATTENTION: &str = "needs_attention";

/// A page of the tasks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Page {
    pub(super) nodes: Vec<PlanNode>,
    pub(super) more: bool,
}

/// What the step that reads the tasks is given.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Begin {
    pub(super) input: PlanInput,
    pub(super) from: usize,
}

/// A task that is asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Asking {
    pub(super) input: PlanInput,
    pub(super) start: Start,
    /// Which start of the plan it is: tells the children of two attempts apart.
    pub(super) number: u32,
}

/// What a model's answer to a task came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) asking: Asking,
    pub(super) answer: Answer,
}

/// A model's answer, or why there is none.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    Ended(Box<GenerateOutput>),
    Failed { message: String, over_budget: bool },
}

/// How a task ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Ended {
    pub(super) end: TaskEnd,
    pub(super) spent: Spend,
}

/// The results that are merged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Merging {
    pub(super) input: PlanInput,
    pub(super) order: Vec<String>,
    pub(super) spent: Spend,
}

/// What merging came to, as a history holds it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Merged {
    /// The tasks whose results overlap.
    pub(super) conflict: Vec<String>,
    /// Whether the whole does not pass the checks, and the tasks that are the cause.
    pub(super) red: Option<Vec<String>>,
    /// What a report says of it.
    pub(super) report: Option<PlanReport>,
}

/// What is noted when a plan stops or is over.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Noting {
    pub(super) input: PlanInput,
    pub(super) report: PlanReport,
    /// Each task: name, state, attempts, what it took.
    pub(super) tasks: Vec<(String, crate::plan::SubTaskStatus, u32, Spend)>,
    pub(super) began: Timestamp,
    pub(super) stops: u64,
}

/// Runs a plan. This is the code of the flow: deterministic, and replayed.
///
/// # Errors
/// When the plan is none, a result is lost, or a file cannot be read or written.
pub(super) async fn run_plan(context: Arc<dyn FlowCtx>, input: Json) -> Result<Json, FlowError> {
    let input: PlanInput = serde_json::from_value(input)
        .map_err(|error| FlowError::new(format!("the input is not one of Plan: {error}")))?;
    let began = context.now().await;
    let mut run = Run::begin(context, input, began).await?;
    loop {
        match run.machine.next() {
            PlanStep::Start(start) => run.start(start)?,
            PlanStep::Wait => run.wait().await?,
            PlanStep::Merge(order) => run.merge(order).await?,
            PlanStep::Paused => {
                run.stop("paused", None).await?;
            }
            PlanStep::Attention(attention) => {
                run.stops += 1;
                if run.input.unattended {
                    return run.end(ATTENTION, Some(attention.code)).await;
                }
                run.stop(ATTENTION, Some(attention.code)).await?;
            }
            PlanStep::Done(outcome) => return run.end(outcome.name(), None).await,
        }
    }
}

type Running = (String, Fut<'static, Result<Ended, StepError>>);

struct Run {
    context: Arc<dyn FlowCtx>,
    input: PlanInput,
    machine: PlanMachine,
    running: Vec<Running>,
    /// Waits to be told to pause, as long as the plan runs.
    pausing: Fut<'static, Option<Json>>,
    merged: Merged,
    began: Timestamp,
    starts: u32,
    stops: u64,
}

impl Run {
    async fn begin(
        context: Arc<dyn FlowCtx>,
        input: PlanInput,
        began: Timestamp,
    ) -> Result<Self, FlowError> {
        let mut nodes = Vec::new();
        loop {
            let begin = Begin { input: input.clone(), from: nodes.len() };
            let page: Page = step(&*context, BEGIN, &begin).await?;
            nodes.extend(page.nodes);
            if !page.more {
                break;
            }
        }
        let machine = PlanMachine::of_nodes(nodes, input.limits);
        let pausing = context.wait_signal(PAUSE_SIGNAL, None);
        let (running, merged) = (Vec::new(), Merged::default());
        Ok(Self { context, input, machine, running, pausing, merged, began, starts: 0, stops: 0 })
    }

    fn start(&mut self, start: Start) -> Result<(), FlowError> {
        self.take(PlanEvent::Started { task: start.task.clone() })?;
        self.starts += 1;
        let asking = Asking { input: self.input.clone(), start, number: self.starts };
        let (task, context) = (asking.start.task.clone(), Arc::clone(&self.context));
        self.running.push((task, Box::pin(async move { ask(&*context, asking).await })));
        self.say();
        Ok(())
    }

    async fn wait(&mut self) -> Result<(), FlowError> {
        let Some((task, ended)) = self.first_ended().await else {
            self.take(PlanEvent::Pause)?;
            self.pausing = self.context.wait_signal(PAUSE_SIGNAL, None);
            return Ok(());
        };
        let Ended { end, spent } = ended?;
        self.take(PlanEvent::Ended { task, end, spent })?;
        self.say();
        Ok(())
    }

    // Asks all of them each time, in the order in which they were started: what a replay does again. Nothing when
    // it is told to pause.
    async fn first_ended(&mut self) -> Option<(String, Result<Ended, StepError>)> {
        let (running, pausing) = (&mut self.running, &mut self.pausing);
        let (at, result) = poll_fn(|wake| {
            for (at, (_, work)) in running.iter_mut().enumerate() {
                if let Poll::Ready(result) = work.as_mut().poll(wake) {
                    return Poll::Ready(Some((at, result)));
                }
            }
            pausing.as_mut().poll(wake).map(|_| None)
        })
        .await?;
        let (task, _) = self.running.remove(at);
        Some((task, result))
    }

    async fn merge(&mut self, order: Vec<String>) -> Result<(), FlowError> {
        self.context
            .stage(JobStatus::Validating.name(), serde_json::json!({ "merges": order.len() }));
        let merging = Merging { input: self.input.clone(), order, spent: self.machine.spent() };
        let merged: Merged = step(&*self.context, MERGE, &merging).await?;
        let event = match (&merged.red, merged.conflict.is_empty()) {
            (_, false) => PlanEvent::Conflict { tasks: merged.conflict.clone() },
            (Some(tasks), true) => PlanEvent::Red { tasks: tasks.clone() },
            (None, true) => PlanEvent::Merged,
        };
        self.merged = merged;
        self.take(event)
    }

    // Stops until a person says how to go on.
    async fn stop(&mut self, outcome: &str, code: Option<AttentionCode>) -> Result<(), FlowError> {
        let report = PlanReport { code, ..self.note(outcome).await? };
        self.context.stage(JobStatus::Paused.name(), written(&report)?);
        let told = self.context.wait_signal(RESUME_SIGNAL, None).await;
        // A word that says nothing is `salve jobs resume`.
        let told: PlanResume =
            told.and_then(|told| serde_json::from_value(told).ok()).unwrap_or_default();
        if told.cancel {
            return self.take(PlanEvent::Cancel);
        }
        self.take(PlanEvent::Resume)?;
        let PlanResume { retry, skip, budget, .. } = told;
        // A name that is no task's is told by the caller before; here it decides nothing.
        let decided = PlanEvent::Decided { retry, skip, budget };
        if let Err(UnexpectedEvent::NoSuchTask(_)) = self.machine.take(decided) {
            self.say();
        }
        Ok(())
    }

    async fn end(&mut self, outcome: &str, code: Option<AttentionCode>) -> Result<Json, FlowError> {
        // What still runs is ended with its future.
        self.running.clear();
        let report = PlanReport { code, ..self.note(outcome).await? };
        written(&report)
    }

    // Writes down where every task is; returns the report.
    async fn note(&mut self, outcome: &str) -> Result<PlanReport, FlowError> {
        let spent = self.machine.spent();
        let known = self.merged.report.clone().unwrap_or_else(|| PlanReport::new(outcome));
        let report = PlanReport {
            outcome: outcome.to_owned(),
            tokens: spent.tokens,
            cost: spent.micro_dollars as f64 / 1e6,
            ..known
        };
        let states = self.machine.states().map(|(id, status)| {
            let (spent, attempts) = self.machine.spent_by(id);
            (id.to_owned(), status, attempts, spent)
        });
        let noting = Noting {
            input: self.input.clone(),
            report: report.clone(),
            tasks: states.collect(),
            began: self.began,
            stops: self.stops,
        };
        let _: () = step(&*self.context, NOTE, &noting).await?;
        Ok(report)
    }

    fn take(&mut self, event: PlanEvent) -> Result<(), FlowError> {
        self.machine.take(event).map_err(|error| FlowError::new(error.to_string()))
    }

    fn say(&self) {
        let all = self.machine.states().count();
        let mut running: Vec<&str> = Vec::new();
        let mut done = 0;
        for (id, status) in self.machine.states() {
            match status {
                crate::plan::SubTaskStatus::Running => running.push(id),
                crate::plan::SubTaskStatus::Completed => done += 1,
                _ => {}
            }
        }
        let tokens = self.machine.spent().tokens;
        self.context.stage(
            PLAN_STAGE,
            serde_json::json!({ "running": running, "done": done, "of": all, "tokens": tokens }),
        );
    }
}

// One task: its prompt, the answer, what the answer makes of its files.
async fn ask(context: &dyn FlowCtx, asking: Asking) -> Result<Ended, StepError> {
    let asked: GenerateInput = step(context, PROMPT, &asking).await?;
    let fatal = |error: &dyn std::fmt::Display| StepError::fatal(error.to_string());
    let input = serde_json::to_value(asked).map_err(|error| fatal(&error))?;
    let flow = FlowName::try_from(GENERATE_FLOW.to_owned()).map_err(|error| fatal(&error))?;
    let name = format!("task-{}-{}", asking.start.task, asking.number);
    let answer = match context.child(&flow, &name, input).await {
        Ok(output) => match serde_json::from_value(output) {
            Ok(output) => Answer::Ended(Box::new(output)),
            Err(error) => Answer::Failed { message: error.to_string(), over_budget: false },
        },
        Err(error) => {
            let over_budget = matches!(error, JobError::OverBudget { .. });
            Answer::Failed { over_budget, message: error.to_string() }
        }
    };
    step(context, ANSWER, &Asked { asking, answer }).await
}

async fn step<I, T>(context: &dyn FlowCtx, name: &str, input: &I) -> Result<T, StepError>
where
    I: Serialize,
    T: DeserializeOwned,
{
    let fatal = |error: &dyn std::fmt::Display| StepError::fatal(error.to_string());
    let name = StepName::new(name).map_err(|error| fatal(&error))?;
    let input = serde_json::to_value(input).map_err(|error| fatal(&error))?;
    // What passes by itself: a store that is away, a heal of the same workspace, a file that another holds.
    let retry = Retry { attempts: 60, ..Retry::default() };
    let output = context.step(&name, input, retry).await?;
    serde_json::from_value(output).map_err(|error| fatal(&error))
}

fn written(value: &impl Serialize) -> Result<Json, FlowError> {
    serde_json::to_value(value).map_err(|error| FlowError::new(error.to_string()))
}
