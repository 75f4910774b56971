//! A disk that forgets: what can be left of a folder after a power loss.
//!
//! In: a folder at rest and the operations done to it. Out: every state that the operations and
//! their syncs allow, as a folder again. Never kinder than the standard: an operation that was not
//! synced may be there or not, each for itself, and of a write some of the bytes.
//!
//! A name is made to last by the sync of its directory, a content by the sync of its file. A rename
//! is one operation, made to last by the sync of either directory: no file system in use writes
//! half of one.

use anyhow::Context;
use rustix::fs::{Mode, OFlags};
use salve_tree::RenameHow;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file or directory of the model.
pub(crate) type Inode = usize;

/// A name in a directory.
pub(crate) type Place = (Inode, String);

/// One operation.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    /// A name for a new file or directory.
    Link { at: Place, inode: Inode },
    /// A name goes away.
    Unlink { at: Place },
    /// One name becomes another, or both change places. `moved` and `other` were there before.
    Rename { from: Place, to: Place, moved: Inode, other: Option<Inode>, how: RenameHow },
    /// Bytes at the end of a file.
    Append { inode: Inode, bytes: Arc<[u8]> },
    /// A file is cut.
    Truncate { inode: Inode, len: usize },
    /// Permissions.
    Dress { inode: Inode, mode: u32 },
    /// These last from now on.
    Sync(Vec<Inode>),
    /// An act is promised to be done.
    Ack,
}

/// What an inode is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// A file.
    File { bytes: Vec<u8>, mode: u32 },
    /// A directory with its names.
    Dir(BTreeMap<String, Inode>),
    /// A symbolic link.
    Link(PathBuf),
}

/// A folder in memory; the first inode is its root.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    /// Everything, by inode.
    pub(crate) nodes: Vec<Kind>,
}

/// How much is left of an operation that was not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Left {
    /// All of it.
    All,
    /// Nothing.
    Nothing,
    /// Of a write, the first half; of anything else, all.
    Half,
}

impl Op {
    /// Returns whether a sync of these inodes makes it last.
    pub(crate) fn lasts_by(&self, synced: &[Inode]) -> bool {
        match self {
            Self::Link { at, .. } | Self::Unlink { at } => synced.contains(&at.0),
            Self::Rename { from, to, .. } => synced.contains(&from.0) || synced.contains(&to.0),
            Self::Append { inode, .. }
            | Self::Truncate { inode, .. }
            | Self::Dress { inode, .. } => synced.contains(inode),
            Self::Sync(_) | Self::Ack => true,
        }
    }
}

impl Memory {
    /// Reads a folder; returns it with the inodes by the system's own numbers.
    pub(crate) fn read(folder: &Path) -> anyhow::Result<(Self, BTreeMap<u64, Inode>)> {
        let mut memory = Self::default();
        let mut numbers = BTreeMap::new();
        memory.add(folder, &mut numbers)?;
        Ok((memory, numbers))
    }

    fn add(&mut self, path: &Path, numbers: &mut BTreeMap<u64, Inode>) -> anyhow::Result<Inode> {
        let look = std::fs::symlink_metadata(path)?;
        let inode = self.nodes.len();
        numbers.insert(look.ino(), inode);
        if look.is_dir() {
            self.nodes.push(Kind::Dir(BTreeMap::new()));
            let mut names = BTreeMap::new();
            for entry in std::fs::read_dir(path)? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                names.insert(name, self.add(&entry.path(), numbers)?);
            }
            if let Some(node) = self.nodes.get_mut(inode) {
                *node = Kind::Dir(names);
            }
        } else if look.is_symlink() {
            self.nodes.push(Kind::Link(std::fs::read_link(path)?));
        } else {
            let mode = look.permissions().mode() & 0o7777;
            self.nodes.push(Kind::File { bytes: std::fs::read(path)?, mode });
        }
        Ok(inode)
    }

    /// Does an operation, or what is left of it.
    pub(crate) fn replay(&mut self, op: &Op, left: Left) {
        match op {
            _ if left == Left::Nothing => {}
            Op::Link { at, inode } => self.set(at, Some(*inode)),
            Op::Unlink { at } => self.set(at, None),
            Op::Rename { from, to, moved, other, how } => {
                let back = if *how == RenameHow::Exchange { *other } else { None };
                self.set(from, back);
                self.set(to, Some(*moved));
            }
            Op::Append { inode, bytes: more } => {
                let count = if left == Left::Half { more.len() / 2 } else { more.len() };
                if let Some(Kind::File { bytes, .. }) = self.nodes.get_mut(*inode) {
                    bytes.extend_from_slice(more.get(..count).unwrap_or_default());
                }
            }
            Op::Truncate { inode, len } => {
                if let Some(Kind::File { bytes, .. }) = self.nodes.get_mut(*inode) {
                    bytes.truncate(*len);
                }
            }
            Op::Dress { inode, mode: bits } => {
                if let Some(Kind::File { mode, .. }) = self.nodes.get_mut(*inode) {
                    *mode = *bits;
                }
            }
            Op::Sync(_) | Op::Ack => {}
        }
    }

    fn set(&mut self, (dir, name): &Place, inode: Option<Inode>) {
        let Some(Kind::Dir(names)) = self.nodes.get_mut(*dir) else { return };
        match inode {
            Some(inode) => names.insert(name.clone(), inode),
            None => names.remove(name),
        };
    }

    /// Returns everything that has a name, for comparison.
    pub(crate) fn reachable(&self) -> BTreeMap<String, &Kind> {
        let mut found = BTreeMap::new();
        let mut open = vec![(0, String::new())];
        while let Some((inode, path)) = open.pop() {
            if let Some(Kind::Dir(names)) = self.nodes.get(inode) {
                for (name, inode) in names {
                    open.push((*inode, format!("{path}/{name}")));
                }
            } else if let Some(node) = self.nodes.get(inode) {
                found.insert(path, node);
            }
        }
        found
    }

    /// Writes what is left into an empty folder.
    pub(crate) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        self.write_dir(0, folder, 0)
    }

    fn write_dir(&self, inode: Inode, folder: &Path, depth: usize) -> anyhow::Result<()> {
        let Some(Kind::Dir(names)) = self.nodes.get(inode) else { return Ok(()) };
        for (name, inode) in names {
            let path = folder.join(name);
            match self.nodes.get(*inode).context("a name leads nowhere")? {
                Kind::Link(target) => symlink(target, &path)?,
                Kind::File { bytes, mode } => write_file(&path, bytes, *mode)?,
                Kind::Dir(_) if depth < 16 => {
                    std::fs::create_dir(&path)?;
                    self.write_dir(*inode, &path, depth + 1)?;
                }
                Kind::Dir(_) => {}
            }
        }
        Ok(())
    }
}

fn write_file(path: &Path, bytes: &[u8], mode: u32) -> anyhow::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::from_raw_mode(0o600))?;
    let mut file = std::fs::File::from(file);
    file.write_all(bytes)?;
    file.set_permissions(std::fs::Permissions::from_mode(mode))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Kind {
        Kind::File { bytes: text.into(), mode: 0o644 }
    }

    // The root holds `a` and `b`.
    fn memory() -> Memory {
        let names = BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)]);
        Memory { nodes: vec![Kind::Dir(names), file("old"), file("new")] }
    }

    fn texts(memory: &Memory) -> Vec<(String, String)> {
        let text = |kind: &Kind| match kind {
            Kind::File { bytes, .. } => String::from_utf8_lossy(bytes).into_owned(),
            other => format!("{other:?}"),
        };
        memory.reachable().into_iter().map(|(path, kind)| (path, text(kind))).collect()
    }

    fn after(op: &Op, left: Left) -> Vec<(String, String)> {
        let mut memory = memory();
        memory.replay(op, left);
        texts(&memory)
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn a_rename_replaces_and_an_exchange_swaps() {
        let rename = |how| {
            let (from, to) = ((0, "b".to_owned()), (0, "a".to_owned()));
            Op::Rename { from, to, moved: 2, other: Some(1), how }
        };
        let swapped = pairs(&[("/a", "new"), ("/b", "old")]);
        assert_eq!(after(&rename(RenameHow::Exchange), Left::All), swapped);
        assert_eq!(after(&rename(RenameHow::Replace), Left::All), pairs(&[("/a", "new")]));
        let untouched = pairs(&[("/a", "old"), ("/b", "new")]);
        assert_eq!(after(&rename(RenameHow::Replace), Left::Nothing), untouched);
    }

    #[test]
    fn half_of_a_write_is_half_of_its_bytes() {
        let append = Op::Append { inode: 1, bytes: Arc::from(&b"1234"[..]) };
        assert_eq!(after(&append, Left::Half), pairs(&[("/a", "old12"), ("/b", "new")]));
        assert_eq!(after(&append, Left::All), pairs(&[("/a", "old1234"), ("/b", "new")]));
    }

    #[test]
    fn a_name_lasts_by_its_directory_and_a_content_by_its_file() {
        let link = Op::Link { at: (0, "c".to_owned()), inode: 1 };
        let append = Op::Append { inode: 1, bytes: Arc::from(&b"x"[..]) };
        assert_eq!([link.lasts_by(&[0]), link.lasts_by(&[1])], [true, false]);
        assert_eq!([append.lasts_by(&[0]), append.lasts_by(&[1])], [false, true]);
    }

    #[test]
    fn a_folder_is_written_as_it_was_read() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir(one.path().join("src")).unwrap();
        std::fs::write(one.path().join("src/a"), "text").unwrap();
        symlink("src/a", one.path().join("link")).unwrap();
        let (read, _) = Memory::read(one.path()).unwrap();
        read.write(two.path()).unwrap();
        assert_eq!(texts(&read), texts(&Memory::read(two.path()).unwrap().0));
    }
}
