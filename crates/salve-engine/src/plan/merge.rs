//! The results of sub-tasks, merged three ways.
//!
//! In: what each task made of its files and what it had seen of them, in the order in which they ended, and the files
//! as they are now. Out: the files as they would be, or every overlap with both sides of it. A task counts as a whole:
//! one overlap keeps all of it out. Never a choice between two sides, never a line of either lost.

use salve_tree::{SideOfConflict, merge_texts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a task made of its files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskResult {
    /// The task.
    pub task: String,
    /// The files as it wants them; nothing for one that goes.
    pub files: BTreeMap<String, Option<String>>,
    /// The same files as it saw them; nothing for one that was not there.
    pub seen: BTreeMap<String, Option<String>>,
    /// Files that it moved: from the new path to the old one.
    #[serde(default)]
    pub moves: BTreeMap<String, String>,
}

/// A file that a task and something before it both changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubTaskConflict {
    /// The file.
    pub path: String,
    /// The task whose result does not fit.
    pub task: String,
    /// The tasks that changed the file before; empty when it was changed in the workspace.
    pub with: Vec<String>,
    /// The places, with both sides of each.
    pub sides: Vec<SideOfConflict>,
}

/// Results in one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MergedFiles {
    /// The files that change; nothing for one that goes.
    pub files: BTreeMap<String, Option<String>>,
    /// What does not fit.
    pub conflicts: Vec<SubTaskConflict>,
    /// Which tasks changed a file.
    pub owners: BTreeMap<String, Vec<String>>,
}

impl MergedFiles {
    /// Returns the tasks whose results do not fit, each once.
    pub fn tasks_in_conflict(&self) -> Vec<String> {
        let mut tasks: Vec<String> = self.conflicts.iter().map(|one| one.task.clone()).collect();
        tasks.dedup();
        tasks
    }
}

/// Merges results on top of the files that `disk` reads.
pub fn merge_results(results: &[TaskResult], disk: &dyn Fn(&str) -> Option<String>) -> MergedFiles {
    let mut merging = Merging { disk, merged: MergedFiles::default(), moved: BTreeMap::new() };
    results.iter().for_each(|result| merging.add(result));
    let unchanged = |path: &String, text: &Option<String>| disk(path) == *text;
    merging.merged.files.retain(|path, text| !unchanged(path, text));
    merging.merged
}

struct Merging<'a> {
    disk: &'a dyn Fn(&str) -> Option<String>,
    merged: MergedFiles,
    /// Where files went that were moved: from the old path to the new one.
    moved: BTreeMap<String, String>,
}

/// A path and what it becomes, or the overlap there.
type Part = Result<(String, Option<String>), SubTaskConflict>;

impl Merging<'_> {
    fn add(&mut self, result: &TaskResult) {
        let parts: Vec<Part> =
            result.files.keys().flat_map(|path| self.part(result, path)).collect();
        if parts.iter().any(Result::is_err) {
            self.merged.conflicts.extend(parts.into_iter().filter_map(Result::err));
            return;
        }
        for (path, text) in parts.into_iter().flatten() {
            let owners = self.merged.owners.entry(path.clone()).or_default();
            if owners.last() != Some(&result.task) {
                owners.push(result.task.clone());
            }
            self.merged.files.insert(path, text);
        }
        for (to, from) in &result.moves {
            self.moved.insert(from.clone(), to.clone());
            self.merged.files.insert(from.clone(), None);
            self.merged.owners.entry(from.clone()).or_default().push(result.task.clone());
        }
    }

    fn part(&self, result: &TaskResult, path: &str) -> Option<Part> {
        // What goes because it was moved comes with its new path.
        if result.moves.values().any(|from| from == path) && result.files.get(path) == Some(&None) {
            return None;
        }
        let seen = result.seen.get(path).cloned().flatten();
        let wanted = result.files.get(path)?.clone();
        if let Some(from) = result.moves.get(path) {
            return Some(self.moved_part(result, from, path, wanted));
        }
        let went = self.moved.get(path).filter(|_| self.now(path).is_none() && seen.is_some());
        let at = went.map_or(path, String::as_str);
        Some(self.fitted(&result.task, at, seen, wanted).map(|text| (at.to_owned(), text)))
    }

    // The file goes from its old path with everything that was done to it there.
    fn moved_part(
        &self,
        result: &TaskResult,
        from: &str,
        to: &str,
        wanted: Option<String>,
    ) -> Part {
        let (seen, before) =
            (result.seen.get(from).cloned().flatten(), result.seen.get(to).cloned().flatten());
        if self.now(to) != before {
            return Err(self.conflict(&result.task, to, before, self.now(to), wanted));
        }
        let text = match self.now(from) {
            None => return Err(self.conflict(&result.task, from, seen, None, wanted)),
            Some(now) => self.fitted_text(&result.task, from, seen, Some(now), wanted)?,
        };
        Ok((to.to_owned(), text))
    }

    fn fitted(
        &self,
        task: &str,
        path: &str,
        seen: Option<String>,
        wanted: Option<String>,
    ) -> Result<Option<String>, SubTaskConflict> {
        self.fitted_text(task, path, seen, self.now(path), wanted)
    }

    fn fitted_text(
        &self,
        task: &str,
        path: &str,
        seen: Option<String>,
        now: Option<String>,
        wanted: Option<String>,
    ) -> Result<Option<String>, SubTaskConflict> {
        if now == seen || now == wanted {
            return Ok(wanted);
        }
        if wanted == seen {
            return Ok(now);
        }
        match (&seen, &now, &wanted) {
            (Some(base), Some(present), Some(edited)) => match merge_texts(base, present, edited) {
                Ok(text) => Ok(Some(text)),
                Err(sides) => {
                    let with = self.owners(path);
                    Err(SubTaskConflict {
                        path: path.to_owned(),
                        task: task.to_owned(),
                        with,
                        sides,
                    })
                }
            },
            // One made it and the other too, or one took it away: nothing to merge by.
            _ => Err(self.conflict(task, path, seen, now, wanted)),
        }
    }

    fn conflict(
        &self,
        task: &str,
        path: &str,
        base: Option<String>,
        present: Option<String>,
        wanted: Option<String>,
    ) -> SubTaskConflict {
        let text = |text: Option<String>| text.unwrap_or_default();
        let sides =
            vec![SideOfConflict { present: text(present), base: text(base), wanted: text(wanted) }];
        SubTaskConflict {
            path: path.to_owned(),
            task: task.to_owned(),
            with: self.owners(path),
            sides,
        }
    }

    fn owners(&self, path: &str) -> Vec<String> {
        self.merged.owners.get(path).cloned().unwrap_or_default()
    }

    fn now(&self, path: &str) -> Option<String> {
        match self.merged.files.get(path) {
            Some(text) => text.clone(),
            None => (self.disk)(path),
        }
    }
}

#[cfg(test)]
mod tests;
