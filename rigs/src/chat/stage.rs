//! A project of a user who asks for a change, with a scripted model.
//!
//! In: the program under test, the model's script. Out: commands in the project, and what the store and the
//! tree hold afterwards. Never a setting of the machine.

use crate::gateway::servers::{self, Server};
use crate::heal::programs::{self, Ended, Running};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(120);

/// The files of the project, and what the answers of the models make of them.
pub(super) const REQUEST: &str = "raise the limit in limit.py to 7 and say so in notes.py";
pub(super) const BEFORE: [(&str, &str); 2] = [
    ("limit.py", "LIMIT = 5\n\n\ndef allowed(count):\n    return count <= LIMIT\n"),
    ("notes.py", "NOTE = 'five'\n"),
];
pub(super) const AFTER: [(&str, &str); 2] = [
    ("limit.py", "LIMIT = 7\n\n\ndef allowed(count):\n    return count <= LIMIT\n"),
    ("notes.py", "NOTE = 'seven'\n"),
];

/// One project with its data.
pub(super) struct Stage {
    folder: TempDir,
    salve: PathBuf,
    model: Server,
}

impl Stage {
    /// Makes the project, and starts the model.
    pub(super) fn new(salve: &Path, script: &str) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("salve-chat-").tempdir()?;
        let path = folder.path().join("script.jsonl");
        std::fs::write(&path, script)?;
        let model = servers::sim(salve, &path)?;
        let stage = Self { folder, salve: salve.to_owned(), model };
        stage.reset()?;
        Ok(stage)
    }

    /// Takes everything back to the beginning.
    pub(super) fn reset(&self) -> Result<()> {
        for name in ["project", "data", "home"] {
            let path = self.folder.path().join(name);
            if path.exists() {
                std::fs::remove_dir_all(&path)?;
            }
            std::fs::create_dir_all(&path)?;
        }
        for (name, text) in BEFORE {
            std::fs::write(self.project().join(name), text)?;
        }
        let settings = format!(
            "[[provider]]\nname = 'sim'\ndialect = 'chat'\nbase_url = 'http://{}/v1'\n\
             key = {{ environment = 'SIM_KEY' }}\n\n[roles]\nmodel = 'sim/scripted'\n",
            self.model.address
        );
        let config = self.folder.path().join("home/salve");
        std::fs::create_dir_all(&config)?;
        Ok(std::fs::write(config.join("config.toml"), settings)?)
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn command(&self, words: &[&str]) -> Command {
        let home = self.folder.path().join("home");
        let mut command = programs::command(&self.salve, &self.project(), &[]);
        command
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", &home)
            .env("SALVE_DATA", self.folder.path().join("data"))
            .env("SIM_KEY", "sk-not-a-key")
            .args(words);
        command
    }

    /// Starts a command.
    pub(super) fn start(&self, words: &[&str]) -> Result<Running> {
        programs::start(&mut self.command(words))
    }

    /// Runs a command to its end.
    pub(super) fn run(&self, words: &[&str]) -> Result<Ended> {
        self.start(words)?.wait(PATIENCE)
    }

    /// Runs a command that must succeed, and reads what it prints as JSON.
    pub(super) fn json(&self, words: &[&str]) -> Result<Value> {
        let ended = self.run(words)?;
        let said = format!("`salve {}`: {:?} {}", words.join(" "), ended.code, ended.told);
        ensure!(ended.code == Some(0), said);
        serde_json::from_str(&ended.printed).context(said)
    }

    /// Returns the files of the project.
    pub(super) fn files(&self) -> Result<BTreeMap<String, String>> {
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(self.project())? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                let name = entry.file_name().to_string_lossy().into_owned();
                files.insert(name, std::fs::read_to_string(entry.path())?);
            }
        }
        Ok(files)
    }
}

/// Reads lines of JSON; a last line that was cut by a kill is left out.
pub(super) fn lines(text: &str) -> Vec<Value> {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Returns files as they are compared.
pub(super) fn files_of(files: [(&str, &str); 2]) -> BTreeMap<String, String> {
    files.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
}
