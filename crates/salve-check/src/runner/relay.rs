//! Joins ports inside of a run with the same ports of this machine.
//!
//! In: listeners that were made inside, and their ports. Out: what connects to one of them speaks with
//! the service on that port of this machine's loopback. Bounded in connections, and over when the run
//! is: dropped, it ends every connection. Never reaches another port or another machine.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::HashMap;
use std::io::{PipeReader, PipeWriter};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// How many connections there may be at a time; others wait until one has ended.
const MOST: usize = 128;
/// How long a service may take to accept.
const CONNECTING: Duration = Duration::from_secs(2);
/// How long before it is tried again whether there is room.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// Everything that is joined for one run.
#[derive(Debug, Default)]
pub(super) struct Relay {
    open: Arc<Connections>,
    accepting: Vec<Accepting>,
}

/// A thread that waits at one listener until the other end of its pipe is dropped.
#[derive(Debug)]
struct Accepting {
    thread: Option<JoinHandle<()>>,
    stop: Option<PipeWriter>,
}

impl Relay {
    /// Joins what listens inside with a port of this machine. Without room for a thread the port stays
    /// closed, as it is without a service.
    pub(super) fn add(&mut self, listener: OwnedFd, port: u16) {
        let listener = TcpListener::from(listener);
        let (Ok(()), Ok((stopped, stop))) = (listener.set_nonblocking(true), std::io::pipe())
        else {
            return;
        };
        let open = Arc::clone(&self.open);
        let wait = move || accept(&listener, port, &stopped, &open);
        if let Ok(thread) = Builder::new().name("port".to_owned()).spawn(wait) {
            self.accepting.push(Accepting { thread: Some(thread), stop: Some(stop) });
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        for accepting in &mut self.accepting {
            drop(accepting.stop.take());
        }
        for thread in self.accepting.iter_mut().filter_map(|accepting| accepting.thread.take()) {
            let _ = thread.join();
        }
        self.open.end();
    }
}

fn accept(listener: &TcpListener, port: u16, stopped: &PipeReader, open: &Arc<Connections>) {
    loop {
        let has_room = open.count() < MOST;
        let mut polled = vec![PollFd::new(stopped, PollFlags::empty())];
        if has_room {
            polled.push(PollFd::new(listener, PollFlags::IN));
        }
        match poll(&mut polled, (!has_room).then_some(&PAUSE)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
        let is_ready =
            |place: usize| polled.get(place).is_some_and(|polled| !polled.revents().is_empty());
        if is_ready(0) {
            return;
        }
        if !is_ready(1) {
            continue;
        }
        match listener.accept() {
            Ok((inside, _)) => {
                let ours = Arc::clone(open);
                let Some(number) = open.begin() else { return };
                let join = move || ours.join(number, &inside, port);
                if Builder::new().name("port".to_owned()).spawn(join).is_err() {
                    open.forget(number);
                }
            }
            // Too many open files, or a client that went away: neither is worth a busy loop.
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// The connections of a run.
#[derive(Debug, Default)]
struct Connections(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    next: u64,
    is_over: bool,
    /// Both ends of each; none while it is being made.
    ends: HashMap<u64, Option<[TcpStream; 2]>>,
}

impl Connections {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self) -> usize {
        self.lock().ends.len()
    }

    fn begin(&self) -> Option<u64> {
        let mut table = self.lock();
        if table.is_over {
            return None;
        }
        table.next += 1;
        let number = table.next;
        table.ends.insert(number, None);
        Some(number)
    }

    fn forget(&self, number: u64) {
        self.lock().ends.remove(&number);
    }

    /// Notes both ends so that they can be ended; says whether the run still goes on.
    fn is_noted(&self, number: u64, ends: [&TcpStream; 2]) -> bool {
        let [Ok(inside), Ok(outside)] = ends.map(TcpStream::try_clone) else { return false };
        let mut table = self.lock();
        table.ends.insert(number, Some([inside, outside]));
        !table.is_over
    }

    fn end(&self) {
        let mut table = self.lock();
        table.is_over = true;
        for end in table.ends.values().flatten().flatten() {
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    fn join(&self, number: u64, inside: &TcpStream, port: u16) {
        match connect(port) {
            Some(outside) if self.is_noted(number, [inside, &outside]) => {
                both_ways(inside, &outside);
            }
            Some(_) => {}
            // A reset, which is as near to a refusal as an accepted connection can come.
            None => {
                let at_once = Some(Duration::ZERO);
                let _ = rustix::net::sockopt::set_socket_linger(inside, at_once);
            }
        }
        self.forget(number);
    }
}

fn connect(port: u16) -> Option<TcpStream> {
    let addresses = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    addresses.into_iter().find_map(|address| {
        TcpStream::connect_timeout(&SocketAddr::new(address, port), CONNECTING).ok()
    })
}

/// Copies until both sides have sent their end, or one of them is gone.
fn both_ways(inside: &TcpStream, outside: &TcpStream) {
    for end in [inside, outside] {
        let _ = end.set_nodelay(true);
    }
    std::thread::scope(|scope| {
        let answers = Builder::new().name("port".to_owned());
        if answers.spawn_scoped(scope, || copy(outside, inside)).is_ok() {
            copy(inside, outside);
        }
    });
}

fn copy(mut from: &TcpStream, mut to: &TcpStream) {
    match std::io::copy(&mut from, &mut to) {
        Ok(_) => drop(to.shutdown(Shutdown::Write)),
        Err(_) => {
            let _ = from.shutdown(Shutdown::Both);
            let _ = to.shutdown(Shutdown::Both);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn listener() -> (TcpListener, u16) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        (listener, port)
    }

    /// Where a run would connect to, joined with a service of this test.
    fn joined() -> (Relay, SocketAddr, TcpListener) {
        let (service, port) = listener();
        let (inside, _) = listener();
        let address = inside.local_addr().unwrap();
        let mut relay = Relay::default();
        relay.add(inside.into(), port);
        (relay, address, service)
    }

    #[test]
    fn both_sides_hear_each_other_and_each_others_end() {
        let (_relay, address, service) = joined();
        let mut client = TcpStream::connect(address).unwrap();
        client.write_all(b"question").unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let (mut served, _) = service.accept().unwrap();
        let mut heard = String::new();
        served.read_to_string(&mut heard).unwrap();
        assert_eq!(heard, "question");
        let long = vec![b'x'; 1 << 20];
        served.write_all(&long).unwrap();
        drop(served);
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        assert!(answer == long);
    }

    #[test]
    fn the_end_of_a_run_ends_its_connections_and_its_listeners() {
        let (relay, address, service) = joined();
        let mut client = TcpStream::connect(address).unwrap();
        let (mut served, _) = service.accept().unwrap();
        drop(relay);
        assert_eq!(served.read(&mut [0]).unwrap_or(0), 0);
        assert_eq!(client.read(&mut [0]).unwrap_or(0), 0);
        assert!(TcpStream::connect(address).is_err());
    }

    #[test]
    fn more_connections_than_there_is_room_for_wait() {
        let (_relay, address, service) = joined();
        let clients: Vec<TcpStream> =
            (0..MOST).map(|_| TcpStream::connect(address).unwrap()).collect();
        let served: Vec<TcpStream> = (0..MOST).map(|_| service.accept().unwrap().0).collect();
        let _last = TcpStream::connect(address).unwrap();
        service.set_nonblocking(true).unwrap();
        assert!(service.accept().is_err());
        service.set_nonblocking(false).unwrap();
        drop((clients, served));
        service.accept().unwrap();
    }

    #[test]
    fn a_port_without_a_service_resets_the_connection() {
        let (relay, address, service) = joined();
        drop(service);
        let mut client = TcpStream::connect(address).unwrap();
        assert!(client.read(&mut [0]).is_err());
        drop(relay);
    }
}
