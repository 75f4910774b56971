//! The second way: Landlock alone decides what programs read and write.
//!
//! In: a launch without namespaces. Out: this process and everything it starts can open what is
//! granted and nothing else, and cannot signal processes outside. Never grants through a link: what
//! a link leads to may lie anywhere.
//!
//! Landlock grants a folder with everything below it and knows no exception. So a folder with
//! something protected or hidden in it is not granted itself: its other entries are, one by one. What
//! is made in it later has no grant.

mod around;

use super::view::places::{self, Kind};
use super::{HARMLESS_DEVICES, refused};
use crate::launcher::{Launch, Layer, LayerError};
use around::{Split, around};
use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};
use std::io;
use std::path::{Path, PathBuf};

/// Without the right to truncate a file, "cannot write" would be a hollow word.
const NEEDED: ABI = ABI::V3;
/// What is asked for beyond, where the kernel has it.
const WANTED: ABI = ABI::V6;
/// What programs ask the kernel about the machine and themselves. Memory and variables of processes
/// outside stay closed: Landlock forbids to look into them.
const ABOUT_THE_MACHINE: &[&str] = &["/proc", "/sys/devices/system/cpu"];

/// What is granted at a path and below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Right {
    /// To know which entries there are.
    List,
    Read,
    Write,
    Device,
}

/// Restricts this process for good.
pub(super) fn restrict(launch: &Launch) -> Result<(), LayerError> {
    let failed = |error: io::Error| refused(Layer::Landlock, &error);
    let grants = grants(launch).map_err(failed)?;
    let status = apply(&grants).map_err(|error| failed(io::Error::other(error.to_string())))?;
    match status {
        RulesetStatus::NotEnforced => {
            let why = "the kernel has no Landlock of version 3 or later".to_owned();
            Err(LayerError { layer: Layer::Landlock, why })
        }
        _ => Ok(()),
    }
}

fn grants(launch: &Launch) -> io::Result<Vec<(PathBuf, Right)>> {
    let places = places::plan(launch)?;
    let of = |kinds: &[Kind]| -> Vec<PathBuf> {
        let chosen = places.iter().filter(|place| kinds.contains(&place.kind));
        chosen.map(|place| place.path.clone()).collect()
    };
    let mut closed = of(&[Kind::Hidden]);
    if rustix::process::getuid().is_root() {
        closed.extend(places::SECRETS_OF_ROOT.iter().map(PathBuf::from));
    }
    let system = places::SYSTEM_FOLDERS.iter().chain(ABOUT_THE_MACHINE);
    let system = system.filter_map(|path| Path::new(path).canonicalize().ok());
    let read = system.chain(of(&[Kind::ReadOnly, Kind::Layered, Kind::Writable]));
    let mut grants = Vec::new();
    for path in read {
        put(&mut grants, around(&path, &closed), Right::Read);
    }
    closed.extend(fixed(launch));
    for path in of(&[Kind::Writable]) {
        let Split { whole, .. } = around(&path, &closed);
        grants.extend(whole.into_iter().map(|path| (path, Right::Write)));
    }
    let devices = HARMLESS_DEVICES.iter().map(|name| Path::new("/dev").join(name));
    grants.extend(devices.map(|path| (path, Right::Device)));
    Ok(grants)
}

/// What is protected, and what the names of it lead to.
fn fixed(launch: &Launch) -> Vec<PathBuf> {
    let mut fixed = places::protected(launch);
    fixed.extend(launch.kept.iter().cloned());
    let led_to: Vec<PathBuf> = fixed.iter().filter_map(|path| path.canonicalize().ok()).collect();
    fixed.extend(led_to);
    fixed
}

fn put(grants: &mut Vec<(PathBuf, Right)>, split: Split, right: Right) {
    grants.extend(split.whole.into_iter().map(|path| (path, right)));
    grants.extend(split.folders.into_iter().map(|path| (path, Right::List)));
}

fn apply(grants: &[(PathBuf, Right)]) -> Result<RulesetStatus, RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WANTED))?
        .scope(Scope::from_all(WANTED))?
        .create()?;
    for (path, right) in grants {
        rules = grant(rules, path, *right)?;
    }
    Ok(rules.restrict_self()?.ruleset)
}

fn grant(rules: RulesetCreated, path: &Path, right: Right) -> Result<RulesetCreated, RulesetError> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let opened = rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
    // What is not there needs no right, and a link gets none.
    let Ok(file) = opened else { return Ok(rules) };
    let Ok(found) = rustix::fs::fstat(&file) else { return Ok(rules) };
    let is_folder = FileType::from_raw_mode(found.st_mode).is_dir();
    rules.add_rule(PathBeneath::new(file, rights(right, is_folder)))
}

fn rights(right: Right, is_folder: bool) -> BitFlags<AccessFs> {
    let all = match right {
        Right::List => AccessFs::ReadDir.into(),
        Right::Read => AccessFs::from_read(WANTED),
        Right::Write => AccessFs::from_all(WANTED),
        Right::Device => AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev,
    };
    if is_folder { all } else { all & AccessFs::from_file(WANTED) }
}
