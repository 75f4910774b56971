//! The work of a plan on a workspace: what a task sees, what its answer makes of it, the whole checked and written.
//!
//! In: an open workspace, results on this disk. Out: patches, a merged whole that passed the checks, one change set.
//! Never writes to the user's tree before the whole was checked, and does not write twice when a process died in
//! between.

mod folder;
mod parts;

pub use folder::{MergedPlan, ResultFolder, SavedResult};
pub use parts::{PartUndone, undo_part};

use super::prompt::{SeenFile, StepOutput, read_outputs, says_no_change};
use super::{Difficulty, MergedFiles, SubTask, SubTaskConflict, TaskResult, merge_results};
use crate::heal::machine::ErrorSeen;
use crate::heal::{
    CheckFindings, HealInput, HealParts, HealWork, Patch, RepairError, Sources, Then,
    UnusableAnswer, edited_files, verified,
};
use crate::host::OpenWorkspace;
use salve_tree::{
    AdmitOptions, ApplyOutcome, ChangeMeta, ChangeSet, Cost, FileView as _, History, Origin,
    PathLease, TreeError, WorkspaceOptions, apply, lease,
};
use salve_types::ErrorClass;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// How many lines of a check are told.
const MOST_FINDINGS: usize = 20;
/// How often a merge begins again because the user's files changed meanwhile.
const MOST_MERGES: usize = 5;
/// How long a file is held, in milliseconds; its holder's process ends it too.
const LEASE_MS: u64 = 3_600_000;

/// A workspace while a plan works on it.
pub struct PlanWork {
    heal: HealWork,
    job: String,
    folder: ResultFolder,
    leases: Mutex<BTreeMap<String, (PathLease, usize)>>,
}

/// What became of the results, merged.
#[derive(Debug, Clone, PartialEq)]
pub enum MergeEnd {
    /// They are in the tree.
    Applied {
        /// The change set; nothing where nothing differs.
        change: Option<String>,
        /// The files that changed.
        files: Vec<String>,
        /// The toolchains that passed.
        checked_by: Vec<String>,
        /// What a person should know.
        warnings: Vec<String>,
    },
    /// They overlap.
    Conflict(Vec<SubTaskConflict>),
    /// The whole does not pass the checks.
    Red {
        /// The tasks that changed what the checks complain about, with what they say.
        tasks: BTreeMap<String, String>,
        /// What they say.
        findings: Vec<String>,
    },
}

impl PlanWork {
    /// Opens the shadow of a workspace for the plan of a job.
    ///
    /// # Errors
    /// When there can be no shadow.
    pub fn open(
        parts: HealParts,
        root: &Path,
        job: &str,
        folder: ResultFolder,
    ) -> Result<Self, RepairError> {
        let input = serde_json::json!({ "root": root });
        let input: HealInput =
            serde_json::from_value(input).map_err(|error| RepairError::Io(error.to_string()))?;
        let input = HealInput { then: Then::Show, ..input };
        let heal = HealWork::open(parts, input, job, folder.shadow())?;
        Ok(Self { heal, job: job.to_owned(), folder, leases: Mutex::default() })
    }

    /// Returns where the results are.
    pub const fn folder(&self) -> &ResultFolder {
        &self.folder
    }

    /// Returns the files of a task as it sees them: the workspace with the results of others on top.
    ///
    /// # Errors
    /// When a result is lost.
    pub fn seen(
        &self,
        task: &SubTask,
        sees: &[String],
    ) -> Result<(Patch, Vec<SeenFile>), RepairError> {
        let view = self.view(sees)?;
        let sources = self.heal.sources(&view);
        let mut paths: Vec<&String> = Vec::new();
        for path in task.context_files.iter().chain(&task.writes) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        let files = paths
            .into_iter()
            .map(|path| SeenFile { path: path.clone(), text: sources.read(path) })
            .collect();
        drop(sources);
        Ok((view, files))
    }

    // Where the results of others overlap, the first one is seen; the merge tells of it.
    fn view(&self, sees: &[String]) -> Result<Patch, RepairError> {
        let results = self.results(sees)?;
        let none = Patch::default();
        let disk = self.heal.sources(&none);
        let merged = merge_results(&results, &|path| disk.read(path));
        Ok(Patch { files: merged.files })
    }

    fn results(&self, tasks: &[String]) -> Result<Vec<TaskResult>, RepairError> {
        let lost = |task: &String| {
            RepairError::Io(format!("the result of sub-task `{task}` is not on this disk"))
        };
        let read = |task: &String| {
            self.folder.result(task)?.ok_or_else(|| lost(task)).map(|saved| saved.result)
        };
        tasks.iter().map(read).collect()
    }

    /// Returns the outputs of tasks, for those that depend on them.
    ///
    /// # Errors
    /// When a result is lost.
    pub fn outputs(&self, tasks: &[String]) -> Result<Vec<(String, StepOutput)>, RepairError> {
        let mut found = Vec::new();
        for task in tasks {
            if let Some(saved) = self.folder.result(task)? {
                found.push((task.clone(), saved.output));
            }
        }
        Ok(found)
    }

    /// Makes a result of an answer, and keeps it.
    ///
    /// # Errors
    /// When the disk fails. An answer that is no result says why in words for its model.
    pub fn take_answer(
        &self,
        task: &SubTask,
        sees: &[String],
        answer: &str,
    ) -> Result<Result<StepOutput, String>, RepairError> {
        let view = self.view(sees)?;
        let sources = self.heal.sources(&view);
        let made = match result_of(task, answer, &sources) {
            Ok(result) => result,
            Err(why) => {
                self.folder.note_failure(&task.id, &why)?;
                return Ok(Err(why));
            }
        };
        let mut output = read_outputs(answer);
        output.files = made.files.keys().cloned().collect();
        if output.summary.is_empty() {
            output.summary = format!("changed {}", output.files.join(", "));
        }
        self.folder.keep(&SavedResult { result: made, output: output.clone() })?;
        Ok(Ok(output))
    }

    /// Holds the files of a task while it works. One that several tasks of the plan hold is held until the last of
    /// them lets go.
    ///
    /// # Errors
    /// When another process holds one of them.
    pub fn hold(&self, task: &SubTask, now: u64) -> Result<(), RepairError> {
        let workspace = self.workspace()?;
        let view = workspace.view(AdmitOptions::default());
        let mut held = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        let mut fresh: BTreeMap<String, (PathLease, usize)> = BTreeMap::new();
        for path in task.leases() {
            if held.contains_key(path) || fresh.contains_key(path) {
                continue;
            }
            // A path that cannot be written is told when an answer edits it.
            let Ok(admitted) = view.admit(path) else { continue };
            match lease(&workspace.tree, &admitted, now + LEASE_MS, now) {
                Ok(taken) => drop(fresh.insert(path.clone(), (taken, 0))),
                // Its holder lets go in time, or ends.
                Err(TreeError::Leased { .. }) => return Err(RepairError::Busy { process: None }),
                Err(error) => return Err(io(&error)),
            }
        }
        held.extend(fresh);
        for path in task.leases() {
            if let Some((_, count)) = held.get_mut(path) {
                *count += 1;
            }
        }
        Ok(())
    }

    /// Lets the files of a task go.
    pub fn let_go(&self, task: &SubTask) {
        let mut held = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        for path in task.leases() {
            let last = held.get_mut(path).is_some_and(|(_, count)| {
                *count = count.saturating_sub(1);
                *count == 0
            });
            if last {
                held.remove(path);
            }
        }
    }

    /// Merges results, checks the whole and writes it as one change set.
    ///
    /// # Errors
    /// When the tree cannot be read or written, or a result is lost.
    pub fn merge(
        &self,
        order: &[String],
        label: &str,
        micro_dollars: u64,
        now: u64,
    ) -> Result<MergeEnd, RepairError> {
        let workspace = self.workspace()?;
        if let Some(change) = self.written_before(&workspace)? {
            let files = change.files.iter().map(|file| file.file_path.clone()).collect();
            return Ok(applied(Some(change.id), files, Vec::new(), Vec::new()));
        }
        let results = self.results(order)?;
        for _ in 0..MOST_MERGES {
            let none = Patch::default();
            let merged = {
                let disk = self.heal.sources(&none);
                merge_results(&results, &|path| disk.read(path))
            };
            if !merged.conflicts.is_empty() {
                return Ok(MergeEnd::Conflict(merged.conflicts));
            }
            let patch = Patch { files: merged.files.clone() };
            self.folder.keep_merged(&MergedPlan { order: order.to_vec(), change: None })?;
            if patch.is_empty() {
                return Ok(applied(None, Vec::new(), Vec::new(), Vec::new()));
            }
            let (checked_by, warnings) = match self.checked(&patch, &merged)? {
                Checked::Passed { by, warnings } => (by, warnings),
                Checked::Red(end) => return Ok(end),
            };
            let edits = verified(&workspace, &patch)?;
            // Looked at after the files were read: what is replaced is what was checked.
            let unchanged = {
                let disk = self.heal.sources(&none);
                merge_results(&results, &|path| disk.read(path)) == merged
            };
            if !unchanged {
                continue;
            }
            let cost = Cost { micro_dollars, ..Cost::default() };
            let meta = ChangeMeta {
                now,
                origin: Origin::SubTask,
                label: Some(format!("plan {}: {label}", self.job)),
                cost: (micro_dollars > 0).then_some(cost),
                ..ChangeMeta::default()
            };
            match apply(&workspace.tree, edits, &meta).map_err(|error| io(&error))? {
                ApplyOutcome::Applied(change) => {
                    let id = change.id().to_owned();
                    self.folder.keep_merged(&MergedPlan {
                        order: order.to_vec(),
                        change: Some(id.clone()),
                    })?;
                    return Ok(applied(
                        Some(id),
                        patch.files.into_keys().collect(),
                        checked_by,
                        warnings,
                    ));
                }
                ApplyOutcome::NothingToDo => {
                    return Ok(applied(None, Vec::new(), checked_by, warnings));
                }
                ApplyOutcome::Conflict(_) => {}
            }
        }
        Err(RepairError::Io(
            "the files of the workspace change all the time; stop what writes them".to_owned(),
        ))
    }

    // A tree that was red before may stay so, as long as nothing is new.
    fn checked(&self, patch: &Patch, merged: &MergedFiles) -> Result<Checked, RepairError> {
        let passed = |by: Vec<String>, warnings: Vec<String>| Ok(Checked::Passed { by, warnings });
        let seen = match self.heal.check_patch(patch) {
            Ok(Some(seen)) => seen,
            Ok(None) => {
                return passed(
                    Vec::new(),
                    vec!["nothing here can be checked: no toolchain applies".to_owned()],
                );
            }
            Err(RepairError::Toolchain(why)) => {
                return passed(Vec::new(), vec![format!("it was not checked: {why}")]);
            }
            Err(error) => return Err(error),
        };
        let by = seen.tools.ran.clone();
        if seen.is_green() {
            return passed(by, Vec::new());
        }
        let before = self.heal.check_patch(&Patch::default())?;
        let known: BTreeSet<String> =
            before.iter().flat_map(|one| one.summary().errors).map(|one| one.exact).collect();
        let new_in = |seen: &CheckFindings| -> Vec<ErrorSeen> {
            seen.summary().errors.into_iter().filter(|one| !known.contains(&one.exact)).collect()
        };
        let mut new = new_in(&seen);
        // A test that passes the second time says nothing about the change.
        if !new.is_empty()
            && new.iter().all(|one| one.error_class == ErrorClass::Test)
            && let Some(again) = self.heal.check_patch(patch)?
        {
            let still: BTreeSet<String> = new_in(&again).into_iter().map(|one| one.exact).collect();
            new.retain(|one| still.contains(&one.exact));
        }
        let was_red = before.is_some_and(|before| !before.is_green());
        if new.is_empty() && was_red {
            let said = "the checks failed before, and fail in the same places".to_owned();
            return passed(by, vec![said]);
        }
        Ok(Checked::Red(red(&new, merged)))
    }

    fn workspace(&self) -> Result<OpenWorkspace, RepairError> {
        let options = WorkspaceOptions {
            holder: format!("salve plan {}", self.job),
            ..WorkspaceOptions::default()
        };
        OpenWorkspace::open(self.heal.folder(), options).map_err(|error| io(&error))
    }

    // A process may have died between writing and saying so.
    fn written_before(&self, workspace: &OpenWorkspace) -> Result<Option<ChangeSet>, RepairError> {
        let history = History::load(&workspace.tree).map_err(|error| io(&error))?;
        let own = format!("plan {}: ", self.job);
        let is_own = |change: &&ChangeSet| {
            change.applied && change.label.as_deref().is_some_and(|label| label.starts_with(&own))
        };
        Ok(history.changes().iter().rev().find(is_own).cloned())
    }
}

enum Checked {
    Passed { by: Vec<String>, warnings: Vec<String> },
    Red(MergeEnd),
}

fn applied(
    change: Option<String>,
    files: Vec<String>,
    checked_by: Vec<String>,
    warnings: Vec<String>,
) -> MergeEnd {
    MergeEnd::Applied { change, files, checked_by, warnings }
}

fn red(new: &[ErrorSeen], merged: &MergedFiles) -> MergeEnd {
    let line = |error: &ErrorSeen| {
        let place = error.line.map_or_else(String::new, |line| format!(":{line}"));
        format!("{}{place}: {}", error.path, error.message)
    };
    let mut tasks: BTreeMap<String, String> = BTreeMap::new();
    for error in new {
        for task in merged.owners.get(&error.path).into_iter().flatten() {
            let said = tasks.entry(task.clone()).or_insert_with(|| {
                "together with the other parts it does not pass the project's checks:".to_owned()
            });
            said.push('\n');
            said.push_str(&line(error));
        }
    }
    MergeEnd::Red { tasks, findings: new.iter().take(MOST_FINDINGS).map(line).collect() }
}

// Every stage of a reply is passed, and the task keeps to its files.
fn result_of(task: &SubTask, answer: &str, sources: &dyn Sources) -> Result<TaskResult, String> {
    let target = match task.leases() {
        [only] => Some(only.as_str()),
        _ => None,
    };
    let mut result = TaskResult { task: task.id.clone(), ..TaskResult::default() };
    let edited = match edited_files(answer, sources, target) {
        Ok(edited) => edited,
        Err(_) if says_no_change(answer) => return Ok(result),
        // A review that finds nothing writes none.
        Err(UnusableAnswer::NoEdit) if task.difficulty == Difficulty::Review => return Ok(result),
        Err(error) => return Err(error.to_string()),
    };
    for (path, text) in edited.files {
        let seen = sources.read(&path);
        if seen == text {
            continue;
        }
        if seen.is_some() && !task.may_write(&path) {
            return Err(format!("it changes `{path}`, which is not a file of this part"));
        }
        result.seen.insert(path.clone(), seen);
        result.files.insert(path, text);
    }
    result.moves = edited.moves;
    result
        .moves
        .retain(|to, from| result.files.contains_key(to) && result.files.contains_key(from));
    if result.files.is_empty() {
        return Err(
            "it changes nothing; if nothing has to change, answer `No change: ` and why".to_owned()
        );
    }
    Ok(result)
}

fn io(error: &dyn std::fmt::Display) -> RepairError {
    RepairError::Io(error.to_string())
}
