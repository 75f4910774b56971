//! Asks the upstream again, on top of a client's own request.
//!
//! In: a follow-up in no provider's words. Out: the reply to it. A stream that breaks off is a reply
//! that says so. Never sends anything but the client's request with turns added.

use super::{Exchange, Upstream};
use salve_engine::{AskError, Asker};
use salve_model::{FollowUp, ModelReply};

/// Asks the upstream of one exchange.
pub struct UpstreamAsker<'e, U> {
    exchange: &'e Exchange<U>,
}

impl<'e, U: Upstream> UpstreamAsker<'e, U> {
    /// Makes an asker for one exchange.
    pub fn new(exchange: &'e Exchange<U>) -> Self {
        Self { exchange }
    }
}

impl<U: Upstream> Asker for UpstreamAsker<'_, U> {
    async fn ask(&mut self, _follow_up: &FollowUp) -> Result<ModelReply, AskError> {
        let _ = &self.exchange.upstream;
        Err(AskError::Failed("not wired yet".to_owned()))
    }
}
