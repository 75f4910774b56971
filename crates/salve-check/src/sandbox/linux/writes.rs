//! Landlock: where programs may write, by the kernel's own rules and beside the mounts.
//!
//! In: the folders that stay writable. Out: this process and everything it starts can change files
//! nowhere else, cannot signal processes outside and cannot reach abstract sockets outside. Never
//! restricts reading: what must not be read is not in the view.
//!
//! TCP is only denied here when the launch has neither the network nor a network namespace: inside
//! a namespace nothing can be reached but the run itself, and test suites serve on loopback.

use super::refused;
use crate::launcher::{Launch, Layer, LayerError};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus,
    PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope,
};
use std::io;
use std::path::{Path, PathBuf};

/// Without the right to truncate a file, "cannot write" would be a hollow word.
const NEEDED: ABI = ABI::V3;
/// What is asked for beyond, where the kernel has it.
const WANTED: ABI = ABI::V6;

/// Restricts writing to the given folders.
pub(super) fn restrict(launch: &Launch, writable: &[PathBuf]) -> Result<(), LayerError> {
    let enforced = ruleset(launch, writable)
        .map_err(|error| refused(Layer::Landlock, &io::Error::other(error.to_string())))?;
    match enforced {
        RulesetStatus::NotEnforced => {
            let why = "the kernel has no Landlock of version 3 or later".to_owned();
            Err(LayerError { layer: Layer::Landlock, why })
        }
        _ => Ok(()),
    }
}

/// Returns which version this kernel has, if any.
pub(crate) fn landlock_version() -> Option<u32> {
    let status = landlock::RestrictSelf::default().no_new_privs(false).apply().ok()?.landlock;
    match status {
        LandlockStatus::Available { effective_abi, kernel_abi } => {
            u32::try_from(kernel_abi.unwrap_or(effective_abi as i32)).ok()
        }
        _ => None,
    }
}

/// Says which version this kernel has.
pub(super) fn version() -> String {
    match landlock::RestrictSelf::default().no_new_privs(false).apply().map(|done| done.landlock) {
        Ok(LandlockStatus::Available { effective_abi, kernel_abi }) => {
            format!("version {}", kernel_abi.unwrap_or(effective_abi as i32))
        }
        Ok(LandlockStatus::NotEnabled) => "not switched on in this kernel".to_owned(),
        Ok(LandlockStatus::NotImplemented) => "not in this kernel".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn ruleset(launch: &Launch, writable: &[PathBuf]) -> Result<RulesetStatus, RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_write(WANTED))?
        .scope(Scope::from_all(WANTED))?;
    if !launch.network && !launch.layers.contains(&Layer::NetworkNamespace) {
        rules = rules
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessNet::from_all(WANTED))?
            .set_compatibility(CompatLevel::BestEffort);
    }
    let mut rules = rules.create()?;
    for folder in writable {
        rules = allow(rules, folder, AccessFs::from_write(WANTED))?;
    }
    // Without a view the others are there as well, and root owns the disks.
    for device in super::HARMLESS_DEVICES {
        let device = Path::new("/dev").join(device);
        rules = allow(rules, &device, AccessFs::WriteFile | AccessFs::IoctlDev)?;
    }
    if launch.layers.contains(&Layer::MountNamespace) {
        for terminals in ["/dev/pts", "/dev/tty"] {
            let rights = AccessFs::WriteFile | AccessFs::IoctlDev;
            rules = allow(rules, Path::new(terminals), rights)?;
        }
    }
    Ok(rules.restrict_self()?.ruleset)
}

fn allow(
    rules: landlock::RulesetCreated,
    folder: &Path,
    rights: BitFlags<AccessFs>,
) -> Result<landlock::RulesetCreated, RulesetError> {
    match PathFd::new(folder) {
        Ok(folder) => rules.add_rule(PathBeneath::new(folder, rights)),
        // What is not there needs no right.
        Err(_) => Ok(rules),
    }
}
