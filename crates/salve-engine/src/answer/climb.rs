//! What a ladder knows between two replies, and how it ends.
//!
//! In: verdicts, and the outcome of each reply. Out: the next stage. One set of caps: nothing
//! resets them. Never calls an answer whole that was not judged so, never takes back what was sent.

use super::completed::{
    Completed, Completion, IncompleteCode, LadderStep, PassedBecause, StepOutcome, Truncation,
    TruncationOutcome, count_of,
};
use super::judge::judge;
use super::ladder::Stage;
use super::rungs::Rung;
use super::tools::{self, CallLook};
use super::verdict::{AnswerCut, AnswerVerdict, WholeAnswer, WrongFinish};
use super::wanted::shared;
use super::{AlreadySent, AskError, Caps, Wanted};
use salve_model::{FollowUp, ModelReply, Purpose};
use salve_types::{FinishReason, TruncationKind, Usage};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The state of one ladder, without what it waits for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Climb {
    #[serde(with = "shared")]
    pub(super) wanted: Arc<Wanted>,
    pub(super) caps: Caps,
    pub(super) sent: AlreadySent,
    /// The answer as far as it came.
    pub(super) answer: ModelReply,
    pub(super) note: Option<String>,
    /// Whether the limit was raised for an answer that reasoning left no room for.
    pub(super) raised: bool,
    steps: Vec<LadderStep>,
    usage: Option<Usage>,
    raw: Vec<String>,
    // Tokens of the pieces the answer is made of, and of the piece that came last.
    answer_tokens: u64,
    piece_tokens: u64,
    // Calls in a row without a reply.
    failures: u32,
    truncations: Vec<Truncation>,
    changed: bool,
}

/// What a rung leads to.
pub(super) enum Next {
    /// This is asked for.
    Ask(Rung, FollowUp),
    /// The answer changed, or the rung may be tried again.
    Judge,
    /// The answer is whole.
    Whole(WholeAnswer),
    /// The model had nothing to add to an answer that nothing proves cut.
    Confirmed,
    /// This rung can do no more.
    Retry(IncompleteCode, String),
    /// Nothing can.
    End(Completion),
}

impl Next {
    pub(super) const fn incomplete(code: IncompleteCode, why: String) -> Self {
        Self::End(Completion::Incomplete { code, why })
    }
}

impl Climb {
    pub(super) fn new(
        first: ModelReply,
        wanted: Arc<Wanted>,
        caps: Caps,
        sent: AlreadySent,
    ) -> Self {
        Self {
            wanted,
            caps,
            sent,
            note: None,
            raised: false,
            steps: Vec::new(),
            usage: first.usage,
            raw: Vec::new(),
            answer_tokens: output_of(&first),
            piece_tokens: 0,
            failures: 0,
            truncations: Vec::new(),
            changed: false,
            answer: first,
        }
    }

    /// Counts the calls of a rung.
    pub(super) fn count(&self, purpose: Purpose) -> u32 {
        count_of(&self.steps, purpose)
    }

    /// Goes on until something is asked for or the ladder ends. Judging leads to a rung, and a rung
    /// never leads back to judging without a reply, which a cap has counted.
    pub(super) fn go_on(&mut self, mut next: Next) -> Stage {
        loop {
            next = match next {
                Next::Judge => {
                    let verdict = judge(&self.answer, &self.wanted);
                    self.decide(verdict)
                }
                Next::Retry(code, why) => self.retry(code, why),
                Next::Ask(rung, follow_up) => {
                    self.keep_first();
                    return Stage::Asking { follow_up, rung };
                }
                Next::Whole(answer) => return self.whole(answer),
                Next::Confirmed => return self.confirmed(),
                Next::End(state) => return self.end(state),
            };
        }
    }

    /// Says what follows from a verdict.
    pub(super) fn decide(&mut self, verdict: AnswerVerdict) -> Next {
        match verdict {
            AnswerVerdict::Whole(answer) => Next::Whole(answer),
            AnswerVerdict::AtOwnLimit => Next::End(Completion::Passed(PassedBecause::OwnLimit)),
            AnswerVerdict::Refused => Next::End(Completion::Passed(PassedBecause::Refused)),
            AnswerVerdict::ThinkingOnly => self.raise(),
            AnswerVerdict::Cut(cut) => {
                self.note_cut(&cut);
                self.resume(*cut)
            }
            AnswerVerdict::Malformed(fault) => self.rework(&fault),
        }
    }

    /// Ends an answer of which more was passed on than is now known to be true.
    pub(super) fn contradicted(&self) -> Next {
        let why = "the end of the stream contradicts what was passed on of it".to_owned();
        Next::incomplete(IncompleteCode::AlreadySent, why)
    }

    /// Notes that a reply came, whatever becomes of it.
    pub(super) fn note_reply(&mut self, reply: &ModelReply) {
        self.failures = 0;
        self.raw.push(reply.text.clone());
        self.piece_tokens = output_of(reply);
        self.usage = match (self.usage, reply.usage) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
    }

    /// Notes the outcome of the reply that was taken last.
    pub(super) fn step(&mut self, purpose: Purpose, outcome: StepOutcome, usage: Option<Usage>) {
        let before = match outcome {
            StepOutcome::Joined => Some(self.answer_tokens),
            StepOutcome::Replaced => Some(0),
            _ => None,
        };
        if let Some(before) = before {
            self.answer_tokens = before.saturating_add(self.piece_tokens);
            self.changed = true;
        }
        self.steps.push(LadderStep { purpose, outcome, usage });
    }

    /// Keeps the first text as it came, before anything is made of it.
    pub(super) fn keep_first(&mut self) {
        if self.raw.is_empty() {
            self.raw.push(self.answer.text.clone());
        }
    }

    /// Returns how many tokens the next piece may take: `None` means as many as the request says.
    /// An error means that the caller's own limit is used up.
    pub(super) fn allowance(&self, structured: bool) -> Result<Option<u64>, u64> {
        let Some(limit) = self.wanted.output_limit else { return Ok(None) };
        let allowed = if structured { self.most(limit) } else { limit };
        match allowed.saturating_sub(self.answer_tokens) {
            0 => Err(allowed),
            left if left < limit => Ok(Some(left)),
            _ => Ok(None),
        }
    }

    /// Returns how far a limit of the caller may be passed.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a limit of tokens is far below 2^52, and a factor below one is one"
    )]
    pub(super) fn most(&self, limit: u64) -> u64 {
        (limit as f64 * self.caps.continue_factor.max(1.0)) as u64
    }

    /// Says what follows from a call without a reply.
    pub(super) fn unanswered(&mut self, purpose: Purpose, rung: &Rung, error: AskError) -> Next {
        let why = error.to_string();
        match error {
            AskError::OverBudget(words) => {
                self.step(purpose, StepOutcome::OverBudget(words), None);
                Next::incomplete(IncompleteCode::OverBudget, why)
            }
            AskError::Failed(words) => {
                self.step(purpose, StepOutcome::Failed(words), None);
                self.failures += 1;
                // The caller has retried already; a second failure in a row is the answer.
                if self.failures >= 2 {
                    return Next::incomplete(IncompleteCode::AskerFailed, why);
                }
                rung.failed()
            }
        }
    }

    // A cut that was found again because an attempt gave nothing is the same cut.
    fn note_cut(&mut self, cut: &AnswerCut) {
        let taken = self.steps.last().is_some_and(|step| {
            matches!(step.outcome, StepOutcome::Joined | StepOutcome::Replaced)
        });
        if !self.truncations.is_empty() && !taken {
            return;
        }
        self.truncations.push(Truncation {
            kind: cut.verdict.kind.unwrap_or(TruncationKind::GeneralTruncation),
            model: self.answer.model.clone(),
            language: cut.verdict.language,
            outcome: TruncationOutcome::Incomplete,
        });
    }

    fn whole(&mut self, answer: WholeAnswer) -> Stage {
        if let Some(clean) = answer.clean.filter(|_| self.sent.text == 0) {
            self.keep_first();
            self.answer.text = clean;
            self.changed = true;
        }
        for index in answer.without_arguments {
            if let Some(call) = self.answer.tool_calls.get_mut(index) {
                "{}".clone_into(&mut call.arguments);
                self.changed = true;
            }
        }
        self.finish(Completion::Whole, TruncationOutcome::Healed, answer.wrong_finish)
    }

    fn confirmed(&mut self) -> Stage {
        let (said, proven) = (self.answer.finish.take(), FinishReason::Stop);
        let wrong =
            (said.as_ref() != Some(&proven)).then(|| WrongFinish { said, proven: proven.clone() });
        self.answer.finish = Some(proven);
        self.answer.lost = false;
        self.finish(Completion::Whole, TruncationOutcome::FalseAlarm, wrong)
    }

    // Arguments that are not whole are never passed on as if they were.
    fn end(&mut self, state: Completion) -> Stage {
        if matches!(state, Completion::Incomplete { .. }) {
            let before = self.answer.tool_calls.len();
            let (sent, wanted) = (self.sent.tool_calls, &self.wanted);
            let mut index = 0;
            self.answer.tool_calls.retain(|call| {
                let look = tools::look(call, index, wanted, false);
                index += 1;
                index <= sent || matches!(look, CallLook::Whole)
            });
            if self.answer.tool_calls.len() != before {
                self.changed = true;
                self.answer.finish = Some(FinishReason::Length);
            }
        }
        self.finish(state, TruncationOutcome::Incomplete, None)
    }

    fn finish(
        &mut self,
        state: Completion,
        outcome: TruncationOutcome,
        wrong_finish: Option<WrongFinish>,
    ) -> Stage {
        for truncation in &mut self.truncations {
            truncation.outcome = outcome;
        }
        let past = self.wanted.output_limit.filter(|&limit| {
            self.answer_tokens > limit && self.steps.iter().any(|step| step.usage.is_some())
        });
        if self.usage.is_some() {
            self.answer.usage = self.usage;
        }
        if let Some(wrong) = &wrong_finish {
            self.answer.finish = Some(wrong.proven.clone());
            self.changed = true;
        }
        Stage::Done(Box::new(Completed {
            continued_past_limit: past.map(|limit| (limit, self.answer_tokens)),
            usage: self.usage,
            reply: std::mem::take(&mut self.answer),
            state,
            steps: std::mem::take(&mut self.steps),
            raw: std::mem::take(&mut self.raw),
            wrong_finish,
            note: self.note.take(),
            truncations: std::mem::take(&mut self.truncations),
            changed: self.changed,
        }))
    }
}

// What a provider did not count is estimated: a token has about four bytes.
fn output_of(reply: &ModelReply) -> u64 {
    if let Some(usage) = reply.usage {
        return usage.output_tokens;
    }
    let arguments: usize = reply.tool_calls.iter().map(|call| call.arguments.len()).sum();
    let bytes = reply.text.len() + reply.thinking.len() + arguments;
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}
