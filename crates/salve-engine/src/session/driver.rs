//! One step of a turn, done.
//!
//! In: the turn and the work. Out: the turn one step further, and what is to be written into the store with it.
//! Never decides: the machine does. Never writes into the store: the flow does, once for each step.

mod answer;
mod attach;
mod finish;
mod help;
mod notice;

pub use answer::{NewAnswer, take_answer, take_heal};
pub use finish::{TurnReport, finish};
pub use help::take_help;

use super::event::{EventName, PlannedBy, TurnEvent};
use super::input::TurnDecision;
use super::machine::{
    CheckEnd, CommandEnd, Interruption, TurnMachine, TurnResult, TurnStep, WrittenChange,
};
use super::reply::{AnswerStage, ChatAnswer, read_answer, read_cleaned};
use super::state::{RanCommand, SavedTurn, Waits};
use super::todos::linked;
use super::work::{CheckOutcome, CommandOutcome, EditsOutcome, RefusedEdits, TurnWork};
use crate::heal::RepairError;
use salve_tree::ChangeSet;
use salve_types::{ChangeState, CommandBy, CommandResult, SessionChange, Timestamp, TodoItem};
use serde_json::json;

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
        TurnStep::Apply => apply(work, saved, now)?,
        TurnStep::Check => checked(saved, &work.check()?),
        TurnStep::Command(number) => command(work, saved, number, now, begun)?,
        TurnStep::Shape => help::shape(work, saved),
        TurnStep::Ask(_) | TurnStep::Help(_) | TurnStep::Heal | TurnStep::Done(_) => return Ok(()),
    };
    take(&mut saved.machine, result)?;
    answer::note_ticks(saved);
    notice::note_seen(saved);
    Ok(())
}

fn apply(work: &TurnWork, saved: &mut SavedTurn, now: u64) -> Result<TurnResult, RepairError> {
    let decision = saved.decision.take();
    let turn = work.input().turn;
    saved.waits = None;
    if decision == Some(TurnDecision::No) {
        saved.effects.say(TurnEvent::new(EventName::EditsBlocked, json!({ "code": "declined" })));
        return Ok(TurnResult::Declined);
    }
    let write = work.input().apply || decision == Some(TurnDecision::Yes);
    let answer = answer_of(saved);
    let label = answer.summary.clone().unwrap_or_else(|| saved.request.clone());
    let label: String = label.lines().next().unwrap_or_default().chars().take(200).collect();
    let about = (saved.machine.asked(), label.as_str(), saved.machine.spent().micro_dollars, now);
    let outcome = work.apply(text_in_force(saved), &saved.bases, write, about)?;
    Ok(match outcome {
        EditsOutcome::Nothing => TurnResult::NothingToApply,
        EditsOutcome::Held(files) => {
            saved.effects.say(TurnEvent::new(EventName::EditsHeld, json!({ "files": files })));
            saved.waits = Some(Waits::Edits { files });
            TurnResult::Held
        }
        EditsOutcome::Refused(refused) => was_refused(saved, &refused),
        EditsOutcome::Applied(change) => {
            attach::note_change(work.root(), saved, &change, turn, now);
            let (todos, warnings) = todos_of(&answer, saved);
            let written = WrittenChange { change: change.id.clone(), todos: todos.clone() };
            keep_change(saved, &change, turn, todos, &warnings);
            TurnResult::Applied(written)
        }
    })
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

// One change set does what all its edits are for. A place in the list that there is not is only warned of.
fn todos_of(answer: &ChatAnswer, saved: &SavedTurn) -> (Vec<String>, Vec<String>) {
    let (mut todos, mut warnings) = (Vec::new(), Vec::new());
    for link in answer.todo_links() {
        match linked(&answer.todos, &saved.todos, link.todo_index) {
            Ok(todo) if todos.contains(&todo) => {}
            Ok(todo) => todos.push(todo),
            Err(out_of_range) => warnings.push(out_of_range.to_string()),
        }
    }
    (todos, warnings)
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

fn command(
    work: &TurnWork,
    saved: &mut SavedTurn,
    number: u32,
    now: u64,
    begun: impl FnOnce() -> Result<bool, RepairError>,
) -> Result<TurnResult, RepairError> {
    let decision = saved.decision.take();
    saved.waits = None;
    let answer = answer_of(saved);
    let place = usize::try_from(number).unwrap_or(usize::MAX);
    let Some(command) = answer.actionable_commands().get(place).cloned() else {
        return Ok(TurnResult::Command(CommandEnd::Denied));
    };
    let agreed = decision == Some(TurnDecision::Yes);
    let outcome = if decision == Some(TurnDecision::No) {
        CommandOutcome::Denied { why: "a person said no".to_owned() }
    } else if begun()? {
        interrupted()
    } else {
        work.run_command(&command, agreed, saved.attended)?
    };
    let line = command.command;
    let mut told = json!({ "number": number, "command": line });
    let (state, end) = match outcome {
        CommandOutcome::Ran(run) => {
            told["exit"] = json!(run.exit);
            told["ok"] = json!(run.ok);
            told["durationMs"] = json!(run.duration_ms);
            told["output"] = json!(run.shown);
            saved.effects.commands.push(CommandResult {
                command: line.clone(),
                cwd: run.cwd,
                exit: run.exit,
                duration_ms: run.duration_ms,
                output: None,
                shown: run.shown,
                by: CommandBy::Ai,
                turn: work.input().turn,
                at: Timestamp(i64::try_from(now).unwrap_or(i64::MAX)),
            });
            if !run.ok {
                saved.why = Some(format!("`{line}` failed"));
            }
            saved.ran.push(RanCommand { command: line, output: run.for_model, ok: run.ok });
            ("ran", CommandEnd::Ran { ok: run.ok })
        }
        CommandOutcome::Waits { why } => {
            told["why"] = json!(why);
            saved.waits = Some(Waits::Command { command: line, why });
            ("waiting", CommandEnd::Waits)
        }
        CommandOutcome::Skipped { why } => {
            told["why"] = json!(why);
            saved.why = Some(format!("`{line}` waits for a person: {why}"));
            ("skipped", CommandEnd::Skipped)
        }
        CommandOutcome::Denied { why } => {
            told["why"] = json!(why);
            ("denied", CommandEnd::Denied)
        }
    };
    told["state"] = json!(state);
    saved.effects.say(TurnEvent::new(EventName::CommandFinished, told));
    Ok(TurnResult::Command(end))
}

// A process died while it ran. Whether it did what it is for is not known, and it is not run twice.
fn interrupted() -> CommandOutcome {
    let words = "(interrupted: Salve was ended while it ran; it was not run again)".to_owned();
    CommandOutcome::Ran(Box::new(super::work::RunOutcome {
        ok: false,
        exit: None,
        duration_ms: 0,
        cwd: String::new(),
        shown: words.clone(),
        for_model: words,
    }))
}

/// Reads the answer at hand.
pub(super) fn answer_of(saved: &SavedTurn) -> ChatAnswer {
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
