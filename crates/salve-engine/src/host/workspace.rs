//! One folder and everything that works on it: files, policy, runner, toolchains.
//!
//! In: the folder, and the texts that count there (rules, approvals, toolchains), read and trusted by
//! the caller. Out: the open tree, verdicts on command lines, a runner. Never lets a text of the
//! workspace allow anything: that is the policy's rule, and its level is part of the text.

use super::{HostError, MachineConfig, Place};
use crate::facts::{CommandPaths, RepositoryFacts};
use salve_check::{
    Approvals, CacheFolder, CommandVerdict, Keep, PolicyRules, Profile, Registry, RuleSource,
    Runner, RunnerOptions, UserRules, judge_command,
};
use salve_tree::{AdmitOptions, DiskView, Recovery, Root, TreeError, Workspace, WorkspaceOptions};
use std::path::{Path, PathBuf};

/// A text of a configuration file, and where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigText<Level> {
    /// The file, for messages.
    pub path: PathBuf,
    /// Whose it is.
    pub level: Level,
    /// What it says.
    pub text: String,
}

/// What counts in a workspace.
#[derive(Default)]
pub struct WorkspaceConfig {
    /// The folder, with its symbolic links resolved.
    pub folder: PathBuf,
    /// Command rules, from low to high.
    pub rules: Vec<ConfigText<RuleSource>>,
    /// What the user agreed to before.
    pub approvals: Approvals,
    /// The ready lists of commands that the user asked for.
    pub profiles: Vec<Profile>,
    /// Toolchain entries the user trusts, from low to high.
    pub toolchains: Vec<ConfigText<()>>,
}

/// The parts of Salve that work on one folder.
pub struct WorkspaceHost {
    /// The folder.
    pub folder: PathBuf,
    /// What the policy is told.
    pub policy: PolicyRules,
    /// Rules that do not count, with the file that has them.
    pub ignored_rules: Vec<(PathBuf, String)>,
    /// The toolchains in force.
    pub toolchains: Registry,
    runner: RunnerOptions,
}

impl WorkspaceHost {
    /// Puts the parts together.
    ///
    /// # Errors
    /// When a rule or a toolchain in the texts cannot be used.
    pub fn new(machine: &MachineConfig, config: WorkspaceConfig) -> Result<Self, HostError> {
        let mut policy = PolicyRules::default();
        config.profiles.iter().for_each(|profile| policy.add_profile(*profile));
        let mut ignored_rules = Vec::new();
        for ConfigText { path, level, text } in config.rules {
            let loaded = UserRules::load(&text, level)
                .map_err(|source| HostError::Rules { path: path.clone(), source })?;
            loaded.rules.apply_to(&mut policy);
            ignored_rules.extend(loaded.ignored.into_iter().map(|why| (path.clone(), why)));
        }
        config.approvals.apply_to(&config.folder.to_string_lossy(), &mut policy);
        let mut toolchains = Registry::built_in();
        for ConfigText { path, text, .. } in config.toolchains {
            toolchains
                .register_toml(&text)
                .map_err(|source| HostError::Toolchains { path, source })?;
        }
        let runner = runner_options(machine, &config.folder);
        Ok(Self { folder: config.folder, policy, ignored_rules, toolchains, runner })
    }

    /// Makes the runner of this folder.
    ///
    /// # Errors
    /// When the folder is not there.
    pub fn runner(&self, keep: Keep) -> Result<Runner, HostError> {
        Ok(Runner::new(self.runner_options(keep))?)
    }

    /// Returns what a runner of this folder is made from, for one that works in a shadow of it.
    pub fn runner_options(&self, keep: Keep) -> RunnerOptions {
        RunnerOptions { keep, ..self.runner.clone() }
    }

    /// Makes a runner of another folder, by what counts in this one.
    ///
    /// # Errors
    /// When the folder is not there.
    pub fn runner_in(&self, folder: &Path, keep: Keep) -> Result<Runner, HostError> {
        let workspace = folder.to_owned();
        Ok(Runner::new(RunnerOptions { keep, workspace, ..self.runner.clone() })?)
    }

    /// Judges a command line by the rules in force here.
    ///
    /// # Errors
    /// When the folder cannot be opened.
    pub fn judge(&self, line: &str) -> Result<CommandVerdict, HostError> {
        let root = self.root()?;
        let repository = RepositoryFacts::of(&self.folder);
        Ok(judge_command(line, &self.policy, &CommandPaths::new(&root), &repository))
    }

    /// Opens the folder for path checks.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn root(&self) -> Result<Root, HostError> {
        Root::open(&self.folder)
            .map_err(|source| HostError::Folder { folder: self.folder.clone(), source })
    }
}

fn runner_options(machine: &MachineConfig, folder: &Path) -> RunnerOptions {
    RunnerOptions {
        launcher: machine.launcher.clone(),
        workspace: folder.to_owned(),
        inherited: machine.variables.clone(),
        temporary: machine.temporary.clone(),
        clock: machine.clock,
        keep: Keep::Nothing,
        without: Vec::new(),
        caches: machine.caches.clone().map(|all| CacheFolder { all, workspace: folder.to_owned() }),
    }
}

/// A workspace's files, open and at rest.
pub struct OpenWorkspace {
    /// The files, the journal and the history.
    pub tree: Workspace,
    /// What a crash had left, and what was done about it.
    pub recovery: Recovery,
    root: Root,
    /// The folder that paths are tried from too, relative to the root.
    here: String,
}

impl OpenWorkspace {
    /// Opens a folder and brings it to rest if a transaction was interrupted there.
    ///
    /// # Errors
    /// When it cannot be opened, or another process is writing for longer than the options wait.
    pub fn open(folder: &Path, options: WorkspaceOptions) -> Result<Self, TreeError> {
        let (tree, recovery) = Workspace::open(folder, options)?;
        let root = tree.open_root()?;
        Ok(Self { tree, recovery, root, here: String::new() })
    }

    /// Opens the workspace of a place; paths are tried from its root and from its folder.
    ///
    /// # Errors
    /// As [`OpenWorkspace::open`].
    pub fn open_at(place: &Place, options: WorkspaceOptions) -> Result<Self, TreeError> {
        Ok(Self { here: place.here.clone(), ..Self::open(&place.root, options)? })
    }

    /// Looks at the files as the verifier does.
    pub fn view(&self, options: AdmitOptions) -> DiskView<'_> {
        DiskView::new(&self.root, options).from_here(&self.here)
    }
}
