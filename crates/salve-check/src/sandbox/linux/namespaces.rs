//! The namespaces: own users, processes, network, queues and host name, and own mounts.
//!
//! In: a launch, in the outer stage. Out: this process in the new namespaces, with the capabilities there that the
//! inner stage needs to build its view. Never gains anything outside: the new user namespace maps
//! this user to itself and nobody else.

use super::{loopback, refused};
use crate::launcher::{Launch, Layer, LayerError};
use rustix::process::{getegid, geteuid};
use rustix::thread::{CapabilitySet, CapabilitySets, UnshareFlags};
use std::fs::OpenOptions;
use std::io::{self, Write};

/// What the inner stage does with them: mounts, the owners of files in private layers, and giving
/// the rest away.
const NEEDED_INSIDE: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::SYS_ADMIN);

/// Enters every namespace that the launch asks for. The process must have one thread.
pub(super) fn enter(launch: &Launch) -> Result<(), LayerError> {
    let wanted = |layer: &Layer| launch.layers.contains(layer);
    if wanted(&Layer::UserNamespace) {
        enter_user_namespace().map_err(|error| refused(Layer::UserNamespace, &error))?;
    }
    for (layer, flags) in OTHERS {
        let unwanted = *layer == Layer::NetworkNamespace && launch.network;
        if wanted(layer) && !unwanted {
            unshare(*flags).map_err(|error| refused(*layer, &error))?;
        }
    }
    if wanted(&Layer::NetworkNamespace) && !launch.network {
        loopback::bring_up().map_err(|error| refused(Layer::NetworkNamespace, &error))?;
    }
    if wanted(&Layer::IpcNamespace) {
        // The one name that every machine can resolve without a network.
        rustix::system::sethostname(b"localhost")
            .map_err(|error| refused(Layer::IpcNamespace, &error.into()))?;
    }
    Ok(())
}

const OTHERS: &[(Layer, UnshareFlags)] = &[
    (Layer::NetworkNamespace, UnshareFlags::NEWNET),
    (Layer::IpcNamespace, UnshareFlags::NEWIPC.union(UnshareFlags::NEWUTS)),
    (Layer::PidNamespace, UnshareFlags::NEWPID.union(UnshareFlags::NEWCGROUP)),
];

fn enter_user_namespace() -> io::Result<()> {
    let (user, group) = (geteuid(), getegid());
    if user.is_root() {
        // Only root may, and only root needs it: others cannot use a group they do not belong to.
        rustix::thread::set_thread_groups(&[])?;
    }
    unshare(UnshareFlags::NEWUSER)?;
    write_once("/proc/self/setgroups", "deny")?;
    write_once("/proc/self/uid_map", &format!("{0} {0} 1", user.as_raw()))?;
    write_once("/proc/self/gid_map", &format!("{0} {0} 1", group.as_raw()))?;
    pass_on_capabilities()
}

/// A user other than root loses its capabilities when the inner stage starts, unless they are
/// ambient.
fn pass_on_capabilities() -> io::Result<()> {
    let CapabilitySets { effective, permitted, .. } = rustix::thread::capabilities(None)?;
    let sets = CapabilitySets { effective, permitted, inheritable: NEEDED_INSIDE };
    rustix::thread::set_capabilities(None, sets)?;
    for capability in NEEDED_INSIDE.iter() {
        rustix::thread::configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

/// Enters a mount namespace; called by the inner stage, so that the outer one keeps the machine's
/// view and can still remove placeholders.
pub(super) fn enter_mount_namespace() -> io::Result<()> {
    unshare(UnshareFlags::NEWNS)
}

#[expect(deprecated, reason = "the safe form; unsafe is only unsharing the table of descriptors")]
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(flags)?)
}

/// The kernel takes these files in one write or not at all.
fn write_once(path: &str, text: &str) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.write_all(text.as_bytes())
}
