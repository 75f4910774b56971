//! The sandbox: what the operating system keeps a program from doing.
//!
//! In: a launch with the layers it wants. Out: this process, and everything it starts, inside them;
//! or the first layer that could not be had, and nothing started. Never decides which layers a
//! launch needs, and never does without one silently.
//!
//! Two stages, because a process cannot enter a PID namespace itself. The outer one calls
//! [`enter_namespaces`], the inner one, which is process 1 of the new namespace, [`confine`]:
//!
//! | layer | what it takes away |
//! |---|---|
//! | user namespace | power outside: capabilities are those of a world with one user |
//! | PID namespace | other processes; the end of process 1 ends all, so nothing survives |
//! | mount namespace | homes, other projects, sockets of services, devices; writing outside |
//! | `proc` file system | what `/proc` tells about the machine's other processes |
//! | private layers | writing to toolchain homes for real |
//! | network namespace | every network but a private loopback |
//! | IPC namespace | shared memory and queues of others, the host name |
//! | Landlock | writing outside once more, signals and abstract sockets to outside |
//! | privileges | capabilities, setuid, file capabilities, and the launcher's own memory |
//! | seccomp | tracing, mounting, namespaces, keys, io_uring, bpf and the like |
//! | rlimits | processor time, memory, processes, files, core dumps |
//!
//! Where namespaces are refused, as AppArmor and most containers do, the last four are a second way
//! to the same guarantees: Landlock then forbids reading and writing but for a list of grants,
//! seccomp forbids sockets, and the outer stage keeps outside of the walls to end what is left.
//!
//! # What is not promised
//!
//! A program that the user chose to run is arbitrary code, and only these layers limit it. Inside
//! them it may do what it likes: change or delete every file of the workspace that is not protected,
//! read the workspace's own secrets, use up its limits, and leave behind files that do harm when
//! something outside runs them, such as a build script or a repository in a subfolder. The protected
//! paths are kept: `.git` and `.salve`, and what editors, hooks, build servers and agents obey; what
//! a run newly makes of the latter is moved aside after it. A file of the workspace that
//! is hard-linked to one outside is that file. With the network (the class "network" only) it can
//! send what it can read, also to services of this machine. Holes in the kernel and in the processor
//! are not closed here; seccomp takes away the parts where most of them were found. Debuggers and
//! leak sanitizers, which trace other processes, do not work inside.

mod denial;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
mod guarantee;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;

pub use denial::NamespaceDenial;
pub use guarantee::{Guarantee, GuaranteeReport};
pub(crate) use guarantee::{guarantees, layers_without, not_held_without};
pub(crate) use system::{BuildFolders, Placeholders};

use crate::launcher::{Launch, Layer, LayerError};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What this machine has of one layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LayerReport {
    /// The layer.
    pub layer: Layer,
    /// Whether launches can have it.
    pub available: bool,
    /// Which version of it, or why not.
    pub detail: String,
}

/// Finds out which layers launches can have, by trying: `attempt` makes a launch that does nothing
/// with the given layers. A machine that has all of them needs one attempt.
#[must_use]
pub(crate) fn layers(
    mut attempt: impl FnMut(&[Layer]) -> Result<(), LayerError>,
) -> Vec<LayerReport> {
    let mut missing: Vec<LayerError> = Vec::new();
    let left = |missing: &[LayerError]| -> Vec<Layer> {
        let is_left = |layer: &&Layer| missing.iter().all(|error| error.layer != **layer);
        Layer::ALL.iter().filter(is_left).copied().collect()
    };
    while let Err(error) = attempt(&left(&missing)) {
        if missing.iter().any(|known| known.layer == error.layer) {
            break;
        }
        missing.push(error);
    }
    let report = |&layer: &Layer| match missing.iter().find(|error| error.layer == layer) {
        Some(error) => LayerReport { layer, available: false, detail: error.why.clone() },
        None => LayerReport { layer, available: true, detail: system::detail(layer) },
    };
    Layer::ALL.iter().map(report).collect()
}

/// Enters the namespaces of a launch; called by the outer stage, which has one thread. What is
/// returned must live until the inner stage has ended.
pub(crate) fn enter_namespaces(launch: &Launch) -> Result<Placeholders, LayerError> {
    for &layer in &launch.layers {
        if let Some(needed) = system::lacks(launch, layer) {
            return Err(LayerError { layer, why: format!("it needs the layer {needed}") });
        }
    }
    system::enter_namespaces(launch)
}

/// Applies everything that acts on this process and its children; called by the inner stage, which
/// has one thread and is the first process of its PID namespace when there is one.
pub(crate) fn confine(launch: &Launch) -> Result<(), LayerError> {
    system::confine(launch)
}

/// Makes the folders that toolchains would make directly in the workspace's folder, which a launch by
/// rules cannot; called by the keeper. What stays empty is removed when the value is dropped.
pub(crate) fn make_build_folders(launch: &Launch) -> BuildFolders {
    system::make_build_folders(&launch.workspace)
}

/// Removes what a killed launcher may have left in the workspace: empty folders in
/// place of protected paths. Cheap; called after every run.
pub(crate) fn remove_placeholders(workspace: &Path, protected: &[PathBuf]) {
    let protected: Vec<PathBuf> = protected.iter().map(|path| workspace.join(path)).collect();
    system::remove_placeholders(&protected);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_that_fails_is_reported_and_the_others_are_tried_without_it() {
        let mut attempts = 0;
        let reports = layers(|wanted| {
            attempts += 1;
            let bad = [Layer::MountNamespace, Layer::Landlock];
            match wanted.iter().find(|layer| bad.contains(layer)) {
                Some(&layer) => Err(LayerError { layer, why: "no".to_owned() }),
                None => Ok(()),
            }
        });
        let missing: Vec<_> = reports.iter().filter(|report| !report.available).collect();
        assert_eq!(missing.len(), 2);
        assert_eq!((attempts, reports.len()), (3, Layer::ALL.len()));
    }
}
