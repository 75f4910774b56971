//! The log of what happened, for readers that follow it.
//!
//! In: whose events, and the last one that was seen. Out: every later one, once, in order. Never changes anything.

use super::{Conversation, ConversationError};
use salve_store::EventNews;
use salve_types::{SessionEvent, SessionId};
use std::path::PathBuf;

/// Whose events are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventScope {
    /// Those of one session.
    Session(SessionId),
    /// Those of all sessions of a workspace.
    Workspace(PathBuf),
}

impl Conversation {
    /// Returns at most `limit` events after the one numbered `after`, oldest first.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn events(
        &self,
        scope: &EventScope,
        after: u64,
        limit: u32,
    ) -> Result<Vec<SessionEvent>, ConversationError> {
        Ok(match scope {
            EventScope::Session(session) => {
                self.parts.store.session_events(session, after, limit).await?
            }
            EventScope::Workspace(root) => {
                let root = root.display().to_string();
                self.parts.store.workspace_events(&root, after, limit).await?
            }
        })
    }

    /// Returns what wakes a reader that has read to the end.
    pub fn event_news(&self) -> EventNews {
        self.parts.store.event_news()
    }
}
