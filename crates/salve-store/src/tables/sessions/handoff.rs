//! A session that goes on from another with what is left to do, and not with its conversation.
//!
//! In: a session, the text that its child begins with, a key. Out: the child. It has the tasks, the files and the
//! changes of its parent, and its turns are counted on from those, so that a turn has one number in both. Never two
//! children under one key.

use super::events::{self, NewSessionEvent};
use super::write::{Known, hold_text, known, remember, touch};
use super::{NewSession, SessionRecord, begin, existing, fork};
use crate::commit::{Rollback, Transaction};
use crate::sql::query;
use crate::{Durability, Store, StoreError};
use salve_types::SessionId;
use serde_json::{Value, json};

/// The event of the parent, and of the child, that tells of a handoff.
pub const HANDED_OVER: &str = "sessionHandedOver";

/// What a child begins with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewHandoff {
    /// What the handoff is known by in the parent.
    pub key: String,
    /// The id of the text that the child knows of its parent.
    pub context: String,
    /// What its input begins with.
    pub input: String,
    /// Files that its first turn gets, changed last first.
    pub modified: Vec<String>,
}

impl Store {
    /// Begins a session that goes on from another, and returns it. The same key again gives the session that was
    /// begun under it.
    ///
    /// # Errors
    /// When there is no such session, or the database refuses; nothing is written then.
    pub async fn hand_over_session(
        &self,
        parent: &SessionId,
        new: NewHandoff,
    ) -> Result<SessionRecord, StoreError> {
        let redactor = self.redactor();
        let parent = redactor.key(parent.as_str());
        let new = NewHandoff {
            key: redactor.key(&new.key),
            context: redactor.name(&new.context),
            input: redactor.name(&new.input),
            modified: new.modified.iter().map(|path| redactor.name(path)).collect(),
        };
        self.write(Durability::Full, "hand a session over", move |tx| {
            Box::pin(hand_over(tx, parent, new))
        })
        .await
    }
}

async fn hand_over(
    tx: &mut Transaction<'_>,
    parent: String,
    new: NewHandoff,
) -> Result<SessionRecord, Rollback> {
    if let Some(known) = known(tx, &parent, &new.key).await? {
        let child = child_of(tx, known.first).await?;
        return existing(tx, &child).await;
    }
    touch(tx, &parent).await?;
    let from = existing(tx, &parent).await?;
    let session = NewSession {
        workspace: from.workspace,
        title: from.title,
        parent: Some(from.id),
        audit: from.audit,
        limits: from.limits,
    };
    let child = begin(tx, &session).await?;
    let last = i64::from(from.turns);
    fork::copy_work(tx, &child, &parent, last).await?;
    query("UPDATE sessions SET turns = $2 WHERE id = $1")
        .bind(&child)
        .bind(last)
        .execute(&mut *tx)
        .await?;
    if !new.context.is_empty() {
        hold_text(tx, &child, &new.context, "handoff").await?;
    }
    let told =
        |payload: Value| NewSessionEvent { turn: None, name: HANDED_OVER.to_owned(), payload };
    let begun = told(json!({
        "parent": parent, "context": new.context, "input": new.input, "modified": new.modified,
        "turn": last,
    }));
    events::append(tx, &child, &[begun]).await?;
    let first =
        events::append(tx, &parent, &[told(json!({ "child": child, "turn": last }))]).await?;
    remember(tx, &parent, &new.key, &Known { turn: None, first, events: 1 }).await?;
    existing(tx, &child).await
}

async fn child_of(tx: &mut Transaction<'_>, event: i64) -> Result<String, Rollback> {
    let row = query("SELECT payload FROM session_events WHERE id = $1")
        .bind(event)
        .fetch_optional(&mut *tx)
        .await?;
    let payload: Value = match row {
        Some(row) => super::values::json(&row.try_get::<String>(0)?)?,
        None => Value::Null,
    };
    let child = payload["child"].as_str().unwrap_or_default().to_owned();
    Ok(child)
}
