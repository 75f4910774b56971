//! A plan that runs in this process.
//!
//! In: its job. Out: its report, each time it stops or when it is over, and what its tasks do meanwhile. Never leaves
//! a plan half done: what is not finished when the process ends is gone on with.

use super::{Orchestrator, OrchestratorError};
use crate::heal::{HealLock, Locking, RepairError};
use crate::jobs::{JobStatus, PAUSE_SIGNAL, PLAN_STAGE, RESUME_SIGNAL};
use crate::plan::{PlanReport, PlanResume, SubTaskStatus, TaskReport};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use salve_jobs::{
    EventId, Happened, JobEvent, JobId, JobState, Jobs, JobsError, Json, RunningRunner,
};
use std::path::Path;
use std::time::Duration;

/// A plan that runs in this process. Dropped, it is left as it is.
pub struct RunningPlan {
    orchestrator: Orchestrator,
    plan: String,
    id: JobId,
    runner: Box<dyn RunningRunner>,
    events: BoxStream<'static, Result<JobEvent, JobsError>>,
    last: EventId,
}

impl RunningPlan {
    /// Takes the lock of a workspace, which a caller holds while its plan runs.
    ///
    /// # Errors
    /// [`RepairError::Busy`] when another process has it.
    pub fn lock(root: &Path) -> Result<HealLock, OrchestratorError> {
        match HealLock::take(root).map_err(RepairError::from)? {
            Locking::Taken(lock) => Ok(lock),
            Locking::Held { process } => Err(RepairError::Busy { process }.into()),
        }
    }

    pub(super) fn new(
        orchestrator: Orchestrator,
        plan: String,
        id: JobId,
        runner: Box<dyn RunningRunner>,
    ) -> Self {
        let events = orchestrator.parts.jobs.watch(&id, EventId(0)).fuse().boxed();
        Self { orchestrator, plan, id, runner, events, last: EventId(0) }
    }

    // A plan that waits goes on with what it is told, one that was interrupted by itself.
    pub(super) async fn wake(&mut self, told: PlanResume) -> Result<(), OrchestratorError> {
        self.last = self.orchestrator.last_event(&self.id).await?;
        let jobs = &self.orchestrator.parts.jobs;
        self.events = jobs.watch(&self.id, self.last).fuse().boxed();
        let job = jobs.state(&self.id).await?;
        let waits = job.as_ref().is_some_and(|job| {
            matches!(job.state, JobState::Waiting { .. }) && JobStatus::of(job) == JobStatus::Paused
        });
        if waits {
            self.tell(told).await?;
        }
        Ok(())
    }

    /// Tells the plan, which has stopped, to go on.
    ///
    /// # Errors
    /// When the jobs cannot be reached.
    pub async fn tell(&mut self, told: PlanResume) -> Result<(), OrchestratorError> {
        let signal = format!("{RESUME_SIGNAL}-{}", self.last.0);
        let told = serde_json::to_value(told)?;
        self.orchestrator.parts.jobs.signal(&self.id, RESUME_SIGNAL, &signal, told).await?;
        Ok(())
    }

    /// Tells the plan to start nothing more; what runs is ended first.
    ///
    /// # Errors
    /// When the jobs cannot be reached.
    pub async fn pause(&mut self) -> Result<(), OrchestratorError> {
        let signal = format!("{PAUSE_SIGNAL}-{}", self.last.0);
        self.orchestrator.parts.jobs.signal(&self.id, PAUSE_SIGNAL, &signal, Json::Null).await?;
        Ok(())
    }

    /// Waits until the plan is over, or stops because of something that a person decides. `seen` is told what the
    /// tasks do.
    ///
    /// # Errors
    /// When the job could not end, was cancelled, or cannot be reached.
    pub async fn stopped(
        &mut self,
        mut seen: impl FnMut(&Json),
    ) -> Result<PlanReport, OrchestratorError> {
        while let Some(event) = self.events.next().await.transpose()? {
            self.last = event.id;
            let Happened::Stage { stage } = event.what else { continue };
            if stage.name == PLAN_STAGE || stage.name == JobStatus::Validating.name() {
                seen(&stage.detail);
            } else if stage.name == JobStatus::Paused.name() {
                return self.with_tasks(serde_json::from_value(stage.detail)?).await;
            }
        }
        let job = self.orchestrator.parts.jobs.state(&self.id).await?;
        match job.map(|job| job.state) {
            Some(JobState::Done { output }) => {
                self.with_tasks(serde_json::from_value(output)?).await
            }
            Some(JobState::Failed { error }) => Err(OrchestratorError::Failed(error)),
            Some(JobState::Cancelled { reason }) => Err(OrchestratorError::Cancelled(reason)),
            Some(other) => Err(OrchestratorError::Stopped(other.name())),
            None => Err(OrchestratorError::Stopped("gone")),
        }
    }

    // A history has no room for every task; the store has.
    async fn with_tasks(
        &mut self,
        mut report: PlanReport,
    ) -> Result<PlanReport, OrchestratorError> {
        let (_, plan) = self.orchestrator.plan(&self.plan).await?;
        let noted = self.orchestrator.store().sub_tasks(&self.plan).await?;
        for task in &plan.tasks {
            let Some(found) = noted.iter().find(|one| one.note.id == task.id) else { continue };
            let status = serde_json::from_value(Json::String(found.note.status.clone()));
            report.tasks.push(TaskReport {
                id: task.id.clone(),
                status: status.unwrap_or(SubTaskStatus::Waiting),
                attempts: u32::try_from(found.note.attempts).unwrap_or(u32::MAX),
                tokens: found.note.tokens,
                micro_dollars: found.note.micro_dollars,
                summary: found.note.summary.clone(),
            });
        }
        Ok(report)
    }

    /// Lets the steps that are being done end, for this long, and hands back the others.
    pub async fn finish(self, grace: Duration) {
        self.runner.drain(grace).await;
    }
}
