//! Budgets in memory: what each scope has spent and holds.
//!
//! In: balances as the database has them. Out: whether a call fits, and the balances after it. Never
//! trusted beyond the ledger's version it was read at.

use crate::tables::gateway_keys::KeyRing;
use crate::{BudgetScope, Budgets, OverBudget, Spend, SpendLimit};
use std::collections::{BTreeSet, HashMap};

use super::Held;

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

/// The accounts that were needed since the books were last read.
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

    pub(crate) fn knows(&self, account: &Account) -> bool {
        self.known.contains_key(account)
    }

    pub(crate) fn learn(&mut self, account: Account, balance: Balance) {
        self.known.insert(account, balance);
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
