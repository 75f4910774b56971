//! What the policy asks about the disk and the repository, as traits.
//!
//! In: paths and a repository, as a command names them. Out: the answers of the adapter. Never
//! looks at a file itself: the adapters are where the crates meet, and tests give tables.

use crate::ListingBudget;

/// Judges paths of the workspace.
pub trait PathFacts {
    /// Judges a path as a command writes it, relative to the workspace.
    fn judge(&self, path: &str, usage: PathUse) -> PathJudgement;

    /// Expands an unquoted pattern in the workspace: what matches, sorted by bytes, as `bash` in
    /// the C locale would with its default options. What is looked at is taken from the budget.
    fn expand(&self, pattern: &str, budget: &mut ListingBudget) -> GlobMatches;

    /// Tells whether a folder of the workspace is at a path, symlinks followed.
    fn is_folder(&self, path: &str) -> bool;

    /// Returns what is at a path itself, without following a link there.
    fn kind(&self, path: &str) -> PathKind;

    /// Returns the path from the root of the workspace with links followed, so that two spellings of
    /// one file are one; the path as written where it leads nowhere.
    fn real(&self, path: &str) -> String;

    /// Tells whether a pattern picks out files that hold secrets by their name.
    fn picks_secrets(&self, pattern: &str) -> bool;

    /// Tells whether a folder, or a folder below it, holds files that a command may not read without
    /// asking. What is not known counts as yes.
    fn holds_secrets(&self, _folder: &str) -> bool {
        true
    }

    /// Reads a small text file: nothing where there is none or it is not known, and the reason where it
    /// cannot be read as text.
    fn text(&self, _path: &str) -> Result<Option<String>, String> {
        Ok(None)
    }
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link, or what is neither file nor folder.
    Other,
    /// Nothing that can be seen.
    Missing,
}

/// What a command would do with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathUse {
    /// Read it.
    Read,
    /// Create, change or remove it.
    Write,
}

/// What is known about a path.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum PathJudgement {
    /// Inside the workspace, symlinks followed, and nothing special.
    Fine,
    /// Not for a command without asking: the rule and the reason.
    Ask {
        /// What it is about.
        concern: PathConcern,
        /// A short name of the rule, to be shown.
        rule: &'static str,
        /// Why, in one sentence.
        why: String,
    },
}

/// What speaks against a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathConcern {
    /// It leads to secrets, or to Salve's own state.
    Secret,
    /// It leads out of the workspace, into a repository, or to what is no file.
    Outside,
    /// Tools execute or obey it later.
    Protected,
    /// What is there depends on what the line did before.
    Unknown,
    /// Its spelling or its file; of no account for a word that may be no path at all.
    Form,
}

/// What a pattern stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum GlobMatches {
    /// These names, sorted; an empty list means that the pattern stays as it is.
    Names(Vec<String>),
    /// It cannot be told: too many, or the folder cannot be read.
    Unknown(String),
}

/// Knows what running git in this workspace would set off.
pub trait RepoFacts {
    /// Returns everything in git's effective configuration and attributes that runs a program.
    fn hazards(&self) -> Vec<RepoHazard>;
}

/// A setting of a repository that makes git start something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoHazard {
    /// The setting, such as `core.fsmonitor` or `diff.x.textconv`.
    pub setting: String,
    /// Where it is set, as git says it.
    pub origin: String,
}
