//! The judgement of a text, in the positions of that text.
//!
//! In: a reply with its talk. Out: the verdict and the findings about its content, with lines and
//! offsets of the reply itself, so that they can be shown where the reader sees them. Never judges:
//! that is the pipeline's part.

use super::receive::{PipelineOptions, admit, cleaned, inspect_options};
use salve_text::{CleanReply, chat_truncation_hints, find_omissions, recover_chat};
use salve_types::{
    ErrorType, Evidence, EvidenceSource, Finding, Language, RawReply, Span, TruncationKind, Verdict,
};

/// Everything that is to be said about a text.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Whether it is whole.
    pub verdict: Verdict,
    /// What else was noticed in it.
    pub findings: Vec<Finding>,
}

/// Cleans and inspects a text and speaks of it in its own positions.
pub fn judge_text(raw: &RawReply, options: &PipelineOptions) -> Judgement {
    let cleaned = cleaned(raw, options);
    let shift = Shift::of(&cleaned);
    let received = admit(cleaned, &inspect_options(raw, options));
    let findings = find_omissions(received.text(), received.verdict().language);
    let mut judgement = Judgement { verdict: received.verdict().clone(), findings };
    judgement.verdict.evidence.extend(chat_hints(received.text(), &judgement.verdict));
    if raw.path.is_none() && raw.text.trim().is_empty() {
        note_empty(&mut judgement.verdict);
    }
    match shift {
        Some(shift) => shift.applied(judgement),
        None => judgement,
    }
}

// A file may be empty; a reply of nothing is one that never came.
fn note_empty(verdict: &mut Verdict) {
    let message = "The text is empty: nothing came";
    verdict.is_valid = false;
    verdict.error_type = Some(ErrorType::TruncationDetected);
    verdict.kind = Some(TruncationKind::GeneralTruncation);
    verdict.error_message = Some(message.to_owned());
    verdict.confidence = EMPTY;
    verdict.evidence.push(Evidence {
        source: EvidenceSource::Heuristic,
        code: "empty".to_owned(),
        message: message.to_owned(),
        cut: true,
        weight: EMPTY,
        span: None,
    });
}

const EMPTY: f64 = 0.9;

// A chat reply with file changes gets the hints people look for in one; they are weak and only
// listed.
fn chat_hints(text: &str, verdict: &Verdict) -> Vec<Evidence> {
    if verdict.language != Language::Json || !text.contains("\"fileChanges\"") {
        return Vec::new();
    }
    recover_chat(text).map(|chat| chat_truncation_hints(text, &chat)).unwrap_or_default()
}

/// How far the content lies from the start of the reply.
struct Shift {
    bytes: usize,
    lines: u32,
    columns: u32,
}

impl Shift {
    // Content that is not one piece of the reply (an unescaped payload, numbered lines taken off)
    // has positions of its own only.
    fn of(cleaned: &CleanReply) -> Option<Self> {
        let bytes = leading_aside(cleaned);
        let before = cleaned.raw().get(..bytes)?;
        if bytes == 0 || !cleaned.raw().get(bytes..)?.starts_with(cleaned.text()) {
            return None;
        }
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let last_line = before.rsplit('\n').next().unwrap_or_default();
        Some(Self {
            bytes,
            lines: count(before.bytes().filter(|&byte| byte == b'\n').count()),
            columns: count(last_line.chars().count()),
        })
    }

    fn applied(&self, mut judgement: Judgement) -> Judgement {
        let verdict = &mut judgement.verdict;
        for line in
            [&mut verdict.truncation_line, &mut verdict.opened_at_line].into_iter().flatten()
        {
            *line = line.saturating_add(self.lines);
        }
        for open in &mut verdict.open {
            if open.line == 1 {
                open.column = open.column.saturating_add(self.columns);
            }
            open.line = open.line.saturating_add(self.lines);
            open.offset += self.bytes;
        }
        let spans = verdict.evidence.iter_mut().filter_map(|evidence| evidence.span.as_mut());
        for span in spans.chain(judgement.findings.iter_mut().map(|finding| &mut finding.span)) {
            *span = Span::new(span.start + self.bytes, span.end + self.bytes);
        }
        judgement
    }
}

fn leading_aside(cleaned: &CleanReply) -> usize {
    let mut end = 0;
    for aside in cleaned.aside() {
        if aside.span.start > end {
            break;
        }
        end = end.max(aside.span.end);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str, language: Language) -> Judgement {
        let raw = RawReply { language: Some(language), ..RawReply::from_text(text) };
        judge_text(&raw, &PipelineOptions::default())
    }

    #[test]
    fn c106_a_short_whole_edit_is_hinted_at_and_not_blocked() {
        let text = r#"{"summary": "Done", "fileChanges": [{"path": "a.ts", "content": "x"}]}"#;
        let verdict = judged(text, Language::Json).verdict;
        assert!(verdict.is_valid);
        let codes: Vec<&str> = verdict.evidence.iter().map(|it| it.code.as_str()).collect();
        assert!(codes.contains(&"short_with_file_changes"), "{codes:?}");
    }

    #[test]
    fn c105_a_cut_chat_reply_is_a_cut_whatever_arrived_before() {
        let text = r#"{"summary": "Done", "fileChanges": [{"path": "a.ts", "content": "x"}, {"pa"#;
        let verdict = judged(text, Language::Json).verdict;
        assert!(!verdict.is_valid);
    }

    #[test]
    fn an_empty_reply_is_not_whole_and_an_empty_file_is() {
        let options = PipelineOptions::default();
        for text in ["", "\n", " \n\n"] {
            assert!(!judge_text(&RawReply::from_text(text), &options).verdict.is_valid);
            let path = Some("pkg/__init__.py".to_owned());
            let file = RawReply { path, ..RawReply::from_text(text) };
            assert!(judge_text(&file, &options).verdict.is_valid);
        }
    }

    #[test]
    fn positions_count_from_the_start_of_the_reply() {
        let text = "Sure:\n\n```rust\nfn f() {\n    (1\n";
        let verdict = judge_text(&RawReply::from_text(text), &PipelineOptions::default()).verdict;
        let lines: Vec<u32> = verdict.open.iter().map(|open| open.line).collect();
        assert_eq!(lines, [4, 5]);
        assert_eq!(verdict.open[1].offset, text.rfind('(').unwrap());
        assert_eq!(verdict.truncation_line, Some(5));
    }
}
