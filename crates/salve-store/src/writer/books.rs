//! What the writer knows of the ledger without asking: version, next numbers, balances.
//!
//! In: the database, read when the version is not known. Out: state that a batch is planned with.
//! Never believed after somebody else wrote: the version tells.

use super::accounts::{Account, Accounts, Balance};
use super::rows::{Cell, Rows};
use crate::Spend;
use crate::sql::{Connection, query};
use crate::tables::gateway_keys::{self, KeyRing};
use std::collections::HashMap;
use std::sync::Arc;

/// The writer's knowledge of the ledger.
#[derive(Debug)]
pub(crate) struct Books {
    /// None when it must be read anew.
    pub(crate) version: Option<i64>,
    pub(crate) next_call: i64,
    pub(crate) next_event: i64,
    pub(crate) next_job: i64,
    pub(crate) accounts: Accounts,
    /// This worker's calls that are not settled, by anybody, and the epoch each is in.
    pub(crate) open: HashMap<i64, i64>,
    pub(crate) keys: Arc<KeyRing>,
}

impl Books {
    pub(crate) fn new(keys: Arc<KeyRing>) -> Self {
        Self {
            version: None,
            next_call: 0,
            next_event: 0,
            next_job: 0,
            accounts: Accounts::default(),
            open: HashMap::new(),
            keys,
        }
    }

    /// Forgets what may not be true any more.
    pub(crate) fn forget(&mut self) {
        self.version = None;
        self.accounts.forget();
    }

    /// Reads the ledger's state. Only while nobody else can write.
    pub(crate) async fn read(
        &mut self,
        worker: &str,
        connection: &mut Connection,
    ) -> Result<(), sqlx::Error> {
        self.accounts.forget();
        let locked = if connection.is_postgres() { " FOR UPDATE" } else { "" };
        let sql = format!(
            "SELECT version, next_call, next_event, keys_version, next_job FROM ledger{locked}"
        );
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
        self.next_event = row.try_get(2)?;
        self.next_job = row.try_get(4)?;
        if row.try_get::<i64>(3)? != self.keys.version() {
            self.keys.replace(gateway_keys::load(connection).await?);
        }
        self.version = Some(row.try_get(0)?);
        Ok(())
    }

    /// Reads the balances of accounts that are not known yet.
    pub(crate) async fn read_accounts(
        &mut self,
        wanted: impl IntoIterator<Item = Account>,
        connection: &mut Connection,
    ) -> Result<(), sqlx::Error> {
        let mut missing: HashMap<(String, i64), Account> = wanted
            .into_iter()
            .filter(|account| !self.accounts.knows(account))
            .map(|account| ((account.stored(), account.day), account))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let mut names = Rows::default();
        for (scope, day) in missing.keys() {
            names.push(&[Cell::Text(scope), Cell::Int(*day)]);
        }
        let rows = query(
            "SELECT budgets.scope, budgets.day, held_tokens, held_micro_dollars, spent_tokens,
                    spent_micro_dollars
               FROM json_each($1) AS wanted
               JOIN budgets ON budgets.scope = (wanted.value ->> 0)
                           AND budgets.day = CAST(wanted.value ->> 1 AS BIGINT)",
        )
        .bind(names.finish())
        .fetch_all(connection)
        .await?;
        for row in rows {
            let spend = |tokens: usize| -> Result<Spend, sqlx::Error> {
                let count = |at: usize| row.try_get::<i64>(at);
                Ok(Spend {
                    tokens: u64::try_from(count(tokens)?).unwrap_or_default(),
                    micro_dollars: u64::try_from(count(tokens + 1)?).unwrap_or_default(),
                })
            };
            let name: (String, i64) = (row.try_get(0)?, row.try_get(1)?);
            if let Some(account) = missing.remove(&name) {
                self.accounts.learn(account, Balance { held: spend(2)?, spent: spend(4)? });
            }
        }
        for account in missing.into_values() {
            self.accounts.learn(account, Balance::default());
        }
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
