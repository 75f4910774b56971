//! A client's connection, watched.
//!
//! In: the bytes of a socket. Out: the same bytes; an error when a client takes none for too long; and
//! whether a request named its length in two ways, which the parser above it would settle silently.
//! Never changes a byte.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// What is seen of the requests of a connection, for the one who answers them.
#[derive(Debug, Default)]
pub(super) struct RequestWatch {
    ambiguous: AtomicBool,
}

impl RequestWatch {
    /// Returns whether a request named its length in two ways. What follows it on the connection
    /// cannot be told apart, so that this stays so.
    pub(super) fn is_ambiguous(&self) -> bool {
        self.ambiguous.load(Ordering::Acquire)
    }
}

/// A socket that is watched.
pub(super) struct Watched<S> {
    inner: S,
    scan: RequestScan,
    watch: Arc<RequestWatch>,
    patience: Duration,
    waiting: bool,
    until: Pin<Box<Sleep>>,
}

impl<S> Watched<S> {
    /// Watches a socket whose other side may leave bytes untaken for as long as `patience`.
    pub(super) fn new(inner: S, patience: Duration) -> (Self, Arc<RequestWatch>) {
        let watch = Arc::new(RequestWatch::default());
        let until = Box::pin(tokio::time::sleep(patience));
        let scan = RequestScan::default();
        (Self { inner, scan, watch: watch.clone(), patience, waiting: false, until }, watch)
    }

    // Starts the clock at the first write that has to wait, and stops it at the next that does not.
    fn judge<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = false;
            return written;
        }
        if !self.waiting {
            self.waiting = true;
            self.until.as_mut().reset(Instant::now() + self.patience);
        }
        ready!(self.until.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client takes no bytes")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.inner).poll_read(cx, buffer))?;
        this.scan.take(buffer.filled().get(before..).unwrap_or_default());
        if this.scan.ambiguous {
            this.watch.ambiguous.store(true, Ordering::Release);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.inner).poll_write(cx, bytes);
        this.judge(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.inner).poll_write_vectored(cx, slices);
        this.judge(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.inner).poll_flush(cx);
        this.judge(cx, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let closed = Pin::new(&mut this.inner).poll_shutdown(cx);
        this.judge(cx, closed)
    }
}

// Long enough for the names that matter and for any length.
const LINE: usize = 64;

/// Where the bytes of a connection are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Head,
    Body,
    ChunkSize,
    Chunk,
    ChunkEnd,
    Trailers,
}

// Follows the requests of a connection from head to head. What it cannot follow is ambiguous.
#[derive(Debug)]
struct RequestScan {
    place: Place,
    // The start of the current line.
    line: [u8; LINE],
    filled: usize,
    // Bytes of the body or chunk that are still to come.
    left: u64,
    // What the current head says of its body.
    begun: bool,
    length: Option<u64>,
    encoded: bool,
    ambiguous: bool,
}

impl Default for RequestScan {
    fn default() -> Self {
        Self {
            place: Place::Head,
            line: [0; LINE],
            filled: 0,
            left: 0,
            begun: false,
            length: None,
            encoded: false,
            ambiguous: false,
        }
    }
}

impl RequestScan {
    fn take(&mut self, mut bytes: &[u8]) {
        while let ([first, rest @ ..], false) = (bytes, self.ambiguous) {
            if matches!(self.place, Place::Body | Place::Chunk) {
                bytes = self.skip(bytes);
                continue;
            }
            match first {
                b'\n' => self.end_line(),
                b'\r' => {}
                byte => {
                    if let Some(slot) = self.line.get_mut(self.filled) {
                        *slot = byte.to_ascii_lowercase();
                        self.filled += 1;
                    }
                }
            }
            bytes = rest;
        }
    }

    fn skip<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let count = usize::try_from(self.left).map_or(bytes.len(), |left| left.min(bytes.len()));
        self.left -= count as u64;
        if self.left == 0 {
            self.place = if self.place == Place::Body { Place::Head } else { Place::ChunkEnd };
        }
        bytes.get(count..).unwrap_or_default()
    }

    fn end_line(&mut self) {
        let filled = std::mem::take(&mut self.filled);
        let start = self.line;
        let line = start.get(..filled).unwrap_or_default();
        match self.place {
            Place::Head if !line.is_empty() => self.head_line(line),
            // Blank lines before the request line are allowed, and skipped by the parser too.
            Place::Head if !self.begun => {}
            Place::Head => self.end_head(),
            Place::ChunkSize => match chunk_size(line) {
                Some(0) => self.place = Place::Trailers,
                Some(size) => (self.place, self.left) = (Place::Chunk, size),
                None => self.ambiguous = true,
            },
            Place::ChunkEnd => self.place = Place::ChunkSize,
            Place::Trailers if line.is_empty() => self.place = Place::Head,
            Place::Trailers | Place::Body | Place::Chunk => {}
        }
    }

    fn head_line(&mut self, line: &[u8]) {
        self.begun = true;
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { return };
        let (name, value) = line.split_at(colon);
        match name.trim_ascii() {
            b"content-length" => {
                let digits = str::from_utf8(value.get(1..).unwrap_or_default());
                self.length = digits.ok().and_then(|digits| digits.trim().parse().ok());
                self.ambiguous |= self.length.is_none() || line.len() == LINE;
            }
            b"transfer-encoding" => self.encoded = true,
            _ => {}
        }
    }

    fn end_head(&mut self) {
        self.begun = false;
        match (self.length.take(), std::mem::take(&mut self.encoded)) {
            (Some(_), true) => self.ambiguous = true,
            (None, true) => self.place = Place::ChunkSize,
            (Some(length), false) if length > 0 => {
                (self.place, self.left) = (Place::Body, length);
            }
            (_, false) => {}
        }
    }
}

fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next().filter(|digits| digits.len() < LINE)?;
    u64::from_str_radix(str::from_utf8(digits).ok()?.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    fn ambiguous(requests: &str, pieces: usize) -> bool {
        let mut scan = RequestScan::default();
        for piece in requests.as_bytes().chunks(pieces) {
            scan.take(piece);
        }
        scan.ambiguous
    }

    #[test]
    fn two_lengths_are_seen_in_any_pieces_and_only_in_the_head() {
        let both = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n";
        let get = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
        let length = "POST / HTTP/1.1\r\nContent-Length: 28\r\n\r\ntransfer-encoding: chunked\r\n";
        let chunks = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\
            12;x=y\r\ncontent-length: 4\n\r\n0\r\nX: y\r\n\r\n";
        let cases = [
            ("POST / HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n", true),
            ("\r\nPOST / HTTP/1.1\r\ntransfer-encoding: x\ncontent-length:4\n\n", true),
            (
                "POST / HTTP/1.1\r\nX: Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
                false,
            ),
            ("POST / HTTP/1.1\r\nContent-Length-X: 4\r\nTransfer-Encoding: chunked\r\n\r\n", false),
            (&format!("{get}{length}{chunks}{get}"), false),
            (&format!("{get}{both}"), true),
            (&format!("{length}{both}"), true),
            (&format!("{chunks}{length}{get}{both}"), true),
            ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", true),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", true),
            (&format!("POST / HTTP/1.1\r\nContent-Length: {}5\r\n\r\n", "0".repeat(99)), true),
            (&format!("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{:099}\r\n", 5), true),
        ];
        for (requests, expected) in cases {
            for pieces in [1, 3, 7, 1000] {
                assert_eq!(ambiguous(requests, pieces), expected, "{requests} in {pieces}");
            }
        }
    }

    #[tokio::test]
    async fn a_client_that_takes_nothing_is_given_up() {
        let (ours, mut theirs) = tokio::io::duplex(16);
        let (mut socket, _) = Watched::new(ours, Duration::from_millis(50));
        socket.write_all(&[0; 16]).await.unwrap();
        let error = socket.write_all(&[0; 1]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        let mut taken = [0; 16];
        theirs.read_exact(&mut taken).await.unwrap();
        socket.write_all(&[0; 1]).await.unwrap();
    }
}
