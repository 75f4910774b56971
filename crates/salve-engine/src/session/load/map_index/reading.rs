//! Files of an index, read and parsed by several threads.
//!
//! In: paths. Out: the words or the definitions of each, in the order asked for. Walks as every reader of the
//! workspace does. A file that is binary or minified gives nothing.

use crate::session::repo_map::{MapSymbol, map_symbols, word_hashes};
use salve_syntax::file_symbols;
use salve_tree::Root;
use salve_types::Language;
use std::io::Read as _;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most threads.
const MOST_THREADS: usize = 8;
/// How many files make another thread worth its start.
const FILES_PER_THREAD: usize = 32;
/// Lines that are longer on average are written by no one.
const LONGEST_LINES: usize = 400;

/// What files are read from.
pub(super) struct Reading<'a> {
    pub(super) root: &'a Root,
    pub(super) most: u64,
}

impl Reading<'_> {
    /// Returns the words of a file; `None` when it cannot be read.
    pub(super) fn words(&self, path: &str) -> Option<Vec<u32>> {
        let bytes = self.bytes(path)?;
        Some(if is_readable(&bytes) { word_hashes(&bytes) } else { Vec::new() })
    }

    /// Returns the definitions of a file; none when it cannot be read or parsed.
    pub(super) fn symbols(&self, path: &str) -> Vec<MapSymbol> {
        let bytes = self.bytes(path).filter(|bytes| is_readable(bytes)).unwrap_or_default();
        let (Ok(text), Some(language)) = (String::from_utf8(bytes), Language::from_path(path))
        else {
            return Vec::new();
        };
        file_symbols(&text, language).map_or_else(Vec::new, |found| map_symbols(&text, &found))
    }

    // The names were listed, and no link is followed: a path that leads out is not opened.
    fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let file = self.root.open_listed(path).ok()?;
        let mut bytes = Vec::new();
        file.take(self.most + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= self.most).then_some(bytes)
    }
}

fn is_readable(bytes: &[u8]) -> bool {
    let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() + 1;
    !bytes.contains(&0) && (bytes.len() < 4096 || bytes.len() / lines <= LONGEST_LINES)
}

/// Does a work for each of some numbers, by as many threads as the machine has cores and the work is worth.
pub(super) fn in_parallel<T: Send>(
    wanted: &[usize],
    work: impl Fn(usize) -> T + Sync,
) -> Vec<(usize, T)> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(MOST_THREADS).min(wanted.len() / FILES_PER_THREAD);
    if threads < 2 {
        return wanted.iter().map(|&at| (at, work(at))).collect();
    }
    let next = AtomicUsize::new(0);
    let one = || {
        let mut done: Vec<(usize, T)> = Vec::new();
        while let Some(&at) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((at, work(at)));
        }
        done
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(one)).collect();
        let mut done = one();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    })
}
