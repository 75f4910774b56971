//! A project, the user's folders and a scripted model, for plans and workflows.
//!
//! In: the program under test, rules of a model. Out: commands in the project, and what the tree and the model hold
//! afterwards. Never a setting of the machine.

use crate::heal::programs::{self, Ended, Running};
use anyhow::{Context, Result, ensure};
use salve_model::sim::{Script, SimHandle, SimServer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// A model that plays a script, in this process.
pub(super) struct Model {
    runtime: Runtime,
    handle: Option<SimHandle>,
}

impl Model {
    /// Starts it.
    pub(super) fn new(rules: &[Value]) -> Result<Self> {
        let runtime = Runtime::new()?;
        let script: Vec<String> = rules.iter().map(Value::to_string).collect();
        let script = Script::parse(&script.join("\n"))?;
        let server = SimServer::start(script, ([127, 0, 0, 1], 0).into());
        let handle = runtime.block_on(server)?;
        Ok(Self { runtime, handle: Some(handle) })
    }

    /// Returns its port.
    pub(super) fn port(&self) -> u16 {
        self.handle.as_ref().map_or(0, |handle| handle.addr().port())
    }

    /// Returns the requests it got so far, each by the name of the part it is about, in order.
    pub(super) fn asked(&self) -> Vec<String> {
        let requests = self.handle.as_ref().map(SimHandle::requests).unwrap_or_default();
        requests.iter().filter_map(|request| part_of(&request.body)).collect()
    }

    /// Returns how many answers it was asked for.
    pub(super) fn calls(&self) -> u64 {
        self.handle.as_ref().map_or(0, |handle| handle.calls().calls)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            self.runtime.block_on(handle.stop());
        }
    }
}

// A request to go on with an answer names its part in an earlier turn, so the first name counts.
fn part_of(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let rest = &text[text.find("Your part (")? + "Your part (".len()..];
    Some(rest[..rest.find(')')?].to_owned())
}

/// One project with its data. What is not in a folder of its own is in `variables`.
pub(super) struct Stage {
    folder: TempDir,
    salve: PathBuf,
    port: u16,
    variables: Vec<(String, String)>,
}

impl Stage {
    /// Makes the project in a folder below `above`.
    pub(super) fn new(
        salve: &Path,
        port: u16,
        above: &Path,
        variables: &[(String, String)],
    ) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("salve-plan-").tempdir_in(above)?;
        let (salve, variables) = (salve.to_owned(), variables.to_vec());
        let stage = Self { folder, salve, port, variables };
        stage.reset(&BTreeMap::new())?;
        Ok(stage)
    }

    /// Takes everything back to the beginning, with these files.
    pub(super) fn reset(&self, files: &BTreeMap<String, String>) -> Result<()> {
        for name in ["project", "data", "home"] {
            let path = self.folder.path().join(name);
            if path.exists() {
                std::fs::remove_dir_all(&path)?;
            }
            std::fs::create_dir_all(&path)?;
        }
        for (name, text) in files {
            std::fs::write(self.folder.path().join("project").join(name), text)?;
        }
        let settings = format!(
            "[[provider]]\nname = 'sim'\ndialect = 'chat'\nbase_url = 'http://127.0.0.1:{}/v1'\n\n\
             [roles]\nmodel = 'sim/scripted'\n",
            self.port
        );
        let config = self.folder.path().join("home/salve");
        std::fs::create_dir_all(&config)?;
        Ok(std::fs::write(config.join("config.toml"), settings)?)
    }

    /// Writes a file beside the project, and returns its path.
    pub(super) fn beside(&self, name: &str, text: &str) -> Result<String> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text)?;
        Ok(path.display().to_string())
    }

    fn command(&self, words: &[&str]) -> Command {
        let (home, project) = (self.folder.path().join("home"), self.folder.path().join("project"));
        let mut command = programs::command(&self.salve, &project, &[]);
        command
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", &home)
            .env("SALVE_DATA", self.folder.path().join("data"))
            .envs(self.variables.iter().cloned())
            .args(words);
        command
    }

    /// Starts a command.
    pub(super) fn start(&self, words: &[&str]) -> Result<Running> {
        programs::start(&mut self.command(words))
    }

    /// Runs a command to its end.
    pub(super) fn run(&self, words: &[&str]) -> Result<Ended> {
        let ended = self.start(words)?.wait(PATIENCE)?;
        ensure!(!ended.hung, "`salve {}` does not end: {}", words.join(" "), ended.told);
        Ok(ended)
    }

    /// Runs a command that writes JSON, and returns its exit code with what it wrote.
    pub(super) fn json(&self, words: &[&str]) -> Result<(Option<i32>, Value)> {
        let ended = self.run(&[&["--format", "json"], words].concat())?;
        let said = || format!("`salve {}`: {:?} {}", words.join(" "), ended.code, ended.told);
        Ok((ended.code, serde_json::from_str(&ended.printed).with_context(said)?))
    }

    /// Returns the files of the project.
    pub(super) fn files(&self) -> Result<BTreeMap<String, String>> {
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(self.folder.path().join("project"))? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                let name = entry.file_name().to_string_lossy().into_owned();
                files.insert(name, std::fs::read_to_string(entry.path())?);
            }
        }
        Ok(files)
    }

    /// Returns how many changes are in the history.
    pub(super) fn changes(&self) -> Result<usize> {
        let (code, history) = self.json(&["history"])?;
        ensure!(code == Some(0), "history: {code:?} {history}");
        let changes = history["changeHistory"]["history"].as_array().map(Vec::len);
        changes.with_context(|| format!("no history: {history}"))
    }
}

/// An edit of one line of a file, as a model writes it.
pub(super) fn block(path: &str, old: &str, new: &str) -> String {
    format!("{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n\n")
}
