//! The flow `Heal@1`: check, fix, verify, apply, each a step that survives a crash.
//!
//! In: a [`HealInput`]. Out: a [`HealReport`]. The loop itself is `salve_engine::heal`, a plain value on this
//! disk; a history holds its hash. A model's answer is a child, `Generate@1`, so that it is paid once,
//! continued when it is cut, and found again after a crash. Never a text of the user in a history.

mod steps;

pub use steps::{HealHost, HealSteps};

use super::generate::{GenerateInput, GenerateOutput};
use super::{GENERATE_FLOW, JobStatus, RESUME_SIGNAL};
use crate::heal::{HealInput, HealReport, StateId};
use salve_jobs::{FlowCtx, FlowError, FlowName, JobError, Json, Retry, StepError, StepName};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use steps::{ANSWER, BEGIN, CLEAR, FINISH, PROMPT, RESUME, WORK};

/// The stage under which the loop says what happened; its detail is a list of events.
pub const HEAL_STAGE: &str = "healing";

/// Where a heal is, as a history holds it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Turn {
    pub(super) state: StateId,
    pub(super) next: Next,
    /// What happened, for the caller that watches.
    pub(super) events: Vec<Json>,
}

/// What a flow does next.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Next {
    /// A step of the loop that asks no model.
    Work,
    /// A model is asked, for the attempt of this number.
    Ask(u32),
    /// The loop is over.
    Finish,
    /// It is interrupted, and goes on when it is told to.
    Paused(Box<HealReport>),
    /// Everything is done.
    Ended(Box<HealReport>),
}

/// What every step is given.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct At {
    pub(super) input: HealInput,
    pub(super) state: Option<StateId>,
}

/// What a heal that was interrupted is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Resumed {
    pub(super) at: At,
    pub(super) with: HealResume,
}

/// What the signal to go on may carry. Nothing of it: with the limits there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HealResume {
    /// The tokens that all calls together may take, when that is more than before.
    #[serde(default)]
    pub tokens: Option<u64>,
}

/// What a model's answer came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) at: At,
    pub(super) answer: Answer,
}

/// A model's answer, or why there is none.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// It ended; whether it is whole is in it.
    Ended(Box<GenerateOutput>),
    /// No provider answered, or it did not fit the budget.
    Failed { message: String, over_budget: bool },
}

/// Heals. This is the code of the flow: deterministic, and replayed.
///
/// # Errors
/// When a toolchain is missing, or a file cannot be read or written.
pub(super) async fn run_heal(context: Arc<dyn FlowCtx>, input: Json) -> Result<Json, FlowError> {
    let input: HealInput = serde_json::from_value(input)
        .map_err(|error| FlowError::new(format!("the input is not one of Heal: {error}")))?;
    let run = Run { context: &*context, input };
    let mut turn: Turn = run.step(BEGIN, &run.at(None)).await?;
    loop {
        if !turn.events.is_empty() {
            context.stage(HEAL_STAGE, Json::Array(std::mem::take(&mut turn.events)));
        }
        let at = run.at(Some(turn.state.clone()));
        turn = match turn.next {
            Next::Work => run.step(WORK, &at).await?,
            Next::Ask(number) => {
                let answer = run.ask(&at, number, &turn.state).await?;
                run.step(ANSWER, &Asked { at, answer }).await?
            }
            Next::Finish => run.step(FINISH, &at).await?,
            Next::Paused(report) => {
                let report = serde_json::to_value(report)
                    .map_err(|error| FlowError::new(error.to_string()))?;
                context.stage(JobStatus::Paused.name(), report);
                let told = context.wait_signal(RESUME_SIGNAL, None).await;
                context.stage(HEAL_STAGE, serde_json::json!([{ "event": "resumed" }]));
                // A word without limits is `salve jobs resume`.
                let with = told.and_then(|told| serde_json::from_value(told).ok());
                run.step(RESUME, &Resumed { at, with: with.unwrap_or_default() }).await?
            }
            Next::Ended(report) => {
                // The report is in the history by now: a crash before that finds the state as it was.
                run.step::<_, ()>(CLEAR, &at).await?;
                return serde_json::to_value(report)
                    .map_err(|error| FlowError::new(error.to_string()));
            }
        };
    }
}

struct Run<'a> {
    context: &'a dyn FlowCtx,
    input: HealInput,
}

impl Run<'_> {
    fn at(&self, state: Option<StateId>) -> At {
        At { input: self.input.clone(), state }
    }

    async fn ask(&self, at: &At, number: u32, state: &StateId) -> Result<Answer, FlowError> {
        let asked: GenerateInput = self.step(PROMPT, at).await?;
        let input =
            serde_json::to_value(asked).map_err(|error| FlowError::new(error.to_string()))?;
        let flow = FlowName::try_from(GENERATE_FLOW.to_owned())
            .map_err(|error| FlowError::new(error.to_string()))?;
        // The state's number keeps the name of one attempt apart from that of the same attempt after the
        // files changed and everything began again.
        let name = format!("ask-{number}-{}", state.step);
        Ok(match self.context.child(&flow, &name, input).await {
            Ok(output) => match serde_json::from_value(output) {
                Ok(output) => Answer::Ended(Box::new(output)),
                Err(error) => Answer::Failed { message: error.to_string(), over_budget: false },
            },
            Err(error) => {
                let over_budget = matches!(error, JobError::OverBudget { .. });
                Answer::Failed { over_budget, message: error.to_string() }
            }
        })
    }

    async fn step<I, T>(&self, name: &str, input: &I) -> Result<T, StepError>
    where
        I: Serialize,
        T: DeserializeOwned,
    {
        let fatal = |error: &dyn std::fmt::Display| StepError::fatal(error.to_string());
        let name = StepName::new(name).map_err(|error| fatal(&error))?;
        let input = serde_json::to_value(input).map_err(|error| fatal(&error))?;
        // What passes by itself: a store that is away, a heal of the same workspace that is not over.
        let retry = Retry { attempts: 60, ..Retry::default() };
        let output = self.context.step(&name, input, retry).await?;
        serde_json::from_value(output).map_err(|error| fatal(&error))
    }
}

impl Answer {
    /// Returns what it took: tokens, and millionths of a dollar.
    pub(super) fn spent(&self) -> (u64, u64) {
        match self {
            Self::Ended(output) => (output.progress.tokens, output.progress.micro_dollars),
            Self::Failed { .. } => (0, 0),
        }
    }

    /// Returns whether it was not begun because a budget is used up. An answer that was begun and whose
    /// rest does not fit the attempt's own tokens costs that attempt, and no more.
    pub(super) fn is_over_budget(&self) -> bool {
        matches!(self, Self::Failed { over_budget: true, .. })
    }
}
