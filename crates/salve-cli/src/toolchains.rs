//! The toolchains in force for a workspace.
//!
//! In: `[[toolchain]]` entries of the configuration files, from low to high. Out: the registry. A
//! workspace's own entries say which programs run, so they count only after `salve trust`; until
//! then they are named and passed over.

use crate::config_files;
use crate::environment;
use crate::failure::Failure;
use crate::trust::{Standing, TrustList};
use salve_check::Registry;
use std::path::{Path, PathBuf};

/// The registry, and what was not taken into it.
pub(crate) struct Toolchains {
    pub(crate) registry: Registry,
    /// Why entries of the workspace do not count; absent when it has none, or when they do.
    pub(crate) passed_over: Option<String>,
}

/// Reads the toolchains for a workspace.
pub(crate) fn of_workspace(workspace: &Path) -> Result<Toolchains, Failure> {
    let mut registry = Registry::built_in();
    let user = environment::user_config_folder().map(|folder| folder.join("config.toml"));
    for path in [Some(PathBuf::from("/etc/salve/config.toml")), user].into_iter().flatten() {
        if let Some(entries) = entries(&path)? {
            register(&mut registry, &entries, &path)?;
        }
    }
    let path = workspace.join("salve.toml");
    let mut passed_over = None;
    if let Some(entries) = entries(&path)? {
        match TrustList::load()?.standing(workspace)? {
            Standing::Trusted => register(&mut registry, &entries, &path)?,
            Standing::Unknown => passed_over = Some("this workspace is not trusted".to_owned()),
            Standing::Changed(_) => {
                passed_over = Some("it changed since it was trusted".to_owned());
            }
        }
    }
    let passed_over = passed_over.map(|why| {
        format!("toolchains of `salve.toml` do not count: {why}; look at them with `salve trust`")
    });
    Ok(Toolchains { registry, passed_over })
}

// The entries of a file as a table of their own; the file's other keys belong to the settings.
fn entries(path: &Path) -> Result<Option<String>, Failure> {
    let Some(text) = config_files::read(path)? else { return Ok(None) };
    let mut table: toml::Table = toml::from_str(&text)
        .map_err(|error| Failure::new(format!("cannot use `{}`: {error}", path.display())))?;
    table.retain(|key, _| key == "toolchain");
    Ok(if table.is_empty() { None } else { Some(toml::to_string(&table)?) })
}

fn register(registry: &mut Registry, entries: &str, path: &Path) -> Result<(), Failure> {
    registry
        .register_toml(entries)
        .map_err(|error| Failure::new(format!("cannot use `{}`: {error}", path.display())))
}
