//! The history: every change that was applied, where the tree is among them, how to move.
//!
//! In: the log in `.salve/history`. Out: change sets with their parents, the position, and the
//! steps from one position to another. Never: an entry rewritten or dropped; what is behind a
//! branch stays.

mod bases;
mod change;
mod export;
mod gc;
mod log;
mod stats;

use crate::{TreeError, Workspace};
use std::collections::BTreeMap;

pub use bases::Bases;
pub use change::{
    ChangeMeta, ChangeSet, ChangedFile, Cost, Motion, Move, NotApplied, Origin, Record,
};
pub use export::{ExportedChange, ExportedFile};
pub use gc::{GcReport, HistorySize};
pub use log::LogDamage;
pub use stats::Stats;

pub(crate) use change::unique;
pub(crate) use log::{Log, append, cut_to, load, settle, take_back};
pub(crate) use stats::{count, is_binary};

/// The change sets of a workspace and where its tree is among them.
#[derive(Debug, Clone, Default)]
pub struct History {
    changes: Vec<ChangeSet>,
    by_id: BTreeMap<String, usize>,
    position: Option<String>,
    leaf: Option<String>,
    damage: Option<LogDamage>,
}

/// One step between two neighbouring positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step<'a> {
    /// The change is taken back.
    Back(&'a ChangeSet),
    /// The change is made again.
    Forth(&'a ChangeSet),
}

impl History {
    /// Reads the history of a workspace; it is empty when there is none.
    pub fn load(workspace: &Workspace) -> Result<Self, TreeError> {
        Ok(Self::of(&load(workspace)?))
    }

    pub(crate) fn of(log: &Log) -> Self {
        let mut history = Self { damage: log.damage.clone(), ..Self::default() };
        for record in &log.records {
            match record {
                Record::Change(change) => history.add(change.clone()),
                Record::Move(to) => history.go(to.to.clone()),
            }
        }
        history
    }

    /// Lists the change sets, oldest first, those of left branches included.
    pub fn changes(&self) -> &[ChangeSet] {
        &self.changes
    }

    /// Returns a change set.
    pub fn get(&self, id: &str) -> Option<&ChangeSet> {
        self.by_id.get(id).and_then(|at| self.changes.get(*at))
    }

    /// Returns the change set the tree is at; `None` before the first one.
    pub fn position(&self) -> Option<&ChangeSet> {
        self.position.as_deref().and_then(|id| self.get(id))
    }

    /// Returns what a redo would make again.
    pub fn next(&self) -> Option<&ChangeSet> {
        let mut at = self.leaf.as_deref().and_then(|id| self.get(id))?;
        while at.parent != self.position {
            at = self.get(at.parent.as_deref()?)?;
        }
        Some(at)
    }

    /// Tells whether a change set is on the way from the beginning to the position.
    pub fn is_in_effect(&self, id: &str) -> bool {
        self.chain(self.position.as_deref()).any(|change| change.id == id)
    }

    /// Returns where the log is damaged, if it is.
    pub fn damage(&self) -> Option<&LogDamage> {
        self.damage.as_ref()
    }

    pub(crate) fn next_number(&self) -> u64 {
        self.changes.last().map_or(1, |change| change.number + 1)
    }

    pub(crate) fn position_id(&self) -> Option<String> {
        self.position.clone()
    }

    /// Lists the change sets from a position back to the beginning.
    pub(crate) fn chain<'a>(
        &'a self,
        from: Option<&str>,
    ) -> impl Iterator<Item = &'a ChangeSet> + use<'a> {
        let first = from.and_then(|id| self.get(id));
        // A parent is always older, so the walk ends even in a log that was tampered with.
        std::iter::successors(first, move |at| {
            let parent = self.get(at.parent.as_deref()?)?;
            (parent.number < at.number).then_some(parent)
        })
    }

    /// Lists the steps from the position to another one: back to where both ways part, then forth.
    pub(crate) fn way_to(&self, to: Option<&str>) -> Vec<Step<'_>> {
        let here: Vec<&ChangeSet> = self.chain(self.position.as_deref()).collect();
        let there: Vec<&ChangeSet> = self.chain(to).collect();
        let shared =
            here.iter().rev().zip(there.iter().rev()).take_while(|(a, b)| a.id == b.id).count();
        let back = here.iter().take(here.len() - shared).map(|change| Step::Back(change));
        let forth = there.iter().take(there.len() - shared).rev().map(|change| Step::Forth(change));
        back.chain(forth).collect()
    }

    fn add(&mut self, change: ChangeSet) {
        if change.applied {
            self.position = Some(change.id.clone());
            self.leaf = Some(change.id.clone());
        }
        self.by_id.insert(change.id.clone(), self.changes.len());
        self.changes.push(change);
    }

    /// Moves the position. The leaf stays while it can still be reached by redoing.
    fn go(&mut self, to: Option<String>) {
        let reachable = match &to {
            None => true,
            Some(to) => self.chain(self.leaf.as_deref()).any(|change| change.id == *to),
        };
        if !reachable {
            self.leaf.clone_from(&to);
        }
        self.position = to;
    }
}

#[cfg(test)]
mod tests;
