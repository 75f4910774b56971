//! Where a repository keeps its files: in `.git`, where a `.git` file leads, or in the folder itself.
//!
//! In: a folder. Out: the folders of its repository's files, and its work tree. Never starts git.

use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The largest file of a repository's settings that is read, and the largest index.
const MAX_BYTES: u64 = 1 << 20;
const MAX_INDEX_BYTES: u64 = 64 << 20;

/// A repository, by its places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    /// The folders that hold its files: its own first, then the one it shares with other work trees.
    pub(super) places: Vec<PathBuf>,
    /// Its work tree, where it has one.
    pub(super) tree: Option<PathBuf>,
}

/// Finds the repository around a folder as git does, and on the way there what git passes over but
/// what another version of it might not: nothing when there is none, an error with the file that could
/// not be followed.
pub(super) fn discover(folder: &Path) -> Vec<Result<Repository, PathBuf>> {
    let mut found = Vec::new();
    for place in folder.ancestors() {
        let inside = place.join(".git");
        // A `.git` folder without the files of a repository is passed over.
        let ends = inside.is_file() || is_repository(&inside);
        found.extend(repository_at(place));
        if ends {
            break;
        }
        // A folder that looks like a bare repository is taken for one.
        if is_repository(place) {
            found.push(with_common(place.to_path_buf(), None));
            break;
        }
    }
    found
}

// As git tells it: a head, and what is shared either here or where `commondir` leads.
fn is_repository(place: &Path) -> bool {
    let has = |name: &str| place.join(name).symlink_metadata().is_ok();
    has("HEAD") && ((has("objects") && has("refs")) || has("commondir"))
}

/// Finds the repository whose work tree is a folder.
pub(super) fn repository_at(folder: &Path) -> Option<Result<Repository, PathBuf>> {
    let inside = folder.join(".git");
    inside.symlink_metadata().ok()?;
    if inside.is_dir() {
        return Some(with_common(inside, Some(folder)));
    }
    Some(linked(folder, &inside))
}

/// Tells whether a place is the `.git` folder of its work tree.
pub(super) fn is_plain(place: &Path) -> bool {
    place.file_name().is_some_and(|name| name == ".git")
}

// `.git` as a file: worktrees and submodules. An empty one is no repository, and git says so.
fn linked(folder: &Path, file: &Path) -> Result<Repository, PathBuf> {
    let text = read(file).ok().flatten().ok_or_else(|| file.to_path_buf())?;
    if text.trim().is_empty() {
        return Ok(Repository { places: Vec::new(), tree: None });
    }
    let target = text.trim_end_matches(['\n', '\r']).strip_prefix("gitdir: ");
    with_common(folder.join(target.ok_or_else(|| file.to_path_buf())?), Some(folder))
}

fn with_common(place: PathBuf, tree: Option<&Path>) -> Result<Repository, PathBuf> {
    let tree = tree.map(Path::to_path_buf);
    let file = place.join("commondir");
    match read(&file) {
        Ok(None) => Ok(Repository { places: vec![place], tree }),
        Ok(Some(text)) => {
            let common = place.join(text.trim_end_matches(['\n', '\r']));
            Ok(Repository { places: vec![place, common], tree })
        }
        Err(()) => Err(file),
    }
}

/// Reads a small text file; `None` when there is none.
pub(super) fn read(file: &Path) -> Result<Option<String>, ()> {
    let bytes = read_bytes(file, MAX_BYTES)?;
    bytes.map(|bytes| String::from_utf8(bytes).map_err(drop)).transpose()
}

/// Reads an index; `None` when there is none.
pub(super) fn read_index(file: &Path) -> Result<Option<Vec<u8>>, ()> {
    read_bytes(file, MAX_INDEX_BYTES)
}

fn read_bytes(file: &Path, most: u64) -> Result<Option<Vec<u8>>, ()> {
    // Not even a pipe in the place of a file holds this up: what it is, is asked first.
    match std::fs::metadata(file) {
        Ok(status) if status.is_file() => {}
        Ok(_) => return Err(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(_) => return Err(()),
    }
    let opened = std::fs::File::open(file).map_err(drop)?;
    let mut bytes = Vec::new();
    let count = opened.take(most + 1).read_to_end(&mut bytes).map_err(drop)?;
    if count as u64 > most { Err(()) } else { Ok(Some(bytes)) }
}
