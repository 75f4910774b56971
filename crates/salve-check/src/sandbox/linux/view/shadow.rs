//! What programs find in the place of the workspace when they must not reach it.
//!
//! In: the launch's shadow. Out: an overlay or a copy mounted at the workspace's own path, with the
//! protected paths of the real one on top, read-only. Never mounts the workspace itself writable: a
//! shadow that cannot be had is a refusal.

use super::super::{mount_table, refused};
use super::{View, outside, scaffold};
use crate::launcher::{LaunchShadow, Layer, LayerError};
use rustix::mount::MountFlags;
use std::io;
use std::path::{Path, PathBuf};

/// The first number of the layers over what is mounted inside the workspace.
const INNER_LAYERS: usize = 10_000;

impl View<'_> {
    /// Returns whether a place is the workspace, and something else is shown there.
    pub(super) fn is_shadowed(&self, path: &Path) -> bool {
        self.launch.shadow.is_some() && path == self.launch.workspace
    }

    /// Puts the shadow where the workspace would be.
    pub(super) fn shadow(&mut self) -> Result<(), LayerError> {
        let failed = |error: io::Error| refused(Layer::PrivateLayers, &error);
        let workspace = self.launch.workspace.clone();
        match &self.launch.shadow {
            None => {}
            Some(LaunchShadow::Overlay { lower, upper, work }) => {
                self.overlay(lower, upper, work).map_err(failed)?;
                self.writable.push(workspace);
                self.layer_inner_mounts()?;
            }
            Some(LaunchShadow::Copy { folder, shown }) => {
                self.bind(&outside(folder), &workspace).map_err(failed)?;
                self.writable.push(workspace.clone());
                for path in shown {
                    self.show_below_shadow(&workspace.join(path)).map_err(failed)?;
                }
            }
        }
        Ok(())
    }

    fn overlay(&self, lower: &[PathBuf], upper: &Path, work: &Path) -> io::Result<()> {
        let workspace = &self.launch.workspace;
        self.scaffold.folders(workspace)?;
        let lower: Vec<PathBuf> =
            lower.iter().chain([workspace]).map(|path| outside(path)).collect();
        let lower: Vec<&Path> = lower.iter().map(PathBuf::as_path).collect();
        let options = scaffold::overlay_options(&lower, &outside(upper), &outside(work))?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        Ok(rustix::mount::mount("salve", workspace, "overlay", flags, options.as_c_str())?)
    }

    /// An overlay shows the folder below a mount and not what is mounted there.
    fn layer_inner_mounts(&mut self) -> Result<(), LayerError> {
        let failed = |error: io::Error| refused(Layer::PrivateLayers, &error);
        let (workspace, proc) = (outside(&self.launch.workspace), outside(Path::new("/proc")));
        let mounts = mount_table::read(&proc).map_err(failed)?;
        let inner = mounts.iter().filter_map(|mount| mount.path.strip_prefix(&workspace).ok());
        let inner: Vec<&Path> = inner.filter(|path| !path.as_os_str().is_empty()).collect();
        for (number, path) in inner.into_iter().enumerate() {
            let path = self.launch.workspace.join(path);
            match outside(&path).is_dir() {
                true => self.layer(&path, INNER_LAYERS + number)?,
                false => self.show_below_shadow(&path).map_err(failed)?,
            }
        }
        Ok(())
    }

    /// Shows something of the workspace itself inside its shadow, read-only. A run before this one may
    /// have put a link in its place, which leads nowhere that this run could not write to.
    pub(super) fn show_below_shadow(&mut self, path: &Path) -> io::Result<()> {
        let (real, here) = (outside(path), path);
        let kind = |path: &Path| path.symlink_metadata().ok().map(|found| found.file_type());
        let (Some(real_kind), Some(here_kind)) = (kind(&real), kind(here)) else { return Ok(()) };
        if real_kind != here_kind || here_kind.is_symlink() {
            return Ok(());
        }
        rustix::mount::mount_bind_recursive(&real, here)?;
        self.fixed.push(here.to_owned());
        Ok(())
    }
}
