//! One heal of a workspace at a time.
//!
//! In: the root of a workspace. Out: a lock that lasts as long as the process which heals, or the name of
//! the process that holds it. The system frees it with the process, so a heal that was killed holds nothing.
//! Never waits.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

const FILE: &str = "heal.lock";

/// The workspace is this process's to heal until it is dropped.
#[derive(Debug)]
pub struct HealLock {
    _locked: File,
}

/// What became of asking for the lock.
#[derive(Debug)]
pub enum Locking {
    /// It is ours.
    Taken(HealLock),
    /// Another heal has it.
    Held {
        /// Its process, as far as it is known.
        process: Option<u32>,
    },
}

impl HealLock {
    /// Takes the lock of a workspace.
    ///
    /// # Errors
    /// When its file cannot be made.
    pub fn take(root: &Path) -> io::Result<Locking> {
        let state = root.join(".salve");
        fs::create_dir_all(&state)?;
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(state.join(FILE))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.read_to_string(&mut text);
                return Ok(Locking::Held { process: text.trim().parse().ok() });
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(format!("{}\n", std::process::id()).as_bytes())?;
        Ok(Locking::Taken(Self { _locked: file }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_is_healed_by_one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let Locking::Taken(first) = HealLock::take(folder.path()).unwrap() else { unreachable!() };
        let second = HealLock::take(folder.path()).unwrap();
        let own = Some(std::process::id());
        assert!(matches!(second, Locking::Held { process } if process == own), "{second:?}");
        let other = tempfile::tempdir().unwrap();
        assert!(matches!(HealLock::take(other.path()).unwrap(), Locking::Taken(_)));
        drop(first);
        assert!(matches!(HealLock::take(folder.path()).unwrap(), Locking::Taken(_)));
    }
}
