//! A failed check, told to a model.
//!
//! In: diagnostics, and how the run ended. Out: the first diagnostics in full, errors before
//! warnings, as many as fit, and how many were left out. Never cuts a diagnostic in the middle
//! unless the first alone is too long, and never inside a character.

use super::word;
use crate::RunEnding;
use salve_types::{Applicability, Diagnostic, Severity};
use std::collections::HashSet;

/// Writes the first diagnostics in full, within `budget_bytes`.
#[must_use]
pub fn for_model(diagnostics: &[Diagnostic], budget_bytes: usize) -> String {
    let mut seen = HashSet::new();
    let mut texts: Vec<(Severity, String)> = diagnostics
        .iter()
        .map(|one| (one.severity, in_full(one)))
        .filter(|(_, text)| seen.insert(text.clone()))
        .collect();
    texts.sort_by_key(|(severity, _)| *severity);
    let mut told = String::new();
    for (index, (_, text)) in texts.iter().enumerate() {
        let left = left_out(&texts[index + 1..]);
        let gap = if told.is_empty() { "" } else { "\n\n" };
        if told.len() + gap.len() + text.len() + left.len() > budget_bytes {
            let left = left_out(&texts[index..]);
            if told.is_empty() {
                let left = left_out(&texts[index + 1..]);
                let cut = head(text, budget_bytes.saturating_sub(left.len()));
                return head(&format!("{cut}{left}"), budget_bytes).to_owned();
            }
            // The earlier ones were let in only with room for this line.
            return told + &left;
        }
        told.push_str(gap);
        told.push_str(text);
    }
    told
}

/// Writes how a run ended and what it said: `exit 1: …`, `exit signal: …`. Without a diagnostic the
/// ends of both streams speak for themselves.
#[must_use]
pub fn failure_text(
    ending: &RunEnding,
    diagnostics: &[Diagnostic],
    stdout: &str,
    stderr: &str,
    budget_bytes: usize,
) -> String {
    let (how, silent) = match ending {
        RunEnding::Exited { code } => (format!("exit {code}: "), "it said nothing".to_owned()),
        RunEnding::Signalled { signal } => {
            ("exit signal: ".to_owned(), format!("ended by signal {signal} and said nothing"))
        }
        RunEnding::DeadlinePassed => {
            ("exit deadline: ".to_owned(), "ended at its deadline and said nothing".to_owned())
        }
        RunEnding::TooMuchOutput => {
            ("exit output: ".to_owned(), "ended because it wrote too much".to_owned())
        }
        RunEnding::LimitExceeded { limit } => {
            (format!("exit limit ({}): ", limit.in_words()), "ended and said nothing".to_owned())
        }
    };
    let room = budget_bytes.saturating_sub(how.len());
    let said = if diagnostics.is_empty() {
        let streams = [stderr.trim(), stdout.trim()];
        let spoken: Vec<&str> = streams.into_iter().filter(|text| !text.is_empty()).collect();
        let share = room.saturating_sub(spoken.len()) / spoken.len().max(1);
        spoken.iter().map(|text| tail(text, share)).collect::<Vec<_>>().join("\n")
    } else {
        for_model(diagnostics, room)
    };
    let said = if said.is_empty() { silent } else { said };
    format!("{how}{}", head(&said, room))
}

// The tool's own words where it has some; what is only in fields is written below them.
fn in_full(diagnostic: &Diagnostic) -> String {
    let mut text = if diagnostic.raw.trim().is_empty() {
        format!("{}: {}", word(diagnostic.severity), diagnostic.message)
    } else {
        diagnostic.raw.trim_end().to_owned()
    };
    let mut add = |line: String| {
        text.push('\n');
        text.push_str(&line);
    };
    let shown = diagnostic.raw.as_str();
    if let Some(span) = diagnostic.primary()
        && !span.path.is_empty()
        && !shown.contains(&span.path)
    {
        let line = span.start.map_or(String::new(), |start| format!(":{}", start.line));
        add(format!("  --> {}{line}", span.path));
    }
    for note in diagnostic.notes.iter().filter(|note| !told(shown, &note.message)) {
        add(format!("  {}: {}", note.kind, note.message));
    }
    let drawn = shown.contains('\n');
    for suggestion in diagnostic.suggestions.iter().filter(|_| !drawn) {
        let sure = match suggestion.applicability {
            Applicability::MachineApplicable => "fix",
            _ => "possible fix",
        };
        let edits = suggestion.edits.iter().map(|edit| format!("`{}`", edit.replacement));
        add(format!("  {sure}: {} {}", suggestion.message, edits.collect::<Vec<_>>().join(", ")));
    }
    text
}

fn told(shown: &str, message: &str) -> bool {
    message.lines().next().is_none_or(|line| shown.contains(line.trim()))
}

fn left_out(rest: &[(Severity, String)]) -> String {
    let count = |wanted| rest.iter().filter(|(severity, _)| *severity == wanted).count();
    let named = |count: usize, word: &str| match count {
        0 => None,
        1 => Some(format!("1 {word}")),
        _ => Some(format!("{count} {word}s")),
    };
    let severities = [Severity::Error, Severity::Warning, Severity::Note];
    let parts: Vec<String> =
        severities.into_iter().filter_map(|one| named(count(one), word(one))).collect();
    if parts.is_empty() { String::new() } else { format!("\n\n… and {} more", parts.join(", ")) }
}

fn head(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn tail(text: &str, bytes: usize) -> &str {
    let mut start = text.len() - bytes.min(text.len());
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use salve_types::ErrorClass;

    fn said(severity: Severity, message: &str) -> Diagnostic {
        Diagnostic::new("rustc", severity, ErrorClass::Type, message)
    }

    #[test]
    fn r27_a_model_is_told_the_first_errors_in_full() {
        let many = [
            said(Severity::Warning, "unused"),
            said(Severity::Error, "type é"),
            said(Severity::Error, "type é"),
            said(Severity::Error, "another that is much longer than the budget lets it be"),
        ];
        assert_eq!(for_model(&many, 60), "error: type é\n\n… and 1 error, 1 warning more",);
        insta::assert_snapshot!(for_model(&many, 1000), @"
        error: type é

        error: another that is much longer than the budget lets it be

        warning: unused
        ");
    }

    #[test]
    fn r26_the_text_tells_how_the_run_ended() {
        let errors = [said(Severity::Error, "mismatched types")];
        let exited = RunEnding::Exited { code: 101 };
        assert_eq!(
            failure_text(&exited, &errors, "", "x", 99),
            "exit 101: error: mismatched types"
        );
        let killed = RunEnding::Signalled { signal: 9 };
        assert_eq!(
            failure_text(&killed, &[], "out", "npm notice", 99),
            "exit signal: npm notice\nout"
        );
        assert_eq!(
            failure_text(&killed, &[], "", " ", 99),
            "exit signal: ended by signal 9 and said nothing"
        );
    }

    proptest! {
        #[test]
        fn r27_the_budget_is_kept_and_no_character_is_split(
            messages in prop::collection::vec("[a-zé’😀 \\n]{0,80}", 0..12),
            budget in 0_usize..600,
        ) {
            let all: Vec<Diagnostic> =
                messages.iter().map(|message| said(Severity::Error, message)).collect();
            prop_assert!(for_model(&all, budget).len() <= budget);
            let ending = RunEnding::Exited { code: 1 };
            prop_assert!(failure_text(&ending, &all, "é", "😀", budget).len() <= budget.max(8));
            prop_assert!(failure_text(&ending, &[], &messages.join(""), &messages.join(""), budget).len() <= budget.max(8));
        }
    }
}
