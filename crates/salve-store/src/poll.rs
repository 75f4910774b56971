//! Polling for what other processes do: what they write, and whether they are alive.
//!
//! In: the database. Out: news of events and keys, and since when a worker must have been seen. Never
//! writes.

use crate::sql::{Asked, Pool, query};
use crate::tables::gateway_keys::{self, KeyRing};
use salve_types::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How often the database is queried.
const INTERVAL: Duration = Duration::from_millis(250);

/// Returns the moment since which a worker must have been seen to count as alive. While a server was
/// down no worker could be seen, so after it came up each has as long again to be seen.
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

/// Polls for what other processes write: new events, and changed keys.
pub(crate) async fn poll(readers: Pool, keys: Arc<KeyRing>, news: Arc<watch::Sender<i64>>) {
    let mut pause = INTERVAL;
    loop {
        tokio::time::sleep(pause).await;
        let polled = async {
            let newest = newest_event(&readers).await?;
            announce(&news, newest);
            gateway_keys::refresh(&keys, &readers).await
        };
        match polled.await {
            Ok(()) => pause = INTERVAL,
            Err(sqlx::Error::PoolClosed) => return,
            Err(error) => {
                tracing::warn!(%error, "could not see what other processes wrote");
                pause = INTERVAL * 8;
            }
        }
    }
}

/// Wakes those who wait for events, if this one is new.
pub(crate) fn announce(news: &watch::Sender<i64>, newest: i64) {
    news.send_if_modified(|known| {
        let newer = newest > *known;
        *known = newest.max(*known);
        newer
    });
}

/// Returns the number of the newest event.
pub(crate) async fn newest_event(readers: &Pool) -> Result<i64, sqlx::Error> {
    query("SELECT next_event - 1 FROM ledger").fetch_value(readers).await
}
