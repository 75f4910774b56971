//! An answer that came: kept first, then read.
//!
//! In: what the child that asked the model came to. Out: the text of the answer beside the turn, its facts for
//! the machine, and the events that show it. Never anything to apply or run of an answer that is not whole.

use super::super::bug::bugs_of;
use super::super::machine::{AnswerFacts, Interruption, TurnResult};
use super::super::reply::{ChatAnswer, blocked_banner, recovery_banner};
use super::super::state::{DecidedPart, SavedTurn};
use super::super::todos::merge_todos;
use super::super::work::TurnWork;
use super::{EventName, TurnEvent, answer_of, note_checked, places, take};
use crate::heal::{HaltReason, HealReport, Outcome, RepairError};
use salve_text::{EditOptions, parse_edits};
use salve_types::{ChangeState, SessionChange, Spend, Timestamp, TodoItem, Usage};
use serde_json::json;

/// What the child that asked the model came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewAnswer {
    /// The text, and its id in the store; nothing when there is none.
    pub text: Option<(String, String)>,
    /// Whether it is proven to be whole.
    pub whole: bool,
    /// Whether a budget is used up.
    pub over_budget: bool,
    /// Why there is none, or why it is not whole.
    pub why: Option<String>,
    /// The id of the text of the standing instructions.
    pub system: Option<String>,
    /// Who answered.
    pub model: Option<String>,
    /// Why the answer ended, as its provider says.
    pub finish_reason: Option<String>,
    /// What the provider counted.
    pub usage: Usage,
    /// What it took, at worst where that was not said.
    pub spent: Spend,
}

/// Takes an answer: its text is kept before anything has read it.
///
/// # Errors
/// Never, while the turn asks a model.
pub fn take_answer(saved: &mut SavedTurn, new: NewAnswer) -> Result<(), RepairError> {
    let NewAnswer { text, whole, over_budget, why, system, model, finish_reason, usage, spent } =
        new;
    (saved.effects.usage, saved.effects.system) = (usage, system);
    saved.uploads.searches = saved.uploads.searches.saturating_add(usage.search_calls);
    saved.effects.micro_dollars = spent.micro_dollars;
    (saved.effects.model, saved.effects.finish_reason) = (model, finish_reason);
    // It was told to the model with this question.
    saved.ran.clear();
    (saved.cleaned, saved.shaped) = (None, None);
    saved.refusal = None;
    if let Some((_, id)) = &text {
        saved.effects.raw = Some(id.clone());
        saved.effects.partial = Some(!whole);
    }
    // What there is of it is kept; with more to spend it is asked for again.
    match text.filter(|_| whole || !over_budget) {
        Some((text, id)) => {
            (saved.text, saved.text_id) = (text, Some(id));
            saved.why = why.filter(|_| !whole);
            take(&mut saved.machine, TurnResult::Answered { whole, spent })
        }
        None => {
            saved.why = why;
            take(&mut saved.machine, TurnResult::NoAnswer { over_budget, spent })
        }
    }
}

/// Reads the answer at hand, and says what is in it.
pub(super) fn read(work: &TurnWork, saved: &mut SavedTurn, now: u64) -> TurnResult {
    let answer = answer_of(saved);
    let turn = work.input().turn;
    let readable = !answer.is_empty();
    let (edits, commands) = (has_edits(&answer), answer.commands.len());
    let facts = AnswerFacts {
        recovered: answer.recovered,
        readable,
        unformed: answer.recovered && saved.cleaned.is_none(),
        // Talk about a secret asks for nothing.
        redacted: answer.redacted_in_action && (edits || commands > 0),
        edits,
        commands: u32::try_from(commands).unwrap_or(u32::MAX),
    };
    // What is written again first is shown as it is then.
    if saved.machine.is_to_be_cleaned(facts) {
        return TurnResult::ReadAnswer(facts);
    }
    // What is left of the commands before waits on, unless the answer has others in their place.
    if facts.edits || facts.commands > 0 {
        saved.batch = None;
        saved.decided = DecidedPart::default();
    }
    saved.effects.result = serde_json::to_value(&answer).ok();
    let at = Timestamp(i64::try_from(now).unwrap_or(i64::MAX));
    for bug in bugs_of(&answer, !saved.machine.is_whole(), turn, at) {
        saved.effects.say(TurnEvent::new(EventName::BugFiled, json!(bug)));
        saved.effects.bugs.push(bug);
    }
    if answer.recovered {
        show_recovered(saved, &answer);
    } else if !answer.todos.is_empty() {
        let mut number = saved.todos.len();
        let new_id = || {
            number += 1;
            format!("t{turn}-{number}")
        };
        let merged = merge_todos(&saved.todos, &answer.todos, turn, new_id);
        set_todos(saved, merged);
    }
    for (number, command) in answer.actionable_commands().iter().enumerate() {
        let payload = json!({
            "number": number, "command": command.command, "description": command.description,
            "cwd": command.cwd,
        });
        saved.effects.say(TurnEvent::new(EventName::CommandSuggested, payload));
    }
    TurnResult::ReadAnswer(facts)
}

// A plain text may show code without meaning an edit: one that names no file is none.
fn has_edits(answer: &ChatAnswer) -> bool {
    if !answer.file_changes.is_empty() {
        return true;
    }
    let Some(text) = &answer.plain_text else { return false };
    let edits = parse_edits(text, &EditOptions::default());
    !edits.files.is_empty() && edits.files.iter().all(|file| file.path.is_some())
}

fn show_recovered(saved: &mut SavedTurn, answer: &ChatAnswer) {
    let blocked = match answer.file_changes.len() {
        0 => None,
        changes => Some(blocked_banner(changes)),
    };
    let banner = recovery_banner(answer);
    let payload = json!({
        "banner": banner, "blocked": blocked, "structured": answer, "actions": ["retry", "continue"],
    });
    saved.effects.say(TurnEvent::new(EventName::RecoveryBanner, payload));
}

fn set_todos(saved: &mut SavedTurn, todos: Vec<TodoItem>) {
    if saved.todos != todos {
        let is_new = |todo: &TodoItem| {
            todo.completed && !saved.todos.iter().any(|one| one.id == todo.id && one.completed)
        };
        let completed = places(&todos, is_new);
        saved.todos = todos;
        saved.effects.todos = Some(saved.todos.clone());
        let payload = json!({ "todos": saved.todos, "completedTodoIndexes": completed });
        saved.effects.say(TurnEvent::new(EventName::TodosUpdated, payload));
    }
}

/// Notes the tasks that changes have done by now.
pub(super) fn note_ticks(saved: &mut SavedTurn) {
    let mut todos = saved.todos.clone();
    for tick in saved.machine.ticked() {
        if let Some(todo) = todos.iter_mut().find(|todo| todo.id == tick.todo && !todo.completed) {
            todo.completed = true;
            todo.completed_by = Some(tick.change.clone());
        }
    }
    set_todos(saved, todos);
}

/// Takes what a heal came to.
///
/// # Errors
/// Never, while the turn waits for a heal.
pub fn take_heal(
    work: &TurnWork,
    saved: &mut SavedTurn,
    healed: Result<HealReport, String>,
    now: u64,
) -> Result<(), RepairError> {
    let report = match healed {
        Ok(report) => report,
        Err(why) => {
            saved.effects.say(TurnEvent::new(EventName::HealFinished, json!({ "error": why })));
            saved.why = Some(why);
            return take(
                &mut saved.machine,
                TurnResult::Healed { green: false, spent: Spend::default() },
            );
        }
    };
    // A fix that was found and not applied leaves the files red.
    let is_there = report.change.is_some() || report.ending == Outcome::FirstTrySuccess;
    let green = report.ending.is_success() && is_there;
    let micro_dollars = (report.cost * 1e6).round().max(0.0) as u64;
    let payload = json!({
        "outcome": report.outcome, "green": green, "change": report.change, "files": report.files,
        "attempts": report.attempts, "modelCalls": report.model_calls, "remaining": report.remaining,
        "story": report.story,
    });
    saved.effects.say(TurnEvent::new(EventName::HealFinished, payload));
    saved.effects.micro_dollars = micro_dollars;
    let turn = work.input().turn;
    if let Some(change) = report.change.clone().filter(|change| !change.is_empty()) {
        super::attach::note_files(work.root(), saved, &report.files, turn, now);
        super::notice::note_seen(saved);
        let parent = saved.changes.last().map(|change| change.change_id.clone());
        let kept = SessionChange {
            change_id: change,
            turn,
            state: ChangeState::Applied,
            todos: Vec::new(),
            micro_dollars,
            checked: None,
            parent_change: parent,
        };
        saved.effects.changes.push(kept.clone());
        saved.changes.push(kept);
    }
    if green {
        note_checked(saved, Some(true));
        saved.why = None;
    } else {
        saved.why = report.remaining.first().cloned().or_else(|| saved.why.take());
    }
    // A heal that was interrupted is begun again when the turn goes on.
    let interruption = match report.ending {
        Outcome::Paused { reason: HaltReason::ControlFile } => Some(Interruption::Paused),
        Outcome::Paused { reason: HaltReason::Budget | HaltReason::Tokens } => {
            Some(Interruption::Budget)
        }
        _ => None,
    };
    if let Some(interruption) = interruption {
        return take(&mut saved.machine, TurnResult::Interrupted(interruption));
    }
    let spent = Spend { tokens: report.tokens, micro_dollars };
    take(&mut saved.machine, TurnResult::Healed { green, spent })?;
    note_ticks(saved);
    Ok(())
}
