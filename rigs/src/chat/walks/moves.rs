//! The moves of a walk: rewinds of sessions, undo and redo beside them, forks, handoffs.
//!
//! In: a talk of the walk. Out: what was believed to happen, noted; a move that should have been refused, or should
//! not, is an error. Never a merge: what it leaves is not known beforehand.

use super::belief::{Change, Contents, Rewind, Turn};
use super::{Known, Walk, desk};
use anyhow::{Context, Result, bail, ensure};
use salve_engine::session::{
    HandoffChoice, HandoffDone, RewindDone, RewindError, RewindRequest, RewindScope,
    decide_handoff, moved_changes, rewind_session, undo_rewind,
};
use salve_store::SessionRecord;
use salve_tree::{
    ChangeMeta, Moved, OnChanged, Origin, RewindOutcome, Workspace, WorkspaceOptions, redo, undo,
};
use std::collections::BTreeSet;

impl Walk {
    /// A session goes back to before one of its turns.
    pub(super) async fn rewind(&mut self, talk: usize) -> Result<(&'static str, Known)> {
        let turns = self.belief.talks[talk].turns.len();
        if turns == 0 {
            return self.edit();
        }
        let turn = self.random.below(turns);
        let (what, kind) = [
            (RewindScope::Both, "rewinds"),
            (RewindScope::Both, "rewinds"),
            (RewindScope::Files, "rewinds of files"),
            (RewindScope::Conversation, "rewinds of the conversation"),
        ][self.random.below(4)];
        let force = self.random.below(3) == 0;
        let on_changed = if force { OnChanged::Force } else { OnChanged::Refuse };
        self.did.push(format!("{kind} of {talk} to before {}, force {force}", turn + 1));
        let Way { chain, own, counted } = self.way(talk, turn, what);
        let is_other = |at: &usize| !own.contains(at) && self.belief.changes[*at].by != Some(talk);
        let others = chain.iter().any(is_other);
        let touched = self.belief.touched(&chain);
        let edited = self.belief.in_the_way(&chain);
        let unnoticed = self.belief.by_hand();
        let turn_number = u32::try_from(turn + 1)?;
        let request = RewindRequest { turn: turn_number, scope: what, on_changed };
        let session = self.record(talk).await?;
        let (tree, _) = Workspace::open(&self.root, WorkspaceOptions::default())?;
        let store = self.desk.store();
        let done = rewind_session(store, &session, &tree, request, &meta()?).await?;
        match done {
            RewindDone::Nothing => {
                ensure!(
                    own.is_empty() && counted.is_empty(),
                    "nothing to rewind of {own:?} {counted:?}"
                );
                Ok(("rewinds of nothing", Known::default()))
            }
            RewindDone::Others(_) => {
                ensure!(others && !force, "no others in {chain:?}");
                Ok(("rewinds stopped by others", Known::default()))
            }
            RewindDone::Files(outcome) => {
                ensure!(!edited.is_empty() && !force, "nothing in the way: {outcome:?}");
                Ok(("rewinds stopped by edits", Known::default()))
            }
            RewindDone::Moved { outcome, .. } => {
                ensure!(force || (!others && edited.is_empty()), "moved over {others} {edited:?}");
                let recorded = match &outcome {
                    RewindOutcome::Moved(moved) => moved.recorded.clone(),
                    _ => None,
                };
                let before = self.belief.now(&touched);
                self.went_back(talk, (chain, counted), &touched, (recorded, edited))?;
                Ok((kind, self.known(talk, &touched, (&before, &unnoticed))))
            }
        }
    }

    fn went_back(
        &mut self,
        talk: usize,
        (chain, turns): (Vec<usize>, Vec<usize>),
        touched: &BTreeSet<String>,
        (recorded, edited): (Option<String>, BTreeSet<String>),
    ) -> Result<()> {
        ensure!(recorded.is_some() != edited.is_empty(), "recorded {recorded:?} of {edited:?}");
        let files = self.belief.now(touched);
        let recorded = recorded.map(|id| {
            let by_history = self.belief.by_history();
            let of = |path: &String| (path.clone(), by_history.get(path).cloned().flatten());
            self.belief.changes.push(Change {
                id,
                before: edited.iter().map(of).collect(),
                after: self.belief.now(&edited),
                in_force: false,
                good: true,
                tasks: BTreeSet::new(),
                by: None,
            });
            self.belief.changes.len() - 1
        });
        self.belief.take_back(&chain);
        for turn in &turns {
            self.belief.talks[talk].turns[*turn].rewound = true;
        }
        let (left, top) = (self.belief.now(touched), self.belief.top());
        let rewind = Rewind { files, left, changes: chain, turns, recorded, top };
        self.belief.talks[talk].rewinds.push(rewind);
        Ok(())
    }

    /// The last rewind of a session is taken back.
    pub(super) async fn undo_rewind(&mut self, talk: usize) -> Result<(&'static str, Known)> {
        self.did.push(format!("the last rewind of {talk} is taken back"));
        let session = self.record(talk).await?;
        let (tree, _) = Workspace::open(&self.root, WorkspaceOptions::default())?;
        let (store, how) = (self.desk.store(), OnChanged::Refuse);
        let done = undo_rewind(store, &session, &tree, how, &meta()?).await;
        let Some(rewind) = self.belief.talks[talk].rewinds.last().cloned() else {
            ensure!(matches!(done, Ok(RewindDone::Nothing)), "{done:?}");
            return Ok(("rewinds taken back", Known::default()));
        };
        let moved = !rewind.changes.is_empty();
        let touched: BTreeSet<String> = rewind.files.keys().cloned().collect();
        // A file that is already what it is to be is in nobody's way.
        let edited = touched.iter().any(|path| {
            let now = self.belief.files.get(path);
            now != rewind.left[path].as_ref() && now != rewind.files[path].as_ref()
        });
        let mut known = Known::default();
        match done {
            Err(RewindError::MovedSince) => {
                ensure!(moved && self.belief.top() != rewind.top, "nothing moved on");
            }
            Ok(RewindDone::Files(_)) => ensure!(moved && edited, "nothing is in the way"),
            Ok(RewindDone::Moved { .. }) => {
                ensure!(
                    !moved || (!edited && self.belief.top() == rewind.top),
                    "it was in the way"
                );
                let mut again = rewind.changes.clone();
                again.reverse();
                again.extend(rewind.recorded);
                let (before, unnoticed) = (self.belief.now(&touched), self.belief.by_hand());
                self.belief.make_again(&again);
                self.belief.put(&rewind.files);
                known = self.known(talk, &touched, (&before, &unnoticed));
                let talk = &mut self.belief.talks[talk];
                rewind.turns.iter().for_each(|turn| talk.turns[*turn].rewound = false);
                talk.rewinds.pop();
            }
            other => bail!("{other:?}"),
        }
        Ok(("rewinds taken back", known))
    }

    // A file that somebody had made what a move makes it is not moved: the session hears of that at its next turn.
    fn known(
        &self,
        talk: usize,
        touched: &BTreeSet<String>,
        (before, by_hand): (&Contents, &BTreeSet<String>),
    ) -> Known {
        let is_moved = |path: &&String| {
            !by_hand.contains(*path) || self.belief.files.get(*path) != before[*path].as_ref()
        };
        let files = touched.iter().filter(is_moved).cloned().collect();
        Known { talk: Some(talk), files: Some(files) }
    }

    /// `salve undo`: the last change is taken back, whoever made it.
    pub(super) async fn undo(&mut self) -> Result<(&'static str, Known)> {
        self.did.push("undo".to_owned());
        let (tree, _) = Workspace::open(&self.root, WorkspaceOptions::default())?;
        let outcome = undo(&tree, OnChanged::Refuse, &meta()?)?;
        let Some(top) = self.belief.top() else {
            ensure!(outcome == RewindOutcome::NothingToDo, "{outcome:?}");
            return Ok(("undos", Known::default()));
        };
        let touched = self.belief.touched(&[top]);
        let edited = !self.belief.in_the_way(&[top]).is_empty();
        match outcome {
            RewindOutcome::Moved(moved) => {
                ensure!(!edited, "undone over edits of {touched:?}");
                self.belief.take_back(&[top]);
                self.told(&moved).await?;
            }
            other => ensure!(edited, "nothing in the way: {other:?}"),
        }
        Ok(("undos", Known::default()))
    }

    /// `salve redo`: the change that was taken back last is made again.
    pub(super) async fn redo(&mut self) -> Result<(&'static str, Known)> {
        self.did.push("redo".to_owned());
        let (tree, _) = Workspace::open(&self.root, WorkspaceOptions::default())?;
        let RewindOutcome::Moved(moved) = redo(&tree, OnChanged::Refuse, &meta()?)? else {
            return Ok(("redos of nothing", Known::default()));
        };
        let mut again = Vec::new();
        for id in &moved.made_again {
            let at = self.belief.changes.iter().position(|change| change.id == *id);
            again.push(at.with_context(|| format!("{id} is unknown"))?);
        }
        self.belief.make_again(&again);
        self.told(&moved).await?;
        Ok(("redos", Known::default()))
    }

    async fn told(&self, moved: &Moved) -> Result<()> {
        let now = u64::try_from(desk::now().0)?;
        self.desk.store().move_changes(moved_changes(&self.root, moved, now)).await?;
        Ok(())
    }

    /// A session begins with the turns of another.
    pub(super) async fn fork(&mut self, talk: usize) -> Result<(&'static str, Known)> {
        // A turn that waits is not taken over; which numbers the others then have is another test.
        if self.held.iter().any(|held| held.talk == talk) || self.belief.talks.len() > 3 {
            return self.edit();
        }
        let turns = self.random.below(self.belief.talks[talk].turns.len() + 1);
        self.did.push(format!("fork of {talk} with {turns} turns"));
        let session = self.belief.talks[talk].session.clone();
        let made = self.desk.store().fork_session(&session, Some(u32::try_from(turns)?)).await?;
        ensure!(made.turns == u32::try_from(turns)?, "{made:?}");
        let child = self.belief.talks[talk].fork(made.id, turns);
        self.belief.talks.push(child);
        Ok(("forks", Known::default()))
    }

    /// A session hands over to another: twice, as after a crash, which makes one child.
    pub(super) async fn hand_over(&mut self, talk: usize) -> Result<(&'static str, Known)> {
        let waits = self.held.iter().any(|held| held.talk == talk);
        if waits || self.belief.talks.len() > 3 || self.belief.talks[talk].handed_over() {
            return self.edit();
        }
        self.did.push(format!("handoff of {talk}"));
        let session = self.belief.talks[talk].session.clone();
        let store = self.desk.store();
        let mut children = Vec::new();
        for _ in 0..2 {
            match decide_handoff(store, &session, HandoffChoice::Handoff).await? {
                HandoffDone::Handoff { child, .. } => children.push(child.id),
                other => bail!("{other:?}"),
            }
        }
        ensure!(children[0] == children[1], "two children: {children:?}");
        let child = self.belief.talks[talk].hand_over(children.swap_remove(0));
        self.belief.talks[talk].handed_over_at = Some(self.belief.talks[talk].turns.len());
        self.belief.talks.push(child);
        Ok(("handoffs", Known::default()))
    }

    async fn record(&self, talk: usize) -> Result<SessionRecord> {
        let session = &self.belief.talks[talk].session;
        self.desk.store().session(session).await?.context("the session is gone")
    }

    fn way(&self, talk: usize, turn: usize, what: RewindScope) -> Way {
        let turns = &self.belief.talks[talk].turns;
        let later = turns.iter().enumerate().skip(turn);
        let inherited = self.belief.talks[talk].inherited;
        let counts = |(at, turn): &(usize, &Turn)| *at >= inherited && !turn.rewound;
        let counted = later.clone().filter(counts).map(|(at, _)| at).collect();
        let own = later.flat_map(|(_, turn)| turn.changes.iter().copied());
        let own: BTreeSet<usize> = own.filter(|at| self.belief.changes[*at].in_force).collect();
        match what {
            RewindScope::Both => Way { chain: self.belief.back_to(&own), own, counted },
            RewindScope::Files => {
                Way { chain: self.belief.back_to(&own), own, counted: Vec::new() }
            }
            RewindScope::Conversation => Way { chain: Vec::new(), own: BTreeSet::new(), counted },
        }
    }
}

/// What a rewind takes back.
struct Way {
    /// All changes, newest first.
    chain: Vec<usize>,
    /// Those of the session.
    own: BTreeSet<usize>,
    /// The turns that count no more.
    counted: Vec<usize>,
}

fn meta() -> Result<ChangeMeta> {
    let now = u64::try_from(desk::now().0)?;
    Ok(ChangeMeta { now, origin: Origin::User, ..ChangeMeta::default() })
}
