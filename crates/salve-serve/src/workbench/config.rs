//! What a workbench is started with.
//!
//! In: values and a host that the command line makes. Out: the same. Never reads a file or the environment itself:
//! the host does, each time it is asked, so that a changed setting counts at once.

use crate::http::ServerConfig;
use salve_engine::host::Place;
use salve_engine::session::{Conversation, TurnInput};
use salve_types::Timestamp;
use serde::Serialize;
use std::sync::Arc;

/// What a workbench is started with.
pub struct WorkbenchConfig {
    /// Where it listens.
    pub server: ServerConfig,
    /// The conversations.
    pub conversation: Conversation,
    /// The workspace.
    pub place: Place,
    /// What only the command line knows.
    pub host: Arc<dyn WorkbenchHost>,
    /// What the person has to know about where they are.
    pub label: WorkbenchLabel,
}

/// What the person has to know about where they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct WorkbenchLabel {
    /// Whether answers are those of the practice model, in the sample project.
    pub practice: bool,
    /// Where the gateway listens, if it runs.
    pub gateway: Option<String>,
    /// The version of the program.
    pub version: String,
}

/// Why the host could not do something, in words that say what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostFault(pub String);

/// What only the command line knows or may do.
pub trait WorkbenchHost: Send + Sync {
    /// Returns this moment.
    fn now(&self) -> Timestamp;

    /// Returns what a turn may do, by the settings as they are now. The session, the turn and the attempt in it are
    /// the caller's to fill.
    ///
    /// # Errors
    /// When the settings cannot be read.
    fn turn(&self) -> Result<TurnInput, HostFault>;

    /// Returns every setting with its value and where that is from.
    ///
    /// # Errors
    /// When the settings cannot be read.
    fn settings(&self) -> Result<Vec<SettingRow>, HostFault>;

    /// Changes one setting in the user's own file; nothing else of the file changes.
    ///
    /// # Errors
    /// When it cannot be changed here, or the file cannot be written.
    fn change_setting(&self, name: &str, value: &str) -> Result<(), HostFault>;

    /// Returns the last change of a setting that was made here and can be taken back.
    fn changed_setting(&self) -> Option<SettingChanged>;

    /// Takes the last change of a setting back; says whether there was one.
    ///
    /// # Errors
    /// When the file was changed since, or cannot be written.
    fn undo_setting(&self) -> Result<bool, HostFault>;

    /// Looks at the machine as `salve doctor` does.
    fn doctor(&self) -> Vec<DoctorRow>;

    /// Returns what a person may say about a command that waits.
    ///
    /// # Errors
    /// When the policy of the workspace cannot be read.
    fn choices(&self, line: &str) -> Result<CommandChoice, HostFault>;

    /// Puts a command on the user's own list for this workspace.
    ///
    /// # Errors
    /// When no entry would allow it, or the list cannot be written.
    fn allow(&self, line: &str) -> Result<(), HostFault>;

    /// Keeps a report of an agent, and starts a heal where it asks for one, as `salve report` does. This takes as long
    /// as the heal.
    ///
    /// # Errors
    /// When the report cannot be read or kept.
    fn report(&self, report: &str) -> Result<serde_json::Value, HostFault>;
}

/// A setting, and where its value is from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingRow {
    /// Its name.
    pub name: String,
    /// Its value, without secrets.
    pub value: String,
    /// Where that is from.
    pub origin: String,
    /// The values that can be chosen for it; none where it is changed in the file alone.
    pub choices: Vec<String>,
}

/// A change of a setting in the user's own file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingChanged {
    /// The setting.
    pub name: String,
    /// What the file said before; nothing where it said nothing.
    pub before: Option<String>,
    /// What it says now.
    pub after: String,
    /// The file.
    pub file: String,
}

/// One thing that the doctor looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorRow {
    /// What was looked at.
    pub name: String,
    /// `ok`, `missing` or `fail`.
    pub state: String,
    /// What was found.
    pub detail: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// What a person may say about a command that waits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CommandChoice {
    /// Whether it is on a list: then a press of Run is enough, else it is asked about.
    pub allowed: bool,
    /// The entries that "Add & Run" would put on the list; nothing where it is not offered.
    pub entries: Option<String>,
}
