//! The flow `Generate@1`: answer, inspect, resume, rework, result.
//!
//! In: a prompt by its id, what is wanted, who is asked. Out: a result that is valid, or what was
//! recovered if a person takes it as it is. Each call is a step that is paid once; what it brought
//! is judged by the one ladder. The status is published as the flow's stage. Never completed with
//! an invalid verdict, never without the partial text that there was.

mod ask;
mod chunks;
mod input;
mod models;
mod steps;
mod view;

pub use input::{
    GenerateCaps, GenerateInput, GenerateOutput, Progress, SaidBefore, ShownIn, StopCode,
    ValidationError, WhichModel,
};
pub use models::{ModelSource, NoModel};
pub use steps::GenerateSteps;
pub use view::{Generation, GenerationFacts, is_over_budget};

pub(super) use ask::fits_budget;

use super::JobStatus;
use ask::Asking;
use input::Piece;
use salve_jobs::{FlowCtx, FlowError, Json, Retry, StepError, StepName, race};
use salve_types::{Mode, Spend, Usage};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;
use steps::{Judged, Judging, Next};

/// What the caller that waits is shown while an answer is healed.
pub const AUTO_HEALING: &str = "Auto-healing code...";

/// Tells a job that needs attention to begin again.
pub const RETRY_SIGNAL: &str = "retry";
/// Tells it to end with what was recovered.
pub const CONTINUE_SIGNAL: &str = "continue";
/// Tells a job to make no further call.
pub const PAUSE_SIGNAL: &str = "pause";
/// Tells it to go on.
pub const RESUME_SIGNAL: &str = "resume";

/// Makes an answer. This is the code of the flow: deterministic, and replayed.
///
/// # Errors
/// When there is no answer at all: what is asked for cannot be asked, or the provider fails.
pub(super) async fn run_generate(
    context: Arc<dyn FlowCtx>,
    input: Json,
) -> Result<Json, FlowError> {
    let input = serde_json::from_value(input)
        .map_err(|error| FlowError::new(format!("the input is not one of Generate: {error}")))?;
    let progress = Progress { round: 1, ..Progress::default() };
    let run = Run { context: &*context, input, progress, pieces: Vec::new(), call_failed: false };
    run.run().await
}

struct Run<'a> {
    context: &'a dyn FlowCtx,
    input: GenerateInput,
    progress: Progress,
    // The replies of this round, in order.
    pieces: Vec<Piece>,
    // Whether a person has to decide because a call failed, and not because of an answer.
    call_failed: bool,
}

/// Where a look at the answer leads.
enum Turn {
    /// Ask again.
    Again,
    /// A person decides.
    Attention,
    /// It is over.
    End(JobStatus, Option<String>),
}

/// What a person decided.
enum Decided {
    Retry,
    Continue,
}

impl Run<'_> {
    async fn run(mut self) -> Result<Json, FlowError> {
        loop {
            self.wait_while_paused().await;
            self.say(JobStatus::Running);
            let turn = match self.ask().await {
                Ok(()) => {
                    self.say(JobStatus::Validating);
                    self.judge().await?
                }
                Err(error) => self.unanswered(error)?,
            };
            match turn {
                Turn::Again => {}
                Turn::End(status, result) => return self.end(status, result),
                Turn::Attention if self.input.unattended => {
                    return self.end(JobStatus::NeedsAttention, None);
                }
                Turn::Attention => {
                    self.say(JobStatus::NeedsAttention);
                    match self.decision().await {
                        Decided::Continue => return self.end(JobStatus::CompletedPartial, None),
                        Decided::Retry => self.begin_again(),
                    }
                }
            }
        }
    }

    // One paid call.
    async fn ask(&mut self) -> Result<(), StepError> {
        let (input, pieces) = (self.input.clone(), self.pieces.clone());
        let spent =
            Spend { tokens: self.progress.tokens, micro_dollars: self.progress.micro_dollars };
        let asking = Asking { input, pieces, spent };
        let piece: Piece = self.step(steps::ASK, &asking, self.input.retry()).await?;
        let spent = spent.plus(piece.spent);
        (self.progress.tokens, self.progress.micro_dollars) = (spent.tokens, spent.micro_dollars);
        self.progress.calls += 1;
        self.progress.lost_calls += piece.lost_calls;
        self.pieces.push(piece);
        Ok(())
    }

    // Judging costs nothing, so it is tried for as long as a store may be away.
    async fn judge(&mut self) -> Result<Turn, FlowError> {
        let judging = Judging { input: self.input.clone(), pieces: self.pieces.clone() };
        let retry = Retry { attempts: 8, ..Retry::default() };
        let judged = self.step(steps::JUDGE, &judging, retry).await?;
        Ok(self.turn(judged))
    }

    // Says what the judge found, and what follows from that.
    fn turn(&mut self, judged: Judged) -> Turn {
        let Judged { next, continuations, reworks, partial, error } = judged;
        (self.progress.continuations, self.progress.reworks) = (continuations, reworks);
        (self.progress.partial_output, self.progress.validation_error) = (partial, error);
        let status = match next {
            Next::Whole(result) => return Turn::End(JobStatus::Completed, Some(result)),
            // It is passed on as it came; that it is not whole is in the log.
            _ if self.input.mode == Mode::Observe => {
                return Turn::End(JobStatus::CompletedPartial, None);
            }
            Next::Stop(why) => {
                self.progress.why = Some(why);
                return Turn::Attention;
            }
            Next::Continue => JobStatus::NeedsContinuation,
            Next::Rework => JobStatus::NeedsRework,
        };
        self.progress.toast = Some(AUTO_HEALING.to_owned());
        self.say(status);
        Turn::Again
    }

    // Without an answer there is nothing to lose; with a part of one, a person decides about it.
    fn unanswered(&mut self, error: StepError) -> Result<Turn, FlowError> {
        self.progress.why = Some(error.to_string());
        self.progress.code =
            matches!(error, StepError::OverBudget { .. }).then_some(StopCode::OverBudget);
        let final_word = matches!(error, StepError::Cancelled | StepError::Poison { .. });
        if final_word || self.pieces.is_empty() {
            self.say(JobStatus::Failed);
            return Err(error.into());
        }
        self.call_failed = true;
        Ok(Turn::Attention)
    }

    // A call that failed is made again on top of what there is; an answer that could not be healed
    // is asked for from the beginning.
    fn begin_again(&mut self) {
        let old = std::mem::take(&mut self.progress);
        let (round, tokens, micro_dollars) = (old.round + 1, old.tokens, old.micro_dollars);
        let lost_calls = old.lost_calls;
        let empty = Progress { round, lost_calls, tokens, micro_dollars, ..Progress::default() };
        if self.call_failed {
            self.progress = Progress { round, why: None, code: None, ..old };
        } else {
            self.pieces.clear();
            self.progress = empty;
        }
        self.call_failed = false;
        self.say(JobStatus::Pending);
    }

    fn end(mut self, status: JobStatus, result: Option<String>) -> Result<Json, FlowError> {
        self.progress.toast = None;
        self.say(status);
        let output = GenerateOutput {
            status,
            code_result: result,
            progress: self.progress,
            model: self.pieces.iter().rev().find_map(|piece| piece.model.clone()),
            finish: self.pieces.last().and_then(|piece| piece.finish.clone()),
            usage: self
                .pieces
                .iter()
                .filter_map(|piece| piece.usage)
                .fold(Usage::default(), |sum, usage| sum + usage),
            replies: self.pieces.into_iter().map(|piece| piece.text).collect(),
        };
        serde_json::to_value(output).map_err(|error| FlowError::new(error.to_string()))
    }

    // A decision about an earlier round is too late for this one.
    async fn decision(&self) -> Decided {
        loop {
            let waits = [RETRY_SIGNAL, CONTINUE_SIGNAL]
                .map(|signal| self.context.wait_signal(signal, None));
            let (first, told) = race(waits.into()).await;
            let decided = if first == 0 { Decided::Retry } else { Decided::Continue };
            let meant = told.as_ref().and_then(|told| told.get("round")).and_then(Json::as_u64);
            if meant.is_none_or(|round| round == u64::from(self.progress.round)) {
                return decided;
            }
        }
    }

    // Looked at before every call: what is being paid for is never thrown away.
    async fn wait_while_paused(&self) {
        while self.context.wait_signal(PAUSE_SIGNAL, Some(Duration::ZERO)).await.is_some() {
            self.say(JobStatus::Paused);
            self.context.wait_signal(RESUME_SIGNAL, None).await;
        }
    }

    fn say(&self, status: JobStatus) {
        let detail = serde_json::to_value(&self.progress).unwrap_or_default();
        self.context.stage(status.name(), detail);
    }

    async fn step<I, T>(&self, name: &str, input: &I, retry: Retry) -> Result<T, StepError>
    where
        I: Serialize,
        T: DeserializeOwned,
    {
        let fatal = |error: &dyn std::fmt::Display| StepError::fatal(error.to_string());
        let name = StepName::new(name).map_err(|error| fatal(&error))?;
        let input = serde_json::to_value(input).map_err(|error| fatal(&error))?;
        let output = self.context.step(&name, input, retry).await?;
        serde_json::from_value(output).map_err(|error| fatal(&error))
    }
}
