//! Files that a provider keeps for a session, and until when.
//!
//! In: what is about to be uploaded, then the id it got, then its end. Out: the same, of one session or of all whose
//! time is over. A row is there before anything is sent, so that a process that died in between is seen: what it
//! sent is looked for by its name. Never the content of a file.

use super::Table;
use crate::commit::{Rollback, Transaction};
use crate::migrations::Migration;
use crate::sql::{Row, int, query};
use crate::{Durability, Store, StoreError};
use salve_types::{SessionId, Timestamp};
use serde::Serialize;

/// Where an upload is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UploadState {
    /// It is being sent, or a process died while it was.
    Pending,
    /// The provider has it.
    Live,
    /// It was deleted there, or never came to be.
    Deleted,
}

impl UploadState {
    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Live => "live",
            Self::Deleted => "deleted",
        }
    }

    fn from_name(name: &str) -> Self {
        match name {
            "live" => Self::Live,
            "pending" => Self::Pending,
            _ => Self::Deleted,
        }
    }
}

/// A file that is about to be uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewUpload {
    /// A name for the upload that no other has.
    pub key: String,
    /// The session it is for.
    pub session: SessionId,
    /// The folder of the workspace.
    pub workspace: String,
    /// Who gets it.
    pub provider: String,
    /// The file, relative to the workspace.
    pub path: String,
    /// The name it is sent under.
    pub sent_as: String,
    /// The hash of all of it.
    pub hash: String,
    /// Its size in bytes.
    pub size: u64,
    /// How many hours it is kept: 0 until another session begins, -1 for ever.
    pub ttl_hours: i64,
}

/// An upload that was noted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UploadRecord {
    /// The name of the upload.
    pub key: String,
    /// The session it is for.
    pub session: SessionId,
    /// The folder of the workspace.
    pub workspace: String,
    /// Who has it.
    pub provider: String,
    /// The provider's id, once it is known.
    pub file_id: Option<String>,
    /// The file, relative to the workspace.
    pub path: String,
    /// The name it was sent under.
    pub sent_as: String,
    /// The hash of all of it.
    pub hash: String,
    /// Its size in bytes.
    pub size: u64,
    /// Where it is.
    pub state: UploadState,
    /// How many hours it is kept: 0 until another session begins, -1 for ever.
    pub ttl_hours: i64,
    /// When it was uploaded.
    pub uploaded_at: Timestamp,
    /// When its time is over; nothing where no clock ends it.
    pub expires_at: Option<Timestamp>,
}

impl Store {
    /// Notes that a file is about to be uploaded. Where a process died while it uploaded the same content of the same
    /// file for the same session, that upload is returned, and is to be gone on with.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn begin_upload(&self, new: NewUpload) -> Result<UploadRecord, StoreError> {
        let redactor = self.redactor();
        let new = NewUpload {
            key: redactor.name(&new.key),
            session: SessionId(redactor.name(&new.session.0)),
            workspace: redactor.name(&new.workspace),
            provider: redactor.name(&new.provider),
            path: redactor.name(&new.path),
            sent_as: redactor.name(&new.sent_as),
            hash: redactor.name(&new.hash),
            ..new
        };
        self.write(Durability::Full, "note an upload", |tx| Box::pin(begin(tx, new))).await
    }

    /// Notes the id that an upload got, and when its time is over. Returns nothing where the id looks like a secret
    /// and cannot be kept, or the upload is over.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn settle_upload(
        &self,
        key: &str,
        file_id: &str,
        expires_at: Option<Timestamp>,
    ) -> Result<Option<UploadRecord>, StoreError> {
        if self.redactor().name(file_id) != file_id {
            return Ok(None);
        }
        let (key, file_id) = (self.redactor().name(key), file_id.to_owned());
        self.write(Durability::Full, "note the id of an upload", move |tx| {
            Box::pin(async move {
                query(
                    "UPDATE uploads SET file_id = $2, state = 'live', uploaded_at = $3, expires_at = $4
                      WHERE key = $1 AND state = 'pending'",
                )
                .bind(&key)
                .bind(&file_id)
                .bind(tx.now().0)
                .bind(expires_at.map(|at| at.0))
                .execute(&mut *tx)
                .await?;
                let sql = format!("SELECT {COLUMNS} FROM uploads WHERE key = $1 AND file_id = $2");
                let rows = query(&sql).bind(&key).bind(&file_id).fetch_all(tx).await?;
                Ok(rows.first().map(record).transpose()?)
            })
        })
        .await
    }

    /// Notes that an upload is over.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn end_upload(&self, key: &str) -> Result<(), StoreError> {
        let key = self.redactor().name(key);
        self.write(Durability::Full, "note the end of an upload", |tx| {
            Box::pin(async move {
                let sql = "UPDATE uploads SET state = 'deleted' WHERE key = $1";
                query(sql).bind(&key).execute(tx).await?;
                Ok(())
            })
        })
        .await
    }

    /// Says until when the live uploads of a session are kept.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn set_upload_ttl(
        &self,
        session: &SessionId,
        ttl_hours: i64,
        expires_at: Option<Timestamp>,
    ) -> Result<u64, StoreError> {
        let session = self.redactor().name(&session.0);
        self.write(Durability::Full, "set the time of uploads", move |tx| {
            Box::pin(async move {
                let sql = "UPDATE uploads SET ttl_hours = $2, expires_at = $3
                            WHERE session = $1 AND state = 'live'";
                let query = query(sql).bind(&session).bind(ttl_hours);
                Ok(query.bind(expires_at.map(|at| at.0)).execute(tx).await?)
            })
        })
        .await
    }

    /// Returns the uploads of a session, oldest first, those that are over included.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn uploads(&self, session: &SessionId) -> Result<Vec<UploadRecord>, StoreError> {
        let sql =
            format!("SELECT {COLUMNS} FROM uploads WHERE session = $1 ORDER BY begun_at, key");
        let rows = query(&sql).bind(self.redactor().name(&session.0)).fetch_all(self.readers());
        read("read the uploads of a session", rows.await)
    }

    /// Returns the live uploads of all sessions whose time is over at this moment.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn expired_uploads(&self, now: Timestamp) -> Result<Vec<UploadRecord>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM uploads WHERE state = 'live' AND expires_at <= $1
              ORDER BY expires_at, key"
        );
        let rows = query(&sql).bind(now.0).fetch_all(self.readers());
        read("read the uploads that are over", rows.await)
    }

    /// Returns the live uploads of other sessions that were kept only until another one begins.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn left_uploads(&self, session: &SessionId) -> Result<Vec<UploadRecord>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM uploads WHERE state = 'live' AND ttl_hours = 0 AND session <> $1
              ORDER BY begun_at, key"
        );
        let rows = query(&sql).bind(self.redactor().name(&session.0)).fetch_all(self.readers());
        read("read the uploads that were left", rows.await)
    }
}

fn read(
    doing: &'static str,
    rows: Result<Vec<Row>, sqlx::Error>,
) -> Result<Vec<UploadRecord>, StoreError> {
    let rows = rows.map_err(StoreError::database(doing))?;
    rows.iter().map(record).collect::<Result<_, _>>().map_err(StoreError::database(doing))
}

const COLUMNS: &str = "key, session, workspace, provider, file_id, path, sent_as, hash, size, state, ttl_hours, \
                       uploaded_at, expires_at";

fn record(row: &Row) -> Result<UploadRecord, sqlx::Error> {
    Ok(UploadRecord {
        key: row.try_get(0)?,
        session: SessionId(row.try_get(1)?),
        workspace: row.try_get(2)?,
        provider: row.try_get(3)?,
        file_id: row.try_get(4)?,
        path: row.try_get(5)?,
        sent_as: row.try_get(6)?,
        hash: row.try_get(7)?,
        size: u64::try_from(row.try_get::<i64>(8)?).unwrap_or_default(),
        state: UploadState::from_name(&row.try_get::<String>(9)?),
        ttl_hours: row.try_get(10)?,
        uploaded_at: Timestamp(row.try_get(11)?),
        expires_at: row.try_get::<Option<i64>>(12)?.map(Timestamp),
    })
}

async fn begin(tx: &mut Transaction<'_>, new: NewUpload) -> Result<UploadRecord, Rollback> {
    let begun = format!(
        "SELECT {COLUMNS} FROM uploads
          WHERE session = $1 AND provider = $2 AND path = $3 AND hash = $4 AND state = 'pending'"
    );
    let rows = query(&begun)
        .bind(&new.session.0)
        .bind(&new.provider)
        .bind(&new.path)
        .bind(&new.hash)
        .fetch_all(&mut *tx)
        .await?;
    if let Some(row) = rows.first() {
        return Ok(record(row)?);
    }
    query(
        "INSERT INTO uploads (key, session, workspace, provider, path, sent_as, hash, size, state, ttl_hours,
                              begun_at, uploaded_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', $9, $10, $10)
         ON CONFLICT (key) DO NOTHING",
    )
    .bind(&new.key)
    .bind(&new.session.0)
    .bind(&new.workspace)
    .bind(&new.provider)
    .bind(&new.path)
    .bind(&new.sent_as)
    .bind(&new.hash)
    .bind(int(new.size))
    .bind(new.ttl_hours)
    .bind(tx.now().0)
    .execute(&mut *tx)
    .await?;
    let made = format!("SELECT {COLUMNS} FROM uploads WHERE key = $1");
    let rows = query(&made).bind(&new.key).fetch_all(tx).await?;
    let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    Ok(record(row)?)
}

/// Uploads.
pub(super) const TABLE: Table = Table {
    names: &["uploads"],
    migrations: &[Migration {
        version: 18,
        name: "0018_uploads",
        sql: SQL,
        #[cfg(test)]
        rows: tests::ROWS,
    }],
    #[cfg(test)]
    conforms: tests::conforms,
};

const SQL: &str = "
-- Files that providers keep for sessions.
CREATE TABLE uploads (
    key TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    workspace TEXT NOT NULL,
    provider TEXT NOT NULL,
    file_id TEXT,
    path TEXT NOT NULL,
    sent_as TEXT NOT NULL,
    hash TEXT NOT NULL,
    size BIGINT NOT NULL,
    state TEXT NOT NULL,
    ttl_hours BIGINT NOT NULL,
    begun_at BIGINT NOT NULL,
    uploaded_at BIGINT NOT NULL,
    expires_at BIGINT
);
CREATE INDEX uploads_by_session ON uploads (session, begun_at);
CREATE INDEX uploads_by_end ON uploads (state, expires_at);
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Conforming;
    use crate::testing::{options, redacted};

    pub(super) const ROWS: &str = "INSERT INTO uploads VALUES
        ('k', 's', 'w', 'p', 'file-1', 'a.rs', 'k-a.rs', 'h', 3, 'live', 24, 1000, 1000, 2000);";

    fn new(key: &str, session: &str, path: &str, ttl_hours: i64) -> NewUpload {
        NewUpload {
            key: key.to_owned(),
            session: SessionId(session.to_owned()),
            workspace: path.to_owned(),
            provider: "p".to_owned(),
            path: path.to_owned(),
            sent_as: path.to_owned(),
            hash: "h".to_owned(),
            size: 3,
            ttl_hours,
        }
    }

    pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
        Box::pin(async move {
            let begun = store.begin_upload(new("k", "s", text, 24)).await.expect("begun");
            assert_eq!(
                (begun.path.as_str(), begun.state),
                (&*redacted(text), UploadState::Pending)
            );
            assert_eq!(store.settle_upload("k", text, None).await.expect("asked"), None);
            let live = store.settle_upload("k", "file-1", Some(Timestamp(9))).await.expect("kept");
            let live = live.expect("there");
            let session = SessionId("s".to_owned());
            assert_eq!(store.uploads(&session).await.expect("read"), std::slice::from_ref(&live));
            assert_eq!(store.expired_uploads(Timestamp(8)).await.expect("read"), []);
            assert_eq!(store.expired_uploads(Timestamp(9)).await.expect("read"), [live]);
            store.end_upload("k").await.expect("ended");
            assert_eq!(store.expired_uploads(Timestamp(9)).await.expect("read"), []);
        })
    }

    #[tokio::test]
    async fn c135_an_upload_that_was_begun_is_gone_on_with_and_not_begun_twice() {
        let store = Store::memory(options()).await.expect("opened");
        let begin = async |key| store.begin_upload(new(key, "s", "a.rs", 0)).await.expect("begun");
        assert_eq!(begin("one").await.key, "one");
        assert_eq!(begin("two").await.key, "one", "the first is still being sent");
        let settled = store.settle_upload("one", "file-1", None).await.expect("kept");
        assert_eq!(settled.clone().expect("there").file_id.as_deref(), Some("file-1"));
        let again = store.settle_upload("one", "file-2", None).await.expect("asked");
        assert_eq!(again, None, "one record has one file");
        assert_eq!(begin("three").await.key, "three");
        let left = store.left_uploads(&SessionId("other".to_owned())).await.expect("read");
        assert_eq!(left, settled.into_iter().collect::<Vec<_>>());
        assert_eq!(store.left_uploads(&SessionId("s".to_owned())).await.expect("read"), []);
    }
}
