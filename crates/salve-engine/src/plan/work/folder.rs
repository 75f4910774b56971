//! The results of a plan's tasks, on this disk.
//!
//! In: results. Out: one file for each task, written whole or not at all. They hold code of the user, so they are never
//! in the store, whose texts are redacted; they are kept after the plan has ended, so that a part can be taken back.
//! Never reads a file that is torn.

use crate::plan::{StepOutput, TaskResult};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The folder of one plan.
#[derive(Debug, Clone)]
pub struct ResultFolder {
    folder: PathBuf,
}

/// A result and what it says to others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedResult {
    /// The files.
    pub result: TaskResult,
    /// The words.
    pub output: StepOutput,
}

/// Which results were merged, and into which change set.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MergedPlan {
    /// The tasks, in the order in which they were merged.
    pub order: Vec<String>,
    /// The change set.
    pub change: Option<String>,
}

impl ResultFolder {
    /// Names the folder of a plan below the folder of all; makes it if it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(all: &Path, plan: &str) -> io::Result<Self> {
        let folder = all.join(format!("plan-{}", plan.replace('/', "-")));
        fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// Returns where the layers of the shadow are kept.
    pub fn shadow(&self) -> PathBuf {
        self.folder.join("shadow")
    }

    /// Keeps a result, and forgets why an attempt before had none.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, saved: &SavedResult) -> io::Result<()> {
        self.write(&format!("task-{}.json", saved.result.task), saved)?;
        self.write(&format!("why-{}.json", saved.result.task), &None::<String>)
    }

    /// Reads a result.
    ///
    /// # Errors
    /// When it is there and cannot be understood.
    pub fn result(&self, task: &str) -> io::Result<Option<SavedResult>> {
        self.read(&format!("task-{task}.json"))
    }

    /// Notes why an attempt had no result, for the next one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note_failure(&self, task: &str, why: &str) -> io::Result<()> {
        self.write(&format!("why-{task}.json"), &Some(why))
    }

    /// Reads why the attempt before had no result.
    ///
    /// # Errors
    /// When it is there and cannot be understood.
    pub fn failure(&self, task: &str) -> io::Result<Option<String>> {
        Ok(self.read::<Option<String>>(&format!("why-{task}.json"))?.flatten())
    }

    /// Keeps which results were merged.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_merged(&self, merged: &MergedPlan) -> io::Result<()> {
        self.write("merged.json", merged)
    }

    /// Reads which results were merged.
    ///
    /// # Errors
    /// When it is there and cannot be understood.
    pub fn merged(&self) -> io::Result<Option<MergedPlan>> {
        self.read("merged.json")
    }

    fn write(&self, name: &str, value: &impl Serialize) -> io::Result<()> {
        let bytes = serde_json::to_vec(value).map_err(io::Error::other)?;
        let (path, new) = (self.folder.join(name), self.folder.join(format!("{name}.new")));
        let mut file = File::create(&new)?;
        file.write_all(&bytes)?;
        file.sync_data()?;
        rename(&new, &path)
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> io::Result<Option<T>> {
        match fs::read(self.folder.join(name)) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(io::Error::other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a file of our own, in our own folder")]
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}
