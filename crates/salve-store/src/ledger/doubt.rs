//! Calls whose end is not known: listed, taken over, decided about.
//!
//! In: keys. Out: the call under a new epoch, or what is known of it. Never two results for one
//! key: a settlement that comes late is written down as late.

use super::call::{CallDetail, CallState, Resolution, Settled};
use super::open_call::OpenCall;
use super::ownership::{self, TakeOver, Taken};
use crate::sql::query;
use crate::{CallId, CallKey, Durability, NewCall, Receipt, Reservation, Spend, Store, StoreError};
use salve_types::Timestamp;
use serde::Serialize;

/// Which calls in doubt are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubtFilter {
    /// Whose key begins like this.
    pub key_prefix: Option<String>,
    /// At most this many.
    pub limit: u32,
}

impl Default for DoubtFilter {
    fn default() -> Self {
        Self { key_prefix: None, limit: 1000 }
    }
}

/// A call with a key that was begun by a worker that is not seen any more, and that was not decided
/// about yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DoubtfulCall {
    /// Its number.
    pub id: CallId,
    /// By what it is known again.
    pub key: CallKey,
    /// Raised each time it changes hands.
    pub epoch: u32,
    /// When it was reserved.
    pub since: Timestamp,
    /// By whom.
    pub worker: String,
    /// How many bytes had arrived and were safe.
    pub partial_bytes: u64,
    /// The most it can have taken.
    pub worst: Spend,
}

impl Store {
    /// Takes a call in doubt away from the process that began it, if that is not seen any more or
    /// someone decided that it is to be made again: from now on what the other one settles is late.
    /// What it may have taken counts at its worst until then. A call that was not begun is reserved.
    ///
    /// # Errors
    /// When the database refuses, or its gateway key is not in force.
    pub async fn take_over(&self, key: &CallKey, call: NewCall) -> Result<Reservation, StoreError> {
        let key_text = self.redactor().key(key.as_str());
        let wanted = TakeOver { key: key_text, call: self.redacted_call(call) };
        let again = wanted.call.clone();
        let (opening, owner) = (self.opening(), self.owner());
        let taken = self.write(Durability::Full, "take a call over", |tx| {
            Box::pin(ownership::take_over(tx, wanted, opening, owner))
        });
        match taken.await? {
            Taken::Fresh(open) => Ok(Reservation::Fresh(open.handed_over())),
            Taken::Before(id) => Ok(self.found(id).await?.said()),
            Taken::Unknown => self.reserve(key, again).await,
            Taken::OverBudget(over) => Ok(Reservation::OverBudget(over)),
        }
    }

    /// Settles the try of this epoch at the call under this key, as its owner, no matter who that
    /// was: for an owner that was restarted and still knows how its call ended. None when there is
    /// no such try.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn settle_key(
        &self,
        key: &CallKey,
        epoch: u32,
        settled: Settled,
    ) -> Result<Option<Receipt>, StoreError> {
        let (text, owner) = (self.redactor().key(key.as_str()), self.owner());
        let held = self.write(Durability::Full, "take a call up", move |tx| {
            Box::pin(ownership::take_up(tx, text, i64::from(epoch), owner))
        });
        let Some(held) = held.await? else { return Ok(None) };
        let open = OpenCall::new(held, self.opening()).handed_over();
        open.settle(settled).await.map(Some)
    }

    /// Decides about a call whose end is not known.
    ///
    /// # Errors
    /// When there is no such call, it is settled, or the database refuses.
    pub async fn resolve(&self, id: CallId, decision: Resolution) -> Result<(), StoreError> {
        let decision = self.redacted_decision(decision);
        self.write(Durability::Full, "resolve a call", move |tx| {
            Box::pin(async move { ownership::resolve(tx, id, &decision).await })
        })
        .await
    }

    /// Decides about the call under this key, if it is in doubt; no when it is not: no process began
    /// it, it is settled, or its owner is alive. The same said twice is said once.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn resolve_key(
        &self,
        key: &CallKey,
        decision: Resolution,
    ) -> Result<bool, StoreError> {
        let (text, owner) = (self.redactor().key(key.as_str()), self.owner());
        let decision = self.redacted_decision(decision);
        self.write(Durability::Full, "resolve a call", |tx| {
            Box::pin(ownership::resolve_key(tx, text, decision, owner))
        })
        .await
    }

    /// Returns the calls in doubt, oldest first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn in_doubt(&self, filter: &DoubtFilter) -> Result<Vec<DoubtfulCall>, StoreError> {
        let read = async {
            let rows = query(
                "SELECT calls.id, call_key, epoch, reserved_at, calls.worker,
                        prompt_tokens + answer_tokens, prompt_micro_dollars + answer_micro_dollars,
                        (SELECT CAST(coalesce(sum(length(content)), 0) AS BIGINT) FROM call_pieces
                          WHERE call_pieces.call = calls.id)
                   FROM calls LEFT JOIN workers ON workers.worker = calls.worker
                  WHERE state = 'open' AND call_key IS NOT NULL AND decided IS NULL
                    AND coalesce(workers.seen_at, 0) < $1
                    AND ($2 IS NULL OR substr(call_key, 1, length($2)) = $2)
                  ORDER BY calls.id LIMIT $3",
            )
            .bind(self.alive_since().await?)
            .bind(filter.key_prefix.as_deref())
            .bind(i64::from(filter.limit))
            .fetch_all(self.readers())
            .await?;
            rows.iter()
                .map(|row| {
                    Ok(DoubtfulCall {
                        id: CallId(row.try_get(0)?),
                        key: CallKey::new(row.try_get::<String>(1)?),
                        epoch: u32::try_from(row.try_get::<i64>(2)?).unwrap_or(u32::MAX),
                        since: Timestamp(row.try_get(3)?),
                        worker: row.try_get(4)?,
                        worst: super::read::spend(row, 5)?,
                        partial_bytes: u64::try_from(row.try_get::<i64>(7)?).unwrap_or_default(),
                    })
                })
                .collect::<Result<_, sqlx::Error>>()
        };
        read.await.map_err(StoreError::database("list the calls in doubt"))
    }

    /// Finds a call that was reserved before.
    pub(crate) async fn found(&self, id: CallId) -> Result<Found, StoreError> {
        Ok(Found(self.call(id).await?.ok_or(StoreError::NoSuchCall(id))?))
    }

    fn redacted_decision(&self, decision: Resolution) -> Resolution {
        match decision {
            Resolution::UseResult(text) => Resolution::UseResult(self.redactor().text(&text)),
            Resolution::Fail(reason) => Resolution::Fail(self.redactor().name(&reason)),
            other => other,
        }
    }
}

/// A call that was reserved before.
pub(crate) struct Found(CallDetail);

impl Found {
    /// Returns whether it was decided that it is to be made again.
    pub(crate) fn is_to_be_made_again(&self) -> bool {
        let call = &self.0.call;
        call.state != CallState::Settled && call.decided.as_deref() == Some("retry")
    }

    /// Says the outcome.
    pub(crate) fn said(self) -> Reservation {
        let CallDetail { call, .. } = &self.0;
        if call.state == CallState::Settled {
            return match (call.decided.as_deref(), &call.error) {
                (Some("fail"), reason) => Reservation::Refused(reason.clone().unwrap_or_default()),
                _ => Reservation::Done(Box::new(self.0)),
            };
        }
        let CallDetail { call, texts, .. } = self.0;
        Reservation::InDoubt {
            id: call.id,
            partial: texts.partial.unwrap_or(texts.raw),
            since: call.reserved_at,
            worker: call.worker,
            alive: call.state == CallState::Open,
        }
    }
}
