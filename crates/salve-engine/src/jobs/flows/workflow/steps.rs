//! The steps of the flow: begin, work, prompt, answer, heal, finish.
//!
//! In: where the workflow is. Out: where it is then. Each step keeps the state after it on this disk before it says
//! so: done again after a crash, a block that was decided is what it was decided to be. Never writes a file or runs a
//! command twice.

use super::{Asked, At, Healed, Here, Next, NoAnswer};
use crate::heal::{HealInput, RepairError, StateFolder, StateId, Then};
use crate::jobs::{GenerateCaps, GenerateInput, GenerateOutput, HealHost, StopCode, WhichModel};
use crate::workflow::machine::{BlockDone, FlowMachine, FlowStep};
use crate::workflow::work::{
    FlowWork, Generated, Given, Performed, schema_of, segment, take_generated, take_heal,
};
use crate::workflow::{BlockRun, FlowReport, StepLine, Worker, code_prompt};
use salve_jobs::{BadName, DoubtPolicy, JobId, Json, StepError, StepName, Steps};
use salve_store::{Store, StoreError};
use salve_types::{Clock, SegmentKind, Spend};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

pub(super) const BEGIN: &str = "flow.begin";
pub(super) const WORK: &str = "flow.work";
pub(super) const PROMPT: &str = "flow.prompt";
pub(super) const ANSWER: &str = "flow.answer";
pub(super) const HEAL: &str = "flow.heal";
pub(super) const HEALED: &str = "flow.healed";
pub(super) const FINISH: &str = "flow.finish";
pub(super) const CLEAR: &str = "flow.clear";

/// A workflow between two steps, on this disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SavedFlow {
    pub(super) machine: FlowMachine,
    /// The words of the request.
    pub(super) request: String,
    /// The hash of the target when the model was asked.
    base: Option<String>,
    /// Whether a person would have to allow something.
    pub(super) needs_approval: bool,
}

/// The steps of `Flow`, and what they need.
#[derive(Clone)]
pub struct FlowSteps {
    pub(super) store: Store,
    host: Arc<dyn HealHost>,
    clock: Arc<dyn Clock>,
    /// Where states are kept.
    folder: PathBuf,
}

impl FlowSteps {
    /// Makes the steps. `folder` is private to the user.
    pub fn new(
        store: Store,
        host: Arc<dyn HealHost>,
        clock: Arc<dyn Clock>,
        folder: PathBuf,
    ) -> Self {
        Self { store, host, clock, folder }
    }

    /// Adds them to others.
    ///
    /// # Errors
    /// Never, as long as the names above are good ones.
    pub fn add_to(&self, steps: Steps) -> Result<Steps, BadName> {
        let own = || self.clone();
        let (begin, work, prompt, answer) = (own(), own(), own(), own());
        let (heal, healed, finish, clear) = (own(), own(), own(), own());
        Ok(self
            .add_parts_to(steps)?
            .with(StepName::new(BEGIN)?, move |context, input| {
                let steps = begin.clone();
                async move { written(&steps.begin(context.job(), read(input)?).await?) }
            })
            .with(StepName::new(WORK)?, move |context, input| {
                let steps = work.clone();
                async move { written(&steps.work(context.job(), read(input)?).await?) }
            })
            .with(StepName::new(PROMPT)?, move |context, input| {
                let steps = prompt.clone();
                async move { written(&steps.prompt(context.job(), read(input)?).await?) }
            })
            .with(StepName::new(ANSWER)?, move |context, input| {
                let steps = answer.clone();
                async move { written(&steps.answer(context.job(), read(input)?).await?) }
            })
            .with(StepName::new(HEAL)?, move |context, input| {
                let steps = heal.clone();
                async move { written(&steps.heal(context.job(), read(input)?).await?) }
            })
            .with(StepName::new(HEALED)?, move |context, input| {
                let steps = healed.clone();
                async move { written(&steps.healed(context.job(), read(input)?).await?) }
            })
            .with(StepName::new(FINISH)?, move |context, input| {
                let steps = finish.clone();
                async move { written(&steps.finish(context.job(), read(input)?).await?) }
            })
            .with(StepName::new(CLEAR)?, move |context, _| {
                let steps = clear.clone();
                async move {
                    steps.clear(context.job());
                    written(&())
                }
            }))
    }

    async fn begin(&self, job: &JobId, at: At) -> Result<Here, StepError> {
        let request = self.store.text(&at.input.request).await;
        let request = request.map_err(|error| unreadable(&error))?.unwrap_or_default();
        let now = self.now();
        self.blocking(job, at, move |place| {
            if let Some(found) = place.found(0)? {
                return Ok(found);
            }
            let payload = vec![segment(SegmentKind::Request, request.clone(), now)];
            let machine = FlowMachine::new(place.work.input().manifest.clone(), payload);
            place.keep(0, SavedFlow { machine, request, base: None, needs_approval: false })
        })
        .await
    }

    async fn work(&self, job: &JobId, at: At) -> Result<Here, StepError> {
        let now = self.now();
        self.blocking(job, at, move |place| {
            place.step(|place, step, saved| {
                let begun = runs_once(saved) && place.folder.was_begun(step)?;
                let performed = {
                    let given = given(saved, now, begun)?;
                    place.work.perform(given)?
                };
                let Performed { done, needs_approval } = performed;
                saved.needs_approval |= needs_approval;
                saved.take(done);
                Ok(())
            })
        })
        .await
    }

    // Nothing where there is no file to write: then no model is asked.
    async fn prompt(&self, job: &JobId, at: At) -> Result<Option<GenerateInput>, StepError> {
        let now = self.now();
        let default = at.input.model.clone();
        let made = self
            .blocking(job, at, move |place| {
                let (_, saved) = place.state()?;
                let given = given(&saved, now, false)?;
                let Ok(target) = place.work.target(&saved.request) else { return Ok(None) };
                let schema = schema_of(saved.machine.manifest(), given.block)?;
                let schema = schema.as_ref().map(|(schema, carrier)| (schema.source(), *carrier));
                let file = (Some(target.path.as_str()), target.text.as_deref());
                let prompt = code_prompt(given.block, given.request, file, schema, given.payload);
                Ok(Some((prompt, given.block.options.role, saved.machine.left())))
            })
            .await?;
        let Some((prompt, role, budget)) = made else { return Ok(None) };
        let model = role.map(WhichModel::Role).or(default).unwrap_or_default();
        Ok(Some(GenerateInput {
            system: Some(self.put(&prompt.system).await?),
            model,
            budget,
            // Starting a flow again is the user's word to go on.
            doubt: DoubtPolicy::Retry,
            unattended: true,
            // What does not fit is the business of the block: it goes on by its transition.
            caps: GenerateCaps { reworks: 0, ..GenerateCaps::default() },
            ..GenerateInput::new(self.put(&prompt.prompt).await?)
        }))
    }

    async fn answer(&self, job: &JobId, asked: Asked) -> Result<Here, StepError> {
        let Asked { at, answer } = asked;
        let generated = self.generated(answer).await?;
        let now = self.now();
        self.blocking(job, at, move |place| {
            place.step(|place, _, saved| {
                let mut generated = generated;
                if generated.why.as_deref() == Some("") {
                    generated.why = place.work.target(&saved.request).err();
                }
                let done = {
                    let given = given(saved, now, false)?;
                    take_generated(saved.machine.manifest(), given, generated)?
                };
                saved.take(done);
                Ok(())
            })
        })
        .await
    }

    /// Returns a model's answer with its text.
    pub(super) async fn generated(
        &self,
        answer: Result<Box<GenerateOutput>, NoAnswer>,
    ) -> Result<Generated, StepError> {
        let output = match answer {
            Ok(output) => output,
            Err(NoAnswer { message, over_budget }) => {
                let (why, spent) = (Some(message), Spend::default());
                return Ok(Generated { text: None, why, cut: false, spent, over_budget });
            }
        };
        let text = match &output.code_result {
            Some(id) => self.store.text(id).await.map_err(|error| unreadable(&error))?,
            None => None,
        };
        let progress = output.progress;
        Ok(Generated {
            cut: text.is_none() && progress.code.is_none(),
            over_budget: text.is_none() && progress.code == Some(StopCode::OverBudget),
            why: progress.why,
            text,
            spent: Spend { tokens: progress.tokens, micro_dollars: progress.micro_dollars },
        })
    }

    async fn heal(&self, job: &JobId, at: At) -> Result<HealInput, StepError> {
        let input = at.input.clone();
        let left = self.blocking(job, at, |place| Ok(place.state()?.1.machine.left())).await?;
        let mut options = input.heal;
        options.tokens = left.tokens.map_or(options.tokens, |left| left.min(options.tokens));
        let wanted = serde_json::json!({ "root": input.root, "here": input.here });
        let heal: HealInput =
            serde_json::from_value(wanted).map_err(|error| StepError::fatal(error.to_string()))?;
        Ok(HealInput {
            options,
            then: if input.apply { Then::Apply } else { Then::Show },
            commands: input.commands,
            ..heal
        })
    }

    async fn healed(&self, job: &JobId, healed: Healed) -> Result<Here, StepError> {
        let Healed { at, report } = healed;
        let now = self.now();
        self.blocking(job, at, move |place| {
            place.step(|_, _, saved| {
                let report = report.map(|report| *report);
                saved.needs_approval |= report.as_ref().is_ok_and(|report| report.held);
                let done = take_heal(given(saved, now, false)?, report);
                saved.take(done);
                Ok(())
            })
        })
        .await
    }

    async fn finish(&self, job: &JobId, at: At) -> Result<Here, StepError> {
        let now = self.now();
        let (id, mut report, trace) = self
            .blocking(job, at, move |place| {
                let (step, saved) = place.state()?;
                let report = place.report(&saved, now)?;
                Ok((StateId { step, ..place.id()? }, report, saved.machine.trace().to_vec()))
            })
            .await?;
        let trace =
            serde_json::to_string(&trace).map_err(|error| StepError::fatal(error.to_string()))?;
        report.trace = self.put(&trace).await?;
        Ok(Here { state: id, next: Next::Ended(Box::new(report)), events: Vec::new() })
    }

    fn clear(&self, job: &JobId) {
        if let Ok(folder) = StateFolder::open(&self.folder, job.as_str()) {
            folder.remove();
        }
    }

    pub(super) async fn put(&self, text: &str) -> Result<String, StepError> {
        self.store.put_text(text).await.map_err(|error| unreadable(&error))
    }

    // Programs run for minutes, so their steps leave the threads of the runtime alone.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        job: &JobId,
        at: At,
        act: impl FnOnce(Place) -> Result<T, RepairError> + Send + 'static,
    ) -> Result<T, StepError> {
        let (steps, job) = (self.clone(), job.clone());
        let done = tokio::task::spawn_blocking(move || act(steps.place(&job, at)?));
        let done = done.await.map_err(|error| StepError::fatal(error.to_string()))?;
        done.map_err(|error| match error {
            RepairError::Busy { .. } => StepError::retryable(error.to_string()),
            _ => StepError::fatal(error.to_string()),
        })
    }

    fn place(&self, job: &JobId, at: At) -> Result<Place, RepairError> {
        let folder = StateFolder::open(&self.folder, job.as_str())?;
        let parts = self.host.open(&at.input.root)?;
        let work = FlowWork::new(parts, at.input, job.as_str());
        Ok(Place { work, folder, at: at.state })
    }

    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.clock.now().0).unwrap_or(0)
    }
}

/// A workflow in this process.
pub(super) struct Place {
    pub(super) work: FlowWork,
    folder: StateFolder,
    at: Option<StateId>,
}

impl Place {
    fn id(&self) -> Result<StateId, RepairError> {
        self.at.clone().ok_or_else(|| RepairError::Io("there is no state".to_owned()))
    }

    pub(super) fn state(&self) -> Result<(u32, SavedFlow), RepairError> {
        let id = self.id()?;
        let lost = || RepairError::Io("the state of the flow is lost; start it again".to_owned());
        Ok((id.step, self.folder.read(&id)?.ok_or_else(lost)?))
    }

    // One step, unless it was decided by a process that died before it could say so.
    pub(super) fn step(
        self,
        act: impl FnOnce(&Self, u32, &mut SavedFlow) -> Result<(), RepairError>,
    ) -> Result<Here, RepairError> {
        let (step, mut saved) = self.state()?;
        if let Some(found) = self.found(step + 1)? {
            return Ok(found);
        }
        act(&self, step, &mut saved)?;
        self.keep(step + 1, saved)
    }

    fn found(&self, step: u32) -> Result<Option<Here>, RepairError> {
        let found = self.folder.found::<SavedFlow>(step)?;
        Ok(found.map(|(id, saved)| here(id, &saved)))
    }

    fn keep(&self, step: u32, mut saved: SavedFlow) -> Result<Here, RepairError> {
        if let FlowStep::Run(block) = saved.machine.next()
            && block.worker == Worker::CodeGenerator
        {
            saved.base = self.work.target(&saved.request).ok().and_then(|target| target.hash);
        }
        let id = self.folder.write(step, &saved)?;
        Ok(here(id, &saved))
    }

    fn report(&self, saved: &SavedFlow, now: u64) -> Result<FlowReport, RepairError> {
        let machine = &saved.machine;
        let FlowStep::Done(end) = machine.next() else {
            return Err(RepairError::Io("the flow is not over".to_owned()));
        };
        let end = end.clone();
        let changes: Vec<String> =
            machine.trace().iter().filter_map(|run| run.change.clone()).collect();
        let (taken_back, why) = match end.code {
            None => (Vec::new(), None),
            Some(_) => self.work.take_back(&changes, now)?,
        };
        let changes = changes.into_iter().filter(|id| !taken_back.contains(id)).collect();
        let path = self.work.target(&saved.request).ok().map(|target| target.path);
        let Spend { tokens, micro_dollars } = machine.spent();
        Ok(FlowReport {
            end,
            steps: machine.trace().iter().map(line).collect(),
            path,
            changes,
            taken_back,
            needs_approval: saved.needs_approval,
            tokens,
            micro_dollars,
            trace: String::new(),
            warnings: why.into_iter().collect(),
        })
    }
}

impl SavedFlow {
    pub(super) fn take(&mut self, mut done: BlockDone) {
        done.stages.push("transition".to_owned());
        self.machine.take(done);
    }
}

fn here(id: StateId, saved: &SavedFlow) -> Here {
    let machine = &saved.machine;
    let ended = machine.trace().last().map(|run| serde_json::json!({ "ended": line(run) }));
    let (next, begins) = match machine.next() {
        FlowStep::Done(_) => (Next::Finish, None),
        FlowStep::Run(block) => {
            let number = u32::try_from(machine.trace().len()).unwrap_or(u32::MAX);
            let next = match block.worker {
                Worker::CodeGenerator => Next::Ask(number),
                Worker::SubPlan => Next::Split(number),
                Worker::Heal => Next::Heal,
                _ => Next::Work,
            };
            let run = machine.run_of(&block.name);
            let begins = serde_json::json!({ "begins": {
                "block": block.name, "worker": block.worker.name(), "run": run,
            }});
            (next, Some(begins))
        }
    };
    Here { state: id, next, events: ended.into_iter().chain(begins).collect() }
}

fn line(run: &BlockRun) -> StepLine {
    StepLine {
        block: run.block.clone(),
        worker: run.worker.clone(),
        run: run.run,
        signal: run.signal,
        next: run.next.clone(),
    }
}

pub(super) fn given(saved: &SavedFlow, now: u64, begun: bool) -> Result<Given<'_>, RepairError> {
    let machine = &saved.machine;
    let FlowStep::Run(block) = machine.next() else {
        return Err(RepairError::Io("the flow is over".to_owned()));
    };
    Ok(Given {
        block,
        payload: machine.payload(),
        request: &saved.request,
        number: u32::try_from(machine.trace().len()).unwrap_or(u32::MAX).saturating_add(1),
        rework: machine.rework(&block.name),
        base: saved.base.as_deref(),
        begun,
        now,
    })
}

// What must not be done twice; a file that was written is found in the history of the workspace.
fn runs_once(saved: &SavedFlow) -> bool {
    matches!(saved.machine.next(), FlowStep::Run(block) if block.worker == Worker::Command)
}

pub(super) fn read<T: for<'de> Deserialize<'de>>(input: Json) -> Result<T, StepError> {
    serde_json::from_value(input)
        .map_err(|error| StepError::fatal(format!("the step cannot read its input: {error}")))
}

pub(super) fn written<T: Serialize>(output: &T) -> Result<Json, StepError> {
    serde_json::to_value(output).map_err(|error| StepError::fatal(error.to_string()))
}

pub(super) fn unreadable(error: &StoreError) -> StepError {
    StepError::retryable(format!("the texts of the flow cannot be reached: {error}"))
}
