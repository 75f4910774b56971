//! Earlier turns, as many as fit.
//!
//! In: what was said, oldest first, and a number of tokens. Out: the newest exchanges that fit, whole, and
//! how many do not. Never half an exchange, and never silent about what was left out.

use salve_model::{BytesByTwo, TokenCount, Turn};

/// One exchange that is over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PastTurn {
    /// What the user asked.
    pub request: String,
    /// What the model answered; empty where it did not.
    pub answer: String,
}

/// The part of a conversation that fits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FittedHistory {
    /// The messages, oldest first.
    pub messages: Vec<Turn>,
    /// How many exchanges were left out, the oldest ones.
    pub dropped: usize,
}

impl FittedHistory {
    /// Returns what the model is told about what was left out; empty when nothing was.
    #[must_use]
    pub fn note(&self) -> String {
        match self.dropped {
            0 => String::new(),
            dropped => format!(
                "## CONVERSATION\n\nThe first {dropped} exchange(s) of this conversation were left out to keep within \
                 the context. What they changed is in the files."
            ),
        }
    }
}

// What a provider puts around two turns.
const AROUND: u64 = 32;

/// Counts what one exchange takes.
pub(in crate::session) fn exchange_tokens(request: &str, answer: &str) -> u64 {
    BytesByTwo.tokens(request) + BytesByTwo.tokens(answer) + AROUND
}

/// Takes the newest exchanges that fit into a number of tokens.
#[must_use]
pub fn fit_history(turns: &[PastTurn], budget_tokens: u64) -> FittedHistory {
    let mut left = budget_tokens;
    let mut kept = 0;
    for turn in turns.iter().rev() {
        let tokens = exchange_tokens(&turn.request, &turn.answer);
        let Some(rest) = left.checked_sub(tokens) else { break };
        left = rest;
        kept += 1;
    }
    let dropped = turns.len() - kept;
    let mut messages = Vec::with_capacity(kept * 2);
    for turn in turns.iter().skip(dropped) {
        messages.push(Turn::user(turn.request.as_str()));
        // Who asks twice in a row is not understood by every provider.
        let answer = if turn.answer.is_empty() { "(no answer)" } else { turn.answer.as_str() };
        messages.push(Turn::assistant(answer));
    }
    FittedHistory { messages, dropped }
}
