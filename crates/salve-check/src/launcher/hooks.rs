//! Where the sandbox meets the launcher.
//!
//! In: a launch. Out: the layers of it applied to this process, or the first that failed. Never
//! decides which layers a launch should have.

use super::{Launch, Layer, LayerError};

/// Returns the layers this machine has.
pub(crate) fn available_layers() -> Vec<Layer> {
    Vec::new()
}

/// Enters the namespaces of the launch; called by the outer stage, which has one thread.
pub(super) fn enter_namespaces(launch: &Launch) -> Result<(), LayerError> {
    match launch.layers.first() {
        None => Ok(()),
        Some(&layer) => Err(LayerError { layer, why: "not built into this launcher".to_owned() }),
    }
}

/// Applies everything that acts on this process and its children; called by the inner stage, which
/// has one thread and is the first process of its PID namespace when there is one.
pub(super) fn confine(launch: &Launch) -> Result<(), LayerError> {
    enter_namespaces(launch)
}
