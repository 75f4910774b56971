//! The ports of the machine that a launch has in its own network.
//!
//! In: a launch whose network namespace this process has entered. Out: something that listens on each
//! port of the loopback inside, handed to the runner, which is outside and joins it with the machine.
//! Never speaks to the machine itself: nothing in here could.
//!
//! A socket belongs to the network it was made in, whichever process holds it. So the listener is made
//! in here, where ports below 1024 are free to take too, and accepted from out there.

use super::{Launch, LauncherReport, Layer, failed, write_frame_with};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

/// Listens on every port of the launch and gives the listeners away.
pub(super) fn offer(launch: &Launch, runner: &UnixStream) -> Result<(), LauncherReport> {
    if !launch.wants_ports() {
        return Ok(());
    }
    if !launch.layers.contains(&Layer::NetworkNamespace) {
        // Here the ports are those of the machine.
        let why = "the run has no network of its own".to_owned();
        return Err(LauncherReport::Failed { action: "name ports".to_owned(), why });
    }
    for &port in &launch.ports {
        let tried = |error| failed(&format!("listen on port {port} inside"), &error);
        let give = |listener: &TcpListener| {
            write_frame_with(runner, &LauncherReport::Listening { port }, listener.as_fd())
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(tried)?;
        give(&listener).map_err(tried)?;
        // Many names resolve to this one first, and fall back to the other where it is missing.
        if let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
            give(&listener).map_err(tried)?;
        }
    }
    Ok(())
}
