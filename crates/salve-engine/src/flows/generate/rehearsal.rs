//! The ladder, gone through again with the replies there are.
//!
//! In: the replies so far, in order. Out: what the ladder asks for next, or what it ended with. One
//! ladder decides for the gateway, for a single answer and for a job: it is deterministic, so going
//! through it again with the same replies leads to the same place. Never asks anyone.

use crate::answer::{AlreadySent, AskError, Asker, Caps, Healed, Wanted, heal_answer};
use salve_model::{FollowUp, ModelReply, Purpose};
use std::collections::VecDeque;

/// Where the ladder stands.
pub(super) struct Rehearsal {
    /// What it asks for next; none when it has ended.
    pub(super) next: Option<FollowUp>,
    /// The answer as far as it came, or as it ended.
    pub(super) healed: Healed,
}

impl Rehearsal {
    /// Counts the replies that a rung got.
    pub(super) fn count(&self, purpose: Purpose) -> u32 {
        let asked_now = self.next.as_ref().is_some_and(|next| next.purpose == purpose);
        self.healed.count(purpose) - u32::from(asked_now)
    }
}

/// Goes through the ladder.
pub(super) async fn rehearse(
    first: ModelReply,
    replies: Vec<ModelReply>,
    wanted: &Wanted,
    caps: &Caps,
) -> Rehearsal {
    let mut asker = Remembered { replies: replies.into(), next: None };
    let healed = heal_answer(first, wanted, AlreadySent::default(), &mut asker, caps).await;
    Rehearsal { next: asker.next, healed }
}

struct Remembered {
    replies: VecDeque<ModelReply>,
    next: Option<FollowUp>,
}

impl Asker for Remembered {
    async fn ask(&mut self, follow_up: &FollowUp) -> Result<ModelReply, AskError> {
        match self.replies.pop_front() {
            Some(reply) => Ok(reply),
            None => {
                self.next = Some(follow_up.clone());
                Err(AskError::Gone)
            }
        }
    }
}
