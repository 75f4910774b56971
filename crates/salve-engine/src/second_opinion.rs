//! Adds the grammar's view to the lexical verdict.
//!
//! In: a verdict and the text it is about. Out: the verdict with the grammar's evidence and, where
//! the grammar is sure that the text stops in the middle of a sentence, a cut. Never turns a cut
//! into a whole text, and never flags a text because a grammar stumbles in its middle.

use salve_syntax::{SyntaxReport, check_syntax};
use salve_types::{ErrorType, Evidence, EvidenceSource, Language, TruncationKind, Verdict};

/// Returns the verdict with the grammar's evidence added.
pub(crate) fn with_second_opinion(mut verdict: Verdict, text: &str) -> Verdict {
    let Some(report) = check_syntax(text, verdict.language) else { return verdict };
    let at_end = report.first().is_some_and(|first| stops_at_end(text, first.span.start));
    let cut = !report.is_clean() && at_end && decides(verdict.language);
    verdict.evidence.push(evidence(&report, cut));
    if verdict.is_valid && cut {
        verdict.is_valid = false;
        verdict.error_type = Some(ErrorType::TruncationDetected);
        verdict.kind = Some(TruncationKind::GeneralTruncation);
        verdict.truncation_line = Some(lines(text));
        verdict.confidence = 0.8;
        verdict.error_message =
            Some("The text stops where the grammar expects more - likely truncated".to_owned());
    }
    verdict
}

// Only an error on the last line that has anything on it speaks for a cut: a grammar may stumble
// over real code anywhere, but hardly ever for the first time on the last line.
fn stops_at_end(text: &str, error: usize) -> bool {
    let end = text.trim_end().len();
    let last_line = text[..end].rfind('\n').map_or(0, |at| at + 1);
    error >= last_line
}

// Macros make the grammars of C and C++ expect what no compiler does; there the evidence is listed
// only. Errors in HTML and CSS are forgiven by every reader of them.
const fn decides(language: Language) -> bool {
    !matches!(
        language,
        Language::C | Language::Cpp | Language::Html | Language::Css | Language::Bash
    )
}

fn evidence(report: &SyntaxReport, cut: bool) -> Evidence {
    let (code, message) = match report.first() {
        None => ("grammar_accepts", "The grammar accepts the text.".to_owned()),
        Some(first) => ("grammar_rejects", first.message.clone()),
    };
    Evidence {
        source: EvidenceSource::Parser,
        code: code.to_owned(),
        message,
        cut,
        weight: if cut { 0.8 } else { 0.3 },
        span: report.first().map(|first| first.span),
    }
}

fn lines(text: &str) -> u32 {
    u32::try_from(text.trim().lines().count()).unwrap_or(u32::MAX)
}
