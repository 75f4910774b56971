//! What a person has decided so far about edits that wait.
//!
//! In: decisions about files and hunks, one at a time, as events on the session's log. Out: the draft of the review,
//! the same for every page that shows it, and the decision about what is decided. Never a decision about edits that
//! were shown under another approval.

use super::{Conversation, ConversationError, WaitingTurn};
use crate::session::{EventName, FileChoice, HeldIds, HunkChoice, TurnDecision, held_edits};
use salve_jobs::fresh_job_id;
use salve_store::{NewSessionEvent, SessionWrite, TurnRecord};
use salve_types::SessionEvent;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// How many events are read at once.
const PAGE: u32 = 500;

/// One decision of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewStep {
    /// The file; nothing for all that have no decision yet.
    pub path: Option<String>,
    /// The hunk; nothing for the whole file.
    pub hunk: Option<String>,
    /// Whether it is kept; nothing for what is to be open again.
    pub keep: Option<bool>,
}

/// What was decided so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ReviewDraft {
    /// Of files: whether what is left of them is kept.
    pub files: BTreeMap<String, bool>,
    /// Of hunks, by file and id.
    pub hunks: BTreeMap<String, BTreeMap<String, bool>>,
}

impl ReviewDraft {
    /// Takes a decision.
    pub fn take(&mut self, step: &ReviewStep, held: &HeldIds) {
        let Some(keep) = step.keep else {
            let paths: Vec<&String> =
                step.path.as_ref().map_or_else(|| held.keys().collect(), |path| vec![path]);
            for path in paths {
                self.files.remove(path);
                self.hunks.remove(path);
            }
            return;
        };
        match (&step.path, &step.hunk) {
            (Some(path), Some(hunk)) => {
                let hunks = self.hunks.entry(path.clone()).or_default();
                hunks.insert(hunk.clone(), keep);
                // A later word about a part is about that part alone.
                self.files.remove(path);
            }
            (Some(path), None) => {
                self.files.insert(path.clone(), keep);
            }
            (None, _) => {
                for path in held.keys() {
                    self.files.entry(path.clone()).or_insert(keep);
                }
            }
        }
    }

    /// Returns the decision about the files that have one and of which something is kept; of the whole, once every file
    /// has one. What is only rejected waits, so that a person may think again.
    pub fn decision(&self, held: &HeldIds) -> Option<TurnDecision> {
        if let Some(whole) = self.settled(held) {
            return Some(whole);
        }
        let chosen = held.iter().filter_map(|(path, ids)| Some((path, self.choice(path, ids)?)));
        let kept = chosen.filter(|(_, choice)| *choice != FileChoice::Reject);
        let files: BTreeMap<String, FileChoice> =
            kept.map(|(path, choice)| (path.clone(), choice)).collect();
        (!files.is_empty()).then_some(TurnDecision::Part(HunkChoice { files }))
    }

    /// Returns the decision, once every file has one; never one about nothing.
    pub fn settled(&self, held: &HeldIds) -> Option<TurnDecision> {
        if held.is_empty() {
            return None;
        }
        let mut files = BTreeMap::new();
        for (path, ids) in held {
            files.insert(path.clone(), self.choice(path, ids)?);
        }
        let all = |choice: &FileChoice| files.values().all(|one| one == choice);
        if all(&FileChoice::Keep) {
            return Some(TurnDecision::Yes);
        }
        if all(&FileChoice::Reject) {
            return Some(TurnDecision::No);
        }
        Some(TurnDecision::Hunks(HunkChoice { files }))
    }

    fn choice(&self, path: &str, ids: &BTreeSet<String>) -> Option<FileChoice> {
        let of_hunk = |id: &String| self.hunks.get(path).and_then(|hunks| hunks.get(id)).copied();
        let of_file = self.files.get(path).copied();
        // To reject a file is to reject all of it; to keep one is to keep what was not rejected in it.
        if of_file == Some(false) {
            return Some(FileChoice::Reject);
        }
        let mut kept = BTreeSet::new();
        for id in ids {
            if of_hunk(id).or(of_file)? {
                kept.insert(id.clone());
            }
        }
        Some(match kept.len() {
            0 => FileChoice::Reject,
            all if all == ids.len() => FileChoice::Keep,
            _ => FileChoice::Hunks(kept),
        })
    }
}

impl Conversation {
    /// Returns the hunks of the edits that wait, by file, and what was decided about them so far.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn review(
        &self,
        turn: &TurnRecord,
        waiting: &WaitingTurn,
    ) -> Result<(HeldIds, ReviewDraft), ConversationError> {
        let mut held = HeldIds::new();
        for hunk in held_edits(&self.parts.store, &turn.session, turn.index).await? {
            held.entry(hunk.path).or_default().insert(hunk.id);
        }
        let mut draft = ReviewDraft::default();
        let mut last = 0;
        loop {
            let page = self.parts.store.session_events(&turn.session, last, PAGE).await?;
            let Some(event) = page.last() else { return Ok((held, draft)) };
            last = event.id;
            for step in page.iter().filter_map(|event| step_of(event, turn.index, waiting)) {
                draft.take(&step, &held);
            }
        }
    }

    /// Notes a decision of a review, for every page that shows it.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn note_review(
        &self,
        turn: &TurnRecord,
        waiting: &WaitingTurn,
        step: &ReviewStep,
    ) -> Result<(), ConversationError> {
        let event = NewSessionEvent {
            turn: Some(turn.index),
            name: EventName::ReviewChanged.name().to_owned(),
            payload: json!({ "approval": waiting.approval, "step": step }),
        };
        let key = format!("review-{}", fresh_job_id());
        let write =
            SessionWrite { events: vec![event], ..SessionWrite::new(turn.session.clone(), key) };
        self.parts.store.write_session(write).await?;
        Ok(())
    }
}

fn step_of(event: &SessionEvent, turn: u32, waiting: &WaitingTurn) -> Option<ReviewStep> {
    let ours = event.turn == Some(turn)
        && event.name == EventName::ReviewChanged.name()
        && event.payload["approval"] == waiting.approval.as_str();
    ours.then(|| serde_json::from_value(event.payload["step"].clone()).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held() -> HeldIds {
        let ids = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        [("a".to_owned(), ids(&["1", "2"])), ("b".to_owned(), ids(&["whole"]))].into()
    }

    fn decided(steps: &[(&str, &str, bool)]) -> Option<TurnDecision> {
        let mut draft = ReviewDraft::default();
        let named = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        for (path, hunk, keep) in steps {
            let step = ReviewStep { path: named(path), hunk: named(hunk), keep: Some(*keep) };
            draft.take(&step, &held());
        }
        draft.settled(&held())
    }

    fn parts(a: FileChoice, b: FileChoice) -> Option<TurnDecision> {
        let files = [("a".to_owned(), a), ("b".to_owned(), b)].into();
        Some(TurnDecision::Hunks(HunkChoice { files }))
    }

    #[test]
    fn c018_a_review_is_over_when_every_file_has_a_decision() {
        use FileChoice::{Hunks, Keep, Reject};
        let one = |id: &str| Hunks([id.to_owned()].into());
        assert_eq!(decided(&[]), None);
        assert_eq!(decided(&[("a", "", true)]), None, "b is open");
        assert_eq!(decided(&[("a", "1", true), ("b", "", true)]), None, "a hunk of a is open");
        assert_eq!(decided(&[("", "", true)]), Some(TurnDecision::Yes));
        assert_eq!(decided(&[("", "", false)]), Some(TurnDecision::No));
        assert_eq!(decided(&[("a", "", true), ("b", "", false)]), parts(Keep, Reject));
        assert_eq!(decided(&[("a", "1", false), ("", "", true)]), parts(one("2"), Keep));
        assert_eq!(
            decided(&[("a", "1", false), ("a", "2", false), ("b", "whole", true)]),
            parts(Reject, Keep)
        );
        assert_eq!(decided(&[("a", "", false), ("", "", true)]), parts(Reject, Keep));
        // A person may change their mind before the last file is decided.
        assert_eq!(
            decided(&[("a", "", true), ("a", "2", false), ("a", "1", true), ("b", "", true)]),
            parts(one("1"), Keep)
        );
    }
}
