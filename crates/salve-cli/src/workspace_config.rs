//! What counts in a workspace: rules, approvals and toolchains, read from their files.
//!
//! In: `rules.toml`, `approvals.toml`, `profiles.toml` and `config.toml` of the user, `salve-rules.toml` and
//! `salve.toml` of the workspace. Out: the parts of Salve that work there. Toolchains of a workspace
//! say which programs run, so they count only after `salve trust`. Never lets a file of the workspace
//! allow anything.

use crate::config_files::{self, read};
use crate::failure::Failure;
use crate::trust::{Standing, TrustList};
use crate::{change, environment, host, output};
use salve_check::{
    Approval, Approvals, Keep, ListEntry, Profile, RuleSource, Runner, RunnerOptions, Scope,
};
use salve_engine::host::{ConfigText, WorkspaceConfig, WorkspaceHost};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const USER_RULES: &str = "rules.toml";
const USER_APPROVALS: &str = "approvals.toml";
const USER_PROFILES: &str = "profiles.toml";
const PROJECT_RULES: &str = "salve-rules.toml";

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ApprovalFile {
    #[serde(default, rename = "approval")]
    approvals: Vec<Approval>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProfileFile {
    #[serde(default)]
    profiles: Vec<Profile>,
}

/// A workspace, and what was not taken from its files.
pub(crate) struct Configured {
    pub(crate) workspace: WorkspaceHost,
    /// Why the workspace's own toolchains do not count; `None` when it has none, or when they do.
    pub(crate) passed_over: Option<&'static str>,
}

/// Puts the parts together that work on a folder, whose path has its symbolic links resolved.
pub(crate) fn open(folder: &Path) -> Result<Configured, Failure> {
    let mut rules = Vec::new();
    rules.extend(rule_text(folder.join(PROJECT_RULES), RuleSource::Project)?);
    if let Some(user) = environment::user_config_folder() {
        rules.extend(rule_text(user.join(USER_RULES), RuleSource::User)?);
    }
    let (toolchains, passed_over) = toolchains(folder)?;
    let approvals = approvals()?;
    let profiles = profiles()?;
    let config =
        WorkspaceConfig { folder: folder.to_owned(), rules, approvals, profiles, toolchains };
    let workspace = WorkspaceHost::new(&host::machine()?, config)?;
    Ok(Configured { workspace, passed_over })
}

impl Configured {
    /// Says on standard error that the workspace's own toolchains do not count.
    pub(crate) fn say_what_is_passed_over(&self) {
        if let Some(why) = self.passed_over {
            output::story(&format!(
                "note: toolchains of `salve.toml` do not count: {why}; `salve trust add` shows them and asks\n"
            ));
        }
    }

    /// Says on standard error which rules do not count.
    pub(crate) fn report_ignored_rules(&self) {
        for (path, why) in &self.workspace.ignored_rules {
            let line = change::visible(&format!("{}: {why}", path.display()));
            output::story(&format!("{line}\n"));
        }
    }
}

/// Makes a runner for a folder that no rule or toolchain is about, and keeps nothing of its runs.
pub(crate) fn runner(folder: &Path) -> Result<Runner, Failure> {
    let config = WorkspaceConfig { folder: folder.to_owned(), ..WorkspaceConfig::default() };
    Ok(WorkspaceHost::new(&host::machine()?, config)?.runner(Keep::Nothing)?)
}

/// Returns how programs run in a folder that no rule or toolchain is about.
pub(crate) fn runner_options(folder: &Path) -> Result<RunnerOptions, Failure> {
    let config = WorkspaceConfig { folder: folder.to_owned(), ..WorkspaceConfig::default() };
    Ok(WorkspaceHost::new(&host::machine()?, config)?.runner_options(Keep::Nothing))
}

/// Remembers that these entries may run in a workspace.
pub(crate) fn approve(workspace: &Path, entries: Vec<ListEntry>) -> Result<(), Failure> {
    let mut approvals = approvals()?;
    approvals.approve_entries(Scope::Project, &workspace.to_string_lossy(), entries);
    keep_approvals(approvals.kept().cloned().collect())
}

/// Returns every lasting approval of the user, in every workspace.
pub(crate) fn kept_approvals() -> Result<Vec<Approval>, Failure> {
    Ok(approvals()?.kept().cloned().collect())
}

/// Replaces the lasting approvals of the user.
pub(crate) fn keep_approvals(approvals: Vec<Approval>) -> Result<(), Failure> {
    config_files::replace(USER_APPROVALS, &toml::to_string(&ApprovalFile { approvals })?)
}

/// Returns the profiles that the user asked for.
pub(crate) fn profiles() -> Result<Vec<Profile>, Failure> {
    let Some(folder) = environment::user_config_folder() else { return Ok(Vec::new()) };
    let path = folder.join(USER_PROFILES);
    let Some(text) = read(&path)? else { return Ok(Vec::new()) };
    let file: ProfileFile = toml::from_str(&text).map_err(|error| {
        Failure::new(format!("cannot use `{}`: {error}", path.display()))
            .hint("Repair it, or remove it to have no profile.")
    })?;
    Ok(file.profiles)
}

/// Replaces the profiles of the user.
pub(crate) fn keep_profiles(profiles: &[Profile]) -> Result<(), Failure> {
    let file = ProfileFile { profiles: profiles.to_vec() };
    config_files::replace(USER_PROFILES, &toml::to_string(&file)?)
}

fn approvals() -> Result<Approvals, Failure> {
    let Some(folder) = environment::user_config_folder() else { return Ok(Approvals::default()) };
    let path = folder.join(USER_APPROVALS);
    let Some(text) = read(&path)? else { return Ok(Approvals::default()) };
    let file: ApprovalFile = toml::from_str(&text).map_err(|error| {
        Failure::new(format!("cannot use `{}`: {error}", path.display()))
            .hint("Repair it, or remove it to be asked again.")
    })?;
    Ok(Approvals::restore(file.approvals))
}

fn rule_text(path: PathBuf, level: RuleSource) -> Result<Option<ConfigText<RuleSource>>, Failure> {
    Ok(read(&path)?.map(|text| ConfigText { path, level, text }))
}

type Toolchains = (Vec<ConfigText<()>>, Option<&'static str>);

fn toolchains(workspace: &Path) -> Result<Toolchains, Failure> {
    let user = environment::user_config_folder().map(|folder| folder.join("config.toml"));
    let mut texts = Vec::new();
    for path in [Some(PathBuf::from("/etc/salve/config.toml")), user].into_iter().flatten() {
        texts.extend(toolchain_text(path)?);
    }
    let Some(text) = toolchain_text(workspace.join("salve.toml"))? else {
        return Ok((texts, None));
    };
    let passed_over = match TrustList::load()?.standing(workspace)? {
        Standing::Trusted => {
            texts.push(text);
            None
        }
        Standing::Unknown => Some("this workspace is not trusted"),
        Standing::Changed(_) => Some("it changed since it was trusted"),
    };
    Ok((texts, passed_over))
}

// The entries of a file as a table of their own; the file's other keys belong to the settings.
fn toolchain_text(path: PathBuf) -> Result<Option<ConfigText<()>>, Failure> {
    let Some(text) = read(&path)? else { return Ok(None) };
    let mut table: toml::Table = toml::from_str(&text)
        .map_err(|error| Failure::new(format!("cannot use `{}`: {error}", path.display())))?;
    table.retain(|key, _| key == "toolchain");
    if table.is_empty() {
        return Ok(None);
    }
    Ok(Some(ConfigText { path, level: (), text: toml::to_string(&table)? }))
}
