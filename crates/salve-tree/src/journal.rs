//! The journal: what a transaction is about to do, written down before it does it.
//!
//! In: the plan of a transaction, or any bytes that stand in `.salve/journal`. Out: a manifest
//! that says for every file which content was there and which is to be, or why it cannot be
//! believed. Never: a manifest believed whose hash is wrong or that names a path outside the tree
//! or inside `.git` or `.salve`.
//!
//! A manifest is written as `ID.tmp`, synced, renamed to `ID.armed`, and synced again before the
//! tree changes. So by an `ID.tmp` nothing was ever done, while an `ID.armed` that cannot be read
//! is damage, and recovery refuses to guess.

use crate::ContentHash;
use crate::disk::{At, RenameHow, unlink_if_there, write_all};
use crate::workspace::State;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;

const MAGIC: &str = "salve-journal 1";
const UNARMED: &str = ".tmp";
const ARMED: &str = ".armed";

/// What a transaction is about to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The transaction.
    pub txn: String,
    /// The files, each path once.
    pub files: Vec<ManifestFile>,
    /// Directories that the transaction makes, outermost first.
    pub dirs: Vec<String>,
    /// Directories that go away after the commit if they are empty, innermost first.
    pub prune: Vec<String>,
    /// How long the history was before the commit; what follows when the transaction is undone is
    /// the beginning of a commit that was not finished.
    #[serde(default)]
    pub history: Option<u64>,
}

/// One file of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestFile {
    /// The path in the tree.
    pub path: String,
    /// What is there before; `None`: nothing.
    pub old: Option<Version>,
    /// What is there after; `None`: nothing.
    pub new: Option<Version>,
    /// The name of the temporary file.
    pub temp: String,
    /// The temporary file is beside the target, because `.salve` is on another mount.
    pub beside: bool,
}

/// A content with its permission bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The hash under which the content is kept.
    pub hash: ContentHash,
    /// The permission bits.
    pub mode: u32,
}

/// A journal as it was found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) manifest: Result<Manifest, String>,
    pub(crate) armed: bool,
}

impl Manifest {
    /// Writes the manifest as bytes.
    pub fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        let body = serde_json::to_vec(self)?;
        let mut bytes = format!("{MAGIC} {}\n", ContentHash::of(&body).hex()).into_bytes();
        bytes.extend_from_slice(&body);
        Ok(bytes)
    }

    /// Reads a manifest from any bytes, or says why it cannot be believed.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let end = memchr::memchr(b'\n', bytes).ok_or("its first line is incomplete")?;
        let (head, body) = bytes.split_at(end);
        let body = body.get(1..).unwrap_or_default();
        let expected = format!("{MAGIC} {}", ContentHash::of(body).hex());
        if head != expected.as_bytes() {
            return Err("its hash does not fit its content".to_owned());
        }
        let manifest: Self = serde_json::from_slice(body).map_err(|e| e.to_string())?;
        manifest.check()?;
        Ok(manifest)
    }

    /// A manifest may lie in a folder that came from elsewhere: even one with the right hash leads
    /// to no path that a plan could not name.
    fn check(&self) -> Result<(), String> {
        if !is_plain_name(&self.txn) {
            return Err("its transaction has no plain name".to_owned());
        }
        let paths = self.files.iter().map(|file| &file.path);
        for path in paths.chain(&self.dirs).chain(&self.prune) {
            if !is_tree_path(path) {
                return Err(format!("it names the path {path:?}"));
            }
        }
        let prefix = format!("{TEMP}{}-", self.txn);
        for file in &self.files {
            if !file.temp.starts_with(&prefix) || !is_plain_name(&file.temp) {
                return Err(format!("it names the temporary file {:?}", file.temp));
            }
            if file.old.is_none() && file.new.is_none() {
                return Err(format!("it does nothing to {:?}", file.path));
            }
        }
        Ok(())
    }
}

/// How the names of temporary files begin.
pub(crate) const TEMP: &str = ".salve-";

/// Tells whether a path is one that a plan may name: relative, plain, and neither in the user's
/// git nor in Salve's own folder.
pub(crate) fn is_tree_path(path: &str) -> bool {
    path.split('/').all(|part| {
        is_plain_name(part)
            && !part.eq_ignore_ascii_case(".git")
            && !part.eq_ignore_ascii_case(crate::workspace::STATE)
    })
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\0'])
}

/// Writes a manifest that is not armed yet. The file must be synced before it is armed.
pub(crate) fn prepare(state: &State<'_>, manifest: &Manifest) -> io::Result<File> {
    let name = format!("{}{UNARMED}", manifest.txn);
    let bytes = manifest.encode().map_err(io::Error::other)?;
    let file = state.disk.create(At { dir: state.journal.as_fd(), name: &name }, 0o600)?;
    write_all(state.disk, &file, &bytes)?;
    Ok(file)
}

/// Says that from now on the tree may change.
pub(crate) fn arm(state: &State<'_>, txn: &str) -> io::Result<()> {
    let dir = state.journal.as_fd();
    let (from, to) = (format!("{txn}{UNARMED}"), format!("{txn}{ARMED}"));
    state.disk.rename(At { dir, name: &from }, At { dir, name: &to }, RenameHow::Replace)
}

/// Forgets a transaction that is done or undone.
pub(crate) fn retire(state: &State<'_>, txn: &str) -> io::Result<()> {
    for end in [ARMED, UNARMED] {
        let name = format!("{txn}{end}");
        unlink_if_there(state.disk, At { dir: state.journal.as_fd(), name: &name })?;
    }
    Ok(())
}

/// Removes a journal by which nothing was done.
pub(crate) fn remove(state: &State<'_>, name: &str) -> io::Result<()> {
    unlink_if_there(state.disk, At { dir: state.journal.as_fd(), name })
}

/// Reads every journal that is there.
pub(crate) fn pending(state: &State<'_>) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    for (name, _) in state.disk.list(state.journal.as_fd())? {
        let armed = name.ends_with(ARMED);
        let Some(file) = state.disk.read(At { dir: state.journal.as_fd(), name: &name })? else {
            continue;
        };
        let manifest = Manifest::decode(&file.bytes).and_then(|manifest| {
            let own = name.strip_suffix(ARMED).or_else(|| name.strip_suffix(UNARMED));
            if own == Some(manifest.txn.as_str()) {
                Ok(manifest)
            } else {
                Err("its name is not that of its transaction".to_owned())
            }
        });
        found.push(Found { name, manifest, armed });
    }
    Ok(found)
}
