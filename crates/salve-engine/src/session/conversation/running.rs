//! A turn that runs in this process.
//!
//! In: its job. Out: its report, each time it stops or when it is over. Between two stops it can be told what a
//! person decided. Never leaves the turn half done: what is not finished when the process ends is gone on with.

use super::{Conversation, ConversationError};
use crate::heal::{HealLock, Locking, RepairError};
use crate::jobs::{JobStatus, RESUME_SIGNAL};
use crate::session::{TurnReport, TurnResume};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use salve_jobs::{EventId, Happened, JobEvent, JobId, JobState, Jobs, JobsError, RunningRunner};
use salve_types::{SessionId, TurnStatus};
use std::path::Path;
use std::time::Duration;

/// A turn that runs in this process. Dropped, it is left as it is.
pub struct RunningTurn {
    conversation: Conversation,
    place: (SessionId, u32),
    id: JobId,
    runner: Box<dyn RunningRunner>,
    events: BoxStream<'static, Result<JobEvent, JobsError>>,
    last: EventId,
}

impl RunningTurn {
    /// Takes the lock of a workspace, which a caller holds while its turn runs.
    ///
    /// # Errors
    /// [`RepairError::Busy`] when another process or turn has it.
    pub fn lock(root: &Path) -> Result<HealLock, ConversationError> {
        match HealLock::take(root).map_err(RepairError::from)? {
            Locking::Taken(lock) => Ok(lock),
            Locking::Held { process } => Err(RepairError::Busy { process }.into()),
        }
    }

    pub(super) fn new(
        conversation: Conversation,
        place: (SessionId, u32),
        id: JobId,
        runner: Box<dyn RunningRunner>,
    ) -> Self {
        // One that was dropped after the last event asks for another.
        let events = conversation.parts.jobs.watch(&id, EventId(0)).fuse().boxed();
        Self { conversation, place, id, runner, events, last: EventId(0) }
    }

    /// Returns the session and the number of the turn.
    pub fn place(&self) -> (&SessionId, u32) {
        (&self.place.0, self.place.1)
    }

    // A turn that waits goes on with what it is told, one that was interrupted by itself. Where it stopped before is
    // not where it stops now.
    pub(super) async fn wake(&mut self, told: Option<TurnResume>) -> Result<(), ConversationError> {
        self.last = self.conversation.last_event(&self.id).await?;
        self.events = self.conversation.parts.jobs.watch(&self.id, self.last).fuse().boxed();
        let job = self.conversation.parts.jobs.state(&self.id).await?;
        let waits = job.as_ref().is_some_and(|job| {
            matches!(job.state, JobState::Waiting { .. }) && JobStatus::of(job) == JobStatus::Paused
        });
        if waits {
            self.tell(told.unwrap_or_default()).await?;
        }
        Ok(())
    }

    /// Tells the turn, which has stopped, to go on.
    ///
    /// # Errors
    /// When the jobs cannot be reached.
    pub async fn tell(&mut self, told: TurnResume) -> Result<(), ConversationError> {
        let signal = format!("{RESUME_SIGNAL}-{}", self.last.0);
        let told = serde_json::to_value(told)?;
        self.conversation.parts.jobs.signal(&self.id, RESUME_SIGNAL, &signal, told).await?;
        Ok(())
    }

    /// Waits until the turn is over, or stops because of something that it is to be told. Dropped before that, it
    /// can be called again.
    ///
    /// # Errors
    /// When the job could not end, was cancelled, or cannot be reached. The first two are in the session's log.
    pub async fn stopped(&mut self) -> Result<TurnReport, ConversationError> {
        while let Some(event) = self.events.next().await.transpose()? {
            self.last = event.id;
            if let Happened::Stage { stage } = event.what
                && stage.name == JobStatus::Paused.name()
            {
                return Ok(serde_json::from_value(stage.detail)?);
            }
        }
        let job = self.conversation.parts.jobs.state(&self.id).await?;
        let job = job.ok_or_else(|| ConversationError::Gone(self.id.clone()))?;
        match job.state {
            JobState::Done { output } => Ok(serde_json::from_value(output)?),
            JobState::Failed { error } => {
                self.note_end(TurnStatus::Failed, &error.to_string()).await?;
                Err(ConversationError::Failed(error))
            }
            JobState::Cancelled { reason } => {
                self.note_end(TurnStatus::Cancelled, &reason).await?;
                Err(ConversationError::Cancelled(reason))
            }
            other => Err(ConversationError::Stopped(other.name())),
        }
    }

    /// Gives the turn up: what runs is ended, and what arrived of an answer is kept.
    ///
    /// # Errors
    /// When the jobs or the store cannot be reached.
    pub async fn cancel(&mut self, why: &str) -> Result<(), ConversationError> {
        self.conversation.parts.jobs.cancel(&self.id, why).await?;
        self.note_end(TurnStatus::Cancelled, why).await
    }

    async fn note_end(&mut self, status: TurnStatus, why: &str) -> Result<(), ConversationError> {
        self.conversation.note_end(&self.place, &self.id, status, why).await
    }

    /// Lets the steps that are being done end, for this long, and hands back the others.
    pub async fn finish(self, grace: Duration) {
        self.runner.drain(grace).await;
        self.conversation.forget_ended().await;
    }
}

/// Waits until a job has ended.
pub(super) async fn ended(
    mut events: BoxStream<'static, Result<JobEvent, JobsError>>,
) -> Result<(), ConversationError> {
    while events.next().await.transpose()?.is_some() {}
    Ok(())
}
