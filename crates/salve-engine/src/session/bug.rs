//! Faults of answers that Salve notices by itself.
//!
//! In: an answer. Out: reports for the session's list. Never one about a whole answer in the agreed form.

use super::reply::{AnswerStage, ChatAnswer};
use salve_types::{BugBy, BugKind, BugReport, Timestamp};

/// What is reported when an answer had to be repaired or recovered.
pub const JSON_CLEANUP: &str = "Auto-detected: Response required JSON cleanup";
/// What is reported, and shown, when an answer was cut.
pub const TRUNCATED: &str = "Response was truncated!";
/// What is reported when next steps are plain strings.
pub const LEGACY_STEPS: &str = "Auto-detected: nextSteps used the legacy string format";

/// Lists the faults of an answer; `cut` says that it was proven incomplete.
#[must_use]
pub fn bugs_of(answer: &ChatAnswer, cut: bool, turn: u32, at: Timestamp) -> Vec<BugReport> {
    let faults = [
        (cut, BugKind::Other, TRUNCATED),
        (!cut && answer.stage != AnswerStage::Direct, BugKind::Json, JSON_CLEANUP),
        (answer.next_steps.iter().any(|step| step.legacy), BugKind::Other, LEGACY_STEPS),
    ];
    let report = |(_, kind, description): (bool, BugKind, &str)| BugReport {
        kind,
        by: BugBy::Script,
        description: description.to_owned(),
        turn,
        at,
    };
    faults.into_iter().filter(|fault| fault.0).map(report).collect()
}

/// Returns what a kind is called in the documents.
#[must_use]
pub const fn bug_label(kind: BugKind) -> &'static str {
    match kind {
        BugKind::Json => "JSON",
        BugKind::Other => "Other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::reply::read_answer;

    #[test]
    fn c164_c175_c178_faults_are_reported() {
        let whole = r#"{"summary": "s", "nextSteps": [{"html": "a", "inputText": "b"}]}"#;
        let legacy = r#"{"summary": "s", "nextSteps": ["run tests"]}"#;
        for (text, cut, expected) in [
            (whole, false, vec![]),
            ("Just words.", false, vec![]),
            (
                &whole.replace("]}", "],}"),
                false,
                vec!["JSON: Auto-detected: Response required JSON cleanup"],
            ),
            (&whole[..40], true, vec!["Other: Response was truncated!"]),
            (legacy, false, vec!["Other: Auto-detected: nextSteps used the legacy string format"]),
        ] {
            let bugs = bugs_of(&read_answer(text, !cut), cut, 3, Timestamp(7));
            let shown: Vec<String> = bugs
                .iter()
                .map(|bug| format!("{}: {}", bug_label(bug.kind), bug.description))
                .collect();
            assert_eq!(shown, expected, "{text}");
            assert!(bugs.iter().all(|bug| bug.by == BugBy::Script && bug.turn == 3));
        }
    }
}
