//! The index of a repository, kept up to date.
//!
//! In: an open workspace, its names, what a request mentions, limits, and the file in which the index is kept.
//! Out: an index whose files are as they are on the disk now. A file that is known by path, time and size is
//! not read again. Words are taken of all files; parsed are only those that rank highest, as many as the limits
//! let in. Never fails for a file that cannot be read, and never for a cache that cannot.

mod cache;
mod reading;

use crate::session::plan::WorkspaceNames;
use crate::session::repo_map::{MapFile, MapIndex, MapStamp, Mentioned, file_order};
use reading::{Reading, in_parallel};
use rustix::fs::{AtFlags, FileType, statat};
use salve_syntax::has_symbols;
use salve_tree::Root;
use salve_types::Language;
use std::path::Path;
use std::time::{Duration, Instant};

/// How much of a repository is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapLimits {
    /// The most files.
    pub files: usize,
    /// The largest file whose words count.
    pub largest: u64,
    /// The most bytes of all files whose words count.
    pub bytes: u64,
    /// The most bytes of the files that are parsed.
    pub parsed_bytes: u64,
    /// How long parsing may take; what is left over is parsed the next time.
    pub time: Duration,
}

impl Default for MapLimits {
    fn default() -> Self {
        Self {
            files: 50_000,
            largest: 256 << 10,
            bytes: 96 << 20,
            parsed_bytes: 2 << 20,
            time: Duration::from_secs(2),
        }
    }
}

/// Brings the index of a workspace up to date. `cache` is a file in a folder of its owner's alone.
pub fn map_index(
    root: &Root,
    names: &WorkspaceNames,
    mentions: &[String],
    limits: &MapLimits,
    cache: Option<&Path>,
) -> MapIndex {
    let began = Instant::now();
    let known = cache.and_then(cache::read).unwrap_or_default();
    let (mut files, mut is_new) = stamped(root, names, known, limits);
    is_new |= read_words(root, &mut files, limits);
    let mentioned = Mentioned::new(mentions);
    let chosen = chosen(&files, &mentioned, limits);
    is_new |= parse(root, &mut files, &chosen, limits, began);
    if let Some(cache) = cache.filter(|_| is_new) {
        // The next turn reads the files again; that is all that is lost.
        let _ = cache::write(cache, &files);
    }
    MapIndex { files, chosen }
}

// The files there are now, with what is known of those that did not change; and whether any did.
fn stamped(
    root: &Root,
    names: &WorkspaceNames,
    known: Vec<MapFile>,
    limits: &MapLimits,
) -> (Vec<MapFile>, bool) {
    let before = known.len();
    // Both are sorted by path.
    let mut known = known.into_iter().peekable();
    let mut files: Vec<MapFile> = Vec::with_capacity(before);
    let mut same = 0;
    for path in names.paths() {
        while known.next_if(|file| file.path < *path).is_some() {}
        let seen = known.next_if(|file| file.path == *path);
        if files.len() == limits.files {
            break;
        }
        if seen.is_none() && !is_source(path) {
            continue;
        }
        let Some(stamp) = stamp(root, path) else { continue };
        let mut file = match seen.filter(|file| file.stamp == stamp) {
            Some(file) => {
                same += 1;
                file
            }
            None => MapFile { path: path.clone(), stamp, words: Vec::new(), symbols: None },
        };
        // An empty file, or one that is not read, has no words and needs no look.
        if file.stamp.size == 0 || file.stamp.size > limits.largest {
            file.symbols.get_or_insert_default();
        }
        files.push(file);
    }
    let is_new = same != before || same != files.len();
    (files, is_new)
}

fn is_source(path: &str) -> bool {
    Language::from_path(path).is_some_and(has_symbols) && !crate::facts::is_secret_name(path)
}

fn stamp(root: &Root, path: &str) -> Option<MapStamp> {
    let status = statat(root.directory(), path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    (FileType::from_raw_mode(status.st_mode) == FileType::RegularFile).then(|| MapStamp {
        seconds: status.st_mtime,
        nanoseconds: u32::try_from(status.st_mtime_nsec).unwrap_or(0),
        size: u64::try_from(status.st_size).unwrap_or(0),
    })
}

// Takes the words of files that are new or were changed.
fn read_words(root: &Root, files: &mut [MapFile], limits: &MapLimits) -> bool {
    let mut left = limits.bytes;
    let mut wanted: Vec<usize> = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let is_read = !file.words.is_empty() || file.symbols.is_some();
        let Some(rest) = left.checked_sub(file.stamp.size.min(limits.largest)) else { break };
        left = rest;
        if !is_read {
            wanted.push(at);
        }
    }
    let reading = Reading { root, most: limits.largest };
    let found = in_parallel(&wanted, |at| reading.words(&files[at].path));
    let any = !found.is_empty();
    for (at, words) in found {
        match words {
            Some(words) if !words.is_empty() => files[at].words = words,
            // Binary, minified or gone: there is nothing to be parsed either.
            _ => files[at].symbols = Some(Vec::new()),
        }
    }
    any
}

// The files that are parsed: the highest in rank, whether they were parsed before or not, so that the map of a
// warm index is that of a cold one.
fn chosen(files: &[MapFile], mentioned: &Mentioned, limits: &MapLimits) -> Vec<usize> {
    let mut left = limits.parsed_bytes;
    let mut chosen = Vec::new();
    for at in file_order(files, mentioned) {
        if files[at].words.is_empty() {
            continue;
        }
        let Some(rest) = left.checked_sub(files[at].stamp.size) else { break };
        left = rest;
        chosen.push(at);
    }
    chosen
}

fn parse(
    root: &Root,
    files: &mut [MapFile],
    chosen: &[usize],
    limits: &MapLimits,
    began: Instant,
) -> bool {
    let wanted: Vec<usize> =
        chosen.iter().copied().filter(|&at| files[at].symbols.is_none()).collect();
    let reading = Reading { root, most: limits.largest };
    let found = in_parallel(&wanted, |at| {
        (began.elapsed() < limits.time).then(|| reading.symbols(&files[at].path))
    });
    let mut any = false;
    for (at, symbols) in found {
        if let Some(symbols) = symbols {
            files[at].symbols = Some(symbols);
            any = true;
        }
    }
    any
}

#[cfg(test)]
mod tests;
