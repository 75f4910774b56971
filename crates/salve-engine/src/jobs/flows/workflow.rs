//! The flow `Flow@1`: a workflow, each block a step that survives a crash.
//!
//! In: a [`FlowInput`]. Out: a [`FlowReport`]. The workflow itself is `salve_engine::workflow`, a plain value on this
//! disk; a history holds its hash. A generator's answer is a child, `Generate@1`, a heal is a child, `Heal@1`, and work
//! in parts is a child, `Plan@1`, so that each is paid once and found again after a crash. Never a text of the user in a
//! history.

mod in_parts;
mod steps;

pub use steps::FlowSteps;

use super::generate::{GenerateInput, GenerateOutput};
use super::{GENERATE_FLOW, HEAL_FLOW, PLAN_FLOW};
use crate::heal::{HealInput, HealReport, StateId};
use crate::plan::{PlanInput, PlanReport};
use crate::workflow::{FlowInput, FlowReport};
use in_parts::{SPLIT, SPLIT_ASK, SPLIT_DONE};
use salve_jobs::{FlowCtx, FlowError, FlowName, JobError, Json, Retry, StepError, StepName};
use salve_types::Spend;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use steps::{ANSWER, BEGIN, CLEAR, FINISH, HEAL, HEALED, PROMPT, WORK};

/// The stage under which a workflow says which block begins and how each ended.
pub const FLOW_STAGE: &str = "flowing";

/// Where a workflow is, as a history holds it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Here {
    pub(super) state: StateId,
    pub(super) next: Next,
    /// How blocks ended since, for the caller that watches.
    pub(super) events: Vec<Json>,
}

/// What the flow does next.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Next {
    /// A block that asks no model.
    Work,
    /// A block that asks one, as the run of this number.
    Ask(u32),
    /// A block that heals.
    Heal,
    /// A block that works in parts, as the run of this number.
    Split(u32),
    /// The workflow is over.
    Finish,
    /// Everything is done.
    Ended(Box<FlowReport>),
}

/// What every step is given.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct At {
    pub(super) input: FlowInput,
    pub(super) state: Option<StateId>,
}

/// What a model's answer came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) at: At,
    pub(super) answer: Result<Box<GenerateOutput>, NoAnswer>,
}

/// Why there is no answer.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct NoAnswer {
    /// In words; nothing where nobody was asked.
    pub(super) message: String,
    pub(super) over_budget: bool,
}

/// A request that was split, or why it was not.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Split {
    pub(super) plan: Result<Box<PlanInput>, NoAnswer>,
    /// What it took to split it.
    pub(super) spent: Spend,
}

/// What work in parts came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct InParts {
    pub(super) at: At,
    pub(super) report: Result<Box<PlanReport>, NoAnswer>,
    /// What it took to split it.
    pub(super) spent: Spend,
}

/// What a heal came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Healed {
    pub(super) at: At,
    pub(super) report: Result<Box<HealReport>, String>,
}

/// Runs a workflow. This is the code of the flow: deterministic, and replayed.
///
/// # Errors
/// When a file cannot be read or written, or a step cannot be done at all.
pub(super) async fn run_flow(context: Arc<dyn FlowCtx>, input: Json) -> Result<Json, FlowError> {
    let input: FlowInput = serde_json::from_value(input)
        .map_err(|error| FlowError::new(format!("the input is not one of Flow: {error}")))?;
    let run = Run { context: &*context, input };
    let mut here: Here = run.step(BEGIN, &run.at(None)).await?;
    loop {
        if !here.events.is_empty() {
            context.stage(FLOW_STAGE, Json::Array(std::mem::take(&mut here.events)));
        }
        let at = run.at(Some(here.state.clone()));
        here = match here.next {
            Next::Work => run.step(WORK, &at).await?,
            Next::Ask(number) => {
                let answer = run.ask(PROMPT, &format!("ask-{number}"), &at).await?;
                run.step(ANSWER, &Asked { at, answer }).await?
            }
            Next::Split(number) => {
                let answer = run.ask(SPLIT_ASK, &format!("split-{number}"), &at).await?;
                let asked = Asked { at, answer };
                let Split { plan, spent } = run.step(SPLIT, &asked).await?;
                let report = match plan {
                    Ok(plan) => run.child(PLAN_FLOW, &format!("plan-{number}"), &plan).await?,
                    Err(none) => Err(none),
                };
                run.step(SPLIT_DONE, &InParts { at: asked.at, report, spent }).await?
            }
            Next::Heal => {
                let input: HealInput = run.step(HEAL, &at).await?;
                let name = format!("heal-{}", here.state.step);
                let report = run.child(HEAL_FLOW, &name, &input).await?;
                let report = report.map_err(|error| error.message);
                run.step(HEALED, &Healed { at, report }).await?
            }
            Next::Finish => run.step(FINISH, &at).await?,
            Next::Ended(report) => {
                // The report is in the history by now: a crash before that finds the state as it was.
                run.step::<_, ()>(CLEAR, &at).await?;
                return written(&report);
            }
        };
    }
}

fn written(value: &impl Serialize) -> Result<Json, FlowError> {
    serde_json::to_value(value).map_err(|error| FlowError::new(error.to_string()))
}

struct Run<'a> {
    context: &'a dyn FlowCtx,
    input: FlowInput,
}

impl Run<'_> {
    fn at(&self, state: Option<StateId>) -> At {
        At { input: self.input.clone(), state }
    }

    // Asks a model what a step says; nobody where the step says nothing.
    async fn ask(
        &self,
        step: &str,
        name: &str,
        at: &At,
    ) -> Result<Result<Box<GenerateOutput>, NoAnswer>, FlowError> {
        match self.step::<_, Option<GenerateInput>>(step, at).await? {
            Some(asked) => self.child(GENERATE_FLOW, name, &asked).await,
            None => Ok(Err(NoAnswer::default())),
        }
    }

    async fn child<T: DeserializeOwned>(
        &self,
        flow: &str,
        name: &str,
        input: &impl Serialize,
    ) -> Result<Result<Box<T>, NoAnswer>, FlowError> {
        let flow = FlowName::try_from(flow.to_owned())
            .map_err(|error| FlowError::new(error.to_string()))?;
        Ok(match self.context.child(&flow, name, written(input)?).await {
            Ok(output) => serde_json::from_value(output)
                .map(Box::new)
                .map_err(|error| NoAnswer { message: error.to_string(), over_budget: false }),
            Err(error) => Err(NoAnswer {
                over_budget: matches!(error, JobError::OverBudget { .. }),
                message: error.to_string(),
            }),
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
