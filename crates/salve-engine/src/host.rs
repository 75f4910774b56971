//! The composition root: everything a face needs, made from plain values.
//!
//! In: a [`HostConfig`], which the command line fills from files, flags and the environment. Out: the
//! store, the jobs, the models, the runner of a workspace, each made when it is first asked for. Never
//! reads the environment or a configuration file, and prints nothing.

mod error;
mod models;
mod place;
mod ports;
mod variables;
mod workspace;

pub use error::HostError;
pub use models::{KeyLookup, Models};
pub use place::{Place, PlaceError, PlaceSearch, RootReason, Unfit, leftover_states};
pub use ports::{OwnPort, PortError, run_ports};
pub use variables::{EVERYDAY_VARIABLES, RunVariables, VariableError, run_variables};
pub use workspace::{ConfigText, OpenWorkspace, WorkspaceConfig, WorkspaceHost};

use crate::facts::TextRedactor;
use crate::jobs::{JobsPlace, OpenJobs, open_jobs_in};
use salve_check::Launcher;
use salve_model::{BudgetLimits, ModelSettings};
use salve_store::{Budgets, SpendLimit, Store, StoreOptions};
use salve_text::RedactOptions;
use salve_types::{Clock, Timestamp};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// After this silence a worker counts as gone, and its call as in doubt. One value for every process
/// that shares a ledger, whatever its leases: nothing takes a call from a living worker.
const SILENCE: Duration = Duration::from_secs(10);

/// What the machine gives to every part.
pub struct MachineConfig {
    /// Returns this moment.
    pub clock: fn() -> Timestamp,
    /// The executable that becomes the sandbox's launcher.
    pub launcher: Launcher,
    /// The user's variables; the runner lets only those on its list through.
    pub variables: BTreeMap<String, String>,
    /// Where temporary homes are made.
    pub temporary: PathBuf,
    /// Where caches of toolchains are kept for each workspace; without it they are forgotten.
    pub caches: Option<PathBuf>,
}

/// What a host is made of. Plain values: where they came from is the caller's business.
pub struct HostConfig {
    /// What the machine gives.
    pub machine: MachineConfig,
    /// Who this process is, for people and the ledger.
    pub worker: String,
    /// Where the store, the jobs and the spool are.
    pub place: JobsPlace,
    /// What must never be kept: values of secret variables, key prefixes.
    pub secrets: RedactOptions,
    /// Providers, roles, model entries, budgets.
    pub models: ModelSettings,
    /// Fetches a provider's key from where the settings say it is, when a model is first needed.
    pub keys: KeyLookup,
}

/// The parts of Salve, wired together.
pub struct Host {
    config: HostConfig,
    store: OnceCell<Store>,
    jobs: OnceCell<OpenJobs>,
}

impl Host {
    /// Makes a host. Nothing is opened yet.
    pub fn new(config: HostConfig) -> Self {
        Self { config, store: OnceCell::new(), jobs: OnceCell::new() }
    }

    /// Returns who this process is.
    pub fn worker(&self) -> &str {
        &self.config.worker
    }

    /// Returns where the store and the jobs are.
    pub fn place(&self) -> &JobsPlace {
        &self.config.place
    }

    /// Makes the redactor that every kept text passes.
    pub fn redactor(&self) -> TextRedactor {
        TextRedactor::new(&self.config.secrets)
    }

    /// Opens the store, once.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn store(&self) -> Result<&Store, HostError> {
        if let Some(jobs) = self.jobs.get() {
            return Ok(&jobs.store);
        }
        let open = async || Ok(self.config.place.open_store(self.store_options()).await?);
        self.store.get_or_try_init(open).await
    }

    /// Opens the jobs and the store they are kept in, once.
    ///
    /// # Errors
    /// When a file or a database cannot be used, or this build has no Postgres.
    pub async fn jobs(&self) -> Result<&OpenJobs, HostError> {
        let open = async || {
            let store = self.store().await?.clone();
            Ok(open_jobs_in(store, &self.config.place, self.clock()).await?)
        };
        self.jobs.get_or_try_init(open).await
    }

    /// Makes the models of all roles.
    ///
    /// # Errors
    /// When no provider is set, or a setting names none.
    pub fn models(&self) -> Result<Models, HostError> {
        models::lineup(&self.config)
    }

    /// Puts the parts together that work on one folder.
    ///
    /// # Errors
    /// When a rule or a toolchain in its texts cannot be used.
    pub fn workspace(&self, config: WorkspaceConfig) -> Result<WorkspaceHost, HostError> {
        WorkspaceHost::new(&self.config.machine, config)
    }

    /// Closes what was opened. Returns how many results still wait in the spool; the next process
    /// delivers them.
    pub async fn close(self, longest: Duration) -> usize {
        let waiting = match self.jobs.into_inner() {
            Some(jobs) => jobs.ledger.delivered(longest).await,
            None => 0,
        };
        if let Some(store) = self.store.into_inner() {
            store.close().await;
        }
        waiting
    }

    fn clock(&self) -> Arc<dyn Clock> {
        Arc::new(self.config.machine.clock)
    }

    fn store_options(&self) -> StoreOptions {
        let budget = self.config.models.budget;
        let mut options =
            StoreOptions::new(self.clock(), Arc::new(self.redactor()), self.config.worker.clone());
        // What a day and a session may take is held in the ledger, so that a whole fleet keeps to it.
        options.budgets = Budgets { day: limit(budget.day), session: limit(budget.session) };
        options.silence = SILENCE;
        options.process = crate::jobs::this_process();
        options
    }
}

fn limit(limits: BudgetLimits) -> SpendLimit {
    SpendLimit { tokens: limits.tokens, micro_dollars: limits.money.map(|money| money.0) }
}
