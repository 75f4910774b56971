//! What a session hands over to the one that follows it.
//!
//! In: facts about a session that nears its limit. Out: the context of its child in the documented form,
//! the files with it, and what the input of the child begins with. Never the whole conversation, and never
//! the hash of a file that is not shown whole.

use super::bug::bug_label;
use super::one_line::{one_line, quoted, short_line};
use super::prompt::{LoadedText, attached_file};
use salve_types::{BugReport, CommandResult, TodoItem};
use std::fmt::Write as _;

/// From how many percent of a limit on a handoff is offered.
pub const OFFER_AT_PERCENT: u64 = 85;
/// How many exchanges are handed over.
pub const RECENT_EXCHANGES: usize = 3;
/// How many modified files are loaded.
pub const LOADED_FILES: usize = 5;
/// How much of each is loaded, in bytes.
pub const LOADED_BYTES: usize = 8 << 10;

/// The most characters of one side of an exchange.
const MOST_SAID: usize = 600;
/// The most characters of what a command wrote.
const MOST_WRITTEN: usize = 200;
/// The most reports and failed commands, newest first to be kept.
const MOST_LISTED: usize = 10;

/// What is known about the session that hands over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HandoffFacts {
    /// Its id.
    pub parent_session: String,
    /// The name of the project.
    pub project: String,
    /// How many exchanges it had.
    pub exchanges: usize,
    /// Tokens that were sent.
    pub tokens_in: u64,
    /// Tokens that came.
    pub tokens_out: u64,
    /// What it was about.
    pub summary: String,
    /// The files that were changed.
    pub modified: Vec<ModifiedFile>,
    /// The files that were attached.
    pub referenced: Vec<String>,
    /// The tasks, in order.
    pub todos: Vec<TodoItem>,
    /// The exchanges, oldest first: what the user asked and what was answered.
    pub conversation: Vec<(String, String)>,
    /// The faults, oldest first.
    pub bugs: Vec<BugReport>,
    /// The commands, oldest first.
    pub commands: Vec<CommandResult>,
}

/// A file that was changed, with the lines that came and went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModifiedFile {
    /// The file, relative to the workspace.
    pub path: String,
    /// Lines that came.
    pub added: u64,
    /// Lines that went.
    pub removed: u64,
}

/// What a person answers to the offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandoffChoice {
    /// A child goes on.
    Handoff,
    /// The same session goes on with a larger limit.
    Extend,
    /// The same session goes on as it is.
    Cancel,
}

impl HandoffChoice {
    /// Returns the label.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Handoff => "Handoff",
            Self::Extend => "Extend",
            Self::Cancel => "Cancel",
        }
    }
}

/// Tells whether a session is so near a limit that a handoff is offered.
#[must_use]
pub fn is_near_limit(used: u64, limit: u64) -> bool {
    limit > 0 && u128::from(used) * 100 >= u128::from(limit) * u128::from(OFFER_AT_PERCENT)
}

/// Writes the context of the child.
#[must_use]
pub fn handoff_text(facts: &HandoffFacts) -> String {
    let open: Vec<&TodoItem> = facts.todos.iter().filter(|item| !item.completed).collect();
    let done = facts.todos.iter().filter(|item| item.completed);
    let count = facts.modified.len();
    let files = if count == 1 { "file" } else { "files" };
    let mut out = format!(
        "## HANDOFF CONTEXT\n\n**Parent Session:** {}\n**Project:** {}\n**Total Exchanges:** {}\n\
         **Tokens Used:** {} in / {} out\n",
        one_line(&facts.parent_session),
        one_line(&facts.project),
        facts.exchanges,
        facts.tokens_in,
        facts.tokens_out,
    );
    part(&mut out, "SESSION SUMMARY", [facts.summary.trim().to_owned()]);
    part(
        &mut out,
        &format!("FILES MODIFIED ({count} {files})"),
        facts.modified.iter().map(modified),
    );
    let referenced = facts.referenced.iter().map(|path| format!("- {}", quoted(path)));
    part(&mut out, "FILES REFERENCED (context attached during session)", referenced);
    part(&mut out, "CURRENT TASKS (continue these - priority order)", numbered(&open));
    let done = done.map(|item| format!("- [x] {}", one_line(&item.text)));
    part(&mut out, "COMPLETED TASKS", done);
    part(&mut out, "RECENT CONVERSATION", newest(&facts.conversation, RECENT_EXCHANGES).map(said));
    part(&mut out, "RECENT ERRORS/ISSUES", newest(&facts.bugs, MOST_LISTED).map(bug));
    let failed: Vec<&CommandResult> =
        facts.commands.iter().filter(|command| command.exit != Some(0)).collect();
    part(&mut out, "FAILED CLI COMMANDS", newest(&failed, MOST_LISTED).map(|it| failure(it)));
    out.push_str(INSTRUCTIONS);
    out
}

const INSTRUCTIONS: &str = "\n### INSTRUCTIONS\n\
    1. Continue working on CURRENT TASKS in priority order\n\
    2. Read the FILES MODIFIED if you need context on what was changed\n\
    3. Read the FILES REFERENCED if you need the source content\n\
    4. Check RECENT ERRORS if there are issues to address\n\
    5. IMPORTANT: When outputting fileChanges, use the EXACT file paths listed above\n";

fn part(out: &mut String, heading: &str, lines: impl IntoIterator<Item = String>) {
    let _ = writeln!(out, "\n### {heading}");
    let mut is_empty = true;
    for line in lines.into_iter().filter(|line| !line.is_empty()) {
        out.push_str(&line);
        out.push('\n');
        is_empty = false;
    }
    if is_empty {
        out.push_str("(none)\n");
    }
}

fn newest<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    all.iter().skip(all.len().saturating_sub(most))
}

fn modified(file: &ModifiedFile) -> String {
    format!("- {} (+{}/-{})", quoted(&file.path), file.added, file.removed)
}

fn numbered(todos: &[&TodoItem]) -> Vec<String> {
    let line =
        |(at, item): (usize, &&TodoItem)| format!("{}. [ ] {}", at + 1, one_line(&item.text));
    todos.iter().enumerate().map(line).collect()
}

fn said((user, answer): &(String, String)) -> String {
    format!("User: {}\nAI: {}", short_line(user, MOST_SAID), short_line(answer, MOST_SAID))
}

fn bug(bug: &BugReport) -> String {
    format!("- {}: {}", bug_label(bug.kind), one_line(&bug.description))
}

fn failure(command: &CommandResult) -> String {
    let said = command.shown.lines().find(|line| !line.trim().is_empty()).unwrap_or("(no output)");
    format!("- {}: {}", quoted(&command.command), short_line(said, MOST_WRITTEN))
}

/// Writes the current content of modified files below the context: the first five, 8 KB of each.
///
/// A file that is cut has no hash, so that it cannot be changed as if it had been seen whole.
#[must_use]
pub fn handoff_files(files: &[LoadedText]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let mut out = String::from("### CURRENT FILE CONTENTS");
    for file in files.iter().take(LOADED_FILES) {
        let end = floor_boundary(&file.text, LOADED_BYTES);
        let cut = file.cut || end < file.text.len();
        let text = file.text.get(..end).unwrap_or_default().to_owned();
        let _ = write!(out, "\n\n{}", attached_file(&LoadedText { text, cut, ..file.clone() }));
    }
    let left: Vec<String> = files.iter().skip(LOADED_FILES).map(|it| quoted(&it.path)).collect();
    if !left.is_empty() {
        let _ = write!(out, "\n\nNot loaded: {}", left.join(", "));
    }
    out
}

fn floor_boundary(text: &str, most: usize) -> usize {
    (0..=most.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default()
}

/// Returns what the input of the child begins with: the tasks that are open.
#[must_use]
pub fn handoff_input(todos: &[TodoItem]) -> String {
    let open: Vec<&TodoItem> = todos.iter().filter(|item| !item.completed).collect();
    if open.is_empty() {
        return String::new();
    }
    let mut out = String::from("Continue with the pending tasks:");
    for (at, item) in open.iter().enumerate() {
        let _ = write!(out, "\n{}. {}", at + 1, one_line(&item.text));
    }
    out
}

#[cfg(test)]
mod tests;
