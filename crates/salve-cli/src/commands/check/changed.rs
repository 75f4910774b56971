//! Which files changed: by git, and by the last change that Salve made.
//!
//! In: a workspace and its runner. Out: paths relative to the root. git runs in the sandbox like any
//! command, and only where the policy allows it unasked. Never fails because there is no repository:
//! then Salve's own history says it.

use crate::failure::Failure;
use crate::output;
use salve_check::{
    Gate, Limits, Plan, ProtectedFileUse, RiskClass, RunClass, RunInput, RunPrograms, RunRequest,
    Runner, StartedBy,
};
use salve_engine::host::{OpenWorkspace, Place, WorkspaceHost};
use salve_tree::{History, WorkspaceOptions};
use std::collections::BTreeSet;

const STATUS: &[&str] = &["git", "status", "--porcelain", "-z", "--untracked-files=all"];
/// The most of git's answer that is read.
const MOST_BYTES: u64 = 16 << 20;

/// Lists the changed files.
pub(super) fn files(
    place: &Place,
    workspace: &WorkspaceHost,
    runner: &Runner,
) -> Result<Vec<String>, Failure> {
    let by_git = by_git(place, workspace, runner)?;
    let changes = if by_git.is_some() { 1 } else { usize::MAX };
    let mut files: BTreeSet<String> = by_git.unwrap_or_default().into_iter().collect();
    files.extend(by_history(place, changes)?);
    Ok(files.into_iter().collect())
}

// Nothing where there is no repository, or where asking git would start something.
fn by_git(
    place: &Place,
    workspace: &WorkspaceHost,
    runner: &Runner,
) -> Result<Option<Vec<String>>, Failure> {
    if !place.root.join(".git").exists() {
        return Ok(None);
    }
    let verdict = workspace.judge(&STATUS.join(" "))?;
    if !verdict.allow {
        output::story(&format!("note: git is not asked what changed: {}\n", verdict.why));
        return Ok(None);
    }
    let request = RunRequest {
        plan: Plan::of_argv(STATUS.iter().copied()),
        cwd: place.root.clone(),
        class: RunClass::Proposed,
        risk: RiskClass::Read,
        gate: Gate::Policy { rule: output::word(&verdict.rule) },
        by: StartedBy::Salve,
        limits: Limits::of(RunClass::Toolchain),
        environment: Vec::new(),
        input: RunInput::Nothing,
        protected: ProtectedFileUse::default(),
        ports: Vec::new(),
    };
    let run = runner.run(&request)?;
    if !run.succeeded() {
        output::story("note: git could not say what changed; Salve's own history does\n");
        return Ok(None);
    }
    Ok(Some(paths(&String::from_utf8_lossy(&run.stdout.read_full(MOST_BYTES)?))))
}

// `XY path`, and after a rename the former path as an entry of its own.
fn paths(status: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut entries = status.split('\0').filter(|entry| !entry.is_empty());
    while let Some(entry) = entries.next() {
        let (Some(state), Some(path)) = (entry.get(..2), entry.get(3..)) else { continue };
        found.push(path.to_owned());
        if state.contains(['R', 'C']) {
            found.extend(entries.next().map(str::to_owned));
        }
    }
    found
}

fn by_history(place: &Place, changes: usize) -> Result<Vec<String>, Failure> {
    if !place.root.join(".salve/history").exists() {
        return Ok(Vec::new());
    }
    let opened = OpenWorkspace::open_at(place, WorkspaceOptions::default())?;
    let history = History::load(&opened.tree)?;
    let in_effect =
        history.changes().iter().rev().filter(|change| history.is_in_effect(&change.id));
    let files = in_effect.take(changes).flat_map(|change| &change.files);
    Ok(files.map(|file| file.file_path.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renames_name_both_paths_and_odd_entries_are_left_out() {
        let status = " M src/a.rs\0?? new file.txt\0R  b.rs\0old.rs\0x\0D  gone.rs\0";
        assert_eq!(paths(status), ["src/a.rs", "new file.txt", "b.rs", "old.rs", "gone.rs"]);
        assert!(paths("").is_empty());
    }
}
