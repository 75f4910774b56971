//! A diagnostic for a toolchain that failed without saying anything its parser could read.
//!
//! In: the spec and the output of the run. Out: at least one error, so that a failed run is never
//! taken for a clean one. Never guesses a cause: the headline is the tool's own or how it ended.

use super::check_run::Outputs;
use crate::toolchain::ToolchainSpec;
use crate::{OutputParser, RunEnding, parse_console};
use salve_types::{Diagnostic, DiagnosticNote, ErrorClass, Severity};

/// How much of the output is kept with the diagnostic, from its end.
const KEPT: usize = 4096;

/// Makes diagnostics of a failure that was not read: what the text for people says, if it says
/// something, else one for the run as a whole.
pub(super) fn unread_failure(spec: &ToolchainSpec, outputs: &Outputs) -> Vec<Diagnostic> {
    let by_itself = matches!(outputs.record.ending, RunEnding::Exited { .. });
    let said = [&outputs.stderr, &outputs.stdout].into_iter().map(|text| parse_console(None, text));
    let mut said = said.filter(|found| found.iter().any(|one| one.severity == Severity::Error));
    match said.next() {
        Some(found) if by_itself => found,
        _ => vec![whole_run(spec, outputs)],
    }
}

fn whole_run(spec: &ToolchainSpec, outputs: &Outputs) -> Diagnostic {
    let ended = how_it_ended(spec, &outputs.record.ending);
    let text = if outputs.stderr.trim().is_empty() { &outputs.stdout } else { &outputs.stderr };
    let class = match outputs.record.ending {
        _ if spec.parser == OutputParser::TestRunner => ErrorClass::Test,
        RunEnding::Signalled { .. } => ErrorClass::Runtime,
        _ => ErrorClass::Build,
    };
    let by_itself = matches!(outputs.record.ending, RunEnding::Exited { .. });
    let headline = headline(text).filter(|_| by_itself);
    let mut diagnostic =
        Diagnostic::new(&spec.target_id, Severity::Error, class, headline.unwrap_or(&ended));
    if headline.is_some() {
        let kind = "note".to_owned();
        diagnostic.notes.push(DiagnosticNote { kind, message: ended, spans: Vec::new() });
    }
    diagnostic.raw = tail(text).to_owned();
    diagnostic
}

/// Keeps the end of what a test runner printed with the first failed test, so that a reader sees why
/// it failed without running it again.
pub(super) fn with_output(mut said: Vec<Diagnostic>, outputs: &Outputs) -> Vec<Diagnostic> {
    if let Some(first) = said.iter_mut().find(|one| one.severity == Severity::Error) {
        let message = last_lines(outputs);
        if !message.is_empty() {
            let kind = "output".to_owned();
            first.notes.push(DiagnosticNote { kind, message, spans: Vec::new() });
        }
    }
    said
}

/// How many lines of each stream are shown.
const SHOWN: usize = 30;

fn last_lines(outputs: &Outputs) -> String {
    let end = |text: &str| {
        let lines: Vec<&str> = tail(text.trim_end()).lines().collect();
        lines[lines.len().saturating_sub(SHOWN)..].join("\n")
    };
    let both = [end(&outputs.stdout), end(&outputs.stderr)];
    both.into_iter().filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

fn how_it_ended(spec: &ToolchainSpec, ending: &RunEnding) -> String {
    let name = &spec.display_name;
    match ending {
        RunEnding::Exited { code } => format!("{name} ended with exit code {code}"),
        RunEnding::Signalled { signal } => format!("{name} was ended by signal {signal}"),
        RunEnding::DeadlinePassed => {
            format!("{name} was ended after {} seconds", spec.timeout.as_secs())
        }
        RunEnding::TooMuchOutput => format!("{name} was ended because it wrote too much"),
        RunEnding::LimitExceeded { limit } => format!("{name} was ended: {}", limit.in_words()),
    }
}

// The first line that calls itself an error, else the last that is not empty.
fn headline(text: &str) -> Option<&str> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let called_error = |line: &&str| line.get(..5).is_some_and(|w| w.eq_ignore_ascii_case("error"));
    let line = lines().find(called_error).or_else(|| lines().next_back())?;
    Some(line.strip_prefix("error:").unwrap_or(line).trim())
}

fn tail(text: &str) -> &str {
    let mut start = text.len().saturating_sub(KEPT);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_is_the_tools_own_error_line_or_its_last_word() {
        for (text, expected) in [
            ("warning: x\nerror: no matching package\nmore", Some("no matching package")),
            ("Error: boom\nlast", Some("Error: boom")),
            ("one\ntwo\n\n", Some("two")),
            ("  \n", None),
            ("ürrör\n", Some("ürrör")),
        ] {
            assert_eq!(headline(text), expected, "{text}");
        }
    }

    #[test]
    fn the_kept_end_never_splits_a_character() {
        let text = "é".repeat(KEPT);
        assert!(tail(&text).len() <= KEPT);
        assert_eq!(tail("short"), "short");
    }
}
