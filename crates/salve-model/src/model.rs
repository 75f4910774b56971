//! The trait that every model has, and why a call fails.
//!
//! In: a request, and someone who watches what arrives. Out: a reply, or an error that keeps what
//! had arrived. Never retries by itself beyond what a provider's limits ask for.

use crate::budget::BudgetError;
use crate::reply::ModelReply;
use crate::request::ModelRequest;
use std::future::Future;
use std::time::Duration;

/// Someone who answers.
pub trait Model: Send + Sync {
    /// Asks once. What arrives is shown to `watch` piece by piece, so that it can be saved before
    /// anything is made of it.
    ///
    /// # Errors
    /// When there is no reply; what had arrived is in the error.
    fn call(
        &self,
        request: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> impl Future<Output = Result<ModelReply, ModelError>> + Send;
}

impl<M: Model> Model for std::sync::Arc<M> {
    fn call(
        &self,
        request: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> impl Future<Output = Result<ModelReply, ModelError>> + Send {
        M::call(self, request, watch)
    }
}

impl<M: Model> Model for &M {
    fn call(
        &self,
        request: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> impl Future<Output = Result<ModelReply, ModelError>> + Send {
        M::call(self, request, watch)
    }
}

/// Sees the bytes of an answer as they arrive.
pub trait Watch: Send {
    /// Some more text of the answer arrived.
    fn arrived(&mut self, text: &str);
}

/// Watches nothing.
impl Watch for () {
    fn arrived(&mut self, _: &str) {}
}

/// Collects the text.
impl Watch for String {
    fn arrived(&mut self, text: &str) {
        self.push_str(text);
    }
}

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The provider refused or failed.
    #[error("the provider answered {status}: {message}")]
    Provider {
        /// The HTTP status.
        status: u16,
        /// What it said.
        message: String,
        /// How long it asked to wait.
        retry_after: Option<Duration>,
    },
    /// No connection could be made, so nothing was sent.
    #[error("cannot connect to the provider: {message}; check the address and the network")]
    Unconnected {
        /// What happened.
        message: String,
    },
    /// No connection, or it broke before anything arrived. Whether the provider worked is unknown.
    #[error("no answer from the provider: {message}; check the address and the network")]
    Unreachable {
        /// What happened.
        message: String,
    },
    /// Too slow.
    #[error("no answer within {limit:?}; {} bytes had arrived", partial.text.len())]
    TimedOut {
        /// The limit that was passed, total or between two chunks.
        limit: Duration,
        /// What had arrived.
        partial: Box<ModelReply>,
    },
    /// The call would not fit the budget and was not made.
    #[error(transparent)]
    OverBudget(#[from] BudgetError),
    /// The reply is in no form this dialect has.
    #[error("the provider's reply cannot be read: {message}")]
    Unreadable {
        /// What is wrong with it.
        message: String,
    },
    /// The request cannot be sent: no key, no such model, a capability that is missing.
    #[error("{message}")]
    Unsendable {
        /// What is missing, and how to give it.
        message: String,
    },
}

/// Tells whether the same request may succeed a little later when it was answered with this HTTP
/// status: too early, too many, in conflict with another one, or a failure of the provider's own
/// (529 is Anthropic's "overloaded"). What a server does not implement it will not implement later.
pub const fn is_transient_status(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500 | 502..=504 | 520..=599)
}

impl ModelError {
    /// Tells whether the same call may succeed a little later.
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Provider { status, .. } => is_transient_status(*status),
            Self::Unconnected { .. } | Self::Unreachable { .. } => true,
            _ => false,
        }
    }

    /// Tells whether it is certain that nothing was made and nothing is charged.
    pub const fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Provider { .. }
                | Self::Unconnected { .. }
                | Self::OverBudget(_)
                | Self::Unsendable { .. }
        )
    }

    /// Returns how long the provider asked to wait.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Provider { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
