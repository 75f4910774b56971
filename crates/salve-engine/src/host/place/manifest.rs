//! Which folders are workspaces and packages of the build tools, by their manifests.
//!
//! In: a folder. Out: the manifest that says so. Never follows what a manifest names: whether a
//! package is a member is its tool's business. What cannot be read says nothing.

use std::io::Read as _;
use std::path::Path;

/// The largest manifest that is read.
const MAX_BYTES: u64 = 1 << 20;

/// A file that makes a folder a package, and perhaps a workspace of packages.
pub(super) struct Manifest {
    /// Its name.
    pub(super) file: &'static str,
    /// Whether its text makes the folder a workspace.
    is_workspace: fn(&str) -> bool,
    /// Whether it makes the folder a package too.
    is_package: bool,
}

const MANIFESTS: &[Manifest] = &[
    Manifest { file: "Cargo.toml", is_workspace: is_cargo_workspace, is_package: true },
    Manifest { file: "package.json", is_workspace: is_npm_workspace, is_package: true },
    Manifest { file: "pnpm-workspace.yaml", is_workspace: |_| true, is_package: false },
    Manifest { file: "pyproject.toml", is_workspace: is_uv_workspace, is_package: true },
    Manifest { file: "go.work", is_workspace: |_| true, is_package: false },
    Manifest { file: "go.mod", is_workspace: |_| false, is_package: true },
];

/// Returns the manifest that makes a folder a workspace.
pub(super) fn of_workspace(folder: &Path) -> Option<&'static Manifest> {
    MANIFESTS.iter().find(|manifest| {
        read(&folder.join(manifest.file)).is_some_and(|text| (manifest.is_workspace)(&text))
    })
}

/// Returns the manifest that makes a folder a package.
pub(super) fn of_package(folder: &Path) -> Option<&'static Manifest> {
    MANIFESTS.iter().find(|manifest| manifest.is_package && folder.join(manifest.file).is_file())
}

fn is_cargo_workspace(text: &str) -> bool {
    table(text).is_some_and(|table| table.contains_key("workspace"))
}

fn is_uv_workspace(text: &str) -> bool {
    let Some(table) = table(text) else { return false };
    let uv = table.get("tool").and_then(|tool| tool.get("uv"));
    uv.is_some_and(|uv| uv.get("workspace").is_some())
}

fn is_npm_workspace(text: &str) -> bool {
    let parsed = serde_json::from_str::<serde_json::Value>(text);
    parsed.is_ok_and(|package| package.get("workspaces").is_some_and(|value| !value.is_null()))
}

fn table(text: &str) -> Option<toml::Table> {
    text.parse().ok()
}

fn read(file: &Path) -> Option<String> {
    // A pipe put in the place of a manifest would hold its reader for ever.
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    std::fs::File::open(file).ok()?.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}
