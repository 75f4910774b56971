//! Runs the turns of a session in this process, and shows what happens.
//!
//! In: open jobs, a workspace, what a person says. Out: the report of each turn, and its events as they are on the
//! log, each once. A turn that was killed is gone on with under its own name. Never works on a workspace that
//! another process heals.

use super::{TurnSettings, ask_person, draw};
use crate::arguments::Format;
use crate::commands::worker::Busy;
use crate::failure::Failure;
use crate::heal_host::CommandHost;
use crate::job_place::OpenJobs;
use crate::{output, runtime};
use futures_util::StreamExt;
use salve_engine::heal::{HealLock, Locking, RepairError};
use salve_engine::host::Place;
use salve_engine::jobs::{JobStatus, RESUME_SIGNAL, TURN_FLOW};
use salve_engine::session::machine::TurnEnding;
use salve_engine::session::{
    ChatAnswer, EventName, TurnDecision, TurnInput, TurnReport, TurnResume, Waits,
};
use salve_jobs::{
    EventId, FlowName, Happened, JobId, JobState, Needs, StartOptions, WorkerOptions, fresh_job_id,
};
use salve_store::{NewSessionEvent, NewTurn, SessionRecord, SessionWrite, TurnRecord, TurnUpdate};
use salve_types::{SessionId, Spend, SpendLimit, TodoItem, TurnStatus};
use std::sync::Arc;
use std::time::Duration;

const GRACE: Duration = Duration::from_secs(30);
/// How often the log is looked at while a turn runs.
const BETWEEN_LOOKS: Duration = Duration::from_millis(40);
/// How many events are read at a time.
const EVENTS: u32 = 500;

/// A conversation in this process.
pub(crate) struct Chat<'a> {
    pub(crate) open: &'a OpenJobs<'a>,
    pub(crate) place: &'a Place,
    pub(crate) settings: &'a TurnSettings,
    pub(crate) format: Format,
    /// The session, once it has begun.
    pub(crate) session: Option<SessionRecord>,
    /// The last event that was shown.
    seen: u64,
    /// What the turns of this run took.
    pub(crate) spent: Spend,
}

impl<'a> Chat<'a> {
    pub(crate) fn new(
        open: &'a OpenJobs<'a>,
        place: &'a Place,
        settings: &'a TurnSettings,
        format: Format,
    ) -> Self {
        Self { open, place, settings, format, session: None, seen: 0, spent: Spend::default() }
    }

    /// Returns the session.
    pub(crate) fn session(&self) -> Result<&SessionId, Failure> {
        let session = self.session.as_ref().map(|session| &session.id);
        session.ok_or_else(|| Failure::new("no session has begun"))
    }

    /// Asks for something, and shows what happens until it is over or waits.
    pub(crate) async fn turn(&mut self, text: &str) -> Result<TurnReport, Failure> {
        let session = self.session()?.clone();
        self.skip_shown(&session).await?;
        let new = NewTurn {
            text: text.to_owned(),
            images: Vec::new(),
            key: format!("turn-{}", fresh_job_id()),
        };
        let turn = self.open.store().add_turn(&session, new).await?;
        self.run(&turn, 1, None).await
    }

    // What happened before this run is not shown again.
    async fn skip_shown(&mut self, session: &SessionId) -> Result<(), Failure> {
        if self.seen > 0 {
            return Ok(());
        }
        loop {
            let page = self.open.store().session_events(session, self.seen, EVENTS).await?;
            match page.last() {
                Some(last) => self.seen = last.id,
                None => return Ok(()),
            }
        }
    }

    /// Goes on with a turn that was interrupted or waits; one that failed is tried again.
    pub(crate) async fn go_on(
        &mut self,
        turn: &TurnRecord,
        told: TurnResume,
    ) -> Result<TurnReport, Failure> {
        let mut attempt = turn.attempt.max(1);
        let job = self.open.jobs.state(&job_of(turn, attempt)?).await?;
        let failed = job.is_some_and(|job| {
            matches!(job.state, JobState::Failed { .. } | JobState::Cancelled { .. })
        });
        if failed || turn.status.is_terminal() {
            attempt += 1;
        }
        self.run(turn, attempt, Some(told)).await
    }

    async fn run(
        &mut self,
        turn: &TurnRecord,
        attempt: u32,
        told: Option<TurnResume>,
    ) -> Result<TurnReport, Failure> {
        let root = &self.place.root;
        let _lock = match HealLock::take(root)? {
            Locking::Taken(lock) => lock,
            Locking::Held { process } => {
                return Err(Failure::new(RepairError::Busy { process }.to_string()));
            }
        };
        let id = job_of(turn, attempt)?;
        let input = self.input(turn, attempt).await?;
        let root = root.display().to_string();
        let options = WorkerOptions {
            worker: self.open.worker(),
            only: Some(id.clone()),
            steps_at_once: 4,
            flows_at_once: 3,
            roots: [root.clone()].into(),
            ..WorkerOptions::default()
        };
        let host = Arc::new(CommandHost { environment: self.settings.environment.clone() });
        let runner = self.open.run_healing(host, options, &Busy::default()).await?;
        let flow = FlowName::try_from(TURN_FLOW.to_owned())?;
        let known = self.open.jobs.state(&id).await?;
        if known.as_ref().is_none_or(|job| matches!(job.state, JobState::Queued)) {
            let needs = Needs { root: Some(root), ..Needs::default() };
            let input = serde_json::to_value(&input)?;
            let _known =
                self.open.jobs.start(&flow, id.clone(), input, StartOptions { needs }).await?;
        }
        let ended = self.follow_to_end(turn, &id, known.is_some(), told).await;
        tokio::select! {
            _ = runner.drain(GRACE) => {}
            interrupted = runtime::interrupted() => interrupted?,
        }
        self.forget_ended().await;
        let report = ended?;
        self.spent =
            self.spent.plus(Spend { tokens: report.tokens, micro_dollars: report.micro_dollars });
        Ok(report)
    }

    // Until it is over, or waits for what nobody here decides.
    async fn follow_to_end(
        &mut self,
        turn: &TurnRecord,
        id: &JobId,
        known: bool,
        told: Option<TurnResume>,
    ) -> Result<TurnReport, Failure> {
        let mut after = EventId(0);
        if known {
            let events = crate::commands::jobs::history(&*self.open.jobs, id).await?;
            let job = self.open.jobs.state(id).await?;
            let waits = job.as_ref().is_some_and(|job| {
                matches!(job.state, JobState::Waiting { .. })
                    && JobStatus::of(job) == JobStatus::Paused
            });
            if waits {
                after = events.last().map_or(EventId(0), |event| event.id);
                self.tell(id, after, told.unwrap_or_default()).await?;
            }
        }
        loop {
            let (report, last) = self.follow(turn, id, after).await?;
            let Some(told) = self.decided(turn, &report).await? else { return Ok(report) };
            after = last;
            self.tell(id, after, told).await?;
        }
    }

    // What the person at this terminal says about what waits; nothing when none is there.
    async fn decided(
        &self,
        turn: &TurnRecord,
        report: &TurnReport,
    ) -> Result<Option<TurnResume>, Failure> {
        let waits = match (&report.waits, report.ending) {
            (Some(waits), TurnEnding::Waiting) if self.settings.attended => waits,
            _ => return Ok(None),
        };
        let decision = match waits {
            Waits::Edits { .. } => ask_person::about_edits(self, turn).await?,
            Waits::Command { command, why } => ask_person::about_command(self.place, command, why)?,
        };
        let told = |decision: TurnDecision| TurnResume {
            decision: Some(decision),
            attended: true,
            ..TurnResume::default()
        };
        Ok(decision.map(told))
    }

    async fn tell(&self, id: &JobId, after: EventId, told: TurnResume) -> Result<(), Failure> {
        let signal = format!("{RESUME_SIGNAL}-{}", after.0);
        let told = serde_json::to_value(told)?;
        self.open.jobs.signal(id, RESUME_SIGNAL, &signal, told).await?;
        Ok(())
    }

    async fn input(&self, turn: &TurnRecord, attempt: u32) -> Result<TurnInput, Failure> {
        let settings = self.settings;
        let template = match &settings.template {
            Some(text) => Some(self.open.keep_text(text).await?),
            None => None,
        };
        let mut options = settings.options;
        let rest = |limit: Option<u64>, taken: u64| limit.map(|all| all.saturating_sub(taken));
        options.budget = SpendLimit {
            tokens: rest(options.budget.tokens, self.spent.tokens),
            micro_dollars: rest(options.budget.micro_dollars, self.spent.micro_dollars),
        };
        Ok(TurnInput {
            root: self.place.root.clone(),
            here: self.place.here.clone(),
            session: turn.session.clone(),
            turn: turn.index,
            options,
            model: settings.model.clone(),
            apply: settings.apply,
            attended: settings.attended,
            commands: settings.commands,
            template,
            heal: settings.heal.clone(),
            attempt,
        })
    }

    // Shows the log until the job has ended or stops; returns its report and its last event.
    async fn follow(
        &mut self,
        turn: &TurnRecord,
        id: &JobId,
        after: EventId,
    ) -> Result<(TurnReport, EventId), Failure> {
        let mut events = self.open.jobs.watch(id, after);
        let interrupted = runtime::interrupted();
        tokio::pin!(interrupted);
        let mut last = after;
        loop {
            tokio::select! {
                event = events.next() => {
                    let Some(event) = event.transpose()? else { break };
                    last = event.id;
                    let Happened::Stage { stage } = event.what else { continue };
                    if stage.name == JobStatus::Paused.name() {
                        self.show_new(turn).await?;
                        return Ok((serde_json::from_value(stage.detail)?, last));
                    }
                }
                () = tokio::time::sleep(BETWEEN_LOOKS) => self.show_new(turn).await?,
                ended = &mut interrupted => {
                    ended?;
                    output::transient("");
                    output::story(&format!(
                        "Interrupted; `salve sessions resume {}` goes on with it.\n", turn.session
                    ));
                    return Err(Failure::new("interrupted"));
                }
            }
        }
        self.show_new(turn).await?;
        let job = self.open.jobs.state(id).await?;
        let job = job.ok_or_else(|| Failure::new(format!("job {id} is gone")))?;
        match job.state {
            JobState::Done { output } => Ok((serde_json::from_value(output)?, last)),
            JobState::Failed { error } => {
                self.note_end(turn, id, TurnStatus::Failed, &error.to_string()).await?;
                Err(Failure::new(error))
            }
            JobState::Cancelled { reason } => {
                self.note_end(turn, id, TurnStatus::Cancelled, &reason).await?;
                Err(Failure::new(format!("cancelled: {reason}")))
            }
            other => Err(Failure::new(format!("the turn is {}", other.name()))),
        }
    }

    // A job that could not end by itself could not say so in its session either.
    async fn note_end(
        &mut self,
        turn: &TurnRecord,
        id: &JobId,
        status: TurnStatus,
        why: &str,
    ) -> Result<(), Failure> {
        let name = match status {
            TurnStatus::Cancelled => EventName::TurnCancelled,
            _ => EventName::TurnFailed,
        };
        let write = SessionWrite {
            events: vec![NewSessionEvent {
                turn: Some(turn.index),
                name: name.name().to_owned(),
                payload: serde_json::json!({ "status": status, "why": why, "retry": true }),
            }],
            turn: Some(TurnUpdate {
                index: turn.index,
                status: Some(status),
                ..TurnUpdate::default()
            }),
            ..SessionWrite::new(turn.session.clone(), format!("{id}:ended"))
        };
        self.open.store().write_session(write).await?;
        self.show_new(turn).await
    }

    async fn show_new(&mut self, turn: &TurnRecord) -> Result<(), Failure> {
        loop {
            let events = self.open.store().session_events(&turn.session, self.seen, EVENTS);
            let page = events.await?;
            let Some(last) = page.last() else { return Ok(()) };
            self.seen = last.id;
            let is_of_turn = |of: u32| of == turn.index;
            for event in page.iter().filter(|event| event.turn.is_none_or(is_of_turn)) {
                match self.format {
                    Format::Jsonl => output::json_line(event)?,
                    Format::Human => draw::event(event)?,
                    Format::Json => {}
                }
            }
        }
    }

    /// Writes the result of a run, where the format wants one.
    pub(crate) fn show_end(&self, report: &TurnReport) -> Result<(), Failure> {
        match self.format {
            Format::Human => {
                output::story(&draw::ended(report));
                Ok(())
            }
            Format::Json => output::json(report),
            Format::Jsonl => Ok(()),
        }
    }

    /// Returns what was answered in a turn, and the tasks of the session.
    pub(crate) async fn known(
        &self,
        report: &TurnReport,
    ) -> Result<(ChatAnswer, Vec<TodoItem>), Failure> {
        let store = self.open.store();
        let turn = store.turn(&report.session, report.turn).await?;
        let answer = turn.and_then(|turn| turn.result);
        let answer = answer.and_then(|answer| serde_json::from_value(answer).ok());
        Ok((answer.unwrap_or_default(), store.todos(&report.session).await?))
    }

    // What a turn that is over kept on this disk is of no use any more.
    async fn forget_ended(&self) {
        let Ok(entries) = std::fs::read_dir(self.open.turn_folder()) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(id) = name.to_str().and_then(|name| JobId::new(name).ok()) else { continue };
            let job = self.open.jobs.state(&id).await;
            if matches!(job, Ok(Some(job)) if job.state.is_terminal()) {
                // What cannot be removed is tried again after the next turn.
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    }
}

// The same for every process that works on the turn, so that one which was interrupted is found.
fn job_of(turn: &TurnRecord, attempt: u32) -> Result<JobId, Failure> {
    let name = format!("turn-{}-{}", turn.session, turn.index);
    let name = if attempt > 1 { format!("{name}-{attempt}") } else { name };
    Ok(JobId::new(&name)?)
}
