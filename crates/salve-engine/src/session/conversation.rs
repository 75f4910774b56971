//! Conversations about workspaces, for every face: begun, gone on with, decided about, cancelled, watched.
//!
//! In: what a person says, and what the turn may do, as values. Out: turns that run as durable jobs in this
//! process, and the log of what happened. A turn that was killed is found under its own name and gone on with.
//! Never draws, asks or prints: a face does, between two stops of a turn.

mod error;
mod images;
mod queue;
mod review;
mod running;
mod waiting;
mod watch;

pub use error::ConversationError;
pub use images::RedrawOrder;
pub use queue::{TurnOrder, TurnQueue};
pub use review::{ReviewDraft, ReviewStep};
pub use running::RunningTurn;
pub use waiting::WaitingTurn;
pub use watch::EventScope;

use super::event::EventName;
use super::input::TurnInput;
use super::log::text_so_far;
use super::steering::add_request;
use crate::heal::StateFolder;
use crate::jobs::{HealHost, ModelSource, StepParts, TURN_FLOW, TURN_FOLDER, all_flows, all_steps};
use crate::plan::Orchestrator;
use salve_jobs::{
    EngineJobs, EventId, FlowName, JobId, JobRunner, JobState, Jobs, Needs, StartOptions, Steps,
    WorkerOptions, fresh_job_id,
};
use salve_store::{
    NewSession, NewSessionEvent, NewTurn, SessionFilter, SessionRecord, SessionWrite, Store,
    TurnRecord, TurnUpdate,
};
use salve_types::{Clock, SessionId, TurnStatus};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How many letters of the first request become the title of a session.
const TITLE: usize = 60;
/// How long the flow of a job that is cancelled while nothing runs it may take to end.
const SETTLING: Duration = Duration::from_secs(10);
/// How many events of a job are read at a time.
const PAGE: u32 = 500;

/// What conversations are made of.
pub struct ConversationParts {
    /// What is remembered.
    pub store: Store,
    /// The jobs that turns are.
    pub jobs: Arc<EngineJobs>,
    /// Who can be asked.
    pub models: Arc<dyn ModelSource>,
    /// Opens workspaces. The lock of a workspace is taken here, not by it.
    pub hosts: Arc<dyn HealHost>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The user's data folder: states of turns and heals are kept below it.
    pub folder: PathBuf,
    /// Who this process is, for people and the ledger.
    pub worker: String,
}

/// Conversations in this process. A clone is the same.
#[derive(Clone)]
pub struct Conversation {
    parts: Arc<ConversationParts>,
}

impl Conversation {
    /// Puts them together. Nothing runs yet.
    pub fn new(parts: ConversationParts) -> Self {
        Self { parts: Arc::new(parts) }
    }

    /// Returns what is remembered.
    pub fn store(&self) -> &Store {
        &self.parts.store
    }

    /// Returns the plans of the same place.
    pub fn plans(&self) -> Orchestrator {
        Orchestrator::of(Arc::clone(&self.parts))
    }

    /// Returns the jobs that turns are.
    pub fn jobs(&self) -> &dyn Jobs {
        &*self.parts.jobs
    }

    /// Begins a session about a workspace. Its title is the beginning of what is asked first.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn begin(
        &self,
        workspace: &Path,
        first: &str,
        audit: bool,
    ) -> Result<SessionRecord, ConversationError> {
        let new = NewSession {
            workspace: workspace.display().to_string(),
            title: title_of(first),
            audit,
            ..NewSession::default()
        };
        Ok(self.parts.store.new_session(new).await?)
    }

    /// Lists the sessions of a workspace, those that were used last first.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn sessions(
        &self,
        workspace: &Path,
        limit: u32,
    ) -> Result<Vec<SessionRecord>, ConversationError> {
        let workspace = Some(workspace.display().to_string());
        let filter = SessionFilter { workspace, limit, ..SessionFilter::default() };
        Ok(self.parts.store.sessions(&filter).await?)
    }

    /// Keeps what was said as a turn that is to be answered, with the guidance that was given since the last one.
    /// `key` is what the request is known by: the same one again gives the turn there is.
    ///
    /// # Errors
    /// When there is no such session, or the store refuses.
    pub async fn say(
        &self,
        session: &SessionId,
        text: &str,
        images: Vec<String>,
        key: Option<&str>,
    ) -> Result<TurnRecord, ConversationError> {
        let key = key.map_or_else(|| fresh_job_id().to_string(), str::to_owned);
        let new = NewTurn { text: text.to_owned(), images, key: format!("turn-{key}") };
        Ok(add_request(&self.parts.store, session, new).await?)
    }

    /// Returns the number of the attempt that goes on with a turn: the same, where it was interrupted or waits;
    /// the next, where it failed or is over.
    ///
    /// # Errors
    /// When the jobs cannot be reached.
    pub async fn attempt(&self, turn: &TurnRecord) -> Result<u32, ConversationError> {
        let attempt = turn.attempt.max(1);
        let job = self.parts.jobs.state(&job_of(&turn.session, turn.index, attempt)?).await?;
        let failed = job.is_some_and(|job| {
            matches!(job.state, JobState::Failed { .. } | JobState::Cancelled { .. })
        });
        Ok(if failed || turn.status.is_terminal() { attempt + 1 } else { attempt })
    }

    /// Starts a turn, or goes on with one. The workspace's lock is the caller's: [`RunningTurn::lock`].
    ///
    /// # Errors
    /// When the jobs cannot be reached.
    pub async fn start(
        &self,
        input: TurnInput,
        told: Option<super::TurnResume>,
    ) -> Result<RunningTurn, ConversationError> {
        let id = job_of(&input.session, input.turn, input.attempt)?;
        let root = input.root.display().to_string();
        let options = WorkerOptions {
            worker: self.parts.worker.clone(),
            only: Some(id.clone()),
            steps_at_once: 4,
            flows_at_once: 3,
            roots: [root.clone()].into(),
            ..WorkerOptions::default()
        };
        let runner = self.parts.jobs.run(all_flows()?, self.steps()?, options).await?;
        let flow = FlowName::try_from(TURN_FLOW.to_owned())?;
        let known = self.parts.jobs.state(&id).await?;
        if known.as_ref().is_none_or(|job| matches!(job.state, JobState::Queued)) {
            let needs = Needs { root: Some(root), ..Needs::default() };
            let input = serde_json::to_value(&input)?;
            let started = self.parts.jobs.start(&flow, id.clone(), input, StartOptions { needs });
            let _known = started.await?;
        }
        let place = (input.session, input.turn);
        let mut running = RunningTurn::new(self.clone(), place, id, runner);
        if known.is_some() {
            running.wake(told).await?;
        }
        Ok(running)
    }

    /// Cancels a turn, whether it waits in a queue, runs, or waits for a person.
    ///
    /// # Errors
    /// When the jobs or the store cannot be reached.
    pub async fn cancel(&self, turn: &TurnRecord, reason: &str) -> Result<(), ConversationError> {
        let id = job_of(&turn.session, turn.index, turn.attempt.max(1))?;
        if let Some(job) = self.parts.jobs.state(&id).await?
            && !job.state.is_terminal()
        {
            self.parts.jobs.cancel(&id, reason).await?;
            self.settle(&id).await?;
        }
        let place = (turn.session.clone(), turn.index);
        self.note_end(&place, &id, TurnStatus::Cancelled, reason).await
    }

    /// Returns the turns of a workspace that were begun and neither ended nor wait for a person, oldest first.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn interrupted(&self, root: &Path) -> Result<Vec<TurnRecord>, ConversationError> {
        Ok(self.parts.store.open_turns(&root.display().to_string()).await?)
    }

    /// Removes what turns that are over kept on this disk.
    pub async fn forget_ended(&self) {
        let Ok(entries) = std::fs::read_dir(self.turn_folder()) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(id) = name.to_str().and_then(|name| JobId::new(name).ok()) else { continue };
            let job = self.parts.jobs.state(&id).await;
            if matches!(job, Ok(Some(job)) if job.state.is_terminal()) {
                // What cannot be opened or removed is tried again after the next turn.
                if let Ok(folder) = StateFolder::open(&self.turn_folder(), id.as_str()) {
                    folder.remove();
                }
            }
        }
    }

    fn turn_folder(&self) -> PathBuf {
        self.parts.folder.join(TURN_FOLDER)
    }

    fn steps(&self) -> Result<Steps, ConversationError> {
        let ConversationParts { store, models, hosts, clock, folder, .. } = &*self.parts;
        Ok(all_steps(StepParts {
            store: store.clone(),
            models: Arc::clone(models),
            hosts: Arc::clone(hosts),
            clock: Arc::clone(clock),
            folder: folder.clone(),
        })?)
    }

    // Takes the turns of one job's flow, and none of its steps, until it has ended. A job that takes longer is
    // ended by the runner that has it.
    async fn settle(&self, id: &JobId) -> Result<(), ConversationError> {
        let options = WorkerOptions {
            worker: self.parts.worker.clone(),
            only: Some(id.clone()),
            ..WorkerOptions::default()
        };
        let runner = self.parts.jobs.run(all_flows()?, Steps::default(), options).await?;
        let ended = running::ended(self.parts.jobs.watch(id, EventId(0)));
        let in_time = tokio::time::timeout(SETTLING, ended).await;
        runner.drain(SETTLING).await;
        in_time.unwrap_or(Ok(()))
    }

    // The last event of a job.
    async fn last_event(&self, id: &JobId) -> Result<EventId, ConversationError> {
        let mut last = EventId(0);
        loop {
            let page = self.parts.jobs.history(id, last, PAGE).await?;
            let Some(event) = page.last() else { return Ok(last) };
            last = event.id;
        }
    }

    // A job that could not end by itself could not say so in its session either.
    async fn note_end(
        &self,
        (session, turn): &(SessionId, u32),
        id: &JobId,
        status: TurnStatus,
        why: &str,
    ) -> Result<(), ConversationError> {
        let name = match status {
            TurnStatus::Cancelled => EventName::TurnCancelled,
            _ => EventName::TurnFailed,
        };
        // What arrived of an answer that nobody waits for any more is kept.
        let store = &self.parts.store;
        let raw = match text_so_far(store, session, *turn).await? {
            Some(text) if status == TurnStatus::Cancelled => Some(store.put_text(&text).await?),
            _ => None,
        };
        let write = SessionWrite {
            events: vec![NewSessionEvent {
                turn: Some(*turn),
                name: name.name().to_owned(),
                payload: serde_json::json!({ "status": status, "why": why, "retry": true }),
            }],
            turn: Some(TurnUpdate {
                index: *turn,
                status: Some(status),
                partial: raw.as_ref().map(|_| true),
                raw,
                ..TurnUpdate::default()
            }),
            ..SessionWrite::new(session.clone(), format!("{id}:ended"))
        };
        self.parts.store.write_session(write).await?;
        Ok(())
    }
}

/// Returns the title of a session that begins with a request.
fn title_of(first: &str) -> String {
    first.trim().lines().next().unwrap_or_default().chars().take(TITLE).collect()
}

// The same for every process that works on the turn, so that one which was interrupted is found.
fn job_of(session: &SessionId, turn: u32, attempt: u32) -> Result<JobId, ConversationError> {
    let name = format!("turn-{session}-{turn}");
    let name = if attempt > 1 { format!("{name}-{attempt}") } else { name };
    Ok(JobId::new(&name)?)
}
