//! The store: opened once, cloned freely, closed at the end.
//!
//! In: a path and options. Out: a store; what it does is in the files of the tables and the ledger.
//! Never blocks its caller on a disk: one task writes, and readers have connections of their own.

use crate::ledger::{Ledger, Opening, Owner};
use crate::migrations::{self, Place};
use crate::poll::{alive_since, newest_event, poll};
use crate::redacted::Redactor;
use crate::sql::{Connection, Pool};
use crate::tables::gateway_keys::{self, KeyRing};
use crate::writer::{Message, Writer};
use crate::{Durability, Retention, StoreError, StoreOptions, backup, files};
use salve_types::Timestamp;
use sqlx::ConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};

/// How long another process may hold the database before that is an error.
const PATIENCE: Duration = Duration::from_secs(10);
/// Connections that only read.
const READERS: u32 = 4;

/// What Salve remembers. A clone is the same store.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    writer: mpsc::UnboundedSender<Message>,
    readers: Pool,
    redactor: Arc<Redactor>,
    owner: Arc<Owner>,
    news: watch::Receiver<i64>,
    options: StoreOptions,
    closed: AtomicBool,
    poll: tokio::task::AbortHandle,
}

impl Store {
    /// Opens the database at `path`, makes it if there is none, and brings it to the newest version
    /// after a backup. Several processes may have it open.
    ///
    /// # Errors
    /// When the file cannot be used, is damaged, or was written by a newer Salve.
    pub fn open(
        path: &Path,
        options: StoreOptions,
    ) -> impl Future<Output = Result<Self, StoreError>> + Send + use<> {
        Self::open_at(path.to_owned(), options)
    }

    async fn open_at(path: PathBuf, options: StoreOptions) -> Result<Self, StoreError> {
        files::create_folder(&path)?;
        drop(files::create_private(&path)?);
        let lock = files::lock(&path).await?;
        let settings = connect_options(options.durability).filename(&path);
        let mut writer =
            settings.connect().await.map_err(|error| backup::explained(&path, error))?;
        let place = Place {
            path: Some(path.clone()),
            backups: options.retention.backups,
            now: options.clock.now(),
        };
        migrations::migrate(&mut writer, &place, migrations::newest()).await?;
        drop(lock);
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .test_before_acquire(false)
            .connect_lazy_with(settings.pragma("query_only", "on"));
        let writer = Connection::Sqlite(writer, options.durability);
        let started = Self::start(writer, Pool::Sqlite(readers), options).await;
        started.map_err(|error| backup::explained(&path, error))
    }

    /// Opens a database that is gone when it is closed, for tests.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn memory(options: StoreOptions) -> Result<Self, StoreError> {
        let name = PathBuf::from(format!("file:salve-{}", uuid::Uuid::new_v4().simple()));
        let place = Place { path: None, backups: 0, now: options.clock.now() };
        let settings = SqliteConnectOptions::new()
            .filename(&name)
            .in_memory(true)
            .shared_cache(true)
            .foreign_keys(true)
            .busy_timeout(PATIENCE)
            .disable_statement_logging();
        let mut writer =
            settings.connect().await.map_err(|error| backup::explained(&name, error))?;
        migrations::migrate(&mut writer, &place, migrations::newest()).await?;
        // Readers of a shared cache would otherwise lock tables against the writer.
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .connect_lazy_with(settings.pragma("read_uncommitted", "on"));
        let writer = Connection::Sqlite(writer, options.durability);
        let readers = Pool::Sqlite(readers);
        let started = Self::start(writer, readers, options).await;
        started.map_err(|error| backup::explained(&name, error))
    }

    pub(crate) async fn start(
        mut connection: Connection,
        readers: Pool,
        options: StoreOptions,
    ) -> Result<Self, sqlx::Error> {
        let keys = Arc::new(KeyRing::default());
        keys.replace(gateway_keys::load(&mut connection).await?);
        let (announced, news) = watch::channel(newest_event(&readers).await?);
        let announced = Arc::new(announced);
        let redactor = Arc::new(Redactor::new(Arc::clone(&options.redactor)));
        // Drawn here, so it is no secret: a redactor that took it for one would give all workers one
        // name, and the calls of a dead one would look alive.
        let number = uuid::Uuid::new_v4().simple();
        let worker = format!("{}-{number}", redactor.name(&options.worker));
        let owner = Arc::new(Owner::new(
            worker.clone(),
            options.process.clone(),
            options.budgets,
            options.silence,
            Arc::clone(&keys),
        ));
        let task = Writer {
            connection,
            ledger: Ledger::new(&options, Arc::clone(&owner)),
            worker,
            clock: Arc::clone(&options.clock),
            retention: options.retention,
            news: Arc::clone(&announced),
        };
        let (writer, messages) = mpsc::unbounded_channel();
        tokio::spawn(task.run(messages));
        let poll = tokio::spawn(poll(readers.clone(), keys, announced)).abort_handle();
        let closed = AtomicBool::new(false);
        Ok(Self(Arc::new(Inner { writer, readers, redactor, owner, news, options, closed, poll })))
    }

    /// Writes what waits and closes the database. Calls that are still open stay so in the ledger.
    pub async fn close(&self) {
        if self.0.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        self.0.poll.abort();
        self.0.readers.close().await;
        // The writer goes last: in SQLite, the last connection puts the log into the database.
        let (done, closed) = oneshot::channel();
        if self.0.writer.send(Message::Close(done)).is_ok() {
            let _ = closed.await;
        }
    }

    pub(crate) fn send(&self, message: Message) -> Result<(), StoreError> {
        if self.is_closed() {
            return Err(StoreError::Closed);
        }
        self.0.writer.send(message).map_err(|_| StoreError::Closed)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.0.closed.load(Ordering::Acquire)
    }

    /// Starts on a text that arrives in pieces and is kept or shown in pieces: what comes out has no secrets,
    /// also where one was split between two.
    pub fn stream_redactor(&self) -> Box<dyn crate::StreamRedactor> {
        self.0.redactor.stream()
    }

    /// Returns a text as it would be kept: without its secrets.
    pub fn without_secrets(&self, text: &str) -> String {
        self.0.redactor.text(text)
    }

    pub(crate) fn redactor(&self) -> &Arc<Redactor> {
        &self.0.redactor
    }

    pub(crate) fn owner(&self) -> Arc<Owner> {
        Arc::clone(&self.0.owner)
    }

    pub(crate) fn key_ring(&self) -> &Arc<KeyRing> {
        &self.0.owner.keys
    }

    /// Returns when a call in the ledger counts as safe.
    pub(crate) fn usual_durability(&self) -> Durability {
        self.0.options.durability
    }

    pub(crate) fn retention(&self) -> Retention {
        self.0.options.retention
    }

    /// Returns what an open call is made with.
    pub(crate) fn opening(&self) -> Opening {
        Opening {
            raw_cap: self.0.options.retention.raw_bytes,
            redactor: Arc::clone(self.redactor()),
            writer: self.0.writer.clone(),
        }
    }

    pub(crate) fn readers(&self) -> &Pool {
        &self.0.readers
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.options.clock.now()
    }

    /// Returns the moment since which a worker must have been seen to count as alive.
    pub(crate) async fn alive_since(&self) -> Result<i64, sqlx::Error> {
        alive_since(self.now(), self.0.options.silence, self.readers()).await
    }

    pub(crate) fn news(&self) -> watch::Receiver<i64> {
        self.0.news.clone()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.poll.abort();
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Store").field("options", &self.0.options).finish_non_exhaustive()
    }
}

fn connect_options(durability: Durability) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(match durability {
            Durability::Normal => SqliteSynchronous::Normal,
            Durability::Full => SqliteSynchronous::Full,
        })
        .foreign_keys(true)
        .busy_timeout(PATIENCE)
        .pragma("cache_size", "-16384")
        .pragma("wal_autocheckpoint", "2000")
        .pragma("journal_size_limit", "67108864")
        .pragma("temp_store", "memory")
        .disable_statement_logging()
}
