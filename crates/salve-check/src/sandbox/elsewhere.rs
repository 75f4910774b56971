//! The layers on a system that has none of them.
//!
//! In: a launch. Out: a refusal of its first layer. Never pretends.

use crate::launcher::{Launch, Layer, LayerError};
use std::path::PathBuf;

/// There is nothing to stand in for.
#[derive(Debug, Default)]
pub(crate) struct Placeholders;

/// There are no launches to make folders for.
#[derive(Debug, Default)]
pub(crate) struct BuildFolders;

pub(super) fn make_build_folders(_: &std::path::Path) -> BuildFolders {
    BuildFolders
}

pub(super) fn landlock_version() -> Option<u32> {
    None
}

pub(super) fn enter_namespaces(launch: &Launch) -> Result<Placeholders, LayerError> {
    confine(launch).map(|()| Placeholders)
}

pub(super) fn confine(launch: &Launch) -> Result<(), LayerError> {
    match launch.layers.first() {
        None => Ok(()),
        Some(&layer) => Err(LayerError { layer, why: detail(layer) }),
    }
}

pub(super) fn lacks(_: &Launch, _: Layer) -> Option<Layer> {
    None
}

pub(super) fn detail(_: Layer) -> String {
    "only Linux has it".to_owned()
}

pub(super) fn remove_placeholders(_: &[PathBuf]) {}
