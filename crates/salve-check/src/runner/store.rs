//! The full outputs of runs: `.salve/runs/ID.out` and `ID.err`.
//!
//! In: the name of a run. Out: two private files, and the store never above its size. Never removes
//! a file that is not an output of a run.

use super::state::{STATE, StateFolder};
use std::fs::File;
use std::io::Result;
use std::path::PathBuf;
use std::time::SystemTime;

const RUNS: &str = "runs";

/// The outputs of one run, while it runs.
#[derive(Debug)]
pub(super) struct OutputFiles {
    /// The name of the run: free when the files were made, and taken by them.
    pub(super) id: String,
    /// Standard output.
    pub(super) out: (File, PathBuf),
    /// Standard error.
    pub(super) err: (File, PathBuf),
}

/// All outputs that are kept.
#[derive(Debug)]
pub(super) struct Store {
    folder: StateFolder,
    most_bytes: u64,
}

impl Store {
    /// Opens the store of a workspace.
    pub(super) fn open(state: &StateFolder, most_bytes: u64) -> Result<Self> {
        Ok(Self { folder: state.subfolder(RUNS)?, most_bytes })
    }

    /// Makes the files of a run under the first free name.
    pub(super) fn create(&self, names: impl Iterator<Item = String>) -> Result<OutputFiles> {
        for id in names {
            let (out, err) = (format!("{id}.out"), format!("{id}.err"));
            match self.folder.create(&out) {
                Ok(file) => {
                    let out = (file, self.folder.path_of(&out));
                    let err = (self.folder.create(&err)?, self.folder.path_of(&err));
                    return Ok(OutputFiles { id, out, err });
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(std::io::ErrorKind::AlreadyExists.into())
    }

    /// Returns the path of standard output as a record names it.
    pub(super) fn name_in_record(id: &str) -> String {
        format!("{STATE}/{RUNS}/{id}.out")
    }

    /// Removes the files of a run that did not happen.
    pub(super) fn forget(&self, id: &str) {
        for ending in ["out", "err"] {
            // A file that stays is removed as the oldest one day.
            let _ = self.folder.remove(&format!("{id}.{ending}"));
        }
    }

    /// Removes the oldest outputs until the rest fits, but never those of `id`.
    pub(super) fn prune(&self, id: &str) -> Result<()> {
        let mut files: Vec<(SystemTime, String, u64)> = Vec::new();
        for entry in std::fs::read_dir(self.folder.path())?.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(metadata) = entry.metadata() else { continue };
            if (name.ends_with(".out") || name.ends_with(".err")) && metadata.is_file() {
                files.push((metadata.modified()?, name, metadata.len().max(SMALLEST)));
            }
        }
        let mut total: u64 = files.iter().map(|(_, _, size)| size).sum();
        files.sort();
        for (_, name, size) in files {
            if total <= self.most_bytes {
                break;
            }
            if !name.starts_with(id) {
                self.folder.remove(&name)?;
                total -= size;
            }
        }
        Ok(())
    }
}

/// What a file counts for at least, so that many empty ones do not pile up.
const SMALLEST: u64 = 4096;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;

    fn name(id: &str) -> impl Iterator<Item = String> + use<> {
        let id = id.to_owned();
        (0..3).map(move |n| if n == 0 { id.clone() } else { format!("{id}-{n}") })
    }

    #[test]
    fn c065_outputs_are_private_and_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&StateFolder::open(folder.path()).unwrap(), 1 << 20).unwrap();
        let first = store.create(name("a")).unwrap();
        assert_eq!(store.create(name("a")).unwrap().id, "a-1");
        let mode = std::fs::metadata(&first.out.1).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn c065_the_oldest_outputs_go_when_the_store_is_full() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&StateFolder::open(folder.path()).unwrap(), 100_000).unwrap();
        for index in 0..8_u64 {
            let mut files = store.create(name(&format!("run{index}"))).unwrap();
            files.out.0.write_all(&[b'x'; 20_000]).unwrap();
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(index);
            files.out.0.set_modified(time).unwrap();
            files.err.0.set_modified(time).unwrap();
            store.prune(&files.id).unwrap();
        }
        let kept = |id: &str| store.folder.path_of(&format!("{id}.out")).exists();
        assert_eq!(["run0", "run3", "run4", "run7"].map(kept), [false, false, true, true]);
    }
}
