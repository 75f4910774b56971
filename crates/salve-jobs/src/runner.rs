//! Who does the work: flows and steps by name, and what runs them.
//!
//! In: flows, steps, and what this machine can serve. Out: a runner that takes jobs until it is
//! drained. Never abandons a step silently: it finishes or goes back to the queue.

use crate::{
    FlowCtx, FlowError, FlowName, Fut, JobId, JobsError, Json, StepCtx, StepError, StepName,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A flow's code.
pub type Flow =
    Arc<dyn Fn(Arc<dyn FlowCtx>, Json) -> Fut<'static, Result<Json, FlowError>> + Send + Sync>;

/// A step's code.
pub type Step =
    Arc<dyn Fn(Arc<dyn StepCtx>, Json) -> Fut<'static, Result<Json, StepError>> + Send + Sync>;

/// Flows by name and version.
#[derive(Clone, Default)]
pub struct Flows(BTreeMap<FlowName, Flow>);

impl Flows {
    /// Adds a flow; one of the same name and version is replaced.
    #[must_use]
    pub fn with<F>(
        mut self,
        name: FlowName,
        flow: impl Fn(Arc<dyn FlowCtx>, Json) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Json, FlowError>> + Send + 'static,
    {
        self.0.insert(name, Arc::new(move |context, input| Box::pin(flow(context, input))));
        self
    }

    /// Returns the flows in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&FlowName, &Flow)> {
        self.0.iter()
    }

    /// Returns the flow of this name and version.
    pub fn get(&self, name: &FlowName) -> Option<&Flow> {
        self.0.get(name)
    }
}

impl fmt::Debug for Flows {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.0.keys()).finish()
    }
}

/// Steps by name.
#[derive(Clone, Default)]
pub struct Steps(BTreeMap<StepName, Step>);

impl Steps {
    /// Adds a step; one of the same name is replaced.
    #[must_use]
    pub fn with<F>(
        mut self,
        name: StepName,
        step: impl Fn(Arc<dyn StepCtx>, Json) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Json, StepError>> + Send + 'static,
    {
        self.0.insert(name, Arc::new(move |context, input| Box::pin(step(context, input))));
        self
    }

    /// Returns the steps in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&StepName, &Step)> {
        self.0.iter()
    }

    /// Returns the step of this name.
    pub fn get(&self, name: &StepName) -> Option<&Step> {
        self.0.get(name)
    }
}

impl fmt::Debug for Steps {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.0.keys()).finish()
    }
}

/// How a runner works.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// Who it is, for people and for the ledger.
    pub worker: String,
    /// How many steps at a time.
    pub steps_at_once: usize,
    /// How many flows at a time.
    pub flows_at_once: usize,
    /// How long a step stays with a worker that is not heard of.
    pub step_lease: Duration,
    /// The same for a flow's turn.
    pub flow_lease: Duration,
    /// How often it is looked for work.
    pub poll: Duration,
    /// How often a step is tried that kills its worker.
    pub most_deaths: u32,
    /// The toolchains it can serve.
    pub toolchains: BTreeSet<String>,
    /// The roots it can serve.
    pub roots: BTreeSet<String>,
    /// The one job it works on, with its children; `None` is every job there is.
    pub only: Option<JobId>,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        Self {
            worker: "salve".to_owned(),
            steps_at_once: 16,
            flows_at_once: 4,
            step_lease: Duration::from_secs(10),
            flow_lease: Duration::from_secs(5),
            poll: Duration::from_millis(50),
            most_deaths: 10,
            toolchains: BTreeSet::new(),
            roots: BTreeSet::new(),
            only: None,
        }
    }
}

/// Starts runners.
pub trait JobRunner {
    /// Begins to take jobs.
    fn run(
        &self,
        flows: Flows,
        steps: Steps,
        options: WorkerOptions,
    ) -> Fut<'_, Result<Box<dyn RunningRunner>, JobsError>>;
}

/// A runner that takes jobs.
pub trait RunningRunner: Send + Sync {
    /// Takes no more; waits this long for steps that are being done, and hands back the others.
    /// Returns how many were handed back.
    fn drain(self: Box<Self>, grace: Duration) -> Fut<'static, usize>;
}
