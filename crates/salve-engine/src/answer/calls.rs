//! What the calls of a reply are taken for.
//!
//! In: the call that was asked for again, and the calls that were made. Out: the answer's calls with
//! it in its place. A model that was asked for one call often makes all of them again, so that a call
//! is known by its place among those before it, never by its tool alone. Never takes arguments that
//! are not strict JSON and fit, never a call in the place of another one.

use super::climb::{Climb, Next};
use super::completed::{IncompleteCode, StepOutcome};
use super::judge::says_ended;
use super::prompt::NO_MORE;
use super::replies::is_talk;
use super::rungs::absent;
use super::strict::{self, Strict};
use super::tools::{self, CallLook};
use super::verdict::{AnswerCut, Part};
use salve_model::{ModelReply, Purpose, ToolCall};
use salve_text::stitch_chat;
use serde_json::{Map, Value};

impl Climb {
    /// Takes what follows the calls that were passed on, after a frame that could not be read.
    pub(super) fn rest_of_calls(&mut self, from: usize, reply: ModelReply) -> StepOutcome {
        // Where this one ends is no more known than where the answer did.
        if reply.lost || !says_ended(reply.finish.as_ref()) {
            return StepOutcome::Useless;
        }
        if from == 0 {
            return self.fresh(reply);
        }
        let (passed, rest) = self.answer.tool_calls.split_at(from);
        let again = from_the_beginning(passed, &reply.tool_calls);
        let next = rest.first();
        let goes_on = |call: Option<&ToolCall>| {
            call.zip(next).is_some_and(|(call, next)| is_begun_as(next, call))
        };
        let again =
            again.filter(|rest| goes_on(rest.first()) || !goes_on(reply.tool_calls.first()));
        if let Some(rest) = again {
            let sent = self.answer.text.get(..self.sent.text).unwrap_or_default();
            if !reply.text.starts_with(sent) {
                return StepOutcome::Useless;
            }
            let calls = [passed, rest].concat();
            return self.replace(ModelReply { tool_calls: calls, ..reply });
        }
        // The rest alone, as it was asked for.
        let begins =
            reply.tool_calls.first().zip(next).is_some_and(|(it, next)| it.name == next.name);
        let nothing = reply.tool_calls.is_empty() && next.is_none() && says_no_more(&reply.text);
        if nothing {
            self.ends_by_calls();
        } else if begins {
            // A call had begun, so that the text before it had its end; this comes after it.
            self.ends_as(&reply);
            self.answer.text.push_str(&reply.text);
            self.answer.tool_calls.truncate(from);
            self.answer.tool_calls.extend(reply.tool_calls);
        } else {
            return StepOutcome::Useless;
        }
        StepOutcome::Joined
    }

    /// Takes the rest of the arguments of a call, or the call made again.
    pub(super) fn rest_of_arguments(
        &mut self,
        cut: &AnswerCut,
        index: usize,
        reply: &ModelReply,
    ) -> Option<StepOutcome> {
        let call = self.answer.tool_calls.get(index)?.clone();
        if self.take_call(index, reply) {
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
    pub(super) fn whole_call_instead(&mut self, index: usize, why: &str) -> Next {
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

    // Takes a whole call in the place of a broken one, and the calls after it, where an answer that was
    // cut there had yet to make them.
    fn take_call(&mut self, index: usize, reply: &ModelReply) -> bool {
        let Some(broken) = self.answer.tool_calls.get(index) else { return false };
        let Some(at) = self.counterpart(index, &reply.tool_calls) else { return false };
        let Some(whole) = reply.tool_calls.get(at).filter(|it| self.may_replace(index, it)) else {
            return false;
        };
        let id = if broken.id.is_empty() { whole.id.clone() } else { broken.id.clone() };
        let was_last = index + 1 == self.answer.tool_calls.len();
        let was_cut = was_last && !says_ended(self.answer.finish.as_ref());
        self.answer.tool_calls[index] = ToolCall { id, ..whole.clone() };
        if was_cut && !reply.lost && says_ended(reply.finish.as_ref()) {
            let after = reply.tool_calls.iter().skip(at + 1);
            self.answer.tool_calls.extend(after.cloned());
        }
        true
    }

    // Which of the calls that were made is the one that was asked for: the only one; the one after
    // those that come before it; or the only one that is none of the others.
    fn counterpart(&self, index: usize, made: &[ToolCall]) -> Option<usize> {
        let ours = &self.answer.tool_calls;
        let is_another = |call: &ToolCall| {
            let mut others = ours.iter().enumerate().filter(|(at, _)| *at != index);
            others.any(|(_, other)| is_same_call(other, call) || is_begun_as(call, other))
        };
        let again = from_the_beginning(ours.get(..index)?, made);
        if again.and_then(|rest| rest.first()).is_some_and(|call| !is_another(call)) {
            return Some(index);
        }
        let mut may_be = made.iter().enumerate().filter(|(_, call)| {
            (made.len() == 1 || self.may_replace(index, call)) && !is_another(call)
        });
        let (first, second) = (may_be.next(), may_be.next());
        first.filter(|_| second.is_none()).map(|(at, _)| at)
    }

    // Whether a call is whole, and of the same tool; or of any, where the one called does not exist.
    fn may_replace(&self, index: usize, call: &ToolCall) -> bool {
        let broken = self.answer.tool_calls.get(index);
        let name = broken.map_or("", |broken| broken.name.as_str());
        let exists =
            self.wanted.tools.is_empty() || self.wanted.tools.iter().any(|tool| tool.name == name);
        (!exists || call.name == name)
            && matches!(tools::look(call, index, &self.wanted, false), CallLook::Whole)
    }

    /// Returns whether a call needs nothing.
    pub(super) fn is_whole_call(&self, call: &ToolCall) -> bool {
        matches!(tools::look(call, 0, &self.wanted, false), CallLook::Whole)
    }

    /// Takes a call that was made again.
    pub(super) fn corrected_call(&mut self, index: usize, reply: ModelReply) -> StepOutcome {
        if self.take_call(index, &reply) {
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
        // The latest attempt is what the next note is about, and it may be cut.
        let Some(at) = self.counterpart(index, &reply.tool_calls) else {
            return StepOutcome::Useless;
        };
        let last = index + 1 == self.answer.tool_calls.len() && at + 1 == reply.tool_calls.len();
        let call = reply.tool_calls.into_iter().nth(at).unwrap_or_default();
        self.answer.tool_calls[index] = ToolCall { id: broken.id, ..call };
        if last {
            (self.answer.finish, self.answer.lost) = (reply.finish, reply.lost);
        } else {
            self.ends_by_calls();
        }
        StepOutcome::Replaced
    }
}

// What follows these calls in calls that were all made again.
fn from_the_beginning<'c>(passed: &[ToolCall], made: &'c [ToolCall]) -> Option<&'c [ToolCall]> {
    let same = made.len() >= passed.len()
        && passed.iter().zip(made).all(|(one, other)| is_same_call(one, other));
    same.then(|| &made[passed.len()..])
}

fn is_same_call(one: &ToolCall, other: &ToolCall) -> bool {
    // No arguments at all are those of a tool that needs none.
    let read = |call: &ToolCall| match call.arguments.trim() {
        "" => Some(Value::Object(Map::new())),
        arguments => serde_json::from_str::<Value>(arguments).ok(),
    };
    one.name == other.name
        && (one.arguments == other.arguments || read(one).is_some_and(|it| Some(it) == read(other)))
}

// Whether a call that has only its beginning may be the beginning of this one.
fn is_begun_as(begun: &ToolCall, call: &ToolCall) -> bool {
    let (begun_as, all) = (begun.arguments.trim_start(), call.arguments.trim_start());
    begun.name == call.name && all.starts_with(begun_as)
}

fn says_no_more(text: &str) -> bool {
    text.trim_matches(|it: char| !it.is_alphanumeric()).eq_ignore_ascii_case(NO_MORE)
}
