//! A folder as data: every name with its kind, content, permissions and attributes.
//!
//! In: a folder. Out: a map that can be compared, and copies of folders. Never follows a symbolic
//! link.

use anyhow::Context;
use salve_tree::ContentHash;
use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Salve's own folder, which is not part of the tree.
pub(crate) const STATE: &str = ".salve";

/// What is under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// A directory.
    Dir,
    /// A regular file.
    File { hash: ContentHash, mode: u32, note: Option<Vec<u8>> },
    /// A symbolic link.
    Link(PathBuf),
    /// Anything else.
    Other,
}

/// A folder as data, by path from its root.
pub(crate) type Listing = BTreeMap<String, Node>;

/// Which file it is and when it was last written: proof that it was not replaced.
pub(crate) type Identity = (u64, i64, i64);

/// Lists the tree of a workspace, Salve's own folder left out.
pub(crate) fn tree(folder: &Path) -> anyhow::Result<Listing> {
    list(folder, |name| name != STATE)
}

/// Lists Salve's own folder.
pub(crate) fn state(folder: &Path) -> anyhow::Result<Listing> {
    let own = folder.join(STATE);
    if own.is_dir() { list(&own, |_| true) } else { Ok(Listing::new()) }
}

/// Tells which files stand under which names, for those that must not be touched.
pub(crate) fn identities(folder: &Path) -> anyhow::Result<BTreeMap<String, Identity>> {
    let mut found = BTreeMap::new();
    for (path, node) in tree(folder)? {
        if node != Node::Dir {
            let look = std::fs::symlink_metadata(folder.join(&path))?;
            found.insert(path, (look.ino(), look.mtime(), look.mtime_nsec()));
        }
    }
    Ok(found)
}

/// Describes the first differences of two listings, for a reader.
pub(crate) fn differences(found: &Listing, expected: &Listing) -> Vec<String> {
    let mut all = Vec::new();
    for (path, node) in expected {
        match found.get(path) {
            None => all.push(format!("{path} is missing")),
            Some(other) if other != node => all.push(format!("{path} is {other:?}, not {node:?}")),
            Some(_) => {}
        }
    }
    for path in found.keys().filter(|path| !expected.contains_key(*path)) {
        all.push(format!("{path} is new"));
    }
    all
}

fn list(folder: &Path, keep: impl Fn(&str) -> bool) -> anyhow::Result<Listing> {
    let mut found = Listing::new();
    let mut open = vec![(folder.to_owned(), String::new())];
    while let Some((dir, prefix)) = open.pop() {
        for entry in std::fs::read_dir(&dir).with_context(|| dir.display().to_string())? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if prefix.is_empty() && !keep(&name) {
                continue;
            }
            let path = format!("{prefix}{name}");
            let node = look_at(&entry.path())?;
            if node == Node::Dir {
                open.push((entry.path(), format!("{path}/")));
            }
            found.insert(path, node);
        }
    }
    Ok(found)
}

fn look_at(path: &Path) -> anyhow::Result<Node> {
    let look = std::fs::symlink_metadata(path)?;
    let kind = look.file_type();
    Ok(if kind.is_dir() {
        Node::Dir
    } else if kind.is_symlink() {
        Node::Link(std::fs::read_link(path)?)
    } else if kind.is_file() {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        let mode = look.permissions().mode() & 0o7777;
        Node::File { hash: ContentHash::of(&bytes), mode, note: note(path) }
    } else {
        Node::Other
    })
}

/// The extended attribute that the harness hangs on a file, to see whether it is kept.
const NOTE: &str = "user.salve-crash";

fn note(path: &Path) -> Option<Vec<u8>> {
    let mut value = [0u8; 64];
    let len = rustix::fs::lgetxattr(path, NOTE, &mut value[..]).ok()?;
    value.get(..len).map(<[u8]>::to_vec)
}

/// Hangs the attribute on a file, where the file system has such a thing.
pub(crate) fn attach(path: &Path, note: &[u8]) {
    let _ = rustix::fs::lsetxattr(path, NOTE, note, rustix::fs::XattrFlags::empty());
}

/// A folder of this run that is removed with the value.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Makes an empty folder below `base`.
    pub(crate) fn new(base: &Path) -> anyhow::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = base.join(format!("salve-crash-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        Ok(Self(path))
    }

    /// Makes a copy of a folder below `base`.
    pub(crate) fn copy_of(folder: &Path, base: &Path) -> anyhow::Result<Self> {
        let copy = Self::new(base)?;
        copy_into(folder, &copy.0)?;
        Ok(copy)
    }

    /// Returns where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn copy_into(from: &Path, to: &Path) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            std::os::unix::fs::symlink(std::fs::read_link(&source)?, &target)?;
        } else if kind.is_dir() {
            std::fs::create_dir(&target)?;
            copy_into(&source, &target)?;
            std::fs::set_permissions(&target, std::fs::metadata(&source)?.permissions())?;
        } else if kind.is_file() {
            // The permissions are copied along, the attribute is not.
            std::fs::copy(&source, &target)?;
            if let Some(note) = note(&source) {
                attach(&target, &note);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        std::fs::create_dir(folder.path().join(STATE)).unwrap();
        std::fs::write(folder.path().join("src/a.txt"), "one\n").unwrap();
        std::fs::write(folder.path().join(STATE).join("journal"), "x").unwrap();
        std::os::unix::fs::symlink("/", folder.path().join("link")).unwrap();
        folder
    }

    #[test]
    fn a_copy_lists_like_its_original_and_a_link_is_not_followed() {
        let folder = sample();
        let copy = Scratch::copy_of(folder.path(), folder.path().parent().unwrap()).unwrap();
        let (first, second) = (tree(folder.path()).unwrap(), tree(copy.path()).unwrap());
        assert_eq!(first.keys().collect::<Vec<_>>(), ["link", "src", "src/a.txt"]);
        assert_eq!(first["link"], Node::Link("/".into()));
        assert_eq!(differences(&first, &second), Vec::<String>::new());
        assert_eq!(state(copy.path()).unwrap().keys().collect::<Vec<_>>(), ["journal"]);
    }

    #[test]
    fn every_difference_is_told() {
        let folder = sample();
        let before = tree(folder.path()).unwrap();
        let untouched = identities(folder.path()).unwrap();
        let file = folder.path().join("src/a.txt");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let changed = differences(&tree(folder.path()).unwrap(), &before);
        assert!(changed[0].starts_with("src/a.txt is File"), "{changed:?}");
        std::fs::remove_file(&file).unwrap();
        std::fs::write(folder.path().join("src/b.txt"), "one\n").unwrap();
        let now = tree(folder.path()).unwrap();
        assert_eq!(differences(&now, &before), ["src/a.txt is missing", "src/b.txt is new"]);
        assert_ne!(identities(folder.path()).unwrap(), untouched);
    }
}
