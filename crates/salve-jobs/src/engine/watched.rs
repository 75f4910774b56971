//! The engine's store, with what we add around it.
//!
//! In: what the engine asks of its store. Out: the same answers, sooner (whoever waits for work is
//! woken instead of polling), in turn (one writer at a time where the store has only one), and only
//! work that this process knows how to do. Never a different answer: the store decides everything.

use super::envelope::flow_name;
use super::taking::Taking;
use super::wires::Wires;
use crate::JobId;
use async_trait::async_trait;
use duroxide::providers::{
    DispatcherCapabilityFilter, ExecutionMetadata, OrchestrationItem, Provider, ProviderAdmin,
    ProviderError, ScheduledActivityIdentifier, SessionFetchConfig, TagFilter, WorkItem,
};
use duroxide::{Event, EventKind, SystemStats};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, OwnedMutexGuard};

// How often and for how long something is tried again while the database cannot be reached.
const PAUSE: Duration = Duration::from_millis(250);
const PATIENCE: Duration = Duration::from_secs(5);
const PATIENCE_FOR_RESULTS: Duration = Duration::from_secs(60);

/// A store of the engine, watched.
pub(super) struct Watched {
    pub(super) inner: Arc<dyn Provider>,
    /// The same store, for who has what for how long; where it can, it does not wait for the disk
    /// with that. What is lost of it in a crash is only that somebody had something.
    pub(super) leases: Arc<dyn Provider>,
    pub(super) wires: Arc<Wires>,
    /// There for a store with one writer: waiting for it here costs nothing, while waiting in its
    /// lock costs a pause and a failed transaction.
    pub(super) writer: Option<Arc<Mutex<()>>>,
    /// There for a runner, which takes work; a client only gives it.
    pub(super) taking: Option<Arc<Taking>>,
}

impl Watched {
    async fn turn(&self) -> Option<OwnedMutexGuard<()>> {
        match &self.writer {
            Some(writer) => Some(Arc::clone(writer).lock_owned().await),
            None => None,
        }
    }

    fn tell(&self, delta: &[Event]) {
        // A job's turns are all of one job; one event is enough to know which.
        if let Some(id) = delta.first().and_then(|event| JobId::new(&event.instance_id).ok()) {
            self.wires.touched(id);
        }
    }

    // The lock on a step is gone: either nobody wants its result any more, or it only ran out, and
    // then its paid call is better ended and written down than cut off in the middle.
    async fn is_unwanted(&self, token: &str) -> bool {
        let Some((job, activity)) = self.taking.as_ref().and_then(|taking| taking.step(token))
        else {
            return true;
        };
        let Ok(events) = self.inner.read(&job).await else { return false };
        events.is_empty()
            || events.iter().any(|event| match event.kind {
                EventKind::ActivityCancelRequested { .. }
                | EventKind::ActivityCompleted { .. }
                | EventKind::ActivityFailed { .. } => event.source_event_id == Some(activity),
                _ => event.is_terminal(),
            })
    }
}

/// Tells a refusal, which is an answer, from a database that cannot be reached.
fn is_answer(error: &ProviderError) -> bool {
    let message = error.message.to_ascii_lowercase();
    !error.retryable
        && ["lock token", "lock renewal failed", "not found", "constraint", "duplicate", "serializ"]
            .iter()
            .any(|word| message.contains(word))
}

#[async_trait]
impl Provider for Watched {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn version(&self) -> &str {
        self.inner.version()
    }

    async fn fetch_orchestration_item(
        &self,
        lock_timeout: Duration,
        poll_timeout: Duration,
        filter: Option<&DispatcherCapabilityFilter>,
    ) -> Result<Option<(OrchestrationItem, String, u32)>, ProviderError> {
        let Some(taking) = &self.taking else { return Ok(None) };
        // One looks at a time: several would find the same and wait for each other in the store.
        let first = taking.flow_gate().await;
        loop {
            let found = {
                let _leave = taking.leave_to_look().await;
                let _turn = self.turn().await;
                self.leases.fetch_orchestration_item(lock_timeout, poll_timeout, filter).await?
            };
            let Some((mut item, token, attempts)) = found else {
                taking.wait(&self.wires.flow_work).await;
                continue;
            };
            if taking.knows_flow(flow_name(&item.orchestration_name, &item.version).as_ref()) {
                taking.took_flow(&token);
                drop(first);
                if item.history.is_empty()
                    && let Some(reason) = taking.is_cancelled(&item.instance).await
                {
                    let instance = item.instance.clone();
                    item.messages.push(WorkItem::CancelInstance { instance, reason });
                }
                return Ok(Some((item, token, attempts)));
            }
            let pause = taking.pause_for_others(&item.instance);
            let _turn = self.turn().await;
            self.leases.abandon_orchestration_item(&token, Some(pause), true).await?;
        }
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
        let (steps, flows) = (worker_items.len(), orchestrator_items.len());
        let delta: Vec<Event> = history_delta.first().cloned().into_iter().collect();
        {
            let _turn = self.turn().await;
            self.inner
                .ack_orchestration_item(
                    lock_token,
                    execution_id,
                    history_delta,
                    worker_items,
                    orchestrator_items,
                    metadata,
                    cancelled_activities,
                )
                .await?;
        }
        if let Some(taking) = &self.taking {
            taking.gave_flow(lock_token);
        }
        if steps > 0 {
            self.wires.step_work.notify_one();
        }
        if flows > 0 {
            self.wires.flow_work.notify_one();
        }
        self.tell(&delta);
        Ok(())
    }

    async fn abandon_orchestration_item(
        &self,
        lock_token: &str,
        delay: Option<Duration>,
        ignore_attempt: bool,
    ) -> Result<(), ProviderError> {
        if let Some(taking) = &self.taking {
            taking.gave_flow(lock_token);
        }
        let _turn = self.turn().await;
        self.leases.abandon_orchestration_item(lock_token, delay, ignore_attempt).await
    }

    async fn read(&self, instance: &str) -> Result<Vec<Event>, ProviderError> {
        self.inner.read(instance).await
    }

    async fn read_with_execution(
        &self,
        instance: &str,
        execution_id: u64,
    ) -> Result<Vec<Event>, ProviderError> {
        self.inner.read_with_execution(instance, execution_id).await
    }

    async fn append_with_execution(
        &self,
        instance: &str,
        execution_id: u64,
        new_events: Vec<Event>,
    ) -> Result<(), ProviderError> {
        let _turn = self.turn().await;
        self.inner.append_with_execution(instance, execution_id, new_events).await
    }

    async fn enqueue_for_worker(&self, item: WorkItem) -> Result<(), ProviderError> {
        {
            let _turn = self.turn().await;
            self.inner.enqueue_for_worker(item).await?;
        }
        self.wires.step_work.notify_one();
        Ok(())
    }

    async fn fetch_work_item(
        &self,
        lock_timeout: Duration,
        poll_timeout: Duration,
        _session: Option<&SessionFetchConfig>,
        tag_filter: &TagFilter,
    ) -> Result<Option<(WorkItem, String, u32)>, ProviderError> {
        let Some(taking) = &self.taking else { return Ok(None) };
        let _first = taking.step_gate().await;
        loop {
            let found = {
                let _leave = taking.leave_to_look().await;
                let _turn = self.turn().await;
                // No step of ours is bound to a session, and without one the question is cheaper.
                self.leases.fetch_work_item(lock_timeout, poll_timeout, None, tag_filter).await?
            };
            let Some((item, token, attempts)) = found else {
                taking.wait(&self.wires.step_work).await;
                continue;
            };
            if taking.knows_step(&item) {
                taking.took_step(&token, &item, attempts);
                return Ok(Some((item, token, attempts)));
            }
            let pause = taking.pause_for_other_step(&item);
            let _turn = self.turn().await;
            self.leases.abandon_work_item(&token, Some(pause), true).await?;
        }
    }

    async fn ack_work_item(
        &self,
        token: &str,
        completion: Option<WorkItem>,
    ) -> Result<(), ProviderError> {
        let begun = Instant::now();
        loop {
            let acked = {
                let _turn = self.turn().await;
                self.inner.ack_work_item(token, completion.clone()).await
            };
            match acked {
                Err(error) if !is_answer(&error) && begun.elapsed() < PATIENCE_FOR_RESULTS => {
                    // The step was done, and may have been paid: its result is worth some patience.
                    tracing::debug!(%error, "a step's result could not be recorded yet");
                    tokio::time::sleep(PAUSE).await;
                }
                ended => {
                    if let Some(taking) = &self.taking {
                        taking.gave_step(token);
                    }
                    self.wires.flow_work.notify_one();
                    return ended;
                }
            }
        }
    }

    async fn renew_work_item_lock(
        &self,
        token: &str,
        extend_for: Duration,
    ) -> Result<(), ProviderError> {
        let renewed = {
            let _turn = self.turn().await;
            self.leases.renew_work_item_lock(token, extend_for).await
        };
        match renewed {
            Err(error) if !is_answer(&error) || !self.is_unwanted(token).await => {
                tracing::warn!(%error, "a step goes on although its lease could not be renewed");
                Ok(())
            }
            renewed => renewed,
        }
    }

    async fn renew_session_lock(
        &self,
        _owner_ids: &[&str],
        _extend_for: Duration,
        _idle_timeout: Duration,
    ) -> Result<usize, ProviderError> {
        Ok(0)
    }

    async fn cleanup_orphaned_sessions(&self, _idle: Duration) -> Result<usize, ProviderError> {
        Ok(0)
    }

    async fn abandon_work_item(
        &self,
        token: &str,
        delay: Option<Duration>,
        ignore_attempt: bool,
    ) -> Result<(), ProviderError> {
        if let Some(taking) = &self.taking {
            taking.gave_step(token);
        }
        let _turn = self.turn().await;
        self.leases.abandon_work_item(token, delay, ignore_attempt).await
    }

    async fn renew_orchestration_item_lock(
        &self,
        token: &str,
        extend_for: Duration,
    ) -> Result<(), ProviderError> {
        let _turn = self.turn().await;
        self.leases.renew_orchestration_item_lock(token, extend_for).await
    }

    async fn enqueue_for_orchestrator(
        &self,
        item: WorkItem,
        delay: Option<Duration>,
    ) -> Result<(), ProviderError> {
        let begun = Instant::now();
        loop {
            let queued = {
                let _turn = self.turn().await;
                self.inner.enqueue_for_orchestrator(item.clone(), delay).await
            };
            match queued {
                Err(error) if error.is_retryable() && begun.elapsed() < PATIENCE => {
                    tokio::time::sleep(PAUSE).await;
                }
                queued => {
                    self.wires.flow_work.notify_one();
                    return queued;
                }
            }
        }
    }

    fn as_management_capability(&self) -> Option<&dyn ProviderAdmin> {
        self.inner.as_management_capability()
    }

    async fn get_custom_status(
        &self,
        instance: &str,
        last_seen_version: u64,
    ) -> Result<Option<(Option<String>, u64)>, ProviderError> {
        self.inner.get_custom_status(instance, last_seen_version).await
    }

    async fn get_kv_value(
        &self,
        instance: &str,
        key: &str,
    ) -> Result<Option<String>, ProviderError> {
        self.inner.get_kv_value(instance, key).await
    }

    async fn get_kv_all_values(
        &self,
        instance: &str,
    ) -> Result<HashMap<String, String>, ProviderError> {
        self.inner.get_kv_all_values(instance).await
    }

    async fn get_instance_stats(
        &self,
        instance: &str,
    ) -> Result<Option<SystemStats>, ProviderError> {
        self.inner.get_instance_stats(instance).await
    }
}
