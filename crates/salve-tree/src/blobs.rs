//! Contents, each kept once under its hash.
//!
//! In: bytes. Out: a compressed file in `.salve/blobs` named after the hash of the bytes, and the
//! bytes again. Never: bytes handed out that do not have the hash they were asked by.

use crate::disk::{At, Disk, unlink_if_there, write_all};
use crate::{ContentHash, TreeError};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};

/// The store of contents.
pub(crate) struct Blobs<'a> {
    disk: &'a dyn Disk,
    dir: OwnedFd,
}

/// Fast, and within a tenth of the slower levels on source code.
const LEVEL: i32 = 1;

/// Above this a stored content is taken for damage.
const LARGEST: u64 = 1 << 32;

impl<'a> Blobs<'a> {
    pub(crate) fn new(disk: &'a dyn Disk, dir: OwnedFd) -> Self {
        Self { disk, dir }
    }

    pub(crate) fn dir(&self) -> &OwnedFd {
        &self.dir
    }

    /// Keeps a content. The file that comes back must be synced before anything relies on it.
    /// A content that is there already is read again first: a crash can have left half of it, or
    /// all of it in memory only.
    pub(crate) fn put(&self, hash: ContentHash, bytes: &[u8]) -> Result<File, TreeError> {
        let name = hash.hex();
        match self.get(hash) {
            Ok(Some(_)) => {
                return self.disk.open_append(self.at(&name)).map_err(|e| fault(&name, e));
            }
            Ok(None) => {}
            Err(_) => unlink_if_there(self.disk, self.at(&name)).map_err(|e| fault(&name, e))?,
        }
        let packed = zstd::bulk::compress(bytes, LEVEL).map_err(|e| fault(&name, e))?;
        let file = self.disk.create(self.at(&name), 0o600).map_err(|e| fault(&name, e))?;
        write_all(self.disk, &file, &packed).map_err(|e| fault(&name, e))?;
        Ok(file)
    }

    /// Returns a content; `None` when it is not kept, an error when it is damaged.
    pub(crate) fn get(&self, hash: ContentHash) -> Result<Option<Vec<u8>>, TreeError> {
        let name = hash.hex();
        let Some(stored) = self.disk.read(self.at(&name)).map_err(|e| fault(&name, e))? else {
            return Ok(None);
        };
        let damaged = || TreeError::BlobDamaged { hash };
        let bytes = unpack(&stored.bytes).map_err(|_| damaged())?;
        if ContentHash::of(&bytes) == hash { Ok(Some(bytes)) } else { Err(damaged()) }
    }

    /// Returns a content that must be kept.
    pub(crate) fn need(&self, hash: ContentHash) -> Result<Vec<u8>, TreeError> {
        self.get(hash)?.ok_or(TreeError::BlobMissing { hash })
    }

    /// Lists what is kept with its size on disk.
    pub(crate) fn list(&self) -> Result<Vec<(ContentHash, u64)>, TreeError> {
        let names = self.disk.list(self.dir.as_fd()).map_err(|e| fault("", e))?;
        Ok(names
            .into_iter()
            .filter_map(|(name, size)| Some((ContentHash::try_from(name).ok()?, size)))
            .collect())
    }

    /// Forgets a content.
    pub(crate) fn forget(&self, hash: ContentHash) -> Result<(), TreeError> {
        let name = hash.hex();
        unlink_if_there(self.disk, self.at(&name)).map_err(|e| fault(&name, e))
    }

    fn at<'b>(&'b self, name: &'b str) -> At<'b> {
        At { dir: self.dir.as_fd(), name }
    }
}

fn unpack(stored: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    zstd::stream::read::Decoder::new(stored)?.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn fault(name: &str, source: io::Error) -> TreeError {
    TreeError::io(format!(".salve/blobs/{name}"), source)
}
