//! What is remembered of the ledger: its version, the next number, balances, open calls.
//!
//! In: the database, read when the version is not known. Out: state that a batch is planned with.
//! Never believed after another process wrote: the version shows it.

use super::accounts::Accounts;
use crate::commit::Effects;
use crate::sql::{Cell, Connection, Rows, query};
use crate::tables::gateway_keys::{self, KeyRing};
use std::collections::HashMap;
use std::sync::Arc;

/// What is remembered of the ledger.
#[derive(Debug)]
pub(crate) struct State {
    /// `None` when it must be read anew.
    pub(crate) version: Option<i64>,
    pub(crate) next_call: i64,
    pub(crate) accounts: Accounts,
    /// This worker's calls that are not settled, by anybody, and the epoch each is in.
    pub(crate) open: HashMap<i64, i64>,
    /// Whether there may be open calls besides.
    pub(crate) may_own_more: bool,
    pub(crate) keys: Arc<KeyRing>,
}

impl State {
    pub(crate) fn new(keys: Arc<KeyRing>) -> Self {
        Self {
            version: None,
            next_call: 0,
            accounts: Accounts::default(),
            open: HashMap::new(),
            may_own_more: false,
            keys,
        }
    }

    /// Forgets what may not be true any more.
    pub(crate) fn forget(&mut self) {
        self.version = None;
        self.accounts.forget();
    }

    /// Takes note of a transaction on other tables, or of one that went around this.
    pub(crate) fn note(&mut self, effects: &Effects) {
        self.may_own_more |= effects.owns_call;
        let Some((before, after)) = effects.raised else { return };
        // If this process alone has written, it knows all there is but the version.
        if effects.ledger_changed || self.version != Some(before) {
            self.forget();
        } else {
            self.version = Some(after);
        }
    }

    /// Returns whether this worker may have open calls.
    pub(crate) fn has_open_calls(&self) -> bool {
        self.may_own_more || !self.open.is_empty()
    }

    /// Reads the ledger's state. Only while no other process can write.
    pub(crate) async fn read(
        &mut self,
        worker: &str,
        connection: &mut Connection,
    ) -> Result<(), sqlx::Error> {
        self.accounts.forget();
        let locked = if connection.is_postgres() { " FOR UPDATE" } else { "" };
        let sql = format!("SELECT version, next_call, keys_version FROM ledger{locked}");
        let row = query(&sql).fetch_one(&mut *connection).await?;
        let open = query("SELECT id, epoch FROM calls WHERE state = 'open' AND worker = $1")
            .bind(worker)
            .fetch_all(&mut *connection)
            .await?;
        self.open = open
            .iter()
            .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
            .collect::<Result<_, sqlx::Error>>()?;
        self.next_call = row.try_get(1)?;
        self.may_own_more = false;
        if row.try_get::<i64>(2)? != self.keys.version() {
            self.keys.replace(gateway_keys::load(connection).await?);
        }
        self.version = Some(row.try_get(0)?);
        Ok(())
    }
}

/// Returns the calls that were reserved under these keys before.
pub(crate) async fn calls_by_key(
    keys: &[&str],
    connection: &mut Connection,
) -> Result<HashMap<String, i64>, sqlx::Error> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let mut wanted = Rows::default();
    for key in keys {
        wanted.push(&[Cell::Text(key)]);
    }
    let rows = query(
        "SELECT call_key, id FROM calls
          WHERE call_key IN (SELECT value ->> 0 FROM json_each($1)) AND call_key IS NOT NULL",
    )
    .bind(wanted.finish())
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}
