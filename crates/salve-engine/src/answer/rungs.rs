//! The rungs: what is asked for about an answer that is not whole.
//!
//! In: what is wrong. Out: the follow-up and what its reply is to be taken for, or the reason why
//! nothing can be asked. Never asks beyond a cap, beyond the caller's own limit, or for anew what was
//! sent already.

use super::AlreadySent;
use super::climb::{Climb, Next};
use super::completed::{Completion, IncompleteCode, PassedBecause};
use super::judge::lost_calls;
use super::prompt::{self, follow_up};
use super::verdict::{AnswerCut, Fault, FaultKind, Part};
use salve_model::{Purpose, ToolCall};
use serde::{Deserialize, Serialize};

/// What a reply is taken for, with what must be known for that.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Rung {
    /// The rest of the text.
    RestOfText { cut: Box<AnswerCut>, why: String },
    /// The rest of the arguments of a call.
    RestOfArguments { cut: Box<AnswerCut>, index: usize, why: String },
    /// The calls from this one on, after a frame that could not be read.
    RestOfCalls { from: usize },
    /// This part, corrected.
    Correction(Part),
    /// The answer, after a raised limit left room for it.
    Raised,
    /// The answer from the beginning; the reason is for the end, if it does not help.
    Fresh { code: IncompleteCode, why: String },
}

impl Rung {
    /// Says what follows when there was no reply, and one more call may go well.
    pub(super) fn failed(&self) -> Next {
        match self {
            Self::Raised => thinking_only(),
            Self::Fresh { code, why } => Next::incomplete(*code, why.clone()),
            _ => Next::Judge,
        }
    }
}

impl Climb {
    /// Asks for the rest of a cut answer.
    pub(super) fn resume(&mut self, mut cut: AnswerCut) -> Next {
        let why = cut.verdict.error_message.clone().unwrap_or_else(|| "the answer is cut".into());
        if self.count(Purpose::Resume) >= self.caps.resumes {
            return Next::Retry(IncompleteCode::StillCut, why);
        }
        if lost_calls(&self.answer) {
            return self.resume_calls();
        }
        if let Some(clean) = cut.clean.take().filter(|_| self.sent.text == 0) {
            self.keep_first();
            self.answer.text = clean;
        }
        let limit = match self.allowance(cut.structured) {
            Ok(limit) => limit,
            Err(_) if !cut.structured => {
                return Next::End(Completion::Passed(PassedBecause::OwnLimit));
            }
            Err(most) => {
                let why = format!(
                    "{why}; the output limit and what may be added, {most} tokens, is used up"
                );
                return Next::incomplete(IncompleteCode::LimitReached, why);
            }
        };
        match cut.part {
            Part::Text => self.resume_text(cut, why, limit),
            Part::Tool(index) => self.resume_arguments(cut, index, why, limit),
        }
    }

    fn resume_text(&self, cut: AnswerCut, why: String, limit: Option<u64>) -> Next {
        // A call that was passed on cannot be told from the same call in a continuation.
        if self.answer.text.trim().is_empty() || self.sent.tool_calls > 0 {
            return Next::Retry(IncompleteCode::StillCut, why);
        }
        let attempt = self.count(Purpose::Resume);
        let finish = self.answer.finish.as_ref();
        let turns = prompt::resume_text(&self.answer.text, &cut, finish, attempt);
        // A provider that enforces the schema cannot write the rest of a value.
        let keep_tools = !self.wanted.is_json();
        let asked = follow_up(Purpose::Resume, turns, keep_tools, limit);
        Next::Ask(Rung::RestOfText { cut: kept(cut), why }, asked)
    }

    fn resume_arguments(
        &mut self,
        cut: AnswerCut,
        index: usize,
        why: String,
        limit: Option<u64>,
    ) -> Next {
        let call = self.answer.tool_calls.get(index).cloned().unwrap_or_default();
        // Nothing to go on from: the call is asked for again as a whole.
        if call.arguments.trim().is_empty() {
            return self.rework(&absent(index, &call));
        }
        let attempt = self.count(Purpose::Resume);
        let finish = self.answer.finish.as_ref();
        let turns = prompt::resume_arguments(&call.name, &call.arguments, &cut, finish, attempt);
        let asked = follow_up(Purpose::Resume, turns, false, limit);
        Next::Ask(Rung::RestOfArguments { cut: kept(cut), index, why }, asked)
    }

    // What was passed on stays; everything else of the answer is made again, for only the model's own
    // end of its calls says that there are no more of them.
    fn resume_calls(&self) -> Next {
        let from = self.sent.tool_calls.min(self.answer.tool_calls.len());
        let turns = match from {
            0 => Vec::new(),
            _ => prompt::resume_calls(&self.answer, from),
        };
        Next::Ask(Rung::RestOfCalls { from }, follow_up(Purpose::Resume, turns, true, None))
    }

    /// Asks for a correction of a wrong answer.
    pub(super) fn rework(&mut self, fault: &Fault) -> Next {
        let why = fault.line();
        if is_sent(self.sent, fault.part) {
            let why = format!("{why}; it was passed on before it was proven");
            return Next::incomplete(IncompleteCode::AlreadySent, why);
        }
        if self.count(Purpose::Rework) >= self.caps.reworks {
            return Next::Retry(IncompleteCode::StillWrong, why);
        }
        let (turns, note) = prompt::rework(&self.answer, fault);
        self.note = Some(note);
        let limit = self.allowance(true).ok().flatten();
        let asked = follow_up(Purpose::Rework, turns, true, limit);
        Next::Ask(Rung::Correction(fault.part), asked)
    }

    /// Raises the limit once for an answer that reasoning left no room for.
    pub(super) fn raise(&mut self) -> Next {
        if self.raised || self.count(Purpose::Resume) >= self.caps.resumes {
            return thinking_only();
        }
        self.raised = true;
        let used = self.answer.usage.map(|usage| usage.output_tokens).filter(|&used| used > 0);
        let limit = match self.wanted.output_limit {
            Some(limit) => Some(limit.saturating_mul(2).min(self.most(limit))),
            None => used.map(|used| used.saturating_mul(2)),
        };
        Next::Ask(Rung::Raised, follow_up(Purpose::Resume, Vec::new(), true, limit))
    }

    /// Starts from the beginning, where nothing that was sent is in the way.
    pub(super) fn retry(&self, code: IncompleteCode, why: String) -> Next {
        let calls = !self.answer.tool_calls.is_empty();
        if self.sent.tool_calls > 0 || (self.sent.text > 0 && !calls) {
            let why = format!("{why}; what was passed on cannot be taken back");
            return Next::incomplete(code, why);
        }
        if self.count(Purpose::Retry) >= self.caps.retries {
            return Next::incomplete(code, why);
        }
        let asked = follow_up(Purpose::Retry, Vec::new(), true, None);
        Next::Ask(Rung::Fresh { code, why }, asked)
    }
}

/// Makes the fault of a call that has only a beginning.
pub(super) fn absent(index: usize, call: &ToolCall) -> Fault {
    Fault {
        kind: FaultKind::Unfinished,
        part: Part::Tool(index),
        path: "$".to_owned(),
        expected: "the whole arguments".to_owned(),
        got: "their beginning".to_owned(),
        message: format!("the call of `{}` was cut off inside its arguments", call.name),
    }
}

fn thinking_only() -> Next {
    let why = "reasoning took the whole output, and no answer began".to_owned();
    Next::incomplete(IncompleteCode::ThinkingOnly, why)
}

// The seam needs what is open; the evidence has done its work.
fn kept(mut cut: AnswerCut) -> Box<AnswerCut> {
    cut.verdict.evidence.clear();
    Box::new(cut)
}

// Whether a part was passed on already, so that it can only grow.
fn is_sent(sent: AlreadySent, part: Part) -> bool {
    match part {
        Part::Text => sent.text > 0,
        Part::Tool(index) => index < sent.tool_calls,
    }
}
