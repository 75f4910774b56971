//! A disk that forgets what was not synced.
//!
//! In: the files before, and a trace of what a process did to them. Out: the files as a power cut may
//! have left them: a content lasts by the sync of its file, a name by the sync of its folder, and of
//! all else each part may be there or not. Only for the database, its log and what is spooled: the
//! shared memory of the database is made anew by the caller that opens it.

use super::trace::Seen;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// What a disk remembers for sure.
const SECTOR: usize = 512;

/// What is kept of what was not synced.
#[derive(Debug, Clone, Copy)]
pub(super) enum Keep {
    Nothing,
    All,
    /// Some of it, also parts of writes, as this number says.
    Some(u64),
}

/// A file or folder, whatever its name.
#[derive(Debug, Clone, Default)]
struct Node {
    is_folder: bool,
    synced: Vec<u8>,
    pending: Vec<Change>,
    length: usize,
}

#[derive(Debug, Clone)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Truncate(usize),
}

/// A change of names, and the folder whose sync makes it last.
#[derive(Debug, Clone)]
enum Naming {
    Link { path: String, node: usize },
    Unlink(String),
    Rename { from: String, to: String },
}

/// The files of one folder. Names are paths from there.
#[derive(Debug, Clone, Default)]
pub(super) struct Disk {
    nodes: Vec<Node>,
    // As the process sees them, and as they last.
    names: BTreeMap<String, usize>,
    lasting: BTreeMap<String, usize>,
    pending: Vec<Naming>,
}

/// Returns whether a file belongs to what is judged.
pub(super) fn is_kept(path: &str) -> bool {
    matches!(path, "salve.db" | "salve.db-wal") || path.starts_with("spool")
}

impl Disk {
    /// Reads the files that no process has open.
    pub(super) fn read(folder: &Path) -> Self {
        let mut disk = Self::default();
        disk.read_below(folder, "");
        disk.lasting = disk.names.clone();
        disk
    }

    fn read_below(&mut self, folder: &Path, parent: &str) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{parent}{}", entry.file_name().to_string_lossy());
            if !is_kept(&path) {
                continue;
            }
            let is_folder = entry.file_type().unwrap().is_dir();
            let synced = if is_folder { Vec::new() } else { std::fs::read(entry.path()).unwrap() };
            self.names.insert(path.clone(), self.nodes.len());
            let length = synced.len();
            self.nodes.push(Node { is_folder, synced, pending: Vec::new(), length });
            if is_folder {
                self.read_below(&entry.path(), &format!("{path}/"));
            }
        }
    }

    /// Goes on by one operation.
    pub(super) fn apply(&mut self, seen: &Seen) {
        match seen {
            Seen::Made { path, is_folder } => self.make(path, *is_folder),
            Seen::Removed(path) => {
                self.names.remove(path);
                self.pending.push(Naming::Unlink(path.clone()));
            }
            Seen::Renamed { from, to } => {
                if let Some(node) = self.names.remove(from) {
                    self.names.insert(to.clone(), node);
                }
                self.pending.push(Naming::Rename { from: from.clone(), to: to.clone() });
            }
            Seen::Wrote { file, at, bytes } => {
                let Some(node) = self.node(file) else { return };
                let at = at.unwrap_or(node.length);
                node.length = node.length.max(at + bytes.len());
                node.pending.push(Change::Write { at, bytes: bytes.clone() });
            }
            Seen::Truncated { file, to } => {
                let Some(node) = self.node(file) else { return };
                node.length = *to;
                node.pending.push(Change::Truncate(*to));
            }
            Seen::Synced(path) => self.sync(path),
            Seen::Said(_) => {}
        }
    }

    fn make(&mut self, path: &str, is_folder: bool) {
        if self.names.contains_key(path) {
            return;
        }
        let node = self.nodes.len();
        self.nodes.push(Node { is_folder, ..Node::default() });
        self.names.insert(path.to_owned(), node);
        self.pending.push(Naming::Link { path: path.to_owned(), node });
    }

    fn node(&mut self, path: &str) -> Option<&mut Node> {
        self.names.get(path).and_then(|node| self.nodes.get_mut(*node))
    }

    fn sync(&mut self, path: &str) {
        let is_folder = path.is_empty() || self.node(path).is_some_and(|node| node.is_folder);
        if !is_folder {
            let Some(node) = self.node(path) else { return };
            for change in std::mem::take(&mut node.pending) {
                change.apply(&mut node.synced, usize::MAX);
            }
            return;
        }
        for naming in std::mem::take(&mut self.pending) {
            if naming.folder() == path {
                naming.apply(&mut self.lasting);
            } else {
                self.pending.push(naming);
            }
        }
    }

    /// Writes the files as a power cut left them.
    pub(super) fn write_to(&self, folder: &Path, keep: Keep) {
        let mut random = match keep {
            Keep::Some(seed) => fastrand(seed),
            Keep::Nothing | Keep::All => fastrand(0),
        };
        let mut most = || match keep {
            Keep::Nothing => 0,
            Keep::All => usize::MAX,
            Keep::Some(_) => match random() % 4 {
                0 => 0,
                1 => SECTOR * usize::try_from(random() % 9).unwrap(),
                _ => usize::MAX,
            },
        };
        let mut names = self.lasting.clone();
        for naming in &self.pending {
            if most() > 0 {
                naming.apply(&mut names);
            }
        }
        // A folder comes before what is in it.
        for (path, node) in names {
            let node = &self.nodes[node];
            let place = folder.join(&path);
            if !place.parent().is_some_and(Path::is_dir) {
                continue;
            }
            if node.is_folder {
                std::fs::create_dir(place).unwrap();
                continue;
            }
            let mut bytes = node.synced.clone();
            for change in &node.pending {
                change.apply(&mut bytes, most());
            }
            File::create(place).unwrap().write_all(&bytes).unwrap();
        }
    }
}

impl Change {
    fn apply(&self, file: &mut Vec<u8>, most: usize) {
        match self {
            Self::Write { at, bytes } => {
                let bytes = &bytes[..bytes.len().min(most)];
                if file.len() < at + bytes.len() {
                    file.resize(at + bytes.len(), 0);
                }
                file[*at..at + bytes.len()].copy_from_slice(bytes);
            }
            Self::Truncate(to) if most > 0 => file.resize(*to, 0),
            Self::Truncate(_) => {}
        }
    }
}

impl Naming {
    fn folder(&self) -> &str {
        let (Self::Link { path, .. } | Self::Unlink(path) | Self::Rename { to: path, .. }) = self;
        path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    fn apply(&self, names: &mut BTreeMap<String, usize>) {
        match self {
            Self::Link { path, node } => drop(names.insert(path.clone(), *node)),
            Self::Unlink(path) => drop(names.remove(path)),
            Self::Rename { from, to } => {
                if let Some(node) = names.remove(from) {
                    names.insert(to.clone(), node);
                }
            }
        }
    }
}

fn fastrand(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 3
    }
}
