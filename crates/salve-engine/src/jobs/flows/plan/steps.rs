//! The steps of the flow: begin, prompt, answer, merge, note.
//!
//! In: which task, and what was asked. Out: small facts; results go to this disk. The shadow and the held files are
//! kept in this process as long as the plan lasts, and opened again by another process after a crash. Never changes
//! the user's tree but in `merge`.

use super::{Answer, Asked, Asking, Begin, Ended, Merged, Merging, Noting, Page};
use crate::heal::RepairError;
use crate::jobs::{GenerateInput, HealHost};
use crate::plan::machine::{TaskEnd, plan_nodes};
use crate::plan::{
    MergeEnd, PlanInput, PlanReport, PlanWork, ResultFolder, SubTask, SubTaskConflict, SubTaskPlan,
    sub_task_prompt,
};
use salve_jobs::{BadName, DoubtPolicy, JobId, Json, StepError, StepName, Steps};
use salve_store::{PlanNote, PlanTook, Store, StoreError, SubTaskNote};
use salve_types::{Clock, Spend};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) const BEGIN: &str = "plan.begin";
pub(super) const PROMPT: &str = "plan.prompt";
pub(super) const ANSWER: &str = "plan.answer";
pub(super) const MERGE: &str = "plan.merge";
pub(super) const NOTE: &str = "plan.note";

/// How many tasks are in one page of a history.
const PAGE: usize = 100;
/// How many overlaps are shown, and how many letters of each side.
const MOST_CONFLICTS: usize = 10;
const MOST_LETTERS: usize = 1_000;
/// How many files and findings are listed in a report.
const MOST_LISTED: usize = 200;

/// The steps of `Plan`, and what they need.
#[derive(Clone)]
pub struct PlanSteps {
    store: Store,
    host: Arc<dyn HealHost>,
    clock: Arc<dyn Clock>,
    /// Where results and layers are kept.
    folder: PathBuf,
    open: Arc<Mutex<BTreeMap<String, Arc<PlanWork>>>>,
}

impl PlanSteps {
    /// Makes the steps. `folder` is private to the user.
    pub fn new(
        store: Store,
        host: Arc<dyn HealHost>,
        clock: Arc<dyn Clock>,
        folder: PathBuf,
    ) -> Self {
        Self { store, host, clock, folder, open: Arc::default() }
    }

    /// Adds them to others.
    ///
    /// # Errors
    /// Never, as long as the names above are good ones.
    pub fn add_to(&self, steps: Steps) -> Result<Steps, BadName> {
        let own = || self.clone();
        let (begin, prompt, answer, merge, note) = (own(), own(), own(), own(), own());
        Ok(steps
            .with(StepName::new(BEGIN)?, move |_, input| {
                let steps = begin.clone();
                async move { written(&steps.begin(read(input)?).await?) }
            })
            .with(StepName::new(PROMPT)?, move |context, input| {
                let steps = prompt.clone();
                async move { written(&steps.prompt(context.job(), read(input)?).await?) }
            })
            .with(StepName::new(ANSWER)?, move |context, input| {
                let steps = answer.clone();
                async move { written(&steps.answer(context.job(), read(input)?).await?) }
            })
            .with(StepName::new(MERGE)?, move |context, input| {
                let steps = merge.clone();
                async move { written(&steps.merge(context.job(), read(input)?).await?) }
            })
            .with(StepName::new(NOTE)?, move |context, input| {
                let steps = note.clone();
                async move {
                    let noting: Noting = read(input)?;
                    steps.note(context.job(), noting).await?;
                    Ok(Json::Null)
                }
            }))
    }

    async fn begin(&self, begin: Begin) -> Result<Page, StepError> {
        let plan = self.plan(&begin.input).await?;
        let nodes = plan_nodes(&plan).map_err(|error| StepError::fatal(error.to_string()))?;
        let more = nodes.len() > begin.from + PAGE;
        if begin.from == 0 {
            let took = PlanTook {
                execution_order: begin.input.limits.order.name().to_owned(),
                tasks: count(nodes.len()),
                ..PlanTook::default()
            };
            let (plan, status) = (begin.input.plan.clone(), "running".to_owned());
            let tasks = nodes.iter().map(|node| SubTaskNote {
                id: node.id.clone(),
                status: if node.before.is_empty() { "pending" } else { "waiting" }.to_owned(),
                ..SubTaskNote::default()
            });
            let note = PlanNote { plan, status, took, tasks: tasks.collect() };
            self.store.note_plan(note).await.map_err(|error| away(&error))?;
        }
        Ok(Page { nodes: nodes.into_iter().skip(begin.from).take(PAGE).collect(), more })
    }

    async fn prompt(&self, job: &JobId, asking: Asking) -> Result<GenerateInput, StepError> {
        let Asking { input, start, .. } = asking;
        let task = self.task(&input, &start.task).await?;
        let note = SubTaskNote {
            id: start.task.clone(),
            status: "running".to_owned(),
            attempts: u64::from(start.attempt),
            ..SubTaskNote::default()
        };
        self.store.note_sub_task(&input.plan, note).await.map_err(|error| away(&error))?;
        let (now, model, budget, answer_tokens) =
            (self.now(), start.model.clone(), start.budget, input.answer_tokens);
        let (system, text) = self
            .blocking(job, input, move |work| {
                work.hold(&task, now)?;
                let (_, files) = work.seen(&task, &start.sees)?;
                let told =
                    start.sees.iter().filter(|other| task.depends_on.contains(other)).cloned();
                let before = work.outputs(&told.collect::<Vec<_>>())?;
                let failed = work.folder().failure(&task.id)?;
                Ok(sub_task_prompt(&task, &files, &before, failed.as_deref()))
            })
            .await?;
        let text = self.store.put_text(&text).await.map_err(|error| away(&error))?;
        let system = self.store.put_text(&system).await.map_err(|error| away(&error))?;
        Ok(GenerateInput {
            system: Some(system),
            model,
            max_tokens: answer_tokens,
            budget,
            // Starting a plan again is the user's word to go on.
            doubt: DoubtPolicy::Retry,
            unattended: true,
            edits: true,
            ..GenerateInput::new(text)
        })
    }

    async fn answer(&self, job: &JobId, asked: Asked) -> Result<Ended, StepError> {
        let Asked { asking: Asking { input, start, .. }, answer } = asked;
        let task = self.task(&input, &start.task).await?;
        let (spent, text, why) = self.read_answer(answer).await?;
        let over_budget = matches!(&why, Some((_, true)));
        let (sees, own, said) = (start.sees.clone(), task.clone(), why.map(|(why, _)| why));
        let ended = self
            .blocking(job, input.clone(), move |work| {
                let ended = match (text, said) {
                    (Some(text), _) => work.take_answer(&own, &sees, &text)?,
                    (None, why) => {
                        let why = why.unwrap_or_else(|| "the answer is not whole".to_owned());
                        work.folder().note_failure(&own.id, &why)?;
                        Err(why)
                    }
                };
                work.let_go(&own);
                Ok(ended)
            })
            .await?;
        let (end, status, summary) = match ended {
            Ok(output) => (TaskEnd::Completed, "completed", output.summary),
            Err(why) if over_budget => (TaskEnd::OverBudget, "pending", why),
            Err(why) => (TaskEnd::Failed, "failed", why),
        };
        let note = SubTaskNote {
            id: task.id,
            status: status.to_owned(),
            attempts: u64::from(start.attempt),
            tokens: spent.tokens,
            micro_dollars: spent.micro_dollars,
            summary,
        };
        self.store.note_sub_task(&input.plan, note).await.map_err(|error| away(&error))?;
        Ok(Ended { end, spent })
    }

    // What it took, its text where it is whole, and else why not and whether that is the budget's.
    async fn read_answer(
        &self,
        answer: Answer,
    ) -> Result<(Spend, Option<String>, Option<(String, bool)>), StepError> {
        Ok(match answer {
            Answer::Failed { message, over_budget } => {
                (Spend::default(), None, Some((message, over_budget)))
            }
            Answer::Ended(output) => {
                let progress = &output.progress;
                let spent =
                    Spend { tokens: progress.tokens, micro_dollars: progress.micro_dollars };
                let text = match &output.code_result {
                    Some(id) => self.store.text(id).await.map_err(|error| away(&error))?,
                    None => None,
                };
                let why = progress.why.clone().map(|why| (why, false));
                (spent, text, why)
            }
        })
    }

    async fn merge(&self, job: &JobId, merging: Merging) -> Result<Merged, StepError> {
        let Merging { input, order, spent } = merging;
        let request = self.plan(&input).await?.request;
        let label: String = request.lines().next().unwrap_or_default().chars().take(60).collect();
        let now = self.now();
        // A shadow is of the tree as it was when it was opened.
        self.forget(job);
        let end = self
            .blocking(job, input, move |work| {
                let end = work.merge(&order, &label, spent.micro_dollars, now)?;
                if let MergeEnd::Red { tasks, .. } = &end {
                    for (task, why) in tasks {
                        work.folder().note_failure(task, why)?;
                    }
                }
                Ok(end)
            })
            .await?;
        Ok(merged(end))
    }

    async fn note(&self, job: &JobId, noting: Noting) -> Result<(), StepError> {
        let Noting { input, report, tasks, began, stops } = noting;
        let over = input.unattended
            || matches!(report.outcome.as_str(), "completed" | "completed_partial" | "cancelled");
        let ids: Vec<String> = tasks.iter().map(|(id, ..)| id.clone()).collect();
        let whys = self
            .blocking(job, input.clone(), move |work| {
                let why = |id: &String| {
                    Ok::<_, RepairError>(work.folder().failure(id)?.unwrap_or_default())
                };
                ids.iter().map(why).collect::<Result<Vec<_>, _>>()
            })
            .await?;
        let part = |((id, status, attempts, spent), why): (
            (String, crate::plan::SubTaskStatus, u32, Spend),
            String,
        )| {
            SubTaskNote {
                id,
                status: status.name().to_owned(),
                attempts: u64::from(attempts),
                tokens: spent.tokens,
                micro_dollars: spent.micro_dollars,
                summary: why,
            }
        };
        let ms = self.now().saturating_sub(u64::try_from(began.0).unwrap_or(0));
        let spent: u64 = tasks.iter().map(|(.., spent)| spent.micro_dollars).sum();
        let note = PlanNote {
            plan: input.plan,
            status: report.outcome.clone(),
            took: PlanTook {
                execution_order: input.limits.order.name().to_owned(),
                tasks: count(tasks.len()),
                tokens: report.tokens,
                micro_dollars: spent,
                ms,
                stops,
                change: report.change,
            },
            tasks: tasks.into_iter().zip(whys).map(part).collect(),
        };
        self.store.note_plan(note).await.map_err(|error| away(&error))?;
        if over {
            self.forget(job);
        }
        Ok(())
    }

    async fn plan(&self, input: &PlanInput) -> Result<SubTaskPlan, StepError> {
        let kept = self.store.plan(&input.plan).await.map_err(|error| away(&error))?;
        let kept =
            kept.ok_or_else(|| StepError::fatal(format!("there is no plan `{}`", input.plan)))?;
        serde_json::from_value(kept.document).map_err(|error| {
            StepError::fatal(format!("plan `{}` cannot be read: {error}", input.plan))
        })
    }

    async fn task(&self, input: &PlanInput, id: &str) -> Result<SubTask, StepError> {
        let found = self.plan(input).await?.tasks.into_iter().find(|task| task.id == id);
        found.ok_or_else(|| {
            StepError::fatal(format!("plan `{}` has no sub-task `{id}`", input.plan))
        })
    }

    fn forget(&self, job: &JobId) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(job.as_str());
    }

    // Files are read and programs run for minutes, so these steps leave the threads of the runtime alone.
    async fn blocking<T: Send + 'static>(
        &self,
        job: &JobId,
        input: PlanInput,
        act: impl FnOnce(&PlanWork) -> Result<T, RepairError> + Send + 'static,
    ) -> Result<T, StepError> {
        let (steps, job) = (self.clone(), job.clone());
        let done = tokio::task::spawn_blocking(move || act(&*steps.work(&job, &input)?));
        let done = done.await.map_err(|error| StepError::fatal(error.to_string()))?;
        done.map_err(|error| match error {
            RepairError::Busy { .. } => StepError::retryable(error.to_string()),
            _ => StepError::fatal(error.to_string()),
        })
    }

    fn work(&self, job: &JobId, input: &PlanInput) -> Result<Arc<PlanWork>, RepairError> {
        // Held while one is opened: two would take the workspace's lock from each other.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(work) = open.get(job.as_str()) {
            return Ok(Arc::clone(work));
        }
        let folder = ResultFolder::open(&self.folder, &input.plan)?;
        let parts = self.host.open(&input.root)?;
        let work = Arc::new(PlanWork::open(parts, &input.root, job.as_str(), folder)?);
        open.insert(job.as_str().to_owned(), Arc::clone(&work));
        Ok(work)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.clock.now().0).unwrap_or(0)
    }
}

// What a history holds is bounded; the rest is on this disk.
fn merged(end: MergeEnd) -> Merged {
    let mut report = PlanReport::new("");
    match end {
        MergeEnd::Applied { change, mut files, checked_by, warnings } => {
            files.truncate(MOST_LISTED);
            let report = PlanReport { change, files, checked_by, warnings, ..report };
            Merged { report: Some(report), ..Merged::default() }
        }
        MergeEnd::Conflict(conflicts) => {
            let mut conflict: Vec<String> = conflicts.iter().map(|one| one.task.clone()).collect();
            conflict.dedup();
            report.conflicts = conflicts.into_iter().take(MOST_CONFLICTS).map(shown).collect();
            Merged { conflict, report: Some(report), red: None }
        }
        MergeEnd::Red { tasks, mut findings } => {
            findings.truncate(MOST_LISTED);
            report.findings = findings;
            Merged {
                red: Some(tasks.into_keys().collect()),
                report: Some(report),
                conflict: Vec::new(),
            }
        }
    }
}

fn shown(mut conflict: SubTaskConflict) -> SubTaskConflict {
    let short = |text: &mut String| {
        if let Some((at, _)) = text.char_indices().nth(MOST_LETTERS) {
            text.truncate(at);
            text.push('…');
        }
    };
    conflict.sides.truncate(MOST_CONFLICTS);
    for side in &mut conflict.sides {
        [&mut side.present, &mut side.base, &mut side.wanted].into_iter().for_each(short);
    }
    conflict
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn read<T: for<'de> Deserialize<'de>>(input: Json) -> Result<T, StepError> {
    serde_json::from_value(input)
        .map_err(|error| StepError::fatal(format!("the step cannot read its input: {error}")))
}

fn written<T: Serialize>(output: &T) -> Result<Json, StepError> {
    serde_json::to_value(output).map_err(|error| StepError::fatal(error.to_string()))
}

fn away(error: &StoreError) -> StepError {
    StepError::retryable(format!("the plan cannot be reached: {error}"))
}
