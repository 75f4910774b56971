//! The question of a turn: standing instructions, what was said before, the request with its files.
//!
//! In: a turn that asks, and what its session knows. Out: texts for the model. Never a file that was not loaded,
//! and never more of the conversation than fits; what was left out is said.

use super::batch::{CommandBatch, feedback_message, not_run_message};
use super::handoff::handoff_files;
use super::load::{LoadedFile, MapLimits, map_index, workspace_names};
use super::machine::{AskTurn, AskWhy};
use super::output;
use super::pages;
use super::plan::mentioned_words;
use super::project_rules::project_rules;
use super::prompt::{
    LoadedText, PastTurn, PromptParts, PromptTemplate, TemplateFault, exchange_tokens, fit_history,
    system_prompt, user_message,
};
use super::registry::{FileRegistry, file_history_summary};
use super::repo_map::repository_map;
use super::state::SavedTurn;
use super::steering::guided;
use super::uploads::uploaded_section;
use super::work::TurnWork;
use crate::heal::RepairError;
use salve_model::{Speaker, Turn};
use salve_tree::Root;
use salve_types::FileOperation;
use std::collections::BTreeMap;
use std::path::Path;

/// How many files the table of known files names.
const KNOWN_FILES: usize = 40;
/// How many turns the history of files goes back.
const FILE_TURNS: u32 = 10;
/// The most tokens of the map of the repository.
const MAP_TOKENS: u64 = 2_000;
/// What the hashes of files are called.
const HASH_LABEL: &str = "BLAKE3";

/// What a session knows beside the turn.
#[derive(Debug, Clone, Default)]
pub struct SessionFacts {
    /// Earlier turns, oldest first: what was asked, and what was answered.
    pub past: Vec<(String, String)>,
    /// What was done to files.
    pub operations: Vec<FileOperation>,
    /// The user's own sections of the standing instructions.
    pub template: Option<String>,
    /// The most tokens of earlier turns.
    pub window: u64,
    /// What the session before handed over.
    pub handoff: String,
    /// What the user said since the request.
    pub guidance: Vec<String>,
}

/// What the model is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The standing instructions.
    pub system: String,
    /// What was said before, oldest first; `true` where the model said it.
    pub history: Vec<(bool, String)>,
    /// The message.
    pub prompt: String,
}

/// Makes the question that a turn asks now.
///
/// # Errors
/// When the user's own sections cannot be used.
pub fn answer_question(
    work: &TurnWork,
    saved: &SavedTurn,
    ask: &AskTurn,
    facts: &SessionFacts,
) -> Result<Question, RepairError> {
    let template = match &facts.template {
        Some(text) => PromptTemplate::overridden(text).map_err(|fault: TemplateFault| {
            RepairError::Io(format!("the file of the standing instructions: {fault}"))
        })?,
        None => PromptTemplate::default(),
    };
    let mut past: Vec<PastTurn> = facts
        .past
        .iter()
        .map(|(request, answer)| PastTurn { request: request.clone(), answer: answer.clone() })
        .collect();
    if ask.why != AskWhy::Request {
        past.push(PastTurn { request: saved.request.clone(), answer: saved.text.clone() });
    }
    let fitted = fit_history(&past, facts.window);
    let registry = FileRegistry::fold(&facts.operations, &BTreeMap::new());
    let known = match registry.is_empty() {
        true => String::new(),
        false => registry.summary(work.input().turn, KNOWN_FILES),
    };
    let history = file_history_summary(&facts.operations, FILE_TURNS);
    let note = fitted.note();
    let root = Root::open(work.root()).map_err(|error| RepairError::Io(error.to_string()))?;
    let rules = project_rules(&root, &work.input().here);
    let rules: Vec<(String, String)> =
        rules.into_iter().map(|rules| (rules.path, rules.text)).collect();
    let map = map_of(work, &saved.request)?;
    let output = work.input().help.output.as_ref().map(output::section);
    let inherited: Vec<LoadedText> = saved.inherited_files.iter().map(shown).collect();
    let handoff = [facts.handoff.trim().to_owned(), handoff_files(&inherited)];
    let handoff = handoff.join("\n\n");
    let parts = PromptParts {
        handoff: handoff.trim(),
        hash_label: HASH_LABEL,
        output: output.as_deref().unwrap_or_default(),
        project_rules: &rules,
        repository_map: &map,
        known_files: &known,
        file_history: &history,
        history_note: &note,
        ..PromptParts::new(&template)
    };
    Ok(Question {
        system: system_prompt(&parts),
        history: fitted.messages.into_iter().map(said).collect(),
        prompt: guided(&message(saved, ask.why), &facts.guidance),
    })
}

/// Counts the tokens that earlier exchanges take, as they are counted against the window.
#[must_use]
pub fn window_used(past: &[(String, String)]) -> u64 {
    past.iter().map(|(asked, answered)| exchange_tokens(asked, answered)).sum()
}

/// Draws the map of the repository, what a request mentions first.
///
/// # Errors
/// When the workspace cannot be read.
pub(super) fn map_of(work: &TurnWork, request: &str) -> Result<String, RepairError> {
    map_of_folder(work.root(), request, work.map_cache())
}

/// Draws the map of a folder for a request. `cache` is a file in a folder of its owner's alone.
///
/// # Errors
/// When the folder cannot be read.
pub fn map_of_folder(
    root: &Path,
    request: &str,
    cache: Option<&Path>,
) -> Result<String, RepairError> {
    let root = Root::open(root).map_err(|error| RepairError::Io(error.to_string()))?;
    let mentions = mentioned_words(request);
    let names = workspace_names(&root)?;
    let index = map_index(&root, &names, &mentions, &MapLimits::default(), cache);
    Ok(repository_map(&index, &mentions, MAP_TOKENS))
}

fn said(turn: Turn) -> (bool, String) {
    (turn.speaker == Speaker::Assistant, turn.text)
}

fn shown(file: &LoadedFile) -> LoadedText {
    LoadedText {
        path: file.path.clone(),
        hash_label: HASH_LABEL.to_owned(),
        hash: file.hash.clone(),
        text: file.text.clone(),
        cut: file.cut,
    }
}

fn message(saved: &SavedTurn, why: AskWhy) -> String {
    let words = match why {
        AskWhy::Request => saved.request.clone(),
        AskWhy::Refused => format!(
            "Your edits were not applied: {}\n\nThe files as they are now are attached. Send the whole answer \
             again, made on them.",
            saved.refusal.as_deref().unwrap_or("they do not fit the files")
        ),
        AskWhy::Redacted => "Your answer holds something that looks like a secret in a file change or a command. \
                             It was taken out, so nothing was applied. Send the whole answer again without any \
                             key, token or password: read it from the environment instead."
            .to_owned(),
        AskWhy::Feedback => {
            let told = saved.ran.iter().map(|ran| feedback_message(&ran.command, &ran.output));
            let left = saved.batch.as_ref().map(CommandBatch::left).unwrap_or_default();
            told.collect::<Vec<String>>().join("\n\n") + &not_run_message(&left)
        }
    };
    // What the provider has is searched there.
    let is_uploaded = |path: &str| saved.uploads.files.iter().any(|file| file.path == path);
    let embedded = saved.files.iter().filter(|file| !is_uploaded(&file.path));
    let files: Vec<LoadedText> = embedded.map(shown).collect();
    let failures = if why == AskWhy::Request { saved.failures.as_slice() } else { &[] };
    let plan =
        (why == AskWhy::Request).then_some(&saved.plan).filter(|plan| !plan.todos.is_empty());
    let plan = plan.map(|plan| serde_json::json!({ "todos": plan.todos, "steps": plan.steps }));
    let mut text = user_message(&words, &files, failures, plan.as_ref());
    text.push_str(&uploaded_section(&saved.uploads.files, HASH_LABEL));
    text.push_str(&pages::section(&saved.pages));
    if !saved.omitted.is_empty() {
        text.push_str("\n\nFiles that fit and were left out: ");
        text.push_str(&saved.omitted.join(", "));
    }
    text
}
