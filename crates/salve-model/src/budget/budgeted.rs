//! A model that spends from a budget.
//!
//! In: a model, a budget, and what the model's tokens cost. Out: the same model, which reserves the
//! worst case before it calls and settles after. A call that cannot be reserved is not made.

use super::{Budget, BudgetError, BytesByTwo, Consumption, Measure, TokenCount, worst_case};
use crate::capability::Capabilities;
use crate::model::{Model, ModelError, Watch};
use crate::reply::ModelReply;
use crate::request::ModelRequest;
use salve_types::{FinishReason, Spend, Usage};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A model that spends from a budget.
pub struct Budgeted<M> {
    model: M,
    budget: Budget,
    capabilities: Arc<Capabilities>,
    count: Arc<dyn TokenCount>,
    call_limit: Duration,
}

impl<M> Budgeted<M> {
    /// Puts a model on a budget. A call is ended after `call_limit`, or after what the budget has
    /// left when that is less, because that is the time that was reserved for it.
    pub fn new(
        model: M,
        budget: Budget,
        capabilities: Arc<Capabilities>,
        call_limit: Duration,
    ) -> Self {
        Self { model, budget, capabilities, count: Arc::new(BytesByTwo), call_limit }
    }

    /// Counts prompts with a tokenizer instead of by their bytes.
    #[must_use]
    pub fn counting(mut self, count: Arc<dyn TokenCount>) -> Self {
        self.count = count;
        self
    }

    /// Returns the budget.
    pub const fn budget(&self) -> &Budget {
        &self.budget
    }

    // A call may take less time than usual when less is left; when none is left, the usual time is
    // asked for, and refused.
    fn time_for_a_call(&self) -> Duration {
        let left = self.budget.left(Measure::Seconds).map(Duration::from_millis);
        left.filter(|left| !left.is_zero())
            .map_or(self.call_limit, |left| left.min(self.call_limit))
    }
}

impl<M: Model> Model for Budgeted<M> {
    async fn call(
        &self,
        request: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> Result<ModelReply, ModelError> {
        let price = self.capabilities.of(&request.model).price;
        if price.is_none() && self.budget.limits(Measure::Money) {
            return Err(BudgetError::NoPrice { model: request.model.clone() }.into());
        }
        let limit = self.time_for_a_call();
        let spend = worst_case(request, price.as_ref(), &*self.count).total();
        let worst = Consumption { spend, ..Consumption::attempt(limit) };
        let mut hold = self.budget.reserve(worst)?;
        let begun = Instant::now();
        hold.sent();
        let result = in_time(&self.model, request, watch, limit).await;
        let took = Consumption::attempt(begun.elapsed().min(limit));
        let cost = |usage: Usage| Consumption {
            spend: Spend {
                tokens: usage.total(),
                micro_dollars: price.map_or(0, |price| price.cost(usage).0),
            },
            ..took
        };
        let counted = result.as_ref().ok().and_then(final_usage);
        let drawn = result.as_ref().map_or(0, |reply| reply.images.len());
        let refused = result.as_ref().err().is_some_and(ModelError::is_refusal);
        hold.settle(match counted {
            Some(usage) if drawn == 0 => cost(usage),
            usage if drawn > 0 => {
                let images = price.map_or(0, |price| price.of_images(drawn as u64).0);
                let mut cost = cost(usage.unwrap_or_default());
                cost.spend.micro_dollars = cost.spend.micro_dollars.saturating_add(images);
                cost
            }
            // The provider refused, or was never reached: nothing was made, nothing is counted but
            // the attempt.
            _ if refused => took,
            // It is not said what it took: all that was set aside is spent, but for the time.
            _ => Consumption { millis: took.millis, ..worst },
        });
        result
    }
}

// What a provider counted, when it counted to the end: some send a first count when they begin, and
// an answer that broke off has only that one.
fn final_usage(reply: &ModelReply) -> Option<Usage> {
    let ended = reply.finish.as_ref().is_some_and(|finish| *finish != FinishReason::Disconnect);
    reply.usage.filter(|usage| ended && usage.total() > 0)
}

async fn in_time<M: Model>(
    model: &M,
    request: &ModelRequest,
    watch: &mut dyn Watch,
    limit: Duration,
) -> Result<ModelReply, ModelError> {
    let mut keep = Keep { watch, text: String::new() };
    match tokio::time::timeout(limit, model.call(request, &mut keep)).await {
        Ok(result) => result,
        Err(_) => {
            let partial = Box::new(ModelReply { text: keep.text, ..ModelReply::default() });
            Err(ModelError::TimedOut { limit, partial })
        }
    }
}

// Keeps what arrives, because the future that had it is gone when its time is up.
struct Keep<'a> {
    watch: &'a mut dyn Watch,
    text: String,
}

impl Watch for Keep<'_> {
    fn arrived(&mut self, text: &str) {
        self.text.push_str(text);
        self.watch.arrived(text);
    }
}

#[cfg(test)]
mod tests;
