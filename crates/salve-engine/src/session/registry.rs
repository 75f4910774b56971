//! What a session knows of its files: the state that a log of file operations folds into.
//!
//! In: the log, oldest first. Out: the newest state of every file the model has seen, whether it may rely
//! on it, and both as the prompt shows them. Never a state that the log does not prove, and no content.

use super::one_line::{cell, one_line};
use salve_types::{FileOpBy, FileOpKind, FileOperation, Language, LoadedBy};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The files a model has seen in a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileRegistry {
    files: BTreeMap<String, RegistryEntry>,
}

/// What is known of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryEntry {
    /// The file, relative to the workspace.
    pub path: String,
    /// BLAKE3 of its content, as last known.
    pub hash: Option<String>,
    /// MD5 of the same.
    pub md5: Option<String>,
    /// The turn in which the model last had its content.
    pub last_seen_turn: u32,
    /// The turn in which it was last changed.
    pub last_modified_turn: Option<u32>,
    /// Whether it was changed after the model last had its content, in the same turn too.
    pub changed_since_seen: bool,
    /// Bytes.
    pub size: u64,
    /// Its language by its name.
    pub language: Option<Language>,
    /// Why it is in the conversation.
    pub loaded_by: LoadedBy,
}

impl FileRegistry {
    /// Folds a log, oldest operation first. `loaded` says why a file was loaded, where that is known.
    pub fn fold(ops: &[FileOperation], loaded: &BTreeMap<String, LoadedBy>) -> Self {
        let mut registry = Self::default();
        for op in ops {
            registry.update(op, loaded.get(&op.path).copied());
        }
        registry
    }

    /// Takes the next operation of the log.
    pub fn update(&mut self, op: &FileOperation, loaded_by: Option<LoadedBy>) {
        if op.op == FileOpKind::Delete {
            self.files.remove(&op.path);
            return;
        }
        // What other programs do to files that were never shown is not the model's to know.
        let is_seen = op.op == FileOpKind::Read || op.by == FileOpBy::Ai;
        if !is_seen && !self.files.contains_key(&op.path) {
            return;
        }
        let by = if op.by == FileOpBy::User { LoadedBy::User } else { LoadedBy::Auto };
        let entry = self.files.entry(op.path.clone()).or_insert_with(|| RegistryEntry {
            path: op.path.clone(),
            hash: None,
            md5: None,
            last_seen_turn: op.turn,
            last_modified_turn: None,
            changed_since_seen: false,
            size: 0,
            language: Language::from_path(&op.path),
            loaded_by: by,
        });
        entry.take(op);
        if let Some(loaded_by) = loaded_by {
            entry.loaded_by = loaded_by;
        }
    }

    /// Returns what is known of a file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&RegistryEntry> {
        self.files.get(path)
    }

    /// Lists the files by path.
    pub fn entries(&self) -> impl Iterator<Item = &RegistryEntry> {
        self.files.values()
    }

    /// Returns whether no file was seen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Tells whether the model must see a file again before it changes it: it never saw it, it was changed
    /// since, or it is not on disk what it was (`disk_hash`, BLAKE3 in hex; `None`: there is no file).
    #[must_use]
    pub fn is_stale(&self, path: &str, disk_hash: Option<&str>) -> bool {
        self.get(path)
            .is_none_or(|entry| entry.changed_since_seen || entry.hash.as_deref() != disk_hash)
    }

    /// Lists the files that were changed after the model last had their content.
    pub fn modified_since_seen(&self) -> impl Iterator<Item = &RegistryEntry> {
        self.entries().filter(|entry| entry.changed_since_seen)
    }

    /// Chooses what fits a budget of bytes, and lists what does not. Files that changed go first, then
    /// those seen last, then the smallest.
    pub fn within(&self, bytes: u64) -> (Vec<&RegistryEntry>, Vec<&RegistryEntry>) {
        let mut entries: Vec<&RegistryEntry> = self.entries().collect();
        let newest = |entry: &RegistryEntry| std::cmp::Reverse(entry.last_seen_turn);
        entries.sort_by_key(|entry| (!entry.changed_since_seen, newest(entry), entry.size));
        let mut left = bytes;
        entries.into_iter().partition(|entry| {
            let fits = entry.size <= left;
            left -= if fits { entry.size } else { 0 };
            fits
        })
    }

    /// Returns the files as a table for the prompt of a turn, at most `max_files` of them; empty when none
    /// was seen.
    #[must_use]
    pub fn summary(&self, turn: u32, max_files: usize) -> String {
        if self.is_empty() {
            return String::new();
        }
        let mut entries: Vec<&RegistryEntry> = self.entries().collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.last_seen_turn));
        let mut out = String::from(
            "## 📂 KNOWN FILES (Session Registry)\n\
             Files you have seen in this conversation. Check \"Modified Since\" before using cached knowledge.\n\n\
             | File | Last Seen | Modified Since | Hash (first 12) |\n\
             |------|-----------|----------------|-----------------|\n",
        );
        for entry in entries.iter().take(max_files) {
            out.push_str(&entry.row(turn));
        }
        if let Some(more) = entries.len().checked_sub(max_files).filter(|more| *more > 0) {
            let _ = writeln!(out, "\n{more} more file(s) you have seen are not listed.");
        }
        out.push_str(
            "\n**If \"Modified Since\" shows ⚠️, request re-attachment before making changes.**",
        );
        out
    }
}

impl RegistryEntry {
    fn take(&mut self, op: &FileOperation) {
        self.hash = op.hash_after.clone().or_else(|| op.hash_before.clone());
        self.md5.clone_from(&op.md5);
        self.size = op.size;
        match op.op {
            FileOpKind::Read => {
                self.last_seen_turn = op.turn;
                self.changed_since_seen = false;
            }
            // The model wrote every byte of a file that it made: it has its content.
            FileOpKind::Create if op.by == FileOpBy::Ai => {
                self.last_seen_turn = op.turn;
                self.last_modified_turn = Some(op.turn);
                self.changed_since_seen = false;
            }
            FileOpKind::Create | FileOpKind::Update | FileOpKind::Delete => {
                self.last_modified_turn = Some(op.turn);
                self.changed_since_seen = true;
            }
        }
    }

    fn row(&self, turn: u32) -> String {
        let seen = match turn.saturating_sub(self.last_seen_turn) {
            0 => "This turn".to_owned(),
            ago => format!("{ago} turn(s) ago"),
        };
        let modified = match self.last_modified_turn.filter(|_| self.changed_since_seen) {
            Some(turn) => format!("⚠️ Yes (turn {turn})"),
            None => "No".to_owned(),
        };
        let hash = first_digits(self.hash.as_deref().or(self.md5.as_deref()).unwrap_or("unknown"));
        format!("| {} | {seen} | {modified} | {hash} |\n", cell(&self.path))
    }
}

/// Returns the beginning of a hash. It names a version; it is too short to prove one.
fn first_digits(hash: &str) -> String {
    format!("{}...", hash.get(..12).unwrap_or(hash))
}

/// Returns the operations of the last `turns` turns that had any, for the prompt; empty without one.
#[must_use]
pub fn file_history_summary(ops: &[FileOperation], turns: u32) -> String {
    let mut by_turn: BTreeMap<u32, Vec<&FileOperation>> = BTreeMap::new();
    for op in ops {
        by_turn.entry(op.turn).or_default().push(op);
    }
    let most = usize::try_from(turns).unwrap_or(usize::MAX);
    if by_turn.is_empty() || most == 0 {
        return String::new();
    }
    let mut out = String::from(
        "## FILE OPERATION HISTORY (Recent)\n\
         These are files you have read or modified. Re-read files before modifying to get current MD5.\n",
    );
    for (turn, ops) in by_turn.iter().skip(by_turn.len().saturating_sub(most)) {
        let _ = write!(out, "\nTurn {turn}:");
        for op in ops {
            let _ = write!(out, "\n  {}", operation(op));
        }
    }
    out
}

fn operation(op: &FileOperation) -> String {
    let mark = match op.op {
        FileOpKind::Read => "📖",
        FileOpKind::Create => "🆕",
        FileOpKind::Update => "✏️",
        FileOpKind::Delete => "🗑️",
    };
    let md5 = op.md5.as_deref().filter(|_| op.op != FileOpKind::Delete);
    let md5 = md5.map(|md5| format!(" (md5: {})", first_digits(md5))).unwrap_or_default();
    let by = match (op.op, op.by) {
        (FileOpKind::Read, _) | (_, FileOpBy::Ai) => "",
        (_, FileOpBy::User) => " by the user",
        (_, FileOpBy::External) => " by another program",
    };
    format!("{mark} {}: {}{md5}{by}", op.op.name(), one_line(&op.path))
}

#[cfg(test)]
mod tests;
