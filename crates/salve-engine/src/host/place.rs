//! Where a command works: the workspace around a folder, found as git finds its repository.
//!
//! In: the folder a command was started in, the user's home and ids, as values. Out: the workspace's
//! root, the folder in it, and why it is that one. Never takes a home, the root of the machine, a
//! folder that every user may write to or one of another owner, unless it is named.
//!
//! The nearest repository counts, so that a nested repository, a worktree and a submodule are
//! workspaces of their own, as they are to git. Without a repository it is the outermost workspace of
//! Cargo, npm, pnpm, uv or Go, then the nearest `.salve`, then the nearest package, then the folder.

mod leftover;
mod manifest;

pub use leftover::leftover_states;

use manifest::Manifest;
use std::fmt;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The folder that Salve keeps its state of a workspace in.
const STATE: &str = ".salve";

/// What is known before the search.
#[derive(Debug, Clone, Default)]
pub struct PlaceSearch {
    /// The folder the command was started in, or told to work in.
    pub start: PathBuf,
    /// The workspace, where the user named it.
    pub named: Option<PathBuf>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The ids under which the user owns files.
    pub owners: Vec<u32>,
}

/// A workspace, and the folder in it that a command was started in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The root of the workspace, symbolic links resolved.
    pub root: PathBuf,
    /// The folder in it, relative to the root, with `/`; empty at the root.
    pub here: String,
    /// Why this folder is the root.
    pub why: RootReason,
    /// Folders that would have been the root and may not, nearest first.
    pub passed_over: Vec<(PathBuf, Unfit)>,
}

/// Why a folder is the root of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootReason {
    /// The user named it.
    Named,
    /// It is the root of a repository, a worktree or a submodule.
    Repository,
    /// It is the outermost workspace of packages; its manifest.
    Packages(&'static str),
    /// It has a folder of Salve's own.
    State,
    /// It is the nearest package; its manifest.
    Package(&'static str),
    /// Nothing around says more: it is where the command was started.
    Alone,
}

/// Why a folder is not taken for a workspace unless it is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// It is the root of the machine.
    Machine,
    /// It is the user's home.
    Home,
    /// The user's home is in it.
    AroundHome,
    /// Every user may write to it.
    WorldWritable,
    /// It belongs to another user.
    OtherOwner {
        /// The id of that user.
        owner: u32,
    },
}

/// Why there is no workspace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// The folder cannot be looked at.
    #[error("cannot open `{}`", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The folder may not be a workspace, and nothing around it is one.
    #[error("`{}` is not taken for a workspace: {why}", folder.display())]
    Unfit {
        /// The folder.
        folder: PathBuf,
        /// Why not.
        why: Unfit,
    },
    /// The folder's name cannot be written.
    #[error("the name of the folder is not valid UTF-8: `{}`", folder.display())]
    NotText {
        /// The folder.
        folder: PathBuf,
    },
}

impl fmt::Display for RootReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named => out.write_str("named by `--root`"),
            Self::Repository => out.write_str("the nearest repository"),
            Self::Packages(file) => write!(out, "the outermost workspace, by its {file}"),
            Self::State => out.write_str("the nearest folder with a .salve"),
            Self::Package(file) => write!(out, "the nearest package, by its {file}"),
            Self::Alone => out.write_str("the current folder; nothing around it says more"),
        }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Machine => out.write_str("it is the root of the machine"),
            Self::Home => out.write_str("it is your home folder"),
            Self::AroundHome => out.write_str("your home folder is in it"),
            Self::WorldWritable => out.write_str("every user may write to it"),
            Self::OtherOwner { owner } => write!(out, "it belongs to another user (uid {owner})"),
        }
    }
}

impl Place {
    /// Finds the workspace around a folder.
    ///
    /// # Errors
    /// When a folder cannot be looked at, or none may be the workspace.
    pub fn find(search: &PlaceSearch) -> Result<Self, PlaceError> {
        let start = resolved(&search.start)?;
        if let Some(named) = &search.named {
            let root = resolved(named)?;
            let here = if start.starts_with(&root) { start } else { root.clone() };
            return Self::at(root, &here, RootReason::Named, Vec::new());
        }
        let mut judge = Judge::new(search);
        let found = judge
            .nearest(&start, is_repository)
            .map(|root| (root, RootReason::Repository))
            .or_else(|| judge.outermost_workspace(&start))
            .or_else(|| {
                let root = judge.nearest(&start, |folder| folder.join(STATE).is_dir())?;
                Some((root, RootReason::State))
            })
            .or_else(|| judge.nearest_package(&start));
        match found {
            Some((root, why)) => Self::at(root.to_owned(), &start, why, judge.passed_over),
            None => match judge.unfit(&start) {
                Some(why) => Err(PlaceError::Unfit { folder: start, why }),
                None => Self::at(start.clone(), &start, RootReason::Alone, judge.passed_over),
            },
        }
    }

    /// Returns the folder that the command was started in.
    pub fn folder(&self) -> PathBuf {
        if self.here.is_empty() { self.root.clone() } else { self.root.join(&self.here) }
    }

    fn at(
        root: PathBuf,
        start: &Path,
        why: RootReason,
        passed_over: Vec<(PathBuf, Unfit)>,
    ) -> Result<Self, PlaceError> {
        let inside = start.strip_prefix(&root).unwrap_or(Path::new(""));
        let here = inside
            .to_str()
            .ok_or_else(|| PlaceError::NotText { folder: start.to_owned() })?
            .to_owned();
        Ok(Self { root, here, why, passed_over })
    }
}

fn resolved(folder: &Path) -> Result<PathBuf, PlaceError> {
    let unusable = |source| PlaceError::Folder { folder: folder.to_owned(), source };
    let real = folder.canonicalize().map_err(unusable)?;
    if real.is_dir() { Ok(real) } else { Err(unusable(io::ErrorKind::NotADirectory.into())) }
}

// As git sees it: a file ends the search whatever it holds, a folder only when it has a HEAD.
fn is_repository(folder: &Path) -> bool {
    let inside = folder.join(".git");
    match inside.symlink_metadata() {
        Ok(found) if found.is_file() => true,
        Ok(_) => inside.join("HEAD").symlink_metadata().is_ok(),
        Err(_) => false,
    }
}

// Looks at candidates, and remembers those that may not be the root.
struct Judge<'a> {
    home: Option<PathBuf>,
    owners: &'a [u32],
    passed_over: Vec<(PathBuf, Unfit)>,
}

impl<'a> Judge<'a> {
    fn new(search: &'a PlaceSearch) -> Self {
        let home = search.home.as_ref().and_then(|home| home.canonicalize().ok());
        Self { home, owners: &search.owners, passed_over: Vec::new() }
    }

    fn unfit(&self, folder: &Path) -> Option<Unfit> {
        if folder.parent().is_none() {
            return Some(Unfit::Machine);
        }
        match &self.home {
            Some(home) if home == folder => return Some(Unfit::Home),
            Some(home) if home.starts_with(folder) => return Some(Unfit::AroundHome),
            _ => {}
        }
        let found = folder.metadata().ok()?;
        if found.mode() & 0o002 != 0 {
            return Some(Unfit::WorldWritable);
        }
        let owner = found.uid();
        (!self.owners.contains(&owner)).then_some(Unfit::OtherOwner { owner })
    }

    // Whether a folder that has the marks of a root may be one.
    fn admits(&mut self, folder: &Path) -> bool {
        let Some(why) = self.unfit(folder) else { return true };
        if !self.passed_over.iter().any(|(other, _)| other == folder) {
            self.passed_over.push((folder.to_owned(), why));
        }
        false
    }

    fn nearest<'p>(&mut self, start: &'p Path, marked: fn(&Path) -> bool) -> Option<&'p Path> {
        start.ancestors().filter(|folder| marked(folder)).find(|folder| self.admits(folder))
    }

    fn outermost_workspace<'p>(&mut self, start: &'p Path) -> Option<(&'p Path, RootReason)> {
        let marked = start.ancestors().filter_map(|folder| {
            let Manifest { file, .. } = manifest::of_workspace(folder)?;
            Some((folder, RootReason::Packages(file)))
        });
        marked.filter(|(folder, _)| self.admits(folder)).last()
    }

    fn nearest_package<'p>(&mut self, start: &'p Path) -> Option<(&'p Path, RootReason)> {
        let marked = start.ancestors().filter_map(|folder| {
            let Manifest { file, .. } = manifest::of_package(folder)?;
            Some((folder, RootReason::Package(file)))
        });
        marked.into_iter().find(|(folder, _)| self.admits(folder))
    }
}

#[cfg(test)]
mod tests;
