//! A request becomes a plan: analysed, split, estimated and kept.
//!
//! In: a [`PlanRequest`]. Out: a plan that is kept and waits to be approved. The model is asked as a durable job, so
//! that its answer is paid once and healed like any other. Never runs a task.

use super::{Orchestrator, OrchestratorError};
use crate::heal::RepairError;
use crate::jobs::{GENERATE_FLOW, GenerateInput, GenerateOutput, WhichModel, all_flows};
use crate::plan::{
    ExecutionOrder, Granularity, GranularityFacts, SubTaskPlan, choose_granularity, map_plan,
    plan_question, plan_schema, read_tasks, truncation_rate,
};
use crate::session::map_of_folder;
use futures_util::StreamExt;
use salve_check::project_files;
use salve_jobs::{
    EventId, FlowName, JobError, JobId, JobRunner as _, JobState, Jobs as _, StartOptions,
    WorkerOptions, fresh_job_id,
};
use salve_model::Role;
use salve_store::PlanRecord;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most tokens of a plan.
const PLAN_TOKENS: u32 = 8_000;
const GRACE: Duration = Duration::from_secs(5);
/// How many letters a plan's name has.
const ID_LETTERS: usize = 8;

/// What is to be planned.
#[derive(Debug, Clone, Default)]
pub struct PlanRequest {
    /// The root of the workspace.
    pub root: PathBuf,
    /// What is asked for.
    pub request: String,
    /// How finely it is split.
    pub granularity: Granularity,
    /// The order in which the parts run.
    pub order: ExecutionOrder,
    /// The files to map over, one part for each; a model splits the request when empty.
    pub files: Vec<String>,
    /// What a last part does with all results, where files are mapped over.
    pub reduce: Option<String>,
    /// The session it belongs to.
    pub session: Option<String>,
    /// Who is asked; the planner when absent.
    pub model: Option<WhichModel>,
}

impl Orchestrator {
    /// Splits a request into sub-tasks and keeps the plan.
    ///
    /// # Errors
    /// When the model gives no plan, or the workspace cannot be read.
    pub async fn plan_sub_tasks(
        &self,
        wanted: PlanRequest,
    ) -> Result<PlanRecord, OrchestratorError> {
        let id = new_id();
        let (plan, reason) = match wanted.files.is_empty() {
            true => self.asked(&id, &wanted).await?,
            false => {
                let plan = map_plan(&wanted.request, &wanted.files, wanted.reduce.as_deref())?;
                (plan, format!("one part for each of {} files", wanted.files.len()))
            }
        };
        let plan = SubTaskPlan { execution_order: wanted.order, ..plan };
        self.keep(&id, &wanted.root, wanted.session, &plan, Value::String(reason)).await?;
        Ok(self.plan(&id).await?.0)
    }

    /// Keeps a plan that a document gives.
    ///
    /// # Errors
    /// When its tasks are no graph, or the store refuses.
    pub async fn import(
        &self,
        root: &Path,
        plan: &SubTaskPlan,
        session: Option<String>,
    ) -> Result<PlanRecord, OrchestratorError> {
        let id = new_id();
        self.keep(&id, root, session, plan, Value::String("given as a document".to_owned()))
            .await?;
        Ok(self.plan(&id).await?.0)
    }

    async fn asked(
        &self,
        id: &str,
        wanted: &PlanRequest,
    ) -> Result<(SubTaskPlan, String), OrchestratorError> {
        let (granularity, reason) = match wanted.granularity {
            Granularity::Auto => choose_granularity(self.facts(wanted).await?),
            chosen => (chosen, "as asked for".to_owned()),
        };
        let (root, request) = (wanted.root.clone(), wanted.request.clone());
        let map = tokio::task::spawn_blocking(move || map_of_folder(&root, &request, None));
        let map = map.await.map_err(|error| RepairError::Io(error.to_string()))??;
        let (system, prompt) = plan_question(&wanted.request, &map, granularity);
        let store = &self.parts.store;
        let input = GenerateInput {
            system: Some(store.put_text(&system).await?),
            model: wanted.model.clone().unwrap_or_else(|| self.planner()),
            json: true,
            schema: Some(plan_schema()),
            max_tokens: Some(PLAN_TOKENS),
            unattended: true,
            session: wanted.session.clone(),
            ..GenerateInput::new(store.put_text(&prompt).await?)
        };
        let output = self.generate(&format!("plan-{id}-make"), &input).await?;
        let text = match &output.code_result {
            Some(text) => store.text(text).await?,
            None => None,
        };
        let Some(text) = text else {
            let why = output.progress.why.unwrap_or_else(|| "the answer is not whole".to_owned());
            return Err(OrchestratorError::NoPlan(why));
        };
        Ok((read_tasks(&text, &wanted.request, granularity)?, reason))
    }

    // One that plans, where the settings name one; else the usual.
    fn planner(&self) -> WhichModel {
        let planner = WhichModel::Role(Role::Planner);
        match self.parts.models.choose(&planner) {
            Ok(_) => planner,
            Err(_) => WhichModel::Role(Role::Medium),
        }
    }

    async fn facts(&self, wanted: &PlanRequest) -> Result<GranularityFacts, OrchestratorError> {
        let statistics = self.parts.store.stats(None).await?;
        let names = project_files(&wanted.root).unwrap_or_default();
        let named = |path: &&String| {
            let file = path.rsplit('/').next().unwrap_or(path);
            wanted.request.contains(file)
        };
        Ok(GranularityFacts {
            files: names.iter().filter(named).count(),
            request_bytes: wanted.request.len(),
            cut_rate: truncation_rate(&statistics),
        })
    }

    async fn generate(
        &self,
        name: &str,
        input: &GenerateInput,
    ) -> Result<GenerateOutput, OrchestratorError> {
        let (jobs, job) = (&self.parts.jobs, JobId::new(name)?);
        let options = WorkerOptions {
            worker: self.parts.worker.clone(),
            only: Some(job.clone()),
            ..WorkerOptions::default()
        };
        let runner = jobs.run(all_flows()?, self.steps()?, options).await?;
        let flow = FlowName::try_from(GENERATE_FLOW.to_owned())?;
        let input = serde_json::to_value(input)?;
        let _known = jobs.start(&flow, job.clone(), input, StartOptions::default()).await?;
        let mut events = jobs.watch(&job, EventId(0));
        while events.next().await.transpose()?.is_some() {}
        let ended = jobs.state(&job).await?;
        runner.drain(GRACE).await;
        match ended.map(|job| job.state) {
            Some(JobState::Done { output }) => Ok(serde_json::from_value(output)?),
            Some(JobState::Failed { error: JobError::OverBudget { message } }) => {
                Err(OrchestratorError::OverBudget(message))
            }
            Some(JobState::Failed { error }) => Err(OrchestratorError::NoPlan(error.to_string())),
            Some(other) => Err(OrchestratorError::Stopped(other.name())),
            None => Err(OrchestratorError::Stopped("gone")),
        }
    }
}

fn new_id() -> String {
    // The end of such a name is what differs between two of one moment.
    let name = fresh_job_id().to_string();
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    letters.chars().rev().take(ID_LETTERS).collect::<Vec<_>>().into_iter().rev().collect()
}
