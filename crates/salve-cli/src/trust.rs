//! Which workspaces the user trusts, and with which bytes in them.
//!
//! In: a workspace folder and the user's configuration folder. Out: trusted, changed since, or not
//! trusted; the list kept in the user's folder, never in the workspace. Never follows what a trusted
//! file says: code that uses it asks here first.

use crate::config_files;
use crate::failure::Failure;
use salve_tree::ContentHash;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The files of a workspace that say nothing until they are trusted.
pub(crate) const BOUND_FILES: &[&str] = &["salve.toml"];

/// The folder of a workspace whose rules say nothing until they are trusted.
pub(crate) const RULE_FOLDER: &str = "salve.rules";

/// More rules than these are not read from a workspace.
const MOST_RULES: usize = 2_000;

/// The list, in the user's configuration folder.
const LIST: &str = "trust.toml";

/// What the user said about one workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trusted {
    /// The folder, with symbolic links resolved.
    pub(crate) workspace: PathBuf,
    /// When it was said: milliseconds since 1970.
    pub(crate) since: u64,
    /// BLAKE3 of each file as it was then.
    pub(crate) files: BTreeMap<String, String>,
}

/// Whether a workspace is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Trusted, and the files are those that were trusted.
    Trusted,
    /// Trusted once; these files are others now.
    Changed(Vec<String>),
    /// Nobody said anything.
    Unknown,
}

/// The list of trusted workspaces.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrustList {
    #[serde(default, rename = "trusted")]
    entries: Vec<Trusted>,
}

impl TrustList {
    /// Reads the user's list; without one, nothing is trusted.
    pub(crate) fn load() -> Result<Self, Failure> {
        let path = config_files::of_user(LIST)?;
        let Some(text) = config_files::read(&path)? else { return Ok(Self::default()) };
        toml::from_str(&text).map_err(|error| {
            Failure::new(format!("cannot use `{}`: {error}", path.display()))
                .hint("Repair it, or remove it to trust nothing.")
        })
    }

    /// Lists the entries, in the order they were made.
    pub(crate) fn entries(&self) -> &[Trusted] {
        &self.entries
    }

    /// Returns whether a workspace is trusted.
    pub(crate) fn standing(&self, workspace: &Path) -> Result<Standing, Failure> {
        let workspace = resolved(workspace)?;
        let Some(entry) = self.entries.iter().find(|entry| entry.workspace == workspace) else {
            return Ok(Standing::Unknown);
        };
        let changed = entry.changed_files()?;
        Ok(if changed.is_empty() { Standing::Trusted } else { Standing::Changed(changed) })
    }

    /// Trusts a workspace with the files it has now, and keeps that.
    pub(crate) fn add(&mut self, workspace: &Path, now: u64) -> Result<Trusted, Failure> {
        let workspace = resolved(workspace)?;
        let entry = Trusted { files: present_files(&workspace)?, workspace, since: now };
        self.entries.retain(|other| other.workspace != entry.workspace);
        self.entries.push(entry.clone());
        self.save()?;
        Ok(entry)
    }

    /// Takes trust back; `false` when there was none.
    pub(crate) fn revoke(&mut self, workspace: &Path) -> Result<bool, Failure> {
        // A folder that is gone can be revoked by the name in the list.
        let workspace = resolved(workspace).unwrap_or_else(|_| workspace.to_owned());
        let before = self.entries.len();
        self.entries.retain(|entry| entry.workspace != workspace);
        if self.entries.len() == before {
            return Ok(false);
        }
        self.save()?;
        Ok(true)
    }

    fn save(&self) -> Result<(), Failure> {
        config_files::replace(LIST, &toml::to_string(self)?)
    }
}

impl Trusted {
    /// Lists the files that are no longer those that were trusted.
    pub(crate) fn changed_files(&self) -> Result<Vec<String>, Failure> {
        let present = present_files(&self.workspace)?;
        let names: BTreeSet<&String> = present.keys().chain(self.files.keys()).collect();
        let changed = names.into_iter().filter(|name| present.get(*name) != self.files.get(*name));
        Ok(changed.cloned().collect())
    }
}

fn present_files(workspace: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let mut files = BTreeMap::new();
    let bound = BOUND_FILES.iter().map(|name| (*name).to_owned());
    for name in bound.chain(rule_files(workspace)?) {
        match std::fs::read(workspace.join(&name)) {
            Ok(bytes) => {
                files.insert(name, ContentHash::of(&bytes).hex());
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Failure::new(format!("cannot read `{name}`: {error}"))),
        }
    }
    Ok(files)
}

/// Lists the files of rules in a workspace, relative to it, sorted.
pub(crate) fn rule_files(workspace: &Path) -> Result<Vec<String>, Failure> {
    let unreadable = |error| Failure::new(format!("cannot read `{RULE_FOLDER}`: {error}"));
    let entries = match std::fs::read_dir(workspace.join(RULE_FOLDER)) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(unreadable(error)),
    };
    let mut names = Vec::new();
    for entry in entries.take(MOST_RULES) {
        let name = entry.map_err(unreadable)?.file_name();
        if let Some(name) = name.to_str().filter(|name| name.ends_with(".toml")) {
            names.push(format!("{RULE_FOLDER}/{name}"));
        }
    }
    names.sort();
    Ok(names)
}

fn resolved(workspace: &Path) -> Result<PathBuf, Failure> {
    std::fs::canonicalize(workspace)
        .map_err(|error| Failure::new(format!("cannot open `{}`: {error}", workspace.display())))
}
