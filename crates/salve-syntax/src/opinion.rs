//! The second opinion on a verdict.
//!
//! In: the verdict of the lexical machine and the text it is about. Out: the same verdict with the
//! grammar's evidence; a text that was called whole becomes cut when the grammar accepts all of it
//! but the end. Never acquits: a text in which something is open stays cut, whatever a grammar says,
//! and never overrules a proof that the text has its end.

use crate::check::{SyntaxReport, check_syntax};
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

// Objections to the end of a whole text that are known to be the grammar's own: it does not know the
// supersets of CSS, so a rule or declaration that has its end is complete; and it misses the `;` after
// a macro of C that needs none.
fn is_explained(report: &SyntaxReport, text: &str) -> bool {
    match report.language {
        Language::Css => text.trim_end().ends_with(['}', ';']),
        // The arms of conditions are all read at once, so that what one of them opens and another one
        // closes breaks the tree; a text that ends with the end of its last condition has its end.
        Language::C | Language::Cpp => {
            let problem = report.first().map_or(text.len(), |problem| problem.span.end);
            ends_with_macro_call(text.get(..problem).unwrap_or_default())
                || ends_with_macro_call(text)
                || ends_with_condition(text)
        }
        _ => false,
    }
}

// The last line is `#endif`, and every condition is closed.
fn ends_with_condition(text: &str) -> bool {
    let text = without_comments_at_end(text);
    let (mut open, mut last) = (0_i64, "");
    for line in text.lines() {
        let Some(directive) = line.trim_start().strip_prefix('#') else { continue };
        let word = directive.trim_start();
        if word.starts_with("if") {
            open += 1;
        } else if word.starts_with("endif") {
            open -= 1;
        }
        last = line;
    }
    let is_last = text.lines().next_back().is_some_and(|line| line == last);
    open == 0 && is_last && last.contains("endif")
}

// `NAME(…)`, the name in capitals and first on its line; comments may follow.
fn ends_with_macro_call(text: &str) -> bool {
    let text = without_comments_at_end(text);
    let mut depth = 0_usize;
    let opener = text.bytes().rposition(|byte| {
        match byte {
            b')' => depth += 1,
            b'(' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    let Some(opener) = opener.filter(|_| text.ends_with(')')) else { return false };
    let line = text[..opener].rsplit('\n').next().unwrap_or_default().trim();
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    line.len() > 2 && line.bytes().all(is_capital)
}

fn without_comments_at_end(text: &str) -> &str {
    let mut text = text.trim_end();
    loop {
        let line_start = text.rfind('\n').map_or(0, |at| at + 1);
        let cut = if text.ends_with("*/") {
            text.rfind("/*")
        } else {
            text[line_start..].trim_start().starts_with("//").then_some(line_start)
        };
        match cut {
            Some(at) => text = text[..at].trim_end(),
            None => return text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(language: Language) -> Verdict {
        Verdict {
            is_valid: true,
            error_type: None,
            error_message: None,
            truncation_line: None,
            kind: None,
            opened_at_line: None,
            open: Vec::new(),
            closing: String::new(),
            confidence: 0.75,
            evidence: Vec::new(),
            language,
        }
    }

    fn code_of(verdict: &Verdict) -> &str {
        verdict.evidence.last().map_or("none", |evidence| evidence.code.as_str())
    }

    #[test]
    fn a_broken_end_makes_a_whole_text_cut() {
        let verdict = second_opinion(whole(Language::Rust), "fn a() {}\n\npub struct Point");
        assert!(!verdict.is_valid);
        assert_eq!(verdict.kind, Some(TruncationKind::GeneralTruncation));
        assert_eq!(verdict.error_type, Some(ErrorType::TruncationDetected));
        assert_eq!(verdict.truncation_line, Some(3));
        assert_eq!(code_of(&verdict), "grammar_broken_at_end");
    }

    #[test]
    fn other_opinions_are_listed_and_decide_nothing() {
        let cases = [
            (Language::Rust, "fn a() {}\n", "grammar_clean"),
            (Language::Rust, "fn a() { let x = ; }\nfn b() {}\nfn c() {}\n", "grammar_error"),
            (Language::Css, "a { color: red; }\n$width: 1px;\n", "grammar_broken_at_end"),
            (
                Language::C,
                "int a;\n\n  DEFINE_IT(\n    x, (y) z\n  )\n/* END */\n// x\n",
                "grammar_broken_at_end",
            ),
            (Language::Text, "pub struct Point", "none"),
        ];
        for (language, text, code) in cases {
            let verdict = second_opinion(whole(language), text);
            assert!(verdict.is_valid, "{text}");
            assert_eq!(code_of(&verdict), code, "{text}");
        }
    }

    #[test]
    fn the_end_of_the_last_condition_is_the_end_of_a_header() {
        assert!(ends_with_condition("#ifndef A_H\n#if X\n}\n# endif\n}\n#endif  /* A_H */\n\n"));
        assert!(ends_with_condition("#if A\nint a\n#endif // A\n// the end\n"));
        assert!(!ends_with_condition("#ifndef A_H\n#if X\nint a(\n#endif\n"));
        assert!(!ends_with_condition("#if X\n#endif\nint a("));
        assert!(!ends_with_condition("int a("));
    }

    #[test]
    fn a_proof_is_not_overruled_and_a_cut_is_not_acquitted() {
        let mut proven = whole(Language::Json);
        proven.evidence.push(Evidence {
            source: EvidenceSource::Lexer,
            code: "root_closed".to_owned(),
            message: String::new(),
            cut: false,
            weight: 0.95,
            span: None,
        });
        assert!(second_opinion(proven, "{\"a\": 1,}").is_valid);
        let mut cut = whole(Language::Python);
        cut.is_valid = false;
        cut.kind = Some(TruncationKind::OpenBlock);
        let after = second_opinion(cut, "def f():\n");
        assert!(!after.is_valid);
        assert_eq!(after.kind, Some(TruncationKind::OpenBlock));
    }
}
