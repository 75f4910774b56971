//! What a walk believes to be true, from what it did alone.
//!
//! In: each step of a walk as it was seen to end. Out: the files, the changes in force, the tasks that are done, the
//! turns that count. Never looks into the store, the history or the disk: those are held to it.

use super::desk::BROKEN;
use salve_types::SessionId;
use std::collections::{BTreeMap, BTreeSet};

/// The files of a project, by name.
pub(super) type Files = BTreeMap<String, String>;
/// What some files are to be; nothing for one that is to be gone.
pub(super) type Contents = BTreeMap<String, Option<String>>;

/// A change of files that was made.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) id: String,
    pub(super) before: Contents,
    pub(super) after: Contents,
    pub(super) in_force: bool,
    /// Whether no check was red about it.
    pub(super) good: bool,
    /// The tasks it does, by their words.
    pub(super) tasks: BTreeSet<String>,
    /// The talk that made it; none for what was done by hand.
    pub(super) by: Option<usize>,
}

/// A turn.
#[derive(Debug, Clone, Default)]
pub(super) struct Turn {
    pub(super) rewound: bool,
    /// Its changes.
    pub(super) changes: Vec<usize>,
}

/// A rewind that was not taken back.
#[derive(Debug, Clone)]
pub(super) struct Rewind {
    /// The files it moved, as they were, and as it left them.
    pub(super) files: Contents,
    pub(super) left: Contents,
    /// The changes it took back.
    pub(super) changes: Vec<usize>,
    /// The turns that count no more.
    pub(super) turns: Vec<usize>,
    /// The change that holds what was overwritten.
    pub(super) recorded: Option<usize>,
    /// The change that the tree was at then.
    pub(super) top: Option<usize>,
}

/// A session.
#[derive(Debug, Clone)]
pub(super) struct Talk {
    pub(super) session: SessionId,
    pub(super) turns: Vec<Turn>,
    /// How many of them are those of the session it goes on from, whose changes it has and whose words it has not.
    pub(super) inherited: usize,
    /// The tasks that were listed, each with the turn that listed it first.
    pub(super) tasks: BTreeMap<String, usize>,
    pub(super) rewinds: Vec<Rewind>,
    /// How many turns it had when it handed over last.
    pub(super) handed_over_at: Option<usize>,
}

impl Talk {
    /// Begins one.
    pub(super) fn new(session: SessionId) -> Self {
        Self {
            session,
            turns: Vec::new(),
            inherited: 0,
            tasks: BTreeMap::new(),
            rewinds: Vec::new(),
            handed_over_at: None,
        }
    }

    /// Returns the changes it knows.
    pub(super) fn changes(&self) -> impl Iterator<Item = usize> {
        self.turns.iter().flat_map(|turn| turn.changes.iter().copied())
    }

    /// Begins another with its first turns.
    pub(super) fn fork(&self, session: SessionId, turns: usize) -> Self {
        let kept = |(_, turn): &(&String, &usize)| **turn < turns;
        Self {
            session,
            turns: self.turns.iter().take(turns).cloned().collect(),
            inherited: self.inherited.min(turns),
            tasks: self
                .tasks
                .iter()
                .filter(kept)
                .map(|(task, turn)| (task.clone(), *turn))
                .collect(),
            rewinds: Vec::new(),
            handed_over_at: None,
        }
    }

    /// Tells whether it handed over after the turn it is at: another choice there is the same.
    pub(super) fn handed_over(&self) -> bool {
        self.handed_over_at == Some(self.turns.len())
    }

    /// Hands over to another.
    pub(super) fn hand_over(&self, session: SessionId) -> Self {
        let turns = self.turns.len();
        Self { inherited: turns, ..self.fork(session, turns) }
    }
}

/// All of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Belief {
    pub(super) files: Files,
    /// In the order they were made, which is that of the history.
    pub(super) changes: Vec<Change>,
    pub(super) talks: Vec<Talk>,
    /// Whether the project has a check.
    pub(super) checked: bool,
}

impl Belief {
    /// Makes files what they are to be.
    pub(super) fn put(&mut self, contents: &Contents) {
        for (path, content) in contents {
            match content {
                Some(content) => drop(self.files.insert(path.clone(), content.clone())),
                None => drop(self.files.remove(path)),
            }
        }
    }

    /// Returns what some files are.
    pub(super) fn now<'a>(&self, paths: impl IntoIterator<Item = &'a String>) -> Contents {
        paths.into_iter().map(|path| (path.clone(), self.files.get(path).cloned())).collect()
    }

    /// Notes a change that was applied on top of what there is.
    pub(super) fn apply(&mut self, id: String, after: Contents, tasks: BTreeSet<String>) -> usize {
        let before = self.now(after.keys());
        self.put(&after);
        let good = !self.checked || !self.files.values().any(|text| text.contains(BROKEN));
        self.changes.push(Change { id, before, after, in_force: true, good, tasks, by: None });
        self.changes.len() - 1
    }

    /// Returns what the history says that each file is, at its position.
    pub(super) fn by_history(&self) -> Contents {
        let in_force = self.changes.iter().filter(|change| change.in_force);
        in_force.flat_map(|change| change.after.clone()).collect()
    }

    /// Lists the files that are not what the history says.
    pub(super) fn by_hand(&self) -> BTreeSet<String> {
        let by_history = self.by_history();
        let is_other =
            |(path, said): &(&String, &Option<String>)| self.files.get(*path) != said.as_ref();
        by_history.iter().filter(is_other).map(|(path, _)| path.clone()).collect()
    }

    /// Lists the files that were changed by hand since these changes, newest first, and are not what taking them
    /// back makes them.
    pub(super) fn in_the_way(&self, chain: &[usize]) -> BTreeSet<String> {
        let by_history = self.by_history();
        let before = chain.iter().flat_map(|at| self.changes[*at].before.clone());
        let target: Contents = before.collect();
        let is_edited = |path: &&String| {
            let now = self.files.get(*path);
            by_history.get(*path).is_some_and(|content| content.as_ref() != now)
                && target[*path].as_ref() != now
        };
        target.keys().filter(is_edited).cloned().collect()
    }

    /// Returns the change that the tree is at.
    pub(super) fn top(&self) -> Option<usize> {
        self.changes.iter().rposition(|change| change.in_force)
    }

    /// Lists the changes in force from the first of these on, newest first.
    pub(super) fn back_to(&self, wanted: &BTreeSet<usize>) -> Vec<usize> {
        let first = wanted.iter().copied().find(|at| self.changes[*at].in_force);
        let Some(first) = first else { return Vec::new() };
        (first..self.changes.len()).rev().filter(|at| self.changes[*at].in_force).collect()
    }

    /// Lists the files that changes touch.
    pub(super) fn touched(&self, changes: &[usize]) -> BTreeSet<String> {
        changes.iter().flat_map(|at| self.changes[*at].after.keys().cloned()).collect()
    }

    /// Takes changes back, newest first.
    pub(super) fn take_back(&mut self, changes: &[usize]) {
        for at in changes {
            let change = &mut self.changes[*at];
            change.in_force = false;
            let before = change.before.clone();
            self.put(&before);
        }
    }

    /// Makes changes again, oldest first.
    pub(super) fn make_again(&mut self, changes: &[usize]) {
        for at in changes {
            let change = &mut self.changes[*at];
            change.in_force = true;
            let after = change.after.clone();
            self.put(&after);
        }
    }

    /// Returns the tasks of a talk, and whether each is done.
    pub(super) fn tasks(&self, talk: &Talk) -> BTreeMap<String, bool> {
        let is_done = |task: &String| {
            talk.changes().any(|at| {
                let change = &self.changes[at];
                change.in_force && change.good && change.tasks.contains(task)
            })
        };
        talk.tasks.keys().map(|task| (task.clone(), is_done(task))).collect()
    }
}
