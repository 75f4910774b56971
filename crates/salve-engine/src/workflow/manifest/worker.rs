//! The workers, by name, and what each may be told.
//!
//! In: a name such as `Worker:CodeGenerator`. Out: the worker, or the known names. Never does their work.

use salve_model::Role;
use serde::{Deserialize, Serialize};

/// Who does the work of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Worker {
    /// A model writes what the request wants.
    CodeGenerator,
    /// Writes the code of the newest output to the target file.
    FileSystemWriter,
    /// Writes the document of the newest output to the target file.
    DocumentationWriter,
    /// Judges the front matter of the target file.
    PreambleValidator,
    /// Runs the toolchains of the workspace.
    Check,
    /// Heals what is red.
    Heal,
    /// Runs one command, by the policy and in the sandbox.
    Command,
    /// Splits the request into sub-tasks, which are run, merged and written as one change.
    SubPlan,
    /// Ends the flow; only built-in blocks have it.
    Halt,
}

/// What a worker is told beside the payload.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkerOptions {
    /// What a generator is told beside the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Which model is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The command that is run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl Worker {
    /// The workers that a manifest may name.
    pub const ALL: [Self; 8] = [
        Self::CodeGenerator,
        Self::FileSystemWriter,
        Self::DocumentationWriter,
        Self::PreambleValidator,
        Self::Check,
        Self::Heal,
        Self::Command,
        Self::SubPlan,
    ];

    /// Returns its name, with what kind of worker it is.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CodeGenerator => "Worker:CodeGenerator",
            Self::FileSystemWriter => "Internal:FileSystemWriter",
            Self::DocumentationWriter => "Internal:DocumentationWriter",
            Self::PreambleValidator => "Internal:PreambleValidator",
            Self::Check => "Internal:Check",
            Self::Heal => "Worker:Heal",
            Self::Command => "Internal:Command",
            Self::SubPlan => "Worker:SubPlan",
            Self::Halt => "Internal:Halt",
        }
    }

    /// Returns the worker of a name, which begins with `Worker:` or `Internal:`.
    pub fn from_name(name: &str) -> Option<Self> {
        let bare = |name: &str| {
            let bare = name.strip_prefix("Worker:").or_else(|| name.strip_prefix("Internal:"));
            bare.map(str::to_owned)
        };
        let wanted = bare(name)?;
        Self::ALL.into_iter().find(|worker| bare(worker.name()).as_ref() == Some(&wanted))
    }

    /// Returns whether a model may be asked.
    pub const fn asks_model(self) -> bool {
        matches!(self, Self::CodeGenerator | Self::Heal | Self::SubPlan)
    }

    /// Returns whether it makes an output that a schema can be about.
    pub const fn makes_output(self) -> bool {
        matches!(self, Self::CodeGenerator | Self::PreambleValidator)
    }

    /// Returns the options it knows.
    pub const fn options(self) -> &'static [&'static str] {
        match self {
            Self::CodeGenerator => &["instructions", "role"],
            Self::SubPlan => &["role"],
            Self::Command => &["command"],
            _ => &[],
        }
    }
}
