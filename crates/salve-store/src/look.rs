//! Looking at what other processes do: what they write, and whether they are alive.
//!
//! In: the database, looked at again and again. Out: news of events and keys, and since when a worker
//! must have been seen. Never writes.

use crate::sql::{Asked, Pool, query};
use crate::tables::gateway_keys::{self, KeyRing};
use salve_types::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How often it is looked whether another process wrote.
const LOOK: Duration = Duration::from_millis(250);

/// Returns the moment since which a worker must have been seen to count as alive. While a server was
/// down nobody could be seen, so after it came up everybody has as long again to be seen.
pub(crate) async fn alive_since(
    now: Timestamp,
    silence: Duration,
    asked: impl Into<Asked<'_>>,
) -> Result<i64, sqlx::Error> {
    let silence = i64::try_from(silence.as_millis()).unwrap_or(i64::MAX);
    let asked = asked.into();
    if asked.is_postgres() {
        let up: i64 = query(
            "SELECT CAST(extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) * 1000
                         AS BIGINT)",
        )
        .fetch_value(asked)
        .await?;
        if up < silence {
            return Ok(i64::MIN);
        }
    }
    Ok(now.plus_millis(-silence).0)
}

/// Sees what other processes write: new events, and changed keys.
pub(crate) async fn look(readers: Pool, keys: Arc<KeyRing>, news: Arc<watch::Sender<i64>>) {
    let mut pause = LOOK;
    loop {
        tokio::time::sleep(pause).await;
        let looked = async {
            let newest = newest_event(&readers).await?;
            news.send_if_modified(|known| {
                let newer = newest > *known;
                *known = newest.max(*known);
                newer
            });
            let version: i64 =
                query("SELECT keys_version FROM ledger").fetch_value(&readers).await?;
            if version != keys.version() {
                keys.replace(gateway_keys::load(&readers).await?);
            }
            Ok::<(), sqlx::Error>(())
        };
        match looked.await {
            Ok(()) => pause = LOOK,
            Err(sqlx::Error::PoolClosed) => return,
            Err(error) => {
                tracing::warn!(%error, "could not see what other processes wrote");
                pause = LOOK * 8;
            }
        }
    }
}

/// Returns the number of the newest event.
pub(crate) async fn newest_event(readers: &Pool) -> Result<i64, sqlx::Error> {
    query("SELECT next_event - 1 FROM ledger").fetch_value(readers).await
}
