//! The ladder over a model: the first call, and one for each step.
//!
//! In: a model (on a budget, where it has one), a request, what is wanted. Out: the answer whole,
//! or a failure that keeps what had arrived and says whether trying again may help. A schema is
//! checked whether or not the provider was told about it. Never a call to tidy up an answer: what
//! is there is read as it is, or asked for again.
//!
//! The gateway and the flow `Generate` drive the ladder themselves. This is the plain form of the
//! same for callers without a wire or a history. The heal loop and conversations will call it as it is.

use super::completed::{Completed, Completion};
use super::ladder::{Ladder, LadderAction};
use super::{AlreadySent, AskError, Caps, Wanted};
use salve_model::{
    FollowUp, Model, ModelError, ModelReply, ModelRequest, SchemaAsk, Watch, is_transient_status,
};
use salve_types::{FinishReason, Signal};
use std::sync::Arc;

/// The name under which a schema is sent along.
pub const SCHEMA_NAME: &str = "grok_response";

/// How an answer is made.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GenerateOptions {
    /// How often the model is asked again.
    pub caps: Caps,
    /// Whether the provider is asked to enforce the schema. Off by default: the check is made
    /// anyway, and providers that enforce a schema still cut answers at their limit.
    pub use_structured_outputs: bool,
    /// Whether the model can be asked to, from the table of capabilities.
    pub has_structured_outputs: bool,
}

/// The outcome.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Generated {
    /// There was an answer; whether it is whole is in it.
    Answered(Box<Completed>),
    /// There was none.
    Failed {
        /// What had arrived; it may be shown, and a later run may go on from it.
        partial: Box<ModelReply>,
        /// Why, in words.
        why: String,
        /// Whether the same call may go well a little later.
        retry: bool,
    },
}

impl Generated {
    /// Returns the text that may be used.
    pub fn result(&self) -> Option<&str> {
        match self {
            Self::Answered(completed) => completed.result(),
            Self::Failed { .. } => None,
        }
    }

    /// Returns the text as far as it came.
    pub fn text(&self) -> &str {
        match self {
            Self::Answered(completed) => &completed.reply.text,
            Self::Failed { partial, .. } => &partial.text,
        }
    }

    /// Returns whether trying again is worth offering.
    pub fn offers_retry(&self) -> bool {
        match self {
            Self::Answered(completed) => {
                matches!(completed.state, Completion::Incomplete { .. })
            }
            Self::Failed { retry, .. } => *retry,
        }
    }

    /// Returns the signal for a caller that runs this as a piece of work.
    pub fn signal(&self) -> Signal {
        match self {
            Self::Answered(completed) => completed.signal(),
            Self::Failed { .. } => Signal::FailDefault,
        }
    }
}

/// Makes one answer. `watch` sees the bytes of every call as they arrive, before anything reads
/// them.
pub async fn generate<M: Model>(
    model: &M,
    request: ModelRequest,
    wanted: impl Into<Arc<Wanted>>,
    options: &GenerateOptions,
    watch: &mut dyn Watch,
) -> Generated {
    let wanted = wanted.into();
    let request = with_schema(request, &wanted, options);
    let first = match model.call(&request, watch).await {
        Ok(reply) => reply,
        Err(error) => return failed(error),
    };
    let ladder = Ladder::new(first, wanted, options.caps, AlreadySent::default());
    let completed = complete(ladder, model, &request, watch).await;
    Generated::Answered(Box::new(completed))
}

/// Completes the answer to a request: asks its model until the ladder is done.
pub async fn complete<M: Model>(
    mut ladder: Ladder,
    model: &M,
    request: &ModelRequest,
    watch: &mut dyn Watch,
) -> Completed {
    loop {
        match ladder.next() {
            LadderAction::Ask(follow_up) => {
                let called = model.call(&followed_up(request, &follow_up), watch).await;
                ladder.take(answered(called));
            }
            LadderAction::Done(completed) => return *completed,
        }
    }
}

fn answered(called: Result<ModelReply, ModelError>) -> Result<ModelReply, AskError> {
    match called {
        Ok(reply) => Ok(reply),
        Err(ModelError::OverBudget(over)) => Err(AskError::OverBudget(over.to_string())),
        // What had arrived is a reply that broke off.
        Err(ModelError::TimedOut { partial, .. }) if !partial.text.is_empty() => {
            Ok(ModelReply { finish: Some(FinishReason::Disconnect), ..*partial })
        }
        Err(error) => Err(AskError::Failed(error.to_string())),
    }
}

/// Puts a follow-up on top of the first request.
pub(crate) fn followed_up(first: &ModelRequest, follow_up: &FollowUp) -> ModelRequest {
    let mut request = first.clone();
    request.turns.extend(follow_up.turns.iter().cloned());
    if !follow_up.keep_tools {
        request.tools.clear();
        request.schema = None;
    }
    if let Some(limit) = follow_up.max_output_tokens {
        request.max_output_tokens = u32::try_from(limit).unwrap_or(u32::MAX);
    }
    request
}

/// Tells whether trying again is worth it, at the price of another call.
pub(crate) const fn may_go_well_later(error: &ModelError) -> bool {
    match error {
        ModelError::Provider { status, .. } => is_transient_status(*status),
        ModelError::OverBudget(_) | ModelError::Unsendable { .. } => false,
        _ => true,
    }
}

fn with_schema(
    mut request: ModelRequest,
    wanted: &Wanted,
    options: &GenerateOptions,
) -> ModelRequest {
    let tell = options.use_structured_outputs && options.has_structured_outputs;
    let schema = wanted.schema.as_ref().filter(|_| tell);
    request.schema = schema.map(|schema| SchemaAsk {
        name: SCHEMA_NAME.to_owned(),
        strict: true,
        schema: schema.source().clone(),
    });
    request
}

fn failed(error: ModelError) -> Generated {
    let why = error.to_string();
    let retry = may_go_well_later(&error);
    let partial = match error {
        ModelError::TimedOut { partial, .. } => *partial,
        _ => ModelReply::default(),
    };
    Generated::Failed { partial: Box::new(partial), why, retry }
}
