//! What running git in a workspace would set off, read from the repository's own files.
//!
//! In: a folder. Out: every setting of the repository around it that makes git start a program. The
//! settings of the user and of the system are theirs, and trusted. Never starts git, and takes what
//! it cannot read as a danger.

mod config;
mod hazard;

use salve_check::{RepoFacts, RepoHazard};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The largest file of a repository's settings that is read.
const MAX_BYTES: u64 = 1 << 20;
/// How many submodules are looked at, and how deep.
const MAX_MODULES: usize = 256;
const MAX_DEPTH: usize = 8;

/// The hazards of one repository, as they were when it was looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepositoryFacts {
    hazards: Vec<RepoHazard>,
}

impl RepositoryFacts {
    /// Looks at the repository that git would find from this folder.
    pub fn of(folder: &Path) -> Self {
        let mut found = Self::default();
        if let Some(repository) = discover(folder) {
            match repository {
                Ok(places) => places.iter().for_each(|place| found.look_at(place)),
                Err(file) => found.add("an unreadable repository", &file),
            }
        }
        found
    }

    fn add(&mut self, setting: impl Into<String>, origin: &Path) {
        let origin = origin.display().to_string();
        self.hazards.push(RepoHazard { setting: setting.into(), origin });
    }

    fn look_at(&mut self, place: &Path) {
        for name in ["config", "config.worktree"] {
            self.look_at_settings(place, &place.join(name));
        }
        let attributes = place.join("info/attributes");
        match read(&attributes) {
            Ok(text) => {
                for driver in hazard::drivers(text.as_deref().unwrap_or_default()) {
                    self.add(driver, &attributes);
                }
            }
            Err(()) => self.add("unreadable attributes", &attributes),
        }
        // Refreshing the index, which even `git status` does, runs this one.
        let hook = place.join("hooks/post-index-change");
        if hook.symlink_metadata().is_ok() {
            self.add("the hook post-index-change", &hook);
        }
        self.look_at_modules(&place.join("modules"), 0);
    }

    fn look_at_settings(&mut self, place: &Path, file: &Path) {
        let text = match read(file) {
            Ok(None) => return,
            Ok(Some(text)) => text,
            Err(()) => return self.add("an unreadable setting", file),
        };
        let Some(settings) = config::settings(&text) else {
            return self.add("an unreadable setting", file);
        };
        for setting in settings.iter().filter(|setting| hazard::starts(setting)) {
            // A submodule names its place by this one; a plain repository is sent elsewhere by it.
            if setting.name() != "core.worktree" || is_plain(place) {
                self.add(setting.name(), file);
            }
        }
    }

    // git looks into submodules by itself, with their own settings.
    fn look_at_modules(&mut self, folder: &Path, depth: usize) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for (count, entry) in entries.flatten().enumerate() {
            let place = entry.path();
            if count >= MAX_MODULES || depth >= MAX_DEPTH {
                self.add("more submodules than are looked at", folder);
                return;
            }
            if place.join("HEAD").exists() || place.join("config").exists() {
                self.look_at(&place);
            } else if place.is_dir() {
                self.look_at_modules(&place, depth + 1);
            }
        }
    }
}

fn is_plain(place: &Path) -> bool {
    place.file_name().is_some_and(|name| name == ".git")
}

impl RepoFacts for RepositoryFacts {
    fn hazards(&self) -> Vec<RepoHazard> {
        self.hazards.clone()
    }
}

/// Finds the folders that hold the settings of the repository around a folder: none when there is
/// no repository, an error with the file that could not be followed.
fn discover(folder: &Path) -> Option<Result<Vec<PathBuf>, PathBuf>> {
    for place in folder.ancestors() {
        let inside = place.join(".git");
        match inside.symlink_metadata() {
            Ok(_) if inside.is_dir() => return Some(with_common(inside)),
            Ok(_) => return Some(linked(place, &inside)),
            // A folder that looks like a bare repository is taken for one.
            Err(_) if ["HEAD", "objects", "refs"].iter().all(|name| place.join(name).exists()) => {
                return Some(with_common(place.to_path_buf()));
            }
            Err(_) => {}
        }
    }
    None
}

// `.git` as a file: worktrees and submodules. An empty one is no repository, and git says so.
fn linked(place: &Path, file: &Path) -> Result<Vec<PathBuf>, PathBuf> {
    let text = read(file).ok().flatten().ok_or_else(|| file.to_path_buf())?;
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let target = text.trim_end_matches(['\n', '\r']).strip_prefix("gitdir: ");
    with_common(place.join(target.ok_or_else(|| file.to_path_buf())?))
}

fn with_common(folder: PathBuf) -> Result<Vec<PathBuf>, PathBuf> {
    let file = folder.join("commondir");
    match read(&file) {
        Ok(None) => Ok(vec![folder]),
        Ok(Some(text)) => {
            let common = folder.join(text.trim_end_matches(['\n', '\r']));
            Ok(vec![folder, common])
        }
        Err(()) => Err(file),
    }
}

// Reads a small text file; `None` when there is none.
fn read(file: &Path) -> Result<Option<String>, ()> {
    let opened = match std::fs::File::open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(_) => return Err(()),
    };
    if !opened.metadata().is_ok_and(|status| status.is_file()) {
        return Err(());
    }
    let mut text = String::new();
    let count = opened.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(drop)?;
    if count as u64 > MAX_BYTES { Err(()) } else { Ok(Some(text)) }
}
