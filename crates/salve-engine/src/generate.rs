//! One answer from a model, healed: the first call and the ladder on top of it.
//!
//! In: a model (on a budget, where it has one), a request, what is wanted. Out: the answer whole, or a
//! failure that keeps what had arrived and says whether trying again may help. A schema is checked
//! whether or not the provider was told about it. Never a call to tidy up an answer: what is there is
//! read as it is, or asked for again.

use crate::answer::{
    AlreadySent, AskError, Asker, Caps, HealState, Healed, Keep, Wanted, heal_answer_keeping,
};
use salve_model::{
    FollowUp, Model, ModelError, ModelReply, ModelRequest, Purpose, SchemaAsk, Watch,
    is_transient_status,
};
use salve_types::{FinishReason, Signal};

/// The name under which a schema is sent along.
pub const SCHEMA_NAME: &str = "grok_response";

/// How an answer is made.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GenerateOptions {
    /// How often the model is asked again.
    pub caps: Caps,
    /// Whether the provider is asked to enforce the schema. Off by default: the check is made anyway,
    /// and providers that enforce a schema still cut answers at their limit.
    pub use_structured_outputs: bool,
    /// Whether the model can be asked to, from the table of capabilities.
    pub has_structured_outputs: bool,
}

/// What came of it.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Generated {
    /// There was an answer; whether it is whole is in it.
    Answered(Box<Healed>),
    /// There was none.
    Failed {
        /// What had arrived; it may be shown, and a later run may go on from it.
        partial: ModelReply,
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
            Self::Answered(healed) => healed.result(),
            Self::Failed { .. } => None,
        }
    }

    /// Returns the text as far as it came.
    pub fn text(&self) -> &str {
        match self {
            Self::Answered(healed) => &healed.reply.text,
            Self::Failed { partial, .. } => &partial.text,
        }
    }

    /// Returns whether trying again is worth offering.
    pub fn offers_retry(&self) -> bool {
        match self {
            Self::Answered(healed) => matches!(healed.state, HealState::Incomplete { .. }),
            Self::Failed { retry, .. } => *retry,
        }
    }

    /// Returns the signal for whoever runs this as a piece of work.
    pub fn signal(&self) -> Signal {
        match self {
            Self::Answered(healed) => healed.signal(),
            Self::Failed { .. } => Signal::FailDefault,
        }
    }
}

/// Makes one answer. `watch` sees the bytes of every call as they arrive, `keep` every reply before it
/// is read.
pub async fn generate<M: Model>(
    model: &M,
    request: ModelRequest,
    wanted: &Wanted,
    options: &GenerateOptions,
    keep: &mut dyn Keep,
    watch: &mut dyn Watch,
) -> Generated {
    let request = with_schema(request, wanted, options);
    let first = match model.call(&request, watch).await {
        Ok(reply) => reply,
        Err(error) => return failed(error, keep),
    };
    let mut asker = ModelAsker { model, request: &request, watch };
    let sent = AlreadySent::default();
    let healed = heal_answer_keeping(first, wanted, sent, &mut asker, &options.caps, keep).await;
    Generated::Answered(Box::new(healed))
}

/// Asks a model again, on top of a request.
pub struct ModelAsker<'a, M> {
    /// The model.
    pub model: &'a M,
    /// The request that was answered first.
    pub request: &'a ModelRequest,
    /// Sees what arrives.
    pub watch: &'a mut dyn Watch,
}

impl<M: Model> Asker for ModelAsker<'_, M> {
    async fn ask(&mut self, follow_up: &FollowUp) -> Result<ModelReply, AskError> {
        let request = followed_up(self.request, follow_up);
        match self.model.call(&request, self.watch).await {
            Ok(reply) => Ok(reply),
            Err(ModelError::OverBudget(over)) => Err(AskError::OverBudget(over.to_string())),
            // What had arrived is a reply that broke off.
            Err(ModelError::TimedOut { partial, .. }) if !partial.text.is_empty() => {
                Ok(ModelReply { finish: Some(FinishReason::Disconnect), ..*partial })
            }
            Err(error) => Err(AskError::Failed(error.to_string())),
        }
    }
}

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

fn failed(error: ModelError, keep: &mut dyn Keep) -> Generated {
    let why = error.to_string();
    let retry = may_go_well_later(&error);
    let partial = match error {
        ModelError::TimedOut { partial, .. } => *partial,
        _ => ModelReply::default(),
    };
    if !partial.text.is_empty() {
        keep.raw(Purpose::First, &partial);
        keep.partial(&partial);
    }
    Generated::Failed { partial, why, retry }
}
