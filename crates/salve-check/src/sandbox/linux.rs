//! The layers as Linux has them.
//!
//! In: a launch. Out: its layers applied to this process, in the order that leaves each one possible
//! until it is done. Never goes on after a refusal.

mod build_folders;
mod loopback;
mod mount_table;
mod namespaces;
mod placeholder;
mod privileges;
mod resources;
mod rules;
mod syscalls;
mod view;
mod writes;

pub(crate) use build_folders::{BuildFolders, make_build_folders};
pub(crate) use placeholder::{Placeholders, remove_placeholders};
pub(super) use writes::landlock_version;

use super::NamespaceDenial;
use crate::launcher::{Launch, Layer, LayerError};
use std::io;
use std::path::PathBuf;

/// The devices that are no way out.
const HARMLESS_DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom"];

/// The outer stage: placeholders for protected paths, then the namespaces.
pub(super) fn enter_namespaces(launch: &Launch) -> Result<Placeholders, LayerError> {
    // Whatever a run makes in a shadow goes with it.
    let needed = launch.layers.contains(&Layer::MountNamespace) && launch.shadow.is_none();
    let placeholders = if needed {
        let protected: Vec<PathBuf> =
            launch.protected.iter().map(|path| launch.workspace.join(path)).collect();
        Placeholders::stand_in_for(&protected)
            .map_err(|error| refused(Layer::MountNamespace, &error))?
    } else {
        Placeholders::default()
    };
    namespaces::enter(launch)?;
    Ok(placeholders)
}

/// The inner stage. The view comes first, because every later layer forbids to build one; seccomp
/// comes last, because it forbids what the others need.
pub(super) fn confine(launch: &Launch) -> Result<(), LayerError> {
    let wanted = |layer: &Layer| launch.layers.contains(layer);
    if wanted(&Layer::Rlimits) {
        resources::go_first()?;
    }
    if launch.goes_by_rules() {
        resources::limit(launch)?;
        rules::restrict(launch)?;
        privileges::drop_all()?;
        return syscalls::deny(launch);
    }
    let writable = if wanted(&Layer::MountNamespace) {
        view::build(launch)?
    } else {
        [launch.workspace.clone()].into_iter().chain(launch.writable.iter().cloned()).collect()
    };
    if wanted(&Layer::Rlimits) {
        resources::limit(launch)?;
    }
    if wanted(&Layer::Landlock) {
        writes::restrict(launch, &writable)?;
    }
    if wanted(&Layer::Privileges) {
        privileges::drop_all()?;
    }
    if wanted(&Layer::Seccomp) {
        syscalls::deny(launch)?;
    }
    Ok(())
}

/// Says what a layer needs that the launch does not have.
pub(super) fn lacks(launch: &Launch, layer: Layer) -> Option<Layer> {
    let needed: &[Layer] = match layer {
        Layer::PidNamespace
        | Layer::MountNamespace
        | Layer::NetworkNamespace
        | Layer::IpcNamespace
            if !rustix::process::geteuid().is_root() =>
        {
            &[Layer::UserNamespace]
        }
        Layer::ProcFileSystem => &[Layer::PidNamespace, Layer::MountNamespace],
        Layer::PrivateLayers => &[Layer::MountNamespace],
        _ => &[],
    };
    needed.iter().copied().find(|needed| !launch.layers.contains(needed))
}

/// Says what this machine has of a layer.
pub(super) fn detail(layer: Layer) -> String {
    match layer {
        Layer::Landlock => writes::version(),
        _ => String::new(),
    }
}

fn refused(layer: Layer, error: &io::Error) -> LayerError {
    let denied = error.kind() == io::ErrorKind::PermissionDenied;
    let of_namespaces = Layer::OF_NAMESPACES.contains(&layer);
    let cause = if denied && of_namespaces { NamespaceDenial::find() } else { None };
    let why = match cause {
        Some(cause) => format!("{error}; {} forbids it", cause.name()),
        None => error.to_string(),
    };
    LayerError { layer, why }
}
