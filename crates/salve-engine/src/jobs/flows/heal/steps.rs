//! The steps of the flow: begin, work, prompt, answer, finish.
//!
//! In: where the heal is. Out: where it is then. What a step needs beside its state (the shadow, the
//! workspace's parts) is kept in this process as long as the heal lasts, and opened again by another
//! process after a crash. Never changes the user's tree but in `finish`.

use super::{Answer, Asked, At, Next, Resumed, Turn};
use crate::heal::machine::{HealOptions, Loop, Step, StepResult};
use crate::heal::{
    Finished, HaltReason, HealInput, HealParts, HealWork, Outcome, RepairError, SavedHeal,
    StateFolder, StateId, finish, heed_the_tree, make_prompt, perform, record, take, take_answer,
};
use crate::jobs::{GenerateInput, WhichModel};
use crate::knowledge::{Recalled, Remembering, failed_before, is_known_source, recall};
use salve_jobs::{BadName, DoubtPolicy, JobId, Json, StepError, StepName, Steps};
use salve_store::{Store, StoreError};
use salve_types::{Clock, Spend, SpendLimit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub(super) const BEGIN: &str = "heal.begin";
pub(super) const WORK: &str = "heal.work";
pub(super) const PROMPT: &str = "heal.prompt";
pub(super) const ANSWER: &str = "heal.answer";
pub(super) const FINISH: &str = "heal.finish";
pub(super) const RESUME: &str = "heal.resume";
pub(super) const CLEAR: &str = "heal.clear";

/// Opens workspaces for heals. The process that runs them decides what counts there.
pub trait HealHost: Send + Sync {
    /// Puts the parts together that work on a folder.
    ///
    /// # Errors
    /// When its configuration cannot be used, in words.
    fn open(&self, root: &Path) -> Result<HealParts, RepairError>;
}

/// The steps of `Heal`, and what they need.
#[derive(Clone)]
pub struct HealSteps {
    store: Store,
    host: Arc<dyn HealHost>,
    clock: Arc<dyn Clock>,
    /// Where states and layers are kept.
    folder: PathBuf,
    open: Arc<Mutex<BTreeMap<String, Arc<HealWork>>>>,
}

impl HealSteps {
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
        let (begin, work, prompt, answer, finish) = (own(), own(), own(), own(), own());
        let (resume, clear) = (own(), own());
        Ok(steps
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
            .with(StepName::new(FINISH)?, move |context, input| {
                let steps = finish.clone();
                async move { written(&steps.finish(context.job(), read(input)?).await?) }
            })
            .with(StepName::new(RESUME)?, move |context, input| {
                let steps = resume.clone();
                async move { written(&steps.resume(context.job(), read(input)?).await?) }
            })
            .with(StepName::new(CLEAR)?, move |context, _| {
                let steps = clear.clone();
                async move {
                    steps.clear(context.job());
                    written(&())
                }
            }))
    }

    async fn begin(&self, job: &JobId, at: At) -> Result<Turn, StepError> {
        let workspace = at.input.root.display().to_string();
        let unhealed = self.store.unhealed_counts(&workspace).await;
        let unhealed = unhealed.map_err(|error| unreadable(&error))?;
        let options = HealOptions { unhealed, ..at.input.options.clone() };
        let now = self.now();
        let mut state = SavedHeal::new(Loop::new(options), now);
        self.blocking(job, at, move |here| here.turn(0, &mut state, Vec::new(), now)).await
    }

    async fn work(&self, job: &JobId, at: At) -> Result<Turn, StepError> {
        let now = self.now();
        let recalled = self.recall(job, &at, now).await?;
        self.blocking(job, at, move |here| {
            let (step, mut state) = here.state(now)?;
            if let Some(failed) = recalled.failed.clone() {
                state.machine.note_failed_before(failed);
                state.knows_failures = true;
            }
            let out_of_time = now.saturating_sub(state.began) > here.input.time_limit * 1000;
            let events = if out_of_time {
                take(&mut state.machine, StepResult::Interrupted(HaltReason::TimeLimit))?;
                Vec::new()
            } else {
                perform(&here.work, &mut state, &recalled, now)?
            };
            here.turn(step + 1, &mut state, events, now)
        })
        .await
    }

    // What is known of the errors, where the loop asks for that next, and what failed for them before.
    async fn recall(&self, job: &JobId, at: &At, now: u64) -> Result<Recalled, StepError> {
        let workspace = at.input.root.display().to_string();
        let (step, diagnostics, unknown, trusted) = self
            .blocking(job, at.clone(), move |here| {
                let (_, state) = here.state(now)?;
                let unknown = !state.knows_failures && !state.baseline.is_empty();
                let unknown = unknown.then_some(state.baseline);
                let trusted = here.work.knowledge().trusted_authors.clone();
                Ok((state.machine.next(), state.diagnostics, unknown, trusted))
            })
            .await?;
        let known = async {
            let mut recalled = match step {
                Step::Propose(source) if is_known_source(source) => {
                    recall(&self.store, source, &workspace, &trusted, &diagnostics).await?
                }
                _ => Recalled::default(),
            };
            if let Some(baseline) = unknown {
                recalled.failed = Some(failed_before(&self.store, &workspace, &baseline).await?);
            }
            Ok(recalled)
        };
        known.await.map_err(|error: StoreError| unreadable(&error))
    }

    async fn prompt(&self, job: &JobId, at: At) -> Result<GenerateInput, StepError> {
        let now = self.now();
        let (prompt, ask) = self
            .blocking(job, at, move |here| {
                let (_, state) = here.state(now)?;
                let Step::Ask(ask) = state.machine.next() else {
                    return Err(RepairError::Io("the loop does not ask a model now".to_owned()));
                };
                Ok((make_prompt(&here.work, &state, &ask, &here.input), ask))
            })
            .await?;
        let text = self.store.put_text(&prompt.prompt).await.map_err(|error| unreadable(&error))?;
        let system =
            self.store.put_text(&prompt.system).await.map_err(|error| unreadable(&error))?;
        Ok(GenerateInput {
            system: Some(system),
            model: WhichModel::Role(ask.role),
            max_tokens: Some(prompt.answer_tokens),
            budget: SpendLimit { tokens: Some(ask.tokens), micro_dollars: None },
            // Starting a heal again is the user's word to go on.
            doubt: DoubtPolicy::Retry,
            unattended: true,
            edits: true,
            ..GenerateInput::new(text)
        })
    }

    async fn answer(&self, job: &JobId, asked: Asked) -> Result<Turn, StepError> {
        let Asked { at, answer } = asked;
        let (tokens, micro_dollars) = answer.spent();
        let text = match &answer {
            Answer::Ended(output) => match &output.code_result {
                Some(id) => self.store.text(id).await.map_err(|error| unreadable(&error))?,
                None => None,
            },
            Answer::Failed { .. } => None,
        };
        let now = self.now();
        self.blocking(job, at, move |here| {
            let (step, mut state) = here.state(now)?;
            state.micro_dollars += micro_dollars;
            state.waited = state.asked.take().map_or(0, |since| now.saturating_sub(since));
            let known = state.machine.attempts().len();
            let events = match text {
                Some(text) => take_answer(&here.work, &mut state, &text, tokens)?,
                None => {
                    take(&mut state.machine, without_fix(&answer, tokens))?;
                    Vec::new()
                }
            };
            // An answer without a fix is an attempt already.
            if state.machine.attempts().len() > known {
                let waited = std::mem::take(&mut state.waited);
                state.machine.note_durations(known, &[waited]);
            }
            // What it took counts; a fix of other files than these does not.
            heed_the_tree(&here.work, &mut state)?;
            here.turn(step + 1, &mut state, events, now)
        })
        .await
    }

    async fn finish(&self, job: &JobId, at: At) -> Result<Turn, StepError> {
        let (now, name) = (self.now(), job.to_string());
        let (turn, ended) = self
            .blocking(job, at, move |here| {
                let (step, mut state) = here.state(now)?;
                match finish(&here.work, &here.input, &mut state, &name, now)? {
                    Finished::Again => {
                        Ok((here.turn(step + 1, &mut state, Vec::new(), now)?, None))
                    }
                    Finished::Ended(report) => {
                        let paused = matches!(report.ending, Outcome::Paused { .. });
                        state.paused = paused.then_some(now);
                        let id = here.folder.write(step + 1, &state)?;
                        let next = match paused {
                            true => Next::Paused(report.clone()),
                            false => Next::Ended(report.clone()),
                        };
                        let turn = Turn { state: id, next, events: Vec::new() };
                        let scope = here.work.knowledge().share;
                        Ok((turn, (!paused).then_some((here.input, state, report, scope))))
                    }
                }
            })
            .await?;
        let Some((input, state, mut report, scope)) = ended else {
            // The files are not what the shadow was made of, or nothing is done until a person says so.
            self.forget(job);
            return Ok(turn);
        };
        // A change that holds is not thrown away because it could not be written down.
        if let Err(error) = record(&self.store, job.as_str(), &input, &state, &report).await {
            report.warnings.push(RepairError::Manifest(error.to_string()).to_string());
        }
        let remembering = Remembering {
            store: &self.store,
            heal: job.as_str(),
            workspace: &input.root.display().to_string(),
            scope,
        };
        let spent = Spend { tokens: report.tokens, micro_dollars: state.micro_dollars };
        match remembering.remember(&state.machine, &state.lessons, &report, spent).await {
            Ok(taught) => report.add_taught(&taught),
            Err(error) => {
                report.warnings.push(RepairError::Manifest(error.to_string()).to_string());
            }
        }
        self.forget(job);
        Ok(Turn { next: Next::Ended(report), ..turn })
    }

    async fn resume(&self, job: &JobId, resumed: Resumed) -> Result<Turn, StepError> {
        let Resumed { at, with } = resumed;
        let now = self.now();
        self.blocking(job, at, move |here| {
            let (step, mut state) = here.state(now)?;
            let waited = state.paused.take().map_or(0, |since| now.saturating_sub(since));
            state.began = state.began.saturating_add(waited);
            let limit = state.machine.options().tokens;
            state.machine.resume(with.tokens.unwrap_or(limit).saturating_sub(limit));
            let goes_on = !matches!(state.machine.next(), Step::Done(_));
            if goes_on && here.work.is_paused()? {
                take(&mut state.machine, StepResult::Interrupted(HaltReason::ControlFile))?;
            }
            // Before a model is asked about files that are others now.
            heed_the_tree(&here.work, &mut state)?;
            here.turn(step + 1, &mut state, Vec::new(), now)
        })
        .await
    }

    fn forget(&self, job: &JobId) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(job.as_str());
    }

    // Only once the report is in the history: a step that ends twice needs the state twice.
    fn clear(&self, job: &JobId) {
        if let Ok(folder) = StateFolder::open(&self.folder, job.as_str()) {
            folder.remove();
        }
    }

    // Programs run for minutes, so their steps leave the threads of the runtime alone.
    async fn blocking<T: Send + 'static>(
        &self,
        job: &JobId,
        at: At,
        act: impl FnOnce(Here) -> Result<T, RepairError> + Send + 'static,
    ) -> Result<T, StepError> {
        let (steps, job) = (self.clone(), job.clone());
        let done = tokio::task::spawn_blocking(move || act(steps.here(&job, at)?));
        let done = done.await.map_err(|error| StepError::fatal(error.to_string()))?;
        done.map_err(|error| match error {
            RepairError::Busy { .. } => StepError::retryable(error.to_string()),
            _ => StepError::fatal(error.to_string()),
        })
    }

    fn here(&self, job: &JobId, at: At) -> Result<Here, RepairError> {
        let folder = StateFolder::open(&self.folder, job.as_str())?;
        let known = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().get(job.as_str()).cloned();
        let work = match found {
            Some(work) => work,
            None => {
                let parts = self.host.open(&at.input.root)?;
                let work = HealWork::open(parts, at.input.clone(), job.as_str(), folder.shadow())?;
                Arc::clone(known().entry(job.as_str().to_owned()).or_insert(Arc::new(work)))
            }
        };
        Ok(Here { work, folder, input: at.input, at: at.state })
    }

    fn now(&self) -> u64 {
        u64::try_from(self.clock.now().0).unwrap_or(0)
    }
}

/// A heal in this process.
struct Here {
    work: Arc<HealWork>,
    folder: StateFolder,
    input: HealInput,
    at: Option<StateId>,
}

impl Here {
    // A state that is lost means beginning again; what was spent is in the ledger.
    fn state(&self, now: u64) -> Result<(u32, SavedHeal), RepairError> {
        let id = self.at.as_ref().ok_or_else(|| RepairError::Io("there is no state".to_owned()))?;
        let read = self.folder.read(id)?;
        let fresh = || SavedHeal::new(Loop::new(self.input.options.clone()), now);
        Ok((id.step, read.unwrap_or_else(fresh)))
    }

    fn turn(
        &self,
        step: u32,
        state: &mut SavedHeal,
        events: Vec<Json>,
        now: u64,
    ) -> Result<Turn, RepairError> {
        state.asked = matches!(state.machine.next(), Step::Ask(_)).then_some(now);
        let id = self.folder.write(step, state)?;
        let next = match state.machine.next() {
            Step::Ask(ask) => Next::Ask(ask.number),
            Step::Done(_) => Next::Finish,
            _ => Next::Work,
        };
        Ok(Turn { state: id, next, events })
    }
}

// What an answer that is no whole text means.
fn without_fix(answer: &Answer, tokens: u64) -> StepResult {
    match answer {
        _ if answer.is_over_budget() => StepResult::Interrupted(HaltReason::Budget),
        Answer::Ended(output) => {
            let why = output.progress.why.clone();
            let unusable = Some(why.unwrap_or_else(|| "the answer is not whole".to_owned()));
            StepResult::Answered { candidates: Vec::new(), unusable, tokens }
        }
        Answer::Failed { message, .. } => StepResult::NoAnswer { message: message.clone(), tokens },
    }
}

fn read<T: for<'de> Deserialize<'de>>(input: Json) -> Result<T, StepError> {
    serde_json::from_value(input)
        .map_err(|error| StepError::fatal(format!("the step cannot read its input: {error}")))
}

fn written<T: Serialize>(output: &T) -> Result<Json, StepError> {
    serde_json::to_value(output).map_err(|error| StepError::fatal(error.to_string()))
}

fn unreadable(error: &StoreError) -> StepError {
    StepError::retryable(format!("the texts of the heal cannot be reached: {error}"))
}
