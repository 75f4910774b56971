//! Paths: which name a reply may use for a file, and which file that name really is.
//!
//! In: a path as written and a workspace. Out: a [`TreePath`] with every symlink resolved, or the
//! rule that refuses it and why. Never: a decision by text alone about what exists: what exists is
//! walked through open directories that a swapped symlink cannot lead out of.

mod memory;
mod names;
mod protected;
mod resolve;
mod root;
mod rule;
mod set;
mod similar;

pub use root::Root;
pub use rule::PathRule;
pub(crate) use set::check_set;

use crate::{FileState, TreePath, ViewError};
use memory::MemoryWalk;
use names::Component;
use resolve::{Entry, Kind, Resolved, Walk};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The size above which a file is not edited.
pub const MAX_FILE_BYTES: u64 = 64 << 20;
/// The longest path the system takes.
const MAX_PATH_BYTES: usize = 4095;

/// What the user allows beyond the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AdmitOptions {
    /// Admits files that are executed or obeyed later: hooks, settings of tools, instructions for
    /// agents, keys. Never admits a path outside the workspace, a repository or Salve's own state.
    pub allow_protected: bool,
    /// Admits control characters in names. Meant for files that are only in memory: there is no
    /// terminal and no log that such a name could deceive, and JSON escapes it.
    pub any_characters: bool,
}

/// What a path is admitted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To replace the file.
    Write,
    /// To look at it: that it is read-only or has another name does not matter.
    Read,
}

/// The answer about one path, in the form of `salve policy path`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[must_use]
pub struct PathVerdict {
    /// Whether a reply may change the file.
    pub allow: bool,
    /// The rule that decided.
    pub rule: PathRule,
    /// The reason in one sentence.
    pub why: String,
}

/// The rule that refuses a path, and its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Objection {
    pub(crate) rule: PathRule,
    pub(crate) why: String,
}

impl Objection {
    pub(crate) fn new(rule: PathRule, why: impl Into<String>) -> Self {
        Self { rule, why: why.into() }
    }

    pub(crate) fn about(self, path: &str) -> ViewError {
        ViewError::Refused { path: path.to_owned(), rule: self.rule, why: self.why }
    }
}

impl PathVerdict {
    /// Puts an admission into words.
    pub fn of(admission: &Result<TreePath, ViewError>) -> Self {
        match admission {
            Ok(path) => Self {
                allow: true,
                rule: PathRule::InsideWorkspace,
                why: format!("{:?} is a file of the workspace", path.as_str()),
            },
            Err(ViewError::Refused { rule, why, .. }) => {
                Self { allow: false, rule: *rule, why: why.clone() }
            }
            Err(error @ ViewError::Unreadable { .. }) => {
                Self { allow: false, rule: PathRule::Unreadable, why: error.to_string() }
            }
        }
    }
}

/// Admits a path among files in memory.
pub(crate) fn admit_in_memory(
    written: &str,
    files: &BTreeMap<String, FileState>,
    options: &AdmitOptions,
) -> Result<TreePath, ViewError> {
    admit(written, &[], &mut MemoryWalk::new(files), options, Purpose::Write)
        .map_err(|objection| objection.about(written))
}

/// Admits a path against any tree that can be walked. `root_names` are the absolute names of the
/// root, under which an absolute path is accepted and made relative.
fn admit(
    written: &str,
    root_names: &[&Path],
    walk: &mut dyn Walk,
    options: &AdmitOptions,
    purpose: Purpose,
) -> Result<TreePath, Objection> {
    names::check_text(written, options)?;
    let relative = relativise(written, root_names)?;
    if relative.len() > MAX_PATH_BYTES {
        return Err(Objection::new(
            PathRule::PathTooLong,
            "the path is longer than the system takes",
        ));
    }
    let components = names::split(relative)?;
    for component in &components {
        if let Component::Name(name) = component {
            names::check_repository(name)?;
        }
    }
    let resolved = resolve::resolve(&components, walk)?;
    check_resolved(&resolved, options)?;
    match purpose {
        Purpose::Write => check_target(&resolved)?,
        Purpose::Read => check_kind(&resolved)?,
    }
    Ok(TreePath::admitted(resolved.names.join("/")))
}

/// Makes an absolute path below the root relative; refuses any other absolute path.
fn relativise<'a>(written: &'a str, root_names: &[&Path]) -> Result<&'a str, Objection> {
    if !written.starts_with('/') {
        return Ok(written);
    }
    for root in root_names {
        let inside = root.to_str().and_then(|root| written.strip_prefix(root));
        if let Some(rest) = inside.and_then(|rest| rest.strip_prefix('/')) {
            return Ok(rest.trim_start_matches('/'));
        }
    }
    Err(Objection::new(
        PathRule::AbsolutePath,
        "the path is absolute and not below the workspace; write it relative to the workspace",
    ))
}

/// Applies the rules on names to the path as it resolved, so that a symlink hides nothing.
fn check_resolved(resolved: &Resolved, options: &AdmitOptions) -> Result<(), Objection> {
    let Some(file_name) = resolved.names.last() else {
        return Err(Objection::new(
            PathRule::WorkspaceItself,
            "the path names the workspace, not a file",
        ));
    };
    for name in &resolved.names {
        names::check_repository(name)?;
    }
    for name in &resolved.names[resolved.existing..] {
        names::check_new_name(name)?;
        similar::check_scripts(name)?;
    }
    if resolved.target.is_none() {
        names::check_new_file_name(file_name)?;
        similar::check(&resolved.names[resolved.existing], &resolved.siblings)?;
    }
    if let Some(reason) = protected::reason(&resolved.names)
        && !options.allow_protected
    {
        let words = reason.words();
        let why = format!(
            "the file {words}; a person must allow it (`--allow protected`), or change the file"
        );
        return Err(Objection::new(protected::rule(reason), why));
    }
    Ok(())
}

/// Checks what is at the path, or the directory that would receive it.
fn check_target(resolved: &Resolved) -> Result<(), Objection> {
    if !resolved.parent_writable {
        return Err(Objection::new(
            PathRule::DirectoryNotWritable,
            "its directory cannot be written to",
        ));
    }
    check_kind(resolved)?;
    let Some(Entry { links, mode, bytes, immutable, .. }) = &resolved.target else {
        return Ok(());
    };
    if *links > 1 {
        return Err(Objection::new(
            PathRule::HardLink,
            "the file has another name, which may be outside of the workspace; copy it first",
        ));
    }
    if *immutable || mode & 0o222 == 0 {
        return Err(Objection::new(
            PathRule::ReadOnlyFile,
            "the file is read-only; that is respected",
        ));
    }
    if *bytes > MAX_FILE_BYTES {
        return Err(Objection::new(PathRule::FileTooLarge, "the file is larger than 64 MiB"));
    }
    Ok(())
}

/// Checks that what is at the path is a file.
fn check_kind(resolved: &Resolved) -> Result<(), Objection> {
    match resolved.target.as_ref().map(|entry| entry.kind) {
        None | Some(Kind::File) => Ok(()),
        Some(Kind::Directory) => {
            Err(Objection::new(PathRule::Directory, "the path names a directory, not a file"))
        }
        Some(Kind::Symlink | Kind::Other) => Err(Objection::new(
            PathRule::NotARegularFile,
            "the path names a device, a pipe or a socket",
        )),
    }
}

#[cfg(test)]
mod tests;
