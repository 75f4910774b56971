//! The engine's store, with what we add around it.
//!
//! In: what the engine asks of its store. Out: the same answers, sooner (a worker that waits for
//! work is woken instead of polling), and only work that this process knows how to do. Never a
//! different answer: the store decides everything.

use super::claims::Claims;
use super::envelope::flow_name;
use super::wakeups::Wakeups;
use async_trait::async_trait;
use duroxide::providers::{
    DispatcherCapabilityFilter, ExecutionMetadata, OrchestrationItem, Provider, ProviderAdmin,
    ProviderError, ScheduledActivityIdentifier, SessionFetchConfig, TagFilter, WorkItem,
};
use duroxide::{Event, EventKind, SystemStats};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

// How often and for how long something is tried again while the database cannot be reached.
const PAUSE: Duration = Duration::from_millis(250);
const PATIENCE: Duration = Duration::from_secs(5);
const PATIENCE_FOR_RESULTS: Duration = Duration::from_secs(60);

/// Which store is behind it.
#[derive(Clone, Copy)]
pub(super) enum Backend {
    /// Storage of our own, which also writes the job index.
    Storage,
    /// The engine's own store on Postgres.
    #[cfg(feature = "fleet")]
    Postgres,
}

impl Backend {
    /// Tells a refusal, which is an answer, from a database that cannot be reached.
    fn is_answer(self, error: &ProviderError) -> bool {
        match self {
            Self::Storage => !error.retryable,
            #[cfg(feature = "fleet")]
            Self::Postgres => super::postgres::is_answer(error),
        }
    }
}

/// A store of the engine that wakes those who wait for work.
pub(super) struct NotifyingProvider {
    pub(super) inner: Arc<dyn Provider>,
    /// The same store, for who has what for how long; where it can, it does not wait for the disk
    /// with that. What is lost of it in a crash is only that someone had something.
    pub(super) leases: Arc<dyn Provider>,
    pub(super) wakeups: Arc<Wakeups>,
    /// There for a runner, which takes work; a client only gives it.
    pub(super) claims: Option<Arc<Claims>>,
    pub(super) backend: Backend,
}

impl NotifyingProvider {
    // Our own storage writes the index with the turn, and says so itself when it did not.
    const fn reports_itself(&self) -> bool {
        matches!(self.backend, Backend::Storage)
    }

    // The lock on a step is gone: either its result is not wanted any more, or it only ran out, and
    // then its paid call is better ended and written down than cut off in the middle.
    async fn is_unwanted(&self, token: &str) -> bool {
        let Some((job, activity)) = self.claims.as_ref().and_then(|claims| claims.step(token))
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

#[async_trait]
impl Provider for NotifyingProvider {
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
        let Some(claims) = &self.claims else { return Ok(None) };
        // One looks at a time: several would find the same and wait for each other in the store.
        let first = claims.flow_gate().await;
        loop {
            let found = {
                let _leave = claims.permit().await;
                self.leases.fetch_orchestration_item(lock_timeout, poll_timeout, filter).await?
            };
            let Some((mut item, token, attempts)) = found else {
                claims.wait(&self.wakeups.flow_work).await;
                continue;
            };
            let flow = flow_name(&item.orchestration_name, &item.version);
            if claims.serves(&item.instance) && claims.knows_flow(flow.as_ref()) {
                claims.hold_turn(&token);
                drop(first);
                if item.history.is_empty()
                    && let Some(reason) = claims.is_cancelled(&item.instance).await
                {
                    let instance = item.instance.clone();
                    item.messages.push(WorkItem::CancelInstance { instance, reason });
                }
                return Ok(Some((item, token, attempts)));
            }
            let pause = claims.pause_for_others(&item.instance);
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
        if let Some(claims) = &self.claims {
            claims.release_turn(lock_token);
        }
        if steps > 0 {
            self.wakeups.step_work.notify_one();
        }
        if flows > 0 {
            self.wakeups.flow_work.notify_one();
        }
        if !self.reports_itself() {
            self.wakeups.grown(&delta);
        }
        Ok(())
    }

    async fn abandon_orchestration_item(
        &self,
        lock_token: &str,
        delay: Option<Duration>,
        ignore_attempt: bool,
    ) -> Result<(), ProviderError> {
        if let Some(claims) = &self.claims {
            claims.release_turn(lock_token);
        }
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
        self.inner.append_with_execution(instance, execution_id, new_events).await
    }

    async fn enqueue_for_worker(&self, item: WorkItem) -> Result<(), ProviderError> {
        self.inner.enqueue_for_worker(item).await?;
        self.wakeups.step_work.notify_one();
        Ok(())
    }

    async fn fetch_work_item(
        &self,
        lock_timeout: Duration,
        poll_timeout: Duration,
        _session: Option<&SessionFetchConfig>,
        tag_filter: &TagFilter,
    ) -> Result<Option<(WorkItem, String, u32)>, ProviderError> {
        let Some(claims) = &self.claims else { return Ok(None) };
        let _first = claims.step_gate().await;
        loop {
            let found = {
                let _leave = claims.permit().await;
                // No step of ours is bound to a session, and without one the question is cheaper.
                self.leases.fetch_work_item(lock_timeout, poll_timeout, None, tag_filter).await?
            };
            let Some((item, token, attempts)) = found else {
                claims.wait(&self.wakeups.step_work).await;
                continue;
            };
            if claims.knows_step(&item) {
                claims.hold_step(&token, &item, attempts);
                return Ok(Some((item, token, attempts)));
            }
            let pause = claims.pause_for_other_step(&item);
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
            let acked = self.inner.ack_work_item(token, completion.clone()).await;
            match acked {
                Err(error)
                    if !self.backend.is_answer(&error)
                        && begun.elapsed() < PATIENCE_FOR_RESULTS =>
                {
                    // The step was done, and may have been paid: its result is worth some patience.
                    tracing::debug!(%error, "a step's result could not be recorded yet");
                    tokio::time::sleep(PAUSE).await;
                }
                ended => {
                    if let Some(claims) = &self.claims {
                        claims.release_step(token);
                    }
                    self.wakeups.flow_work.notify_one();
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
        let renewed = self.leases.renew_work_item_lock(token, extend_for).await;
        match renewed {
            Err(error) if !self.backend.is_answer(&error) || !self.is_unwanted(token).await => {
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
        if let Some(claims) = &self.claims {
            claims.release_step(token);
        }
        self.leases.abandon_work_item(token, delay, ignore_attempt).await
    }

    async fn renew_orchestration_item_lock(
        &self,
        token: &str,
        extend_for: Duration,
    ) -> Result<(), ProviderError> {
        self.leases.renew_orchestration_item_lock(token, extend_for).await
    }

    async fn enqueue_for_orchestrator(
        &self,
        item: WorkItem,
        delay: Option<Duration>,
    ) -> Result<(), ProviderError> {
        let begun = Instant::now();
        loop {
            let queued = self.inner.enqueue_for_orchestrator(item.clone(), delay).await;
            match queued {
                Err(error) if error.is_retryable() && begun.elapsed() < PATIENCE => {
                    tokio::time::sleep(PAUSE).await;
                }
                queued => {
                    self.wakeups.flow_work.notify_one();
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
