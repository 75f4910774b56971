//! The engine's store, over our storage.
//!
//! In: what the engine asks of its store. Out: calls of [`EngineStorage`], with the engine's values
//! as text. Never decides anything: leases and transactions are the storage's.

mod admin;
mod convert;
mod turn;

use super::storage::{EngineStorage, StorageError};
use super::wakeups::{Wakeups, locked};
use crate::JobId;
use async_trait::async_trait;
use convert::{event, events, failed, message, step, step_completion, tags, versions};
use duroxide::providers::{
    DispatcherCapabilityFilter, ExecutionMetadata, OrchestrationItem, Provider, ProviderAdmin,
    ProviderError, ScheduledActivityIdentifier, SessionFetchConfig, TagFilter, WorkItem,
};
use duroxide::{Event, EventKind, SystemStats};
use salve_types::{Clock, Lease, StepClaim, Timestamp, TurnClaim};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The engine's store, over our storage.
pub(crate) struct StorageProvider {
    storage: Arc<dyn EngineStorage>,
    clock: Arc<dyn Clock>,
    owner: String,
    wakeups: Arc<Wakeups>,
    /// The one job whose work is taken, with its children.
    only: Option<String>,
    /// The histories of the turns that are held here, by token.
    turns: Mutex<HashMap<String, OpenTurn>>,
}

/// A turn that was claimed and not committed yet.
struct OpenTurn {
    instance: String,
    history: Vec<Event>,
}

impl StorageProvider {
    pub(crate) fn new(
        storage: Arc<dyn EngineStorage>,
        clock: Arc<dyn Clock>,
        wakeups: Arc<Wakeups>,
    ) -> Self {
        let owner = storage.owner();
        Self { storage, clock, owner, wakeups, only: None, turns: Mutex::default() }
    }

    /// Takes the work of one job and its children, and leaves all other work where it is.
    pub(crate) fn only(self, job: &JobId) -> Self {
        Self { only: Some(job.as_str().to_owned()), ..self }
    }

    fn after(&self, wait: Duration) -> Timestamp {
        self.clock.now().plus_millis(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX))
    }

    fn lease(&self, length: Duration) -> Lease {
        let token = uuid::Uuid::new_v4().simple().to_string();
        Lease { token, owner: self.owner.clone(), until: self.after(length) }
    }

    fn forget_turn(&self, token: &str) -> Option<OpenTurn> {
        locked(&self.turns).remove(token)
    }

    fn hold_turn(&self, token: &str, turn: OpenTurn) {
        let mut turns = locked(&self.turns);
        // A turn whose lease ran out is never given back; the next claim replaces it.
        turns.retain(|_, held| held.instance != turn.instance);
        turns.insert(token.to_owned(), turn);
    }

    async fn history(
        &self,
        operation: &'static str,
        instance: &str,
        execution: Option<u64>,
    ) -> Result<Vec<Event>, ProviderError> {
        let history = self.storage.history(instance.to_owned(), execution).await;
        events(operation, &history.map_err(failed(operation))?)
    }
}

#[async_trait]
impl Provider for StorageProvider {
    fn name(&self) -> &'static str {
        "salve"
    }

    fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    async fn fetch_orchestration_item(
        &self,
        lock_timeout: Duration,
        _poll_timeout: Duration,
        filter: Option<&DispatcherCapabilityFilter>,
    ) -> Result<Option<(OrchestrationItem, String, u32)>, ProviderError> {
        let operation = "fetch_orchestration_item";
        let Ok(versions) = versions(filter) else { return Ok(None) };
        let lease = self.lease(lock_timeout);
        let token = lease.token.clone();
        let claim = TurnClaim { now: self.clock.now(), lease, versions, only: self.only.clone() };
        let claimed = self.storage.claim_turn(claim).await.map_err(failed(operation))?;
        let Some(claimed) = claimed else { return Ok(None) };
        let attempts = claimed.attempts;
        let item = turn::item(claimed);
        if item.history_error.is_none() {
            let (instance, history) = (item.instance.clone(), item.history.clone());
            self.hold_turn(&token, OpenTurn { instance, history });
        }
        Ok(Some((item, token, attempts)))
    }

    async fn ack_orchestration_item(
        &self,
        lock_token: &str,
        execution_id: u64,
        history_delta: Vec<Event>,
        worker_items: Vec<WorkItem>,
        orchestrator_items: Vec<WorkItem>,
        metadata: ExecutionMetadata,
        cancelled_activities: Vec<ScheduledActivityIdentifier>,
    ) -> Result<(), ProviderError> {
        let operation = "ack_orchestration_item";
        let now = self.clock.now();
        let open = self.forget_turn(lock_token);
        let projected = open.and_then(|open| turn::projected(open, execution_id, &history_delta));
        let mut commit = turn::commit(lock_token, execution_id, now, &history_delta, metadata)?;
        commit.steps = worker_items.iter().map(step).collect::<Result<_, _>>()?;
        let sent = orchestrator_items.iter().map(|item| message(operation, item, now));
        commit.messages = sent.collect::<Result<_, _>>()?;
        commit.cancelled = cancelled_activities.into_iter().map(convert::step_id).collect();
        let news = projected.as_ref().map(|projected| projected.news.clone());
        let reported = self.storage.commit_turn(commit, news).await.map_err(failed(operation))?;
        match projected {
            Some(projected) if reported => projected.tell(&self.wakeups),
            _ => self.wakeups.grown(&history_delta),
        }
        Ok(())
    }

    async fn abandon_orchestration_item(
        &self,
        lock_token: &str,
        delay: Option<Duration>,
        ignore_attempt: bool,
    ) -> Result<(), ProviderError> {
        self.forget_turn(lock_token);
        let due = delay.map(|delay| self.after(delay));
        let abandoned = self.storage.abandon_turn(lock_token.to_owned(), due, ignore_attempt);
        abandoned.await.map_err(failed("abandon_orchestration_item"))
    }

    async fn read(&self, instance: &str) -> Result<Vec<Event>, ProviderError> {
        self.history("read", instance, None).await
    }

    async fn read_with_execution(
        &self,
        instance: &str,
        execution_id: u64,
    ) -> Result<Vec<Event>, ProviderError> {
        self.history("read_with_execution", instance, Some(execution_id)).await
    }

    async fn append_with_execution(
        &self,
        instance: &str,
        execution_id: u64,
        new_events: Vec<Event>,
    ) -> Result<(), ProviderError> {
        let operation = "append_with_execution";
        let added: Result<_, _> = new_events.iter().map(|it| event(operation, it)).collect();
        let appended = self.storage.append(instance.to_owned(), execution_id, added?);
        appended.await.map_err(failed(operation))
    }

    async fn enqueue_for_worker(&self, item: WorkItem) -> Result<(), ProviderError> {
        let queued = self.storage.queue_step(step(&item)?, self.clock.now());
        queued.await.map_err(failed("enqueue_for_worker"))
    }

    async fn fetch_work_item(
        &self,
        lock_timeout: Duration,
        _poll_timeout: Duration,
        session: Option<&SessionFetchConfig>,
        tag_filter: &TagFilter,
    ) -> Result<Option<(WorkItem, String, u32)>, ProviderError> {
        let operation = "fetch_work_item";
        let Some(tags) = tags(tag_filter) else { return Ok(None) };
        let session = session.map(|it| (it.owner_id.clone(), self.after(it.lock_timeout)));
        let lease = self.lease(lock_timeout);
        let token = lease.token.clone();
        let only = self.only.clone();
        let claim = StepClaim { now: self.clock.now(), lease, session, tags, only };
        let claimed = self.storage.claim_step(claim).await.map_err(failed(operation))?;
        let Some(claimed) = claimed else { return Ok(None) };
        let item = serde_json::from_str(&claimed.body).map_err(convert::unreadable(operation))?;
        Ok(Some((item, token, claimed.attempts)))
    }

    async fn ack_work_item(
        &self,
        token: &str,
        completion: Option<WorkItem>,
    ) -> Result<(), ProviderError> {
        let now = self.clock.now();
        let completion = completion.map(|it| step_completion(&it, now)).transpose()?;
        let completed = self.storage.complete_step(token.to_owned(), now, completion);
        completed.await.map_err(failed("ack_work_item"))
    }

    async fn renew_work_item_lock(
        &self,
        token: &str,
        extend_for: Duration,
    ) -> Result<(), ProviderError> {
        let (now, until) = (self.clock.now(), self.after(extend_for));
        let renewed = self.storage.renew_step(token.to_owned(), now, until);
        renewed.await.map_err(failed("renew_work_item_lock"))
    }

    async fn renew_session_lock(
        &self,
        owner_ids: &[&str],
        extend_for: Duration,
        idle_timeout: Duration,
    ) -> Result<usize, ProviderError> {
        let owners = owner_ids.iter().map(|&owner| owner.to_owned()).collect();
        let (now, until) = (self.clock.now(), self.after(extend_for));
        let idle = i64::try_from(idle_timeout.as_millis()).unwrap_or(i64::MAX);
        let active_since = now.plus_millis(idle.saturating_neg());
        let renewed = self.storage.renew_sessions(owners, now, until, active_since).await;
        renewed.map(convert::size).map_err(failed("renew_session_lock"))
    }

    async fn cleanup_orphaned_sessions(&self, _idle: Duration) -> Result<usize, ProviderError> {
        let cleaned = self.storage.clean_sessions(self.clock.now()).await;
        cleaned.map(convert::size).map_err(failed("cleanup_orphaned_sessions"))
    }

    async fn abandon_work_item(
        &self,
        token: &str,
        delay: Option<Duration>,
        ignore_attempt: bool,
    ) -> Result<(), ProviderError> {
        let due = self.after(delay.unwrap_or_default());
        let abandoned = self.storage.abandon_step(token.to_owned(), due, ignore_attempt);
        abandoned.await.map_err(failed("abandon_work_item"))
    }

    async fn renew_orchestration_item_lock(
        &self,
        token: &str,
        extend_for: Duration,
    ) -> Result<(), ProviderError> {
        let (now, until) = (self.clock.now(), self.after(extend_for));
        let renewed = self.storage.renew_turn(token.to_owned(), now, until);
        renewed.await.map_err(failed("renew_orchestration_item_lock"))
    }

    async fn enqueue_for_orchestrator(
        &self,
        item: WorkItem,
        delay: Option<Duration>,
    ) -> Result<(), ProviderError> {
        let operation = "enqueue_for_orchestrator";
        let mut message = message(operation, &item, self.clock.now())?;
        message.due = self.after(delay.unwrap_or_default());
        self.storage.send(message).await.map_err(failed(operation))
    }

    fn as_management_capability(&self) -> Option<&dyn ProviderAdmin> {
        Some(self)
    }

    async fn get_custom_status(
        &self,
        instance: &str,
        last_seen_version: u64,
    ) -> Result<Option<(Option<String>, u64)>, ProviderError> {
        let found = self.storage.instance(instance.to_owned()).await;
        let found = found.map_err(failed("get_custom_status"))?;
        let newer = found.filter(|row| row.stage_version > last_seen_version);
        Ok(newer.map(|row| (row.stage, row.stage_version)))
    }

    async fn get_kv_value(
        &self,
        instance: &str,
        key: &str,
    ) -> Result<Option<String>, ProviderError> {
        Ok(self.get_kv_all_values(instance).await?.remove(key))
    }

    async fn get_kv_all_values(
        &self,
        instance: &str,
    ) -> Result<HashMap<String, String>, ProviderError> {
        let values = self.storage.values(instance.to_owned()).await;
        let values = values.map_err(failed("get_kv_all_values"))?;
        Ok(values.into_iter().map(|value| (value.key, value.value)).collect())
    }

    async fn get_instance_stats(
        &self,
        instance: &str,
    ) -> Result<Option<SystemStats>, ProviderError> {
        let operation = "get_instance_stats";
        let read = async {
            let Some(row) = self.storage.instance(instance.to_owned()).await? else {
                return Ok(None);
            };
            let history = self.storage.history(row.id.clone(), Some(row.execution)).await?;
            let values = self.storage.values(row.id).await?;
            Ok::<_, StorageError>(Some((history, values)))
        };
        let Some((history, values)) = read.await.map_err(failed(operation))? else {
            return Ok(None);
        };
        let bytes = |texts: &mut dyn Iterator<Item = &String>| -> u64 {
            texts.map(|text| text.len() as u64).sum()
        };
        let first = events(operation, history.get(..1).unwrap_or_default())?;
        let carried = first.first().and_then(|event| match &event.kind {
            EventKind::OrchestrationStarted { carry_forward_events, .. } => {
                carry_forward_events.as_ref().map(Vec::len)
            }
            _ => None,
        });
        Ok(Some(SystemStats {
            history_event_count: history.len() as u64,
            history_size_bytes: bytes(&mut history.iter()),
            queue_pending_count: carried.unwrap_or_default() as u64,
            kv_user_key_count: values.len() as u64,
            kv_total_value_bytes: bytes(&mut values.iter().map(|value| &value.value)),
        }))
    }
}
