//! The steps of a block that works in parts: ask how to split, keep the plan, take what it came to.
//!
//! In: where the workflow is, and what a model or the plan answered. Out: a plan that is kept, then where the
//! workflow is. A plan of a workflow asks nobody: where a person would decide, it ends, and the block has its signal.
//! Never plans where files may not be written.

use super::steps::{FlowSteps, given, read, unreadable, written};
use super::{Asked, At, Here, InParts, NoAnswer, Split};
use crate::jobs::{GenerateInput, WhichModel};
use crate::plan::machine::PlanLimits;
use crate::plan::{Granularity, PlanInput, plan_question, plan_schema, read_tasks};
use crate::session::map_of_folder;
use crate::workflow::work::take_plan;
use salve_jobs::{BadName, DoubtPolicy, JobId, StepError, StepName, Steps};
use salve_store::NewPlan;
use serde_json::json;

pub(super) const SPLIT_ASK: &str = "flow.split.ask";
pub(super) const SPLIT: &str = "flow.split";
pub(super) const SPLIT_DONE: &str = "flow.split.done";

const NOT_ALLOWED: &str = "work in parts writes files, which is not allowed here";

impl FlowSteps {
    /// Adds these steps to others.
    ///
    /// # Errors
    /// Never, as long as the names above are good ones.
    pub(super) fn add_parts_to(&self, steps: Steps) -> Result<Steps, BadName> {
        let (ask, split, done) = (self.clone(), self.clone(), self.clone());
        Ok(steps
            .with(StepName::new(SPLIT_ASK)?, move |context, input| {
                let steps = ask.clone();
                async move { written(&steps.split_question(context.job(), read(input)?).await?) }
            })
            .with(StepName::new(SPLIT)?, move |context, input| {
                let steps = split.clone();
                async move { written(&steps.split(context.job(), read(input)?).await?) }
            })
            .with(StepName::new(SPLIT_DONE)?, move |context, input| {
                let steps = done.clone();
                async move { written(&steps.split_done(context.job(), read(input)?).await?) }
            }))
    }

    // Nothing where files may not be written: then no model is asked.
    async fn split_question(
        &self,
        job: &JobId,
        at: At,
    ) -> Result<Option<GenerateInput>, StepError> {
        if !at.input.apply {
            return Ok(None);
        }
        let (default, now) = (at.input.model.clone(), self.now());
        let (question, role, budget) = self
            .blocking(job, at, move |place| {
                let (_, saved) = place.state()?;
                let given = given(&saved, now, false)?;
                let map = map_of_folder(place.work.root(), &saved.request, None)?;
                let question = plan_question(&saved.request, &map, Granularity::Medium);
                Ok((question, given.block.options.role, saved.machine.left()))
            })
            .await?;
        let (system, prompt) = question;
        Ok(Some(GenerateInput {
            system: Some(self.put(&system).await?),
            model: role.map(WhichModel::Role).or(default).unwrap_or_default(),
            json: true,
            schema: Some(plan_schema()),
            budget,
            doubt: DoubtPolicy::Retry,
            unattended: true,
            ..GenerateInput::new(self.put(&prompt).await?)
        }))
    }

    async fn split(&self, job: &JobId, asked: Asked) -> Result<Split, StepError> {
        let Asked { at, answer } = asked;
        let generated = self.generated(answer).await?;
        let spent = generated.spent;
        let none = |message: String| {
            let over_budget = generated.over_budget;
            Split { plan: Err(NoAnswer { message, over_budget }), spent }
        };
        let Some(text) = &generated.text else {
            let why = generated.why.clone().filter(|why| !why.is_empty());
            return Ok(none(why.unwrap_or_else(|| NOT_ALLOWED.to_owned())));
        };
        let root = at.input.root.clone();
        let (number, request, left) = self
            .blocking(job, at, move |place| {
                let (step, saved) = place.state()?;
                Ok((step, saved.request, saved.machine.left().less(spent)))
            })
            .await?;
        let plan = match read_tasks(text, &request, Granularity::Medium) {
            Ok(plan) => plan,
            Err(error) => return Ok(none(error.to_string())),
        };
        let limits =
            PlanLimits { order: plan.execution_order, budget: left, ..PlanLimits::default() };
        let id = format!("{}-{number}", job.as_str().replace('/', "-"));
        let document =
            serde_json::to_value(&plan).map_err(|error| StepError::fatal(error.to_string()))?;
        let new = NewPlan {
            id: id.clone(),
            workspace: root.display().to_string(),
            session: None,
            document,
            estimate: json!({ "reason": "a block of a workflow" }),
        };
        // One that has begun is the same, kept by a process that died before it could say so.
        let _is_new = self.store.put_plan(new).await.map_err(|error| unreadable(&error))?;
        let plan = PlanInput { root, plan: id, limits, answer_tokens: None, unattended: true };
        Ok(Split { plan: Ok(Box::new(plan)), spent })
    }

    async fn split_done(&self, job: &JobId, done: InParts) -> Result<Here, StepError> {
        let InParts { at, report, spent } = done;
        let (now, is_allowed) = (self.now(), at.input.apply);
        self.blocking(job, at, move |place| {
            place.step(|_, _, saved| {
                saved.needs_approval |= !is_allowed;
                let (report, over_budget) = match report {
                    Ok(report) => (Ok(*report), false),
                    Err(none) => (Err(none.message), none.over_budget),
                };
                let mut done = take_plan(given(saved, now, false)?, report, spent);
                done.over_budget |= over_budget;
                saved.take(done);
                Ok(())
            })
        })
        .await
    }
}
