//! One step of a turn, done.
//!
//! In: the turn and the work. Out: the turn one step further, and what is to be written into the store with it.
//! Never decides: the machine does. Never writes into the store: the flow does, once for each step.

mod answer;
mod attach;
mod commands;
mod finish;
mod help;
mod images;
mod notice;

pub use answer::{NewAnswer, take_answer, take_heal};
pub use commands::{supervisor_question, take_supervision};
pub use finish::{TurnReport, finish, offer_handoff};
pub use help::take_help;
pub(crate) use images::calls_of;
pub use images::{DrawEnd, KeptImage, begin_drawing, take_drawn};

use super::event::{EventName, PlannedBy, TurnEvent};
use super::input::TurnDecision;
use super::machine::{CheckEnd, Interruption, TurnMachine, TurnResult, TurnStep, WrittenChange};
use super::reply::{AnswerStage, ChatAnswer, read_answer, read_cleaned};
use super::review::{FileChoice, HeldIds, HunkChoice, ids_of};
use super::state::{SavedTurn, Waits};
use super::todos::linked;
use super::work::{CheckOutcome, EditsAbout, EditsOutcome, RefusedEdits, TurnWork, Writing};
use crate::heal::RepairError;
use salve_tree::ChangeSet;
use salve_types::{ChangeState, SessionChange, TodoItem};
use serde_json::json;
use std::collections::BTreeSet;

/// Does the step that the turn asks for, where it is not one for a model or a heal. `begun` notes that a
/// command is about to run, and tells whether that was noted before.
///
/// # Errors
/// When the workspace cannot be read or written.
pub fn perform(
    work: &TurnWork,
    saved: &mut SavedTurn,
    now: u64,
    begun: impl FnOnce() -> Result<bool, RepairError>,
) -> Result<(), RepairError> {
    if work.is_paused()? {
        return take(&mut saved.machine, TurnResult::Interrupted(Interruption::Paused));
    }
    let result = match saved.machine.next() {
        TurnStep::Plan => attach::plan(work, saved, now)?,
        TurnStep::Load(why) => attach::load(work, saved, why, now)?,
        TurnStep::Read => answer::read(work, saved, now),
        TurnStep::Apply => apply(work, saved, now, begun)?,
        TurnStep::Check => checked(saved, &work.check()?),
        TurnStep::Command(_) => commands::command(work, saved, now, begun)?,
        TurnStep::Shape => help::shape(work, saved),
        TurnStep::Intent => images::intent(work, saved),
        TurnStep::Ask(_)
        | TurnStep::Upload(_)
        | TurnStep::Supervise(_)
        | TurnStep::Help(_)
        | TurnStep::Draw
        | TurnStep::Heal
        | TurnStep::Done(_) => return Ok(()),
    };
    take(&mut saved.machine, result)?;
    answer::note_ticks(saved);
    notice::note_seen(saved);
    Ok(())
}

fn apply(
    work: &TurnWork,
    saved: &mut SavedTurn,
    now: u64,
    begun: impl FnOnce() -> Result<bool, RepairError>,
) -> Result<TurnResult, RepairError> {
    let decision = match saved.decision.take() {
        Some(TurnDecision::Run(run)) => return commands::early(work, saved, run, now, begun),
        decision => decision,
    };
    let turn = work.input().turn;
    saved.waits = None;
    if decision == Some(TurnDecision::No) {
        return Ok(declined(saved));
    }
    let choice = match &decision {
        Some(TurnDecision::Hunks(choice) | TurnDecision::Part(choice)) => {
            Some(choice.clone().settled(&saved.held))
        }
        _ => None,
    };
    let others = match (&decision, &choice) {
        (Some(TurnDecision::Part(_)), Some(choice)) => unnamed(&saved.held, choice),
        _ => BTreeSet::new(),
    };
    let is_first = saved.decided.choice.files.is_empty();
    let write = match &choice {
        Some(choice) => Writing::Chosen(choice),
        None if decision == Some(TurnDecision::Yes) => Writing::All,
        None if work.input().apply && is_first => Writing::All,
        None => Writing::Hold,
    };
    // What was decided about is over; of what is decided about later nothing is asked now.
    let left_out: BTreeSet<String> =
        saved.decided.choice.files.keys().chain(&others).cloned().collect();
    let mut taken = saved.decided.choice.clone();
    match &choice {
        Some(choice) => taken.files.extend(choice.files.clone()),
        None => taken.files.extend(saved.held.keys().map(|path| (path.clone(), FileChoice::Keep))),
    }
    let answer = answer_of(saved);
    let label = answer.summary.clone().unwrap_or_else(|| saved.request.clone());
    let label: String = label.lines().next().unwrap_or_default().chars().take(200).collect();
    let about = EditsAbout {
        number: (saved.machine.asked(), saved.decided.written),
        label: &label,
        micro_dollars: saved.machine.spent().micro_dollars,
        now,
        left_out: &left_out,
    };
    let outcome = work.apply(text_in_force(saved), &saved.bases, write, &about)?;
    let is_part = !others.is_empty();
    Ok(match outcome {
        EditsOutcome::Nothing | EditsOutcome::Left if is_part => {
            saved.decided.choice = taken;
            TurnResult::LeftPart
        }
        EditsOutcome::Nothing => TurnResult::NothingToApply,
        EditsOutcome::Left => declined(saved),
        EditsOutcome::Held(hunks) => {
            saved.held = ids_of(&hunks);
            let files: Vec<String> = saved.held.keys().cloned().collect();
            let payload = json!({ "files": files, "hunks": hunks });
            saved.effects.say(TurnEvent::new(EventName::EditsHeld, payload));
            saved.waits = Some(Waits::Edits { files });
            TurnResult::Held
        }
        EditsOutcome::Refused(refused) => was_refused(saved, &refused),
        EditsOutcome::Applied(change) => {
            attach::note_change(work.root(), saved, &change, turn, now);
            let in_parts = is_part || !is_first;
            let chosen = if in_parts { Some(&taken) } else { choice.as_ref() };
            let (mut todos, warnings) = todos_of(&answer, saved, chosen);
            if in_parts {
                // A task is done by the part that was the last of it.
                todos.retain(|todo| !saved.changes.iter().any(|kept| kept.todos.contains(todo)));
            }
            let written = WrittenChange { change: change.id.clone(), todos: todos.clone() };
            keep_change(saved, &change, turn, todos, &warnings);
            if !is_part {
                return Ok(TurnResult::Applied(written));
            }
            saved.decided.choice = taken;
            saved.decided.written += 1;
            TurnResult::AppliedPart(written)
        }
    })
}

// The files that wait and that a choice is not about.
fn unnamed(held: &HeldIds, choice: &HunkChoice) -> BTreeSet<String> {
    held.keys().filter(|path| !choice.files.contains_key(*path)).cloned().collect()
}

fn declined(saved: &mut SavedTurn) -> TurnResult {
    let payload = json!({ "code": "declined", "written": saved.decided.written });
    saved.effects.say(TurnEvent::new(EventName::EditsBlocked, payload));
    TurnResult::Declined
}

fn was_refused(saved: &mut SavedTurn, refused: &RefusedEdits) -> TurnResult {
    let RefusedEdits { code, message, detail, files, .. } = refused;
    let payload = json!({ "code": code, "message": message, "detail": detail, "files": files });
    saved.effects.say(TurnEvent::new(EventName::EditsBlocked, payload));
    saved.refusal = Some(refused.for_model.clone());
    saved.wanted.clone_from(&refused.files);
    saved.why = Some(format!("{message}: {detail}"));
    TurnResult::Refused { answerable: refused.answerable }
}

// One change set does what all its edits are for. A task that a file is for of which a person left a part is
// not done by the rest. A place in the list that there is not is only warned of.
fn todos_of(
    answer: &ChatAnswer,
    saved: &SavedTurn,
    choice: Option<&HunkChoice>,
) -> (Vec<String>, Vec<String>) {
    let links = answer.todo_links();
    let is_left = |path: &str| choice.is_some_and(|choice| !choice.keeps_all_of(plain(path)));
    let left: BTreeSet<u64> =
        links.iter().filter(|link| is_left(&link.path)).map(|link| link.todo_index).collect();
    let (mut todos, mut warnings) = (Vec::new(), Vec::new());
    for link in links.iter().filter(|link| !left.contains(&link.todo_index)) {
        match linked(&answer.todos, &saved.todos, link.todo_index) {
            Ok(todo) if todos.contains(&todo) => {}
            Ok(todo) => todos.push(todo),
            Err(out_of_range) => warnings.push(out_of_range.to_string()),
        }
    }
    (todos, warnings)
}

// A path as the workspace writes it.
fn plain(path: &str) -> &str {
    path.trim_start_matches("./")
}

fn keep_change(
    saved: &mut SavedTurn,
    change: &ChangeSet,
    turn: u32,
    todos: Vec<String>,
    warnings: &[String],
) {
    let files: Vec<_> = change
        .files
        .iter()
        .map(|file| {
            json!({
                "path": file.file_path,
                "added": file.stats.added,
                "removed": file.stats.removed,
                "isNewFile": file.is_new_file,
            })
        })
        .collect();
    let is_for = |todo: &TodoItem| todos.contains(&todo.id);
    let indexes: Vec<usize> = places(&saved.todos, is_for);
    let payload = json!({
        "change": change.id, "number": change.number, "files": files, "todos": todos,
        "todoIndexes": indexes, "warnings": warnings,
    });
    saved.effects.say(TurnEvent::new(EventName::EditsApplied, payload));
    let kept = SessionChange {
        change_id: change.id.clone(),
        turn,
        state: ChangeState::Applied,
        todos,
        micro_dollars: saved.machine.spent().micro_dollars,
        checked: None,
        parent_change: None,
    };
    saved.effects.changes.push(kept.clone());
    saved.changes.push(kept);
}

/// Returns the places of some tasks in the list, from 0.
fn places(list: &[TodoItem], is_meant: impl Fn(&TodoItem) -> bool) -> Vec<usize> {
    list.iter().enumerate().filter(|(_, todo)| is_meant(todo)).map(|(at, _)| at).collect()
}

fn checked(saved: &mut SavedTurn, found: &CheckOutcome) -> TurnResult {
    let verdict = match found.end {
        CheckEnd::Green => "green",
        CheckEnd::Red => "red",
        CheckEnd::Nothing => "nothing",
        CheckEnd::NotRun => "not_run",
    };
    let payload = json!({
        "verdict": verdict, "ran": found.ran, "missing": found.missing, "findings": found.findings,
    });
    saved.effects.say(TurnEvent::new(EventName::CheckFinished, payload));
    let passed = match found.end {
        CheckEnd::Green => Some(true),
        CheckEnd::Red => Some(false),
        CheckEnd::Nothing | CheckEnd::NotRun => None,
    };
    if found.end == CheckEnd::Red {
        saved.why = found.findings.first().cloned();
    }
    note_checked(saved, passed);
    TurnResult::Checked(found.end)
}

/// Notes what the check said of the changes since the last one.
fn note_checked(saved: &mut SavedTurn, passed: Option<bool>) {
    if passed.is_none() {
        return;
    }
    for change in saved.changes.iter_mut().filter(|change| change.checked != Some(true)) {
        change.checked = passed;
        saved.effects.changes.retain(|kept| kept.change_id != change.change_id);
        saved.effects.changes.push(change.clone());
    }
}

/// Reads the answer at hand.
pub(super) fn answer_of(saved: &SavedTurn) -> ChatAnswer {
    if saved.machine.draws() {
        return images::answer_of(&saved.drawing);
    }
    let answer = read_answer(&saved.text, saved.machine.is_whole());
    match &saved.cleaned {
        Some(cleaned) if answer.recovered => {
            // What it adds is not the answer's; then what was recovered is shown as it was.
            let again = read_cleaned(&saved.text, cleaned, saved.machine.is_whole());
            if again.recovered { answer } else { again }
        }
        _ => answer,
    }
}

/// Returns the text that the answer at hand was read from: its own, or the one that was written again.
pub(super) fn text_in_force(saved: &SavedTurn) -> &str {
    match &saved.cleaned {
        Some(cleaned) if answer_of(saved).stage == AnswerStage::ModelCleaned => cleaned,
        _ => &saved.text,
    }
}

/// Gives a turn the result of its step.
///
/// # Errors
/// When it is not one of that step.
pub fn take_result(machine: &mut TurnMachine, result: TurnResult) -> Result<(), RepairError> {
    take(machine, result)
}

fn take(machine: &mut TurnMachine, result: TurnResult) -> Result<(), RepairError> {
    machine.take(result).map_err(|error| RepairError::Io(error.to_string()))
}
