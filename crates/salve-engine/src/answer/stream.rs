//! Judging an answer that arrives in pieces.
//!
//! In: the text as it comes, at the end the whole reply. Out: the verdict that [`judge`] gives
//! on the same reply, whatever the pieces were, without reading free text a second time. Never holds
//! more than the start of the text and one inspection.
//!
//! [`judge`]: fn@super::judge

use super::Wanted;
use super::judge::{judge_with, look};
use super::verdict::AnswerVerdict;
use salve_model::ModelReply;
use salve_text::FreeTextInspector;

/// Judges one answer while it arrives.
#[derive(Debug)]
pub struct StreamJudge {
    // `None` where what was wanted is judged from the whole text, which its receiver holds back
    // anyway.
    inspector: Option<FreeTextInspector>,
}

impl StreamJudge {
    /// Starts on an answer.
    pub fn new(wanted: &Wanted) -> Self {
        let held = wanted.is_json() || wanted.language.is_some();
        Self { inspector: (!held).then(FreeTextInspector::default) }
    }

    /// Takes the next piece of the text.
    pub fn push_text(&mut self, piece: &str) {
        if let Some(inspector) = &mut self.inspector {
            inspector.push(piece);
        }
    }

    /// Returns how many bytes this judge holds at the moment.
    pub fn state_bytes(&self) -> usize {
        size_of::<Self>() + self.inspector.as_ref().map_or(0, FreeTextInspector::heap_bytes)
    }

    /// Ends the answer and judges it; `reply` holds the text that was pushed.
    pub fn finish(self, reply: &ModelReply, wanted: &Wanted) -> AnswerVerdict {
        judge_with(reply, wanted, || match self.inspector {
            None => look(reply, wanted),
            Some(inspector) => inspector.finish(&reply.text, reply.finish.as_ref()).into(),
        })
    }
}
