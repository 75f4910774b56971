//! The flow `Turn@1`: plan, load, ask, read, apply, check, heal, commands, each a step that survives a crash.
//!
//! In: a [`TurnInput`]. Out: a [`TurnReport`]. The turn itself is `salve_engine::session`, a plain value on this
//! disk; a history holds its hash. A model's answer is a child, `Generate@1`, and a heal is a child, `Heal@1`, so
//! that both are paid once and found again after a crash. Never a text of the user in a history.

mod drawing;
mod steps;

pub use steps::TurnSteps;

use super::generate::{GenerateInput, GenerateOutput};
use super::image::{ImageInput, ImageOutput};
use super::{GENERATE_FLOW, HEAL_FLOW, IMAGE_FLOW, JobStatus, RESUME_SIGNAL};
use crate::heal::{HealInput, HealReport, StateId};
use crate::session::machine::HelpWhy;
use crate::session::{TurnInput, TurnReport, TurnResume};
use salve_jobs::{FlowCtx, FlowError, FlowName, JobError, Json, Retry, StepError, StepName, join};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use steps::{
    ANSWER, BEGIN, DRAW, DRAWN, FINISH, HEAL, HEALED, HELP, HELPED, PROMPT, RESUME, SUPERVISED,
    SUPERVISOR, UPLOAD, WORK,
};

/// The stage under which a turn says what it does.
pub const TURN_STAGE: &str = "answering";

/// Where a turn is, as a history holds it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Here {
    pub(super) state: StateId,
    pub(super) next: Next,
}

/// What the flow does next.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Next {
    /// A step that asks no model.
    Work,
    /// Files are given to the provider.
    Upload,
    /// A model is asked, for the answer of this number.
    Ask(u32),
    /// A model is asked what comes after a command, for the word of this number.
    Supervise(u32),
    /// Another model is asked for help.
    Help(HelpWhy),
    /// Images are made.
    Draw,
    /// What is red is healed.
    Heal,
    /// The turn is over, for good or for now.
    Finish,
    /// It goes on when it is told to.
    Paused(Box<TurnReport>),
    /// Everything is done.
    Ended(Box<TurnReport>),
}

/// What every step is given.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct At {
    pub(super) input: TurnInput,
    pub(super) state: Option<StateId>,
}

/// What a turn that stopped is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Resumed {
    pub(super) at: At,
    pub(super) with: TurnResume,
}

/// What a model's answer came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) at: At,
    /// The text of the standing instructions.
    pub(super) system: Option<String>,
    /// The text of the message with its files.
    #[serde(default)]
    pub(super) prompt: Option<String>,
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

/// What a heal came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Healed {
    pub(super) at: At,
    pub(super) report: Option<Box<HealReport>>,
    pub(super) error: Option<String>,
}

/// What the calls for images came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Drawing {
    pub(super) at: At,
    pub(super) asked: Vec<ImageInput>,
    pub(super) ended: Vec<DrawnCall>,
}

/// What one call for images came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DrawnCall {
    /// It brought images, or some of them.
    Ended(ImageOutput),
    /// It brought none.
    Failed { message: String, over_budget: bool },
}

/// Answers a turn. This is the code of the flow: deterministic, and replayed.
///
/// # Errors
/// When a file cannot be read or written, or a step cannot be done at all.
pub(super) async fn run_turn(context: Arc<dyn FlowCtx>, input: Json) -> Result<Json, FlowError> {
    let input: TurnInput = serde_json::from_value(input)
        .map_err(|error| FlowError::new(format!("the input is not one of Turn: {error}")))?;
    let run = Run { context: &*context, input };
    let mut here: Here = run.step(BEGIN, &run.at(None)).await?;
    loop {
        let at = run.at(Some(here.state.clone()));
        here = match here.next {
            Next::Work => run.step(WORK, &at).await?,
            Next::Upload => run.step(UPLOAD, &at).await?,
            Next::Ask(number) => {
                run.say(&serde_json::json!({ "asks": number }));
                let (asked, answer) = run.ask(&at, number, &here.state).await?;
                let (system, prompt) = (asked.system, Some(asked.prompt));
                run.step(ANSWER, &Asked { at, system, prompt, answer }).await?
            }
            Next::Supervise(number) => {
                run.say(&serde_json::json!({ "supervises": number }));
                let asked: GenerateInput = run.step(SUPERVISOR, &at).await?;
                let name = format!("supervise-{number}-{}", here.state.step);
                let answer = run.generate(&name, &asked).await?;
                run.step(SUPERVISED, &Asked { at, system: None, prompt: None, answer }).await?
            }
            Next::Help(why) => {
                run.say(&serde_json::json!({ "helps": why }));
                let answer = run.help(&at, why, &here.state).await?;
                run.step(HELPED, &Asked { at, system: None, prompt: None, answer }).await?
            }
            Next::Draw => {
                run.say(&serde_json::json!({ "draws": true }));
                let drawn = run.draw(at, &here.state).await?;
                run.step(DRAWN, &drawn).await?
            }
            Next::Heal => {
                run.say(&serde_json::json!({ "heals": true }));
                let (report, error) = run.heal(&at, &here.state).await?;
                run.step(HEALED, &Healed { at, report, error }).await?
            }
            Next::Finish => run.step(FINISH, &at).await?,
            Next::Paused(report) => {
                context.stage(JobStatus::Paused.name(), written(&report)?);
                let told = context.wait_signal(RESUME_SIGNAL, None).await;
                run.say(&serde_json::json!({ "resumed": true }));
                // A word that says nothing is `salve jobs resume`.
                let with = told.and_then(|told| serde_json::from_value(told).ok());
                run.step(RESUME, &Resumed { at, with: with.unwrap_or_default() }).await?
            }
            Next::Ended(report) => return written(&report),
        };
    }
}

fn written(value: &impl Serialize) -> Result<Json, FlowError> {
    serde_json::to_value(value).map_err(|error| FlowError::new(error.to_string()))
}

struct Run<'a> {
    context: &'a dyn FlowCtx,
    input: TurnInput,
}

impl Run<'_> {
    fn at(&self, state: Option<StateId>) -> At {
        At { input: self.input.clone(), state }
    }

    fn say(&self, detail: &Json) {
        self.context.stage(TURN_STAGE, detail.clone());
    }

    // The state's number keeps the names of two children apart that are asked for the same thing twice.
    async fn ask(
        &self,
        at: &At,
        number: u32,
        state: &StateId,
    ) -> Result<(GenerateInput, Answer), FlowError> {
        let asked: GenerateInput = self.step(PROMPT, at).await?;
        let answer = self.generate(&format!("ask-{number}-{}", state.step), &asked).await?;
        Ok((asked, answer))
    }

    async fn help(&self, at: &At, why: HelpWhy, state: &StateId) -> Result<Answer, FlowError> {
        let asked: GenerateInput = self.step(HELP, at).await?;
        let name = match why {
            HelpWhy::Plan => "plan",
            HelpWhy::Clean => "clean",
            HelpWhy::Shape => "shape",
            HelpWhy::Prompts => "prompts",
        };
        self.generate(&format!("{name}-{}", state.step), &asked).await
    }

    async fn generate(&self, name: &str, asked: &GenerateInput) -> Result<Answer, FlowError> {
        Ok(match self.child(GENERATE_FLOW, name, asked).await? {
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

    async fn heal(
        &self,
        at: &At,
        state: &StateId,
    ) -> Result<(Option<Box<HealReport>>, Option<String>), FlowError> {
        let input: HealInput = self.step(HEAL, at).await?;
        let name = format!("heal-{}", state.step);
        Ok(match self.child(HEAL_FLOW, &name, &input).await? {
            Ok(output) => match serde_json::from_value(output) {
                Ok(report) => (Some(Box::new(report)), None),
                Err(error) => (None, Some(error.to_string())),
            },
            Err(error) => (None, Some(error.to_string())),
        })
    }

    // Every call is a child of its own, side by side.
    async fn draw(&self, at: At, state: &StateId) -> Result<Drawing, FlowError> {
        let asked: Vec<ImageInput> = self.step(DRAW, &at).await?;
        let flow = FlowName::try_from(IMAGE_FLOW.to_owned())
            .map_err(|error| FlowError::new(error.to_string()))?;
        let mut calls = Vec::new();
        for (number, input) in asked.iter().enumerate() {
            let name = format!("draw-{}-{number}", state.step);
            calls.push(self.context.child(&flow, &name, written(input)?));
        }
        let ended = join(calls).await.into_iter().map(|end| match end {
            Ok(output) => match serde_json::from_value(output) {
                Ok(output) => DrawnCall::Ended(output),
                Err(error) => DrawnCall::Failed { message: error.to_string(), over_budget: false },
            },
            Err(error) => {
                let over_budget = matches!(error, JobError::OverBudget { .. });
                DrawnCall::Failed { message: error.to_string(), over_budget }
            }
        });
        Ok(Drawing { at, ended: ended.collect(), asked })
    }

    async fn child(
        &self,
        flow: &str,
        name: &str,
        input: &impl Serialize,
    ) -> Result<Result<Json, JobError>, FlowError> {
        let flow = FlowName::try_from(flow.to_owned())
            .map_err(|error| FlowError::new(error.to_string()))?;
        Ok(self.context.child(&flow, name, written(input)?).await)
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
