//! What running git in a workspace would set off, read from the repository's own files.
//!
//! In: a folder. Out: every setting of the repository around it, and of each submodule that git
//! would enter from there, that makes git start a program. The settings of the user and of the
//! system are theirs, and trusted. Never starts git, and takes what it cannot read as a danger.

mod config;
mod hazard;
mod index;
mod places;

use config::Setting;
use places::Repository;
use salve_check::{RepoFacts, RepoHazard};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// How many repositories are looked at, and how deep folders of them are nested.
const MAX_REPOSITORIES: usize = 256;
const MAX_DEPTH: usize = 8;

/// The hazards of one repository, as they are when a command first asks for them.
#[derive(Debug, Clone, Default)]
pub struct RepositoryFacts {
    folder: PathBuf,
    hazards: OnceLock<Vec<RepoHazard>>,
}

impl RepositoryFacts {
    /// Speaks of the repository that git would find from this folder.
    pub fn of(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf(), hazards: OnceLock::new() }
    }
}

impl RepoFacts for RepositoryFacts {
    fn hazards(&self) -> Vec<RepoHazard> {
        self.hazards.get_or_init(|| Search::from(&self.folder).hazards).clone()
    }
}

/// The search through a repository and what it leads to.
#[derive(Debug, Default)]
struct Search {
    hazards: Vec<RepoHazard>,
    seen: Vec<PathBuf>,
}

impl Search {
    fn from(folder: &Path) -> Self {
        let mut search = Self::default();
        for found in places::discover(folder) {
            search.look_at_found(found);
        }
        search
    }

    fn add(&mut self, setting: impl Into<String>, origin: &Path) {
        let origin = origin.display().to_string();
        self.hazards.push(RepoHazard { setting: setting.into(), origin });
    }

    fn look_at_found(&mut self, found: Result<Repository, PathBuf>) {
        let repository = match found {
            Ok(repository) => repository,
            Err(file) => return self.add("an unreadable repository", &file),
        };
        let Some(own) = repository.places.first() else { return };
        if self.seen.contains(own) {
            return;
        }
        if self.seen.len() >= MAX_REPOSITORIES {
            return self.add("more repositories than are looked at", own);
        }
        self.seen.push(own.clone());
        let mut settings = Vec::new();
        for place in &repository.places {
            settings.extend(self.look_at(place));
        }
        if let Some(tree) = &repository.tree {
            self.look_at_gitlinks(own, tree, hash_bytes(&settings));
        }
    }

    // The settings, attributes and hooks of one folder, and the submodules that are kept in it.
    fn look_at(&mut self, place: &Path) -> Vec<Setting> {
        let mut settings = Vec::new();
        for name in ["config", "config.worktree"] {
            settings.extend(self.look_at_settings(place, &place.join(name)));
        }
        let attributes = place.join("info/attributes");
        match places::read(&attributes) {
            Ok(text) => {
                for driver in hazard::drivers(text.as_deref().unwrap_or_default()) {
                    self.add(driver, &attributes);
                }
            }
            Err(()) => self.add("unreadable attributes", &attributes),
        }
        // Refreshing the index runs the first, which even `git status` does; making a branch the
        // second.
        for name in ["post-index-change", "reference-transaction"] {
            let hook = place.join("hooks").join(name);
            if hook.symlink_metadata().is_ok() {
                self.add(format!("the hook {name}"), &hook);
            }
        }
        self.look_at_modules(&place.join("modules"), 0);
        settings
    }

    fn look_at_settings(&mut self, place: &Path, file: &Path) -> Vec<Setting> {
        let text = match places::read(file) {
            Ok(None) => return Vec::new(),
            Ok(Some(text)) => text,
            Err(()) => {
                self.add("an unreadable setting", file);
                return Vec::new();
            }
        };
        let Some(settings) = config::settings(&text) else {
            self.add("an unreadable setting", file);
            return Vec::new();
        };
        for setting in settings.iter().filter(|setting| hazard::starts(setting)) {
            // A submodule names its place by this one; a plain repository is sent elsewhere by it.
            if setting.name() != "core.worktree" || places::is_plain(place) {
                self.add(setting.name(), file);
            }
        }
        settings
    }

    // git looks into submodules by itself, with their own settings.
    fn look_at_modules(&mut self, folder: &Path, depth: usize) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for (count, entry) in entries.flatten().enumerate() {
            let place = entry.path();
            if count >= MAX_REPOSITORIES || depth >= MAX_DEPTH {
                self.add("more submodules than are looked at", folder);
                return;
            }
            if place.join("HEAD").exists() || place.join("config").exists() {
                self.look_at_found(Ok(Repository { places: vec![place], tree: None }));
            } else if place.is_dir() {
                self.look_at_modules(&place, depth + 1);
            }
        }
    }

    // What git enters is what the index calls a submodule and what has a repository in its place,
    // wherever that keeps its files.
    fn look_at_gitlinks(&mut self, own: &Path, tree: &Path, hash: usize) {
        let mut name = Some("index".to_owned());
        // A split index has one other part, which has none.
        for _ in 0..2 {
            let Some(file) = name.take().map(|name| own.join(name)) else { return };
            let bytes = match places::read_index(&file) {
                Ok(None) => return,
                Ok(Some(bytes)) => bytes,
                Err(()) => return self.add("an unreadable index", &file),
            };
            let Some(found) = index::gitlinks(&bytes, hash) else {
                return self.add("an unreadable index", &file);
            };
            for path in &found.paths {
                let is_inside = path.split('/').all(|step| !matches!(step, "" | "." | ".."));
                if !is_inside {
                    self.add("a submodule outside of the work tree", &file);
                } else if let Some(found) = places::repository_at(&tree.join(path)) {
                    self.look_at_found(found);
                }
            }
            name = found.shared;
        }
    }
}

// The index of a repository that says so has longer hashes.
fn hash_bytes(settings: &[Setting]) -> usize {
    let is_long = settings.iter().any(|setting| {
        setting.name() == "extensions.objectformat"
            && setting.value.as_deref().is_some_and(|value| value.eq_ignore_ascii_case("sha256"))
    });
    if is_long { 32 } else { 20 }
}
