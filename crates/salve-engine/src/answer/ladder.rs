//! The ladder: resume, rework, retry, and an honest end.
//!
//! In: an answer, what was wanted, who can be asked again, and how often. Out: the answer whole, or as
//! far as it came with the reason. One ladder, one set of caps: nothing resets them. Never closes or
//! fills in what is missing, never takes back what was sent, never asks beyond its caps.

use super::healed::{
    HealState, HealStep, Healed, IncompleteCode, PassedBecause, StepOutcome, Truncation,
    TruncationOutcome,
};
use super::judge::judge_answer;
use super::keep::Keep;
use super::prompt::follow_up;
use super::verdict::{AnswerCut, AnswerVerdict, Part, WholeAnswer};
use super::{AlreadySent, AskError, Asker, Caps, Wanted};
use salve_model::{ModelReply, Purpose, Turn};
use salve_types::{FinishReason, TruncationKind, Usage};

/// Heals one answer.
pub async fn heal_answer<A: Asker>(
    first: ModelReply,
    wanted: &Wanted,
    sent: AlreadySent,
    asker: &mut A,
    caps: &Caps,
) -> Healed {
    heal_answer_keeping(first, wanted, sent, asker, caps, &mut ()).await
}

/// As [`heal_answer`]; every piece is shown to `keep` before anything is made of it.
pub async fn heal_answer_keeping<A: Asker>(
    first: ModelReply,
    wanted: &Wanted,
    sent: AlreadySent,
    asker: &mut A,
    caps: &Caps,
    keep: &mut dyn Keep,
) -> Healed {
    keep.raw(Purpose::First, &first);
    let verdict = judge_answer(&first, wanted);
    Ladder::new(first, wanted, sent, asker, caps, keep).climb(verdict).await
}

/// As [`heal_answer`], for an answer that was judged while it arrived.
pub async fn heal_judged<A: Asker>(
    verdict: AnswerVerdict,
    first: ModelReply,
    wanted: &Wanted,
    sent: AlreadySent,
    asker: &mut A,
    caps: &Caps,
) -> Healed {
    Ladder::new(first, wanted, sent, asker, caps, &mut ()).climb(verdict).await
}

/// The state of one ladder.
pub(super) struct Ladder<'a, A> {
    pub(super) wanted: &'a Wanted,
    pub(super) sent: AlreadySent,
    pub(super) caps: &'a Caps,
    pub(super) current: ModelReply,
    pub(super) note: Option<String>,
    pub(super) raised: bool,
    asker: &'a mut A,
    keep: &'a mut dyn Keep,
    judge: fn(&ModelReply, &Wanted) -> AnswerVerdict,
    steps: Vec<HealStep>,
    usage: Option<Usage>,
    raw: Vec<String>,
    // Tokens of the pieces the answer is made of, and of the piece that came last.
    answer_tokens: u64,
    piece_tokens: u64,
    failures: u32,
    truncations: Vec<Truncation>,
    changed: bool,
}

/// What a rung leads to.
pub(super) enum Next {
    /// The answer changed, or the rung may be tried again.
    Judge,
    /// The model had nothing to add to an answer that nothing proves cut.
    Confirmed,
    /// This rung can do no more.
    Retry(IncompleteCode, String),
    /// Nothing can.
    End(HealState),
}

impl<'a, A: Asker> Ladder<'a, A> {
    pub(super) fn new(
        first: ModelReply,
        wanted: &'a Wanted,
        sent: AlreadySent,
        asker: &'a mut A,
        caps: &'a Caps,
        keep: &'a mut dyn Keep,
    ) -> Self {
        Self {
            wanted,
            sent,
            caps,
            asker,
            keep,
            judge: judge_answer,
            steps: Vec::new(),
            usage: first.usage,
            raw: Vec::new(),
            answer_tokens: output_of(&first),
            piece_tokens: 0,
            failures: 0,
            truncations: Vec::new(),
            changed: false,
            note: None,
            raised: false,
            current: first,
        }
    }

    /// Climbs until the answer is whole or nothing more can be done. Every turn of the loop makes a
    /// call that a cap counts, or ends.
    pub(super) async fn climb(mut self, first: AnswerVerdict) -> Healed {
        let mut verdict = first;
        loop {
            let next = match verdict {
                AnswerVerdict::Whole(answer) => return self.whole(answer),
                AnswerVerdict::AtOwnLimit => {
                    return self.end(HealState::Passed(PassedBecause::OwnLimit));
                }
                AnswerVerdict::Refused => {
                    return self.end(HealState::Passed(PassedBecause::Refused));
                }
                AnswerVerdict::ThinkingOnly => self.raise().await,
                AnswerVerdict::Cut(cut) => {
                    self.note_cut(&cut);
                    self.resume(*cut).await
                }
                AnswerVerdict::Malformed(fault) => self.rework(*fault).await,
            };
            let next = match next {
                Next::Retry(code, why) => self.retry(code, why).await,
                other => other,
            };
            match next {
                Next::Judge => verdict = (self.judge)(&self.current, self.wanted),
                Next::Confirmed => return self.confirmed(),
                Next::Retry(code, why) => return self.end(HealState::Incomplete { code, why }),
                Next::End(state) => return self.end(state),
            }
        }
    }

    /// Asks once. Without a reply, says what follows from that.
    pub(super) async fn ask(
        &mut self,
        purpose: Purpose,
        turns: Vec<Turn>,
        keep_tools: bool,
        limit: Option<u64>,
    ) -> Result<ModelReply, Next> {
        if self.raw.is_empty() {
            self.raw.push(self.current.text.clone());
        }
        let asked = self.asker.ask(&follow_up(purpose, turns, keep_tools, limit)).await;
        match asked {
            Ok(reply) => {
                self.keep.raw(purpose, &reply);
                self.failures = 0;
                self.raw.push(reply.text.clone());
                self.piece_tokens = output_of(&reply);
                self.usage = match (self.usage, reply.usage) {
                    (Some(one), Some(other)) => Some(one + other),
                    (one, other) => one.or(other),
                };
                Ok(reply)
            }
            Err(error) => Err(self.without_reply(purpose, error)),
        }
    }

    /// Notes what came of the reply that was asked for last.
    pub(super) fn step(&mut self, purpose: Purpose, outcome: StepOutcome, usage: Option<Usage>) {
        let before = match outcome {
            StepOutcome::Joined => Some(self.answer_tokens),
            StepOutcome::Replaced => Some(0),
            _ => None,
        };
        if let Some(before) = before {
            self.answer_tokens = before.saturating_add(self.piece_tokens);
            self.changed = true;
            self.keep.partial(&self.current);
        }
        self.steps.push(HealStep { purpose, outcome, usage });
    }

    /// Counts the calls of a rung.
    pub(super) fn count(&self, purpose: Purpose) -> u32 {
        let steps = self.steps.iter().filter(|step| step.purpose == purpose).count();
        u32::try_from(steps).unwrap_or(u32::MAX)
    }

    /// Returns how many tokens the next piece may take: nothing means as many as the request says.
    /// An error means that the asker's own limit is used up.
    pub(super) fn allowance(&self, structured: bool) -> Result<Option<u64>, u64> {
        let Some(limit) = self.wanted.output_limit else { return Ok(None) };
        let allowed = if structured { self.most(limit) } else { limit };
        match allowed.saturating_sub(self.answer_tokens) {
            0 => Err(allowed),
            left if left < limit => Ok(Some(left)),
            _ => Ok(None),
        }
    }

    /// Returns how far a limit of the asker may be passed.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a limit of tokens is far below 2^52, and a factor below one is one"
    )]
    pub(super) fn most(&self, limit: u64) -> u64 {
        (limit as f64 * self.caps.continue_factor.max(1.0)) as u64
    }

    fn without_reply(&mut self, purpose: Purpose, error: AskError) -> Next {
        let why = error.to_string();
        match error {
            AskError::OverBudget(words) => {
                self.step(purpose, StepOutcome::OverBudget(words), None);
                Next::End(HealState::Incomplete { code: IncompleteCode::OverBudget, why })
            }
            AskError::Gone => {
                self.step(purpose, StepOutcome::Gone, None);
                Next::End(HealState::Incomplete { code: IncompleteCode::Gone, why })
            }
            AskError::Failed(words) => {
                self.step(purpose, StepOutcome::Failed(words), None);
                self.failures += 1;
                // Whoever answers has retried already; a second failure in a row is the answer.
                if self.failures >= 2 {
                    let code = IncompleteCode::AskerFailed;
                    return Next::End(HealState::Incomplete { code, why });
                }
                Next::Judge
            }
        }
    }

    // A cut that was found again because nothing came of an attempt is the same cut.
    fn note_cut(&mut self, cut: &AnswerCut) {
        let taken = self.steps.last().is_some_and(|step| {
            matches!(step.outcome, StepOutcome::Joined | StepOutcome::Replaced)
        });
        if !self.truncations.is_empty() && !taken {
            return;
        }
        self.truncations.push(Truncation {
            kind: cut.verdict.kind.unwrap_or(TruncationKind::GeneralTruncation),
            model: self.current.model.clone(),
            language: cut.verdict.language,
            outcome: TruncationOutcome::Incomplete,
        });
    }

    fn whole(mut self, answer: WholeAnswer) -> Healed {
        if let Some(clean) = answer.clean.filter(|_| self.sent.text == 0) {
            if self.raw.is_empty() {
                self.raw.push(self.current.text.clone());
            }
            self.current.text = clean;
            self.changed = true;
        }
        for index in answer.without_arguments {
            if let Some(call) = self.current.tool_calls.get_mut(index) {
                "{}".clone_into(&mut call.arguments);
                self.changed = true;
            }
        }
        let mut healed = self.into_healed(HealState::Whole, TruncationOutcome::Healed);
        if let Some(wrong) = answer.wrong_finish {
            healed.reply.finish = Some(wrong.proven.clone());
            healed.wrong_finish = Some(wrong);
            healed.changed = true;
        }
        healed
    }

    fn confirmed(mut self) -> Healed {
        let said = self.current.finish.replace(FinishReason::Stop);
        let mut healed = self.into_healed(HealState::Whole, TruncationOutcome::FalseAlarm);
        if said != Some(FinishReason::Stop) {
            let proven = FinishReason::Stop;
            healed.wrong_finish = Some(super::verdict::WrongFinish { said, proven });
            healed.changed = true;
        }
        healed
    }

    // Arguments that are not whole are never passed on as if they were.
    fn end(mut self, state: HealState) -> Healed {
        if matches!(state, HealState::Incomplete { .. }) {
            let before = self.current.tool_calls.len();
            let calls = std::mem::take(&mut self.current.tool_calls);
            let sent = self.sent.tool_calls;
            let wanted = self.wanted;
            let mut index = 0;
            self.current.tool_calls = calls;
            self.current.tool_calls.retain(|call| {
                let look = super::tools::look(call, index, wanted, false);
                index += 1;
                index <= sent || matches!(look, super::tools::CallLook::Whole)
            });
            if self.current.tool_calls.len() != before {
                self.changed = true;
                self.current.finish = Some(FinishReason::Length);
            }
        }
        self.into_healed(state, TruncationOutcome::Incomplete)
    }

    fn into_healed(mut self, state: HealState, outcome: TruncationOutcome) -> Healed {
        if state == HealState::Whole {
            self.keep.result(&self.current);
        }
        for truncation in &mut self.truncations {
            truncation.outcome = outcome;
        }
        let past = self.wanted.output_limit.filter(|&limit| {
            self.answer_tokens > limit && self.steps.iter().any(|step| step.usage.is_some())
        });
        if self.usage.is_some() {
            self.current.usage = self.usage;
        }
        Healed {
            continued_past_limit: past.map(|limit| (limit, self.answer_tokens)),
            usage: self.usage,
            reply: self.current,
            state,
            steps: self.steps,
            raw: self.raw,
            wrong_finish: None,
            note: self.note,
            truncations: self.truncations,
            changed: self.changed,
        }
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

/// Returns whether a part was passed on already, so that it can only grow.
pub(super) fn is_sent(sent: AlreadySent, part: Part) -> bool {
    match part {
        Part::Text => sent.text > 0,
        Part::Tool(index) => index < sent.tool_calls,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_model::FollowUp;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    struct Rest;

    impl Asker for Rest {
        async fn ask(&mut self, _: &FollowUp) -> Result<ModelReply, AskError> {
            Ok(ModelReply { text: "e}".into(), ..ModelReply::default() })
        }
    }

    struct Kept<'a>(&'a mut Vec<String>);

    impl Keep for Kept<'_> {
        fn raw(&mut self, _: Purpose, reply: &ModelReply) {
            self.0.push(reply.text.clone());
        }
    }

    #[test]
    fn c011_a_crash_in_the_parser_leaves_the_raw_text_retrievable() {
        let mut texts = Vec::new();
        let crash = catch_unwind(AssertUnwindSafe(|| {
            let (wanted, caps) = (Wanted { json: true, ..Wanted::default() }, Caps::default());
            let first = ModelReply { text: "{\"a\": tru".into(), ..ModelReply::default() };
            let verdict = judge_answer(&first, &wanted);
            let (mut asker, mut kept) = (Rest, Kept(&mut texts));
            let sent = AlreadySent::default();
            let mut ladder = Ladder::new(first, &wanted, sent, &mut asker, &caps, &mut kept);
            ladder.judge = |_, _| panic!("injected");
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(ladder.climb(verdict))
        }));
        assert!(crash.is_err());
        assert_eq!(texts, ["e}"]);
    }
}
