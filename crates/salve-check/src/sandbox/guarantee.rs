//! What a run is kept from, whatever keeps it: the guarantees that decide whether it may start
//! without a person's word.
//!
//! In: the layers a machine lacks, the version of its Landlock. Out: which layers a launch gets, and
//! which guarantees nothing keeps then. Never counts layers: a machine without namespaces keeps
//! every guarantee by rules alone.
//!
//! | guarantee | by namespaces | by rules |
//! |---|---|---|
//! | no write outside | own mounts, Landlock | Landlock: names and contents |
//! | no secrets | own mounts, own `/proc` and queues | Landlock, seccomp |
//! | no network | own network | seccomp: no sockets but pairs |
//! | no survivor | own processes | a keeper outside, which programs cannot signal |
//! | limits | rlimits, a watch | rlimits, a watch |
//!
//! Rules are coarser than mounts, and what that means is part of the report: nothing new can be made
//! directly in the workspace's folder, because Landlock knows no exception for `.git` below it;
//! `/tmp`, shared memory and loopback do not exist for a run; and modes and times of the user's
//! other files, as well as other processes' command lines, are as open as to any of their programs.

use super::{LayerReport, system};
use crate::launcher::Layer;
use serde::Serialize;
use std::fmt;

/// Since this version Landlock keeps signals inside, without which a keeper could be killed.
const SCOPED_SIGNALS: u32 = 6;

/// Something that a run can not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// Write outside the workspace and its private folders.
    NoWriteOutside,
    /// Read secrets: homes, credentials, other processes' memory and variables.
    NoSecrets,
    /// Reach a network.
    NoNetwork,
    /// Leave a process behind.
    NoSurvivor,
    /// Use up more than its limits.
    Limits,
}

/// Whether one guarantee holds here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GuaranteeReport {
    /// The guarantee.
    pub guarantee: Guarantee,
    /// Whether it holds.
    pub held: bool,
    /// By what it holds, or what it lacks.
    pub by: String,
}

impl Guarantee {
    /// Lists every guarantee.
    pub const ALL: &[Self] =
        &[Self::NoWriteOutside, Self::NoSecrets, Self::NoNetwork, Self::NoSurvivor, Self::Limits];

    /// Returns the name as written on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoWriteOutside => "no-write-outside",
            Self::NoSecrets => "no-secrets",
            Self::NoNetwork => "no-network",
            Self::NoSurvivor => "no-survivor",
            Self::Limits => "limits",
        }
    }

    /// Says in words what a run could do without it.
    #[must_use]
    pub const fn risk(self) -> &'static str {
        match self {
            Self::NoWriteOutside => "it could change files outside the workspace",
            Self::NoSecrets => "it could read your keys and other files",
            Self::NoNetwork => "it could use the network",
            Self::NoSurvivor => "it could signal your other programs and leave processes behind",
            Self::Limits => "it could use up memory, processors and disk",
        }
    }

    /// The layers that keep it where not one of the two ways is whole.
    const fn layers(self) -> &'static [Layer] {
        use Layer::*;
        match self {
            Self::NoWriteOutside => &[MountNamespace, Landlock, Privileges, Seccomp],
            Self::NoSecrets => {
                &[MountNamespace, ProcFileSystem, PidNamespace, IpcNamespace, Privileges, Seccomp]
            }
            Self::NoNetwork => &[NetworkNamespace, Seccomp],
            Self::NoSurvivor => &[PidNamespace],
            Self::Limits => &[Rlimits],
        }
    }

    const fn by_namespaces(self) -> &'static str {
        match self {
            Self::NoWriteOutside => "own mounts, Landlock",
            Self::NoSecrets => "own mounts, own /proc, own shared memory",
            Self::NoNetwork => "own network with nothing but a loopback",
            Self::NoSurvivor => "own processes, which end together",
            Self::Limits => "rlimits, a watch over memory, processes and disk",
        }
    }

    const fn by_rules(self) -> &'static str {
        match self {
            Self::NoWriteOutside => {
                "Landlock; nothing new can be made directly in the workspace's folder but build \
                 folders, nothing in /tmp; modes and times of other files of yours can be changed"
            }
            Self::NoSecrets => {
                "Landlock, seccomp; command lines of other processes can be read, as by every program"
            }
            Self::NoNetwork => "seccomp: no sockets, not even a loopback",
            Self::NoSurvivor => "a keeper outside of Landlock's walls that adopts orphans",
            Self::Limits => "rlimits, a watch over memory, processes and disk",
        }
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Returns the layers that a launch gets on a machine that lacks some: all that are left, or rules
/// alone where namespaces are not whole.
pub(crate) fn layers_without(missing: &[Layer]) -> Vec<Layer> {
    if goes_by_rules(missing) {
        return Layer::OF_RULES.to_vec();
    }
    Layer::ALL.iter().filter(|layer| !missing.contains(layer)).copied().collect()
}

/// Lists the guarantees that nothing keeps on a machine that lacks these layers.
pub(crate) fn not_held_without(missing: &[Layer]) -> Vec<Guarantee> {
    not_held(missing, system::landlock_version())
}

/// Reports on every guarantee, given what was found of the layers.
pub(crate) fn guarantees(layers: &[LayerReport]) -> Vec<GuaranteeReport> {
    let missing: Vec<Layer> =
        layers.iter().filter(|report| !report.available).map(|report| report.layer).collect();
    let open = not_held_without(&missing);
    let report = |&guarantee: &Guarantee| {
        let held = !open.contains(&guarantee);
        let by = match (held, goes_by_rules(&missing)) {
            (true, true) => guarantee.by_rules().to_owned(),
            (true, false) => guarantee.by_namespaces().to_owned(),
            (false, true) => {
                format!("{}: the kernel's Landlock is older than version 6", guarantee.risk())
            }
            (false, false) => guarantee.risk().to_owned(),
        };
        GuaranteeReport { guarantee, held, by }
    };
    Guarantee::ALL.iter().map(report).collect()
}

/// Both ways are whole or not there: half of the namespaces are not mixed with rules.
fn goes_by_rules(missing: &[Layer]) -> bool {
    Layer::OF_NAMESPACES.iter().any(|layer| missing.contains(layer))
        && !Layer::OF_RULES.iter().any(|layer| missing.contains(layer))
}

fn not_held(missing: &[Layer], landlock: Option<u32>) -> Vec<Guarantee> {
    let open: fn(Guarantee, &[Layer]) -> bool =
        |guarantee, missing| guarantee.layers().iter().any(|layer| missing.contains(layer));
    let rules = goes_by_rules(missing);
    let is_open = |guarantee: &&Guarantee| match rules {
        true => **guarantee == Guarantee::NoSurvivor && landlock < Some(SCOPED_SIGNALS),
        false => open(**guarantee, missing),
    };
    Guarantee::ALL.iter().filter(is_open).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Guarantee::*;
    use Layer::*;

    #[test]
    fn guarantees_hold_by_either_way_and_not_by_halves() {
        let table: &[(&[Layer], Option<u32>, &[Guarantee])] = &[
            (&[], Some(7), &[]),
            (&[], Some(3), &[]),
            (&[PrivateLayers], Some(7), &[]),
            (&[UserNamespace], Some(7), &[]),
            (&[ProcFileSystem], Some(6), &[]),
            (Layer::OF_NAMESPACES, Some(6), &[]),
            (&[UserNamespace], Some(5), &[NoSurvivor]),
            (&[NetworkNamespace, PrivateLayers], Some(4), &[NoSurvivor]),
            (&[Seccomp], Some(7), &[NoWriteOutside, NoSecrets, NoNetwork]),
            (&[PidNamespace, Landlock], None, &[NoWriteOutside, NoSecrets, NoSurvivor]),
            (&[NetworkNamespace, Seccomp], Some(7), &[NoWriteOutside, NoSecrets, NoNetwork]),
            (&[Rlimits], Some(7), &[Limits]),
            (Layer::ALL, Some(7), Guarantee::ALL),
        ];
        for (missing, landlock, open) in table {
            assert_eq!(not_held(missing, *landlock), *open, "without {missing:?}");
        }
    }

    #[test]
    fn a_launch_gets_one_way_whole_or_what_is_left() {
        assert_eq!(layers_without(&[]), Layer::ALL);
        assert_eq!(layers_without(&[MountNamespace]), Layer::OF_RULES);
        let without_rules = layers_without(&[MountNamespace, Landlock]);
        assert!(without_rules.contains(&PidNamespace) && !without_rules.contains(&Landlock));
        assert!(layers_without(&[PrivateLayers]).contains(&MountNamespace));
    }
}
