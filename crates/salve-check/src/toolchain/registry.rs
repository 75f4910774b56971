//! The toolchains by name.
//!
//! In: the built-in table, then the user's. Out: specs, what applies to a folder, and runs of one
//! target. Never keeps state of a run.

use super::detect::{self, Detected};
use super::spec_text::{SpecError, read_specs};
use super::{BuildProfile, TargetProfile, ToolchainError, ToolchainSpec, survey};
use crate::RunPrograms;
use crate::check::{CheckOptions, CheckRun, check_one};
use std::path::Path;

/// The toolchains that can be asked for.
#[derive(Debug, Clone)]
pub struct Registry {
    specs: Vec<ToolchainSpec>,
}

impl Registry {
    /// Returns a registry without any toolchain.
    pub fn empty() -> Self {
        Self { specs: Vec::new() }
    }

    /// Returns the toolchains that come with Salve.
    pub fn built_in() -> Self {
        let specs = read_specs(include_str!("built_in.toml"), |_| None)
            .expect("the table is part of the program and a test reads it");
        Self { specs }
    }

    /// Adds a toolchain; one with the same id is replaced where it is.
    pub fn register(&mut self, spec: ToolchainSpec) {
        match self.specs.iter_mut().find(|known| known.target_id == spec.target_id) {
            Some(known) => *known = spec,
            None => self.specs.push(spec),
        }
    }

    /// Adds and overrides by a table in the form of `built_in.toml`.
    ///
    /// # Errors
    ///
    /// Fails when the text is not such a table; nothing is changed then.
    pub fn register_toml(&mut self, text: &str) -> Result<(), SpecError> {
        for spec in read_specs(text, |id| self.get(id).cloned())? {
            self.register(spec);
        }
        Ok(())
    }

    /// Returns a toolchain by its id.
    pub fn get(&self, target_id: &str) -> Option<&ToolchainSpec> {
        self.specs.iter().find(|spec| spec.target_id == target_id)
    }

    /// Iterates over all toolchains.
    pub fn specs(&self) -> impl Iterator<Item = &ToolchainSpec> {
        self.specs.iter()
    }

    /// Returns what a repair request says about a target.
    pub fn profile(&self, target_id: &str) -> Option<TargetProfile> {
        self.get(target_id).map(ToolchainSpec::profile)
    }

    /// Tells which toolchains apply to a folder, in the order they run.
    ///
    /// # Errors
    ///
    /// Fails when the folder cannot be read.
    pub fn detect(&self, folder: &Path) -> Result<Vec<Detected>, ToolchainError> {
        Ok(self.detect_in(folder, &survey(folder)?))
    }

    /// Runs one toolchain on a folder or a file.
    ///
    /// # Errors
    ///
    /// Fails when nothing was compiled: no such toolchain, its program is missing, the runner
    /// refused. A compile failure is a [`CheckRun`] that is red.
    pub fn invoke(
        &self,
        target_id: &str,
        path: &Path,
        profile: BuildProfile,
        runner: &dyn RunPrograms,
    ) -> Result<CheckRun, ToolchainError> {
        let spec = self.find(target_id)?;
        check_one(spec, path, &CheckOptions { profile, ..CheckOptions::default() }, runner)
    }

    pub(crate) fn find(&self, target_id: &str) -> Result<&ToolchainSpec, ToolchainError> {
        self.get(target_id).ok_or_else(|| ToolchainError::Unknown {
            target_id: target_id.to_owned(),
            known: self.specs.iter().map(|spec| spec.target_id.clone()).collect(),
        })
    }

    pub(crate) fn detect_in(&self, folder: &Path, survey: &super::survey::Survey) -> Vec<Detected> {
        detect::detect(&self.specs, folder, survey)
    }

    /// Returns the toolchain that stands in for one that is not installed.
    pub(crate) fn stand_in(&self, target_id: &str) -> Option<&ToolchainSpec> {
        self.specs.iter().find(|spec| spec.instead_of.as_deref() == Some(target_id))
    }
}
