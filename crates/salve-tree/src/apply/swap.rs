//! The swap of one file, and its reversal.
//!
//! In: one file of a manifest. Out: the new file in the place of the old one, or what was found
//! there instead. Never: a content replaced that was not looked at after it left the tree: the
//! kernel exchanges both names in one step, then we hash what came out, and if it is not what we
//! expected we exchange them back.

use super::transact::{is_exactly, write_temp};
use crate::disk::{At, RenameHow, Seen, ensure_dir, unlink_if_there, write_all};
use crate::journal::{ManifestFile, Version};
use crate::workspace::State;
use serde::Serialize;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

/// The outcome of a swap.
pub(super) enum Swapped {
    Done,
    /// Something else is there; it was left as it is.
    Conflict(Seen),
}

/// The outcome of a reversal.
pub(crate) enum PutBack {
    /// The file is as it was before, or as another writer made it since.
    Done,
    /// Another writer changed the file after our write. Their bytes stay, the others are kept
    /// aside.
    Kept(Foreign),
}

/// A file that another writer changed in the middle of a transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Foreign {
    /// Its path; what is there is theirs and untouched.
    pub path: String,
    /// Where the other bytes are kept, below the workspace; `None` when there were none.
    pub kept: Option<String>,
}

/// Opens the directory of a path and returns it with the name inside; `None` when there is no such
/// directory.
pub(crate) fn parent_of<'p>(
    state: &State<'_>,
    path: &'p str,
) -> io::Result<Option<(OwnedFd, &'p str)>> {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    Ok(state.disk.open_dir(state.workspace.root(), dir)?.map(|dir| (dir, name)))
}

/// Puts the new state of a file into the tree.
pub(super) fn swap_in(state: &State<'_>, file: &ManifestFile) -> io::Result<Swapped> {
    if let (Some(new), true) = (file.new, file.beside) {
        let bytes = kept_bytes(state, new)?;
        let temp = write_temp(state, file, new, &bytes)?;
        state.workspace.sync(&[temp.as_fd()])?;
    }
    let Some((dir, name)) = parent_of(state, &file.path)? else {
        return Ok(Swapped::Conflict(Seen::Nothing));
    };
    let target = At { dir: dir.as_fd(), name };
    let temp = temp_at(state, file, &dir);
    match (file.old, file.new) {
        (None, _) => arrive(state, temp, target),
        (Some(old), None) => leave(state, target, temp, old),
        (Some(old), Some(_)) => exchange(state, temp, target, old),
    }
}

/// Puts the old state of a file back into the tree, whatever of the transaction has happened to
/// it. The look at both names tells how far it came; done twice, it changes nothing more.
pub(crate) fn put_back(state: &State<'_>, file: &ManifestFile) -> io::Result<PutBack> {
    let Some((dir, name)) = parent_of(state, &file.path)? else {
        return Ok(PutBack::Done);
    };
    let target = At { dir: dir.as_fd(), name };
    let temp = temp_at(state, file, &dir);
    let (there, aside) = (state.disk.look(target)?, state.disk.look(temp)?);
    let case = Case { state, file, target, temp, there, aside };
    match (file.old, file.new) {
        (None, Some(new)) => case.uncreate(new),
        (Some(old), None) => case.undelete(old),
        (Some(old), Some(new)) => case.unchange(old, new),
        (None, None) => Ok(PutBack::Done),
    }
}

/// Removes the temporary file of a committed swap. If it does not hold the old content,
/// another writer wrote to the file in the instant of the swap; their bytes are kept.
pub(crate) fn discard(state: &State<'_>, file: &ManifestFile) -> io::Result<Option<Foreign>> {
    let parent = parent_of(state, &file.path)?;
    let temp = match &parent {
        Some((dir, _)) => temp_at(state, file, dir),
        None => state.temp(&file.temp),
    };
    match state.disk.look(temp)? {
        Seen::Nothing => Ok(None),
        seen if (is_content(seen, file.old) || is_content(seen, file.new))
            && is_kept(state, seen) =>
        {
            unlink_if_there(state.disk, temp).map(|()| None)
        }
        _ => {
            let kept = keep(state, temp, &file.temp)?;
            Ok(Some(Foreign { path: file.path.clone(), kept: Some(kept) }))
        }
    }
}

fn temp_at<'b>(state: &'b State<'_>, file: &'b ManifestFile, dir: &'b OwnedFd) -> At<'b> {
    if file.beside { At { dir: dir.as_fd(), name: &file.temp } } else { state.temp(&file.temp) }
}

fn arrive(state: &State<'_>, temp: At<'_>, target: At<'_>) -> io::Result<Swapped> {
    match rename_new(state, temp, target) {
        Ok(()) => Ok(Swapped::Done),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Ok(Swapped::Conflict(state.disk.look(target)?))
        }
        Err(error) => Err(error),
    }
}

fn leave(state: &State<'_>, target: At<'_>, temp: At<'_>, old: Version) -> io::Result<Swapped> {
    let seen = state.disk.look(target)?;
    if !is_exactly(seen, Some(old)) {
        return Ok(Swapped::Conflict(seen));
    }
    rename_new(state, target, temp)?;
    let came_out = state.disk.look(temp)?;
    if is_exactly(came_out, Some(old)) {
        return Ok(Swapped::Done);
    }
    rename_new(state, temp, target)?;
    Ok(Swapped::Conflict(came_out))
}

fn exchange(state: &State<'_>, temp: At<'_>, target: At<'_>, old: Version) -> io::Result<Swapped> {
    let seen = state.disk.look(target)?;
    if !is_exactly(seen, Some(old)) {
        return Ok(Swapped::Conflict(seen));
    }
    match state.disk.rename(temp, target, RenameHow::Exchange) {
        Ok(()) => {}
        Err(error) if is_unsupported(&error) => {
            // Without the exchange, the look above is the last one: the file system leaves a gap.
            state.disk.rename(temp, target, RenameHow::Replace)?;
            return Ok(Swapped::Done);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Swapped::Conflict(state.disk.look(target)?));
        }
        Err(error) => return Err(error),
    }
    let came_out = state.disk.look(temp)?;
    if is_exactly(came_out, Some(old)) {
        return Ok(Swapped::Done);
    }
    state.disk.rename(temp, target, RenameHow::Exchange)?;
    Ok(Swapped::Conflict(came_out))
}

/// One file on its way back, with what was seen under both of its names.
struct Case<'a> {
    state: &'a State<'a>,
    file: &'a ManifestFile,
    target: At<'a>,
    temp: At<'a>,
    there: Seen,
    aside: Seen,
}

impl Case<'_> {
    /// The temporary file becomes the target, so where it still is, nothing was created, or it
    /// is on its way back.
    fn uncreate(&self, new: Version) -> io::Result<PutBack> {
        if is_content(self.aside, Some(new)) {
            return self.drop_temp();
        }
        if self.aside != Seen::Nothing {
            // Bytes of another writer that were taken out in the instant they were written.
            return if self.there == Seen::Nothing { self.give_back() } else { self.keep_temp() };
        }
        if is_content(self.there, Some(new)) {
            rename_new(self.state, self.target, self.temp)?;
            if is_content(self.state.disk.look(self.temp)?, Some(new)) {
                return self.drop_temp();
            }
            self.give_back()?;
        }
        Ok(if self.there == Seen::Nothing { PutBack::Done } else { self.foreign(None) })
    }

    /// The target becomes the temporary file, so where there is none, nothing was deleted, or it is
    /// back already; a file that is gone then was removed by another writer.
    fn undelete(&self, old: Version) -> io::Result<PutBack> {
        match (self.there, self.aside) {
            (_, Seen::Nothing) => Ok(PutBack::Done),
            (Seen::Nothing, _) => self.give_back(),
            (there, aside) if there == aside && is_content(there, Some(old)) => self.drop_temp(),
            _ => self.keep_temp(),
        }
    }

    /// Both change places, so where the new content is aside, nothing was changed, or it is back
    /// already.
    fn unchange(&self, old: Version, new: Version) -> io::Result<PutBack> {
        let swapped = is_version(self.there, new, old);
        if is_version(self.aside, new, old) || is_version(self.there, old, new) {
            return self.drop_temp();
        }
        match self.aside {
            // A file system that cannot exchange took the old content out already.
            Seen::Nothing => {
                let back = format!("{}-back", self.file.temp);
                let back = At { name: &back, ..self.temp };
                self.bring_old(old, back)?;
                if swapped { self.exchange_back(back, new, old) } else { self.keep(back) }
            }
            // What came out is the old content, or what another writer wrote in that instant.
            _ if swapped => self.exchange_back(self.temp, new, old),
            _ => self.keep_temp(),
        }
    }

    fn exchange_back(&self, aside: At<'_>, new: Version, old: Version) -> io::Result<PutBack> {
        match self.state.disk.rename(aside, self.target, RenameHow::Exchange) {
            Ok(()) => {}
            Err(error) if is_unsupported(&error) => {
                self.state.disk.rename(aside, self.target, RenameHow::Replace)?;
                return Ok(PutBack::Done);
            }
            Err(error) => return Err(error),
        }
        if is_version(self.state.disk.look(aside)?, new, old) {
            return self.drop_kept(aside);
        }
        self.state.disk.rename(aside, self.target, RenameHow::Exchange)?;
        self.keep(aside)
    }

    /// Writes the old content from where it is kept, under a name of its own: what an interrupted
    /// recovery left half written there is written again.
    fn bring_old(&self, old: Version, back: At<'_>) -> io::Result<()> {
        unlink_if_there(self.state.disk, back)?;
        let bytes = kept_bytes(self.state, old)?;
        let file = write_new(self.state, back, Some(self.target), old, &bytes)?;
        self.state.workspace.sync(&[file.as_fd()])
    }

    fn give_back(&self) -> io::Result<PutBack> {
        rename_new(self.state, self.temp, self.target).map(|()| PutBack::Done)
    }

    fn drop_temp(&self) -> io::Result<PutBack> {
        self.drop_kept(self.temp)
    }

    /// Removes what is kept elsewhere. A journal can come from elsewhere and lie: what is only
    /// here is moved aside instead.
    fn drop_kept(&self, aside: At<'_>) -> io::Result<PutBack> {
        match self.state.disk.look(aside)? {
            Seen::Nothing => Ok(PutBack::Done),
            seen if is_kept(self.state, seen) => {
                unlink_if_there(self.state.disk, aside).map(|()| PutBack::Done)
            }
            _ => self.keep(aside),
        }
    }

    fn keep_temp(&self) -> io::Result<PutBack> {
        self.keep(self.temp)
    }

    fn keep(&self, aside: At<'_>) -> io::Result<PutBack> {
        Ok(self.foreign(Some(keep(self.state, aside, &self.file.temp)?)))
    }

    fn foreign(&self, kept: Option<String>) -> PutBack {
        PutBack::Kept(Foreign { path: self.file.path.clone(), kept })
    }
}

/// Writes a content under a new name, dressed like another file.
pub(super) fn write_new(
    state: &State<'_>,
    at: At<'_>,
    like: Option<At<'_>>,
    version: Version,
    bytes: &[u8],
) -> io::Result<File> {
    let file = state.disk.create(at, 0o600)?;
    write_all(state.disk, &file, bytes)?;
    state.disk.dress(&file, version.mode, like)?;
    Ok(file)
}

/// Moves a file to where nothing is ever removed, and returns its path in the workspace.
fn keep(state: &State<'_>, temp: At<'_>, name: &str) -> io::Result<String> {
    let dir = ensure_dir(state.disk, state.dir.as_fd(), "kept")?;
    let base = name.trim_start_matches('.');
    for number in 0..10_000 {
        let name = format!("{base}-{number}");
        let to = At { dir: dir.as_fd(), name: &name };
        match rename_new(state, temp, to) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // Recovery was interrupted after it kept the same bytes.
                if state.disk.look(to)? == state.disk.look(temp)? {
                    unlink_if_there(state.disk, temp)?;
                    return Ok(format!("{}/kept/{name}", crate::workspace::STATE));
                }
            }
            Err(error) => return Err(error),
            Ok(()) => {
                state.workspace.sync(&[dir.as_fd()])?;
                return Ok(format!("{}/kept/{name}", crate::workspace::STATE));
            }
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Renames to a name that must be free; where the file system cannot promise that, by looking.
fn rename_new(state: &State<'_>, from: At<'_>, to: At<'_>) -> io::Result<()> {
    match state.disk.rename(from, to, RenameHow::NoReplace) {
        Err(error) if is_unsupported(&error) => {
            if state.disk.look(to)? == Seen::Nothing {
                state.disk.rename(from, to, RenameHow::Replace)
            } else {
                Err(io::ErrorKind::AlreadyExists.into())
            }
        }
        other => other,
    }
}

fn is_unsupported(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    use rustix::io::Errno;
    [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP].iter().any(|no| code == Some(no.raw_os_error()))
}

fn kept_bytes(state: &State<'_>, version: Version) -> io::Result<Vec<u8>> {
    state.blobs.need(version.hash).map_err(io::Error::other)
}

/// Tells whether the content of a file is kept whole under its hash.
fn is_kept(state: &State<'_>, seen: Seen) -> bool {
    matches!(seen, Seen::File { hash, .. } if matches!(state.blobs.get(hash), Ok(Some(_))))
}

fn is_content(seen: Seen, version: Option<Version>) -> bool {
    matches!((seen, version), (Seen::File { hash, .. }, Some(version)) if hash == version.hash)
}

/// Tells whether a file is one of two versions. Where both have the same content, the permissions
/// decide.
fn is_version(seen: Seen, version: Version, other: Version) -> bool {
    match seen {
        Seen::File { hash, mode } if version.hash == other.hash => {
            version == Version { hash, mode }
        }
        seen => is_content(seen, Some(version)),
    }
}
