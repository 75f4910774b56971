//! The ladder over all answers of a reply, and the report of it.
//!
//! In: the answers as they arrived, with their verdicts and what of them was sent. Out: the answers
//! after the ladder, what each may be passed on as, and one report. Never asks in parallel: one
//! reply takes one call at a time.

use super::asker::UpstreamAsker;
use super::report::{HealReport, HealVerdict, LimitPassed};
use super::session::ArrivedAnswer;
use super::{Exchange, Upstream};
use salve_engine::answer::{
    AnswerVerdict, Completed, Completion, IncompleteCode, Ladder, LadderAction, PassedBecause,
    StepOutcome, Wanted,
};
use salve_model::{ModelReply, Purpose};
use salve_types::{FinishReason, Usage};
use serde_json::Value;
use std::sync::Arc;

/// All answers of a reply after the ladder.
pub(super) struct Climbed {
    pub(super) answers: Vec<ClimbedAnswer>,
    pub(super) report: HealReport,
    /// The last whole body that a follow-up brought.
    pub(super) envelope: Option<Value>,
}

/// One answer after the ladder.
pub(super) struct ClimbedAnswer {
    pub(super) completed: Completed,
    pub(super) passed: PassedAs,
    /// What had arrived, where it is withheld.
    pub(super) partial: Option<ModelReply>,
}

/// As what an answer is passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PassedAs {
    /// As it came.
    Itself,
    /// With changes; whole.
    Healed,
    /// As far as it came, and marked as cut.
    Cut,
    /// Not at all: it could not be proven, and half of it is of no use or dangerous.
    Withheld {
        /// Why, for the client.
        why: String,
    },
}

impl Climbed {
    /// Returns whether every answer passes as it came.
    pub(super) fn is_untouched(&self) -> bool {
        self.answers.iter().all(|answer| answer.passed == PassedAs::Itself)
    }

    /// Returns why nothing, or not all, can be passed on.
    pub(super) fn withheld(&self) -> Option<(&str, &ClimbedAnswer)> {
        self.answers.iter().find_map(|answer| match &answer.passed {
            PassedAs::Withheld { why } => Some((why.as_str(), answer)),
            _ => None,
        })
    }
}

/// Heals every answer of a reply.
pub(super) async fn climb<U: Upstream>(
    exchange: &Exchange<U>,
    wanted: Wanted,
    arrived: Vec<ArrivedAnswer>,
) -> Climbed {
    let wanted = Arc::new(wanted);
    let mut asker = UpstreamAsker::new(exchange);
    let mut answers = Vec::new();
    for ArrivedAnswer { reply, verdict, sent } in arrived {
        let troubled = !matches!(verdict, AnswerVerdict::Whole(_));
        let first = troubled.then(|| reply.clone());
        let caps = exchange.policy.caps;
        let mut ladder = Ladder::judged(verdict, reply, wanted.clone(), caps, sent);
        let completed = loop {
            match ladder.next() {
                LadderAction::Ask(follow_up) => ladder.take(asker.ask(&follow_up).await),
                LadderAction::Done(completed) => break *completed,
            }
        };
        let passed = passed_as(&completed, first.as_ref(), &wanted);
        answers.push(ClimbedAnswer { completed, passed, partial: first });
    }
    let report = report_of(&answers, asker.calls() + 1);
    Climbed { answers, report, envelope: asker.into_envelope() }
}

/// Gives up answers that are not to be judged: what was sent of a text is marked as cut, and anything
/// else is withheld.
pub(super) fn given_up(arrived: Vec<ArrivedAnswer>, why: &str) -> Climbed {
    let one = |ArrivedAnswer { reply, sent, .. }: ArrivedAnswer| {
        let state =
            Completion::Incomplete { code: IncompleteCode::LimitReached, why: why.to_owned() };
        let completed = Completed {
            usage: reply.usage,
            reply: ModelReply { finish: Some(FinishReason::Length), ..ModelReply::default() },
            state,
            steps: Vec::new(),
            raw: Vec::new(),
            continued_past_limit: None,
            wrong_finish: None,
            note: None,
            truncations: Vec::new(),
            changed: true,
        };
        let cut = sent.text > 0 && reply.tool_calls.len() <= sent.tool_calls;
        let passed = match cut {
            true => PassedAs::Cut,
            false => PassedAs::Withheld { why: why.to_owned() },
        };
        ClimbedAnswer { completed, passed, partial: None }
    };
    let answers: Vec<ClimbedAnswer> = arrived.into_iter().map(one).collect();
    let report = report_of(&answers, 1);
    Climbed { answers, report, envelope: None }
}

fn passed_as(completed: &Completed, first: Option<&ModelReply>, wanted: &Wanted) -> PassedAs {
    let Completion::Incomplete { .. } = &completed.state else {
        let untouched = !completed.changed && completed.steps.is_empty();
        return if untouched { PassedAs::Itself } else { PassedAs::Healed };
    };
    let lost = first.filter(|first| {
        wanted.is_json()
            || first.tool_calls.len() > completed.reply.tool_calls.len()
            || nothing_arrived(first) && first.finish == Some(FinishReason::Disconnect)
    });
    match lost {
        Some(_) => PassedAs::Withheld { why: why(completed).unwrap_or_default() },
        // Nothing was asked and nothing changed: the upstream's own words say that it is cut.
        None if first.is_some_and(|first| as_it_came(completed, first)) => PassedAs::Itself,
        None => PassedAs::Cut,
    }
}

fn nothing_arrived(reply: &ModelReply) -> bool {
    reply.text.is_empty() && reply.thinking.is_empty() && reply.tool_calls.is_empty()
}

fn as_it_came(completed: &Completed, first: &ModelReply) -> bool {
    completed.steps.is_empty() && !completed.changed && first.finish == Some(FinishReason::Length)
}

/// Adds up what was done.
fn report_of(answers: &[ClimbedAnswer], calls: u32) -> HealReport {
    let count = |purpose| answers.iter().map(|answer| answer.completed.count(purpose)).sum();
    let incomplete = answers.iter().any(|answer| !answer.completed.is_good());
    let untouched = answers.iter().all(|answer| answer.passed == PassedAs::Itself);
    let usages = answers.iter().filter_map(|answer| answer.completed.usage);
    let limits = answers.iter().filter_map(|answer| answer.completed.continued_past_limit);
    HealReport {
        verdict: match (incomplete, untouched) {
            (true, _) => HealVerdict::Incomplete,
            (false, true) => HealVerdict::Whole,
            (false, false) => HealVerdict::Healed,
        },
        resumes: count(Purpose::Resume),
        reworks: count(Purpose::Rework),
        retries: count(Purpose::Retry),
        limit: limits
            .map(|(client, continued)| LimitPassed { client, continued })
            .max_by_key(|limit| limit.continued),
        usage: usages.reduce(|sum: Usage, usage| sum + usage),
        why: answers.iter().find_map(|answer| why(&answer.completed)),
        calls,
        truncations: answers
            .iter()
            .flat_map(|answer| answer.completed.truncations.clone())
            .collect(),
    }
}

fn why(completed: &Completed) -> Option<String> {
    match &completed.state {
        Completion::Incomplete { code, why } => {
            let failure = completed.steps.iter().rev().find_map(|step| match &step.outcome {
                // The words of a provider are said once.
                StepOutcome::Failed(words) => Some(words).filter(|words| !why.contains(*words)),
                _ => None,
            });
            let asked = failure.map(|words| format!("; asked again: {words}")).unwrap_or_default();
            return Some(format!("{}: {why}{asked}", code.name()));
        }
        Completion::Passed(PassedBecause::OwnLimit) => {
            return Some("the text ends at the client's own limit".to_owned());
        }
        Completion::Passed(PassedBecause::Refused) => {
            return Some("a filter or a refusal ended the answer".to_owned());
        }
        _ => {}
    }
    if let Some(truncation) = completed.truncations.first() {
        return Some(format!("the answer was cut: {}", truncation.kind.name()));
    }
    if let Some(note) = &completed.note {
        return Some(note.clone());
    }
    let wrong = completed.wrong_finish.as_ref()?;
    let said = wrong.said.as_ref().map_or("nothing", |said| said.name());
    Some(format!("the finish reason was {said}, the bytes prove {}", wrong.proven.name()))
}

/// Reports on a reply that passes as it came because the mode is to observe.
pub(super) fn observed(answers: &[ArrivedAnswer]) -> HealReport {
    let usages = answers.iter().filter_map(|answer| answer.reply.usage);
    HealReport {
        verdict: HealVerdict::Observed,
        resumes: 0,
        reworks: 0,
        retries: 0,
        limit: None,
        usage: usages.reduce(|sum: Usage, usage| sum + usage),
        why: answers.iter().find_map(|answer| would_heal(&answer.verdict)),
        calls: 1,
        truncations: Vec::new(),
    }
}

fn would_heal(verdict: &AnswerVerdict) -> Option<String> {
    match verdict {
        AnswerVerdict::Whole(answer) => {
            let wrong = answer.wrong_finish.as_ref()?;
            let said = wrong.said.as_ref().map_or("nothing", |said| said.name());
            Some(format!("the finish reason was {said}, the bytes prove {}", wrong.proven.name()))
        }
        AnswerVerdict::Cut(cut) => Some(format!(
            "the answer is cut: {}",
            cut.verdict.error_message.as_deref().unwrap_or("it has no end")
        )),
        AnswerVerdict::Malformed(fault) => Some(fault.line()),
        AnswerVerdict::ThinkingOnly => Some("reasoning took the whole output".to_owned()),
        AnswerVerdict::AtOwnLimit => Some("the text ends at the client's own limit".to_owned()),
        AnswerVerdict::Refused => Some("a filter or a refusal ended the answer".to_owned()),
        _ => None,
    }
}
