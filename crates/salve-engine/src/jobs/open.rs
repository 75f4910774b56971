//! Everything jobs need, opened together.
//!
//! In: a folder on this machine, or the address of a database that many machines share. Out: the
//! store, the jobs and the ledger with its spool. The same flows run on either. Never reads the
//! environment: where it all is, and with what password, is passed in.

use super::{StoreEngine, StoreJobIndex, StoreLedger};
use salve_jobs::{CallLedger, EngineJobs, JobIndex, JobsError, SpoolError, SpooledLedger};
use salve_store::{Store, StoreError, StoreOptions};
use salve_types::Clock;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where jobs are kept.
#[derive(Clone)]
#[non_exhaustive]
pub enum JobsPlace {
    /// In a folder of this machine: `salve.db` and `spool`.
    Folder(PathBuf),
    /// In a Postgres database that many machines share.
    Postgres {
        /// Its address, with user, password and TLS mode.
        address: String,
        /// The folder of this machine in which `spool` is.
        folder: PathBuf,
    },
}

/// Opened jobs.
pub struct OpenJobs {
    /// What Salve remembers.
    pub store: Store,
    /// The jobs, and what runs them.
    pub jobs: Arc<EngineJobs>,
    /// The ledger, with the spool of this machine in front of it.
    pub ledger: Arc<SpooledLedger>,
}

/// Why jobs could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenJobsError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The spool.
    #[error(transparent)]
    Spool(#[from] SpoolError),
    /// The engine.
    #[error(transparent)]
    Jobs(#[from] JobsError),
}

/// Where the engine of Salve 0.1 kept its histories.
const OLD_JOBS_FILE: &str = "jobs.db";
/// The database of everything.
const STORE_FILE: &str = "salve.db";
/// Results that the shared ledger does not have yet.
const SPOOL_FOLDER: &str = "spool";

impl JobsPlace {
    /// Opens the store that is kept here. What is not there is made.
    ///
    /// # Errors
    /// When the database cannot be used, or this build has no Postgres.
    pub async fn open_store(&self, options: StoreOptions) -> Result<Store, OpenJobsError> {
        match self {
            Self::Folder(folder) => Ok(Store::open(&folder.join(STORE_FILE), options).await?),
            Self::Postgres { address, .. } => shared_store(address, options).await,
        }
    }

    /// Returns whether anything was kept here yet; a shared database is taken to be there.
    pub fn exists(&self) -> bool {
        match self {
            Self::Folder(folder) => folder.join(STORE_FILE).exists(),
            Self::Postgres { .. } => true,
        }
    }

    /// Returns the folder of this machine.
    pub fn folder(&self) -> &Path {
        match self {
            Self::Folder(folder) | Self::Postgres { folder, .. } => folder,
        }
    }
}

/// Opens jobs and the store they are kept in. What is not there is made.
///
/// # Errors
/// When a file or a database cannot be used, or this build has no Postgres.
pub async fn open_jobs(
    place: &JobsPlace,
    options: StoreOptions,
) -> Result<OpenJobs, OpenJobsError> {
    let clock = Arc::clone(&options.clock);
    let store = place.open_store(options).await?;
    open_jobs_in(store, place, clock).await
}

/// Opens jobs whose texts, index and ledger are in an open store.
///
/// # Errors
/// As [`open_jobs`].
pub async fn open_jobs_in(
    store: Store,
    place: &JobsPlace,
    clock: Arc<dyn Clock>,
) -> Result<OpenJobs, OpenJobsError> {
    let folder = place.folder();
    let index: Arc<dyn JobIndex> = Arc::new(StoreJobIndex::new(store.clone()));
    let shared: Arc<dyn CallLedger> = Arc::new(StoreLedger::new(store.clone()));
    let ledger = Arc::new(SpooledLedger::open(shared, &folder.join(SPOOL_FOLDER)).await?);
    let spooled = Arc::clone(&ledger) as Arc<dyn CallLedger>;
    let jobs = match place {
        JobsPlace::Folder(folder) => {
            store.import_jobs(&folder.join(OLD_JOBS_FILE)).await?;
            EngineJobs::local(Arc::new(StoreEngine::new(&store)), index, spooled, clock)
        }
        #[cfg(feature = "fleet")]
        JobsPlace::Postgres { address, .. } => {
            EngineJobs::postgres(address, index, spooled, clock).await?
        }
        #[cfg(not(feature = "fleet"))]
        JobsPlace::Postgres { .. } => return Err(no_fleet().into()),
    };
    Ok(OpenJobs { store, jobs: Arc::new(jobs), ledger })
}

impl OpenJobs {
    /// Brings what waits in the spool to the ledger, for as long as this, and closes the store.
    /// Returns how many results still wait; the next process delivers them.
    pub async fn close(self, longest: Duration) -> usize {
        let waiting = self.ledger.delivered(longest).await;
        self.store.close().await;
        waiting
    }
}

#[cfg(feature = "fleet")]
async fn shared_store(address: &str, options: StoreOptions) -> Result<Store, OpenJobsError> {
    Ok(Store::postgres(address, options).await?)
}

#[cfg(not(feature = "fleet"))]
#[expect(clippy::unused_async, reason = "with the feature it waits for the database")]
async fn shared_store(_: &str, _: StoreOptions) -> Result<Store, OpenJobsError> {
    Err(no_fleet().into())
}

#[cfg(not(feature = "fleet"))]
fn no_fleet() -> JobsError {
    JobsError::Unsupported(
        "this build keeps jobs on one machine only: build it with the feature `fleet` for Postgres"
            .to_owned(),
    )
}

impl std::fmt::Debug for JobsPlace {
    // An address may hold a password.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder(folder) => out.debug_tuple("Folder").field(folder).finish(),
            Self::Postgres { folder, .. } => {
                out.debug_struct("Postgres").field("folder", folder).finish_non_exhaustive()
            }
        }
    }
}
