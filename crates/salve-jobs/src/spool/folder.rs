//! The folder in which results of paid calls wait.
//!
//! In: what is to be settled. Out: a file of its own for each, whole or not there. Never readable for
//! anybody else, and never named after what is in it.

use crate::{CallKey, CallResult};
use rustix::fs::{AtFlags, Mode, OFlags};
use serde::{Deserialize, Serialize};
use std::fs::{DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Larger files are not ours.
const LARGEST: u64 = 256 << 20;

/// What waits to be settled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Waiting {
    pub(super) key: CallKey,
    pub(super) epoch: u32,
    pub(super) result: CallResult,
}

/// The folder, held open.
pub(super) struct Folder {
    path: PathBuf,
    open: OwnedFd,
}

/// What a look into the folder found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) waiting: Vec<(String, Waiting)>,
    pub(super) damaged: Vec<String>,
}

impl Folder {
    /// Opens the folder; makes it, for its owner alone, where there is none.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::DirBuilderExt;
        let absent = |it: &&Path| !it.as_os_str().is_empty() && !it.is_dir();
        let made: Vec<&Path> = path.ancestors().take_while(absent).collect();
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        // A file that was synced in a folder outlives a loss of power only if the folder's name does.
        for parent in made.into_iter().filter_map(Path::parent) {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            File::open(parent)?.sync_all()?;
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = rustix::fs::open(path, flags, Mode::empty())?;
        let mode = Mode::from_raw_mode(rustix::fs::fstat(&open)?.st_mode);
        if mode.intersects(Mode::RWXG | Mode::RWXO) {
            rustix::fs::fchmod(&open, Mode::RWXU)?;
        }
        Ok(Self { path: path.to_owned(), open })
    }

    /// Writes a result down so that it survives a power loss, and returns its name.
    pub(super) fn put(&self, waiting: &Waiting) -> io::Result<String> {
        let name = format!("{}-{}.call", prefix(&waiting.key), waiting.epoch);
        let temporary = format!("{:016x}.part", fastrand::u64(..));
        let body = serde_json::to_string(waiting)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let mut file: File = rustix::fs::openat(&self.open, &*temporary, flags, mode)?.into();
        // Held until the file has its name: a part without a lock has lost its writer.
        file.lock()?;
        file.write_all(blake3::hash(body.as_bytes()).to_hex().as_bytes())?;
        file.write_all(b"\n")?;
        file.write_all(body.as_bytes())?;
        file.sync_all()?;
        rustix::fs::renameat(&self.open, &*temporary, &self.open, &*name)?;
        rustix::fs::fsync(&self.open)?;
        Ok(name)
    }

    /// Returns the newest result that waits under a key.
    pub(super) fn find(&self, key: &CallKey) -> io::Result<Option<(String, Waiting)>> {
        let prefix = prefix(key);
        let names = self.names()?.into_iter().filter(|name| name.starts_with(&prefix));
        let whole = names.filter_map(|name| Some((name.clone(), self.read(&name).ok()?)));
        let mine = whole.filter(|(_, waiting)| waiting.key == *key);
        Ok(mine.max_by_key(|(_, waiting)| waiting.epoch))
    }

    /// Looks through the whole folder.
    pub(super) fn look(&self) -> io::Result<Found> {
        let mut found = Found::default();
        for name in self.names()? {
            if name.ends_with(".part") {
                if self.has_lost_its_writer(&name) {
                    found.damaged.push(name);
                }
            } else if name.ends_with(".call") {
                match self.read(&name) {
                    Ok(waiting) => found.waiting.push((name, waiting)),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(_) => found.damaged.push(name),
                }
            }
        }
        Ok(found)
    }

    /// Removes a file, if it is there.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.open, name, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Puts a file aside that cannot be used, for a person to look at.
    pub(super) fn put_aside(&self, name: &str) -> io::Result<()> {
        let aside = format!("{name}.unused");
        Ok(rustix::fs::renameat(&self.open, name, &self.open, &*aside)?)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            names.extend(entry?.file_name().into_string().ok());
        }
        names.sort_unstable();
        Ok(names)
    }

    fn file(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.open, name, flags, Mode::empty())?.into())
    }

    pub(super) fn read(&self, name: &str) -> io::Result<Waiting> {
        let mut text = String::new();
        self.file(name)?.take(LARGEST).read_to_string(&mut text)?;
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is not whole");
        let (hash, body) = text.split_once('\n').ok_or_else(damaged)?;
        if blake3::hash(body.as_bytes()).to_hex().as_str() != hash {
            return Err(damaged());
        }
        Ok(serde_json::from_str(body)?)
    }

    fn has_lost_its_writer(&self, name: &str) -> bool {
        self.file(name).is_ok_and(|file| file.try_lock().is_ok())
    }
}

/// How the names of a key's files begin.
fn prefix(key: &CallKey) -> String {
    blake3::hash(key.as_str().as_bytes()).to_hex()[..32].to_owned()
}
