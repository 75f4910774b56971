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
use std::time::{Duration, Instant};

/// What the caches of one workspace may take; beyond it they are thrown away and fetched again.
const LARGEST: u64 = 8 << 30;
/// The file that names the workspace, beside its layers.
const WORKSPACE: &str = "workspace";
const LOCK: &str = "lock";
/// How long a run waits for the caches while another one adds to them or reads them.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

/// Where a runner finds the caches that are kept for a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheFolder {
    /// The folder of the caches of all workspaces.
    pub all: PathBuf,
    /// The workspace whose caches they are; the runner may work on a copy of it.
    pub workspace: PathBuf,
}

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

/// What a run does with the caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CacheUse {
    Adds,
    Reads,
}

/// The caches of a run, held as long as this value lives.
#[derive(Debug, Default)]
pub(super) struct HeldCaches {
    pub(super) caches: Vec<KeptCache>,
    /// Another run had them for longer than this one waits.
    pub(super) busy: bool,
    /// Keeps others from adding to them or throwing them away.
    _lock: Option<OwnedFd>,
    added_to: Option<PathBuf>,
}

impl HeldCaches {
    /// Takes the caches of a workspace for a run that adds to them, or only reads. Without a folder, or
    /// while another run does not let go of them, a run goes without.
    pub(super) fn take(
        place: Option<&CacheFolder>,
        paths: &[(String, PathBuf)],
        usage: CacheUse,
    ) -> Self {
        Self::take_within(LONGEST_WAIT, place, paths, usage)
    }

    fn take_within(
        wait: Duration,
        place: Option<&CacheFolder>,
        paths: &[(String, PathBuf)],
        usage: CacheUse,
    ) -> Self {
        let Some(CacheFolder { all, workspace }) = place else { return Self::default() };
        let name = blake3::hash(workspace.as_os_str().as_encoded_bytes()).to_hex();
        let folder = all.join(name.get(..32).unwrap_or_default());
        let adds = usage == CacheUse::Adds;
        if (adds && make(&folder, workspace, paths).is_err()) || !folder.is_dir() {
            return Self::default();
        }
        let Some(lock) = lock_within(wait, &folder, usage) else {
            return Self { caches: Vec::new(), busy: true, _lock: None, added_to: None };
        };
        // What was waited for may have been thrown away by the one who had it.
        if adds && make(&folder, workspace, paths).is_err() {
            return Self::default();
        }
        let caches = paths
            .iter()
            .map(|(name, path)| KeptCache { path: path.clone(), kept: folder.join(name) })
            .filter(|cache| cache.kept.is_dir());
        let (caches, added_to) = (caches.collect(), adds.then_some(folder));
        Self { caches, busy: false, _lock: Some(lock), added_to }
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

fn lock_within(wait: Duration, folder: &Path, usage: CacheUse) -> Option<OwnedFd> {
    let operation = match usage {
        CacheUse::Adds => FlockOperation::NonBlockingLockExclusive,
        CacheUse::Reads => FlockOperation::NonBlockingLockShared,
    };
    let start = Instant::now();
    loop {
        let lock = lock(folder, operation);
        if lock.is_some() || start.elapsed() >= wait {
            return lock;
        }
        std::thread::sleep(BETWEEN_TRIES);
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

    const PATHS: &[(&str, &str)] = &[("npm", "/home/u/.npm")];

    fn take(all: &Path, workspace: &str, wait: Duration, usage: CacheUse) -> HeldCaches {
        let place = CacheFolder { all: all.to_owned(), workspace: workspace.into() };
        let paths: Vec<_> =
            PATHS.iter().map(|(name, path)| ((*name).to_owned(), PathBuf::from(path))).collect();
        HeldCaches::take_within(wait, Some(&place), &paths, usage)
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test's own files")]
    fn caches_are_made_by_those_who_add_and_thrown_away_when_nobody_uses_them() {
        use CacheUse::{Adds, Reads};
        let place = tempfile::tempdir().unwrap();
        let all = place.path().join("caches");
        let take = |workspace: &str, usage| take(&all, workspace, Duration::ZERO, usage);
        let missing = take("/a", Reads);
        assert!(missing.caches.is_empty() && !missing.busy);
        assert_eq!(list_caches(&all).unwrap(), []);
        let adding = take("/a", Adds);
        assert_eq!(adding.caches.len(), 1);
        for usage in [Adds, Reads] {
            let other = take("/a", usage);
            assert!(other.caches.is_empty() && other.busy, "{usage:?}");
        }
        assert_eq!(take("/b", Adds).caches.len(), 1);
        std::fs::write(adding.caches[0].kept.join("upper/x"), "four").unwrap();
        assert_eq!(clear_caches(&all, Some(Path::new("/a"))).unwrap(), []);
        drop(adding);
        let reading = [take("/a", Reads), take("/a", Reads)];
        assert!(reading.iter().all(|held| held.caches.len() == 1));
        assert!(take("/a", Adds).busy);
        drop(reading);
        let listed = list_caches(&all).unwrap();
        assert_eq!((listed.len(), &*listed[0].workspace), (2, Path::new("/a")));
        assert_eq!(clear_caches(&all, Some(Path::new("/a"))).unwrap().len(), 1);
        assert_eq!(clear_caches(&all, None).unwrap().len(), 1);
        assert!(HeldCaches::take(None, &[], Adds).caches.is_empty());
    }

    #[test]
    fn a_run_waits_for_the_caches_that_another_one_has() {
        let place = tempfile::tempdir().unwrap();
        let all = place.path().join("caches");
        let other = take(&all, "/a", Duration::ZERO, CacheUse::Adds);
        let long = Duration::from_secs(600);
        let adding = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| take(&all, "/a", long, CacheUse::Adds));
            drop(other);
            waiting.join().unwrap()
        });
        assert!(adding.caches.len() == 1 && !adding.busy);
    }
}
