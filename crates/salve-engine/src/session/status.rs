//! The line below an answer: how it stands, what is left to do, what it took.
//!
//! In: facts of a turn. Out: one line. Never says done while something waits.

use salve_types::TurnStatus;

/// What the line is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatusFacts {
    /// How far the turn is.
    pub status: TurnStatus,
    /// Changes of files that were applied.
    pub applied: usize,
    /// Changes of files that wait.
    pub waiting_changes: usize,
    /// Commands that wait.
    pub waiting_commands: usize,
    /// Tokens, both ways.
    pub tokens: u64,
}

/// Writes the line, for example `⏳ Pending ✓ 1 applied [Run 11 cmds] 38,016 tokens`.
#[must_use]
pub fn status_line(facts: &StatusFacts) -> String {
    let mut parts = vec![status_badge(facts).to_owned()];
    if facts.applied > 0 {
        parts.push(format!("✓ {} applied", facts.applied));
    }
    if facts.waiting_changes > 0 {
        let plural = if facts.waiting_changes == 1 { "" } else { "s" };
        parts.push(format!("[Apply {} change{plural}]", facts.waiting_changes));
    }
    if facts.waiting_commands > 0 {
        parts.push(format!("[{}]", run_all_label(facts.waiting_commands)));
    }
    parts.push(format!("{} tokens", in_thousands(facts.tokens)));
    parts.join(" ")
}

/// Returns the label of the button that runs all commands.
#[must_use]
pub fn run_all_label(commands: usize) -> String {
    format!("Run {commands} cmd{}", if commands == 1 { "" } else { "s" })
}

/// Returns how a turn is, in two words and a sign, for example `✓ Done`.
#[must_use]
pub const fn status_badge(facts: &StatusFacts) -> &'static str {
    let waits = facts.waiting_changes + facts.waiting_commands > 0;
    match facts.status {
        TurnStatus::Failed => "✗ Failed",
        TurnStatus::Cancelled => "✗ Cancelled",
        TurnStatus::NeedsAttention => "🚫 Blocked",
        TurnStatus::Pending | TurnStatus::Running => "⏳ Running",
        TurnStatus::Waiting => "⏳ Pending",
        TurnStatus::Completed | TurnStatus::CompletedPartial if waits => "⏳ Pending",
        TurnStatus::Completed => "✓ Done",
        TurnStatus::CompletedPartial => "⚠️ Incomplete",
    }
}

fn in_thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c019_c066_the_line_word_for_word() {
        let pending = StatusFacts {
            status: TurnStatus::Waiting,
            applied: 1,
            waiting_commands: 11,
            tokens: 38_016,
            ..StatusFacts::default()
        };
        assert_eq!(status_line(&pending), "⏳ Pending ✓ 1 applied [Run 11 cmds] 38,016 tokens");
        for (status, changes, expected) in [
            (TurnStatus::Completed, 0, "✓ Done 0 tokens"),
            (TurnStatus::Completed, 1, "⏳ Pending [Apply 1 change] 0 tokens"),
            (TurnStatus::Completed, 2, "⏳ Pending [Apply 2 changes] 0 tokens"),
            (TurnStatus::CompletedPartial, 0, "⚠️ Incomplete 0 tokens"),
            (TurnStatus::NeedsAttention, 0, "🚫 Blocked 0 tokens"),
            (TurnStatus::Failed, 0, "✗ Failed 0 tokens"),
            (TurnStatus::Cancelled, 0, "✗ Cancelled 0 tokens"),
            (TurnStatus::Pending, 0, "⏳ Running 0 tokens"),
        ] {
            let facts = StatusFacts { status, waiting_changes: changes, ..StatusFacts::default() };
            assert_eq!(status_line(&facts), expected);
        }
        assert_eq!(run_all_label(1), "Run 1 cmd");
        for (number, shown) in [(7, "7"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(in_thousands(number), shown);
        }
    }
}
