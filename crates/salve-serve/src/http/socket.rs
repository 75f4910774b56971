//! A client's connection, watched.
//!
//! In: the bytes of a socket. Out: the same bytes; an error when a client takes none for too long; and
//! whether the head of a request named its length in two ways, which the parser behind it would settle
//! silently. Never changes a byte.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// What is seen of the heads of requests, for the one who answers them.
#[derive(Debug, Default)]
pub(crate) struct HeadWatch {
    length: AtomicBool,
    encoding: AtomicBool,
    next: AtomicBool,
}

impl HeadWatch {
    /// Returns whether the head names both a length and an encoding that has its own.
    pub(crate) fn conflicting(&self) -> bool {
        self.length.load(Ordering::Acquire) && self.encoding.load(Ordering::Acquire)
    }

    /// Says that the body has been read: what comes now is the next head.
    pub(crate) fn expect_next(&self) {
        self.length.store(false, Ordering::Release);
        self.encoding.store(false, Ordering::Release);
        self.next.store(true, Ordering::Release);
    }
}

/// A socket that is watched.
pub(crate) struct Watched<S> {
    inner: S,
    head: HeadScan,
    watch: Arc<HeadWatch>,
    patience: Duration,
    waiting: bool,
    until: Pin<Box<Sleep>>,
}

impl<S> Watched<S> {
    /// Watches a socket whose other side may leave bytes untaken for as long as `patience`.
    pub(crate) fn new(inner: S, patience: Duration) -> (Self, Arc<HeadWatch>) {
        let watch = Arc::new(HeadWatch::default());
        let until = Box::pin(tokio::time::sleep(patience));
        let head = HeadScan::default();
        (Self { inner, head, watch: watch.clone(), patience, waiting: false, until }, watch)
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
        if this.watch.next.swap(false, Ordering::AcqRel) {
            this.head = HeadScan::default();
        }
        if !this.head.ended {
            this.head.take(buffer.filled().get(before..).unwrap_or_default(), &this.watch);
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

const LONGEST: usize = 18;

// The lines of one head; of each line only as much as the names that matter are long.
#[derive(Debug, Default)]
struct HeadScan {
    start: [u8; LONGEST],
    length: usize,
    begun: bool,
    ended: bool,
}

impl HeadScan {
    fn take(&mut self, bytes: &[u8], watch: &HeadWatch) {
        for byte in bytes {
            match byte {
                b'\n' => self.line(watch),
                b'\r' => {}
                byte => {
                    if let Some(slot) = self.start.get_mut(self.length) {
                        *slot = byte.to_ascii_lowercase();
                        self.length += 1;
                    }
                }
            }
            if self.ended {
                return;
            }
        }
    }

    fn line(&mut self, watch: &HeadWatch) {
        let line = self.start.get(..self.length).unwrap_or_default();
        if line.starts_with(b"content-length") {
            watch.length.store(true, Ordering::Release);
        } else if line.starts_with(b"transfer-encoding") {
            watch.encoding.store(true, Ordering::Release);
        }
        // Blank lines before the request line are allowed, and skipped by the parser too.
        self.ended = self.begun && self.length == 0;
        self.begun |= self.length > 0;
        self.length = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    fn conflicting(head: &str, pieces: usize) -> bool {
        let watch = HeadWatch::default();
        let mut scan = HeadScan::default();
        for piece in head.as_bytes().chunks(pieces) {
            if !scan.ended {
                scan.take(piece, &watch);
            }
        }
        watch.conflicting()
    }

    #[test]
    fn two_lengths_are_seen_in_any_pieces_and_only_in_the_head() {
        let cases = [
            ("POST / HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n", true),
            ("\r\nPOST / HTTP/1.1\r\ntransfer-encoding: x\ncontent-length:4\n\n", true),
            ("POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\ntransfer-encoding: chunked\r\n", false),
            (
                "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ncontent-length: 4\r\n",
                false,
            ),
            (
                "POST / HTTP/1.1\r\nX: Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
                false,
            ),
        ];
        for (head, expected) in cases {
            for pieces in [1, 3, 7, 1000] {
                assert_eq!(conflicting(head, pieces), expected, "{head} in pieces of {pieces}");
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
