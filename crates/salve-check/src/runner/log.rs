//! The list of runs: one JSON line each in `.salve/runs.jsonl`.
//!
//! In: records. Out: the same records, in order. Never loses a record to a line that was torn by a
//! crash, and never rewrites the file.

use super::state::StateFolder;
use crate::RunRecord;
use rustix::fs::FlockOperation;
use std::io::{BufRead, BufReader, Read, Result, Seek, SeekFrom, Write};
use std::path::Path;

const LOG: &str = "runs.jsonl";

/// The runs of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunLog {
    /// The records that could be read, oldest first.
    pub records: Vec<RunRecord>,
    /// Lines that are no record: torn by a crash, or of another version.
    pub unreadable: usize,
}

impl RunLog {
    /// Reads the list of a workspace; an absent one is empty.
    ///
    /// # Errors
    ///
    /// Fails when the file is there and cannot be read.
    pub fn read(workspace: &Path) -> Result<Self> {
        let Some(state) = StateFolder::find(workspace)? else { return Ok(Self::default()) };
        match state.open_to_read(LOG) {
            Ok(file) => Self::parse(BufReader::new(file)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    fn parse(mut reader: impl BufRead) -> Result<Self> {
        let mut log = Self::default();
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            match serde_json::from_slice(&line) {
                Ok(record) => log.records.push(record),
                Err(_) => log.unreadable += usize::from(!line.trim_ascii().is_empty()),
            }
            line.clear();
        }
        Ok(log)
    }
}

/// Adds a record: one write under a lock, after the end of a line.
pub(super) fn append(state: &StateFolder, record: &RunRecord) -> Result<()> {
    let mut file = state.open_to_append(LOG)?;
    rustix::fs::flock(&file, FlockOperation::LockExclusive)?;
    let mut line = Vec::new();
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            line.push(b'\n');
        }
    }
    serde_json::to_writer(&mut line, record)?;
    line.push(b'\n');
    file.write_all(&line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Gate, Plan, RiskClass, RunClass, RunEnding, StartedBy};
    use std::os::unix::fs::PermissionsExt;

    fn record(id: &str) -> RunRecord {
        RunRecord {
            id: id.to_owned(),
            started_at: 1,
            plan: Plan::of_argv(["echo", "caf\u{e9}\n"]),
            cwd: "/w".into(),
            class: RunClass::Proposed,
            risk: RiskClass::Read,
            gate: Gate::Policy { rule: "echo".to_owned() },
            by: StartedBy::Model,
            ending: RunEnding::Exited { code: 0 },
            duration_ms: 3,
            output_bytes: 6,
            output_hash: String::new(),
            output_file: None,
            orphans: 0,
            missing_layers: Vec::new(),
            missing_guarantees: Vec::new(),
            ports: Vec::new(),
        }
    }

    #[test]
    fn c075_records_come_back_in_order_and_are_private() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(RunLog::read(folder.path()).unwrap(), RunLog::default());
        let state = StateFolder::open(folder.path()).unwrap();
        for id in ["a", "b"] {
            append(&state, &record(id)).unwrap();
        }
        let log = RunLog::read(folder.path()).unwrap();
        assert_eq!(log.records, [record("a"), record("b")]);
        let mode = std::fs::metadata(state.path_of(LOG)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn c075_a_torn_line_costs_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::open(folder.path()).unwrap();
        let whole = serde_json::to_vec(&record("torn")).unwrap();
        for cut in [1, 20, whole.len() - 1] {
            state.remove(LOG).unwrap();
            append(&state, &record("a")).unwrap();
            state.open_to_append(LOG).unwrap().write_all(&whole[..cut]).unwrap();
            assert_eq!(RunLog::read(folder.path()).unwrap().records, [record("a")], "{cut}");
            append(&state, &record("b")).unwrap();
            let log = RunLog::read(folder.path()).unwrap();
            assert_eq!(log.records, [record("a"), record("b")], "{cut}");
            assert_eq!(log.unreadable, 1);
        }
    }

    #[test]
    fn c075_two_writers_never_mix_their_lines() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::open(folder.path()).unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let state = &state;
                scope.spawn(move || {
                    for index in 0..25 {
                        append(state, &record(&format!("{writer}-{index}"))).unwrap();
                    }
                });
            }
        });
        let log = RunLog::read(folder.path()).unwrap();
        assert_eq!((log.records.len(), log.unreadable), (100, 0));
    }

    #[test]
    fn c075_a_log_that_is_a_symlink_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::open(folder.path()).unwrap();
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), state.path_of(LOG)).unwrap();
        assert!(append(&state, &record("a")).is_err());
        assert!(!folder.path().join("elsewhere").exists());
    }
}
