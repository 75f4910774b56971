//! Caches of toolchains that are kept for a workspace: what runs with the network have fetched.
//!
//! In: a folder for all of them, a workspace. Out: one private layer for each cache, which later runs
//! see. Only runs that a person gave the network write there; all others write to a layer that is
//! thrown away, so that the code of a test cannot leave something for the next check. Never holds a
//! credential: only folders that are caches and nothing else have a layer.

use crate::launcher::KeptCache;
use rustix::fs::{FlockOperation, Mode, OFlags};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// What the caches of one workspace may take; beyond it they are thrown away and fetched again.
const LARGEST: u64 = 8 << 30;
/// The file that names the workspace, beside its layers.
const WORKSPACE: &str = "workspace";
const LOCK: &str = "lock";

/// The caches of one workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceCache {
    /// The workspace they belong to.
    pub workspace: PathBuf,
    /// Where they are kept.
    pub folder: PathBuf,
    /// What they take.
    pub bytes: u64,
}

/// Lists what is kept, the largest first.
///
/// # Errors
///
/// Fails when the folder is there and cannot be read.
pub fn list_caches(all: &Path) -> io::Result<Vec<WorkspaceCache>> {
    let entries = match std::fs::read_dir(all) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for folder in entries.flatten().map(|entry| entry.path()) {
        let Ok(workspace) = std::fs::read_to_string(folder.join(WORKSPACE)) else { continue };
        let bytes = size_of(&folder);
        found.push(WorkspaceCache { workspace: PathBuf::from(workspace), folder, bytes });
    }
    found.sort_by_key(|cache| std::cmp::Reverse(cache.bytes));
    Ok(found)
}

/// Throws away what is kept for a workspace, or for all. Returns what was thrown away; what a run is
/// using stays.
///
/// # Errors
///
/// Fails when something cannot be removed.
pub fn clear_caches(all: &Path, workspace: Option<&Path>) -> io::Result<Vec<WorkspaceCache>> {
    let mut cleared = Vec::new();
    for cache in list_caches(all)? {
        let chosen = workspace.is_none_or(|workspace| cache.workspace == workspace);
        if chosen && let Some(_lock) = lock(&cache.folder, FlockOperation::NonBlockingLockExclusive)
        {
            super::scratch::remove_all(&cache.folder)?;
            cleared.push(cache);
        }
    }
    Ok(cleared)
}

/// The caches of a run, held as long as this value lives.
#[derive(Debug, Default)]
pub(super) struct HeldCaches {
    pub(super) caches: Vec<KeptCache>,
    /// Keeps others from adding to them or throwing them away.
    _lock: Option<OwnedFd>,
    added_to: Option<PathBuf>,
}

impl HeldCaches {
    /// Takes the caches of a workspace for a run that adds to them, or only reads. Without a folder, or
    /// while another run adds to them, a run goes without.
    pub(super) fn take(
        all: Option<&Path>,
        workspace: &Path,
        paths: &[(String, PathBuf)],
        adds: bool,
    ) -> Self {
        let Some(all) = all else { return Self::default() };
        let name = blake3::hash(workspace.as_os_str().as_encoded_bytes()).to_hex();
        let folder = all.join(name.get(..32).unwrap_or_default());
        if adds && make(&folder, workspace, paths).is_err() {
            return Self::default();
        }
        let operation = match adds {
            true => FlockOperation::NonBlockingLockExclusive,
            false => FlockOperation::NonBlockingLockShared,
        };
        let Some(lock) = lock(&folder, operation) else { return Self::default() };
        let caches = paths
            .iter()
            .map(|(name, path)| KeptCache { path: path.clone(), kept: folder.join(name) })
            .filter(|cache| cache.kept.is_dir());
        Self { caches: caches.collect(), _lock: Some(lock), added_to: adds.then_some(folder) }
    }
}

impl Drop for HeldCaches {
    fn drop(&mut self) {
        if let Some(folder) = &self.added_to
            && size_of(folder) > LARGEST
        {
            // Half of a cache is worse than none.
            let _ = super::scratch::remove_all(folder);
        }
    }
}

fn make(folder: &Path, workspace: &Path, paths: &[(String, PathBuf)]) -> io::Result<()> {
    for (name, _) in paths {
        for half in ["upper", "work"] {
            std::fs::create_dir_all(folder.join(name).join(half))?;
        }
    }
    rustix::fs::chmod(folder, Mode::RWXU)?;
    match std::fs::File::create_new(folder.join(WORKSPACE)) {
        Ok(mut file) => file.write_all(workspace.as_os_str().as_encoded_bytes()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn lock(folder: &Path, operation: FlockOperation) -> Option<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let file = rustix::fs::open(folder.join(LOCK), flags, Mode::RUSR | Mode::WUSR).ok()?;
    rustix::fs::flock(&file, operation).ok()?;
    Some(file)
}

fn size_of(folder: &Path) -> u64 {
    let mut bytes = 0;
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else { continue };
            if found.is_dir() {
                open.push(entry.path());
            } else {
                bytes += found.len();
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test's own files")]
    fn caches_are_made_by_those_who_add_and_thrown_away_when_nobody_uses_them() {
        let place = tempfile::tempdir().unwrap();
        let all = place.path().join("caches");
        let paths = [("npm".to_owned(), PathBuf::from("/home/u/.npm"))];
        let take = |workspace: &str, adds| {
            HeldCaches::take(Some(&all), Path::new(workspace), &paths, adds)
        };
        assert!(take("/a", false).caches.is_empty());
        assert_eq!(list_caches(&all).unwrap(), []);
        let adding = take("/a", true);
        assert_eq!(adding.caches.len(), 1);
        assert!(take("/a", true).caches.is_empty() && take("/a", false).caches.is_empty());
        assert_eq!(take("/b", true).caches.len(), 1);
        std::fs::write(adding.caches[0].kept.join("upper/x"), "four").unwrap();
        assert_eq!(clear_caches(&all, Some(Path::new("/a"))).unwrap(), []);
        drop(adding);
        let reading = [take("/a", false), take("/a", false)];
        assert!(reading.iter().all(|held| held.caches.len() == 1));
        drop(reading);
        let listed = list_caches(&all).unwrap();
        assert_eq!((listed.len(), &*listed[0].workspace), (2, Path::new("/a")));
        assert_eq!(clear_caches(&all, Some(Path::new("/a"))).unwrap().len(), 1);
        assert_eq!(clear_caches(&all, None).unwrap().len(), 1);
        assert!(HeldCaches::take(None, Path::new("/a"), &paths, true).caches.is_empty());
    }
}
