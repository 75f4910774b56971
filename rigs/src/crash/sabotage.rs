//! Disks that take a safety away, to prove that the harness would notice.
//!
//! In: a disk. Out: one on which no journal is ever armed, or one that answers a second look from
//! memory. Never used but by the rows of the table that must fail.

use anyhow::bail;
use salve_tree::{At, Disk, RealDisk, RenameHow, Seen};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The safety that is taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sabotage {
    /// Nothing is.
    None,
    /// The journal vanishes in the moment it is armed.
    NoJournal,
    /// A look is answered with what should be there by what Salve itself did.
    NoRehash,
}

/// A disk with a safety taken away.
#[derive(Debug)]
pub(crate) struct SabotagedDisk {
    sabotage: Sabotage,
    believed: Mutex<HashMap<Place, Seen>>,
}

/// A name in a directory that is known by its inode.
type Place = (u64, String);

impl Sabotage {
    /// Returns the disk of this machine without the safety.
    pub(crate) fn disk(self) -> Box<dyn Disk> {
        match self {
            Self::None => Box::new(RealDisk),
            sabotage => Box::new(SabotagedDisk { sabotage, believed: Mutex::default() }),
        }
    }

    /// Returns its name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::NoJournal => "no-journal",
            Self::NoRehash => "no-rehash",
        }
    }
}

impl FromStr for Sabotage {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let all = [Self::None, Self::NoJournal, Self::NoRehash];
        match all.into_iter().find(|one| one.name() == text) {
            Some(found) => Ok(found),
            None => bail!("no such sabotage: {text}"),
        }
    }
}

impl SabotagedDisk {
    fn believed(&self) -> MutexGuard<'_, HashMap<Place, Seen>> {
        self.believed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget(&self, at: At<'_>) -> io::Result<()> {
        let place = place(at)?;
        self.believed().remove(&place);
        Ok(())
    }

    fn moved(&self, from: Place, to: Place, how: RenameHow) {
        let mut believed = self.believed();
        let (source, target) = (believed.remove(&from), believed.remove(&to));
        if let Some(seen) = source {
            believed.insert(to, seen);
        }
        if how == RenameHow::Exchange
            && let Some(seen) = target
        {
            believed.insert(from, seen);
        }
    }
}

fn place(at: At<'_>) -> io::Result<Place> {
    Ok((rustix::fs::fstat(at.dir)?.st_ino, at.name.to_owned()))
}

impl Disk for SabotagedDisk {
    fn look(&self, at: At<'_>) -> io::Result<Seen> {
        if self.sabotage != Sabotage::NoRehash {
            return RealDisk.look(at);
        }
        let place = place(at)?;
        if let Some(seen) = self.believed().get(&place) {
            return Ok(*seen);
        }
        let seen = RealDisk.look(at)?;
        self.believed().insert(place, seen);
        Ok(seen)
    }

    fn create(&self, at: At<'_>, mode: u32) -> io::Result<File> {
        self.forget(at)?;
        RealDisk.create(at, mode)
    }

    fn open_append(&self, at: At<'_>) -> io::Result<File> {
        self.forget(at)?;
        RealDisk.open_append(at)
    }

    fn rename(&self, from: At<'_>, to: At<'_>, how: RenameHow) -> io::Result<()> {
        if self.sabotage == Sabotage::NoJournal && to.name.ends_with(".armed") {
            return RealDisk.unlink(from);
        }
        let (source, target) = (place(from)?, place(to)?);
        RealDisk.rename(from, to, how)?;
        self.moved(source, target, how);
        Ok(())
    }

    fn unlink(&self, at: At<'_>) -> io::Result<()> {
        self.forget(at)?;
        RealDisk.unlink(at)
    }
}
