//! A shadow of the workspace, in which candidates of a fix are tried.
//!
//! In: a runner's options and a private folder. Out: layers over the workspace, at its own path: one
//! for the baseline, and on top of what that wrote one for each candidate, with its texts in it.
//! Programs run in a layer as in the workspace; what they write goes with the layer. Never writes to
//! the user's tree, and never uses a layer again.
//!
//! The layers are an overlay of the kernel, in the runner's own namespaces. Where that cannot be had, or
//! a run fails by what an overlay cannot do, a layer is a copy: of all that git does not ignore, with
//! the folders of packages shown read-only.

mod contents;
mod copy;
mod layer;
mod private;
mod tree;

pub use layer::ShadowLayer;

use crate::{LaunchShadow, RunError, Runner, RunnerOptions};
use contents::Texts;
use layer::LayerFolder;
use private::PrivateFolder;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tree::TreeWatch;

/// What a shadow is made from.
#[derive(Debug, Clone)]
pub struct ShadowOptions {
    /// How programs run; its workspace is what the shadow is of, and its records go there.
    pub runner: RunnerOptions,
    /// A folder of Salve's own for layers: outside of the workspace, best on a disk.
    pub private: PathBuf,
}

/// How a shadow keeps the workspace as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShadowMeans {
    /// Layers of the kernel over the workspace: costs the same for any size.
    Overlay,
    /// A copy that shares its blocks with the workspace until they are written.
    Reflink,
    /// A copy.
    Copy,
}

impl fmt::Display for ShadowMeans {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Overlay => "overlay",
            Self::Reflink => "reflink",
            Self::Copy => "copy",
        })
    }
}

/// Why there is no shadow, or no layer of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShadowError {
    /// The private folder lies in the workspace.
    #[error("the folder for shadows, `{}`, must be outside of the workspace", .0.display())]
    PrivateInside(PathBuf),
    /// A file of a candidate is not one of the workspace.
    #[error("`{0}` is not a file that a candidate can have")]
    BadPath(String),
    /// The workspace is too large to be copied.
    #[error("the workspace is too large to be copied: more than {entries} files or {} MiB", .bytes >> 20)]
    TooLarge {
        /// How many entries are copied at most.
        entries: usize,
        /// How many bytes.
        bytes: u64,
    },
    /// The runner refused.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The system refused.
    #[error("cannot {action}: {source}")]
    System {
        /// What was tried.
        action: String,
        /// What the system said.
        source: io::Error,
    },
}

/// Says what was tried when the system refuses.
fn system(action: impl Into<String>) -> impl FnOnce(io::Error) -> ShadowError {
    let action = action.into();
    move |source| ShadowError::System { action, source }
}

/// A shadow of a workspace; what it wrote is deleted with it.
#[derive(Debug)]
pub struct Shadow {
    runner: Runner,
    /// The workspace as the caller names it.
    named: PathBuf,
    means: Means,
    baseline: LayerFolder,
    layers: AtomicU64,
    /// A baseline run changes what candidates stand on.
    runs: RwLock<()>,
    tree: TreeWatch,
    // Last, so that everything in it is let go before.
    private: PrivateFolder,
}

/// What layers are made of; from an overlay they may turn to copies.
#[derive(Debug)]
struct Means {
    copies: AtomicBool,
    reflinks: AtomicBool,
}

impl Shadow {
    /// Opens a shadow of the workspace that the options name.
    ///
    /// # Errors
    ///
    /// Fails when the workspace or the private folder cannot be used, or the launcher cannot.
    pub fn open(options: ShadowOptions) -> Result<Self, ShadowError> {
        let named = options.runner.workspace.clone();
        let runner = Runner::new(options.runner)?;
        let private = PrivateFolder::create(&options.private, runner.workspace())?;
        let tree = TreeWatch::start(runner.workspace(), private.made_at()?)?;
        let baseline = LayerFolder::make(private.path().join("baseline"))?;
        let probe = LayerFolder::make(private.path().join("probe"))?;
        let copies = match runner.try_shadow(&probe.overlay(&[])) {
            Ok(()) => false,
            Err(RunError::MissingLayers { .. }) => true,
            Err(error) => return Err(error.into()),
        };
        drop(probe);
        let means = Means { copies: AtomicBool::new(copies), reflinks: AtomicBool::new(false) };
        let (layers, runs) = (AtomicU64::new(0), RwLock::new(()));
        Ok(Self { runner, named, means, baseline, layers, runs, tree, private })
    }

    /// Returns how the workspace is kept as it is.
    pub fn means(&self) -> ShadowMeans {
        match self.means.copies.load(Ordering::Relaxed) {
            false => ShadowMeans::Overlay,
            true if self.means.reflinks.load(Ordering::Relaxed) => ShadowMeans::Reflink,
            true => ShadowMeans::Copy,
        }
    }

    /// Returns the layer of the baseline: the user's tree, and what runs in this layer write. Every
    /// candidate stands on it.
    ///
    /// # Errors
    ///
    /// Fails when the workspace must be copied and cannot.
    pub fn baseline(&self) -> Result<ShadowLayer<'_>, ShadowError> {
        ShadowLayer::of_baseline(self)
    }

    /// Returns a layer of its own with these texts: whole files by their paths relative to the
    /// workspace, nothing for one that is deleted. Dropped, it is deleted.
    ///
    /// # Errors
    ///
    /// Fails when a path is not one of the workspace, or the layer cannot be written.
    pub fn candidate(
        &self,
        files: &BTreeMap<String, Option<String>>,
    ) -> Result<ShadowLayer<'_>, ShadowError> {
        let number = self.layers.fetch_add(1, Ordering::Relaxed);
        let folder = LayerFolder::make(self.private.path().join(number.to_string()))?;
        ShadowLayer::of_candidate(self, folder, Texts::of(self.workspace(), files)?)
    }

    /// Lists the files of the user's tree that differ from what they were when the shadow was opened:
    /// of what git does not ignore, those that were written, made or removed. One that was only touched is
    /// the same, unless the tree is very large.
    ///
    /// # Errors
    ///
    /// Fails when the tree cannot be read.
    pub fn tree_changes(&self) -> Result<Vec<String>, ShadowError> {
        self.tree.changes()
    }

    /// Returns a name of the user's tree as it was when the shadow was opened, by what the file system
    /// knows of its files: the same name is the same tree.
    ///
    /// # Errors
    ///
    /// Fails when the tree cannot be read.
    pub fn tree_name(&self) -> Result<String, ShadowError> {
        self.tree.name()
    }

    /// Returns the workspace, with links resolved.
    pub fn workspace(&self) -> &Path {
        self.runner.workspace()
    }
}
