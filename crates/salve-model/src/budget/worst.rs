//! The most a call can take.
//!
//! In: a request, what its model can do, and a way to count tokens. Out: the worst case that is
//! reserved before the call. The answer's part is the limit that is sent, because nothing else binds
//! a provider.

use super::Spend;
use crate::cost::Price;
use crate::request::ModelRequest;
use salve_types::Usage;
use std::time::Duration;

/// Counts the tokens of a text, never too few.
pub trait TokenCount: Send + Sync {
    /// Returns at least as many tokens as the text has.
    fn tokens(&self, text: &str) -> u64;
}

/// Counts two bytes as a token: tokenizers of today take between three and four bytes of prose or
/// code for one, and this needs no table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BytesByTwo;

impl TokenCount for BytesByTwo {
    fn tokens(&self, text: &str) -> u64 {
        u64::try_from(text.len()).unwrap_or(u64::MAX).div_ceil(2)
    }
}

// The marks a provider puts around a turn, its role included, and around the whole.
const AROUND_TURN: u64 = 16;
const AROUND_ALL: u64 = 64;

/// Returns the most a call can take: prompt, answer, one attempt, and all the time it is given.
pub fn worst_case(
    request: &ModelRequest,
    price: Option<&Price>,
    count: &dyn TokenCount,
    call_limit: Duration,
) -> Spend {
    let usage = Usage {
        input_tokens: prompt_tokens(request, count),
        output_tokens: u64::from(request.max_output_tokens),
        ..Usage::default()
    };
    Spend {
        tokens: usage.total(),
        money: price.map(|price| price.cost(usage)).unwrap_or_default(),
        ..Spend::attempt(call_limit)
    }
}

fn prompt_tokens(request: &ModelRequest, count: &dyn TokenCount) -> u64 {
    let text = |text: &str| count.tokens(text).saturating_add(AROUND_TURN);
    let turns = request.turns.iter().map(|turn| text(&turn.text));
    let tools = request.tools.iter().map(|tool| {
        let parameters = text(&tool.parameters.to_string());
        text(&tool.name).saturating_add(text(&tool.description)).saturating_add(parameters)
    });
    let schema = request.schema.iter().map(|ask| text(&ask.schema.to_string()));
    let system = request.system.iter().map(|system| text(system));
    let all = turns.chain(tools).chain(schema).chain(system);
    all.fold(AROUND_ALL, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::MicroDollars;
    use crate::request::Turn;

    #[test]
    fn the_worst_case_is_half_the_bytes_and_the_limit_that_is_sent() {
        let request = ModelRequest {
            turns: vec![Turn::user("x".repeat(1000))],
            max_output_tokens: 5000,
            ..ModelRequest::default()
        };
        let dollar = MicroDollars(1_000_000);
        let price = Price { input: dollar, cached: None, output: dollar, long: None };
        let worst = worst_case(&request, Some(&price), &BytesByTwo, Duration::from_secs(300));
        assert_eq!(worst.tokens, 64 + 16 + 500 + 5000);
        assert_eq!(worst.money, MicroDollars(worst.tokens));
        assert_eq!((worst.attempts, worst.millis), (1, 300_000));
    }
}
