//! Fixes that people bring along, as examples.
//!
//! In: a text that a command refuses and one that it accepts. Out: an example to learn from, or why it is
//! none. The command is the user's own; it runs in a folder of its own, in the sandbox. Never an example
//! whose broken text passes, or whose fixed text does not.

use super::{FixExample, is_inside};
use salve_check::{CheckOptions, CheckRun, RunPrograms, StartedBy, ToolchainError, check_command};
use salve_types::{Diagnostic, Language, Severity};
use serde::Deserialize;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

/// A broken text and the fixed one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LearnPair {
    /// Its name, for the answer.
    pub id: String,
    /// Its language; told from the path when it is absent.
    #[serde(default)]
    pub language: Option<String>,
    /// The path of the file, relative to the folder that the command runs in.
    pub path: String,
    /// The text that the command refuses.
    pub before: String,
    /// The text that it accepts.
    pub after: String,
    /// The program and its arguments.
    pub command: Vec<String>,
}

/// Why nothing can be learned from a pair.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PairError {
    /// The path leads elsewhere.
    #[error(
        "`{0}` is not the path of a file in a folder of its own; write one such as `src/main.c`"
    )]
    Path(String),
    /// There is no command.
    #[error("`command` is empty; write a list such as [\"gcc\", \"-fsyntax-only\", \"main.c\"]")]
    NoCommand,
    /// The command accepts the text that is broken.
    #[error("the command passes on `before`; there is nothing that was fixed")]
    Passes,
    /// The command refuses the text that is fixed.
    #[error("the command fails on `after`: {0}")]
    Fails(String),
    /// The command fails, and says nothing that could be read.
    #[error("the command fails on `before` without an error that can be read")]
    Unread,
    /// The command cannot be run.
    #[error(transparent)]
    Tool(#[from] ToolchainError),
    /// The folder cannot be written.
    #[error("the file cannot be written")]
    Io(#[from] io::Error),
}

/// Makes an example of a pair. `folder` is empty, and this pair's own.
///
/// # Errors
/// When it is none.
pub fn example_of(
    pair: &LearnPair,
    folder: &Path,
    environment: &[(String, String)],
    runner: &dyn RunPrograms,
) -> Result<FixExample, PairError> {
    if !is_inside(&pair.path) {
        return Err(PairError::Path(pair.path.clone()));
    }
    if pair.command.is_empty() {
        return Err(PairError::NoCommand);
    }
    let options = CheckOptions {
        by: StartedBy::User,
        environment: environment.to_vec(),
        ..CheckOptions::default()
    };
    let file = folder.join(&pair.path);
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let check = |text: &str| -> Result<CheckRun, PairError> {
        write(&file, text)?;
        Ok(check_command(&pair.command, folder, "", &options, runner)?)
    };
    let broken = check(&pair.before)?;
    if !broken.is_red() {
        return Err(PairError::Passes);
    }
    let fixed = check(&pair.after)?;
    if fixed.is_red() {
        let first = fixed.diagnostics().first().map(|one| one.message.clone());
        return Err(PairError::Fails(first.unwrap_or_else(|| "it says nothing".to_owned())));
    }
    let is_error = |one: &&Diagnostic| one.severity == Severity::Error;
    let diagnostics: Vec<Diagnostic> =
        broken.diagnostics().iter().filter(is_error).cloned().collect();
    if diagnostics.is_empty() {
        return Err(PairError::Unread);
    }
    Ok(FixExample {
        language: pair.language.as_deref().and_then(Language::from_name),
        path: pair.path.clone(),
        before: pair.before.clone(),
        after: pair.after.clone(),
        diagnostics,
    })
}

// In a folder of our own.
fn write(file: &Path, text: &str) -> io::Result<()> {
    let mut open = OpenOptions::new();
    open.write(true).create(true).truncate(true).open(file)?.write_all(text.as_bytes())
}
