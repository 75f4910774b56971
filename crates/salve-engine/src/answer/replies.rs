//! What a reply is taken for.
//!
//! In: the rung that was asked, and the reply. Out: the answer changed, or not, and where to go next.
//! Never joins what the stitcher refuses, never takes arguments that are not strict JSON and fit.

use super::climb::{Climb, Next};
use super::completed::{IncompleteCode, StepOutcome};
use super::judge::judge;
use super::rungs::{Rung, absent};
use super::strict::{self, Strict};
use super::tools::{self, CallLook};
use super::verdict::{AnswerCut, AnswerVerdict, Part};
use salve_model::{ModelReply, Purpose, ToolCall};
use salve_text::{RefusalReason, ends_like_an_end, is_sentence, stitch_chat};
use salve_types::FinishReason;

impl Climb {
    /// Takes a reply.
    pub(super) fn taken(&mut self, rung: &Rung, reply: ModelReply) -> Next {
        self.note_reply(&reply);
        let usage = reply.usage;
        let (purpose, (outcome, next)) = match rung {
            Rung::RestOfText { cut, why } => (Purpose::Resume, self.rest_of_text(cut, why, reply)),
            Rung::RestOfArguments { cut, index, why } => {
                let taken = match self.rest_of_arguments(cut, *index, &reply) {
                    Some(outcome) => (outcome, Next::Judge),
                    None => (StepOutcome::Useless, self.whole_call_instead(*index, why)),
                };
                (Purpose::Resume, taken)
            }
            Rung::Correction(Part::Text) => {
                (Purpose::Rework, (self.corrected_text(reply), Next::Judge))
            }
            Rung::Correction(Part::Tool(index)) => {
                (Purpose::Rework, (self.corrected_call(*index, reply), Next::Judge))
            }
            Rung::Raised => (Purpose::Resume, (self.after_raise(reply), Next::Judge)),
            Rung::Fresh { .. } => (Purpose::Retry, (self.fresh(reply), Next::Judge)),
        };
        self.step(purpose, outcome, usage);
        next
    }

    fn ends_as(&mut self, reply: &ModelReply) {
        self.answer.finish.clone_from(&reply.finish);
        self.answer.lost = reply.lost;
    }

    fn ends_by_calls(&mut self) {
        self.answer.finish = Some(FinishReason::ToolCalls);
        self.answer.lost = false;
    }

    fn replace(&mut self, reply: ModelReply) -> StepOutcome {
        self.answer = ModelReply { model: self.answer.model.take(), ..reply };
        StepOutcome::Replaced
    }

    fn rest_of_text(
        &mut self,
        cut: &AnswerCut,
        why: &str,
        reply: ModelReply,
    ) -> (StepOutcome, Next) {
        let blank = reply.text.trim().is_empty();
        let calls = !reply.tool_calls.is_empty() && !self.wanted.is_json();
        if blank && calls && !self.answer.text.is_empty() {
            self.ends_as(&reply);
            self.answer.tool_calls = reply.tool_calls;
            return (StepOutcome::Joined, Next::Judge);
        }
        // Blanks, and the end: that is how the text ends.
        let ended = reply.finish == Some(FinishReason::Stop);
        if ended && !cut.proven && !reply.text.is_empty() && blank {
            self.answer.text.push_str(&reply.text);
            return (StepOutcome::Joined, Next::Confirmed);
        }
        if self.wanted.is_json() && is_talk(&reply) {
            return (StepOutcome::Refused(RefusalReason::Talk), Next::Judge);
        }
        let restarted = self.restarted(&reply);
        match stitch_chat(&self.answer.text, &reply.text, &cut.verdict) {
            Ok(text) if !restarted || self.fits(&text) => {
                self.ends_as(&reply);
                self.answer.text = text;
                self.answer.tool_calls = reply.tool_calls;
                (StepOutcome::Joined, Next::Judge)
            }
            Err(RefusalReason::Empty | RefusalReason::OnlyEcho) if !restarted => {
                let refused = StepOutcome::Refused(RefusalReason::Empty);
                let settled = cut.structured || ends_like_an_end(&self.answer.text);
                if !cut.proven && ended && settled {
                    return (refused, Next::Confirmed);
                }
                (refused, Next::Retry(IncompleteCode::StillCut, why.to_owned()))
            }
            Err(reason) if reason != RefusalReason::RestartedFromBeginning && !restarted => {
                (StepOutcome::Refused(reason), Next::Judge)
            }
            // The model began again: that is a retry it made by itself.
            _ if self.sent.text == 0 && !blank => (self.replace(reply), Next::Judge),
            _ => (StepOutcome::Refused(RefusalReason::RestartedFromBeginning), Next::Judge),
        }
    }

    // Whether a continuation is the whole answer by itself; only a schema tells that from a part.
    fn restarted(&self, reply: &ModelReply) -> bool {
        self.wanted.schema.is_some()
            && matches!(judge(reply, &self.wanted), AnswerVerdict::Whole(_))
    }

    fn fits(&self, text: &str) -> bool {
        let joined = ModelReply { text: text.to_owned(), ..ModelReply::default() };
        matches!(judge(&joined, &self.wanted), AnswerVerdict::Whole(_))
    }

    fn rest_of_arguments(
        &mut self,
        cut: &AnswerCut,
        index: usize,
        reply: &ModelReply,
    ) -> Option<StepOutcome> {
        let call = self.answer.tool_calls.get(index)?.clone();
        if self.take_call(index, &reply.tool_calls) {
            self.ends_as(reply);
            return Some(StepOutcome::Replaced);
        }
        let joined = stitch_chat(&call.arguments, &reply.text, &cut.verdict).unwrap_or_default();
        let alone = reply.text.trim();
        let (arguments, outcome) = if self.arguments_fit(index, &call, &joined) {
            (joined.as_str(), StepOutcome::Joined)
        } else if self.has_schema(&call) && self.arguments_fit(index, &call, alone) {
            (alone, StepOutcome::Replaced)
        } else if matches!(strict::read(&joined, Part::Tool(index)), Strict::Beginning)
            && joined.len() > call.arguments.len()
            && !is_talk(reply)
        {
            (joined.as_str(), StepOutcome::Joined)
        } else {
            return None;
        };
        arguments.clone_into(&mut self.answer.tool_calls.get_mut(index)?.arguments);
        self.ends_as(reply);
        Some(outcome)
    }

    // Arguments that cannot be continued are asked for again as a whole call.
    fn whole_call_instead(&mut self, index: usize, why: &str) -> Next {
        if self.count(Purpose::Rework) >= self.caps.reworks {
            return Next::Retry(IncompleteCode::StillCut, why.to_owned());
        }
        let call = self.answer.tool_calls.get(index).cloned().unwrap_or_default();
        self.rework(&absent(index, &call))
    }

    fn has_schema(&self, call: &ToolCall) -> bool {
        self.wanted.tools.iter().any(|tool| tool.name == call.name && tool.schema.is_some())
    }

    fn arguments_fit(&self, index: usize, call: &ToolCall, arguments: &str) -> bool {
        let call = ToolCall { arguments: arguments.to_owned(), ..call.clone() };
        matches!(tools::look(&call, index, &self.wanted, false), CallLook::Whole)
    }

    // Takes a whole call in the place of a broken one: of the same tool, or of any tool where the one
    // that was called does not exist.
    fn take_call(&mut self, index: usize, calls: &[ToolCall]) -> bool {
        let Some(broken) = self.answer.tool_calls.get(index) else { return false };
        let exists = self.wanted.tools.is_empty()
            || self.wanted.tools.iter().any(|tool| tool.name == broken.name);
        let whole = calls.iter().find(|call| {
            (!exists || call.name == broken.name)
                && matches!(tools::look(call, index, &self.wanted, false), CallLook::Whole)
        });
        let Some(whole) = whole.cloned() else { return false };
        let id = if broken.id.is_empty() { whole.id.clone() } else { broken.id.clone() };
        self.answer.tool_calls[index] = ToolCall { id, ..whole };
        true
    }

    fn corrected_text(&mut self, reply: ModelReply) -> StepOutcome {
        if reply.text.trim().is_empty() && reply.tool_calls.is_empty() {
            return StepOutcome::Useless;
        }
        self.replace(reply)
    }

    fn corrected_call(&mut self, index: usize, reply: ModelReply) -> StepOutcome {
        if self.take_call(index, &reply.tool_calls) {
            self.ends_by_calls();
            return StepOutcome::Replaced;
        }
        let Some(broken) = self.answer.tool_calls.get(index).cloned() else {
            return StepOutcome::Useless;
        };
        // Arguments written as text are arguments all the same, where a schema can tell.
        if reply.tool_calls.is_empty() {
            let text = reply.text.trim();
            if self.has_schema(&broken) && self.arguments_fit(index, &broken, text) {
                text.clone_into(&mut self.answer.tool_calls[index].arguments);
                self.ends_by_calls();
                return StepOutcome::Replaced;
            }
            return StepOutcome::Useless;
        }
        // The latest attempt is what the next note is about; the last of the calls may be cut.
        let last = index + 1 == self.answer.tool_calls.len();
        let call = reply.tool_calls.into_iter().next_back().unwrap_or_default();
        self.answer.tool_calls[index] = ToolCall { id: broken.id, ..call };
        if last {
            (self.answer.finish, self.answer.lost) = (reply.finish, reply.lost);
        } else {
            self.ends_by_calls();
        }
        StepOutcome::Replaced
    }

    // Blanks that were passed on before the reasoning ended stay where they are.
    fn after_raise(&mut self, reply: ModelReply) -> StepOutcome {
        let sent = self.answer.text.get(..self.sent.text).unwrap_or_default();
        let text = format!("{sent}{}", reply.text);
        self.replace(ModelReply { text, ..reply })
    }

    fn fresh(&mut self, reply: ModelReply) -> StepOutcome {
        if self.sent.text == 0 {
            return self.replace(reply);
        }
        if reply.tool_calls.is_empty() {
            return StepOutcome::Useless;
        }
        self.ends_as(&reply);
        self.answer.tool_calls = reply.tool_calls;
        StepOutcome::Replaced
    }
}

// A sentence that is said to be the end, where the rest of a JSON value is wanted: inside a string
// it would pass for the rest of it.
fn is_talk(reply: &ModelReply) -> bool {
    reply.finish == Some(FinishReason::Stop)
        && !reply.text.contains(['"', '}', ']'])
        && is_sentence(&reply.text)
}
