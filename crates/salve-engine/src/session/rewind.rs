//! Going back in a session to before a turn, and forward again.
//!
//! In: the history of the workspace and the changes of the session. Out: where the tree has to go, which changes
//! that takes back, and whose else; what is told of it, by which it can be undone. Never moves anything itself: the
//! driver does.

mod driver;

pub use driver::{
    RewindDone, RewindError, RewindRequest, RewindScope, moved_changes, rewind_session, undo_rewind,
};

use salve_tree::{ChangeSet, History};
use salve_types::{ChangeState, SessionChange, SessionEvent, SessionId};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The name of the event that tells of a rewind.
pub const SESSION_REWOUND: &str = "sessionRewound";
/// The name of the event that tells that a rewind was taken back.
pub const REWIND_UNDONE: &str = "rewindUndone";

/// What a rewind has to do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RewindPlan {
    /// Where the tree goes: the change it is at then, or before the first one; nothing when it stays.
    pub to: Option<Option<String>>,
    /// The changes of the session that are taken back, oldest first, those included that the tree has taken
    /// back already.
    pub changes: Vec<String>,
    /// Changes of others that lie in between and are taken back with them, oldest first.
    pub others: Vec<String>,
}

/// A rewind that was made, as its event tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rewound {
    /// The turn it went back to before.
    pub turn: u32,
    /// Whether the tree moved.
    pub moved: bool,
    /// The change the tree was at.
    pub from: Option<String>,
    /// The change it is at.
    pub to: Option<String>,
    /// The files that were written or removed.
    pub files: Vec<String>,
    /// The changes of the session that were taken back.
    pub changes: Vec<String>,
    /// The turns that count no more.
    pub turns: Vec<u32>,
}

/// Plans to go back to before a turn.
pub fn plan_rewind(
    history: &History,
    session: &SessionId,
    changes: &[SessionChange],
    turn: u32,
) -> RewindPlan {
    let wanted =
        |change: &&SessionChange| change.turn >= turn && change.state == ChangeState::Applied;
    let is_taken: HashSet<&str> =
        changes.iter().filter(wanted).map(|change| change.change_id.as_str()).collect();
    let chain = in_effect(history);
    let first = chain.iter().rposition(|change| is_taken.contains(change.id.as_str()));
    let between = first.map_or(&[][..], |first| &chain[..=first]);
    let is_between: HashSet<&str> = between.iter().map(|change| change.id.as_str()).collect();
    // Edits that waited are applied after those of later turns, and go back with them.
    let goes_back = |change: &&SessionChange| {
        let late = is_between.contains(change.change_id.as_str());
        wanted(change) || (late && change.state == ChangeState::Applied)
    };
    let is_other = |change: &&&ChangeSet| {
        !is_taken.contains(change.id.as_str())
            && change.session_id.as_deref() != Some(session.as_str())
    };
    RewindPlan {
        to: between.last().map(|change| change.parent.clone()),
        changes: changes.iter().filter(goes_back).map(|one| one.change_id.clone()).collect(),
        others: between.iter().rev().filter(is_other).map(|change| change.id.clone()).collect(),
    }
}

/// Lists the changes that the tree has, newest first.
fn in_effect(history: &History) -> Vec<&ChangeSet> {
    let mut chain: Vec<&ChangeSet> = Vec::new();
    let mut at = history.position();
    while let Some(change) = at {
        chain.push(change);
        let parent = change.parent.as_deref().and_then(|id| history.get(id));
        // A parent is always older, so the walk ends even in a log that was tampered with.
        at = parent.filter(|parent| parent.number < change.number);
    }
    chain
}

/// Returns the last rewind that was not taken back.
pub fn last_rewind(events: &[SessionEvent]) -> Option<Rewound> {
    let mut made = Vec::new();
    for event in events {
        match event.name.as_str() {
            SESSION_REWOUND => {
                made.extend(serde_json::from_value::<Rewound>(event.payload.clone()).ok());
            }
            REWIND_UNDONE => drop(made.pop()),
            _ => {}
        }
    }
    made.pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_types::Timestamp;
    use serde_json::json;

    fn event(name: &str, turn: u32) -> SessionEvent {
        let rewound = Rewound {
            turn,
            moved: true,
            from: Some("b".to_owned()),
            to: None,
            files: Vec::new(),
            changes: vec!["b".to_owned()],
            turns: vec![turn],
        };
        SessionEvent {
            id: 1,
            session: SessionId("s".to_owned()),
            turn: None,
            name: name.to_owned(),
            at: Timestamp(0),
            payload: json!(rewound),
        }
    }

    #[test]
    fn a_rewind_is_taken_back_once() {
        let (made, undone) = (|turn| event(SESSION_REWOUND, turn), || event(REWIND_UNDONE, 0));
        let last = |events: &[SessionEvent]| last_rewind(events).map(|rewound| rewound.turn);
        assert_eq!(last(&[]), None);
        assert_eq!(last(&[event("planning", 1)]), None);
        assert_eq!(last(&[made(3), made(2)]), Some(2));
        assert_eq!(last(&[made(3), made(2), undone()]), Some(3));
        assert_eq!(last(&[made(3), undone(), undone()]), None);
    }

    #[test]
    fn what_was_taken_back_already_needs_no_move() {
        let change = |id: &str, turn, state| SessionChange {
            change_id: id.to_owned(),
            turn,
            state,
            todos: Vec::new(),
            micro_dollars: 0,
            checked: None,
            parent_change: None,
        };
        let changes = [
            change("a", 1, ChangeState::Applied),
            change("b", 2, ChangeState::Applied),
            change("c", 2, ChangeState::Blocked),
            change("d", 3, ChangeState::Reverted),
        ];
        let plan = plan_rewind(&History::default(), &SessionId("s".to_owned()), &changes, 2);
        let wanted = RewindPlan { to: None, changes: vec!["b".to_owned()], others: Vec::new() };
        assert_eq!(plan, wanted);
    }
}
