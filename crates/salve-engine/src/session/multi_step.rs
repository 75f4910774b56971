//! Tasks that are done step by step: when, what an answer ends with, and whether the next step is sent.
//!
//! In: a plan, an answer, the list of tasks, how the turn ended. Out: a decision as a value. Never goes on
//! after a failure, past a question, or without an end.

use super::reply::{ChatAnswer, SuggestedStep};
use salve_types::{TodoItem, TurnStatus};
use std::collections::BTreeSet;

/// A part of a project that a task may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Concern {
    /// What people see.
    Frontend,
    /// What works behind it.
    Backend,
    /// How it is built, set up and run.
    Config,
    /// What is written about it.
    Docs,
}

/// What "continue" is on the wire.
pub const CONTINUE_INPUT: &str = "continue";
const CONTINUE_HTML: &str = "Continue to next step";

/// How many steps one answer may do.
pub const STEPS_PER_ANSWER: usize = 2;

/// How many steps are sent by themselves before a person is asked, unless the settings say otherwise.
pub const MOST_ROUNDS: u32 = 20;

/// Tells whether a task is done step by step: three steps or files, or more than one concern.
#[must_use]
pub const fn is_multi_step(plan_steps: usize, files: usize, concerns: usize) -> bool {
    plan_steps >= 3 || files >= 3 || concerns >= 2
}

/// Lists the concerns that files belong to, by their names.
pub fn concerns_of<'p>(paths: impl IntoIterator<Item = &'p str>) -> BTreeSet<Concern> {
    paths.into_iter().filter_map(concern_of).collect()
}

/// Lists the concerns that a request names.
#[must_use]
pub fn concerns_in(request: &str) -> BTreeSet<Concern> {
    let request = request.to_lowercase();
    let words: BTreeSet<&str> = request
        .split(|letter: char| !letter.is_alphanumeric() && letter != '-')
        .filter(|word| !word.is_empty())
        .collect();
    let named = |(_, names): &(Concern, &[&str])| names.iter().any(|name| words.contains(name));
    WORDS.iter().filter(|row| named(row)).map(|(concern, _)| *concern).collect()
}

#[rustfmt::skip]
const WORDS: &[(Concern, &[&str])] = &[
    (Concern::Frontend, &["frontend", "front-end", "ui", "css", "stylesheet", "component", "components", "webpage"]),
    (Concern::Backend, &["backend", "back-end", "api", "server", "endpoint", "endpoints", "database"]),
    (Concern::Config, &["config", "configuration", "settings", "deployment", "docker", "ci"]),
    (Concern::Docs, &["docs", "documentation", "readme", "changelog"]),
];

#[rustfmt::skip]
const FOLDERS: &[(Concern, &[&str])] = &[
    (Concern::Docs, &["docs", "doc"]),
    (Concern::Config, &["config", "deploy", ".github", "ci"]),
    (Concern::Frontend, &["frontend", "client", "web", "ui", "components", "pages", "styles"]),
    (Concern::Backend, &["backend", "server", "api"]),
];

#[rustfmt::skip]
const ENDINGS: &[(Concern, &[&str])] = &[
    (Concern::Docs, &["md", "rst", "adoc", "txt"]),
    (Concern::Frontend, &["tsx", "jsx", "html", "htm", "css", "scss", "sass", "less", "vue", "svelte"]),
    (Concern::Config, &["json", "toml", "yaml", "yml", "ini", "cfg", "conf", "env", "lock", "properties"]),
    (Concern::Backend, &["py", "rs", "go", "java", "kt", "rb", "php", "c", "h", "cc", "cpp", "cs", "js", "ts", "mjs", "sql", "sh", "swift"]),
];

// What a file ends in says more than where it is, except for sources of either side.
fn concern_of(path: &str) -> Option<Concern> {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or_default();
    if ["dockerfile", "makefile", "justfile"].contains(&name) {
        return Some(Concern::Config);
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let row = |table: &[(Concern, &[&str])], word: &str| {
        table.iter().find(|(_, words)| words.contains(&word)).map(|(concern, _)| *concern)
    };
    let by_ending = row(ENDINGS, ending);
    let by_folder = || path.split('/').rev().skip(1).find_map(|folder| row(FOLDERS, folder));
    match by_ending {
        Some(Concern::Backend) => match by_folder() {
            Some(side @ (Concern::Frontend | Concern::Backend)) => Some(side),
            _ => by_ending,
        },
        Some(_) => by_ending,
        None => by_folder(),
    }
}

/// Adds the step that goes on, where an answer lacks it.
pub fn ensure_continue(steps: &mut Vec<SuggestedStep>) {
    let is_there =
        |step: &SuggestedStep| step.input_text.trim().eq_ignore_ascii_case(CONTINUE_INPUT);
    if !steps.iter().any(is_there) {
        steps.push(SuggestedStep {
            html: CONTINUE_HTML.to_owned(),
            input_text: CONTINUE_INPUT.to_owned(),
            legacy: false,
        });
    }
}

/// Returns how many steps an answer does, where those are more than it should.
#[must_use]
pub fn too_many_steps(answer: &ChatAnswer) -> Option<usize> {
    let links = answer.todo_links();
    let steps: BTreeSet<u64> = links.iter().map(|link| link.todo_index).collect();
    (steps.len() > STEPS_PER_ANSWER).then_some(steps.len())
}

/// Whether steps are sent by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AutoContinue {
    /// The switch.
    pub on: bool,
    /// A person paused it.
    pub paused: bool,
    /// Steps that were sent by themselves since a person last wrote.
    pub rounds: u32,
    /// How many may be.
    pub most_rounds: u32,
}

impl Default for AutoContinue {
    fn default() -> Self {
        Self { on: false, paused: false, rounds: 0, most_rounds: MOST_ROUNDS }
    }
}

/// What comes after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Advance {
    /// "continue" is sent.
    Send,
    /// A person decides.
    Wait(WaitReason),
    /// No task is open.
    Finished,
}

/// Why a person decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitReason {
    /// Nothing is sent by itself.
    Off,
    /// A person paused it.
    Paused,
    /// The turn did not end well, or something of it waits.
    NotCompleted,
    /// The answer changes nothing and runs nothing: it asks or says something.
    Question,
    /// As many steps were sent as may be.
    TooManyRounds,
    /// A breaker is open.
    Breaker,
}

/// Decides what comes after a turn. A claim of the model closes a task here too: some steps have no file.
pub fn advance(
    settings: &AutoContinue,
    status: TurnStatus,
    answer: &ChatAnswer,
    todos: &[TodoItem],
    is_breaker_open: bool,
) -> Advance {
    let is_open = |item: &TodoItem| !item.completed && !item.claimed;
    if status == TurnStatus::Completed && !todos.iter().any(is_open) {
        return Advance::Finished;
    }
    let does_something = !answer.file_changes.is_empty() || !answer.commands.is_empty();
    let waits = [
        (!settings.on, WaitReason::Off),
        (status != TurnStatus::Completed, WaitReason::NotCompleted),
        (is_breaker_open, WaitReason::Breaker),
        (settings.paused, WaitReason::Paused),
        (!does_something && answer.plain_text.is_none(), WaitReason::Question),
        (settings.rounds >= settings.most_rounds, WaitReason::TooManyRounds),
    ];
    let wait = waits.into_iter().find(|(is_so, _)| *is_so);
    wait.map_or(Advance::Send, |(_, why)| Advance::Wait(why))
}

#[cfg(test)]
mod tests;
