//! What the harness does to a folder: twelve workloads, each with the trees it goes through.
//!
//! In: nothing; the workloads are a table. Out: files to begin with, acts, and the tree after each
//! act. Never asks the code under test what the tree should be: the expected trees are made here,
//! by the simplest means.

use super::listing::{Listing, Node};
use salve_tree::ContentHash;
use std::collections::BTreeMap;

mod edits;
mod table;

pub(crate) use edits::{as_diff, as_edits};
pub(crate) use table::{WORKLOADS, named, second_process};

/// One workload.
pub(crate) struct Workload {
    /// Its name in the table and on the command line.
    pub(crate) name: &'static str,
    /// The files to begin with.
    pub(crate) files: fn() -> Vec<Given>,
    /// What was done before, without faults.
    pub(crate) prior: fn() -> Vec<Act>,
    /// What is done while things go wrong.
    pub(crate) acts: fn() -> Vec<Act>,
    /// How many steps are tried at most; the others are left out evenly.
    pub(crate) most: usize,
    /// Whether a point takes much longer than those of other workloads.
    pub(crate) is_slow: bool,
    /// What else happens at each step.
    pub(crate) beside: Beside,
}

/// What happens beside the workload at the step that is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beside {
    /// Nothing; the process ends there.
    Nothing,
    /// The user changes these files of the workload, one at a time.
    User(&'static [&'static str]),
    /// A second process works on the same folder.
    Process,
}

/// One thing that is done to the tree.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// One change set.
    Apply(Vec<Change>),
    /// The user writes a file, without Salve.
    UserWrites(&'static str, &'static str),
    /// The last one is taken back.
    Undo,
    /// The last one is taken back although the user changed a file since.
    UndoByForce,
    /// All are taken back.
    RewindToStart,
}

/// One change of one file.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// A piece of text becomes another.
    Replace(String, &'static str, &'static str),
    /// A new file.
    Create(String, String),
    /// The file goes away.
    Delete(String),
    /// The file gets another name.
    Rename(String, String),
    /// The file gets other permissions.
    Mode(String, u32),
}

/// A file to begin with.
#[derive(Debug, Clone)]
pub(crate) struct Given {
    /// Its path.
    pub(crate) path: String,
    /// Its content.
    pub(crate) bytes: Vec<u8>,
    /// Its permissions.
    pub(crate) mode: u32,
}

/// The tree after some of the acts.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    /// What must stand there.
    pub(crate) tree: Listing,
    /// How many change sets are in effect.
    pub(crate) in_effect: usize,
}

/// The files of a workload with their contents, as far as the expected trees need them.
type Contents = BTreeMap<String, (Vec<u8>, u32)>;

impl Workload {
    /// Lists the trees that the workload goes through; the first is the one after the prior acts.
    /// `begin` is the folder before all of them.
    pub(crate) fn stages(&self, begin: &Listing) -> Vec<Stage> {
        let mut past = vec![contents_of((self.files)())];
        for act in (self.prior)() {
            step(&mut past, &act);
        }
        let first: Vec<String> = (self.files)().into_iter().map(|file| file.path).collect();
        let mut stages = vec![stage(&past, begin, &first)];
        for act in (self.acts)() {
            step(&mut past, &act);
            stages.push(stage(&past, begin, &first));
        }
        stages
    }

    /// Lists every path that the workload touches.
    pub(crate) fn touched(&self) -> Vec<String> {
        let mut all = Vec::new();
        for act in (self.prior)().into_iter().chain((self.acts)()) {
            let Act::Apply(changes) = act else { continue };
            for change in changes {
                let (path, to) = change.paths();
                all.push(path.to_owned());
                all.extend(to.map(str::to_owned));
            }
        }
        all
    }
}

/// Returns the trees after the second process has done its work on the first and on the last tree of
/// a workload.
pub(crate) fn with_second(workload: &Workload, begin: &Listing) -> Vec<Stage> {
    let first: Vec<String> = (workload.files)().into_iter().map(|file| file.path).collect();
    let second = Act::Apply(second_process());
    let mut early = vec![contents_of((workload.files)())];
    let mut late = early.clone();
    for act in (workload.acts)() {
        step(&mut late, &act);
    }
    step(&mut early, &second);
    step(&mut late, &second);
    vec![stage(&early, begin, &first), stage(&late, begin, &first)]
}

impl Change {
    fn paths(&self) -> (&str, Option<&str>) {
        match self {
            Self::Rename(path, to) => (path, Some(to)),
            Self::Replace(path, ..) | Self::Create(path, _) | Self::Delete(path) => (path, None),
            Self::Mode(path, _) => (path, None),
        }
    }

    fn do_to(&self, files: &mut Contents) {
        match self {
            Self::Replace(path, old, new) => {
                if let Some((bytes, _)) = files.get_mut(path) {
                    let text = String::from_utf8_lossy(bytes).replacen(old, new, 1);
                    *bytes = text.into_bytes();
                }
            }
            Self::Create(path, text) => {
                files.insert(path.clone(), (text.clone().into_bytes(), 0o644));
            }
            Self::Delete(path) => {
                files.remove(path);
            }
            Self::Rename(path, to) => {
                if let Some(file) = files.remove(path) {
                    files.insert(to.clone(), file);
                }
            }
            Self::Mode(path, mode) => {
                if let Some(file) = files.get_mut(path) {
                    file.1 = *mode;
                }
            }
        }
    }
}

fn contents_of(files: Vec<Given>) -> Contents {
    files.into_iter().map(|file| (file.path, (file.bytes, file.mode))).collect()
}

fn step(past: &mut Vec<Contents>, act: &Act) {
    match act {
        Act::Apply(changes) => {
            let mut next = past.last().cloned().unwrap_or_default();
            for change in changes {
                change.do_to(&mut next);
            }
            past.push(next);
        }
        Act::UserWrites(path, text) => {
            if let Some(file) = past.last_mut().and_then(|files| files.get_mut(*path)) {
                file.0 = text.as_bytes().to_vec();
            }
        }
        Act::Undo | Act::UndoByForce => {
            past.pop();
        }
        Act::RewindToStart => past.truncate(1),
    }
}

/// Puts the workload's files into what else was in the folder from the beginning.
fn stage(past: &[Contents], begin: &Listing, first: &[String]) -> Stage {
    let mut tree = begin.clone();
    for path in first {
        tree.remove(path);
    }
    for (path, (bytes, mode)) in past.last().into_iter().flatten() {
        let hash = ContentHash::of(bytes);
        let note = match begin.get(path) {
            Some(Node::File { note, .. }) => note.clone(),
            _ => None,
        };
        tree.insert(path.clone(), Node::File { hash, mode: *mode, note });
        for (at, _) in path.match_indices('/') {
            tree.insert(path[..at].to_owned(), Node::Dir);
        }
    }
    Stage { tree, in_effect: past.len() - 1 }
}
