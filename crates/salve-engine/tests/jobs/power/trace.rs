//! What a process did to its files, as `strace` tells it.
//!
//! In: a program of this suite and a folder. Out: what it did to the files of that folder that are
//! judged, in order, and what it said in its log meanwhile. Never a call that failed.

use super::disk::is_kept;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Where a traced process says what it has acknowledged.
pub(super) const LOG: &str = "paid.log";

/// Something in a trace. Paths are those below the folder.
#[derive(Debug, Clone)]
pub(super) enum Seen {
    Made {
        path: String,
        is_folder: bool,
    },
    Removed(String),
    Renamed {
        from: String,
        to: String,
    },
    /// Bytes at a place, or at the end.
    Wrote {
        file: String,
        at: Option<usize>,
        bytes: Vec<u8>,
    },
    Truncated {
        file: String,
        to: usize,
    },
    Synced(String),
    /// A line of the log.
    Said(String),
}

const CALLS: &str = "trace=open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,\
                     write,pwrite64,ftruncate,fsync,fdatasync";

/// Starts a test of this program under `strace`, which stays a grandchild, so that the test sees its
/// parent; nothing where there is no `strace`, or it may not trace.
#[expect(clippy::disallowed_methods, reason = "this is about a process and its writes")]
pub(super) fn traced(place: &Path, trace: &Path, test: &str, told: (&str, &str)) -> Option<Child> {
    let probe = Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !probe.is_ok_and(|status| status.success()) {
        return None;
    }
    let said = File::create(place.join("worker.out")).unwrap();
    let complained = File::create(place.join("worker.err")).unwrap();
    let child = Command::new("strace")
        .args(["-D", "-f", "-qq", "-y", "-xx", "-s", "1000000", "-e", CALLS])
        .args(["-e", "signal=none", "-o"])
        .arg(trace)
        .arg(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(told.0, told.1)
        .stdin(Stdio::null())
        .stdout(said)
        .stderr(complained)
        .spawn();
    Some(child.unwrap())
}

/// Reads what `strace` wrote, as far as it is about what is kept in this folder.
pub(super) fn read_trace(text: &str, folder: &Path) -> Vec<Seen> {
    let mut unfinished: BTreeMap<&str, &str> = BTreeMap::new();
    let mut seen = Vec::new();
    // The tracer may be in the middle of its last line.
    let whole_lines = text.rsplit_once('\n').map_or("", |(lines, _)| lines);
    for line in whole_lines.lines() {
        let Some((thread, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        // A call counts when it is over; another thread may be heard in between.
        if let Some(begun) = call.strip_suffix("<unfinished ...>") {
            unfinished.insert(thread, begun);
            continue;
        }
        let whole = match call.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>")) {
            Some((_, rest)) => {
                let Some(begun) = unfinished.remove(thread) else { continue };
                format!("{begun}{rest}")
            }
            None => call.to_owned(),
        };
        seen.extend(Call::of(&whole).and_then(|call| call.seen(folder)));
    }
    seen
}

/// One call: its name, its arguments, and what it returned.
struct Call<'a> {
    name: &'a str,
    arguments: Vec<&'a str>,
    returned: &'a str,
}

impl<'a> Call<'a> {
    // Texts and paths are written in hexadecimal digits, so that no sign in them is one of the trace's.
    fn of(line: &'a str) -> Option<Self> {
        let (line, returned) = line.rsplit_once(" = ")?;
        let (name, arguments) = line.split_once('(')?;
        let arguments = arguments.trim_end().strip_suffix(')')?;
        (!returned.starts_with('-')).then(|| Self {
            name,
            arguments: arguments.split(", ").collect(),
            returned,
        })
    }

    fn seen(&self, folder: &Path) -> Option<Seen> {
        let argument = |at: usize| self.arguments.get(at).copied().unwrap_or_default();
        let inside = |path: String| inside(&path, folder);
        let file = || inside(path_of(argument(0))?);
        match self.name {
            "open" | "openat" | "creat" => {
                let makes = self.name == "creat" || self.arguments.iter().any(is_made);
                let path = inside(path_of(self.returned)?)?;
                (makes && path != LOG).then_some(Seen::Made { path, is_folder: false })
            }
            "mkdir" => Some(made(inside(text_of(argument(0)))?)),
            "mkdirat" => Some(made(inside(joined(argument(0), argument(1)))?)),
            "unlink" => Some(Seen::Removed(inside(text_of(argument(0)))?)),
            "unlinkat" => Some(Seen::Removed(inside(joined(argument(0), argument(1)))?)),
            "rename" => {
                let (from, to) = (text_of(argument(0)), text_of(argument(1)));
                Some(Seen::Renamed { from: inside(from)?, to: inside(to)? })
            }
            "renameat" | "renameat2" => {
                let (from, to) =
                    (joined(argument(0), argument(1)), joined(argument(2), argument(3)));
                Some(Seen::Renamed { from: inside(from)?, to: inside(to)? })
            }
            "fsync" | "fdatasync" => file().map(Seen::Synced),
            "ftruncate" => Some(Seen::Truncated { file: file()?, to: number(argument(1)) }),
            "pwrite64" => {
                let (bytes, at) = (unescaped(quoted(argument(1))), number(argument(3)));
                Some(Seen::Wrote { file: file()?, at: Some(at), bytes })
            }
            "write" => {
                let (file, bytes) = (file()?, unescaped(quoted(argument(1))));
                if file == LOG {
                    return Some(Seen::Said(String::from_utf8_lossy(&bytes).into_owned()));
                }
                Some(Seen::Wrote { file, at: None, bytes })
            }
            _ => None,
        }
    }
}

fn is_made(argument: &&str) -> bool {
    argument.split('|').any(|flag| flag == "O_CREAT")
}

fn made(path: String) -> Seen {
    Seen::Made { path, is_folder: true }
}

// Returns the path below the folder, if it is one that is judged; the folder itself is empty.
fn inside(path: &str, folder: &Path) -> Option<String> {
    let path = Path::new(path).strip_prefix(folder).ok()?.to_str()?.to_owned();
    (path.is_empty() || path == LOG || is_kept(&path)).then_some(path)
}

// The path that a descriptor is shown with.
fn path_of(descriptor: &str) -> Option<String> {
    let (_, path) = descriptor.split_once('<')?;
    let path = path.split_once('>').map_or(path, |(path, _)| path);
    Some(String::from_utf8_lossy(&unescaped(path)).into_owned())
}

fn text_of(argument: &str) -> String {
    String::from_utf8_lossy(&unescaped(quoted(argument))).into_owned()
}

fn joined(folder: &str, name: &str) -> String {
    let folder = path_of(folder).unwrap_or_default();
    Path::new(&folder).join(text_of(name)).to_string_lossy().into_owned()
}

fn quoted(argument: &str) -> &str {
    argument.trim().trim_matches('"')
}

fn number(text: &str) -> usize {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

/// Reads `\x6a\x6f\x62`.
fn unescaped(text: &str) -> Vec<u8> {
    let hex = text.split("\\x").filter(|part| !part.is_empty());
    hex.map(|part| u8::from_str_radix(part, 16).unwrap()).collect()
}
