//! False alarms: what is replaced in sources that people publish.
//!
//! In: folders of this machine. Out: a table of files, lines and kinds, and the share of files in
//! which anything was replaced. Every alarm counts as a false one, although published sources do hold
//! keys (their tests), so the true share is lower. Never follows links, never reads more than its
//! bounds of files, bytes and time.

use super::source_folders;
use anyhow::Result;
use salve_text::{Redacted, Redactor};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const LARGEST: u64 = 1 << 20;
const TIME: Duration = Duration::from_secs(240);

/// What sources end with; data, pictures and translations are none.
const ENDINGS: &[&str] = &[
    "rs", "py", "js", "ts", "go", "c", "h", "cpp", "hpp", "java", "rb", "pl", "pm", "sh", "php",
    "toml", "yml", "yaml", "json", "md", "txt", "html", "css", "cfg", "ini", "conf", "xml", "lua",
    "vim", "el", "awk", "m4", "cmake", "mjs", "cjs", "tsx", "kt", "swift", "sql",
];

#[derive(Default)]
struct Table {
    files: usize,
    files_changed: usize,
    lines: usize,
    lines_changed: usize,
    bytes: u64,
    kinds: BTreeMap<String, usize>,
}

/// Redacts up to `most` files of every folder; returns the share of files that changed, in percent.
pub(super) fn measure(most: usize, mut shown: usize) -> Result<f64> {
    let redactor = Redactor::default();
    let start = Instant::now();
    let mut total = Table::default();
    println!(
        "\n{:<44} {:>7} {:>7} {:>8} {:>10} {:>6} {:>9}",
        "sources", "files", "changed", "%", "lines", "changed", "%"
    );
    for folder in source_folders() {
        let mut table = Table::default();
        for path in files_of(&folder, most) {
            if start.elapsed() > TIME {
                println!("stopped after {TIME:?}");
                break;
            }
            // Files that are not text, or that went away, are no sources.
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let redacted = redactor.redact(&text);
            table.add(&text, &redacted);
            for found in redacted.found.iter().take(shown) {
                shown -= 1;
                println!(
                    "{} {}: {:?}",
                    found.kind,
                    path.display(),
                    line_of(&text, found.span.start)
                );
            }
        }
        table.print(&folder.display().to_string());
        total.join(table);
    }
    total.print("all");
    let mut kinds: Vec<_> = total.kinds.iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (kind, count) in kinds.iter().take(12) {
        println!("  {kind:<24} {count}");
    }
    Ok(share(total.files_changed, total.files))
}

impl Table {
    fn add(&mut self, text: &str, redacted: &Redacted) {
        self.files += 1;
        self.files_changed += usize::from(!redacted.found.is_empty());
        self.lines += text.lines().count();
        self.lines_changed += redacted.found.len();
        self.bytes += text.len() as u64;
        for found in &redacted.found {
            *self.kinds.entry(found.kind.to_string()).or_default() += 1;
        }
    }

    fn join(&mut self, other: Self) {
        self.files += other.files;
        self.files_changed += other.files_changed;
        self.lines += other.lines;
        self.lines_changed += other.lines_changed;
        self.bytes += other.bytes;
        for (kind, count) in other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
    }

    fn print(&self, name: &str) {
        let files = share(self.files_changed, self.files);
        let lines = share(self.lines_changed, self.lines);
        println!(
            "{name:<44} {:>7} {:>7} {files:>7.3} % {:>10} {:>6} {lines:>8.5} %",
            self.files, self.files_changed, self.lines, self.lines_changed
        );
    }
}

fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

// Every k-th file of the folder, so that the sample reaches all of it.
fn files_of(folder: &Path, most: usize) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && is_source(&entry) {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    let step = files.len().div_ceil(most.max(1)).max(1);
    files.into_iter().step_by(step).collect()
}

fn is_source(entry: &std::fs::DirEntry) -> bool {
    let path = entry.path();
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ENDINGS.contains(&ending) && entry.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST)
}

fn line_of(text: &str, at: usize) -> String {
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |place| place + 1);
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    line.chars().take(200).collect()
}
