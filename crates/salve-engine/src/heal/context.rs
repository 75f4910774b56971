//! What a model is told: the error, the code around it, and what was tried.
//!
//! In: the diagnostics of the state that is being healed, its files, the attempt and what failed before.
//! Out: standing instructions and a prompt that fit the attempt's tokens. Never a whole project: places
//! that the diagnostics point at come first, then what their messages name, and what does not fit is
//! left out and said to be.

mod definitions;
mod excerpt;

use super::Sources;
use definitions::definitions;
use excerpt::{Excerpt, places};
use salve_check::for_model;
use salve_model::{Attempt, BytesByTwo, ModelRequest, Turn, worst_case};
use salve_types::Diagnostic;
use serde::{Deserialize, Serialize};

/// The part of an attempt's tokens that the prompt may take; the answer has the rest.
const PROMPT_SHARE: (u32, u32) = (11, 20);
/// The part of the prompt that the errors may take.
const ERROR_SHARE: (usize, usize) = (2, 5);
/// The part of the prompt that earlier attempts and others' words may take.
const TRIED_SHARE: usize = 5;

/// How much of a reason is told.
const MOST_LETTERS: usize = 300;

/// A fix that did not hold, as a model is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedAttempt {
    /// What it did.
    pub description: String,
    /// Why it was not kept.
    pub why: String,
}

/// What a prompt is made from.
pub struct Context<'a> {
    /// What is wrong, the primary errors first.
    pub diagnostics: &'a [Diagnostic],
    /// The files as they are in the state that is being healed.
    pub sources: &'a dyn Sources,
    /// The command that must pass, for people.
    pub command: &'a str,
    /// Files that earlier attempts of this heal changed.
    pub touched: &'a [String],
    /// What was tried, the latest last.
    pub failed: &'a [FailedAttempt],
    /// What others said about the error: answers of agents that were asked.
    pub advice: &'a [String],
}

/// A prompt for one attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealPrompt {
    /// The standing instructions.
    pub system: String,
    /// What is asked.
    pub prompt: String,
    /// The file that is meant where an answer names none.
    pub target: Option<String>,
    /// The tokens that are left for the answer.
    pub answer_tokens: u32,
}

/// Makes the prompt of an attempt.
pub fn heal_prompt(context: &Context<'_>, attempt: &Attempt) -> HealPrompt {
    let system = instructions(attempt);
    let most = u64::from(attempt.tokens) * u64::from(PROMPT_SHARE.0) / u64::from(PROMPT_SHARE.1);
    let fixed = tokens(&system, "");
    // `BytesByTwo` counts a token for every two bytes.
    let room = usize::try_from(most.saturating_sub(fixed)).unwrap_or(usize::MAX).saturating_mul(2);
    let prompt = written(context, room);
    let used = tokens(&system, &prompt);
    let left = u64::from(attempt.tokens).saturating_sub(used);
    HealPrompt {
        target: target_of(context.diagnostics, context.sources),
        answer_tokens: u32::try_from(left).unwrap_or(u32::MAX),
        system,
        prompt,
    }
}

fn tokens(system: &str, prompt: &str) -> u64 {
    let request = ModelRequest {
        system: Some(system.to_owned()),
        turns: vec![Turn::user(prompt.to_owned())],
        ..ModelRequest::default()
    };
    worst_case(&request, None, &BytesByTwo).prompt.tokens
}

fn instructions(attempt: &Attempt) -> String {
    format!(
        "You repair code so that a failing check passes. {}\n\
         Rules: repair the cause in the code; never weaken, skip or delete a test or an assertion; never \
         silence an error (no allow, noqa, type: ignore, ts-ignore, any, empty catch); do not change \
         build, lint or test configuration; keep every definition that is there; leave unrelated lines as \
         they are.\n\
         Answer with one or more edits, each as the path on a line of its own followed by\n\
         <<<<<<< SEARCH\n(lines exactly as they are now)\n=======\n(the lines that replace them)\n>>>>>>> REPLACE\n\
         and end with a line `Confidence: N`, where N between 0 and 1 says how sure you are.",
        attempt.strategy.instructions()
    )
}

/// Returns the file that an edit without a path means: the first that an error points at.
pub(super) fn target_of(diagnostics: &[Diagnostic], sources: &dyn Sources) -> Option<String> {
    let primary = diagnostics.iter().filter_map(Diagnostic::primary);
    let mut known = primary.map(|span| span.path.as_str()).filter(|path| !path.is_empty());
    known.find(|path| sources.read(path).is_some()).map(str::to_owned)
}

fn written(context: &Context<'_>, room: usize) -> String {
    let mut text = format!("This command fails: {}\n\n", context.command);
    let errors = for_model(context.diagnostics, room * ERROR_SHARE.0 / ERROR_SHARE.1);
    text.push_str(&format!("What it says:\n{errors}\n"));
    let tried = tried(context, room / TRIED_SHARE);
    let before = text.len() + tried.len();
    let excerpts = fitting(context, room.saturating_sub(before));
    for excerpt in &excerpts {
        text.push_str(&excerpt.written());
    }
    text.push_str(&tried);
    text
}

// Places that the diagnostics point at, then what their messages name, as much as fits.
fn fitting(context: &Context<'_>, room: usize) -> Vec<Excerpt> {
    let mut left = room;
    let mut taken = Vec::new();
    let mut take = |excerpts: Vec<Excerpt>, taken: &mut Vec<Excerpt>| {
        for excerpt in excerpts {
            let size = excerpt.written().len();
            if size <= left {
                left -= size;
                taken.push(excerpt);
            }
        }
    };
    take(places(context.diagnostics, context.sources, room), &mut taken);
    let named = definitions(context.diagnostics, context.sources, room, &taken);
    take(named, &mut taken);
    taken
}

// What was tried, the newest first, and what others say; as much as fits.
fn tried(context: &Context<'_>, room: usize) -> String {
    let mut text = String::new();
    let mut add = |piece: String| {
        let fits = text.len() + piece.len() <= room;
        if fits {
            text.push_str(&piece);
        }
        fits
    };
    if !context.touched.is_empty() {
        let touched = context.touched.join(", ");
        add(format!("\nFiles changed so far in this repair: {touched}\n"));
    }
    let mut failed = context.failed.iter().rev().peekable();
    if failed.peek().is_some() && add("\nDo not try these again; they did not hold:\n".to_owned()) {
        for one in failed {
            add(format!("- {}: {}\n", short(&one.description), short(&one.why)));
        }
    }
    for advice in context.advice {
        add(format!("\nAnother agent says:\n{advice}\n"));
    }
    text
}

// A reason may hold the whole of a tool's words; its beginning tells it apart.
fn short(text: &str) -> &str {
    let line = text.trim().lines().next().unwrap_or_default();
    let end = line.char_indices().nth(MOST_LETTERS).map_or(line.len(), |(at, _)| at);
    line.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests;
