//! What a turn looks for before it answers: files by pattern, pages by address.
//!
//! In: the user's words and the names of the workspace, or a model's answer to [`plan_prompt`]. Out: a
//! [`TurnPlan`]. Without a model the plan is read from what the words mention: paths, names of files and
//! folders, `@path`, patterns, addresses, symbols. A file that is mentioned and not there stays in the plan,
//! so that loading can say so. Never looks at a disk.

mod ask;
mod mentions;
mod names;

pub use ask::{plan_prompt, read_plan};
pub use mentions::{mentioned_paths, mentioned_words};
pub use names::WorkspaceNames;

use mentions::{Mark, Mention, mentions};
use salve_types::Language;
use serde::{Deserialize, Serialize};

/// How many actions a plan has at most.
pub const MAX_ACTIONS: usize = 32;
/// How many tasks a plan has at most.
pub const MAX_TODOS: usize = 40;
/// How many files or endings one mention stands for at most.
const EACH: usize = 3;

/// One thing to look for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PlanAction {
    /// Files whose path fits a pattern.
    File {
        /// The pattern, relative to the workspace: `**/email*.py`.
        pattern: String,
    },
    /// A page.
    Url {
        /// Its address, as it was written.
        url: String,
    },
}

/// What a turn looks for, and what it is to do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TurnPlan {
    /// The tasks, in order.
    pub todos: Vec<String>,
    /// What to look for, in order.
    pub actions: Vec<PlanAction>,
    /// How many steps the work takes.
    pub steps: usize,
}

impl TurnPlan {
    /// Adds an action that is not there yet, while there is room.
    fn add(&mut self, action: PlanAction) {
        if self.actions.len() < MAX_ACTIONS && !self.actions.contains(&action) {
            self.actions.push(action);
        }
    }

    /// Adds what a model proposes: its tasks where the words list none, its files after those of the words. An
    /// address that the request does not hold is the model's own idea, and is left out.
    pub(super) fn take_proposal(&mut self, proposed: Self, request: &str) {
        if self.todos.is_empty() {
            self.todos = proposed.todos;
        }
        self.steps = self.steps.max(proposed.steps);
        for action in proposed.actions {
            match &action {
                PlanAction::Url { url } if !request.contains(url.as_str()) => {}
                _ => self.add(action),
            }
        }
    }

    fn add_files(&mut self, patterns: Vec<String>) -> bool {
        let any = !patterns.is_empty();
        patterns.into_iter().for_each(|pattern| self.add(PlanAction::File { pattern }));
        any
    }
}

/// Plans by what a text mentions.
pub fn plan_by_mentions(text: &str, names: &WorkspaceNames) -> TurnPlan {
    let mut plan = TurnPlan { todos: listed_tasks(text), ..TurnPlan::default() };
    plan.steps = plan.todos.len().max(1);
    let found = mentions(text);
    for mention in &found {
        match mention {
            Mention::Url(url) => plan.add(PlanAction::Url { url: url.clone() }),
            Mention::Glob(pattern) => plan.add(PlanAction::File { pattern: pattern.clone() }),
            Mention::Path { text, mark } => {
                let patterns = path_patterns(text, *mark, names);
                if !plan.add_files(patterns) {
                    plan.add_files(symbol_patterns(text, names));
                }
            }
            Mention::Name(name) => {
                let exact = names.named(name).filter(|real| real == name);
                let exact = exact.map(|real| vec![anywhere(&globset::escape(real))]);
                plan.add_files(exact.unwrap_or_else(|| symbol_patterns(name, names)));
            }
            Mention::Thing { name, must } => {
                let patterns = thing_patterns(name, names);
                if !plan.add_files(patterns) && *must {
                    plan.add_files(vec![format!("**/{}*", globset::escape(name))]);
                }
            }
            Mention::Folder(name) => {
                plan.add_files(names.folders_named(name).map(inside).take(EACH).collect());
            }
        }
    }
    if plan.actions.is_empty() {
        for word in mentions::plain_words(text) {
            if (1..=EACH).contains(&names.with_stem(&word).count()) {
                plan.add_files(thing_patterns(&word, names));
            }
        }
    }
    plan
}

// A path, a name of a file or a folder, as it was written.
fn path_patterns(written: &str, mark: Mark, names: &WorkspaceNames) -> Vec<String> {
    let path = written.strip_prefix("./").unwrap_or(written);
    let bare = path.trim_end_matches('/');
    if names.has_file(bare) && bare == path {
        return if bare.contains('/') { vec![globset::escape(bare)] } else { vec![by_name(bare)] };
    }
    if names.has_folder(bare) && (mark != Mark::Bare || path.contains('/')) {
        return vec![inside(bare)];
    }
    if bare.contains('/') {
        let ends = names.ending_with(bare);
        if !ends.is_empty() {
            return ends.into_iter().take(EACH).map(globset::escape).collect();
        }
    } else if let Some(real) = names.named(bare) {
        return vec![by_name(real)];
    }
    let name = bare.rsplit('/').next().unwrap_or(bare);
    let is_file = Language::from_path(name).is_some() && name.contains('.');
    // A name that the workspace does not have: looked for in vain, and said so. Unless it is no file.
    let is_doubtful = mark == Mark::Code || (mark == Mark::Bare && mentions::is_product(name));
    if !is_file || path != bare || is_doubtful {
        return Vec::new();
    }
    if bare.contains('/') { vec![globset::escape(bare)] } else { vec![by_name(bare)] }
}

// `email.py` is `**/email*.py`: the file, and what is named after it.
fn by_name(name: &str) -> String {
    match name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
        Some((stem, ending)) => {
            anywhere(&format!("{}*.{}", globset::escape(stem), globset::escape(ending)))
        }
        None => anywhere(&globset::escape(name)),
    }
}

fn anywhere(name: &str) -> String {
    format!("**/{name}")
}

fn inside(folder: &str) -> String {
    format!("{}/**", globset::escape(folder))
}

// "the email module": files of that stem with their endings, and a folder of that name.
fn thing_patterns(name: &str, names: &WorkspaceNames) -> Vec<String> {
    let mut patterns: Vec<String> = Vec::new();
    for path in names.with_stem(name) {
        let file = path.rsplit('/').next().unwrap_or(path);
        let stem = file.split('.').next().unwrap_or(file);
        let Some((_, ending)) = file.rsplit_once('.') else { continue };
        let pattern = anywhere(&format!("{}*.{}", globset::escape(stem), globset::escape(ending)));
        if patterns.len() < EACH && !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    patterns.extend(names.folders_named(name).map(inside).take(EACH));
    patterns
}

// `mail::send_all()` is looked up whole, then by its last name.
fn symbol_patterns(written: &str, names: &WorkspaceNames) -> Vec<String> {
    let whole = written.trim_end_matches("()");
    let last = whole.rsplit([':', '.', '#']).next().unwrap_or(whole);
    names.defining(last).take(EACH).map(globset::escape).collect()
}

// Lines that are items of a list are tasks, where there are several.
fn listed_tasks(text: &str) -> Vec<String> {
    let mut is_code = false;
    let mut tasks: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim) {
        is_code ^= line.starts_with("```");
        let dashed = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        let numbered = || {
            let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
            let rest = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))?;
            line.starts_with(|letter: char| letter.is_ascii_digit()).then_some(rest)
        };
        let item = dashed.or_else(numbered).map(str::trim).filter(|item| !item.is_empty());
        if let Some(item) = item.filter(|_| !is_code && tasks.len() < MAX_TODOS) {
            tasks.push(item.to_owned());
        }
    }
    if tasks.len() < 2 { Vec::new() } else { tasks }
}

#[cfg(test)]
mod tests;
