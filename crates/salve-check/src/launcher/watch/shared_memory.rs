//! Memory that no process has for itself: shared mappings, memory files, segments.
//!
//! In: the processes of a run. Out: how many bytes they hold together, each object counted once however
//! many processes hold or map it. Never counts what a file system of the run holds: that has a size.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;

/// The number of a memory file or of a segment, as the maps of a process show it.
type Object = (&'static str, u64);

const MEMORY_FILE: &str = "/memfd:";
const SEGMENT: &str = "/SYSV";

/// Bytes of the memory files that are open in one of these processes.
pub(super) fn in_open_files(family: &[i32]) -> u64 {
    open_files(family).values().sum()
}

/// Bytes of the segments of this process's own namespace.
pub(super) fn in_segments() -> u64 {
    segments().values().sum()
}

/// Bytes of mapped pages that are counted by neither of the two above.
pub(super) fn in_other_mappings(family: &[i32], counts_segments: bool) -> u64 {
    let mut known = open_files(family);
    if counts_segments {
        known.extend(segments());
    }
    family
        .iter()
        .filter_map(|pid| super::read(*pid, "smaps"))
        .map(|text| others(&text, &known))
        .sum()
}

fn open_files(family: &[i32]) -> HashMap<Object, u64> {
    let mut found = HashMap::new();
    for pid in family {
        for entry in std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
            let leads = std::fs::read_link(entry.path());
            let is_memory = leads.is_ok_and(|to| to.to_string_lossy().starts_with(MEMORY_FILE));
            if let (true, Ok(status)) = (is_memory, std::fs::metadata(entry.path())) {
                found.insert((MEMORY_FILE, status.ino()), status.blocks() * 512);
            }
        }
    }
    found
}

// The columns are: key, number, mode, size, two processes, count, four owners, three times, resident.
fn segments() -> HashMap<Object, u64> {
    let text = std::fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
    let segment = |line: &str| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        Some(((SEGMENT, words.get(1)?.parse().ok()?), words.get(14)?.parse().ok()?))
    };
    text.lines().skip(1).filter_map(segment).collect()
}

// The shared pages of every mapping but those of objects that are known.
fn others(maps: &str, known: &HashMap<Object, u64>) -> u64 {
    let mut counts = false;
    let mut bytes = 0;
    for line in maps.lines() {
        if let Some(path) = heading(line) {
            let object =
                [MEMORY_FILE, SEGMENT].into_iter().find(|kind| path.name.starts_with(kind));
            let is_known = object.is_some_and(|kind| known.contains_key(&(kind, path.number)));
            // Shared memory without a name is a deleted file of the kernel's own.
            counts = path.is_shared
                && !is_known
                && (object.is_some() || path.name.starts_with("/dev/zero"));
        } else if let Some(size) = line.strip_prefix("Pss:").filter(|_| counts) {
            let size =
                size.split_ascii_whitespace().next().and_then(|size| size.parse::<u64>().ok());
            bytes += size.unwrap_or(0) << 10;
        }
    }
    bytes
}

struct Heading<'a> {
    is_shared: bool,
    number: u64,
    name: &'a str,
}

// `7f00-7f01 rw-s 00000000 00:01 1024   /memfd:x (deleted)`
fn heading(line: &str) -> Option<Heading<'_>> {
    let mut words = line.split_ascii_whitespace();
    let first = words.next()?;
    if !first.contains('-') || first.ends_with(':') {
        return None;
    }
    let is_shared = words.next()?.ends_with('s');
    let number = words.nth(2)?.parse().ok()?;
    Some(Heading { is_shared, number, name: words.next().unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "7f00-7f01 rw-s 00000000 00:01 1024   /memfd:x (deleted)\nSize: 8 kB\nPss:   4 kB\n\
        7f01-7f02 rw-s 00000000 00:01 1025   /dev/zero (deleted)\nPss:   16 kB\nPss_Dirty:  16 kB\n\
        7f02-7f03 rw-p 00000000 00:00 0\nPss:   64 kB\n\
        7f03-7f04 rw-s 00000000 00:01 7   /SYSV00000000 (deleted)\nPss:   256 kB\n\
        7f04-7f05 r--s 00000000 08:01 99   /usr/lib/cache\nPss:   1024 kB\n";

    #[test]
    fn each_object_is_counted_once() {
        assert_eq!(others(MAPS, &HashMap::new()), (4 + 16 + 256) << 10);
        let known = HashMap::from([((MEMORY_FILE, 1024), 1), ((SEGMENT, 7), 1)]);
        assert_eq!(others(MAPS, &known), 16 << 10);
    }
}
