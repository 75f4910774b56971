//! The file that an index is kept in between two turns.
//!
//! In: the files of an index. Out: one file for its owner alone, replaced as a whole; and what it holds, or
//! nothing where it is not whole. Two processes that write at once leave one index or none, never half.

use crate::session::repo_map::{MapFile, decode, encode};
use salve_tree::{At, Disk as _, RealDisk, RenameHow};
use std::fs::{DirBuilder, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

/// The largest cache that is read.
const LARGEST: u64 = 256 << 20;

/// Reads an index; nothing when there is none that is whole.
pub(super) fn read(path: &Path) -> Option<Vec<MapFile>> {
    let file = File::open(path).ok()?;
    let size = file.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(LARGEST)).unwrap_or(0));
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    decode(&bytes)
}

/// Writes an index in the place of the one before.
pub(super) fn write(path: &Path, files: &[MapFile]) -> io::Result<()> {
    let (Some(folder), Some(name)) =
        (path.parent(), path.file_name().and_then(|name| name.to_str()))
    else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let folder = RealDisk.open_root(folder)?;
    let part_name = format!("{name}.part");
    let part = At { dir: folder.as_fd(), name: &part_name };
    let mut file = match RealDisk.create(part, 0o600) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // Left by a process that died. One that is alive loses its turn: its hash will not fit.
            RealDisk.unlink(part)?;
            RealDisk.create(part, 0o600)?
        }
        other => other?,
    };
    file.write_all(&encode(files))?;
    RealDisk.rename(part, At { dir: folder.as_fd(), name }, RenameHow::Replace)
}
