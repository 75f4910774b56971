//! The store: opened once, cloned freely, closed at the end.
//!
//! In: a path and options. Out: calls, budgets, events, statistics and keys. Never blocks its caller
//! on a disk: one task writes, and readers have connections of their own.

use crate::clean::Cleaner;
use crate::look::{alive_since, look, newest_event};
use crate::migrations::{self, Place};
use crate::open_call::Opening;
use crate::options::Durability;
use crate::sql::{Connection, Pool};
use crate::tables::gateway_keys::{self, KeyRing};
use crate::tables::statistics::Inspection;
use crate::writer::{Message, Op, Rare, Reply, ReserveOp, Reserved, Writer};
use crate::{CallId, CallKey, NewCall, Reservation, StoreError, StoreOptions, backup, files};
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
    cleaner: Arc<Cleaner>,
    keys: Arc<KeyRing>,
    news: watch::Receiver<i64>,
    options: StoreOptions,
    closed: AtomicBool,
    look: tokio::task::AbortHandle,
}

/// What was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruned {
    /// Calls.
    pub calls: u64,
    /// Texts of calls, and pieces of them.
    pub texts: u64,
    /// Events.
    pub events: u64,
    /// Whether there is more that is old enough.
    pub more: bool,
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
        migrations::migrate(&mut writer, &place, migrations::NEWEST).await?;
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
        migrations::migrate(&mut writer, &place, migrations::NEWEST).await?;
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
        let (news_sender, news) = watch::channel(newest_event(&readers).await?);
        let news_sender = Arc::new(news_sender);
        let worker = format!("{}-{}", options.worker, uuid::Uuid::new_v4().simple());
        let cleaner = Arc::new(Cleaner::new(Arc::clone(&options.redactor)));
        let writer = Writer::new(
            connection,
            &options,
            cleaner.name(&worker),
            Arc::clone(&keys),
            Arc::clone(&news_sender),
        );
        let (sender, asked) = mpsc::unbounded_channel();
        tokio::spawn(writer.run(asked));
        let look =
            tokio::spawn(look(readers.clone(), Arc::clone(&keys), news_sender)).abort_handle();
        let closed = AtomicBool::new(false);
        Ok(Self(Arc::new(Inner {
            writer: sender,
            readers,
            cleaner,
            keys,
            news,
            options,
            closed,
            look,
        })))
    }

    /// Reserves a call: holds its worst case in every budget it counts in, and writes it down, in one
    /// transaction. A call that was reserved under the same key before is not reserved again.
    ///
    /// # Errors
    /// When the database refuses, or its gateway key is not in force.
    pub async fn reserve(&self, key: &CallKey, call: NewCall) -> Result<Reservation, StoreError> {
        let call = self.cleaned_call(call);
        let again = call.clone();
        match self.reserved(Some(self.cleaner().key(key.as_str())), call).await? {
            Reserved::Fresh(call) => Ok(Reservation::Fresh(call.handed_over())),
            Reserved::OverBudget(over) => Ok(Reservation::OverBudget(over)),
            Reserved::Before(id) => match self.found(id).await? {
                found if found.is_to_be_made_again() => Box::pin(self.take_over(key, again)).await,
                found => Ok(found.said()),
            },
        }
    }

    /// Reserves a call that is never asked for again, such as a gateway's.
    ///
    /// # Errors
    /// When the database refuses, or its gateway key is not in force.
    pub async fn reserve_unkeyed(&self, call: NewCall) -> Result<Reservation, StoreError> {
        match self.reserved(None, self.cleaned_call(call)).await? {
            Reserved::Fresh(call) => Ok(Reservation::Fresh(call.handed_over())),
            Reserved::OverBudget(over) => Ok(Reservation::OverBudget(over)),
            Reserved::Before(id) => Ok(self.found(id).await?.said()),
        }
    }

    async fn reserved(&self, key: Option<String>, call: NewCall) -> Result<Reserved, StoreError> {
        let (reply, answer) = oneshot::channel();
        let op = ReserveOp { key, call, opening: self.opening(), reply };
        self.send(Message::Ledger(Op::Reserve(Box::new(op))))?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    pub(crate) fn cleaned_call(&self, call: NewCall) -> NewCall {
        let cleaner = self.cleaner();
        NewCall {
            purpose: cleaner.name(&call.purpose),
            dialect: cleaner.name(&call.dialect),
            provider: cleaner.name(&call.provider),
            model: cleaner.name(&call.model),
            session: call.session.map(|session| cleaner.name(&session)),
            prompt_hash: call.prompt_hash.map(|hash| cleaner.name(&hash)),
            ..call
        }
    }

    pub(crate) fn opening(&self) -> Opening {
        Opening {
            raw_cap: self.0.options.retention.raw_bytes,
            cleaner: Arc::clone(self.cleaner()),
            writer: self.0.writer.clone(),
        }
    }

    /// Counts one judgement about an answer that has no call of its own. Never waits.
    pub fn record_inspection(&self, inspection: Inspection) {
        // A store that was closed counts no more; there is nobody left to tell.
        let _ = self.send(Message::Ledger(Op::Inspect(inspection.cleaned(self.cleaner()), None)));
    }

    /// Counts one judgement about the answer of a call, whether it is settled or not, so that it can
    /// be marked as a false alarm. Never waits.
    pub fn record_call_inspection(&self, call: CallId, inspection: Inspection) {
        let _ =
            self.send(Message::Ledger(Op::Inspect(inspection.cleaned(self.cleaner()), Some(call))));
    }

    /// Marks the judgement that the answer of a call was cut as a false alarm. Twice counts once.
    ///
    /// # Errors
    /// When there is no such call, it was not judged to be cut, or the database refuses.
    pub async fn mark_false_positive(&self, id: CallId) -> Result<(), StoreError> {
        self.ask(|reply| Rare::FalseAlarm(id, reply)).await
    }

    /// Forgets what is older than the options say. A store that stays open does it every hour.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn prune(&self) -> Result<Pruned, StoreError> {
        let mut total = Pruned::default();
        loop {
            // A part at a time, so that others need not wait for all of it.
            let pruned = self.ask(Rare::Prune).await?;
            total.calls += pruned.calls;
            total.texts += pruned.texts;
            total.events += pruned.events;
            if !pruned.more {
                return Ok(total);
            }
        }
    }

    /// Writes what waits and closes the database. Calls that are still open stay so in the ledger.
    pub async fn close(&self) {
        if self.0.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        self.0.look.abort();
        self.0.readers.close().await;
        // The writer goes last: in SQLite, whoever closes last puts the log into the database.
        let (done, closed) = oneshot::channel();
        if self.0.writer.send(Message::Close(done)).is_ok() {
            let _ = closed.await;
        }
    }

    pub(crate) async fn ask<T>(
        &self,
        rare: impl FnOnce(Reply<T>) -> Rare,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(Message::Rare(rare(reply)))?;
        answer.await.map_err(|_| StoreError::Closed)?
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

    pub(crate) fn cleaner(&self) -> &Arc<Cleaner> {
        &self.0.cleaner
    }

    pub(crate) fn key_ring(&self) -> &Arc<KeyRing> {
        &self.0.keys
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
        self.look.abort();
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
