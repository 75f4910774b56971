//! The private loopback of a network namespace, so that tests can serve and fetch on `127.0.0.1`.
//!
//! In: a fresh network namespace, whose only interface is down. Out: that interface up. Never
//! touches a namespace that has others: interface 1 is the loopback of every namespace.

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use std::io;

/// The length of a netlink header and of the message about one interface.
const HEADER: usize = 16;
const MESSAGE: usize = HEADER + 16;

/// Brings interface 1 up.
pub(super) fn bring_up() -> io::Result<()> {
    let socket = rustix::net::socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        // The protocol of number 0 is the one about interfaces and routes.
        None,
    )?;
    rustix::net::send(&socket, &request(), SendFlags::empty())?;
    let mut answer = [0_u8; 256];
    let (_, length) = rustix::net::recv(&socket, &mut answer, RecvFlags::empty())?;
    match answer.get(HEADER..length.min(HEADER + 4)).and_then(|code| code.try_into().ok()) {
        Some(code) => match i32::from_ne_bytes(code) {
            0 => Ok(()),
            negative => Err(io::Error::from_raw_os_error(-negative)),
        },
        None => Err(io::Error::other("the kernel's answer about the loopback is too short")),
    }
}

/// `RTM_NEWLINK` for interface 1 with the flag "up", to be acknowledged.
fn request() -> [u8; MESSAGE] {
    const NEW_LINK: u16 = 16;
    const REQUEST_AND_ACKNOWLEDGE: u16 = 1 | 4;
    const UP: u32 = 1;
    let mut bytes = [0; MESSAGE];
    let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
    put(0, &(MESSAGE as u32).to_ne_bytes());
    put(4, &NEW_LINK.to_ne_bytes());
    put(6, &REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    put(HEADER + 4, &1_i32.to_ne_bytes());
    put(HEADER + 8, &UP.to_ne_bytes());
    put(HEADER + 12, &UP.to_ne_bytes());
    bytes
}
