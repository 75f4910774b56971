//! One step of the loop, done.
//!
//! In: the loop and the work. Out: the loop one step further, what it found kept for the next fix, and
//! events for the caller that watches. Foreground and durable job call the same functions. Never decides:
//! the loop does.

use super::context::target_of;
use super::lessons::keep_lesson;
use super::machine::{
    AskTier, Candidate, Confidence, EarlierTry, Loop, Step, StepResult, TrialResult, WrongResult,
};
use super::{
    AgentTurn, Context, FailedAttempt, FixOrigin, FixSource, HaltReason, HealInput, HealPrompt,
    HealWork, RepairError, SavedHeal, changed_lines, heal_prompt, read_answer,
};
use crate::knowledge::Recalled;
use salve_model::Attempt;
use serde_json::{Value, json};

/// Does the step that the loop asks for, where it is not one for a model. `recalled` is what is known of the
/// errors, where the step asks for that.
///
/// # Errors
/// When a toolchain cannot be run, or a file cannot be read or written.
pub fn perform(
    work: &HealWork,
    saved: &mut SavedHeal,
    recalled: &Recalled,
    now: u64,
) -> Result<Vec<Value>, RepairError> {
    let known = saved.machine.attempts().len();
    if work.is_paused()? {
        take(&mut saved.machine, StepResult::Interrupted(HaltReason::ControlFile))?;
        return Ok(Vec::new());
    }
    heed_the_tree(work, saved)?;
    let mut events = Vec::new();
    match saved.machine.next() {
        Step::Check => {
            let (seen, flaky) = work.check()?;
            saved.flaky = flaky;
            saved.tools.clone_from(&seen.tools);
            events.push(json!({
                "event": "checked", "green": seen.is_green(), "errors": seen.diagnostics.len(),
                "flaky": saved.flaky, "ran": saved.tools.ran, "missing": saved.tools.missing,
            }));
            take(&mut saved.machine, StepResult::Checked(seen.summary()))?;
            saved.baseline.clone_from(&seen.diagnostics);
            saved.diagnostics = seen.diagnostics;
            saved.tree = Some(work.tree_name()?);
            work.files().checkpoint(0, &saved.machine.best().patch)?;
        }
        Step::Propose(source) => {
            if source == FixSource::Fixer {
                work.add_code_fixes(saved)?;
            }
            let candidates = work.propose(source, saved, recalled);
            let candidates = match candidates {
                Ok(candidates) => candidates,
                Err((author, why)) => {
                    saved.machine.note_unusable(source, &author, why.to_string());
                    Vec::new()
                }
            };
            take(&mut saved.machine, StepResult::Proposed(candidates))?;
        }
        Step::Consult(wave) => {
            let consulted = work.consult(wave, saved);
            let told = |turn: &AgentTurn| {
                json!({
                    "event": "agent", "agent": turn.agent, "asked": turn.asked,
                    "code": turn.code, "detail": turn.detail,
                })
            };
            events.extend(consulted.turns.iter().map(told));
            saved.agents.extend(consulted.turns);
            saved.advice.extend(consulted.advice);
            take(&mut saved.machine, StepResult::Proposed(consulted.candidates))?;
        }
        Step::Try(candidates) => tried(work, saved, &candidates, &mut events)?,
        Step::Confirm(candidate) => {
            let confirmation = work.confirm(&candidate, saved)?;
            take(&mut saved.machine, StepResult::Confirmed(confirmation))?;
            // Of a part that is kept, the steps that led to it are known already.
            if saved.machine.accepted().is_some_and(|accepted| !accepted.partial) {
                let before = (saved.machine.best().patch.clone(), saved.diagnostics.clone());
                keep_lesson(work, saved, &candidate, (&before.0, &before.1), &[]);
            }
        }
        Step::RollBack(catastrophe) => {
            let result = work.roll_back(&catastrophe, saved, now);
            events.push(json!({ "event": "rollback", "failures": catastrophe.failures }));
            take(&mut saved.machine, result)?;
            saved.diagnostics.clone_from(&saved.baseline);
            saved.lessons.clear();
        }
        Step::Ask(_) | Step::Done(_) => {}
    }
    events.extend(attempts_since(&saved.machine, known));
    events.extend(what_is_next(&saved.machine));
    Ok(events)
}

// What takes time is announced, so that a person sees what is being waited for.
fn what_is_next(machine: &Loop) -> Option<Value> {
    match machine.next() {
        Step::Check => Some(json!({ "event": "next", "step": "check" })),
        Step::Try(candidates) => {
            Some(json!({ "event": "next", "step": "try", "candidates": candidates.len() }))
        }
        Step::Ask(ask) => Some(json!({
            "event": "next", "step": "ask", "role": ask.role.name(), "tokens": ask.tokens,
        })),
        Step::Confirm(_) => Some(json!({ "event": "next", "step": "confirm" })),
        Step::Consult(wave) => Some(json!({ "event": "next", "step": "consult", "asked": wave })),
        Step::Propose(_) | Step::RollBack(_) | Step::Done(_) => None,
    }
}

/// Begins again where the files are not those that everything so far was found out about: another process
/// may have begun the heal, and the user worked since.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn heed_the_tree(work: &HealWork, saved: &mut SavedHeal) -> Result<(), RepairError> {
    let is_open = !matches!(saved.machine.next(), Step::Check | Step::Done(_));
    if !is_open || saved.tree.as_ref() == Some(&work.tree_name()?) {
        return Ok(());
    }
    begin_again(saved)
}

/// Begins again, because the files are others now: what was found out and learned is about those before.
pub(super) fn begin_again(saved: &mut SavedHeal) -> Result<(), RepairError> {
    saved.lessons.clear();
    take(&mut saved.machine, StepResult::TreeChanged)
}

// The diagnostics of the state that became the best one are kept: the next fix is made for them.
fn tried(
    work: &HealWork,
    saved: &mut SavedHeal,
    candidates: &[Candidate],
    events: &mut Vec<Value>,
) -> Result<(), RepairError> {
    let before = saved.machine.best().patch.clone();
    let known = saved.machine.attempts().len();
    let trials = work.try_all(candidates, saved)?;
    let mut times: Vec<u64> = trials.iter().map(|trial| trial.milliseconds).collect();
    // The answer that the first of them is from was waited for.
    if let Some(first) = times.first_mut() {
        *first += std::mem::take(&mut saved.waited);
    }
    let mut tried = Vec::new();
    let mut results = Vec::new();
    for (candidate, one) in candidates.iter().zip(trials) {
        let mut patch = candidate.patch.clone();
        if let TrialResult::Grown { written, .. } = &one.result {
            patch.files.extend(written.files.clone());
        }
        if one.installs {
            saved.installs.extend(candidate.commands.iter().cloned());
        }
        events.extend(steps_of(known + results.len() + 1, candidate, &one.result, saved));
        results.push(one.result);
        tried.push((patch, one.seen));
    }
    // Tools that wait for others to pass run only now.
    let mut seen = tried.iter().filter_map(|(_, seen)| seen.as_ref());
    if let Some(passed) = seen.find(|seen| seen.is_green()) {
        saved.tools.clone_from(&passed.tools);
    }
    take(&mut saved.machine, StepResult::Tried(results))?;
    saved.machine.note_durations(known, &times);
    let best = saved.machine.best();
    if best.patch == before {
        return Ok(());
    }
    let with = tried.into_iter().find(|(patch, _)| *patch == best.patch);
    let reached = u32::try_from(saved.machine.attempts().len()).unwrap_or(u32::MAX);
    work.files().checkpoint(reached, &best.patch)?;
    let left = match with {
        Some((_, Some(seen))) => seen.diagnostics,
        // The state is an earlier one: what is wrong with it is found out again.
        _ => work.look_at(best, &saved.flaky)?.diagnostics,
    };
    let known = std::mem::replace(&mut saved.diagnostics, left);
    if let Some(candidate) = saved.machine.best().candidate.clone() {
        let left = saved.diagnostics.clone();
        keep_lesson(work, saved, &candidate, (&before, &known), &left);
    }
    Ok(())
}

/// Makes the prompt of an attempt of a model.
pub fn make_prompt(
    work: &HealWork,
    saved: &SavedHeal,
    ask: &AskTier,
    input: &HealInput,
) -> HealPrompt {
    let tokens = u32::try_from(ask.tokens).unwrap_or(u32::MAX);
    let (number, role, strategy) = (ask.number, ask.role, ask.strategy);
    let attempt = Attempt { number, role, strategy, tokens };
    prompt_for(work, saved, &attempt, input, &ask.earlier)
}

/// Makes a prompt about the best state so far, for a model or an agent.
pub(super) fn prompt_for(
    work: &HealWork,
    saved: &SavedHeal,
    attempt: &Attempt,
    input: &HealInput,
    earlier: &[EarlierTry],
) -> HealPrompt {
    let best = saved.machine.best();
    let sources = work.sources(&best.patch);
    let told = |one: &EarlierTry| FailedAttempt {
        description: one.description.clone(),
        why: one.failed.clone(),
    };
    let touched: Vec<String> = best.patch.files.keys().cloned().collect();
    let failed: Vec<FailedAttempt> = earlier.iter().map(told).collect();
    let context = Context {
        diagnostics: &saved.diagnostics,
        sources: &sources,
        command: &input.command_line(),
        touched: &touched,
        failed: &failed,
        advice: &saved.advice,
    };
    heal_prompt(&context, attempt)
}

/// Takes a model's whole answer.
///
/// # Errors
/// Never, while the loop asks a model.
pub fn take_answer(
    work: &HealWork,
    saved: &mut SavedHeal,
    text: &str,
    tokens: u64,
) -> Result<Vec<Value>, RepairError> {
    let known = saved.machine.attempts().len();
    let model = match saved.machine.next() {
        Step::Ask(ask) => ask.role.name().to_owned(),
        _ => String::new(),
    };
    let (candidates, unusable) = fixes_of(work, saved, &model, text);
    take(&mut saved.machine, StepResult::Answered { candidates, unusable, tokens })?;
    let mut events = attempts_since(&saved.machine, known);
    events.extend(what_is_next(&saved.machine));
    Ok(events)
}

// The fix of an answer, or why there is none in it.
fn fixes_of(
    work: &HealWork,
    saved: &SavedHeal,
    model: &str,
    text: &str,
) -> (Vec<Candidate>, Option<String>) {
    let best = saved.machine.best();
    let sources = work.sources(&best.patch);
    let target = target_of(&saved.diagnostics, &sources);
    match read_answer(text, &best.patch, &sources, target.as_deref()) {
        Ok(fix) => {
            let candidate = Candidate {
                source: FixSource::Model,
                author: model.to_owned(),
                description: fix.reasoning.unwrap_or_else(|| described(&best.patch, &fix.patch)),
                confidence: Confidence::from(fix.confidence),
                origin: FixOrigin::Derived,
                pinned: false,
                changed_lines: changed_lines(&best.patch, &fix.patch, &sources),
                patch: fix.patch,
                commands: best.commands.clone(),
                round: 0,
            };
            (vec![candidate], None)
        }
        Err(why) => (Vec::new(), Some(why.to_string())),
    }
}

// The files that an answer changes, as far as it does not say itself what it does.
fn described(before: &super::Patch, after: &super::Patch) -> String {
    let changed = after.files.iter().filter(|(path, text)| before.files.get(*path) != Some(*text));
    let names: Vec<&str> = changed.map(|(path, _)| path.as_str()).collect();
    format!("a change of {}", names.join(", "))
}

pub(crate) fn take(machine: &mut Loop, result: StepResult) -> Result<(), RepairError> {
    machine.take(result).map_err(|error: WrongResult| RepairError::Io(error.to_string()))
}

// What an attempt is made of, in its order; the record of it follows as `attempt`.
fn steps_of(
    number: usize,
    candidate: &Candidate,
    result: &TrialResult,
    saved: &SavedHeal,
) -> Vec<Value> {
    let files: Vec<&String> = candidate.patch.files.keys().collect();
    let mut steps = vec![
        json!({ "event": "step", "attempt": number, "step": "context", "errors": saved.diagnostics.len() }),
        json!({ "event": "step", "attempt": number, "step": "fix", "author": candidate.author, "files": files }),
    ];
    if let TrialResult::Checked(check) | TrialResult::Grown { check, .. } = result {
        steps.push(json!({ "event": "step", "attempt": number, "step": "apply", "to": "shadow" }));
        let left = check.errors.len();
        steps.push(json!({ "event": "step", "attempt": number, "step": "test", "errors": left }));
    }
    steps.push(json!({ "event": "step", "attempt": number, "step": "record" }));
    steps
}

fn attempts_since(machine: &Loop, known: usize) -> Vec<Value> {
    let new = machine.attempts().iter().skip(known);
    new.map(|attempt| {
        json!({
            "event": "attempt",
            "number": attempt.number,
            "source": attempt.source,
            "author": attempt.author,
            "description": attempt.description,
            "result": attempt.result.name(),
            "helped": attempt.result.helped(),
            "why": attempt.result.in_words(),
            "errors_left": attempt.errors_left,
            "tokens": attempt.tokens,
        })
    })
    .collect()
}
