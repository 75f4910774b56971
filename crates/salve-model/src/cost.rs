//! What a call costs, in whole millionths of a dollar.
//!
//! In: prices per million tokens, and usage. Out: money as an integer, rounded up. Never a float,
//! never a guess: a model without a price has no cost, and the caller that limits money has to say
//! so.

use salve_types::Usage;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// Millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MicroDollars(pub u64);

/// What a model's tokens cost, in millionths of a dollar per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Tokens of the prompt.
    pub input: MicroDollars,
    /// Tokens of the prompt that came from a cache; as the others when it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<MicroDollars>,
    /// Tokens of the answer, its reasoning included.
    pub output: MicroDollars,
    /// What holds for long prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<LongPrice>,
    /// One image that it makes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<MicroDollars>,
    /// A thousand searches in files that were uploaded; they are free when it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searches: Option<MicroDollars>,
}

/// The price of a call whose prompt is long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPrice {
    /// It holds when the prompt has more tokens than this.
    pub above: u64,
    /// Tokens of the prompt, cached or not.
    pub input: MicroDollars,
    /// Tokens of the answer.
    pub output: MicroDollars,
}

const MILLION: u128 = 1_000_000;

impl Price {
    /// Returns what a call cost.
    #[must_use]
    pub fn cost(&self, usage: Usage) -> MicroDollars {
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let fresh = usage.input_tokens - cached;
        let (input, cached_price, output) = match self.long {
            Some(long) if usage.input_tokens > long.above => (long.input, long.input, long.output),
            _ => (self.input, self.cached.unwrap_or(self.input), self.output),
        };
        let parts = [(fresh, input), (cached, cached_price), (usage.output_tokens, output)];
        let sum = parts
            .iter()
            .map(|&(tokens, price)| u128::from(tokens).saturating_mul(u128::from(price.0)))
            .fold(0, u128::saturating_add);
        let tokens = MicroDollars(u64::try_from(sum.div_ceil(MILLION)).unwrap_or(u64::MAX));
        tokens.saturating_add(self.search_cost(usage.search_calls))
    }

    /// Returns what so many searches in uploaded files cost.
    #[must_use]
    pub fn search_cost(&self, calls: u64) -> MicroDollars {
        let thousand = u128::from(self.searches.unwrap_or_default().0);
        let sum = thousand.saturating_mul(u128::from(calls));
        MicroDollars(u64::try_from(sum.div_ceil(1_000)).unwrap_or(u64::MAX))
    }

    /// Returns what this many images cost.
    #[must_use]
    pub fn of_images(&self, count: u64) -> MicroDollars {
        MicroDollars(self.image.map_or(0, |one| one.0.saturating_mul(count)))
    }
}

impl MicroDollars {
    /// Adds, stopping at the greatest amount there is.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for MicroDollars {
    /// Writes dollars with as many places as there are, at least two.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, places) = (self.0 / 1_000_000, format!("{:06}", self.0 % 1_000_000));
        let kept = places.trim_end_matches('0').len().max(2);
        write!(out, "${whole}.{}", places.get(..kept).unwrap_or(&places))
    }
}

/// A text that is no amount of dollars.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an amount of dollars; write it like \"1.25\", with at most six places")]
pub struct NotMoney(pub String);

impl FromStr for MicroDollars {
    type Err = NotMoney;

    /// Reads `1`, `1.25`, `$0.000001`; anything finer than a millionth is refused, not rounded.
    fn from_str(text: &str) -> Result<Self, NotMoney> {
        let refuse = || NotMoney(text.to_owned());
        let plain = text.trim();
        let plain = plain.strip_prefix('$').unwrap_or(plain);
        let (whole, places) = plain.split_once('.').unwrap_or((plain, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || places.len() > 6 || !digits(whole) || !digits(places) {
            return Err(refuse());
        }
        let whole: u64 = whole.parse().map_err(|_| refuse())?;
        let places: u64 = format!("{places:0<6}").parse().map_err(|_| refuse())?;
        let micros = whole.checked_mul(1_000_000).and_then(|micros| micros.checked_add(places));
        micros.map(Self).ok_or_else(refuse)
    }
}

impl Serialize for MicroDollars {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MicroDollars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn price(input: &str, cached: Option<&str>, output: &str) -> Price {
        let money = |text: &str| text.parse().unwrap();
        Price {
            input: money(input),
            cached: cached.map(money),
            output: money(output),
            long: None,
            image: None,
            searches: None,
        }
    }

    #[test]
    fn money_is_read_exactly_or_not_at_all() {
        let cases = [
            ("1", Some(1_000_000)),
            ("0.25", Some(250_000)),
            ("$3.000001", Some(3_000_001)),
            (" 0.075 ", Some(75_000)),
            ("0.0000001", None),
            ("1.2.3", None),
            ("-1", None),
            ("1e3", None),
            ("", None),
            (".5", None),
            ("99999999999999999999", None),
        ];
        for (text, micros) in cases {
            assert_eq!(text.parse().ok(), micros.map(MicroDollars), "{text}");
        }
    }

    #[test]
    fn a_call_costs_its_parts_rounded_up() {
        let usage = |input, cached, output| Usage {
            input_tokens: input,
            output_tokens: output,
            cached_tokens: cached,
            reasoning_tokens: 0,
            search_calls: 0,
        };
        let sonnet = price("3", Some("0.30"), "15");
        assert_eq!(sonnet.cost(usage(1000, 0, 100)), MicroDollars(4500));
        assert_eq!(sonnet.cost(usage(1000, 1000, 0)), MicroDollars(300));
        assert_eq!(price("0.30", None, "0.50").cost(usage(1, 0, 0)), MicroDollars(1));
        let long = LongPrice { above: 100, input: MicroDollars(6), output: MicroDollars(0) };
        let grok = Price { long: Some(long), ..price("3", None, "15") };
        assert_eq!(grok.cost(usage(100, 0, 0)), MicroDollars(300));
        assert_eq!(grok.cost(usage(101, 0, 0)), MicroDollars(1));
        assert_eq!(sonnet.cost(usage(u64::MAX, 0, u64::MAX)), MicroDollars(u64::MAX));
    }

    #[test]
    fn c137_searches_cost_ten_dollars_per_thousand_beside_the_tokens() {
        let grok = crate::capability::Capabilities::built_in().of("grok-4").price.unwrap();
        let tokens = Usage { input_tokens: 1000, output_tokens: 100, ..Usage::default() };
        let searched = Usage { search_calls: 3, ..tokens };
        assert_eq!(grok.cost(tokens), MicroDollars(4_500));
        assert_eq!(grok.cost(searched), MicroDollars(4_500 + 30_000));
        assert_eq!(grok.search_cost(1_000), MicroDollars(10_000_000));
        assert_eq!(price("3", None, "15").cost(searched), MicroDollars(4_500), "free if not said");
    }

    proptest! {
        #[test]
        fn money_prints_as_it_is_read(micros: u64) {
            let money = MicroDollars(micros);
            prop_assert_eq!(money.to_string().parse(), Ok(money));
        }

        #[test]
        fn money_of_any_text_never_panics(text in ".{0,40}") {
            let _ = text.parse::<MicroDollars>();
        }
    }
}
