//! What a heal did, in the store: attempts by error, the decision, the counts of the breaker.
//!
//! In: a heal that is over. Out: rows that later heals and people read. Never a text of a file: what a fix
//! does is told by its description and its hash.

use super::machine::{Attempt, AttemptResult, Confidence};
use super::{HealInput, HealReport, SavedHeal};
use salve_store::{DecisionType, HealCount, NewDecision, NewHealAttempt, Store, StoreError};

/// Keeps what a heal did. Keeping it again changes nothing.
///
/// # Errors
/// When the database refuses.
pub async fn record(
    store: &Store,
    job: &str,
    input: &HealInput,
    saved: &SavedHeal,
    report: &HealReport,
) -> Result<(), StoreError> {
    let machine = &saved.machine;
    let workspace = input.root.display().to_string();
    let errors: Vec<(String, String)> = machine
        .baseline()
        .errors
        .iter()
        .map(|error| (error.exact.clone(), error.message.clone()))
        .collect();
    for attempt in machine.attempts() {
        store.add_heal_attempt(row(job, &workspace, &errors, attempt)).await?;
    }
    let changes = machine.breaker_changes();
    let left = errors.iter().filter(|(exact, _)| changes.unhealed.contains(exact)).cloned();
    let count = HealCount {
        heal: job.to_owned(),
        workspace: workspace.clone(),
        unhealed: left.collect(),
        healed: changes.healed.into_iter().collect(),
    };
    store.count_heal(count).await?;
    let accepted = machine.attempts().iter().rev().find(|one| one.result == AttemptResult::Healed);
    if let (Some(attempt), true) = (accepted, report.change.is_some()) {
        store.add_decision(decision(job, workspace, &errors, attempt)).await?;
    }
    Ok(())
}

fn row(
    job: &str,
    workspace: &str,
    errors: &[(String, String)],
    attempt: &Attempt,
) -> NewHealAttempt {
    NewHealAttempt {
        heal: job.to_owned(),
        number: attempt.number,
        workspace: workspace.to_owned(),
        errors: errors.to_vec(),
        source: attempt.source.name().to_owned(),
        tier: attempt.role.map(|role| role.name().to_owned()),
        author: attempt.author.clone(),
        description: attempt.description.clone(),
        fix: attempt.hash.clone(),
        result: attempt.result.name().to_owned(),
        detail: attempt.result.in_words(),
        failed: attempt.result.proves_no_use(),
        tokens: attempt.tokens,
        milliseconds: attempt.milliseconds,
    }
}

fn decision(
    job: &str,
    workspace: String,
    errors: &[(String, String)],
    attempt: &Attempt,
) -> NewDecision {
    let error = errors.first().map(|(_, text)| text.as_str()).unwrap_or_default();
    let from = if attempt.role.is_some() { "fixed by AI repair" } else { "fixed without a model" };
    let why = match attempt.description.trim() {
        "" => "no reasoning supplied",
        said => said,
    };
    NewDecision {
        key: errors.first().map(|(exact, _)| exact.clone()).unwrap_or_default(),
        job: job.to_owned(),
        workspace,
        decision_type: DecisionType::Repair,
        choice: attempt.description.clone(),
        reasoning: Some(format!("compiler error: {error}; {from} ({why})")),
        model_id: match attempt.role {
            Some(_) => attempt.author.clone(),
            None => "deterministic".to_owned(),
        },
        confidence: match attempt.confidence {
            Confidence::Stated(number) => Some(number),
            Confidence::Unstated | Confidence::Unusable(_) => None,
        },
        ..NewDecision::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heal::FixSource;
    use salve_model::Role;

    #[test]
    fn r39_r40_a_decision_says_what_was_wrong_and_who_mended_it() {
        let errors = [("exact".to_owned(), "no such name".to_owned())];
        let made = |role: Option<Role>, description: &str| {
            let attempt = Attempt {
                number: 1,
                source: if role.is_some() { FixSource::Model } else { FixSource::Fixer },
                role,
                author: "author".to_owned(),
                description: description.to_owned(),
                hash: String::new(),
                confidence: Confidence::Unstated,
                result: AttemptResult::Healed,
                errors_left: Some(0),
                tokens: 0,
                milliseconds: 0,
            };
            let made = decision("job", "place".to_owned(), &errors, &attempt);
            (made.reasoning.unwrap_or_default(), made.model_id, made.pin.is_some())
        };
        let said = |words: &str| format!("compiler error: no such name; {words}");
        assert_eq!(
            made(Some(Role::Fast), "spelt right"),
            (said("fixed by AI repair (spelt right)"), "author".to_owned(), false)
        );
        assert_eq!(
            made(Some(Role::Fast), " ").0,
            said("fixed by AI repair (no reasoning supplied)")
        );
        assert_eq!(made(None, "import").1, "deterministic");
    }
}
