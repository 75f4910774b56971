//! Faults of answers that Salve notices by itself, or that the user reports.
//!
//! In: an answer, or words of the user. Out: reports for the session's list. Never one about a whole answer in the agreed form.

use super::event::EventName;
use super::reply::{AnswerStage, ChatAnswer};
use salve_store::{NewSessionEvent, SessionWrite};
use salve_types::{BugBy, BugKind, BugReport, SessionId, Timestamp};
use serde_json::json;

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

/// Returns the write that keeps a fault which the user reports, with its event. Each report has a key of its own.
#[must_use]
pub fn filed_by_user(
    session: &SessionId,
    turn: u32,
    description: &str,
    at: Timestamp,
    key: String,
) -> SessionWrite {
    let (kind, by) = (BugKind::Other, BugBy::User);
    let payload = json!({ "type": bug_label(kind), "by": by, "description": description });
    let name = EventName::BugFiled.name().to_owned();
    let event = NewSessionEvent { turn: (turn > 0).then_some(turn), name, payload };
    let bug = BugReport { kind, by, description: description.to_owned(), turn, at };
    SessionWrite { events: vec![event], bugs: vec![bug], ..SessionWrite::new(session.clone(), key) }
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
