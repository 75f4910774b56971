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
                let meant = said_again(&self.answer, &reply.text, &text);
                self.ends_as(&reply);
                self.answer.text = meant.unwrap_or(text);
                self.answer.tool_calls = reply.tool_calls;
                (StepOutcome::Joined, Next::Judge)
            }
            Err(RefusalReason::Empty | RefusalReason::OnlyEcho) if !restarted => {
                let refused = StepOutcome::Refused(RefusalReason::Empty);
                let settled = cut.structured || ends_like_an_end(&self.answer.text);
                // Words that were said before are no proof that nothing is missing after a lost frame.
                if !cut.proven && ended && settled && (blank || !self.answer.lost) {
                    return (refused, Next::Confirmed);
                }
                (refused, Next::Retry(IncompleteCode::StillCut, why.to_owned()))
            }
            Err(reason) if reason != RefusalReason::RestartedFromBeginning && !restarted => {
                (StepOutcome::Refused(reason), Next::Judge)
            }
            // The model began again: that is a retry it made by itself. Where a frame was lost, the rest
            // of a text that repeats itself looks like it, and the beginning would be lost with it.
            _ if self.sent.text == 0 && !blank && !self.answer.lost => {
                (self.replace(reply), Next::Judge)
            }
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

// A continuation that begins with words of the text, which were left out of it as an echo, and may be
// meant: the text has them twice already, or it ended at a frame that could not be read. Words too many
// are seen by a reader, words that lack are not. But a model that begins a half sentence or line again
// repeats it, and all of the text again is always an echo.
fn said_again(answer: &ModelReply, rest: &str, joined: &str) -> Option<String> {
    let text = answer.text.as_str();
    let left_out = rest.strip_suffix(joined.strip_prefix(text)?)?.trim();
    let twice = left_out.len() >= 16 && text.matches(left_out).nth(1).is_some();
    let before = text.trim_end().strip_suffix(left_out).filter(|before| !before.trim().is_empty());
    let ended = is_between(text) || text.ends_with(['.', '!', '?']);
    let begins_again = |before: &str| is_between(before) && !ended;
    let lost =
        answer.lost && left_out.len() >= 8 && before.is_some_and(|before| !begins_again(before));
    (twice || lost).then(|| format!("{text}{rest}"))
}

// Whether a text ends between two sentences or lines.
fn is_between(text: &str) -> bool {
    let said = text.trim_end();
    text.ends_with('\n') || said.len() < text.len() && said.ends_with(['.', '!', '?', ':'])
}

// A sentence that is said to be the end, where the rest of a JSON value is wanted: inside a string
// it would pass for the rest of it.
pub(super) fn is_talk(reply: &ModelReply) -> bool {
    reply.finish == Some(FinishReason::Stop)
        && !reply.text.contains(['"', '}', ']'])
        && is_sentence(&reply.text)
}
