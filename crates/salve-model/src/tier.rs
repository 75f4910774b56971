//! The ladder of attempts: who is asked, how deeply, and for how many tokens.
//!
//! In: the number of an attempt. Out: role, strategy and token limit. The built-in ladder is the
//! documents': two simple attempts, two with context, one deep. Never more attempts than it has.

use crate::capability::Capability;
use crate::roles::Role;
use serde::{Deserialize, Serialize};

/// The most tokens an answer may take unless someone says otherwise (`maxOutputTokens`).
pub const DEFAULT_OUTPUT_TOKENS: u32 = 16_384;

/// One rung: some attempts of the same kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// Who is asked.
    pub role: Role,
    /// What is asked for, and how.
    pub strategy: Strategy,
    /// How often.
    pub attempts: u32,
    /// Tokens of each attempt.
    pub tokens: u32,
}

/// How deeply a fix is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Imports, typos, formatting.
    Simple,
    /// Type errors, logic.
    ContextAware,
    /// Architecture, complex bugs.
    Deep,
}

/// All rungs, cheapest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierLadder(Vec<Tier>);

/// One attempt on the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// Its number, from 1.
    pub number: u32,
    /// Who is asked.
    pub role: Role,
    /// What is asked for, and how.
    pub strategy: Strategy,
    /// Its tokens.
    pub tokens: u32,
}

impl Attempt {
    /// Returns the output limit to send: the tier's, the general one or the model's own, whichever
    /// is least.
    #[must_use]
    pub fn max_output_tokens(&self, model: &Capability) -> u32 {
        self.tokens.min(DEFAULT_OUTPUT_TOKENS).min(model.output_tokens)
    }
}

impl TierLadder {
    /// Makes a ladder of these rungs.
    pub const fn new(tiers: Vec<Tier>) -> Self {
        Self(tiers)
    }

    /// Returns the attempt of this number, counted from 1; none when the ladder has no more.
    pub fn attempt(&self, number: u32) -> Option<Attempt> {
        let mut before = 0_u32;
        let tier = self.0.iter().find(|tier| {
            before = before.saturating_add(tier.attempts);
            number <= before
        })?;
        let Tier { role, strategy, tokens, .. } = *tier;
        (number > 0).then_some(Attempt { number, role, strategy, tokens })
    }

    /// Returns the tokens of all attempts together.
    pub fn tokens(&self) -> u64 {
        self.0.iter().map(|tier| u64::from(tier.attempts) * u64::from(tier.tokens)).sum()
    }

    /// Returns the number of attempts.
    pub fn attempts(&self) -> u32 {
        self.0.iter().map(|tier| tier.attempts).fold(0, u32::saturating_add)
    }
}

impl Default for TierLadder {
    fn default() -> Self {
        let tier = |role, strategy, attempts, tokens| Tier { role, strategy, attempts, tokens };
        Self(vec![
            tier(Role::Fast, Strategy::Simple, 2, 5_000),
            tier(Role::Medium, Strategy::ContextAware, 2, 10_000),
            tier(Role::Deep, Strategy::Deep, 1, 20_000),
        ])
    }
}

impl Strategy {
    /// Lists them all.
    pub const ALL: [Self; 3] = [Self::Simple, Self::ContextAware, Self::Deep];

    /// Returns its name in settings, prompts and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::ContextAware => "context-aware",
            Self::Deep => "deep",
        }
    }

    /// Returns the standing instructions of a request for a fix.
    pub fn instructions(self) -> String {
        let what = match self {
            Self::Simple => {
                "The fault is most likely small: an import, a typo, a missing sign, formatting. \
                 Change as little as possible and nothing that the error does not speak of."
            }
            Self::ContextAware => {
                "Smaller fixes were tried and did not hold. Read the types and the flow around the \
                 place: the error may name a line that is right and blame one that is not. Keep the \
                 names and the behaviour that the rest of the code relies on."
            }
            Self::Deep => {
                "Everything near the error was tried. Look for the cause in the design: ownership, \
                 order of work, a wrong assumption between parts. Say first what the cause is, then \
                 mend it at its root, with the smallest change that does so."
            }
        };
        format!("Strategy: {}. {what}", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(number: u32) -> (Role, u32) {
        let attempt = TierLadder::default().attempt(number).unwrap();
        (attempt.role, attempt.tokens)
    }

    #[test]
    fn h23_attempts_1_and_2_ask_the_fast_role_for_5k() {
        assert_eq!([attempt(1), attempt(2)], [(Role::Fast, 5_000); 2]);
    }

    #[test]
    fn h24_attempts_3_and_4_ask_the_medium_role_for_10k() {
        assert_eq!([attempt(3), attempt(4)], [(Role::Medium, 10_000); 2]);
    }

    #[test]
    fn h25_attempt_5_asks_the_deep_role_for_20k_and_there_is_no_6th() {
        assert_eq!(attempt(5), (Role::Deep, 20_000));
        let ladder = TierLadder::default();
        assert_eq!((ladder.attempt(0), ladder.attempt(6)), (None, None));
        assert_eq!((ladder.attempts(), ladder.tokens()), (5, 50_000));
    }

    #[test]
    fn h30_every_strategy_says_its_name_and_asks_differently() {
        let frames = Strategy::ALL.map(Strategy::instructions);
        for (strategy, frame) in Strategy::ALL.iter().zip(&frames) {
            assert!(frame.contains(strategy.name()));
            assert_eq!(frames.iter().filter(|other| *other == frame).count(), 1);
        }
        assert_eq!(Strategy::ALL.map(Strategy::name), ["simple", "context-aware", "deep"]);
    }

    #[test]
    fn x15_the_smaller_of_the_tiers_and_the_general_limit_is_sent() {
        let limits = |number, output_tokens| {
            let model = Capability { output_tokens, ..Capability::default() };
            TierLadder::default().attempt(number).unwrap().max_output_tokens(&model)
        };
        let cases = [
            (1, 64_000, 5_000),
            (3, 64_000, 10_000),
            (5, 64_000, 16_384),
            (5, 8_192, 8_192),
            (1, 4_096, 4_096),
        ];
        for (number, model, sent) in cases {
            assert_eq!(limits(number, model), sent, "attempt {number}, model {model}");
        }
    }

    #[test]
    fn an_empty_ladder_and_huge_ones_are_no_trouble() {
        assert_eq!(TierLadder::new(Vec::new()).attempt(1), None);
        let huge = Tier { attempts: u32::MAX, ..TierLadder::default().0[0] };
        let ladder = TierLadder::new(vec![huge, huge]);
        assert_eq!(ladder.attempts(), u32::MAX);
        assert!(ladder.attempt(u32::MAX).is_some());
    }
}
