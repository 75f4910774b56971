//! Takes in a stream as it comes and keeps its two ends.
//!
//! In: chunks of any size, and the file all of them go to. Out: a [`Capture`]. Never holds more than
//! a fixed amount in memory, whatever comes.

use super::notable::Notable;
use crate::Capture;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

/// How far the tail may grow before it is cut back; moving bytes seldom keeps this linear.
const SLACK: usize = 4 * Capture::KEPT;

/// A stream that is being read.
#[derive(Debug, Default)]
pub(super) struct Collector {
    bytes: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
    notable: Notable,
    file: Option<(File, PathBuf)>,
    hasher: blake3::Hasher,
}

impl Collector {
    /// Starts with nothing, writing everything to a file if there is one.
    pub(super) fn into_file(file: Option<(File, PathBuf)>) -> Self {
        Self { file, ..Self::default() }
    }

    /// Takes a chunk in.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.bytes += chunk.len() as u64;
        self.hasher.update(chunk);
        if let Some((file, _)) = &mut self.file
            && file.write_all(chunk).is_err()
        {
            // A full disk does not end the run; the ends are kept in any case.
            self.file = None;
        }
        let room = Capture::KEPT - self.head.len();
        let (first, rest) = chunk.split_at(room.min(chunk.len()));
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        if self.tail.len() > SLACK {
            self.cut_tail();
        }
    }

    /// Returns how many bytes came so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Ends the stream. The hasher has seen all of it.
    pub(super) fn finish(mut self) -> (Capture, blake3::Hasher) {
        self.cut_tail();
        let capture = Capture {
            bytes: self.bytes,
            head: self.head,
            tail: self.tail,
            notable: self.notable.finish(),
            file: self.file.map(|(_, path)| path),
        };
        (capture, self.hasher)
    }

    fn cut_tail(&mut self) {
        let excess = self.tail.len().saturating_sub(Capture::KEPT);
        if excess > 0 {
            if let Some(gone) = self.tail.get(..excess) {
                self.notable.push(gone);
            }
            self.tail.drain(..excess);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn collect(bytes: &[u8], chunk: usize) -> Capture {
        let mut collector = Collector::default();
        bytes.chunks(chunk.max(1)).for_each(|chunk| collector.push(chunk));
        collector.finish().0
    }

    #[test]
    fn c061_short_output_is_whole() {
        let capture = collect(b"one\ntwo\n", 3);
        assert_eq!((capture.bytes, capture.head.as_slice()), (8, &b"one\ntwo\n"[..]));
        assert!(capture.tail.is_empty() && capture.notable.is_empty());
    }

    #[test]
    fn c065_a_diagnostic_in_the_middle_of_a_flood_is_kept() {
        let mut bytes = b"line\n".repeat(40_000);
        bytes.extend_from_slice(b"src/main.rs:3:5: error: no such name\n");
        bytes.extend(b"line\n".repeat(40_000));
        for chunk in [1, 4096, 65_536, 1 << 20] {
            let capture = collect(&bytes, chunk);
            assert_eq!(capture.notable, b"src/main.rs:3:5: error: no such name\n", "{chunk}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn c065_both_ends_are_kept_for_any_chunking(
            seed in proptest::collection::vec(any::<u8>(), 1..300),
            times in 1_usize..900,
            chunk in 1_usize..200_000,
        ) {
            let bytes = seed.repeat(times);
            let capture = collect(&bytes, chunk);
            prop_assert_eq!(capture.bytes, bytes.len() as u64);
            prop_assert_eq!(&capture.head[..], &bytes[..bytes.len().min(Capture::KEPT)]);
            let rest = &bytes[capture.head.len()..];
            prop_assert_eq!(&capture.tail[..], &rest[rest.len().saturating_sub(Capture::KEPT)..]);
            prop_assert!(capture.notable.len() <= Capture::NOTABLE);
            prop_assert_eq!(capture.notable, collect(&bytes, 4096).notable);
        }
    }
}
