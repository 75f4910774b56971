//! What a heal leaves in `.salve` for people: attempts, checkpoints, a forensic file, decisions.
//!
//! In: records. Out: `healing-attempts/JOB/…` and lines of `decisions.log`, which only grows. A checkpoint
//! carries the hash of what it holds, so that a damaged one is told from a valid one. Never read for what
//! is applied: the loop's own state is elsewhere.

use super::Patch;
use salve_types::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const ATTEMPTS: &str = "healing-attempts";
const DECISIONS: &str = "decisions.log";

/// The files of one heal.
#[derive(Debug, Clone)]
pub struct HealFiles {
    state: PathBuf,
    folder: PathBuf,
}

/// A state that the heal could go back to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct HealCheckpoint {
    hash: String,
    patch: Patch,
}

impl HealFiles {
    /// Names the files of a heal in a workspace.
    pub fn new(workspace: &Path, job: &str) -> Self {
        let state = workspace.join(".salve");
        // The job of a child has strokes in its name.
        let folder = state.join(ATTEMPTS).join(job.replace('/', "-"));
        Self { state, folder }
    }

    /// Writes one attempt.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn attempt(&self, number: u32, record: &Value) -> io::Result<()> {
        self.write(&format!("attempt-{number:03}.json"), record)
    }

    /// Keeps a report of an agent.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn report(&self, id: &str, report: &Value) -> io::Result<()> {
        self.write(&format!("report-{id}.json"), report)
    }

    /// Counts the files of this folder that were written since a moment.
    pub fn written_since(&self, moment: SystemTime) -> usize {
        let Ok(entries) = fs::read_dir(&self.folder) else { return 0 };
        let times = entries.flatten().filter_map(|entry| entry.metadata().ok()?.modified().ok());
        times.filter(|time| *time >= moment).count()
    }

    /// Keeps a state that was reached.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn checkpoint(&self, number: u32, patch: &Patch) -> io::Result<()> {
        let checkpoint = HealCheckpoint { hash: patch.hash(), patch: patch.clone() };
        self.write(&format!("checkpoint-{number:03}.json"), &checkpoint)
    }

    /// Returns the name of the newest checkpoint that is valid.
    pub fn newest_valid_checkpoint(&self) -> Option<String> {
        let mut names: Vec<String> = fs::read_dir(&self.folder)
            .ok()?
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.starts_with("checkpoint-"))
            .collect();
        names.sort_unstable();
        names.into_iter().rev().find(|name| {
            let text = fs::read_to_string(self.folder.join(name)).unwrap_or_default();
            let read = serde_json::from_str::<HealCheckpoint>(&text);
            read.is_ok_and(|checkpoint| checkpoint.patch.hash() == checkpoint.hash)
        })
    }

    /// Keeps a state that is given up, for forensics.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn corrupted(&self, now: u64, state: &Value) -> io::Result<String> {
        let mut name = format!("corrupted-state-{now}.json");
        for again in 1..100 {
            if !self.folder.join(&name).exists() {
                break;
            }
            name = format!("corrupted-state-{now}-{again}.json");
        }
        self.write(&name, state)?;
        Ok(name)
    }

    /// Adds a line to the decisions.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn decision(&self, now: u64, words: &str) -> io::Result<()> {
        fs::create_dir_all(&self.state)?;
        let mut file =
            OpenOptions::new().create(true).append(true).open(self.state.join(DECISIONS))?;
        let line = words.replace(['\n', '\r'], " ");
        let moment = Timestamp(i64::try_from(now).unwrap_or(i64::MAX));
        file.write_all(format!("{moment} {line}\n").as_bytes())?;
        file.sync_data()
    }

    fn write(&self, name: &str, value: &impl Serialize) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = File::create(self.folder.join(name))?;
        file.write_all(&serde_json::to_vec_pretty(value).map_err(io::Error::other)?)?;
        file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn h34_a_damaged_checkpoint_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let files = HealFiles::new(folder.path(), "job-1");
        assert_eq!(files.newest_valid_checkpoint(), None);
        let patch = |text: &str| Patch { files: [("a".to_owned(), Some(text.to_owned()))].into() };
        files.checkpoint(0, &Patch::default()).unwrap();
        files.checkpoint(1, &patch("one")).unwrap();
        files.checkpoint(2, &patch("two")).unwrap();
        assert_eq!(files.newest_valid_checkpoint().as_deref(), Some("checkpoint-002.json"));
        let newest = files.folder.join("checkpoint-002.json");
        let text = fs::read_to_string(&newest).unwrap().replace("two", "zwei");
        File::create(&newest).unwrap().write_all(text.as_bytes()).unwrap();
        assert_eq!(files.newest_valid_checkpoint().as_deref(), Some("checkpoint-001.json"));
    }

    #[test]
    fn h33_two_forensic_files_of_one_moment_are_two_files() {
        let folder = tempfile::tempdir().unwrap();
        let files = HealFiles::new(folder.path(), "job/ask-1");
        let names = [1, 2].map(|n| files.corrupted(7, &json!({ "n": n })).unwrap());
        assert_ne!(names[0], names[1]);
        for (name, n) in names.iter().zip([1, 2]) {
            let text = fs::read_to_string(files.folder.join(name)).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["n"], n);
        }
    }

    #[test]
    fn h53_decisions_only_grow_a_line_each() {
        let folder = tempfile::tempdir().unwrap();
        let files = HealFiles::new(folder.path(), "j");
        files.decision(1, "CATASTROPHIC ROLLBACK: three\nfailures").unwrap();
        files.decision(2, "Repaired").unwrap();
        let text = fs::read_to_string(folder.path().join(".salve/decisions.log")).unwrap();
        let first = "1970-01-01T00:00:00.001Z CATASTROPHIC ROLLBACK: three failures\n";
        assert_eq!(text, format!("{first}1970-01-01T00:00:00.002Z Repaired\n"));
        // Another process that opens it adds to it.
        HealFiles::new(folder.path(), "k").decision(3, "Repaired").unwrap();
        let longer = fs::read_to_string(folder.path().join(".salve/decisions.log")).unwrap();
        assert!(longer.starts_with(&text) && longer.len() > text.len(), "{longer}");
    }
}
