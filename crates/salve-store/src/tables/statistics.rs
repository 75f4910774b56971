//! How texts were judged, and what became of them, counted.
//!
//! In: one judgement at a time. Out: counts by kind of cut, model and language, and how many were
//! healed. Never the texts.

use crate::clean::Cleaner;
use serde::Serialize;

/// One judgement about an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Inspection {
    /// The kind of cut, such as `OPEN_JSON`; none when it was whole as it came.
    pub kind: Option<String>,
    /// The model that answered.
    pub model: String,
    /// The language of the answer.
    pub language: String,
    /// What became of it.
    pub outcome: InspectionOutcome,
}

impl Inspection {
    pub(crate) fn cleaned(self, cleaner: &Cleaner) -> Self {
        Self {
            kind: self.kind.map(|kind| cleaner.name(&kind)),
            model: cleaner.name(&self.model),
            language: cleaner.name(&self.language),
            outcome: self.outcome,
        }
    }
}

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InspectionOutcome {
    /// It was whole as it came.
    Whole,
    /// It was cut or wrong, and became whole.
    Healed,
    /// It was cut or wrong, and stayed so.
    Incomplete,
    /// A person said that it was not cut after all. A mark on top of the judgement, not one itself.
    FalseAlarm,
}

impl InspectionOutcome {
    /// Returns the word of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Healed => "healed",
            Self::Incomplete => "incomplete",
            Self::FalseAlarm => "false_alarm",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [Self::Whole, Self::Healed, Self::Incomplete, Self::FalseAlarm]
            .into_iter()
            .find(|outcome| outcome.name() == name)
    }
}

/// Counts of one kind of cut, model or language, or of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Whole as they came.
    pub whole: u64,
    /// Became whole.
    pub healed: u64,
    /// Did not.
    pub incomplete: u64,
    /// Marked by a person as not cut.
    pub false_alarms: u64,
}

impl Counts {
    /// Returns how many were judged.
    pub const fn judged(self) -> u64 {
        self.whole + self.healed + self.incomplete
    }

    /// Returns the share of broken answers that became whole; none when none was broken.
    pub fn heal_rate(self) -> Option<f64> {
        let broken = self.healed + self.incomplete;
        (broken > 0).then(|| self.healed as f64 / broken as f64)
    }

    /// Counts some more.
    pub(crate) fn add(&mut self, outcome: InspectionOutcome, count: u64) {
        *match outcome {
            InspectionOutcome::Whole => &mut self.whole,
            InspectionOutcome::Healed => &mut self.healed,
            InspectionOutcome::Incomplete => &mut self.incomplete,
            InspectionOutcome::FalseAlarm => &mut self.false_alarms,
        } += count;
    }
}

/// One line of the statistics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CountedName {
    /// The kind, model or language.
    pub name: String,
    /// Its counts.
    #[serde(flatten)]
    pub counts: Counts,
}

/// All counts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statistics {
    /// Of everything.
    pub total: Counts,
    /// By kind of cut, most frequent first. Answers that were whole as they came have none.
    pub by_kind: Vec<CountedName>,
    /// By model, most frequent first.
    pub by_model: Vec<CountedName>,
    /// By language, most frequent first.
    pub by_language: Vec<CountedName>,
}
