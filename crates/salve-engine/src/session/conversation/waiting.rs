//! What waits for a person, and the hash by which exactly that is approved.
//!
//! In: a turn that stopped. Out: the edits or commands that wait, with the hash of everything an approval is about: the
//! answer they are from, the lines, the folder. Never the same hash for two things that wait.

use super::{Conversation, ConversationError, job_of};
use crate::jobs::JobStatus;
use crate::session::{TurnReport, Waits, accept_recovered};
use salve_jobs::{JobState, Jobs};
use salve_store::TurnRecord;
use salve_types::TurnStatus;
use serde_json::json;

/// Something that waits for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingTurn {
    /// The turn.
    pub turn: u32,
    /// What waits.
    pub what: Waits,
    /// What an approval of exactly this names.
    pub approval: String,
}

impl Conversation {
    /// Returns what waits in a turn; nothing where nothing does.
    ///
    /// # Errors
    /// When the jobs or the store cannot be reached.
    pub async fn waiting(
        &self,
        turn: &TurnRecord,
    ) -> Result<Option<WaitingTurn>, ConversationError> {
        if turn.status != TurnStatus::Waiting {
            return Ok(None);
        }
        let id = job_of(&turn.session, turn.index, turn.attempt.max(1))?;
        let job = self.parts.jobs.state(&id).await?;
        let stage = job
            .filter(|job| matches!(job.state, JobState::Waiting { .. }))
            .and_then(|job| job.stage)
            .filter(|stage| stage.name == JobStatus::Paused.name());
        let Some(stage) = stage else { return Ok(None) };
        let report: TurnReport = serde_json::from_value(stage.detail)?;
        let session = self.parts.store.session(&turn.session).await?;
        Ok(report.waits.map(|what| {
            // Commands start in the session's workspace, and edits are those of the answer that was kept. File by file
            // they become fewer, and a decision about one is as good after another.
            let mut about = json!({
                "job": id, "asked": report.asked, "answer": turn.raw,
                "workspace": session.map(|session| session.workspace),
            });
            if !matches!(what, Waits::Edits { .. }) {
                (about["changes"], about["what"]) = (json!(report.changes), json!(what));
            }
            let approval = blake3::hash(about.to_string().as_bytes()).to_hex().to_string();
            WaitingTurn { turn: turn.index, what, approval }
        }))
    }

    /// Notes that a person accepted what was recovered of a broken answer.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn accept(&self, turn: &TurnRecord) -> Result<(), ConversationError> {
        let store = &self.parts.store;
        let todos = store.todos(&turn.session).await?;
        if let Some(write) = accept_recovered(turn, &todos) {
            store.write_session(write).await?;
        }
        Ok(())
    }
}
