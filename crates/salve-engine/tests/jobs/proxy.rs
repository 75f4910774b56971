//! A way to a database that can be cut and mended.
//!
//! In: the address of a server. Out: an address that leads there, while it is not cut. The caller
//! that uses it sees what happens when a database is lost: broken connections, and none to be
//! had.

use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A way that can be cut.
pub(crate) struct Proxy {
    /// The address that leads to the server.
    pub(crate) address: String,
    open: Arc<watch::Sender<bool>>,
}

impl Proxy {
    /// Puts a way before the server of this address.
    pub(crate) async fn before(address: &str) -> Self {
        let (front, rest) = address.rsplit_once('@').unwrap();
        let (host, path) = rest.split_once('/').unwrap();
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let here = listener.local_addr().unwrap();
        let open = Arc::new(watch::Sender::new(true));
        tokio::spawn(accept(listener, host.to_owned(), open.subscribe()));
        Self { address: format!("{front}@{here}/{path}"), open }
    }

    /// Breaks every connection, and every new one until it is mended.
    pub(crate) fn cut(&self) {
        self.open.send_replace(false);
    }

    /// Lets connections through again.
    pub(crate) fn mend(&self) {
        self.open.send_replace(true);
    }
}

async fn accept(listener: TcpListener, server: String, open: watch::Receiver<bool>) {
    while let Ok((socket, _)) = listener.accept().await {
        if *open.borrow() {
            tokio::spawn(pass(socket, server.clone(), open.clone()));
        }
    }
}

async fn pass(mut here: TcpStream, server: String, mut open: watch::Receiver<bool>) {
    let Ok(mut there) = TcpStream::connect(&server).await else { return };
    tokio::select! {
        _ = tokio::io::copy_bidirectional(&mut here, &mut there) => {}
        _ = open.wait_for(|open| !open) => {}
    }
}
