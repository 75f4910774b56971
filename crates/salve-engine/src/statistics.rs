//! From the outcome of an answer to what is counted about it.
//!
//! In: an answer after its ladder. Out: judgements for the store's statistics. Never a text.

use crate::answer::{Completed, Completion, TruncationOutcome};
use salve_model::Purpose;
use salve_store::{AnswerOutcome, AnswerStat};

/// The kind under which answers are counted that were not cut but wrong.
pub const MALFORMED: &str = "MALFORMED";

/// Returns what is counted about an answer of `model`: one line for every cut, one for an answer
/// that was wrong, and one for an answer that was whole as it came.
pub fn inspections(completed: &Completed, model: &str) -> Vec<AnswerStat> {
    let model = completed.reply.model.as_deref().unwrap_or(model);
    let line = |kind: Option<&str>, language: &str, outcome| AnswerStat {
        kind: kind.map(str::to_owned),
        model: model.to_owned(),
        language: language.to_owned(),
        outcome,
    };
    let became = match completed.state {
        Completion::Incomplete { .. } => AnswerOutcome::Incomplete,
        _ => AnswerOutcome::Healed,
    };
    let cuts = completed.truncations.iter().map(|cut| match cut.outcome {
        TruncationOutcome::FalseAlarm => line(None, cut.language.name(), AnswerOutcome::Whole),
        TruncationOutcome::Healed => {
            line(Some(cut.kind.name()), cut.language.name(), AnswerOutcome::Healed)
        }
        TruncationOutcome::Incomplete => line(Some(cut.kind.name()), cut.language.name(), became),
    });
    let mut lines: Vec<AnswerStat> = cuts.collect();
    if completed.count(Purpose::Rework) > 0 && lines.is_empty() {
        lines.push(malformed_inspection(model, became));
    }
    if lines.is_empty() {
        let outcome = match completed.state {
            Completion::Incomplete { .. } => AnswerOutcome::Incomplete,
            _ => AnswerOutcome::Whole,
        };
        lines.push(uncut_inspection(model, outcome));
    }
    lines
}

/// Returns what is counted about an answer that was not cut but wrong: only JSON can be.
pub fn malformed_inspection(model: &str, outcome: AnswerOutcome) -> AnswerStat {
    let (kind, language) = (Some(MALFORMED.to_owned()), "json".to_owned());
    AnswerStat { kind, model: model.to_owned(), language, outcome }
}

/// Returns what is counted about an answer that was neither cut nor wrong.
pub fn uncut_inspection(model: &str, outcome: AnswerOutcome) -> AnswerStat {
    AnswerStat { kind: None, model: model.to_owned(), language: "text".to_owned(), outcome }
}
