//! The most a call can take.
//!
//! In: a request, what its model can do, and a way to count tokens. Out: the worst case that is
//! reserved before the call. The answer's part is the limit that is sent, because nothing else binds
//! a provider.

use crate::cost::Price;
use crate::request::{ModelRequest, Turn};
use salve_types::{Spend, Usage, WorstCase};

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
// The most that providers count for an image of the sizes they take.
const IMAGE: u64 = 5_000;
// What a model may come to read of one file that it searches in, and how often it may search: no provider can be
// told a limit, so that a very long search can take more than was reserved.
const SEARCHED: u64 = 50_000;
const SEARCHES: u64 = 20;

/// Returns the most a call can take: its prompt, and an answer as long as the limit that is sent.
/// Without a price it takes no money.
pub fn worst_case(
    request: &ModelRequest,
    price: Option<&Price>,
    count: &dyn TokenCount,
) -> WorstCase {
    let prompt = prompt_tokens(request, count);
    let Some(draw) = request.draw else {
        let mut worst = worst_of_tokens(prompt, u64::from(request.max_output_tokens), price);
        if request.turns.iter().any(|turn| !turn.files.is_empty()) {
            let searches = price.map_or(0, |price| price.search_cost(SEARCHES).0);
            worst.prompt.micro_dollars = worst.prompt.micro_dollars.saturating_add(searches);
        }
        return worst;
    };
    let mut worst = worst_of_tokens(prompt, 0, price);
    let images = price.map_or(0, |price| price.of_images(u64::from(draw.count)).0);
    worst.answer.micro_dollars = worst.answer.micro_dollars.saturating_add(images);
    worst
}

/// Returns the most a call with this many tokens of prompt and answer can take.
pub fn worst_of_tokens(prompt: u64, answer: u64, price: Option<&Price>) -> WorstCase {
    let usage = Usage { input_tokens: prompt, output_tokens: answer, ..Usage::default() };
    let money = |usage| price.map_or(0, |price| price.cost(usage).0);
    // A long prompt may raise the price of the answer too, so the answer's part is the rest.
    let of_prompt = money(Usage { output_tokens: 0, ..usage });
    let of_answer = money(usage).saturating_sub(of_prompt);
    WorstCase {
        prompt: Spend { tokens: prompt, micro_dollars: of_prompt },
        answer: Spend { tokens: answer, micro_dollars: of_answer },
    }
}

fn prompt_tokens(request: &ModelRequest, count: &dyn TokenCount) -> u64 {
    let text = |text: &str| count.tokens(text).saturating_add(AROUND_TURN);
    let images =
        |turn: &Turn| IMAGE.saturating_mul(u64::try_from(turn.images.len()).unwrap_or(u64::MAX));
    let files = |turn: &Turn| {
        let read = turn.files.iter().map(|file| file.bytes.div_ceil(2).min(SEARCHED));
        read.fold(0, u64::saturating_add)
    };
    let turns = request
        .turns
        .iter()
        .map(|turn| text(&turn.text).saturating_add(images(turn)).saturating_add(files(turn)));
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
    use crate::cost::{LongPrice, MicroDollars};

    #[test]
    fn the_worst_case_is_half_the_bytes_and_the_limit_that_is_sent() {
        let request = ModelRequest {
            turns: vec![Turn::user("x".repeat(1000))],
            max_output_tokens: 5000,
            ..ModelRequest::default()
        };
        let dollar = MicroDollars(1_000_000);
        let price = Price {
            input: dollar,
            cached: None,
            output: dollar,
            long: None,
            image: None,
            searches: None,
        };
        let worst = worst_case(&request, Some(&price), &BytesByTwo);
        assert_eq!((worst.prompt.tokens, worst.answer.tokens), (64 + 16 + 500, 5000));
        assert_eq!(worst.total().micro_dollars, worst.total().tokens);
    }

    #[test]
    fn a_long_prompt_raises_the_price_of_the_answer_too() {
        let (cheap, dear) = (MicroDollars(1_000_000), MicroDollars(5_000_000));
        let long = Some(LongPrice { above: 100, input: dear, output: dear });
        let price =
            Price { input: cheap, cached: None, output: cheap, long, image: None, searches: None };
        let money = |prompt| {
            let worst = worst_of_tokens(prompt, 10, Some(&price));
            (worst.prompt.micro_dollars, worst.answer.micro_dollars)
        };
        assert_eq!(money(100), (100, 10));
        assert_eq!(money(101), (505, 50));
    }
}
