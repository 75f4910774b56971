//! The end of a turn, or of what can be done of it without a person.
//!
//! In: a turn that is over. Out: its report, its status, and the event that says so. Never an end that hides
//! what waits.

use super::super::handoff::{HandoffChoice, is_near_limit};
use super::super::machine::{AttentionCode, TurnEnding, TurnStep};
use super::super::multi_step::{concerns_in, ensure_continue, is_multi_step, too_many_steps};
use super::super::state::{SavedTurn, Waits};
use super::super::status::{StatusFacts, status_line};
use super::super::work::TurnWork;
use super::{EventName, TurnEvent, answer_of};
use crate::heal::RepairError;
use salve_types::{SessionId, TodoItem, TurnStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a turn came to, as other programs read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnReport {
    /// The session.
    pub session: SessionId,
    /// Which turn of it.
    pub turn: u32,
    /// How it ended.
    pub ending: TurnEnding,
    /// The same, as the store has it.
    pub status: TurnStatus,
    /// How it is, what is left to do and what it took, in one line.
    #[serde(default)]
    pub status_line: String,
    /// What the answer is about.
    pub summary: Option<String>,
    /// The change sets that were written, in order.
    pub changes: Vec<String>,
    /// The result in the shape that the caller wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// How many images it made.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub images: u32,
    /// What waits for a person.
    pub waits: Option<Waits>,
    /// Why it ended as it did, where it did not complete.
    pub why: Option<String>,
    /// How often the model was asked.
    pub asked: u32,
    /// The tokens of all calls, those of heals included.
    pub tokens: u64,
    /// Their price in millionths of a dollar, that of the searches included.
    pub micro_dollars: u64,
    /// How often the provider searched in files it was given.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub searches: u64,
}

/// Ends a turn that is over, for good or until it is told to go on.
///
/// # Errors
/// When it is not over.
pub fn finish(work: &TurnWork, saved: &mut SavedTurn) -> Result<TurnReport, RepairError> {
    let TurnStep::Done(ending) = saved.machine.next() else {
        return Err(RepairError::Io("the turn is not over".to_owned()));
    };
    let status = status_of(ending);
    let why = match ending {
        TurnEnding::Completed => None,
        TurnEnding::NeedsAttention(code) => {
            let words = code.in_words();
            let detail = saved.why.take().filter(|why| !why.is_empty());
            Some(detail.map_or_else(|| words.to_owned(), |why| format!("{words}: {why}")))
        }
        _ => saved.why.take(),
    };
    let mut answer = answer_of(saved);
    let is_open = |todo: &TodoItem| !todo.completed && !todo.claimed;
    if ending == TurnEnding::Completed && saved.todos.iter().any(is_open) {
        ensure_continue(&mut answer.next_steps);
    }
    let spent = saved.machine.spent();
    let report = TurnReport {
        session: work.input().session.clone(),
        turn: work.input().turn,
        ending,
        status,
        status_line: status_line(&facts_of(saved, status)),
        summary: answer.summary.clone().or_else(|| answer.plain_text.clone()),
        changes: saved.changes.iter().map(|change| change.change_id.clone()).collect(),
        output: saved.output.clone(),
        images: saved.drawing.tally().0,
        waits: saved.waits.clone(),
        why,
        asked: saved.machine.asked(),
        tokens: spent.tokens,
        micro_dollars: spent.micro_dollars,
        searches: saved.uploads.searches,
    };
    saved.effects.status = Some(status);
    let name = match ending {
        TurnEnding::Failed => EventName::TurnFailed,
        TurnEnding::Cancelled => EventName::TurnCancelled,
        _ => EventName::RequestComplete,
    };
    let mut payload = json!({
        "status": status, "ending": ending, "why": report.why, "waits": report.waits,
        "statusLine": report.status_line, "changes": report.changes, "tokens": spent.tokens,
        "microDollars": spent.micro_dollars,
    });
    if report.searches > 0 {
        payload["searches"] = json!(report.searches);
    }
    if name == EventName::RequestComplete {
        let concerns = concerns_in(&saved.request).len();
        let steps = answer.todos.len().max(saved.todos.len());
        payload["multiStep"] = json!(is_multi_step(steps, answer.file_changes.len(), concerns));
        payload["tooManySteps"] = json!(too_many_steps(&answer));
        payload["structured"] = json!(answer);
        if let Some(output) = &report.output {
            payload["output"] = output.clone();
        }
        payload["diffPreview"] = json!(saved.preview);
    } else {
        payload["retry"] = json!(true);
    }
    saved.effects.say(TurnEvent::new(name, payload));
    saved.report = Some(report.clone());
    Ok(report)
}

fn is_zero<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}

fn facts_of(saved: &SavedTurn, status: TurnStatus) -> StatusFacts {
    let (waiting_changes, waiting_commands) = match &saved.waits {
        Some(Waits::Edits { files }) => (files.len(), 0),
        Some(Waits::Command { .. } | Waits::Images { .. }) => (0, 1),
        Some(Waits::Commands { commands, .. }) => (0, commands.len()),
        None => (0, usize::try_from(saved.machine.skipped()).unwrap_or(usize::MAX)),
    };
    StatusFacts {
        status,
        applied: saved.preview.len(),
        waiting_changes,
        waiting_commands,
        tokens: saved.machine.spent().tokens,
    }
}

/// Offers a handoff where the window of the session is nearly full: `fullness` is what is used of it, and its size.
pub fn offer_handoff(saved: &mut SavedTurn, fullness: Option<(u64, u64)>) {
    let Some((used, limit)) = fullness.filter(|(used, limit)| is_near_limit(*used, *limit)) else {
        return;
    };
    let choices = [HandoffChoice::Handoff, HandoffChoice::Extend, HandoffChoice::Cancel];
    let payload = json!({
        "used": used, "limit": limit, "percent": used.saturating_mul(100) / limit.max(1),
        "choices": choices.map(HandoffChoice::label),
    });
    saved.effects.say(TurnEvent::new(EventName::HandoffOffered, payload));
}

const fn status_of(ending: TurnEnding) -> TurnStatus {
    match ending {
        TurnEnding::Completed => TurnStatus::Completed,
        TurnEnding::Waiting | TurnEnding::OverBudget | TurnEnding::Paused => TurnStatus::Waiting,
        TurnEnding::NeedsAttention(AttentionCode::Recovered) => TurnStatus::CompletedPartial,
        TurnEnding::NeedsAttention(_) => TurnStatus::NeedsAttention,
        TurnEnding::Failed => TurnStatus::Failed,
        TurnEnding::Cancelled => TurnStatus::Cancelled,
    }
}
