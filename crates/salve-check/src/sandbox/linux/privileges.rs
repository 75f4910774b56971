//! Gives up every privilege; none can be regained.
//!
//! In: a process that has built its view. Out: the same process without capabilities, without a way
//! to gain any, and closed to the programs it is going to start. Never fails half-way silently.

use super::refused;
use crate::launcher::{Layer, LayerError};
use rustix::process::DumpableBehavior;
use rustix::thread::{CapabilitiesSecureBits, CapabilitySet, CapabilitySets};
use std::io;

/// Drops all capabilities; what is executed later gets none either, whatever its owner.
pub(super) fn drop_all() -> Result<(), LayerError> {
    try_drop_all().map_err(|error| refused(Layer::Privileges, &error))
}

fn try_drop_all() -> io::Result<()> {
    rustix::thread::clear_ambient_capability_set()?;
    let held = rustix::thread::capabilities(None)?.effective;
    if held.contains(CapabilitySet::SETPCAP) {
        rustix::thread::set_capabilities_secure_bits(root_is_nothing_special())?;
        for number in 0..u64::BITS {
            let capability = CapabilitySet::from_bits_retain(1 << number);
            // The first number that the kernel does not know ends the list.
            match rustix::thread::capability_is_in_bounding_set(capability) {
                Ok(true) => rustix::thread::remove_capability_from_bounding_set(capability)?,
                Ok(false) => {}
                Err(_) => break,
            }
        }
    }
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(
        None,
        CapabilitySets { effective: none, permitted: none, inheritable: none },
    )?;
    rustix::thread::set_no_new_privs(true)?;
    // Programs run as the same user: without this they could write into the memory of the launcher
    // and reach its socket through `/proc/1`.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    Ok(())
}

fn root_is_nothing_special() -> CapabilitiesSecureBits {
    CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED
}
