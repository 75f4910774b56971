//! The rungs: what is asked, and what a reply to it is taken for.
//!
//! In: the ladder and what is wrong. Out: the answer changed, and where to go next. Never joins what
//! the stitcher refuses, never takes arguments that are not strict JSON and fit.

use super::healed::{HealState, IncompleteCode, PassedBecause, StepOutcome};
use super::ladder::{Ladder, Next, is_sent};
use super::strict::{self, Strict};
use super::tools::{self, CallLook};
use super::verdict::{AnswerCut, AnswerVerdict, Fault, Part};
use super::{Asker, judge, prompt};
use salve_model::{ModelReply, Purpose, ToolCall};
use salve_text::{RefusalReason, ends_like_an_end, is_sentence, stitch_chat};
use salve_types::FinishReason;

impl<A: Asker> Ladder<'_, A> {
    /// Asks for the rest of a cut answer.
    pub(super) async fn resume(&mut self, cut: AnswerCut) -> Next {
        let why = cut.verdict.error_message.clone().unwrap_or_else(|| "the answer is cut".into());
        if self.count(Purpose::Resume) >= self.caps.resumes {
            return Next::Retry(IncompleteCode::StillCut, why);
        }
        if let Some(clean) = cut.clean.as_ref().filter(|_| self.sent.text == 0) {
            self.current.text.clone_from(clean);
        }
        let limit = match self.allowance(cut.structured) {
            Ok(limit) => limit,
            Err(_) if !cut.structured => {
                return Next::End(HealState::Passed(PassedBecause::OwnLimit));
            }
            Err(most) => {
                let why = format!(
                    "{why}; the output limit and what may be added, {most} tokens, is used up"
                );
                return Next::End(HealState::Incomplete {
                    code: IncompleteCode::LimitReached,
                    why,
                });
            }
        };
        match cut.part {
            Part::Text => self.resume_text(cut, why, limit).await,
            Part::Tool(index) => self.resume_arguments(cut, index, why, limit).await,
        }
    }

    async fn resume_text(&mut self, cut: AnswerCut, why: String, limit: Option<u64>) -> Next {
        if self.current.text.trim().is_empty() {
            return Next::Retry(IncompleteCode::StillCut, why);
        }
        let attempt = self.count(Purpose::Resume);
        let finish = self.current.finish.clone();
        let turns = prompt::resume_text(&self.current.text, &cut, finish.as_ref(), attempt);
        // A provider that enforces the schema cannot write the rest of a value.
        let bound = self.wanted.schema.is_some() || self.wanted.json;
        let reply = match self.ask(Purpose::Resume, turns, !bound, limit).await {
            Ok(reply) => reply,
            Err(next) => return next,
        };
        let usage = reply.usage;
        let (outcome, next) = self.take_rest_of_text(&cut, why, reply);
        self.step(Purpose::Resume, outcome, usage);
        next
    }

    fn take_rest_of_text(
        &mut self,
        cut: &AnswerCut,
        why: String,
        reply: ModelReply,
    ) -> (StepOutcome, Next) {
        if !self.current.text.is_empty()
            && reply.text.trim().is_empty()
            && calls_whole(self, &reply)
        {
            self.current.tool_calls = reply.tool_calls;
            self.current.finish = reply.finish;
            return (StepOutcome::Joined, Next::Judge);
        }
        // Blanks, and the end: that is how the text ends.
        let ended = reply.finish == Some(FinishReason::Stop);
        if ended && !cut.proven && !reply.text.is_empty() && reply.text.trim().is_empty() {
            self.current.text.push_str(&reply.text);
            return (StepOutcome::Joined, Next::Confirmed);
        }
        let bound = self.wanted.schema.is_some() || self.wanted.json;
        if bound && is_talk(&reply) {
            return (StepOutcome::Refused(RefusalReason::Talk), Next::Judge);
        }
        let restarted = self.restarted(&reply);
        match stitch_chat(&self.current.text, &reply.text, &cut.verdict) {
            Ok(text) if !restarted || self.fits(&text) => {
                self.current.text = text;
                self.current.tool_calls = reply.tool_calls;
                self.current.finish = reply.finish;
                (StepOutcome::Joined, Next::Judge)
            }
            Err(RefusalReason::Empty | RefusalReason::OnlyEcho) if !restarted => {
                let refused = StepOutcome::Refused(RefusalReason::Empty);
                let settled = cut.structured || ends_like_an_end(&self.current.text);
                if !cut.proven && ended && settled {
                    return (refused, Next::Confirmed);
                }
                (refused, Next::Retry(IncompleteCode::StillCut, why))
            }
            Err(reason) if reason != RefusalReason::RestartedFromBeginning && !restarted => {
                (StepOutcome::Refused(reason), Next::Judge)
            }
            // The model began again: that is a retry it made by itself.
            _ if self.sent.text == 0 && !reply.text.trim().is_empty() => {
                self.current = ModelReply { model: self.current.model.take(), ..reply };
                (StepOutcome::Replaced, Next::Judge)
            }
            _ => (StepOutcome::Refused(RefusalReason::RestartedFromBeginning), Next::Judge),
        }
    }

    // Whether a continuation is the whole answer by itself; only a schema tells that from a part.
    fn restarted(&self, reply: &ModelReply) -> bool {
        self.wanted.schema.is_some()
            && matches!(judge::judge_answer(reply, self.wanted), AnswerVerdict::Whole(_))
    }

    fn fits(&self, text: &str) -> bool {
        let joined = ModelReply { text: text.to_owned(), ..ModelReply::default() };
        matches!(judge::judge_answer(&joined, self.wanted), AnswerVerdict::Whole(_))
    }

    async fn resume_arguments(
        &mut self,
        cut: AnswerCut,
        index: usize,
        why: String,
        limit: Option<u64>,
    ) -> Next {
        let call = self.current.tool_calls.get(index).cloned().unwrap_or_default();
        // Nothing to go on from: the call is asked for again as a whole.
        if call.arguments.trim().is_empty() {
            return self.rework(absent(index, &call)).await;
        }
        let attempt = self.count(Purpose::Resume);
        let finish = self.current.finish.clone();
        let turns =
            prompt::resume_arguments(&call.name, &call.arguments, &cut, finish.as_ref(), attempt);
        let reply = match self.ask(Purpose::Resume, turns, false, limit).await {
            Ok(reply) => reply,
            Err(next) => return next,
        };
        let usage = reply.usage;
        let taken = self.take_rest_of_arguments(&cut, index, &call, &reply);
        let outcome = taken.unwrap_or(StepOutcome::Useless);
        let useless = !matches!(outcome, StepOutcome::Joined | StepOutcome::Replaced);
        self.step(Purpose::Resume, outcome, usage);
        if !useless {
            return Next::Judge;
        }
        if self.count(Purpose::Rework) >= self.caps.reworks {
            return Next::Retry(IncompleteCode::StillCut, why);
        }
        self.rework(absent(index, &call)).await
    }

    fn take_rest_of_arguments(
        &mut self,
        cut: &AnswerCut,
        index: usize,
        call: &ToolCall,
        reply: &ModelReply,
    ) -> Option<StepOutcome> {
        if self.take_call(index, &reply.tool_calls) {
            self.current.finish = reply.finish.clone();
            return Some(StepOutcome::Replaced);
        }
        let joined = stitch_chat(&call.arguments, &reply.text, &cut.verdict);
        let joined = joined.as_deref().unwrap_or_default();
        let whole = |text: &str| self.arguments_fit(index, call, text);
        let (arguments, outcome) = if whole(joined) {
            (joined, StepOutcome::Joined)
        } else if self.has_schema(call) && whole(reply.text.trim()) {
            (reply.text.trim(), StepOutcome::Replaced)
        } else if matches!(strict::read(joined, Part::Tool(index)), Strict::Beginning)
            && joined.len() > call.arguments.len()
            && !is_talk(reply)
        {
            (joined, StepOutcome::Joined)
        } else {
            return None;
        };
        let arguments = arguments.to_owned();
        self.current.tool_calls.get_mut(index)?.arguments = arguments;
        self.current.finish = reply.finish.clone();
        Some(outcome)
    }

    fn has_schema(&self, call: &ToolCall) -> bool {
        self.wanted.tools.iter().any(|tool| tool.name == call.name && tool.schema.is_some())
    }

    fn arguments_fit(&self, index: usize, call: &ToolCall, arguments: &str) -> bool {
        let call = ToolCall { arguments: arguments.to_owned(), ..call.clone() };
        matches!(tools::look(&call, index, self.wanted, false), CallLook::Whole)
    }

    // Takes a whole call in the place of a broken one: of the same tool, or of any tool where the one
    // that was called does not exist.
    fn take_call(&mut self, index: usize, calls: &[ToolCall]) -> bool {
        let Some(broken) = self.current.tool_calls.get(index) else { return false };
        let exists = self.wanted.tools.is_empty()
            || self.wanted.tools.iter().any(|tool| tool.name == broken.name);
        let whole = calls.iter().find(|call| {
            (!exists || call.name == broken.name)
                && matches!(tools::look(call, index, self.wanted, false), CallLook::Whole)
        });
        let Some(whole) = whole.cloned() else { return false };
        let id = if broken.id.is_empty() { whole.id.clone() } else { broken.id.clone() };
        self.current.tool_calls[index] = ToolCall { id, ..whole };
        true
    }

    /// Asks for a correction of a wrong answer.
    pub(super) async fn rework(&mut self, fault: Fault) -> Next {
        let why = fault.line();
        if is_sent(self.sent, fault.part) {
            let why = format!("{why}; it was passed on before it was proven");
            return Next::End(HealState::Incomplete { code: IncompleteCode::AlreadySent, why });
        }
        if self.count(Purpose::Rework) >= self.caps.reworks {
            return Next::Retry(IncompleteCode::StillWrong, why);
        }
        let (turns, note) = prompt::rework(&self.current, &fault);
        self.note = Some(note);
        let limit = self.allowance(true).ok().flatten();
        let reply = match self.ask(Purpose::Rework, turns, true, limit).await {
            Ok(reply) => reply,
            Err(next) => return next,
        };
        let usage = reply.usage;
        let outcome = match fault.part {
            Part::Text => self.take_corrected_text(reply),
            Part::Tool(index) => self.take_corrected_call(index, reply),
        };
        self.step(Purpose::Rework, outcome, usage);
        Next::Judge
    }

    fn take_corrected_text(&mut self, reply: ModelReply) -> StepOutcome {
        if reply.text.trim().is_empty() && reply.tool_calls.is_empty() {
            return StepOutcome::Useless;
        }
        self.current = ModelReply { model: self.current.model.take(), ..reply };
        StepOutcome::Replaced
    }

    fn take_corrected_call(&mut self, index: usize, reply: ModelReply) -> StepOutcome {
        if self.take_call(index, &reply.tool_calls) {
            self.current.finish = Some(FinishReason::ToolCalls);
            return StepOutcome::Replaced;
        }
        let Some(broken) = self.current.tool_calls.get(index).cloned() else {
            return StepOutcome::Useless;
        };
        // Arguments written as text are arguments all the same, where a schema can tell.
        if reply.tool_calls.is_empty() {
            let text = reply.text.trim();
            if self.has_schema(&broken) && self.arguments_fit(index, &broken, text) {
                text.clone_into(&mut self.current.tool_calls[index].arguments);
                self.current.finish = Some(FinishReason::ToolCalls);
                return StepOutcome::Replaced;
            }
            return StepOutcome::Useless;
        }
        // The latest attempt is what the next note is about; the last of the calls may be cut.
        let last = index + 1 == self.current.tool_calls.len();
        let call = reply.tool_calls.into_iter().next_back().unwrap_or_default();
        self.current.tool_calls[index] = ToolCall { id: broken.id, ..call };
        self.current.finish = if last { reply.finish } else { Some(FinishReason::ToolCalls) };
        StepOutcome::Replaced
    }

    /// Raises the limit once for an answer that reasoning left no room for.
    pub(super) async fn raise(&mut self) -> Next {
        let code = IncompleteCode::ThinkingOnly;
        let why = "reasoning took the whole output, and no answer began".to_owned();
        if self.raised || self.count(Purpose::Resume) >= self.caps.resumes {
            return Next::End(HealState::Incomplete { code, why });
        }
        self.raised = true;
        let used = self.current.usage.map(|usage| usage.output_tokens).filter(|&used| used > 0);
        let limit = match self.wanted.output_limit {
            Some(limit) => Some(limit.saturating_mul(2).min(self.most(limit))),
            None => used.map(|used| used.saturating_mul(2)),
        };
        let reply = match self.ask(Purpose::Resume, Vec::new(), true, limit).await {
            Ok(reply) => reply,
            Err(Next::Judge) => return Next::End(HealState::Incomplete { code, why }),
            Err(next) => return next,
        };
        let usage = reply.usage;
        // Blanks that were passed on before the reasoning ended stay where they are.
        let sent = self.current.text.get(..self.sent.text).unwrap_or_default();
        let text = format!("{sent}{}", reply.text);
        self.current = ModelReply { model: self.current.model.take(), text, ..reply };
        self.step(Purpose::Resume, StepOutcome::Replaced, usage);
        Next::Judge
    }

    /// Starts from the beginning, where nothing that was sent stands in the way.
    pub(super) async fn retry(&mut self, code: IncompleteCode, why: String) -> Next {
        let calls = !self.current.tool_calls.is_empty();
        if self.sent.tool_calls > 0 || (self.sent.text > 0 && !calls) {
            let why = format!("{why}; what was passed on cannot be taken back");
            return Next::End(HealState::Incomplete { code, why });
        }
        if self.count(Purpose::Retry) >= self.caps.retries {
            return Next::End(HealState::Incomplete { code, why });
        }
        let reply = match self.ask(Purpose::Retry, Vec::new(), true, None).await {
            Ok(reply) => reply,
            Err(Next::Judge) => return Next::End(HealState::Incomplete { code, why }),
            Err(next) => return next,
        };
        let usage = reply.usage;
        let outcome = if self.sent.text == 0 {
            self.current = ModelReply { model: self.current.model.take(), ..reply };
            StepOutcome::Replaced
        } else if reply.tool_calls.is_empty() {
            StepOutcome::Useless
        } else {
            self.current.tool_calls = reply.tool_calls;
            self.current.finish = reply.finish;
            StepOutcome::Replaced
        };
        self.step(Purpose::Retry, outcome, usage);
        Next::Judge
    }
}

fn calls_whole<A: Asker>(ladder: &Ladder<'_, A>, reply: &ModelReply) -> bool {
    !reply.tool_calls.is_empty() && ladder.wanted.schema.is_none() && !ladder.wanted.json
}

// A sentence that is said to be the end, where the rest of a JSON value is wanted: inside a string
// it would pass for the rest of it.
fn is_talk(reply: &ModelReply) -> bool {
    reply.finish == Some(FinishReason::Stop)
        && !reply.text.contains(['"', '}', ']'])
        && is_sentence(&reply.text)
}

fn absent(index: usize, call: &ToolCall) -> Fault {
    Fault {
        part: Part::Tool(index),
        path: "$".to_owned(),
        expected: "the whole arguments".to_owned(),
        got: "their beginning".to_owned(),
        message: format!("the call of `{}` was cut off inside its arguments", call.name),
    }
}
