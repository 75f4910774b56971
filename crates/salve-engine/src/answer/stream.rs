//! Judging an answer that arrives in pieces.
//!
//! In: the text as it comes, at the end the whole reply. Out: the verdict that [`judge_answer`] gives
//! on the same reply, whatever the pieces were, without reading free text a second time. Never holds
//! more than the start of the text and one inspection.
//!
//! [`judge_answer`]: super::judge_answer

use super::Wanted;
use super::free_text::{HEAD, conclude, language_of, look, options};
use super::judge::judge_with;
use super::verdict::AnswerVerdict;
use salve_model::ModelReply;
use salve_text::Inspector;

/// Judges one answer while it arrives.
#[derive(Debug)]
pub struct StreamJudge {
    state: State,
}

#[derive(Debug)]
enum State {
    // What was wanted is judged from the whole text, which its receiver holds back anyway.
    AtTheEnd,
    // The language is not known yet.
    Head(String),
    Reading(Box<Inspector>),
}

impl StreamJudge {
    /// Starts on an answer.
    pub fn new(wanted: &Wanted) -> Self {
        let held = wanted.schema.is_some() || wanted.json || wanted.language.is_some();
        Self { state: if held { State::AtTheEnd } else { State::Head(String::new()) } }
    }

    /// Takes the next piece of the text.
    pub fn push_text(&mut self, piece: &str) {
        match &mut self.state {
            State::AtTheEnd => {}
            State::Reading(inspector) => inspector.push(piece),
            State::Head(held) => {
                held.push_str(piece);
                if held.len() >= HEAD {
                    let inspector = start(held);
                    self.state = State::Reading(Box::new(inspector));
                }
            }
        }
    }

    /// Returns how many bytes this judge holds at the moment.
    pub fn state_bytes(&self) -> usize {
        size_of::<Self>()
            + match &self.state {
                State::AtTheEnd => 0,
                State::Head(held) => held.capacity(),
                State::Reading(inspector) => inspector.state_bytes(),
            }
    }

    /// Ends the answer and judges it; `reply` holds the text that was pushed.
    pub fn finish(self, reply: &ModelReply, wanted: &Wanted) -> AnswerVerdict {
        let finish = reply.finish.as_ref();
        judge_with(reply, wanted, || match self.state {
            State::AtTheEnd | State::Head(_) => look(&reply.text, finish, wanted),
            State::Reading(mut inspector) => {
                inspector.stopped(finish.cloned());
                conclude(&reply.text, finish, inspector.finish())
            }
        })
    }
}

fn start(held: &str) -> Inspector {
    let language = language_of(super::free_text::head(held));
    let mut inspector = Inspector::new(&options(language, None));
    inspector.push(held);
    inspector
}
