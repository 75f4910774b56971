//! What git says about the folders of a workspace: which it tracks files in, where submodules belong.
//!
//! In: a workspace. Out: the dependency folders with tracked files, and the places of submodules. Never
//! starts git, and takes every folder for a tracked one where the index cannot be read.

use crate::git_index::{GITLINK, read_git_index};
use salve_types::DEPENDENCY_FOLDERS;
use std::collections::HashSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The largest file of a repository that is read.
const MAX_BYTES: u64 = 256 << 20;

/// What the index of a workspace says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tracked {
    folders: HashSet<Vec<u8>>,
    /// Where submodules belong, relative to the workspace.
    pub(super) gitlinks: Vec<PathBuf>,
    /// Whether there is an index that cannot be read.
    is_unknown: bool,
}

impl Tracked {
    /// Reads the index of the repository whose work tree is a workspace.
    pub(super) fn of(workspace: &Path) -> Self {
        let mut tracked = Self::default();
        if let Some(repository) = repository(workspace) {
            let hash = hash_bytes(&repository);
            let mut name = Some("index".to_owned());
            // A split index has one other part, which has none.
            for _ in 0..2 {
                let Some(file) = name.take().map(|name| repository.join(name)) else { break };
                match read(&file) {
                    Ok(None) => break,
                    Ok(Some(bytes)) => match tracked.add(&bytes, hash) {
                        Some(shared) => name = shared,
                        None => tracked.is_unknown = true,
                    },
                    Err(_) => tracked.is_unknown = true,
                }
            }
        }
        tracked
    }

    /// Tells whether git tracks files in a folder that package managers fill.
    pub(super) fn holds(&self, folder: &Path) -> bool {
        self.is_unknown || self.folders.contains(folder.as_os_str().as_encoded_bytes())
    }

    fn add(&mut self, bytes: &[u8], hash: usize) -> Option<Option<String>> {
        read_git_index(bytes, hash, |mode, name| {
            if mode == GITLINK {
                self.gitlinks.extend(std::str::from_utf8(name).ok().map(PathBuf::from));
            }
            for at in memchr::memchr_iter(b'/', name) {
                let folder = &name[..at];
                let start = memchr::memrchr(b'/', folder).map_or(0, |at| at + 1);
                let last = String::from_utf8_lossy(&folder[start..]).to_lowercase();
                if DEPENDENCY_FOLDERS.contains(&last.as_str()) && !self.folders.contains(folder) {
                    self.folders.insert(folder.to_vec());
                }
            }
        })
    }
}

// `.git` is the repository, or a file that leads there.
fn repository(workspace: &Path) -> Option<PathBuf> {
    let inside = workspace.join(".git");
    let status = inside.symlink_metadata().ok()?;
    if status.is_dir() {
        return Some(inside);
    }
    let text = String::from_utf8(read(&inside).ok()??).ok()?;
    Some(workspace.join(text.trim_end().strip_prefix("gitdir: ")?))
}

// A repository that says so has longer hashes; a work tree beside others has the settings elsewhere.
fn hash_bytes(repository: &Path) -> usize {
    let shared = read(&repository.join("commondir")).ok().flatten();
    let shared = shared.and_then(|text| String::from_utf8(text).ok());
    let common =
        shared.map_or_else(|| repository.to_owned(), |text| repository.join(text.trim_end()));
    let settings = read(&common.join("config")).ok().flatten().unwrap_or_default();
    let settings = String::from_utf8_lossy(&settings).to_lowercase();
    let is_long =
        settings.lines().any(|line| line.contains("objectformat") && line.contains("sha256"));
    if is_long { 32 } else { 20 }
}

fn read(file: &Path) -> std::io::Result<Option<Vec<u8>>> {
    match file.metadata() {
        Ok(status) if status.is_file() && status.len() <= MAX_BYTES => {}
        Ok(_) => return Err(std::io::Error::other("no file of a repository")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}
