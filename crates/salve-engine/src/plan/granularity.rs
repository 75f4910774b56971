//! How finely a task is split.
//!
//! In: what is known of the request, and how often answers were cut before. Out: fine, medium or coarse, with the
//! reason. Never a number that was not measured: without history the size of the work decides, and that is said.

use salve_store::Statistics;
use serde::{Deserialize, Serialize};

/// From this share of cut answers on, parts are made smaller.
const MANY_CUTS: f64 = 0.2;
/// Below this share, larger parts are no risk.
const FEW_CUTS: f64 = 0.02;
/// Fewer answers than this say nothing.
const ENOUGH: u64 = 10;

/// How finely a task is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Granularity {
    /// Many small parts.
    Fine,
    /// In between.
    Medium,
    /// Few large parts.
    Coarse,
    /// Decided by what is known of the request and of earlier answers.
    #[default]
    Auto,
}

/// What is known of a request.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GranularityFacts {
    /// How many files it is about.
    pub files: usize,
    /// How long the request is, in bytes.
    pub request_bytes: usize,
    /// The share of earlier answers that were cut; none where too few are known.
    pub cut_rate: Option<f64>,
}

impl Granularity {
    /// Lists them all.
    pub const ALL: [Self; 4] = [Self::Fine, Self::Medium, Self::Coarse, Self::Auto];

    /// Returns the word of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Medium => "medium",
            Self::Coarse => "coarse",
            Self::Auto => "auto",
        }
    }

    /// Returns the one of this word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// Returns about how many parts it means, and the tokens of the answer to each, as the documents say.
    pub const fn shape(self) -> (usize, u64) {
        match self {
            Self::Fine => (12, 200),
            Self::Medium | Self::Auto => (5, 800),
            Self::Coarse => (2, 2_000),
        }
    }
}

/// Returns the share of answers that were cut; none where too few were judged to say.
pub fn truncation_rate(statistics: &Statistics) -> Option<f64> {
    let total = statistics.total;
    let judged = total.judged();
    (judged >= ENOUGH).then(|| (total.healed + total.incomplete) as f64 / judged as f64)
}

/// Decides how finely to split, and says why.
pub fn choose_granularity(facts: GranularityFacts) -> (Granularity, String) {
    let GranularityFacts { files, request_bytes, cut_rate } = facts;
    let by_size = match (files, request_bytes) {
        (0..=2, 0..=400) => Granularity::Coarse,
        (0..=8, 0..=4_000) => Granularity::Medium,
        _ => Granularity::Fine,
    };
    let size = format!("{files} files, a request of {request_bytes} bytes");
    match cut_rate {
        None => (by_size, format!("{size}; no answers were judged yet, so the size alone decides")),
        Some(rate) => {
            let chosen = match (by_size, rate) {
                (_, rate) if rate >= MANY_CUTS => Granularity::Fine,
                (Granularity::Fine, rate) if rate < FEW_CUTS => Granularity::Medium,
                (by_size, _) => by_size,
            };
            (chosen, format!("{size}; {:.0} % of earlier answers were cut", rate * 100.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c220_a_history_of_cuts_makes_the_parts_finer() {
        let facts = |files, cut_rate| GranularityFacts { files, request_bytes: 100, cut_rate };
        let chosen = |files, rate| choose_granularity(facts(files, rate)).0;
        assert_eq!(chosen(1, None), Granularity::Coarse);
        assert_eq!(chosen(5, None), Granularity::Medium);
        assert_eq!(chosen(30, None), Granularity::Fine);
        assert_eq!(chosen(1, Some(0.5)), Granularity::Fine);
        assert_eq!(chosen(1, Some(0.1)), Granularity::Coarse);
        assert_eq!(chosen(30, Some(0.0)), Granularity::Medium);
        assert!(choose_granularity(facts(1, None)).1.contains("no answers were judged"));
        let mut statistics = Statistics::default();
        statistics.total.whole = 5;
        assert_eq!(truncation_rate(&statistics), None, "too few");
        statistics.total.healed = 15;
        assert_eq!(truncation_rate(&statistics), Some(0.75));
    }
}
