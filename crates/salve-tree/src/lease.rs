//! Leases: a path that one holder reserves while it works on it.
//!
//! In: a path, a holder's name, a time. Out: a lease that ends when it is let go, when its time is
//! over, or when its holder's process ends. Never: a lease that outlives its holder: the lease is a
//! file that the holder keeps locked, and the system frees the lock with the process.
//!
//! No command takes one yet: its callers are the tasks of a workflow, which work side by side.

use crate::disk::{At, Disk, ensure_dir, unlink_if_there, write_all};
use crate::history::unique;
use crate::plan::TreePath;
use crate::workspace::State;
use crate::{ContentHash, TreeError, Workspace};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

const FOLDER: &str = "leases";

/// How long a waiting writer sleeps before it looks again.
const PAUSE: Duration = Duration::from_millis(10);

/// A path that is reserved until this is dropped.
#[must_use]
#[derive(Debug)]
pub struct PathLease {
    entry: Entry,
    disk: Arc<dyn Disk>,
    dir: OwnedFd,
    _locked: File,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    path: String,
    holder: String,
    until: u64,
    token: String,
}

/// Reserves a path for the workspace's holder until a time in milliseconds since 1970. While
/// another process has it, waits as long as the workspace's options say, then names who.
pub fn lease(
    workspace: &Workspace,
    path: &TreePath,
    until: u64,
    now: u64,
) -> Result<PathLease, TreeError> {
    let entry = Entry {
        path: path.as_str().to_owned(),
        holder: workspace.options().holder.clone(),
        until,
        token: unique("lease", now),
    };
    waiting(workspace, || {
        let state = workspace.lock()?;
        let dir = ensure_dir(state.disk, state.dir.as_fd(), FOLDER).map_err(fault)?;
        if let Some(other) = living(state.disk, dir.as_fd(), path.as_str(), now)? {
            return Err(other.refusal());
        }
        take(workspace, dir, entry.clone()).map_err(fault)
    })
}

/// Calls until no lease is in the way or the time to wait is over.
pub(crate) fn waiting<T>(
    workspace: &Workspace,
    mut attempt: impl FnMut() -> Result<T, TreeError>,
) -> Result<T, TreeError> {
    let mut waited = Duration::ZERO;
    loop {
        match attempt() {
            Err(TreeError::Leased { .. }) if waited < workspace.options().wait => {
                std::thread::sleep(PAUSE);
                waited += PAUSE;
            }
            other => return other,
        }
    }
}

/// Refuses paths that another holder has leased.
pub(crate) fn check<'p>(
    state: &State<'_>,
    paths: impl Iterator<Item = &'p str>,
    now: u64,
) -> Result<(), TreeError> {
    let Some(dir) = state.workspace.state_dir(FOLDER)? else { return Ok(()) };
    for path in paths {
        match living(state.disk, dir.as_fd(), path, now)? {
            Some(other) if other.holder != state.workspace.options().holder => {
                return Err(other.refusal());
            }
            _ => {}
        }
    }
    Ok(())
}

impl PathLease {
    /// Returns the path.
    pub fn path(&self) -> &str {
        &self.entry.path
    }

    /// Returns until when it holds, in milliseconds since 1970.
    pub fn until(&self) -> u64 {
        self.entry.until
    }
}

impl Drop for PathLease {
    /// Removes the file, unless the time was over and another holder took the path. A file that
    /// cannot be removed is not locked any more and falls away at the next look.
    fn drop(&mut self) {
        let name = name_of(&self.entry.path);
        let at = At { dir: self.dir.as_fd(), name: &name };
        if read(&*self.disk, at).ok().flatten().as_ref() == Some(&self.entry) {
            let _ = unlink_if_there(&*self.disk, at);
        }
    }
}

impl Entry {
    fn refusal(self) -> TreeError {
        TreeError::Leased { path: self.path, holder: self.holder, until: self.until }
    }
}

fn take(workspace: &Workspace, dir: OwnedFd, entry: Entry) -> io::Result<PathLease> {
    let disk = workspace.options().disk.clone();
    let name = name_of(&entry.path);
    let at = At { dir: dir.as_fd(), name: &name };
    unlink_if_there(&*disk, at)?;
    let locked = disk.create(at, 0o600)?;
    if !disk.try_lock(&locked)? {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    let json = serde_json::to_vec(&entry).map_err(io::Error::other)?;
    write_all(&*disk, &locked, &json)?;
    Ok(PathLease { entry, disk, dir, _locked: locked })
}

/// Finds a lease that still holds: its time is not over and its file is locked by its holder.
fn living(
    disk: &dyn Disk,
    dir: BorrowedFd<'_>,
    path: &str,
    now: u64,
) -> Result<Option<Entry>, TreeError> {
    let name = name_of(path);
    let at = At { dir, name: &name };
    let Some(entry) = read(disk, at).map_err(fault)? else { return Ok(None) };
    if entry.until <= now {
        return Ok(None);
    }
    let file = disk.open_append(at).map_err(fault)?;
    let dead = disk.try_lock(&file).map_err(fault)?;
    Ok((!dead).then_some(entry))
}

/// Reads a lease; one that is not whole belongs to a holder that died while writing it.
fn read(disk: &dyn Disk, at: At<'_>) -> io::Result<Option<Entry>> {
    Ok(disk.read(at)?.and_then(|file| serde_json::from_slice(&file.bytes).ok()))
}

fn name_of(path: &str) -> String {
    ContentHash::of(path.as_bytes()).hex()
}

fn fault(source: io::Error) -> TreeError {
    TreeError::io(format!(".salve/{FOLDER}"), source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Desk, at};
    use crate::{ApplyOutcome, WorkspaceOptions, apply};

    fn named(desk: &Desk, holder: &str) -> Workspace {
        let options = WorkspaceOptions { holder: holder.to_owned(), ..desk.options() };
        Workspace::open(desk.root(), options).unwrap().0
    }

    fn path(text: &str) -> TreePath {
        TreePath::admitted(text.to_owned())
    }

    #[test]
    fn x23_a_leased_path_is_refused_with_its_holders_name() {
        let desk = Desk::new(&[("a", "a"), ("b", "b")]);
        let (heal, job) = (named(&desk, "heal"), named(&desk, "job 7"));
        let held = lease(&heal, &path("a"), 500, 100).unwrap();
        let error = lease(&job, &path("a"), 900, 100).unwrap_err();
        assert!(matches!(&error, TreeError::Leased { holder, until: 500, .. } if holder == "heal"));
        let plan = || desk.texts(&[("a", Some("A")), ("b", Some("B"))]);
        let error = apply(&job, plan(), &at(100)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a is held by heal until 500 (ms since 1970); wait or ask it to let go"
        );
        assert_eq!(desk.text("b"), "b");
        drop(held);
        assert!(matches!(apply(&job, plan(), &at(100)), Ok(ApplyOutcome::Applied(_))));
    }

    #[test]
    fn x23_the_holder_itself_may_write() {
        let desk = Desk::new(&[("a", "a")]);
        let heal = named(&desk, "heal");
        let held = lease(&heal, &path("a"), 500, 100).unwrap();
        let plan = desk.texts(&[("a", Some("A"))]);
        assert!(matches!(apply(&heal, plan, &at(100)), Ok(ApplyOutcome::Applied(_))));
        assert_eq!((held.path(), held.until()), ("a", 500));
    }

    #[test]
    fn x23_a_lease_ends_with_its_time_and_its_old_holder_frees_nothing() {
        let desk = Desk::new(&[("a", "a")]);
        let (heal, job) = (named(&desk, "heal"), named(&desk, "job 7"));
        let old = lease(&heal, &path("a"), 500, 100).unwrap();
        let new = lease(&job, &path("a"), 900, 500).unwrap();
        drop(old);
        assert!(matches!(lease(&heal, &path("a"), 900, 600), Err(TreeError::Leased { .. })));
        drop(new);
        let _free = lease(&heal, &path("a"), 900, 600).unwrap();
    }

    #[test]
    fn x23_a_lease_ends_with_its_holders_process() {
        let desk = Desk::new(&[("a", "a")]);
        let _ = desk.apply(&[("a", Some("b"))]);
        // What a process leaves that was ended: its file, without its lock.
        let left = r#"{"path":"a","holder":"dead","until":9999,"token":"t"}"#;
        desk.write(&format!(".salve/leases/{}", name_of("a")), left.as_bytes());
        let _held = lease(&named(&desk, "job"), &path("a"), 900, 1).unwrap();
        for torn in ["", "{\"path\":"] {
            desk.write(&format!(".salve/leases/{}", name_of("b")), torn.as_bytes());
            let _held = lease(&named(&desk, "job"), &path("b"), 900, 1).unwrap();
        }
    }

    #[test]
    fn x23_a_second_writer_waits_for_the_first() {
        let desk = Desk::new(&[("a", "a")]);
        let wait = Duration::from_secs(60);
        let options = WorkspaceOptions { wait, holder: "job".to_owned(), ..desk.options() };
        let (job, _) = Workspace::open(desk.root(), options).unwrap();
        let held = lease(&named(&desk, "heal"), &path("a"), 500, 100).unwrap();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| lease(&job, &path("a"), 900, 100).map(|held| held.until()));
            std::thread::yield_now();
            drop(held);
            assert_eq!(waiter.join().unwrap().unwrap(), 900);
        });
    }
}
