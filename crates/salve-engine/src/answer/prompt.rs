//! What a model is told when it is asked again.
//!
//! In: the answer so far and what is wrong with it. Out: the turns that are added to the request.
//! Only the latest note and the latest rejected answer are ever in them. Never generic: the place,
//! what was expected and what was found are named.

use super::verdict::{AnswerCut, Fault, Part};
use salve_model::{FollowUp, ModelReply, Purpose, Turn};
use salve_text::{PromptOptions, Template, resume_prompt};
use salve_types::FinishReason;

/// What is before the error in every note about a wrong answer.
pub const NOTE_PREFIX: &str = "Output failed validation. Fix this: ";

/// Returns the note about a wrong answer.
pub(crate) fn note_text(fault: &Fault) -> String {
    format!("{NOTE_PREFIX}{}", fault.line())
}

/// Asks for the rest of a text.
pub(super) fn resume_text(
    text: &str,
    cut: &AnswerCut,
    finish: Option<&FinishReason>,
    attempt: u32,
) -> Vec<Turn> {
    vec![Turn::assistant(text), Turn::user(resume_words(text, cut, finish, attempt))]
}

/// Asks for the rest of the arguments of a tool, as plain text.
pub(super) fn resume_arguments(
    name: &str,
    arguments: &str,
    cut: &AnswerCut,
    finish: Option<&FinishReason>,
    attempt: u32,
) -> Vec<Turn> {
    let words = resume_words(arguments, cut, finish, attempt);
    let about = format!(
        "Your call of the tool `{name}` was cut off inside its arguments. Your previous message \
         holds the arguments as far as they came, as JSON. Answer as plain text with exactly the \
         characters that are missing, so that both together are the whole arguments: no tool call, \
         no code fence, nothing else.\n\n{words}"
    );
    vec![Turn::assistant(arguments), Turn::user(about)]
}

/// The answer of a model that had nothing more to say.
pub(super) const NO_MORE: &str = "NONE";

/// Asks for the calls that follow the first `from` ones, which were passed on.
pub(super) fn resume_calls(current: &ModelReply, from: usize) -> Vec<Turn> {
    let mut came = current.text.trim_end().to_owned();
    for call in current.tool_calls.iter().take(from) {
        let between = if came.is_empty() { "" } else { "\n\n" };
        came.push_str(&format!("{between}{} {}", call.name, call.arguments));
    }
    let next = current.tool_calls.get(from).map_or_else(String::new, |call| {
        format!(" The next one was a call of `{}`: begin with it.", call.name)
    });
    let about = format!(
        "Your answer was damaged on its way. Your previous message holds what arrived of it: its text \
         and its first {from} tool calls, by name and arguments. Those calls count; do not make them \
         again.{next} Go on with exactly what was to follow: every tool call, with whole and valid \
         arguments, and no talk about this. If nothing was to follow, answer with the single word \
         {NO_MORE}."
    );
    vec![Turn::assistant(came), Turn::user(about)]
}

/// Asks for a correction.
pub(super) fn rework(current: &ModelReply, fault: &Fault) -> (Vec<Turn>, String) {
    let note = note_text(fault);
    let (rejected, order) = match fault.part {
        Part::Text => (
            current.text.clone(),
            "Answer again with the whole, corrected answer alone: valid JSON, no talk, no fence."
                .to_owned(),
        ),
        Part::Tool(index) => {
            let call = current.tool_calls.get(index).cloned().unwrap_or_default();
            let order = format!(
                "Make this one tool call again, with whole and valid arguments; the rejected call \
                 of `{}` was not executed.",
                call.name
            );
            (format!("{} {}", call.name, call.arguments), order)
        }
    };
    let mut turns = Vec::new();
    if !rejected.trim().is_empty() {
        turns.push(Turn::assistant(rejected));
    }
    turns.push(Turn::user(format!("{note}\n\n{order}")));
    (turns, note)
}

/// Makes a follow-up.
pub(super) fn follow_up(
    purpose: Purpose,
    turns: Vec<Turn>,
    keep_tools: bool,
    limit: Option<u64>,
) -> FollowUp {
    FollowUp { purpose, turns, keep_tools, max_output_tokens: limit }
}

// The second attempt is worded differently: the first wording was not understood.
fn resume_words(
    text: &str,
    cut: &AnswerCut,
    finish: Option<&FinishReason>,
    attempt: u32,
) -> String {
    let template =
        if attempt.is_multiple_of(2) { Template::AutoResume } else { Template::Continuation };
    let options = PromptOptions {
        template,
        finish_reason: finish.cloned(),
        sentinel_mark: None,
        ..PromptOptions::default()
    };
    // The built-in templates ask for nothing that does not exist; the plain words are for a day on
    // which one of them does.
    resume_prompt(text, &cut.verdict, &options).unwrap_or_else(|_| {
        "Continue EXACTLY from the cutoff point. Do NOT repeat anything.".to_owned()
    })
}
