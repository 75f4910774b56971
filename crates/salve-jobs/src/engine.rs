//! Jobs on the durable engine, in storage of our own or in Postgres.
//!
//! In: storage or a Postgres address, the index, the ledger and a clock. Out: [`Jobs`] and a
//! [`JobRunner`] over the engine. Never lets a type of the engine out, and never does a thing of
//! its own that the engine does: it owns queues, leases, timers and histories.
//!
//! [`JobRunner`]: crate::JobRunner

mod claims;
mod envelope;
mod flow;
mod history;
mod notifying;
#[cfg(feature = "fleet")]
mod postgres;
mod project;
mod provider;
mod query;
mod runner;
mod step;
mod storage;
mod wakeups;

pub use storage::{EngineStorage, StorageError, Stored, TurnNews};

use crate::{
    CallKey, CallLedger, Cause, Decision, EventId, FlowName, Flows, Fut, InDoubtStep, JobEvent,
    JobFilter, JobId, JobIndex, JobSnapshot, JobState, JobTree, Jobs, JobsError, Json, NewJob,
    Page, Registered, StartOptions, Started,
};
use duroxide::Client;
use duroxide::client::ClientError;
use duroxide::providers::Provider;
use envelope::{FlowInput, Told, engine_version, input_hash, tag, text_of};
use futures_util::stream::BoxStream;
use notifying::{Backend, NotifyingProvider};
use project::Projector;
use provider::StorageProvider;
use salve_types::Clock;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wakeups::{Wakeups, locked};

// The engine takes no longer one.
const LONGEST_TAG: usize = 256;

/// Returns our store as the engine's own suite sees it.
#[cfg(feature = "provider-test")]
pub fn provider_under_test(
    storage: Arc<dyn EngineStorage>,
    clock: Arc<dyn Clock>,
) -> Arc<dyn Provider> {
    Arc::new(StorageProvider::new(storage, clock, Arc::default()))
}

/// The schema of a Postgres database in which the engine's tables are.
pub const ENGINE_SCHEMA: &str = "salve_jobs";

/// Jobs on the engine.
pub struct EngineJobs {
    engine: Arc<NotifyingProvider>,
    client: Client,
    /// There on one machine, where the processes that hold leases can be seen.
    storage: Option<Arc<dyn EngineStorage>>,
    index: Arc<dyn JobIndex>,
    ledger: Arc<dyn CallLedger>,
    clock: Arc<dyn Clock>,
    known: Mutex<Option<BTreeSet<FlowName>>>,
}

impl EngineJobs {
    /// Opens the jobs in storage of one machine. One process or several may use it. The clock has
    /// to tell the time of day: the engine sets its timers by that.
    pub fn local(
        storage: Arc<dyn EngineStorage>,
        index: Arc<dyn JobIndex>,
        ledger: Arc<dyn CallLedger>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let wakeups = Arc::new(Wakeups::default());
        let provider =
            StorageProvider::new(Arc::clone(&storage), Arc::clone(&clock), Arc::clone(&wakeups));
        let inner: Arc<dyn Provider> = Arc::new(provider);
        let leases = Arc::clone(&inner);
        let engine =
            NotifyingProvider { inner, leases, wakeups, claims: None, backend: Backend::Storage };
        Self::over(engine, Some(storage), index, ledger, clock)
    }

    /// Opens the jobs in a Postgres database, in the schema [`ENGINE_SCHEMA`]. User, password and
    /// TLS mode are in the address.
    ///
    /// # Errors
    /// When the database cannot be reached or its tables cannot be made.
    #[cfg(feature = "fleet")]
    pub async fn postgres(
        address: &str,
        index: Arc<dyn JobIndex>,
        ledger: Arc<dyn CallLedger>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, JobsError> {
        let (inner, leases) = postgres::open(address, ENGINE_SCHEMA).await?;
        let wakeups = Arc::default();
        let engine =
            NotifyingProvider { inner, leases, wakeups, claims: None, backend: Backend::Postgres };
        Ok(Self::over(engine, None, index, ledger, clock))
    }

    fn over(
        engine: NotifyingProvider,
        storage: Option<Arc<dyn EngineStorage>>,
        index: Arc<dyn JobIndex>,
        ledger: Arc<dyn CallLedger>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let engine = Arc::new(engine);
        let client = Client::new(Arc::clone(&engine) as Arc<dyn Provider>);
        Self { engine, client, storage, index, ledger, clock, known: Mutex::default() }
    }

    fn know(&self, flows: &Flows) {
        let mut known = locked(&self.known);
        let known = known.get_or_insert_with(BTreeSet::new);
        known.extend(flows.iter().map(|(name, _)| name.clone()));
    }

    fn projector(&self) -> Projector {
        Projector {
            provider: Arc::clone(&self.engine) as Arc<dyn Provider>,
            index: Arc::clone(&self.index),
            wakeups: Arc::clone(&self.engine.wakeups),
        }
    }

    // A process without a runner knows no flows, and leaves it to the workers.
    fn check_flow(&self, flow: &FlowName) -> Result<(), JobsError> {
        match &*locked(&self.known) {
            Some(known) if !known.contains(flow) => {
                let names: Vec<_> = known.iter().map(ToString::to_string).collect();
                Err(JobsError::NoSuchFlow { flow: flow.clone(), known: names.join(", ") })
            }
            _ => Ok(()),
        }
    }

    async fn begin(
        &self,
        flow: &FlowName,
        id: JobId,
        input: Json,
        options: StartOptions,
    ) -> Result<Started, JobsError> {
        self.check_flow(flow)?;
        let bytes = tag(&options.needs).map_or(0, |tag| tag.len());
        if bytes > LONGEST_TAG {
            let what = "the name of what the job needs";
            return Err(JobsError::TooLarge { what, bytes, most: LONGEST_TAG });
        }
        let input_hash = input_hash(&input);
        let needs = options.needs;
        let given = FlowInput { needs: needs.clone(), flow: None, heard: Vec::new(), input };
        let text = text_of("the job's input", &given)?;
        let new = NewJob { id: id.clone(), flow: flow.clone(), input_hash, needs };
        match self.index.register(new).await? {
            Registered::Conflict => Err(JobsError::Conflict { id }),
            Registered::New => {
                self.start_in_engine(flow, &id, text).await?;
                Ok(Started::New)
            }
            Registered::Same => {
                let job =
                    self.query_job(&id).await?.ok_or(JobsError::NoSuchJob { id: id.clone() })?;
                // The process that wrote it down may have died before the engine heard of it.
                // Hearing of it twice is once for the engine.
                if self.has_not_begun(&id).await? && !job.state.is_terminal() {
                    self.start_in_engine(flow, &id, text).await?;
                }
                Ok(Started::Existing(job.state))
            }
        }
    }

    async fn start_in_engine(
        &self,
        flow: &FlowName,
        id: &JobId,
        text: String,
    ) -> Result<(), JobsError> {
        let version = engine_version(flow);
        self.client
            .start_orchestration_versioned(id.as_str(), flow.name(), version, text)
            .await
            .map_err(|error| failed("start the job", &error))
    }

    async fn has_not_begun(&self, id: &JobId) -> Result<bool, JobsError> {
        let events = self.engine.read(id.as_str()).await;
        Ok(events.map_err(|error| project::unreadable(&error))?.is_empty())
    }

    async fn tell(
        &self,
        id: &JobId,
        name: &str,
        signal_id: &str,
        payload: Json,
    ) -> Result<(), JobsError> {
        let text = text_of("the signal", &Told { id: signal_id.to_owned(), payload })?;
        let row = self.index.find(id).await?.ok_or(JobsError::NoSuchJob { id: id.clone() })?;
        if row.ended.is_some() {
            return Ok(());
        }
        let told = self.client.enqueue_event(id.as_str(), name, text).await;
        told.map_err(|error| failed("tell the job", &error))
    }

    async fn stop(&self, id: &JobId, reason: &str) -> Result<(), JobsError> {
        if !self.index.request_cancel(id, reason).await? {
            let found = self.index.find(id).await?;
            return found.map(drop).ok_or(JobsError::NoSuchJob { id: id.clone() });
        }
        // A job that has not begun is stopped by the worker that takes it: the engine keeps a word
        // about a job it has not met in front of its queue, where it is in the way of all.
        if self.has_not_begun(id).await? {
            return Ok(());
        }
        // Its running steps are stopped when the engine has written the cancellation down, and not
        // before: how they end would otherwise be part of the story or not, as it happens.
        let cancelled = self.client.cancel_instance(id.as_str(), reason).await;
        cancelled.map_err(|error| failed("cancel the job", &error))
    }

    // The process that had the call may have settled it after all while its job waited for a
    // decision: then the job is told to look again.
    async fn waits_for(&self, key: &CallKey) -> Result<bool, JobsError> {
        let Some(job) = key.job() else { return Ok(false) };
        let state = self.query_job(&job).await?.map(|job| job.state);
        Ok(matches!(state, Some(JobState::Waiting { signal }) if signal == key.resolve_signal()))
    }

    async fn decide(&self, key: &CallKey, decision: Decision) -> Result<(), JobsError> {
        let decided = self.ledger.resolve(key, decision).await?;
        if !decided && !self.waits_for(key).await? {
            return Err(JobsError::NoSuchCall { key: key.clone() });
        }
        let Some(job) = key.job() else { return Ok(()) };
        // A step that waits takes it up now; one that does not yet finds the decision in the
        // ledger.
        let once = uuid::Uuid::now_v7().simple().to_string();
        match self.tell(&job, &key.resolve_signal(), &once, Json::Null).await {
            Err(JobsError::NoSuchJob { .. }) => Ok(()),
            told => told,
        }
    }
}

impl Jobs for EngineJobs {
    fn start<'a>(
        &'a self,
        flow: &'a FlowName,
        id: JobId,
        input: Json,
        options: StartOptions,
    ) -> Fut<'a, Result<Started, JobsError>> {
        Box::pin(self.begin(flow, id, input, options))
    }

    fn state<'a>(&'a self, id: &'a JobId) -> Fut<'a, Result<Option<JobSnapshot>, JobsError>> {
        Box::pin(self.query_job(id))
    }

    fn watch(&self, id: &JobId, after: EventId) -> BoxStream<'static, Result<JobEvent, JobsError>> {
        query::watch(self.projector(), id.clone(), after)
    }

    fn history<'a>(
        &'a self,
        id: &'a JobId,
        after: EventId,
        limit: u32,
    ) -> Fut<'a, Result<Vec<JobEvent>, JobsError>> {
        self.index.events(id, after, limit)
    }

    fn tree<'a>(&'a self, id: &'a JobId) -> Fut<'a, Result<JobTree, JobsError>> {
        Box::pin(self.tree_of(id))
    }

    fn list(&self, filter: JobFilter, page: Page) -> Fut<'_, Result<Vec<JobSnapshot>, JobsError>> {
        Box::pin(self.listed(filter, page))
    }

    fn in_doubt(&self, filter: JobFilter) -> Fut<'_, Result<Vec<InDoubtStep>, JobsError>> {
        Box::pin(async move { Ok(self.ledger.in_doubt(&filter).await?) })
    }

    fn resolve<'a>(
        &'a self,
        key: &'a CallKey,
        decision: Decision,
    ) -> Fut<'a, Result<(), JobsError>> {
        Box::pin(self.decide(key, decision))
    }

    fn signal<'a>(
        &'a self,
        id: &'a JobId,
        name: &'a str,
        signal_id: &'a str,
        payload: Json,
    ) -> Fut<'a, Result<(), JobsError>> {
        Box::pin(self.tell(id, name, signal_id, payload))
    }

    fn cancel<'a>(&'a self, id: &'a JobId, reason: &'a str) -> Fut<'a, Result<(), JobsError>> {
        Box::pin(self.stop(id, reason))
    }

    fn purge(&self, filter: JobFilter, older_than: Duration) -> Fut<'_, Result<u64, JobsError>> {
        Box::pin(self.purged(filter, older_than))
    }
}

fn failed(doing: &'static str, error: &ClientError) -> JobsError {
    JobsError::database(doing, Cause::words(error.to_string()))
}
