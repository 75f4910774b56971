//! What this machine has for checks: the layers of the sandbox, and the toolchains.
//!
//! In: a runner in an empty folder of its own. Out: one row for each layer and each toolchain. Asks
//! programs for their version and nothing else; shows no variable's value. Never changes anything.

use super::{Check, State};
use crate::arguments::FolderArguments;
use crate::change::visible;
use crate::failure::Failure;
use crate::{workspace, workspace_config};
use salve_check::{Runner, probe_versions};
use std::path::Path;

/// Looks at the machine. What keeps it from looking is a row too.
pub(super) fn rows() -> Vec<Check> {
    let looked = || -> Result<Vec<Check>, Failure> {
        let empty = tempfile::tempdir()?;
        let runner = workspace_config::runner(empty.path())?;
        let mut rows = layer_rows(&runner)?;
        rows.extend(toolchain_rows(&runner, empty.path())?);
        Ok(rows)
    };
    looked().unwrap_or_else(|failure| {
        vec![Check {
            name: "runner".to_owned(),
            state: State::Fail,
            detail: crate::batch::failure_text(&failure),
        }]
    })
}

fn layer_rows(runner: &Runner) -> Result<Vec<Check>, Failure> {
    let rows = runner.layers()?.into_iter().map(|report| {
        let state = if report.available { State::Ok } else { State::Missing };
        let mut detail = visible(&report.detail);
        match state {
            State::Missing => detail.push_str("; nothing runs by itself without it"),
            _ if detail.is_empty() => detail.push_str("works"),
            _ => {}
        }
        Check { name: format!("sandbox {}", report.layer), state, detail }
    });
    Ok(rows.collect())
}

fn toolchain_rows(runner: &Runner, empty: &Path) -> Result<Vec<Check>, Failure> {
    // Where no folder may be a workspace, the toolchains that everybody has are looked for.
    let root = workspace::place(&FolderArguments::default()).map(|place| place.root);
    let known = workspace_config::open(root.as_deref().unwrap_or(empty))?.workspace;
    let rows = probe_versions(&known.toolchains, empty, runner).into_iter().map(|report| {
        let (state, detail) = match report.found {
            Some(version) => (State::Ok, format!("{}, {version}", report.display_name)),
            None => (State::Missing, report.install_hint),
        };
        let name = format!("toolchain {}", report.target_id);
        Check { name: visible(&name), state, detail: visible(&detail) }
    });
    Ok(rows.collect())
}
