//! Finds merge conflict markers that were left in a text.
//!
//! In: a text. Out: a finding for each marker of a whole conflict: opening, middle, closing, in this
//! order, each on its own line. Never takes an underline of `=` for a marker by itself.

use salve_types::{Finding, FindingCode, Span};

/// Returns the markers of all conflicts.
pub(super) fn find_conflicts(text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut pending: Vec<Span> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end();
        let span = Span::new(start, start + body.len());
        match marker(body) {
            Some('<') => pending = vec![span],
            Some('|') if pending.len() == 1 => pending.push(span),
            Some('=') if !pending.is_empty() && body.len() == WIDTH => pending.push(span),
            Some('>') if pending.len() >= 2 => {
                pending.push(span);
                findings.extend(pending.drain(..).map(|span| Finding {
                    code: FindingCode::ConflictMarker,
                    message: format!("a merge conflict was left: {}", &text[span.range()]),
                    span,
                }));
            }
            Some('>') => pending.clear(),
            _ => {}
        }
        start += line.len();
    }
    findings
}

const WIDTH: usize = 7;

fn marker(line: &str) -> Option<char> {
    let sign = line.chars().next().filter(|sign| matches!(sign, '<' | '=' | '>' | '|'))?;
    let width = line.chars().take_while(|other| *other == sign).count();
    let rest = &line[width.min(line.len())..];
    (width == WIDTH && (rest.is_empty() || rest.starts_with(' '))).then_some(sign)
}
