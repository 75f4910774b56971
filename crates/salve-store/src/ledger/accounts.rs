//! Budgets in memory: what each scope has spent and holds.
//!
//! In: balances as the database has them. Out: whether a call fits, and the balances after it. Never
//! trusted beyond the ledger's version it was read at.

use super::Held;
use crate::sql::{Cell, Connection, Rows, query};
use crate::tables::gateway_keys::KeyRing;
use crate::{BudgetScope, Budgets, OverBudget, Spend, SpendLimit};
use std::collections::{BTreeSet, HashMap};

/// A scope, and the day its window begins; 0 for one that never ends.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Account {
    pub(crate) scope: BudgetScope,
    pub(crate) day: i64,
}

impl Account {
    /// Returns the word it is stored under.
    pub(crate) fn stored(&self) -> String {
        match &self.scope {
            BudgetScope::Day => "day".to_owned(),
            BudgetScope::Key(id) => format!("key:{id}"),
            BudgetScope::Session(name) => format!("session:{name}"),
        }
    }
}

/// What an account has spent, and what open calls hold of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Balance {
    pub(crate) held: Spend,
    pub(crate) spent: Spend,
}

/// The accounts that were needed since the ledger's state was last read.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    known: HashMap<Account, Balance>,
    changed: BTreeSet<Account>,
}

/// More accounts than this are not kept in memory.
const KEPT: usize = 20_000;

impl Accounts {
    /// Forgets everything.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
        self.changed.clear();
    }

    /// Makes room once there are too many. Only between batches.
    pub(crate) fn make_room(&mut self) {
        if self.known.len() > KEPT {
            self.known.clear();
        }
    }

    /// Reads the balances of accounts that are not known yet.
    pub(crate) async fn read(
        &mut self,
        wanted: impl IntoIterator<Item = Account>,
        connection: &mut Connection,
    ) -> Result<(), sqlx::Error> {
        let mut missing: HashMap<(String, i64), Account> = wanted
            .into_iter()
            .filter(|account| !self.known.contains_key(account))
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
                self.known.insert(account, Balance { held: spend(2)?, spent: spend(4)? });
            }
        }
        for account in missing.into_values() {
            self.known.insert(account, Balance::default());
        }
        Ok(())
    }

    /// Holds the worst case of a call in every account it counts in, or in none of them.
    pub(crate) fn hold(
        &mut self,
        held: &Held,
        budgets: &Budgets,
        keys: &KeyRing,
    ) -> Result<(), OverBudget> {
        let needed = held.worst.total();
        for account in held.accounts() {
            let balance = self.known.get(&account).copied().unwrap_or_default();
            let limit = limit(&account.scope, budgets, keys);
            if let Some(passed) = limit.passed_by(balance.held.plus(balance.spent), needed) {
                return Err(OverBudget {
                    scope: account.scope,
                    unit: passed.unit,
                    limit: passed.limit,
                    left: passed.left,
                    needed: passed.needed,
                });
            }
        }
        self.change(held, |balance| balance.held = balance.held.plus(needed));
        Ok(())
    }

    /// Gives back what was held for a call and counts what it took.
    pub(crate) fn release(&mut self, held: &Held, took: Spend) {
        let worst = held.worst.total();
        self.change(held, |balance| {
            balance.held = balance.held.minus(worst);
            balance.spent = balance.spent.plus(took);
        });
    }

    /// Counts what a try took that was counted as something else before.
    pub(crate) fn correct(&mut self, held: &Held, counted: Spend, took: Spend) {
        self.change(held, |balance| balance.spent = balance.spent.minus(counted).plus(took));
    }

    /// Takes out the accounts that changed, to be written.
    pub(crate) fn take_changed(&mut self) -> Vec<(Account, Balance)> {
        std::mem::take(&mut self.changed)
            .into_iter()
            .map(|account| {
                let balance = self.known.get(&account).copied().unwrap_or_default();
                (account, balance)
            })
            .collect()
    }

    fn change(&mut self, held: &Held, change: impl Fn(&mut Balance)) {
        for account in held.accounts() {
            change(self.known.entry(account.clone()).or_default());
            self.changed.insert(account);
        }
    }
}

fn limit(scope: &BudgetScope, budgets: &Budgets, keys: &KeyRing) -> SpendLimit {
    match scope {
        BudgetScope::Day => budgets.day,
        BudgetScope::Session(_) => budgets.session,
        BudgetScope::Key(id) => keys.in_force(*id).map(|key| key.per_day()).unwrap_or_default(),
    }
}
