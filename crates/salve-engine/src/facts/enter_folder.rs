//! A line that begins by entering a folder: `cd web && npm test`.
//!
//! In: a line, the rules, the workspace and the folder that the line starts in. Out: what the policy says
//! of the line, and the folder that its commands start in. No shell runs, so that the folder is entered by
//! starting the rest there; only the profile `everyday` does so. Never enters a folder outside of the
//! workspace, one that holds secrets or a repository, or one that a shell would still have to work out.

use super::{CommandPaths, RepositoryFacts};
use salve_check::{
    CommandVerdict, ListEntry, PathFacts, PathJudgement, PathUse, PolicyRules, Profile,
    judge_command,
};
use salve_tree::Root;

/// A line that was judged in the folder that its commands start in.
#[derive(Debug, Clone)]
pub struct JudgedLine {
    /// What the policy says of it.
    pub verdict: CommandVerdict,
    /// The folder that its commands start in, relative to the root and without links.
    pub here: String,
    /// The line as its commands are written there: without the step into the folder.
    pub line: String,
}

/// Judges a line that starts in the folder `here` of a workspace.
///
/// Only a line whose rest is allowed enters a folder: what is asked about is asked about as it was
/// written.
pub fn judge_line(line: &str, rules: &PolicyRules, root: &Root, here: &str) -> JudgedLine {
    if let Some((here, rest)) = entered(line, rules, root, here) {
        let verdict = judge_in(rest, rules, root, &here);
        if verdict.allow {
            return JudgedLine { verdict, here, line: rest.to_owned() };
        }
    }
    let verdict = judge_in(line, rules, root, here);
    JudgedLine { verdict, here: here.to_owned(), line: line.to_owned() }
}

fn judge_in(line: &str, rules: &PolicyRules, root: &Root, here: &str) -> CommandVerdict {
    let repository = RepositoryFacts::of(&root.path().join(here));
    judge_command(line, rules, &CommandPaths::from_here(root, here), &repository)
}

// The folder that a line enters first, and the rest of it.
fn entered<'l>(
    line: &'l str,
    rules: &PolicyRules,
    root: &Root,
    here: &str,
) -> Option<(String, &'l str)> {
    let is_named = |entry: &ListEntry| entry.words.first().is_some_and(|word| word == "cd");
    let is_asked = rules.refused.iter().chain(&rules.denied).any(is_named);
    if is_asked || !rules.profiles.contains(&Profile::Everyday) {
        return None;
    }
    let (folder, rest) = line.strip_prefix("cd ")?.split_once("&&")?;
    let (folder, rest) = (folder.trim_matches(' '), rest.trim_start_matches(' '));
    if !is_plain(folder) || rest.is_empty() || rest.starts_with('&') {
        return None;
    }
    let paths = CommandPaths::from_here(root, here);
    let is_fine = paths.is_folder(folder)
        && paths.judge(folder, PathUse::Read) == PathJudgement::Fine
        && paths.judge(folder, PathUse::Write) == PathJudgement::Fine;
    is_fine.then(|| (paths.real(folder), rest))
}

// Whether a word is a path downwards of plain letters, the same to every shell.
fn is_plain(folder: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"._+@-".contains(&byte);
    let is_step = |step: &str| !matches!(step, "" | "." | "..") && step.bytes().all(is_letter);
    let folder = folder.strip_prefix("./").unwrap_or(folder);
    let folder = folder.strip_suffix('/').unwrap_or(folder);
    !folder.starts_with('-') && folder.split('/').all(is_step)
}
