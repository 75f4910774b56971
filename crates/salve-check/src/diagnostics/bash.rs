//! What `bash -n` says.
//!
//! In: lines `FILE: line N: MESSAGE`. Out: one diagnostic for each; the line that bash repeats from
//! the file becomes its source line.

use super::classify;
use super::places::{Columns, Places};
use salve_types::{Diagnostic, ErrorClass, Severity};

pub(super) fn parse(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for text in stderr.lines().chain(stdout.lines()) {
        let Some((path, line, words)) = complaint(text) else {
            found.extend(not_opened(text));
            continue;
        };
        let repeated = words.strip_prefix('`').and_then(|rest| rest.strip_suffix('\''));
        if let (Some(source), Some(last)) = (repeated, found.last_mut())
            && let Some(span) = last.spans.first_mut().filter(|span| span.line_text.is_none())
        {
            span.line_text = Some(source.to_owned());
            last.raw.push('\n');
            last.raw.push_str(text);
            continue;
        }
        let class = classify("bash", None, words);
        let severity =
            if words.starts_with("warning: ") { Severity::Warning } else { Severity::Error };
        let mut diagnostic =
            Diagnostic::new("bash", severity, class, words.trim_start_matches("warning: "));
        diagnostic.spans.push(places.point(path, Some((line, 1)), Columns::Characters));
        diagnostic.raw = text.to_owned();
        found.push(diagnostic);
    }
    found
}

fn complaint(text: &str) -> Option<(&str, u32, &str)> {
    let (path, rest) = text.split_once(": line ")?;
    let (line, words) = rest.split_once(": ")?;
    Some((path, line.parse().ok()?, words))
}

fn not_opened(text: &str) -> Option<Diagnostic> {
    let words = text.strip_prefix("bash: ")?;
    let mut diagnostic = Diagnostic::new("bash", Severity::Error, ErrorClass::Build, words);
    diagnostic.raw = text.to_owned();
    Some(diagnostic)
}
