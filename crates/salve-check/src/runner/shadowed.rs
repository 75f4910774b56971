//! Runs in a shadow of the workspace.
//!
//! In: a launch and what programs shall find in the place of the workspace. Out: the launch changed so
//! that they do; or a refusal. Never a launch that writes to the workspace itself.

use super::outcome::{Refusal, ending, system};
use super::{Runner, session};
use crate::{Launch, LaunchShadow, Layer, RunError, RunRequest};
use std::path::{Component, Path, PathBuf};

/// Returns whether a layer was refused because of the shadow, and not because the machine lacks it.
pub(super) fn is_the_shadow(launch: &Launch, layer: Layer) -> bool {
    launch.shadow.is_some() && layer == Layer::PrivateLayers
}

impl Runner {
    /// Returns the workspace, with links resolved.
    pub(crate) fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Returns whether runs have a view of files of their own.
    pub(crate) fn has_own_view(&self) -> bool {
        crate::sandbox::layers_without(&self.known_missing()).contains(&Layer::MountNamespace)
    }

    /// Finds out whether this machine can show a shadow, by launching nothing in it.
    pub(crate) fn try_shadow(&self, shadow: &LaunchShadow) -> Result<(), RunError> {
        let request = self.question();
        loop {
            let missing = self.known_missing();
            let scratch = self.scratch(self.seconds())?;
            let mut launch = self.launch(&request, &scratch, &missing, Some(shadow))?;
            self.add_shadow(&mut launch, shadow, &request)?;
            let finished =
                session::run(&self.launcher, &launch, Default::default(), None, &mut |_, _| {});
            let finished = finished.map_err(system("run the launcher"))?;
            match ending(&finished) {
                Ok(_) => return Ok(()),
                Err(Refusal::Layer(layer, _))
                    if !missing.contains(&layer) && !is_the_shadow(&launch, layer) =>
                {
                    self.learn(layer);
                }
                Err(Refusal::Layer(layer, why)) => {
                    let missing = vec![format!("{layer} ({why})")];
                    return Err(RunError::MissingLayers { missing, open: Vec::new() });
                }
                Err(Refusal::Other(error)) => return Err(error),
            }
        }
    }

    /// Puts a shadow in the place of the workspace.
    pub(super) fn add_shadow(
        &self,
        launch: &mut Launch,
        shadow: &LaunchShadow,
        request: &RunRequest,
    ) -> Result<(), RunError> {
        let needed: &[Layer] = match shadow {
            LaunchShadow::Overlay { .. } => &[Layer::MountNamespace, Layer::PrivateLayers],
            LaunchShadow::Copy { .. } => &[Layer::MountNamespace],
        };
        let missing = needed.iter().filter(|layer| !launch.layers.contains(layer));
        let missing: Vec<String> = missing.map(|layer| layer.name().to_owned()).collect();
        if missing.is_empty() {
            launch.shadow = Some(shadow.clone());
            return Ok(());
        }
        let LaunchShadow::Copy { folder, shown } = shadow else {
            return Err(RunError::MissingLayers { missing, open: Vec::new() });
        };
        // Without mounts a copy is at its own place, and all of it may be written.
        let below = self.below_workspace(&request.cwd)?;
        launch.cwd = folder.join(below);
        launch.workspace = folder.clone();
        launch.protected.clear();
        launch.layered.extend(shown.iter().map(|path| self.workspace.join(path)));
        Ok(())
    }

    /// Resolves the folder that programs start in. One that exists only in a shadow has no links.
    pub(super) fn folder_to_start_in(
        &self,
        request: &RunRequest,
        shadow: Option<&LaunchShadow>,
    ) -> Result<PathBuf, RunError> {
        let found = request.cwd.canonicalize();
        let missing = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
        match found {
            Err(error) if shadow.is_some() && missing(&error) => {
                Ok(self.workspace.join(self.below_workspace(&request.cwd)?))
            }
            found => found.map_err(system(format!("find the folder `{}`", request.cwd.display()))),
        }
    }

    fn below_workspace(&self, path: &Path) -> Result<PathBuf, RunError> {
        let resolved = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let below = resolved.strip_prefix(&self.workspace).map(Path::to_path_buf);
        let plain = |path: &PathBuf| path.components().all(|c| matches!(c, Component::Normal(_)));
        below.ok().filter(plain).ok_or_else(|| {
            let outside = std::io::Error::other("it is outside the workspace");
            system(format!("run in `{}`", path.display()))(outside)
        })
    }
}
