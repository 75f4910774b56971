//! Recovery: brings a workspace to rest in which a transaction was interrupted.
//!
//! In: what is in `.salve`. Out: every transaction either wholly done or wholly undone, and a
//! report. Never: a file overwritten that is neither what the transaction found nor what it wrote;
//! a journal removed that cannot be read.

use crate::apply::{Foreign, clean, undo};
use crate::disk::unlink_if_there;
use crate::history::{Log, cut_to, load, settle};
use crate::journal::{self, Found};
use crate::workspace::State;
use crate::{TreeError, Workspace};
use serde::Serialize;
use std::os::fd::AsFd as _;
use std::time::Duration;

/// What recovery found and did.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Recovery {
    /// Transactions that were undone because they were not committed.
    pub undone: Vec<String>,
    /// Transactions that were committed and only had to be cleaned up.
    pub finished: Vec<String>,
    /// Files that another writer had changed meanwhile.
    pub foreign: Vec<Foreign>,
    /// Journals that cannot be read. Nothing was done about them, and nothing can be written
    /// before they are moved away.
    pub damaged_journals: Vec<DamagedJournal>,
    /// Whether the begun last line of the history was cut off.
    pub torn_history: bool,
    /// The copy of a history that was damaged further up.
    pub damaged_history: Option<String>,
    /// Another process is writing right now, so that nothing was looked at.
    pub busy: Option<String>,
}

/// A journal that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DamagedJournal {
    /// Its name in `.salve/journal`.
    pub name: String,
    /// What is wrong with it.
    pub why: String,
}

impl Recovery {
    /// Tells whether there was nothing to do and nothing to report.
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }
}

/// Brings a workspace to rest. Does nothing, not even make `.salve`, where nothing is left over.
pub fn recover(workspace: &Workspace) -> Result<Recovery, TreeError> {
    let mut recovery = Recovery::default();
    if !has_leftovers(workspace)? {
        return Ok(recovery);
    }
    match workspace.lock_within(Duration::ZERO)? {
        Ok(state) => drop(settle_all(&state, &mut recovery)?),
        Err(holder) => recovery.busy = Some(holder),
    }
    Ok(recovery)
}

/// Does the work under the lock and returns the history as it is then.
pub(crate) fn settle_all(state: &State<'_>, recovery: &mut Recovery) -> Result<Log, TreeError> {
    let fault = |error| TreeError::io(".salve/journal", error);
    let mut log = load(state.workspace)?;
    for found in journal::pending(state).map_err(fault)? {
        settle_one(state, &mut log, found, recovery)?;
    }
    if recovery.damaged_journals.is_empty() {
        // Without a journal, a temporary file never had anything to do with the tree.
        for (name, _) in state.disk.list(state.temps.as_fd()).map_err(fault)? {
            unlink_if_there(state.disk, state.temp(&name)).map_err(fault)?;
        }
    }
    recovery.torn_history |= log.torn;
    if log.torn || log.damage.is_some() {
        let name = crate::history::unique("log", log.records.len() as u64);
        recovery.damaged_history = settle(state, &log, &name)?;
        return load(state.workspace);
    }
    Ok(log)
}

fn settle_one(
    state: &State<'_>,
    log: &mut Log,
    found: Found,
    recovery: &mut Recovery,
) -> Result<(), TreeError> {
    let fault = |error| TreeError::io(".salve/journal", error);
    let manifest = match found.manifest {
        Ok(manifest) => manifest,
        Err(_) if !found.armed => {
            // It was never armed, so the tree was never touched by it.
            return journal::remove(state, &found.name).map_err(fault);
        }
        Err(why) => {
            recovery.damaged_journals.push(DamagedJournal { name: found.name, why });
            return Ok(());
        }
    };
    if log.records.iter().rev().any(|record| record.id() == manifest.txn) {
        clean(state, &manifest, &mut recovery.foreign)?;
        recovery.finished.push(manifest.txn);
    } else if found.armed {
        if manifest.history.is_some_and(|len| len < log.len()) && log.damage.is_none() {
            // Some records of its commit are there and others are not: none of them is true.
            cut_to(state, manifest.history.unwrap_or_default())?;
            *log = load(state.workspace)?;
            recovery.torn_history = true;
        }
        recovery.foreign.extend(undo(state, &manifest)?);
        recovery.undone.push(manifest.txn);
    } else {
        journal::remove(state, &found.name).map_err(fault)?;
    }
    Ok(())
}

/// Looks without the lock whether there is anything to do.
fn has_leftovers(workspace: &Workspace) -> Result<bool, TreeError> {
    for name in ["journal", "tmp"] {
        let Some(dir) = workspace.state_dir(name)? else { continue };
        let left = workspace.disk().list(dir.as_fd()).map_err(|e| TreeError::io(name, e))?;
        if !left.is_empty() {
            return Ok(true);
        }
    }
    let log = load(workspace)?;
    Ok(log.torn || log.damage.is_some())
}

#[cfg(test)]
mod tests;
