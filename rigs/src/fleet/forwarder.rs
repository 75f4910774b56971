//! Passes connections on, and can stop doing so.
//!
//! In: an address to listen on and one to pass on to. Out: bytes, both ways. While it is cut nothing is
//! refused and nothing arrives, as on a link that is down. Never reads what it passes on.

use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A forwarder that runs until it is dropped.
pub(crate) struct Forwarder {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    cut: AtomicBool,
    ended: AtomicBool,
}

impl State {
    // Waits while the link is down; false when it is over.
    fn may_pass(&self) -> bool {
        while self.cut.load(Ordering::SeqCst) && !self.ended.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(20));
        }
        !self.ended.load(Ordering::SeqCst)
    }
}

impl Forwarder {
    /// Listens on any port of an address.
    pub(crate) fn start(on: IpAddr, target: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((on, 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                if !shared.may_pass() {
                    return;
                }
                if let (Ok(client), Ok(server)) = (client, TcpStream::connect(target)) {
                    let _ = pass_on(&client, &server, &shared);
                }
            }
        });
        Ok(Self { address, state })
    }

    /// Stops passing on, or begins again.
    pub(crate) fn set_cut(&self, cut: bool) {
        self.state.cut.store(cut, Ordering::SeqCst);
    }
}

impl Drop for Forwarder {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::SeqCst);
        // Wakes the one that accepts, so that the port is free again.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_millis(200));
    }
}

fn pass_on(client: &TcpStream, server: &TcpStream, state: &Arc<State>) -> std::io::Result<()> {
    for (from, to) in [(client, server), (server, client)] {
        from.set_nodelay(true)?;
        let (mut from, mut to) = (from.try_clone()?, to.try_clone()?);
        let state = Arc::clone(state);
        std::thread::spawn(move || {
            let mut bytes = [0; 16 * 1024];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                if !state.may_pass() || to.write_all(&bytes[..count]).is_err() {
                    break;
                }
            }
            let _ = (from.shutdown(Shutdown::Read), to.shutdown(Shutdown::Write));
        });
    }
    Ok(())
}
