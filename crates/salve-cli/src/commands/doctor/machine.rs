//! What this machine has for checks: the layers of the sandbox, the shadow, and the toolchains.
//!
//! In: a runner in an empty folder of its own. Out: one row for each layer and each toolchain. Asks
//! programs for their version and nothing else; shows no variable's value. Never changes anything.

use super::{Check, State};
use crate::arguments::FolderArguments;
use crate::change::visible;
use crate::failure::Failure;
use crate::{host, workspace, workspace_config};
use salve_check::{
    Layer, NamespaceDenial, Runner, Shadow, ShadowMeans, ShadowOptions, probe_versions,
};
use std::path::Path;

/// Looks at the machine. What keeps it from looking is a row too.
pub(super) fn rows() -> Vec<Check> {
    let looked = || -> Result<Vec<Check>, Failure> {
        let empty = tempfile::tempdir()?;
        let runner = workspace_config::runner(empty.path())?;
        let mut rows = guarantee_rows(&runner)?;
        rows.extend(layer_rows(&runner)?);
        rows.push(shadow_row()?);
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

// What a run is kept from, and by what; a person is asked once where one of them does not hold.
fn guarantee_rows(runner: &Runner) -> Result<Vec<Check>, Failure> {
    let rows = runner.guarantees()?.into_iter().map(|report| {
        let (state, asked) = match report.held {
            true => (State::Ok, ""),
            false => (State::Missing, "; nothing runs by itself here unless you agree once"),
        };
        let detail = format!("{}{asked}", report.by);
        Check { name: format!("guarantee {}", report.guarantee), state, detail }
    });
    Ok(rows.collect())
}

fn layer_rows(runner: &Runner) -> Result<Vec<Check>, Failure> {
    let reports = runner.layers()?;
    let refused =
        |layer: &Layer| reports.iter().any(|report| report.layer == *layer && !report.available);
    let remedy = Layer::OF_NAMESPACES.iter().any(refused).then(remedy).flatten();
    let rows = reports.iter().map(|report| {
        let state = if report.available { State::Ok } else { State::Missing };
        let mut detail = visible(&report.detail);
        if state == State::Ok && detail.is_empty() {
            detail.push_str("works");
        }
        Check { name: format!("sandbox {}", report.layer), state, detail }
    });
    Ok(rows.chain(remedy).collect())
}

// How a heal and `salve apply --check` keep the tree as it is.
fn shadow_row() -> Result<Check, Failure> {
    let (empty, private) = (tempfile::tempdir()?, host::private_folder("salve-doctor-")?);
    let options = workspace_config::runner_options(empty.path())?;
    let shadow =
        Shadow::open(ShadowOptions { runner: options, private: private.path().to_owned() })?;
    let detail = match shadow.means() {
        ShadowMeans::Overlay => "overlay: the same cost for any size",
        ShadowMeans::Reflink => "reflink: a copy that shares its blocks",
        ShadowMeans::Copy => {
            "copy: the time grows with the workspace; layers of the kernel cannot be had"
        }
    };
    Ok(Check::new("shadow", true, detail))
}

// The commands are lines of their own, so that they can be copied.
fn remedy() -> Option<Check> {
    let cause = NamespaceDenial::find()?;
    let executable = std::env::current_exe().unwrap_or_else(|_| "salve".into());
    let detail = format!("{} forbids namespaces: {}", cause.name(), cause.remedy(&executable));
    Some(Check { name: "sandbox remedy".to_owned(), state: State::Missing, detail })
}

fn toolchain_rows(runner: &Runner, empty: &Path) -> Result<Vec<Check>, Failure> {
    // Where no folder may be a workspace, the toolchains that every user has are looked for.
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
