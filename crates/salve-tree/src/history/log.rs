//! The log file of the history: one JSON object per line, each chained to the line before.
//!
//! In: records to append, or the bytes of the file. Out: the records whose chain holds. Never: a
//! record after a broken link believed; a byte of a damaged log thrown away.
//!
//! The append of a record is the commit of its transaction: there is one instant at which both
//! the change and its history become true.

use super::change::Record;
use crate::disk::{At, write_all};
use crate::workspace::State;
use crate::{ContentHash, TreeError, Workspace};
use serde::Serialize;
use std::io;
use std::os::fd::AsFd as _;

const NAME: &str = "changes.jsonl";
const FIRST: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The records whose chain holds.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) records: Vec<Record>,
    pub(crate) damage: Option<LogDamage>,
    /// Bytes up to the end of the last record that holds.
    good: u64,
    /// Whether bytes follow that are the begun last line of an interrupted append.
    pub(crate) torn: bool,
    last: String,
}

impl Log {
    /// Returns how many bytes of the file hold.
    pub(crate) fn len(&self) -> u64 {
        self.good
    }
}

/// Where a log stops making sense.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogDamage {
    /// The 1-based line.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

/// Reads the log; it is empty when there is none.
pub(crate) fn load(workspace: &Workspace) -> Result<Log, TreeError> {
    let Some(dir) = workspace.state_dir("history")? else { return Ok(parse(b"")) };
    let found = workspace.disk().read(At { dir: dir.as_fd(), name: NAME }).map_err(fault)?;
    Ok(parse(&found.map(|file| file.bytes).unwrap_or_default()))
}

/// Cuts off what an interrupted append left, after keeping a copy of a log that is damaged further
/// up. Returns the name of the copy.
pub(crate) fn settle(state: &State<'_>, log: &Log, now: &str) -> Result<Option<String>, TreeError> {
    let at = At { dir: state.history.as_fd(), name: NAME };
    if !log.torn && log.damage.is_none() {
        return Ok(None);
    }
    let mut copy = None;
    if log.damage.is_some() {
        let bytes = state.disk.read(at).map_err(fault)?.map(|file| file.bytes).unwrap_or_default();
        let name = format!("damaged-{now}.jsonl");
        let to = At { dir: state.history.as_fd(), name: &name };
        let file = state.disk.create(to, 0o600).map_err(fault)?;
        write_all(state.disk, &file, &bytes).map_err(fault)?;
        state.workspace.sync(&[file.as_fd(), state.history.as_fd()]).map_err(fault)?;
        copy = Some(name);
    }
    let file = state.disk.open_append(at).map_err(fault)?;
    state.disk.truncate(&file, log.good).map_err(fault)?;
    state.workspace.sync(&[file.as_fd()]).map_err(fault)?;
    Ok(copy)
}

/// Appends records and makes them last: the commit. After a failure the caller takes back what may
/// have been written.
pub(crate) fn append(state: &State<'_>, log: &Log, records: &[Record]) -> Result<(), TreeError> {
    let mut lines = String::new();
    let mut previous = log.last.clone();
    for record in records {
        let json = serde_json::to_string(record).map_err(|e| fault(io::Error::other(e)))?;
        let hash = link(&previous, &json);
        lines.push_str(&format!(
            "{{\"hash\":\"{hash}\",\"prev\":\"{previous}\",\"record\":{json}}}\n"
        ));
        previous = hash;
    }
    let at = At { dir: state.history.as_fd(), name: NAME };
    let file = state.disk.open_append(at).map_err(fault)?;
    if log.good == 0 {
        // The first record of all: the folders around it may be new.
        let around = [state.history.as_fd(), state.dir.as_fd(), state.workspace.root()];
        state.workspace.sync(&around).map_err(fault)?;
    }
    write_all(state.disk, &file, lines.as_bytes()).map_err(fault)?;
    state.workspace.sync(&[file.as_fd()]).map_err(fault)
}

/// Cuts the log back to what it was when it was read.
pub(crate) fn take_back(state: &State<'_>, log: &Log) -> Result<(), TreeError> {
    cut_to(state, log.good)
}

/// Cuts the log at the end of a record.
pub(crate) fn cut_to(state: &State<'_>, len: u64) -> Result<(), TreeError> {
    let at = At { dir: state.history.as_fd(), name: NAME };
    let file = state.disk.open_append(at).map_err(fault)?;
    state.disk.truncate(&file, len).map_err(fault)?;
    state.workspace.sync(&[file.as_fd()]).map_err(fault)
}

/// Reads the lines whose chain holds. A last line that does not hold is the rest of an append that
/// was interrupted; one further up is damage.
pub(crate) fn parse(bytes: &[u8]) -> Log {
    let mut log = Log { last: FIRST.to_owned(), ..Log::default() };
    let mut rest = bytes;
    for line in 1.. {
        if rest.is_empty() {
            break;
        }
        let end = memchr::memchr(b'\n', rest);
        let (text, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
        match end.ok_or_else(|| "it has no end".to_owned()).and_then(|_| read(text, &log.last)) {
            Ok((record, hash)) => {
                log.records.push(record);
                log.last = hash;
                log.good += text.len() as u64;
            }
            Err(_) if after.is_empty() => {
                log.torn = true;
                break;
            }
            Err(why) => {
                log.damage = Some(LogDamage { line, why });
                break;
            }
        }
        rest = after;
    }
    log
}

fn read(line: &[u8], previous: &str) -> Result<(Record, String), String> {
    let line = std::str::from_utf8(line).map_err(|_| "it is no text")?;
    let form = || "it is no record".to_owned();
    let rest = line.strip_prefix("{\"hash\":\"").ok_or_else(form)?;
    let (hash, rest) = rest.split_at_checked(64).ok_or_else(form)?;
    let rest = rest.strip_prefix("\",\"prev\":\"").ok_or_else(form)?;
    let (chained, rest) = rest.split_at_checked(64).ok_or_else(form)?;
    let json = rest.strip_prefix("\",\"record\":").and_then(|rest| rest.strip_suffix("}\n"));
    let json = json.ok_or_else(form)?;
    if chained != previous || link(previous, json) != hash {
        return Err("its hash does not continue the chain".to_owned());
    }
    let record = serde_json::from_str(json).map_err(|e| e.to_string())?;
    Ok((record, hash.to_owned()))
}

fn link(previous: &str, json: &str) -> String {
    ContentHash::of(format!("{previous}{json}").as_bytes()).hex()
}

fn fault(source: io::Error) -> TreeError {
    TreeError::io(format!(".salve/history/{NAME}"), source)
}
