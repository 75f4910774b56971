//! A heal between two steps, on this disk; and the folder in which a flow keeps such states.
//!
//! In: the loop, and what its driver knows beside it. Out: one file for each step, named by its number,
//! and the hash that a history holds of it, so that a file which was torn or lost is noticed and never
//! believed. It holds code of the user, so it is never in the store, whose texts are redacted.

use super::machine::Loop;
use super::work::ToolsUsed;
use super::{AgentTurn, FixCommand};
use crate::knowledge::Lesson;
use salve_types::Diagnostic;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A heal between two steps: the loop, and what its driver knows beside it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedHeal {
    /// The loop.
    pub machine: Loop,
    /// What is wrong in the best state so far, in full.
    pub diagnostics: Vec<Diagnostic>,
    /// What is wrong in the tree as it is, in full.
    pub baseline: Vec<Diagnostic>,
    /// What agents said about the error.
    pub advice: Vec<String>,
    /// What the check consists of, and what it lacks.
    #[serde(default)]
    pub tools: ToolsUsed,
    /// What the agents did that were asked.
    #[serde(default)]
    pub agents: Vec<AgentTurn>,
    /// Commands of fixes that installed what is no part of a change.
    #[serde(default)]
    pub installs: Vec<FixCommand>,
    /// What a person should know beside the outcome.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Tests that fail and pass on one tree.
    pub flaky: BTreeSet<String>,
    /// The price of all calls, in millionths of a dollar.
    pub micro_dollars: u64,
    /// When it began, in milliseconds since 1970. Time in which it was interrupted does not count.
    pub began: u64,
    /// When a model was asked, in milliseconds since 1970.
    #[serde(default)]
    pub asked: Option<u64>,
    /// How long the answer took that is tried next.
    #[serde(default)]
    pub waited: u64,
    /// When it was interrupted.
    #[serde(default)]
    pub paused: Option<u64>,
    /// The tree that all of this is about, by its name.
    #[serde(default)]
    pub tree: Option<String>,
    /// Whether the loop was told what failed in earlier heals.
    #[serde(default)]
    pub knows_failures: bool,
    /// The steps so far that helped.
    #[serde(default)]
    pub lessons: Vec<Lesson>,
}

impl SavedHeal {
    /// Begins a heal.
    pub fn new(machine: Loop, now: u64) -> Self {
        Self {
            machine,
            diagnostics: Vec::new(),
            baseline: Vec::new(),
            advice: Vec::new(),
            tools: ToolsUsed::default(),
            agents: Vec::new(),
            installs: Vec::new(),
            warnings: Vec::new(),
            flaky: BTreeSet::new(),
            micro_dollars: 0,
            began: now,
            asked: None,
            waited: 0,
            paused: None,
            tree: None,
            knows_failures: false,
            lessons: Vec::new(),
        }
    }
}

/// Names a state that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateId {
    /// Which step it is after.
    pub step: u32,
    /// The hash of its bytes.
    pub hash: String,
}

/// The folder of one heal, or of another flow that keeps its state on this disk.
#[derive(Debug, Clone)]
pub struct StateFolder {
    folder: PathBuf,
}

impl StateFolder {
    /// Names the folder of a heal below the folder of all; makes it if it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(all: &Path, job: &str) -> io::Result<Self> {
        let folder = all.join(job);
        fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// Returns where the layers of the shadow are kept.
    pub fn shadow(&self) -> PathBuf {
        self.folder.join("shadow")
    }

    /// Writes a state, and forgets the one before the last.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, step: u32, state: &impl Serialize) -> io::Result<StateId> {
        let bytes = serde_json::to_vec(state).map_err(io::Error::other)?;
        let mut file = File::create(self.file(step))?;
        file.write_all(&bytes)?;
        file.sync_data()?;
        if let Some(old) = step.checked_sub(2) {
            self.forget(old);
        }
        Ok(StateId { step, hash: blake3::hash(&bytes).to_hex().to_string() })
    }

    /// Reads a state; nothing when it is lost or torn.
    ///
    /// # Errors
    /// When it is what was written, and cannot be understood.
    pub fn read<T: DeserializeOwned>(&self, id: &StateId) -> io::Result<Option<T>> {
        let Ok(bytes) = fs::read(self.file(id.step)) else { return Ok(None) };
        if blake3::hash(&bytes).to_hex().as_str() != id.hash {
            return Ok(None);
        }
        serde_json::from_slice(&bytes).map(Some).map_err(io::Error::other)
    }

    /// Finds the state after a step of which no history knows, because the process that wrote it died
    /// before it could say so.
    ///
    /// # Errors
    /// Never: what cannot be read is not there.
    pub fn found<T: DeserializeOwned>(&self, step: u32) -> io::Result<Option<(StateId, T)>> {
        let Ok(bytes) = fs::read(self.file(step)) else { return Ok(None) };
        let id = StateId { step, hash: blake3::hash(&bytes).to_hex().to_string() };
        // One that is torn is no whole document, and was never decided.
        Ok(serde_json::from_slice(&bytes).ok().map(|state| (id, state)))
    }

    /// Notes that something is about to be done that must not be done twice. Returns whether it was noted
    /// before: then it was begun, and may have been done.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn was_begun(&self, step: u32) -> io::Result<bool> {
        let mut options = fs::OpenOptions::new();
        match options.write(true).create_new(true).open(self.folder.join(format!("begun-{step}"))) {
            Ok(file) => file.sync_all().map(|()| false),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Removes everything of this heal. What cannot be removed is left; it is of no use to anyone.
    pub fn remove(&self) {
        let _ = fs::remove_dir_all(&self.folder);
    }

    fn file(&self, step: u32) -> PathBuf {
        self.folder.join(format!("state-{step}.json"))
    }

    #[expect(clippy::disallowed_methods, reason = "a state of our own, in our own folder")]
    fn forget(&self, step: u32) {
        // It is not read again; the folder goes away as a whole at the end.
        let _ = fs::remove_file(self.file(step));
    }
}
