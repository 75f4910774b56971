//! A disk that forgets what was not synced.
//!
//! In: the files before, and a trace of writes and syncs. Out: the files as a power cut may have
//! left them. Only for the database and its log: their shared memory is made anew by the caller
//! that opens them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// What a disk remembers for sure.
const SECTOR: usize = 512;
const FILES: [&str; 2] = ["salve.db", "salve.db-wal"];

/// Something in a trace.
#[derive(Debug, Clone)]
pub(super) enum Seen {
    Wrote {
        file: String,
        at: usize,
        bytes: Vec<u8>,
    },
    Truncated {
        file: String,
        to: usize,
    },
    Synced(String),
    /// A step has begun.
    Begun,
}

/// What is kept of what was not synced.
#[derive(Debug, Clone, Copy)]
pub(super) enum Keep {
    Nothing,
    All,
    /// Some of it, also parts of writes, as this number says.
    Some(u64),
}

#[derive(Debug, Clone, Default)]
struct OneFile {
    synced: Vec<u8>,
    pending: Vec<Seen>,
}

/// The files of the database.
#[derive(Debug, Clone)]
pub(super) struct Disk(BTreeMap<String, OneFile>);

impl Disk {
    /// Reads the files of a database that no process has open.
    pub(super) fn read(folder: &Path) -> Self {
        let file = |name: &str| {
            let synced = std::fs::read(folder.join(name)).unwrap_or_default();
            (name.to_owned(), OneFile { synced, pending: Vec::new() })
        };
        Self(FILES.iter().map(|name| file(name)).collect())
    }

    /// Goes on by one operation.
    pub(super) fn apply(&mut self, seen: &Seen) {
        match seen {
            Seen::Wrote { file, .. } | Seen::Truncated { file, .. } => {
                self.0.entry(file.clone()).or_default().pending.push(seen.clone());
            }
            Seen::Synced(file) => {
                let file = self.0.entry(file.clone()).or_default();
                for change in std::mem::take(&mut file.pending) {
                    change_bytes(&mut file.synced, &change, usize::MAX);
                }
            }
            Seen::Begun => {}
        }
    }

    /// Writes the files as a power cut left them.
    pub(super) fn write_to(&self, folder: &Path, keep: Keep) {
        let mut random = match keep {
            Keep::Some(seed) => fastrand(seed),
            Keep::Nothing | Keep::All => fastrand(0),
        };
        for (name, file) in &self.0 {
            let mut bytes = file.synced.clone();
            for change in &file.pending {
                let most = match keep {
                    Keep::Nothing => 0,
                    Keep::All => usize::MAX,
                    Keep::Some(_) => match random() % 4 {
                        0 => 0,
                        1 => SECTOR * usize::try_from(random() % 9).unwrap(),
                        _ => usize::MAX,
                    },
                };
                change_bytes(&mut bytes, change, most);
            }
            File::create(folder.join(name)).unwrap().write_all(&bytes).unwrap();
        }
    }
}

fn change_bytes(file: &mut Vec<u8>, change: &Seen, most: usize) {
    match change {
        Seen::Wrote { at, bytes, .. } => {
            let bytes = &bytes[..bytes.len().min(most)];
            if file.len() < at + bytes.len() {
                file.resize(at + bytes.len(), 0);
            }
            file[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        Seen::Truncated { to, .. } if most > 0 => file.resize(*to, 0),
        _ => {}
    }
}

fn fastrand(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 3
    }
}

/// Reads what `strace` wrote, as far as it is about the database in this folder and the log.
pub(super) fn read_trace(text: &str, folder: &Path) -> Vec<Seen> {
    let mut syncing: BTreeMap<&str, String> = BTreeMap::new();
    let mut seen = Vec::new();
    for line in text.lines() {
        let Some((thread, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        // A sync counts when it is over; another thread may be heard in between.
        if call.starts_with("<... fsync resumed") || call.starts_with("<... fdatasync resumed") {
            seen.extend(syncing.remove(thread).map(Seen::Synced));
            continue;
        }
        let Some((name, rest)) = call.split_once('(') else { continue };
        let Some((path, rest)) = rest.split_once('<').and_then(|(_, rest)| rest.split_once('>'))
        else {
            continue;
        };
        let path = String::from_utf8(unescaped(path)).unwrap_or_default();
        let Ok(file) = Path::new(&path).strip_prefix(folder) else { continue };
        let file = file.to_string_lossy().into_owned();
        if file == "paid.log" {
            let wrote = text_of(rest).is_some_and(|bytes| contains(&bytes, b"\"begin\""));
            seen.extend(wrote.then_some(Seen::Begun));
            continue;
        }
        if !FILES.contains(&&*file) {
            continue;
        }
        match name {
            "fsync" | "fdatasync" if call.ends_with("<unfinished ...>") => {
                syncing.insert(thread, file);
            }
            "fsync" | "fdatasync" => seen.push(Seen::Synced(file)),
            "ftruncate" => {
                let to = number(rest.trim_start_matches(", "));
                seen.push(Seen::Truncated { file, to });
            }
            "pwrite64" => {
                let bytes = text_of(rest).unwrap_or_default();
                let behind = rest.rsplit_once('"').map_or("", |(_, behind)| behind);
                let at = behind.split(", ").nth(2).map_or(0, number);
                seen.push(Seen::Wrote { file, at, bytes });
            }
            _ => panic!("the database is not written with {name}"),
        }
    }
    seen
}

fn number(text: &str) -> usize {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// Returns the bytes between the quotes.
fn text_of(rest: &str) -> Option<Vec<u8>> {
    let (_, text) = rest.split_once('"')?;
    text.split_once('"').map(|(text, _)| unescaped(text))
}

/// Reads `\x6a\x6f\x62`.
fn unescaped(text: &str) -> Vec<u8> {
    let hex = text.split("\\x").filter(|part| !part.is_empty());
    hex.map(|part| u8::from_str_radix(part, 16).unwrap()).collect()
}
