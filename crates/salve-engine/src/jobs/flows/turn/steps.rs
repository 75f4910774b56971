//! The steps of the flow: begin, work, prompt, answer, heal, finish.
//!
//! In: where the turn is. Out: where it is then. Each step first keeps the state after it on this disk, together
//! with what goes into the store, then writes that once under a key of its own: done again after a crash, a step
//! that was decided writes what it had decided. Never applies or runs anything twice.

mod upload;

use super::{Answer, Asked, At, Healed, Here, Next, Resumed, drawing};
use crate::heal::{HealInput, RepairError, StateFolder, StateId, Then};
use crate::jobs::{
    GenerateCaps, GenerateInput, HealHost, ModelSource, SaidBefore, ShownIn, StopCode,
};
use crate::session::machine::{Interruption, TurnMachine, TurnOptions, TurnResult, TurnStep};
use crate::session::{
    Effects, EventName, FileRegistry, HelpQuestion, Inherited, NewAnswer, Question, RegistryEntry,
    SavedTurn, SessionFacts, TurnEvent, TurnInput, TurnWork, answer_question, begin_drawing,
    finish, help_question, inherited, offer_handoff, perform, steering, supervisor_question,
    take_answer, take_heal, take_help, take_result, take_supervision, window_used,
};
use salve_jobs::{BadName, DoubtPolicy, JobId, Json, StepError, StepName, Steps};
use salve_model::FilePart;
use salve_store::{
    NewAudit, NewSessionEvent, SessionRecord, SessionUpdate, SessionWrite, Store, StoreError,
    TurnRecord, TurnUpdate,
};
use salve_types::{Clock, FileOpKind, TurnStatus};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) const BEGIN: &str = "turn.begin";
pub(super) const WORK: &str = "turn.work";
pub(super) const UPLOAD: &str = "turn.upload";
pub(super) const PROMPT: &str = "turn.prompt";
pub(super) const ANSWER: &str = "turn.answer";
pub(super) const SUPERVISOR: &str = "turn.supervisor";
pub(super) const SUPERVISED: &str = "turn.supervised";
pub(super) const HEAL: &str = "turn.heal";
pub(super) const HEALED: &str = "turn.healed";
pub(super) const HELP: &str = "turn.help";
pub(super) const HELPED: &str = "turn.helped";
pub(super) const DRAW: &str = "turn.draw";
pub(super) const DRAWN: &str = "turn.drawn";
pub(super) const FINISH: &str = "turn.finish";
pub(super) const RESUME: &str = "turn.resume";

/// How often a model is asked for help whose provider fails.
const HELP_ATTEMPTS: u32 = 2;
/// How many files of earlier turns are attached again.
const KNOWN_FILES: usize = 8;

/// The steps of `Turn`, and what they need.
#[derive(Clone)]
pub struct TurnSteps {
    pub(super) store: Store,
    host: Arc<dyn HealHost>,
    clock: Arc<dyn Clock>,
    /// Where states are kept.
    folder: PathBuf,
    /// Who can be given files.
    models: Option<Arc<dyn ModelSource>>,
}

/// Adds a step that is a method of these steps.
macro_rules! step {
    ($steps:expr, $own:expr, $name:expr, $method:ident) => {{
        let own = $own.clone();
        $steps.with(StepName::new($name)?, move |context, input| {
            let steps = own.clone();
            async move { written(&steps.$method(context.job(), read(input)?).await?) }
        })
    }};
}

impl TurnSteps {
    /// Makes the steps. `folder` is private to the user.
    pub fn new(
        store: Store,
        host: Arc<dyn HealHost>,
        clock: Arc<dyn Clock>,
        folder: PathBuf,
    ) -> Self {
        Self { store, host, clock, folder, models: None }
    }

    /// Adds those who can be given files.
    #[must_use]
    pub fn with_models(self, models: Arc<dyn ModelSource>) -> Self {
        Self { models: Some(models), ..self }
    }

    /// Adds them to others.
    ///
    /// # Errors
    /// Never, as long as the names above are good ones.
    pub fn add_to(&self, steps: Steps) -> Result<Steps, BadName> {
        let steps = step!(steps, self, BEGIN, begin);
        let steps = step!(steps, self, WORK, work);
        let steps = step!(steps, self, UPLOAD, upload);
        let steps = step!(steps, self, PROMPT, prompt);
        let steps = step!(steps, self, ANSWER, answer);
        let steps = step!(steps, self, SUPERVISOR, supervisor);
        let steps = step!(steps, self, SUPERVISED, supervised);
        let steps = step!(steps, self, HEAL, heal);
        let steps = step!(steps, self, HEALED, healed);
        let steps = step!(steps, self, HELP, help);
        let steps = step!(steps, self, HELPED, helped);
        let steps = step!(steps, self, DRAW, draw);
        let steps = step!(steps, self, DRAWN, drawn);
        let steps = step!(steps, self, FINISH, finish);
        Ok(step!(steps, self, RESUME, resume))
    }

    async fn begin(&self, job: &JobId, at: At) -> Result<Here, StepError> {
        let saved = self.fresh(&at).await?;
        let begun = self.blocking(job, at, move |here| match here.found(0)? {
            Some(found) => Ok(found),
            None => here.keep(0, saved),
        });
        self.kept(begun.await?).await
    }

    // A turn of which nothing is known yet.
    pub(super) async fn fresh(&self, at: &At) -> Result<SavedTurn, StepError> {
        let session = &at.input.session;
        let turn = self.turn(at).await?;
        let todos = self.store.todos(session).await.map_err(|error| unreadable(&error))?;
        let log = self.store.file_operations(session).await.map_err(|error| unreadable(&error))?;
        let machine = TurnMachine::new(options_of(&at.input, &turn));
        let mut saved = SavedTurn::new(machine, turn.text, todos, at.input.attended);
        saved.images = u32::try_from(turn.images.len()).unwrap_or(u32::MAX);
        if let Some(help) = &at.input.help.draw {
            begin_drawing(&mut saved, help);
        }
        if saved.machine.options().plan && !saved.machine.draws() {
            saved.effects.say(TurnEvent::planning());
        }
        let registry = FileRegistry::fold(&log, &BTreeMap::new());
        let known = |file: &RegistryEntry| Some((file.path.clone(), file.hash.clone()?));
        saved.seen = registry.entries().filter_map(known).collect();
        saved.effects.status = Some(TurnStatus::Running);
        let inherited =
            self.inherited(at).await?.filter(|before| before.last_turn + 1 == turn.index);
        // The first turn gets the files that were changed, and others when they are named.
        if let Some(before) = inherited {
            saved.inherited = before.modified;
            return Ok(saved);
        }
        for operation in log.iter().rev().filter(|one| one.op != FileOpKind::Delete) {
            if saved.known.len() < KNOWN_FILES && !saved.known.contains(&operation.path) {
                saved.known.push(operation.path.clone());
            }
        }
        Ok(saved)
    }

    async fn work(&self, job: &JobId, at: At) -> Result<Here, StepError> {
        let (now, fresh) = (self.now(), self.fresh(&at).await?);
        let done = self.blocking(job, at, move |here| {
            here.step(fresh, |here, step, saved| {
                perform(&here.work, saved, now, || Ok(here.folder.was_begun(step)?))
            })
        });
        self.kept(done.await?).await
    }

    async fn prompt(&self, job: &JobId, at: At) -> Result<GenerateInput, StepError> {
        let input = at.input.clone();
        let turn = self.turn(&at).await?;
        let facts = self.facts(&at).await?;
        let question = self.blocking(job, at, move |here| {
            let (_, Some(saved)) = here.state()? else { return Err(lost()) };
            let TurnStep::Ask(ask) = saved.machine.next() else {
                return Err(RepairError::Io("the turn does not ask a model now".to_owned()));
            };
            let question = answer_question(&here.work, &saved, &ask, &facts)?;
            Ok((question, saved.machine.left(), saved.uploads.files))
        });
        let (Question { system, prompt, history }, budget, uploaded) = question.await?;
        let mut said = Vec::new();
        for (by_model, text) in history {
            said.push(SaidBefore { by_model, text: self.put(&text).await? });
        }
        Ok(GenerateInput {
            system: Some(self.put(&system).await?),
            model: input.model.clone(),
            budget,
            // Going on with a turn is the user's word.
            doubt: DoubtPolicy::Retry,
            session: Some(input.session.to_string()),
            history: said,
            images: turn.images,
            files: uploaded
                .into_iter()
                .map(|file| FilePart { id: file.file_id, bytes: file.size })
                .collect(),
            shown_in: Some(ShownIn { session: input.session, turn: turn.index }),
            unattended: true,
            edits: true,
            ..GenerateInput::new(self.put(&prompt).await?)
        })
    }

    // A short question: what came of a command, and what is left.
    async fn supervisor(&self, job: &JobId, at: At) -> Result<GenerateInput, StepError> {
        let input = at.input.clone();
        let question = self.blocking(job, at, |here| {
            let (_, Some(saved)) = here.state()? else { return Err(lost()) };
            Ok((supervisor_question(&saved)?, saved.machine.left()))
        });
        let (Question { system, prompt, .. }, budget) = question.await?;
        Ok(GenerateInput {
            system: Some(self.put(&system).await?),
            model: input.model,
            budget,
            doubt: DoubtPolicy::Retry,
            session: Some(input.session.to_string()),
            unattended: true,
            ..GenerateInput::new(self.put(&prompt).await?)
        })
    }

    async fn supervised(&self, job: &JobId, asked: Asked) -> Result<Here, StepError> {
        let Asked { at, answer, .. } = asked;
        let new = self.new_answer(answer).await?;
        let fresh = self.fresh(&at).await?;
        let done = self.blocking(job, at, move |here| {
            here.step(fresh, |_, _, saved| take_supervision(saved, new))
        });
        self.kept(done.await?).await
    }

    // What the session knows beside the turn.
    async fn facts(&self, at: &At) -> Result<SessionFacts, StepError> {
        let session = &at.input.session;
        let failed = |error: StoreError| unreadable(&error);
        let turns = self.store.turns(session).await.map_err(failed)?;
        let mut past = Vec::new();
        for turn in turns {
            if turn.index >= at.input.turn || turn.rewound {
                continue;
            }
            let raw = match &turn.raw {
                Some(id) => self.store.text(id).await.map_err(failed)?,
                None => None,
            };
            past.push((with_images(turn.text, turn.images.len()), raw.unwrap_or_default()));
        }
        let operations = self.store.file_operations(session).await.map_err(failed)?;
        let template = match &at.input.template {
            Some(id) => self.store.text(id).await.map_err(failed)?,
            None => None,
        };
        let handoff = self.inherited(at).await?.map(|before| before.context).unwrap_or_default();
        let window = self.window(at).await?;
        let guidance = steering(&self.store, session).await.map_err(failed)?.guidance;
        Ok(SessionFacts { past, operations, template, window, handoff, guidance })
    }

    async fn session(&self, at: &At) -> Result<SessionRecord, StepError> {
        let id = &at.input.session;
        let found = self.store.session(id).await.map_err(|error| unreadable(&error))?;
        found.ok_or_else(|| StepError::fatal(format!("there is no session {id}")))
    }

    async fn inherited(&self, at: &At) -> Result<Option<Inherited>, StepError> {
        let session = self.session(at).await?;
        inherited(&self.store, &session).await.map_err(|error| unreadable(&error))
    }

    async fn window(&self, at: &At) -> Result<u64, StepError> {
        Ok(self.session(at).await?.extended_limit.unwrap_or(at.input.window))
    }

    // How full the window is, where a handoff was not offered yet.
    async fn fullness(&self, at: &At) -> Result<Option<(u64, u64)>, StepError> {
        if self.session(at).await?.handoff_offered {
            return Ok(None);
        }
        let after = At { input: TurnInput { turn: u32::MAX, ..at.input.clone() }, state: None };
        let facts = self.facts(&after).await?;
        Ok(Some((window_used(&facts.past), facts.window)))
    }

    async fn answer(&self, job: &JobId, asked: Asked) -> Result<Here, StepError> {
        let Asked { at, system, prompt, answer } = asked;
        let system = self.whole_prompt(&at, system, prompt).await?;
        let new = NewAnswer { system, ..self.new_answer(answer).await? };
        let fresh = self.fresh(&at).await?;
        let done = self
            .blocking(job, at, move |here| here.step(fresh, |_, _, saved| take_answer(saved, new)));
        self.kept(done.await?).await
    }

    // Where answers are audited, all that the model was sent: what files it saw is in the message.
    async fn whole_prompt(
        &self,
        at: &At,
        system: Option<String>,
        prompt: Option<String>,
    ) -> Result<Option<String>, StepError> {
        let failed = |error: StoreError| unreadable(&error);
        let session = self.store.session(&at.input.session).await.map_err(failed)?;
        let (Some(system), Some(prompt)) = (&system, prompt) else { return Ok(system) };
        if !session.is_some_and(|session| session.audit) {
            return Ok(Some(system.clone()));
        }
        let system = self.store.text(system).await.map_err(failed)?.unwrap_or_default();
        let prompt = self.store.text(&prompt).await.map_err(failed)?.unwrap_or_default();
        Ok(Some(self.put(&format!("{system}\n\n# Message\n\n{prompt}")).await?))
    }

    async fn new_answer(&self, answer: Answer) -> Result<NewAnswer, StepError> {
        let output = match answer {
            Answer::Failed { message, over_budget } => {
                return Ok(NewAnswer { over_budget, why: Some(message), ..NewAnswer::default() });
            }
            Answer::Ended(output) => output,
        };
        let whole = output.code_result.is_some();
        let id = output.code_result.or(output.progress.partial_output);
        let text = match id {
            Some(id) => {
                let text = self.store.text(&id).await.map_err(|error| unreadable(&error))?;
                text.map(|text| (text, id))
            }
            None => None,
        };
        let spent = salve_types::Spend {
            tokens: output.progress.tokens,
            micro_dollars: output.progress.micro_dollars,
        };
        let over_budget = output.progress.code == Some(StopCode::OverBudget);
        Ok(NewAnswer {
            whole,
            over_budget,
            why: output.progress.why,
            system: None,
            model: output.model,
            finish_reason: output.finish.map(|finish| finish.name().to_owned()),
            usage: output.usage,
            spent,
            text,
        })
    }

    async fn help(&self, job: &JobId, at: At) -> Result<GenerateInput, StepError> {
        let session = at.input.session.to_string();
        let question = self.blocking(job, at, move |here| {
            let (_, Some(saved)) = here.state()? else { return Err(lost()) };
            let TurnStep::Help(why) = saved.machine.next() else {
                return Err(RepairError::Io("the turn asks for no help now".to_owned()));
            };
            Ok((help_question(&here.work, &saved, why)?, saved.machine.left()))
        });
        let (HelpQuestion { model, system, prompt, max_tokens }, budget) = question.await?;
        Ok(GenerateInput {
            system: Some(self.put(&system).await?),
            model,
            max_tokens,
            budget,
            doubt: DoubtPolicy::Retry,
            session: Some(session),
            unattended: true,
            caps: GenerateCaps { resumes: 2, reworks: 0, retries: 0 },
            attempts: HELP_ATTEMPTS,
            ..GenerateInput::new(self.put(&prompt).await?)
        })
    }

    async fn helped(&self, job: &JobId, asked: Asked) -> Result<Here, StepError> {
        let Asked { at, answer, .. } = asked;
        let (new, fresh) = (self.new_answer(answer).await?, self.fresh(&at).await?);
        let done = self
            .blocking(job, at, move |here| here.step(fresh, |_, _, saved| take_help(saved, new)));
        self.kept(done.await?).await
    }

    async fn heal(&self, job: &JobId, at: At) -> Result<HealInput, StepError> {
        let input = at.input.clone();
        let left = self.blocking(job, at, |here| {
            let (_, Some(saved)) = here.state()? else { return Err(lost()) };
            Ok(saved.machine.left())
        });
        let left = left.await?;
        let mut options = input.heal;
        options.tokens = left.tokens.map_or(options.tokens, |left| left.min(options.tokens));
        if left.tokens == Some(0) || left.micro_dollars == Some(0) {
            options.tiers.clear();
        }
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
        let Healed { at, report, error } = healed;
        let now = self.now();
        let fresh = self.fresh(&at).await?;
        let report = match report {
            Some(report) => Ok(*report),
            None => Err(error.unwrap_or_default()),
        };
        let done = self.blocking(job, at, move |here| {
            here.step(fresh, |here, _, saved| take_heal(&here.work, saved, report, now))
        });
        self.kept(done.await?).await
    }

    async fn finish(&self, job: &JobId, at: At) -> Result<Here, StepError> {
        let fresh = self.fresh(&at).await?;
        let (session, fullness) = (at.input.session.clone(), self.fullness(&at).await?);
        let done = self.blocking(job, at, move |here| {
            let mut kept = here.step(fresh, |here, _, saved| {
                finish(&here.work, saved)?;
                offer_handoff(saved, fullness);
                Ok(())
            })?;
            let report = kept.saved.report.clone().map(Box::new);
            let report =
                report.ok_or_else(|| RepairError::Io("the turn has no report".to_owned()))?;
            kept.next = Some(match kept.saved.machine.can_resume() {
                true => Next::Paused(report),
                false => Next::Ended(report),
            });
            Ok(kept)
        });
        let done = done.await?;
        let offered = |event: &TurnEvent| event.name == EventName::HandoffOffered;
        let offered = done.saved.effects.events.iter().any(offered);
        let here = self.kept(done).await?;
        if offered {
            let update = SessionUpdate { handoff_offered: Some(true), ..SessionUpdate::default() };
            let noted = self.store.update_session(&session, update).await;
            noted.map_err(|error| unreadable(&error))?;
        }
        Ok(here)
    }

    async fn resume(&self, job: &JobId, resumed: Resumed) -> Result<Here, StepError> {
        let Resumed { at, with } = resumed;
        let fresh = self.fresh(&at).await?;
        let (todos, seen) = (fresh.todos.clone(), fresh.seen.clone());
        let done = self.blocking(job, at, move |here| {
            here.step(fresh, |here, _, saved| {
                // Other turns may have gone on while this one waited.
                (saved.todos, saved.seen) = (todos, seen);
                let budget = with.budget.unwrap_or(saved.machine.options().budget);
                saved.machine.resume(budget);
                saved.decision = with.decision;
                saved.attended = with.attended;
                saved.effects.status = Some(TurnStatus::Running);
                let goes_on = !matches!(saved.machine.next(), TurnStep::Done(_));
                if goes_on && here.work.is_paused()? {
                    let paused = TurnResult::Interrupted(Interruption::Paused);
                    take_result(&mut saved.machine, paused)?;
                }
                Ok(())
            })
        });
        self.kept(done.await?).await
    }

    async fn turn(&self, at: &At) -> Result<TurnRecord, StepError> {
        let (session, turn) = (&at.input.session, at.input.turn);
        let found = self.store.turn(session, turn).await.map_err(|error| unreadable(&error))?;
        found.ok_or_else(|| StepError::fatal(format!("session {session} has no turn {turn}")))
    }

    pub(super) async fn put(&self, text: &str) -> Result<String, StepError> {
        self.store.put_text(text).await.map_err(|error| unreadable(&error))
    }

    // Writes what was decided into the store, once.
    pub(super) async fn kept(&self, kept: Kept) -> Result<Here, StepError> {
        let Kept { id, saved, next, write } = kept;
        self.store.write_session(write).await.map_err(|error| unreadable(&error))?;
        let next = next.unwrap_or_else(|| match saved.machine.next() {
            TurnStep::Upload(_) => Next::Upload,
            TurnStep::Ask(ask) => Next::Ask(ask.number),
            TurnStep::Supervise(number) => Next::Supervise(number),
            TurnStep::Help(why) => Next::Help(why),
            TurnStep::Draw => Next::Draw,
            TurnStep::Heal => Next::Heal,
            TurnStep::Done(_) => Next::Finish,
            _ => Next::Work,
        });
        Ok(Here { state: id, next })
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
        let work = TurnWork::new(parts, at.input, job.as_str(), &self.folder);
        Ok(Place { work, folder, at: at.state, job: job.to_string() })
    }

    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.clock.now().0).unwrap_or(0)
    }
}

/// A turn in this process.
pub(super) struct Place {
    pub(super) work: TurnWork,
    folder: StateFolder,
    at: Option<StateId>,
    pub(super) job: String,
}

/// A step that was decided.
pub(super) struct Kept {
    id: StateId,
    saved: SavedTurn,
    next: Option<Next>,
    write: SessionWrite,
}

impl Place {
    pub(super) fn state(&self) -> Result<(u32, Option<SavedTurn>), RepairError> {
        let id = self.at.as_ref().ok_or_else(|| RepairError::Io("there is no state".to_owned()))?;
        Ok((id.step, self.folder.read(id)?))
    }

    // One step, unless it was decided by a process that died before it could say so. A state that is lost
    // means beginning again; what was spent is in the ledger, and what was written in the history of the
    // workspace.
    pub(super) fn step(
        self,
        fresh: SavedTurn,
        act: impl FnOnce(&Self, u32, &mut SavedTurn) -> Result<(), RepairError>,
    ) -> Result<Kept, RepairError> {
        let (step, saved) = self.state()?;
        if let Some(found) = self.found(step + 1)? {
            return Ok(found);
        }
        let Some(mut saved) = saved else { return self.keep(step + 1, fresh) };
        saved.effects = Effects::default();
        act(&self, step, &mut saved)?;
        self.keep(step + 1, saved)
    }

    fn found(&self, step: u32) -> Result<Option<Kept>, RepairError> {
        let found = self.folder.found(step)?;
        Ok(found.map(|(id, saved)| self.decided(id, saved)))
    }

    fn keep(&self, step: u32, saved: SavedTurn) -> Result<Kept, RepairError> {
        let id = self.folder.write(step, &saved)?;
        Ok(self.decided(id, saved))
    }

    fn decided(&self, id: StateId, saved: SavedTurn) -> Kept {
        let write = self.write(id.step, &saved);
        Kept { id, saved, next: None, write }
    }

    fn write(&self, step: u32, saved: &SavedTurn) -> SessionWrite {
        let input = self.work.input();
        let effects = &saved.effects;
        let event = |event: &TurnEvent| NewSessionEvent {
            turn: Some(input.turn),
            name: event.name.name().to_owned(),
            payload: event.payload.clone(),
        };
        let audit =
            effects.raw.as_ref().zip(effects.system.as_ref()).map(|(raw, system)| NewAudit {
                turn: input.turn,
                user_message: saved.request.clone(),
                full_generation: raw.clone(),
                system_prompt: system.clone(),
                model: effects.model.clone().unwrap_or_default(),
                finish_reason: effects.finish_reason.clone(),
                tokens_in: effects.usage.input_tokens,
                tokens_out: effects.usage.output_tokens,
            });
        SessionWrite {
            events: effects.events.iter().map(event).collect(),
            turn: Some(TurnUpdate {
                index: input.turn,
                status: effects.status,
                raw: effects.raw.clone(),
                partial: effects.partial,
                result: effects.result.clone(),
                plan: effects.plan.clone(),
                tokens_in: effects.usage.input_tokens,
                tokens_out: effects.usage.output_tokens,
                micro_dollars: effects.micro_dollars,
                attempt: Some(input.attempt),
                finish_reason: effects.finish_reason.clone(),
                model: effects.model.clone(),
                images: Vec::new(),
                held: effects.held.clone(),
            }),
            todos: effects.todos.clone(),
            file_operations: effects.file_operations.clone(),
            bugs: effects.bugs.clone(),
            commands: effects.commands.clone(),
            changes: effects.changes.clone(),
            audit,
            ..SessionWrite::new(input.session.clone(), format!("{}:{step}", self.job))
        }
    }
}

// Images go with their own turn alone; later ones are told that there were some.
fn with_images(text: String, images: usize) -> String {
    match images {
        0 => text,
        images => format!("{text}\n\n[{images} image(s) were attached to this message]"),
    }
}

// A plan is for words: what is on an image, a planner that does not see it cannot know.
fn options_of(input: &TurnInput, turn: &TurnRecord) -> TurnOptions {
    let help = &input.help;
    let may_plan = turn.images.is_empty() || help.plan_with_images;
    TurnOptions {
        plan: help.planner.is_some() && may_plan,
        clean: help.cleaner.is_some(),
        shape: help.output.is_some(),
        draw: drawing::wish_of(input, turn),
        upload: help.uploads.on,
        ..input.options
    }
}

pub(super) fn lost() -> RepairError {
    RepairError::Io("the state of the turn is lost; start it again".to_owned())
}

fn read<T: for<'de> Deserialize<'de>>(input: Json) -> Result<T, StepError> {
    serde_json::from_value(input)
        .map_err(|error| StepError::fatal(format!("the step cannot read its input: {error}")))
}

fn written<T: Serialize>(output: &T) -> Result<Json, StepError> {
    serde_json::to_value(output).map_err(|error| StepError::fatal(error.to_string()))
}

pub(super) fn unreadable(error: &StoreError) -> StepError {
    StepError::retryable(format!("the session cannot be reached: {error}"))
}
