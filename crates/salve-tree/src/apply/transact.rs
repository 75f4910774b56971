//! The steps of one transaction, in order.
//!
//! In: a plan and the records that the history is to have once it is done. Out: all of it, or
//! nothing of it. Never: a step that recovery could not take back.

use super::swap::{PutBack, Swapped, discard, parent_of, put_back, swap_in, write_new};
use super::{Conflict, Foreign};
use crate::disk::{At, Seen, unlink_if_there};
use crate::history::{Log, Record, append, take_back};
use crate::journal::{self, Manifest, ManifestFile, TEMP, Version, is_tree_path};
use crate::plan::PlannedFile;
use crate::recover::{Recovery, settle_all};
use crate::workspace::State;
use crate::{ContentHash, TreeError, Workspace};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

/// What a transaction will do.
pub(crate) struct Work {
    manifest: Manifest,
}

/// The outcome.
pub(crate) enum Done {
    Applied(Vec<Foreign>),
    Conflict(Conflict),
}

/// How many files wait for one sync; below the limit of open files of any system.
const BATCH: usize = 64;

/// Takes the lock, brings what was interrupted to rest, and reads the history.
pub(crate) fn begin(workspace: &Workspace) -> Result<(State<'_>, Log), TreeError> {
    let state = workspace.lock()?;
    let mut recovery = Recovery::default();
    let log = settle_all(&state, &mut recovery)?;
    if let Some(damaged) = recovery.damaged_journals.into_iter().next() {
        return Err(TreeError::JournalDamaged { name: damaged.name, why: damaged.why });
    }
    Ok((state, log))
}

impl Work {
    /// Writes down what the plan does.
    pub(crate) fn new(
        state: &State<'_>,
        txn: String,
        files: &[PlannedFile],
    ) -> Result<Self, TreeError> {
        let mut seen = BTreeSet::new();
        let mut dirs = BTreeSet::new();
        let mut listed = Vec::with_capacity(files.len());
        let home = state.disk.mount(state.temps.as_fd()).map_err(|e| TreeError::io("tmp", e))?;
        for (number, file) in files.iter().enumerate() {
            let path = file.path.as_str();
            if !is_tree_path(path) || !seen.insert(path) {
                return Err(TreeError::BadPlan { why: format!("{path:?} twice or not allowed") });
            }
            let mount = nearest_mount(state, path, &mut dirs, file.after.is_some())?;
            listed.push(ManifestFile {
                path: path.to_owned(),
                old: file.before.as_ref().map(|old| Version { hash: old.hash, mode: old.mode }),
                new: file
                    .after
                    .as_ref()
                    .map(|new| Version { hash: ContentHash::of(&new.bytes), mode: new.mode }),
                temp: format!("{TEMP}{txn}-{number}"),
                beside: mount != home,
            });
        }
        let dirs = dirs.into_iter().collect();
        Ok(Self {
            manifest: Manifest { txn, files: listed, dirs, prune: Vec::new(), history: None },
        })
    }

    /// Adds directories that go away after the commit if they are empty.
    pub(crate) fn pruning(mut self, dirs: BTreeSet<String>) -> Self {
        self.manifest.prune = dirs.into_iter().rev().collect();
        self
    }

    pub(crate) fn txn(&self) -> &str {
        &self.manifest.txn
    }

    pub(crate) fn made_dirs(&self) -> &[String] {
        &self.manifest.dirs
    }
}

/// Runs a transaction. An error or a conflict leaves the tree as it was.
pub(crate) fn transact(
    state: &State<'_>,
    log: &Log,
    work: &Work,
    files: &[PlannedFile],
    records: &[Record],
) -> Result<Done, TreeError> {
    let manifest = &Manifest { history: Some(log.len()), ..work.manifest.clone() };
    if let Some(conflict) = first_conflict(state, manifest)? {
        return Ok(Done::Conflict(conflict));
    }
    if let Err(error) = prepare(state, manifest, files, log.len() == 0) {
        return Err(match abandon(state, manifest) {
            Ok(()) => error,
            Err(again) => TreeError::NotUndone { why: again.to_string(), source: Box::new(error) },
        });
    }
    match change_tree(state, manifest) {
        Ok(None) => {}
        Ok(Some(conflict)) => {
            undo(state, manifest)?;
            return Ok(Done::Conflict(conflict));
        }
        Err(error) => return Err(roll_back(state, manifest, error)),
    }
    if let Err(error) = append(state, log, records) {
        // Whether the commit reached the disk is unknown until the log is cut back. If that fails
        // too, the journal stays, and the next start believes what the log says then.
        return Err(match take_back(state, log) {
            Ok(()) => roll_back(state, manifest, error),
            Err(again) => TreeError::NotUndone { why: again.to_string(), source: Box::new(error) },
        });
    }
    // What cleaning leaves behind, the next start removes: the journal goes last.
    let mut kept = Vec::new();
    let _ = clean(state, manifest, &mut kept);
    Ok(Done::Applied(kept))
}

/// Takes everything back that a manifest may have done, and forgets it.
pub(crate) fn undo(state: &State<'_>, manifest: &Manifest) -> Result<Vec<Foreign>, TreeError> {
    let mut kept = Vec::new();
    let mut parents = Parents::default();
    for file in manifest.files.iter().rev() {
        let fault = |error| TreeError::io(&file.path, error);
        if let PutBack::Kept(foreign) = put_back(state, file).map_err(fault)? {
            kept.push(foreign);
        }
        parents.note(state, &file.path).map_err(fault)?;
    }
    for dir in manifest.dirs.iter().rev() {
        remove_if_empty(state, dir)?;
        parents.note(state, dir).map_err(|error| TreeError::io(dir, error))?;
    }
    parents.sync(state).map_err(|error| TreeError::io("the changed directories", error))?;
    journal::retire(state, &manifest.txn).map_err(|e| TreeError::io(".salve/journal", e))?;
    Ok(kept)
}

/// Removes what a committed transaction needed, its journal last.
pub(crate) fn clean(
    state: &State<'_>,
    manifest: &Manifest,
    kept: &mut Vec<Foreign>,
) -> Result<(), TreeError> {
    for file in &manifest.files {
        kept.extend(discard(state, file).map_err(|e| TreeError::io(&file.path, e))?);
    }
    // A directory that came back after a power loss would have no journal to go again by.
    let mut parents = Parents::default();
    for dir in &manifest.prune {
        remove_if_empty(state, dir)?;
        parents.note(state, dir).map_err(|error| TreeError::io(dir, error))?;
    }
    if !manifest.prune.is_empty() {
        parents.sync(state).map_err(|error| TreeError::io("the changed directories", error))?;
    }
    journal::retire(state, &manifest.txn).map_err(|e| TreeError::io(".salve/journal", e))
}

/// Finds a file that is not as the plan expects, before anything is written for it.
fn first_conflict(state: &State<'_>, manifest: &Manifest) -> Result<Option<Conflict>, TreeError> {
    for file in &manifest.files {
        let fault = |error| TreeError::io(&file.path, error);
        let seen = match parent_of(state, &file.path).map_err(fault)? {
            Some((dir, name)) => state.disk.look(At { dir: dir.as_fd(), name }).map_err(fault)?,
            None => Seen::Nothing,
        };
        if !is_exactly(seen, file.old) {
            return Ok(Some(Conflict::at(file, seen)));
        }
    }
    Ok(None)
}

/// Writes everything that is needed to go forth or back, and arms the manifest.
fn prepare(
    state: &State<'_>,
    manifest: &Manifest,
    files: &[PlannedFile],
    is_first: bool,
) -> Result<(), TreeError> {
    let mut waiting = Waiting::new(state);
    for (file, planned) in manifest.files.iter().zip(files) {
        let fault = |error| TreeError::io(&file.path, error);
        if let (Some(old), Some(state_before)) = (file.old, &planned.before) {
            waiting.add(state.blobs.put(old.hash, &state_before.bytes)?).map_err(fault)?;
        }
        if let (Some(new), Some(content)) = (file.new, &planned.after) {
            waiting.add(state.blobs.put(new.hash, &content.bytes)?).map_err(fault)?;
            if !file.beside {
                let temp = write_temp(state, file, new, &content.bytes).map_err(fault)?;
                waiting.add(temp).map_err(fault)?;
            }
        }
    }
    let journal = |error| TreeError::io(".salve/journal", error);
    waiting.add(journal::prepare(state, manifest).map_err(journal)?).map_err(journal)?;
    waiting.finish().map_err(journal)?;
    let mut around = vec![state.blobs.dir().as_fd()];
    if is_first {
        // Salve's own folders may be new; a journal in a folder whose name is lost is no journal.
        around.extend([state.dir.as_fd(), state.workspace.root()]);
    }
    state.workspace.sync(&around).map_err(journal)?;
    journal::arm(state, &manifest.txn).map_err(journal)?;
    state.workspace.sync(&[state.journal.as_fd()]).map_err(journal)
}

/// Makes the directories and swaps the files in, and makes both last.
fn change_tree(state: &State<'_>, manifest: &Manifest) -> Result<Option<Conflict>, TreeError> {
    let mut parents = Parents::default();
    for dir in &manifest.dirs {
        let fault = |error| TreeError::io(dir, error);
        let Some((parent, name)) = parent_of(state, dir).map_err(fault)? else {
            return Err(fault(io::ErrorKind::NotFound.into()));
        };
        match state.disk.make_dir(At { dir: parent.as_fd(), name }, 0o777) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(fault(error)),
            _ => {}
        }
        parents.note(state, dir).map_err(fault)?;
    }
    for file in &manifest.files {
        let fault = |error| TreeError::io(&file.path, error);
        if let Swapped::Conflict(seen) = swap_in(state, file).map_err(fault)? {
            return Ok(Some(Conflict::at(file, seen)));
        }
        parents.note(state, &file.path).map_err(fault)?;
    }
    parents.sync(state).map_err(|error| TreeError::io("the changed directories", error))?;
    Ok(None)
}

/// Writes the new content aside, dressed like the file it will replace.
pub(super) fn write_temp(
    state: &State<'_>,
    file: &ManifestFile,
    version: Version,
    bytes: &[u8],
) -> io::Result<File> {
    let parent = parent_of(state, &file.path)?;
    let like = match (&parent, file.old) {
        (Some((dir, name)), Some(_)) => Some(At { dir: dir.as_fd(), name }),
        _ => None,
    };
    let at = match (&parent, file.beside) {
        (Some((dir, _)), true) => At { dir: dir.as_fd(), name: &file.temp },
        _ => state.temp(&file.temp),
    };
    write_new(state, at, like, version, bytes)
}

/// Forgets a transaction that did not touch the tree.
fn abandon(state: &State<'_>, manifest: &Manifest) -> Result<(), TreeError> {
    let fault = |error| TreeError::io(".salve/tmp", error);
    for file in manifest.files.iter().filter(|file| !file.beside) {
        unlink_if_there(state.disk, state.temp(&file.temp)).map_err(fault)?;
    }
    journal::retire(state, &manifest.txn).map_err(fault)
}

fn roll_back(state: &State<'_>, manifest: &Manifest, error: TreeError) -> TreeError {
    match undo(state, manifest) {
        Ok(_) => error,
        Err(again) => TreeError::NotUndone { why: again.to_string(), source: Box::new(error) },
    }
}

/// Removes a directory that this or an earlier transaction made, if nothing was put there.
fn remove_if_empty(state: &State<'_>, dir: &str) -> Result<(), TreeError> {
    let fault = |error| TreeError::io(dir, error);
    let Some((parent, name)) = parent_of(state, dir).map_err(fault)? else { return Ok(()) };
    match state.disk.remove_dir(At { dir: parent.as_fd(), name }) {
        Ok(()) => Ok(()),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound
            | io::ErrorKind::DirectoryNotEmpty
            | io::ErrorKind::NotADirectory => Ok(()),
            _ => Err(fault(error)),
        },
    }
}

/// Finds the mount of the nearest directory that exists and notes those that do not.
fn nearest_mount(
    state: &State<'_>,
    path: &str,
    missing: &mut BTreeSet<String>,
    needed: bool,
) -> Result<u64, TreeError> {
    let fault = |error| TreeError::io(path, error);
    let mut dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
    loop {
        if let Some(found) = state.disk.open_dir(state.workspace.root(), dir).map_err(fault)? {
            return state.disk.mount(found.as_fd()).map_err(fault);
        }
        if needed {
            missing.insert(dir.to_owned());
        }
        dir = dir.rsplit_once('/').map_or("", |(dir, _)| dir);
    }
}

pub(crate) fn is_exactly(seen: Seen, version: Option<Version>) -> bool {
    match (seen, version) {
        (Seen::Nothing, None) => true,
        (Seen::File { hash, mode }, Some(version)) => version == Version { hash, mode },
        _ => false,
    }
}

impl Conflict {
    pub(crate) fn at(file: &ManifestFile, seen: Seen) -> Self {
        let why = match (file.old, seen) {
            (None, _) => "it exists now; look at it and decide anew",
            (Some(_), Seen::Nothing) => "it is gone; decide anew",
            (Some(_), Seen::Other) => "it is no regular file any more; decide anew",
            (Some(old), Seen::File { hash, .. }) if old.hash == hash => {
                "its permissions were changed meanwhile; read it again and repeat the edit"
            }
            (Some(_), Seen::File { .. }) => {
                "it was changed meanwhile; read it again and repeat the edit"
            }
        };
        Self { path: file.path.clone(), why: why.to_owned() }
    }
}

/// Files that were written and wait to be synced, a few at a time.
struct Waiting<'a> {
    state: &'a State<'a>,
    files: Vec<File>,
}

impl<'a> Waiting<'a> {
    fn new(state: &'a State<'a>) -> Self {
        Self { state, files: Vec::new() }
    }

    fn add(&mut self, file: File) -> io::Result<()> {
        self.files.push(file);
        if self.files.len() >= BATCH { self.finish() } else { Ok(()) }
    }

    fn finish(&mut self) -> io::Result<()> {
        let all: Vec<_> = self.files.iter().map(File::as_fd).collect();
        self.state.workspace.sync(&all)?;
        self.files.clear();
        Ok(())
    }
}

/// The directories in which names changed, each synced once.
#[derive(Default)]
struct Parents {
    open: BTreeMap<String, OwnedFd>,
}

impl Parents {
    fn note(&mut self, state: &State<'_>, path: &str) -> io::Result<()> {
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
        if self.open.contains_key(dir) {
            return Ok(());
        }
        if let Some((parent, _)) = parent_of(state, path)? {
            self.open.insert(dir.to_owned(), parent);
        }
        if self.open.len() >= BATCH { self.sync(state) } else { Ok(()) }
    }

    fn sync(&mut self, state: &State<'_>) -> io::Result<()> {
        let mut all: Vec<_> = self.open.values().map(OwnedFd::as_fd).collect();
        all.push(state.temps.as_fd());
        state.workspace.sync(&all)?;
        self.open.clear();
        Ok(())
    }
}
