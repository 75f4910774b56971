//! The ladder for one answer: what was wanted, who can be asked again, what came of it.
//!
//! In: a reply as it came, what was wanted, and an asker. Out: a reply that is proven whole, or the
//! reply as it came with the reason why not. Never closes or fills in what is missing, never asks
//! beyond its caps or its budget.

mod healed;
mod judge;
mod keep;
mod ladder;
mod prompt;
mod rungs;
mod stream;
mod strict;
mod tools;
mod verdict;

pub use healed::{
    HealState, HealStep, Healed, IncompleteCode, PassedBecause, StepOutcome, Truncation,
    TruncationOutcome,
};
pub use judge::judge_answer;
pub use keep::Keep;
pub use ladder::{heal_answer, heal_answer_keeping, heal_judged};
pub use prompt::NOTE_PREFIX;
pub(crate) use prompt::note_text;
pub use stream::StreamJudge;
pub(crate) use strict::fault_of;
pub use verdict::{AnswerCut, AnswerVerdict, Fault, Part, WholeAnswer, WrongFinish};

use salve_model::{FollowUp, ModelReply};
use salve_text::CompiledSchema;
use salve_types::Language;
use std::future::Future;
use std::sync::Arc;

/// What the one who asked wants to get.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The language of the answer, where it is known to be code.
    pub language: Option<Language>,
    /// The schema the text must fit.
    pub schema: Option<Arc<CompiledSchema>>,
    /// The text must be JSON, of any shape.
    pub json: bool,
    /// The tools that may be called, with the schemas of their arguments.
    pub tools: Vec<WantedTool>,
    /// Texts that end an answer on purpose.
    pub stop: Vec<String>,
    /// Arguments come as values that the provider has closed itself, so that their end proves
    /// nothing where it does not say that the answer ended.
    pub closed_calls: bool,
    /// The asker's own output limit. Plain text that ends at it is what was asked for.
    pub output_limit: Option<u64>,
}

/// A tool that may be called.
#[derive(Debug, Clone)]
pub struct WantedTool {
    /// Its name.
    pub name: String,
    /// What its arguments must fit; none when the request's own schema cannot be compiled.
    pub schema: Option<Arc<CompiledSchema>>,
}

/// Whoever gave the answer, and can be asked again.
pub trait Asker: Send {
    /// Asks on top of the first request.
    ///
    /// # Errors
    /// When there is no reply. A reply that broke off is a reply with `Disconnect`.
    fn ask(
        &mut self,
        follow_up: &FollowUp,
    ) -> impl Future<Output = Result<ModelReply, AskError>> + Send;
}

/// Why nothing was answered.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The call would not fit the budget and was not made.
    #[error("budget: {0}")]
    OverBudget(String),
    /// The one who answers failed.
    #[error("{0}")]
    Failed(String),
    /// The one who asked has gone away.
    #[error("the client has gone away")]
    Gone,
}

/// How often each rung of the ladder is tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Caps {
    /// Continuations of a cut answer.
    pub resumes: u32,
    /// Corrections of a wrong answer.
    pub reworks: u32,
    /// Starts from the beginning.
    pub retries: u32,
    /// Code, JSON and tool calls may grow to this multiple of the asker's own output limit.
    pub continue_factor: f64,
}

impl Default for Caps {
    fn default() -> Self {
        Self { resumes: 3, reworks: 3, retries: 1, continue_factor: 4.0 }
    }
}

/// How much of an answer is beyond recall because its reader has it already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AlreadySent {
    /// Bytes of the text; the healed text must begin with them.
    pub text: usize,
    /// Tool calls, from the first, that were passed on whole.
    pub tool_calls: usize,
}
