//! What a reply is taken for.
//!
//! In: the rung that was asked, and the reply. Out: the answer changed, or not, and where to go next.
//! Never joins what the stitcher refuses, never takes arguments that are not strict JSON and fit.

use super::climb::{Climb, Next};
use super::completed::{IncompleteCode, StepOutcome};
use super::judge::judge;
use super::rungs::Rung;
use super::verdict::{AnswerCut, AnswerVerdict, Part};
use salve_model::{ModelReply, Purpose};
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
            Rung::RestOfCalls { from } => {
                (Purpose::Resume, (self.rest_of_calls(*from, reply), Next::Judge))
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

    pub(super) fn ends_as(&mut self, reply: &ModelReply) {
        self.answer.finish.clone_from(&reply.finish);
        self.answer.lost = reply.lost;
    }

    pub(super) fn ends_by_calls(&mut self) {
        self.answer.finish = Some(FinishReason::ToolCalls);
        self.answer.lost = false;
    }

    pub(super) fn replace(&mut self, reply: ModelReply) -> StepOutcome {
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
            // Blanks before the calls are the end of the text.
            self.answer.text.push_str(&reply.text);
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
                let meant = repeats_itself(&self.answer.text, &reply.text, &text);
                self.answer.text = meant.unwrap_or(text);
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

    fn corrected_text(&mut self, reply: ModelReply) -> StepOutcome {
        if reply.text.trim().is_empty() && reply.tool_calls.is_empty() {
            return StepOutcome::Useless;
        }
        self.replace(reply)
    }

    // Blanks that were passed on before the reasoning ended stay where they are.
    fn after_raise(&mut self, reply: ModelReply) -> StepOutcome {
        let sent = self.answer.text.get(..self.sent.text).unwrap_or_default();
        let text = format!("{sent}{}", reply.text);
        self.replace(ModelReply { text, ..reply })
    }

    /// Takes a whole answer in the place of this one, of which no call was passed on.
    pub(super) fn fresh(&mut self, reply: ModelReply) -> StepOutcome {
        let sent = self.answer.text.get(..self.sent.text).unwrap_or_default();
        if reply.text.starts_with(sent) {
            return self.replace(reply);
        }
        // Other words than those that were sent: the calls alone, after a text that had its end.
        if reply.tool_calls.is_empty() || !self.text_had_its_end() {
            return StepOutcome::Useless;
        }
        self.ends_as(&reply);
        self.answer.tool_calls = reply.tool_calls;
        StepOutcome::Replaced
    }

    // A call that was begun and has no end came after the text; after one that has its end, or where a
    // frame is lost, there may have been more of it.
    fn text_had_its_end(&self) -> bool {
        let last = self.answer.tool_calls.last();
        !self.answer.lost || last.is_some_and(|call| !self.is_whole_call(call))
    }
}

// A continuation that begins with words which the text has twice already: they are no echo of its end
// but its way of speaking, so that nothing of them is left out.
fn repeats_itself(text: &str, rest: &str, joined: &str) -> Option<String> {
    const SHORTEST: usize = 16;
    let added = joined.strip_prefix(text)?;
    let left_out = rest.strip_suffix(added)?.trim();
    let repeated = left_out.len() >= SHORTEST && text.matches(left_out).nth(1).is_some();
    repeated.then(|| format!("{text}{rest}"))
}

// A sentence that is said to be the end, where the rest of a JSON value is wanted: inside a string
// it would pass for the rest of it.
pub(super) fn is_talk(reply: &ModelReply) -> bool {
    reply.finish == Some(FinishReason::Stop)
        && !reply.text.contains(['"', '}', ']'])
        && is_sentence(&reply.text)
}
