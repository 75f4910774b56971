//! The way from one position of the history to another, file by file.
//!
//! In: the steps between two positions and the tree as it is. Out: for every file the content it
//! must have and the one it is to have, and the files that are not what they must be. Never: a
//! content that is not kept; a way that needs one cannot be gone.

use super::{ChangedSince, OnChanged, ThreeWay};
use crate::TreeError;
use crate::apply::parent_of;
use crate::disk::At;
use crate::history::{History, Step, is_binary};
use crate::journal::Version;
use crate::plan::{FileContent, FileState, PlannedFile, TreePath};
use crate::workspace::State;
use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::AsFd as _;

/// The way from one position to another.
#[derive(Default)]
pub(super) struct Route {
    straight: Vec<PlannedFile>,
    pub(super) detours: Vec<Detour>,
    /// Files that another writer already brought to their target state.
    arrived: Vec<Detour>,
    /// Directories that were made on the steps that are taken back.
    pub(super) prune: BTreeSet<String>,
}

/// A file that is not what the history left.
pub(super) struct Detour {
    path: TreePath,
    left: Option<FileContent>,
    now: Now,
    goal: Option<FileContent>,
}

enum Now {
    File(Option<FileState>),
    Other(String),
}

impl Route {
    /// Plans the way of one file alone: from what the history left to what it had before.
    pub(super) fn of_file(
        state: &State<'_>,
        path: &str,
        (left, goal): Ends,
    ) -> Result<Self, TreeError> {
        let mut route = Self::default();
        route.add(state, path, (left, goal))?;
        Ok(route)
    }

    pub(super) fn plan(
        state: &State<'_>,
        history: &History,
        to: Option<&str>,
    ) -> Result<Self, TreeError> {
        let steps = history.way_to(to);
        let mut route = Self::default();
        for step in &steps {
            if let Step::Back(change) = step {
                route.prune.extend(change.made_dirs.iter().cloned());
            }
        }
        for (path, ends) in net(&steps) {
            route.add(state, path, ends)?;
        }
        Ok(route)
    }

    fn add(&mut self, state: &State<'_>, path: &str, (left, goal): Ends) -> Result<(), TreeError> {
        let now = look(state, path)?;
        let (expected, goal) = (content(state, left)?, content(state, goal)?);
        let path = TreePath::admitted(path.to_owned());
        match now {
            now if now.is(goal.as_ref()) => {
                self.arrived.push(Detour { path, left: expected, now, goal });
            }
            Now::File(before) if same(before.as_ref(), expected.as_ref()) => {
                let file = PlannedFile { path, before, after: goal, moved_from: None };
                self.straight.push(file);
            }
            now => self.detours.push(Detour { path, left: expected, now, goal }),
        }
        Ok(())
    }

    /// Tells whether the changed files let the way be gone.
    pub(super) fn may_go(&self, on_changed: OnChanged) -> bool {
        self.detours.iter().all(|detour| match on_changed {
            OnChanged::Refuse => false,
            OnChanged::Merge => matches!(detour.merge(), Ok(Ok(_))),
            OnChanged::Force => matches!(detour.now, Now::File(_)),
        })
    }

    /// Describes everything that another writer changed since the last position.
    pub(super) fn since(&self) -> Vec<PlannedFile> {
        self.detours.iter().chain(&self.arrived).map(Detour::since).collect()
    }

    /// Lists what is written on the way.
    pub(super) fn files(&self, on_changed: OnChanged) -> Vec<PlannedFile> {
        let around = self.detours.iter().filter_map(|detour| {
            let Now::File(before) = &detour.now else { return None };
            let after = match on_changed {
                OnChanged::Merge => detour.merge().ok()?.ok(),
                _ => detour.goal.clone(),
            };
            let path = detour.path.clone();
            Some(PlannedFile { path, before: before.clone(), after, moved_from: None })
        });
        self.straight.iter().cloned().chain(around).collect()
    }
}

impl Detour {
    /// Describes what another writer changed as one file of a change set.
    fn since(&self) -> PlannedFile {
        let now = match &self.now {
            Now::File(now) => now.as_ref(),
            Now::Other(_) => None,
        };
        PlannedFile {
            path: self.path.clone(),
            before: self.left.clone().map(|left| FileState::new(left.bytes, left.mode)),
            after: now.map(|now| FileContent { bytes: now.bytes.clone(), mode: now.mode }),
            moved_from: None,
        }
    }

    pub(super) fn report(&self) -> ChangedSince {
        let why = match (&self.now, &self.left) {
            (Now::Other(why), _) => why.as_str(),
            (Now::File(None), _) => "it was removed since",
            (Now::File(Some(_)), None) => "it was created since",
            (Now::File(Some(now)), Some(left)) if now.bytes == left.bytes => {
                "its permissions were changed since"
            }
            (Now::File(Some(_)), Some(_)) => "it was edited since",
        };
        let merge = match self.merge() {
            Ok(Ok(_)) => ThreeWay::Clean,
            Ok(Err(text)) => ThreeWay::Overlap(text),
            Err(()) => ThreeWay::Impossible,
        };
        ChangedSince { path: self.path.as_str().to_owned(), why: why.to_owned(), merge }
    }

    /// Merges what another writer did since with the way back. The outer error: there is nothing to
    /// merge by lines. The inner one: both touch the same lines.
    fn merge(&self) -> Result<Result<FileContent, String>, ()> {
        let (Now::File(Some(now)), Some(left), Some(goal)) = (&self.now, &self.left, &self.goal)
        else {
            return Err(());
        };
        if [&now.bytes, &left.bytes, &goal.bytes].into_iter().any(|bytes| is_binary(bytes)) {
            return Err(());
        }
        let mode = if now.mode == left.mode { goal.mode } else { now.mode };
        Ok(diffy::merge_bytes(&left.bytes, &now.bytes, &goal.bytes)
            .map(|bytes| FileContent { bytes, mode })
            .map_err(|text| String::from_utf8_lossy(&text).into_owned()))
    }
}

impl Now {
    fn is(&self, goal: Option<&FileContent>) -> bool {
        matches!(self, Self::File(now) if same(now.as_ref(), goal))
    }
}

pub(super) type Ends = (Option<Version>, Option<Version>);

/// Sums the steps up: what each file must be before the first step and is after the last.
fn net<'h>(steps: &[Step<'h>]) -> BTreeMap<&'h str, Ends> {
    let mut files: BTreeMap<&str, Ends> = BTreeMap::new();
    for step in steps {
        let (change, back) = match step {
            Step::Back(change) => (change, true),
            Step::Forth(change) => (change, false),
        };
        for file in &change.files {
            let (from, to) = if back { (file.new, file.old) } else { (file.old, file.new) };
            files.entry(&file.file_path).or_insert((from, to)).1 = to;
        }
    }
    files.retain(|_, (from, to)| from != to);
    files
}

fn look(state: &State<'_>, path: &str) -> Result<Now, TreeError> {
    let fault = |error| TreeError::io(path, error);
    let Some((dir, name)) = parent_of(state, path).map_err(fault)? else {
        return Ok(Now::File(None));
    };
    match state.disk.read(At { dir: dir.as_fd(), name }) {
        Ok(found) => Ok(Now::File(found)),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => {
            Ok(Now::Other("it is no regular file any more".to_owned()))
        }
        Err(error) => Err(fault(error)),
    }
}

fn content(state: &State<'_>, version: Option<Version>) -> Result<Option<FileContent>, TreeError> {
    version
        .map(|version| {
            let bytes = state.blobs.need(version.hash)?;
            Ok(FileContent { bytes, mode: version.mode })
        })
        .transpose()
}

fn same(now: Option<&FileState>, then: Option<&FileContent>) -> bool {
    match (now, then) {
        (None, None) => true,
        (Some(now), Some(then)) => now.bytes == then.bytes && now.mode == then.mode,
        _ => false,
    }
}
