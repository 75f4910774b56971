//! The second opinion on a verdict.
//!
//! In: the verdict of the lexical machine and the text it is about. Out: the same verdict with the
//! grammar's evidence; a text that was called whole becomes cut when the grammar accepts all of it
//! but the end. Never acquits: a text in which something is open stays cut, whatever a grammar says,
//! and never overrules a proof that the text has its end.

mod explained;
#[cfg(test)]
mod tests;

use crate::check::{SyntaxReport, check_syntax};
use explained::is_explained;
use salve_types::{
    ErrorType, Evidence, EvidenceSource, GrammarOpinion, Language, Span, TruncationKind, Verdict,
};

// Evidence of this weight that speaks for a whole text is a proof: the sentinel, a closed root.
const PROOF: f64 = 0.9;
const DECISIVE: f64 = 0.85;

/// Adds the grammar's opinion on `text` to a verdict on it.
pub fn second_opinion(mut verdict: Verdict, text: &str) -> Verdict {
    let Some(report) = check_syntax(text, verdict.language) else { return verdict };
    let is_proven = verdict.evidence.iter().any(|it| !it.cut && it.weight >= PROOF);
    let overrules =
        report.broken_at_end && verdict.is_valid && !is_proven && !is_explained(&report, text);
    let evidence = evidence_of(&report, overrules);
    if overrules {
        verdict.is_valid = false;
        verdict.error_type = Some(ErrorType::TruncationDetected);
        verdict.kind = Some(TruncationKind::GeneralTruncation);
        verdict.error_message = Some(evidence.message.clone());
        let lines = text.trim().lines().count();
        verdict.truncation_line = Some(u32::try_from(lines).unwrap_or(u32::MAX));
        verdict.confidence = DECISIVE;
    }
    verdict.evidence.push(evidence);
    verdict
}

/// Returns what the grammar of `language` says about `text`, in one word.
pub fn grammar_opinion(text: &str, language: Language) -> GrammarOpinion {
    match check_syntax(text, language) {
        Some(report) if report.unread.is_none() => {
            if report.is_clean() {
                GrammarOpinion::Accepts
            } else if report.broken_at_end {
                GrammarOpinion::AcceptsStart
            } else {
                GrammarOpinion::Rejects
            }
        }
        _ => GrammarOpinion::Silent,
    }
}

fn evidence_of(report: &SyntaxReport, decides: bool) -> Evidence {
    let found = report.first();
    let span: Option<Span> = found.map(|problem| problem.span);
    let words = found.map(|problem| problem.message.as_str()).unwrap_or_default();
    let (code, message, cut, weight) = if report.unread.is_some() {
        ("grammar_gave_up", "The grammar has no opinion: the text is too costly".into(), false, 0.0)
    } else if report.is_clean() {
        ("grammar_clean", "The grammar accepts the whole text".into(), false, 0.6)
    } else if report.broken_at_end {
        let weight = if decides { DECISIVE } else { 0.4 };
        let message = format!("The grammar accepts all but the end of the text: {words}");
        ("grammar_broken_at_end", message, true, weight)
    } else {
        // A mistake, or a dialect that the grammar does not know: no sign of a cut.
        ("grammar_error", format!("The grammar does not accept the text: {words}"), true, 0.1)
    };
    let source = EvidenceSource::Parser;
    Evidence { source, code: code.to_owned(), message, cut, weight, span }
}
