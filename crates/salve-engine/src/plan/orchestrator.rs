//! Plans of sub-tasks, for every face: made, edited, estimated, run, decided about.
//!
//! In: a request, and what a plan may do, as values. Out: plans that are kept, and runs of them as durable jobs in this
//! process. A run that was killed is found under the plan's name and gone on with. Never draws, asks or prints.

mod error;
mod make;
mod running;

pub use error::OrchestratorError;
pub use make::PlanRequest;
pub use running::RunningPlan;

use super::machine::{PlanLimits, model_of};
use super::{
    ExecutionOrder, Figures, PartUndone, PlanInput, PlanResume, ResultFolder, SubTaskPlan,
    TaskSize, check_graph, estimate_plan, strategy_cards, undo_part,
};
use crate::heal::{Patch, Sources as _, sources_of};
use crate::jobs::{PLAN_FLOW, PLAN_FOLDER, StepParts, all_flows, all_steps};
use crate::session::ConversationParts;
use salve_jobs::{
    EventId, FlowName, JobId, JobRunner, JobState, Jobs, Needs, StartOptions, Steps, WorkerOptions,
};
use salve_store::{NewPlan, PlanRecord, Store};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// How many plans the estimate looks back at.
const HISTORY: u32 = 200;
/// The bytes of a text that are counted as a token where the size of a prompt is estimated.
const BYTES_PER_TOKEN: usize = 4;
/// How many events of a job are read at a time.
const PAGE: u32 = 500;

/// Plans in this process. A clone is the same.
#[derive(Clone)]
pub struct Orchestrator {
    parts: Arc<ConversationParts>,
}

impl Orchestrator {
    /// Puts it together. Nothing runs yet.
    pub fn new(parts: ConversationParts) -> Self {
        Self { parts: Arc::new(parts) }
    }

    /// The same of parts that a conversation has.
    pub(crate) fn of(parts: Arc<ConversationParts>) -> Self {
        Self { parts }
    }

    /// Returns what is remembered.
    pub fn store(&self) -> &Store {
        &self.parts.store
    }

    /// Returns a plan.
    ///
    /// # Errors
    /// When there is none of this name, or the store refuses.
    pub async fn plan(&self, id: &str) -> Result<(PlanRecord, SubTaskPlan), OrchestratorError> {
        let kept = self
            .parts
            .store
            .plan(id)
            .await?
            .ok_or_else(|| OrchestratorError::NoSuchPlan(id.to_owned()))?;
        let plan = serde_json::from_value(kept.document.clone())?;
        Ok((kept, plan))
    }

    /// Replaces a plan that has not begun, and estimates it again.
    ///
    /// # Errors
    /// When its tasks are no graph, or it has begun.
    pub async fn edit(&self, id: &str, plan: SubTaskPlan) -> Result<PlanRecord, OrchestratorError> {
        let (kept, _) = self.plan(id).await?;
        let (root, reason) = (kept.workspace.clone(), kept.estimate.get("reason").cloned());
        let kept_now = self
            .keep(id, Path::new(&root), kept.session, &plan, reason.unwrap_or_default())
            .await?;
        match kept_now {
            true => Ok(self.plan(id).await?.0),
            false => Err(OrchestratorError::HasBegun(id.to_owned())),
        }
    }

    async fn keep(
        &self,
        id: &str,
        root: &Path,
        session: Option<String>,
        plan: &SubTaskPlan,
        reason: Value,
    ) -> Result<bool, OrchestratorError> {
        let estimate = self.estimate(root, plan, reason).await?;
        let document = serde_json::to_value(plan)?;
        let workspace = root.display().to_string();
        let new = NewPlan { id: id.to_owned(), workspace, session, document, estimate };
        Ok(self.parts.store.put_plan(new).await?)
    }

    /// Estimates a plan in every order; the fields of its own order are at the top.
    ///
    /// # Errors
    /// When its tasks are no graph, or the store refuses.
    pub async fn estimate(
        &self,
        root: &Path,
        plan: &SubTaskPlan,
        reason: Value,
    ) -> Result<Value, OrchestratorError> {
        let before = check_graph(&plan.tasks)?;
        let none = Patch::default();
        let sources = sources_of(root, &none);
        let tokens = |text: &str| u64::try_from(text.len() / BYTES_PER_TOKEN).unwrap_or(u64::MAX);
        let size = |(task, before): (&super::SubTask, Vec<usize>)| {
            let files = task.context_files.iter().filter_map(|path| sources.read(path));
            let chosen =
                self.parts.models.choose(&model_of(task.model.as_deref(), task.difficulty));
            TaskSize {
                prompt_tokens: files.map(|text| tokens(&text)).sum::<u64>()
                    + tokens(&task.instruction)
                    + tokens(&super::sub_task_prompt(task, &[], &[], None).0),
                answer_tokens: plan.granularity.shape().1,
                price: chosen.ok().and_then(|chosen| chosen.capability.price),
                before,
                files: task.leases().to_vec(),
            }
        };
        let sizes: Vec<TaskSize> = plan.tasks.iter().zip(before).map(size).collect();
        let (history, parallel) = (self.figures().await?, PlanLimits::default().parallel);
        let mut estimate =
            serde_json::to_value(estimate_plan(&sizes, plan.execution_order, parallel, &history))?;
        if let Some(fields) = estimate.as_object_mut() {
            fields
                .insert("strategies".to_owned(), json!(strategy_cards(&sizes, parallel, &history)));
            fields.insert("reason".to_owned(), reason);
        }
        Ok(estimate)
    }

    // What plans took that ran to their end.
    async fn figures(&self) -> Result<Vec<Figures>, OrchestratorError> {
        let plans = self.parts.store.plans(None, HISTORY).await?;
        let ended = plans
            .iter()
            .filter(|plan| matches!(plan.status.as_str(), "completed" | "completed_partial"));
        let figures = ended.filter_map(|plan| {
            Some(Figures {
                order: ExecutionOrder::from_name(&plan.took.execution_order)?,
                tasks: plan.took.tasks,
                micro_dollars: plan.took.micro_dollars,
                ms: plan.took.ms,
                success: plan.status == "completed" && plan.took.stops == 0,
            })
        });
        Ok(figures.collect())
    }

    /// Runs a plan, or goes on with it. The workspace's lock is the caller's.
    ///
    /// # Errors
    /// When there is no such plan, a task is named that it has not, or the jobs cannot be reached.
    pub async fn execute_sub_tasks(
        &self,
        id: &str,
        limits: PlanLimits,
        answer_tokens: Option<u32>,
        told: PlanResume,
    ) -> Result<RunningPlan, OrchestratorError> {
        let (kept, plan) = self.plan(id).await?;
        for name in told.retry.iter().chain(&told.skip) {
            if !plan.tasks.iter().any(|task| task.id == *name) {
                return Err(OrchestratorError::NoSuchTask {
                    plan: id.to_owned(),
                    task: name.clone(),
                });
            }
        }
        let job = JobId::new(&format!("plan-{id}"))?;
        let known = self.parts.jobs.state(&job).await?;
        let options = WorkerOptions {
            worker: self.parts.worker.clone(),
            only: Some(job.clone()),
            steps_at_once: limits.parallel.clamp(1, 64) + 2,
            flows_at_once: limits.parallel.clamp(1, 64) + 1,
            roots: [kept.workspace.clone()].into(),
            ..WorkerOptions::default()
        };
        let runner = self.parts.jobs.run(all_flows()?, self.steps()?, options).await?;
        if known.as_ref().is_none_or(|job| matches!(job.state, JobState::Queued)) {
            let root = kept.workspace.clone();
            let input = PlanInput {
                root: root.clone().into(),
                plan: id.to_owned(),
                limits,
                answer_tokens,
                unattended: false,
            };
            let needs = Needs { root: Some(root), ..Needs::default() };
            let flow = FlowName::try_from(PLAN_FLOW.to_owned())?;
            let input = serde_json::to_value(&input)?;
            let _known =
                self.parts.jobs.start(&flow, job.clone(), input, StartOptions { needs }).await?;
        }
        let mut running = RunningPlan::new(self.clone(), id.to_owned(), job, runner);
        if known.is_some() {
            running.wake(told).await?;
        }
        Ok(running)
    }

    /// Takes one part of a plan out of the files again; the others stay.
    ///
    /// # Errors
    /// When the plan has written nothing here, or the tree cannot be read or written.
    pub async fn undo_part(&self, id: &str, task: &str) -> Result<PartUndone, OrchestratorError> {
        let (kept, _) = self.plan(id).await?;
        let folder = ResultFolder::open(&self.parts.folder.join(PLAN_FOLDER), id)
            .map_err(crate::heal::RepairError::from)?;
        let now = u64::try_from(self.parts.clock.now().0).unwrap_or(0);
        Ok(undo_part(Path::new(&kept.workspace), &folder, task, now)?)
    }

    fn steps(&self) -> Result<Steps, OrchestratorError> {
        let ConversationParts { store, models, hosts, clock, folder, .. } = &*self.parts;
        Ok(all_steps(StepParts {
            store: store.clone(),
            models: Arc::clone(models),
            hosts: Arc::clone(hosts),
            clock: Arc::clone(clock),
            folder: folder.clone(),
        })?)
    }

    // The last event of a job.
    async fn last_event(&self, id: &JobId) -> Result<EventId, OrchestratorError> {
        let mut last = EventId(0);
        loop {
            let page = self.parts.jobs.history(id, last, PAGE).await?;
            let Some(event) = page.last() else { return Ok(last) };
            last = event.id;
        }
    }
}
