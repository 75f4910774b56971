//! The log in which steps write down what they pay for, read while workers die.
//!
//! In: one line at a time from any process. Out: all whole lines, in order. Never half a line: each is
//! one write to a file that only grows.

use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// One thing that a step did.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Line {
    /// What: `begin`, `intent` and `paid` around a payment, `settled`, `cancelled`, `end`.
    pub(crate) what: String,
    /// The act.
    pub(crate) tag: String,
    /// Whose step it was.
    pub(crate) worker: String,
    /// The key of the step.
    pub(crate) key: String,
    /// How often the call had changed hands.
    pub(crate) epoch: u32,
}

/// The log.
#[derive(Debug, Clone)]
pub(crate) struct PaidLog(PathBuf);

impl PaidLog {
    /// Opens a log; the file is made with its first line.
    pub(crate) fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Writes a line down.
    pub(crate) fn say(&self, line: &Line) {
        let mut text = serde_json::to_string(line).unwrap();
        text.push('\n');
        let mut file = OpenOptions::new().append(true).create(true).open(&self.0).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// Returns the lines so far.
    pub(crate) fn lines(&self) -> Vec<Line> {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Returns the lines of one kind about one act.
    pub(crate) fn of(&self, what: &str, tag: &str) -> Vec<Line> {
        let mut lines = self.lines();
        lines.retain(|line| line.what == what && line.tag == tag);
        lines
    }

    /// Returns how many lines of one kind there are about one act.
    pub(crate) fn count(&self, what: &str, tag: &str) -> usize {
        self.of(what, tag).len()
    }

    /// Returns the act of a key.
    pub(crate) fn tag_of(&self, key: &str) -> String {
        let line = self.lines().into_iter().find(|line| line.key == key);
        line.map(|line| line.tag).unwrap_or_default()
    }

    /// Waits for the nth line of one kind about one act, and returns it with when it was seen.
    pub(crate) async fn wait_for(&self, what: &str, tag: &str, nth: usize) -> (Line, Instant) {
        for _ in 0..6000 {
            if let Some(line) = self.of(what, tag).get(nth - 1) {
                return (line.clone(), Instant::now());
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("no {what} {tag} ({nth}) in a minute; there is {:#?}", self.lines());
    }
}
