//! The goal lines of a run as one table, kept in a file and compared with an earlier one.
//!
//! In: lines that benchmarks print. Out: rows with a name, figures and a verdict. Never says whether a
//! figure is better: some goals are limits, others are rates; only the verdict is a judgement.

use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// One goal and what was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Row {
    pub bench: String,
    pub name: String,
    pub figures: Vec<String>,
    pub passed: bool,
}

impl Row {
    /// Reads a line; nothing when it has no verdict.
    pub(super) fn read(bench: &str, line: &str) -> Option<Self> {
        let passed = line.contains("PASS");
        if !passed && !line.contains("BELOW") {
            return None;
        }
        let body = line.trim();
        let (name, rest) = body.split_once("  ").unwrap_or((body, ""));
        let is_verdict = |word: &str| matches!(word, "PASS" | "BELOW");
        let figures = rest.split_whitespace().filter(|word| !is_verdict(word)).map(str::to_owned);
        Some(Self {
            bench: bench.to_owned(),
            name: name.to_owned(),
            figures: figures.collect(),
            passed,
        })
    }

    const fn verdict(&self) -> &'static str {
        if self.passed { "PASS" } else { "BELOW" }
    }

    /// The first figure as a number, times in seconds.
    fn first(&self) -> Option<f64> {
        let text = self.figures.first()?;
        let end = text
            .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
            .unwrap_or(text.len());
        let number: f64 = text[..end].parse().ok()?;
        let unit = match &text[end..] {
            "ns" => 1e-9,
            "µs" | "us" => 1e-6,
            "ms" => 1e-3,
            _ => 1.0,
        };
        Some(number * unit)
    }
}

/// Writes the rows, to be compared with later ones.
pub(super) fn save(rows: &[Row], path: &Path) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(rows).context("could not write the table")?;
    std::fs::write(path, text).with_context(|| format!("could not write {}", path.display()))
}

/// Reads what an earlier run wrote.
pub(super) fn load(path: &Path) -> anyhow::Result<Vec<Row>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("could not read {}", path.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is no table of `cargo xtask bench --save`", path.display()))
}

/// The table in words, beside the earlier one where there is one.
pub(super) fn table(rows: &[Row], earlier: Option<&[Row]>) -> String {
    let before = named(earlier.unwrap_or_default());
    let now = named(rows);
    let mut text = String::new();
    for (row, key) in rows.iter().zip(keys(rows)) {
        let figures = row.figures.join(" ");
        text.push_str(&format!(
            "{:<10} {:<46} {figures:<34} {:<6}",
            row.bench,
            row.name,
            row.verdict()
        ));
        match before.get(&key) {
            Some(old) => text.push_str(&format!(" {}", beside(row, old))),
            None if earlier.is_some() => text.push_str(" new"),
            None => {}
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    for key in before.keys().filter(|key| !now.contains_key(*key)) {
        text.push_str(&format!("{:<10} {:<46} not measured now\n", key.0, key.1));
    }
    text
}

fn beside(row: &Row, old: &Row) -> String {
    let change = match (row.first(), old.first()) {
        (Some(now), Some(then)) if then > 0.0 => format!(" ({:+.0} %)", 100.0 * (now / then - 1.0)),
        _ => String::new(),
    };
    let verdict =
        if row.passed == old.passed { String::new() } else { format!(" was {}", old.verdict()) };
    format!("before {}{change}{verdict}", old.figures.join(" "))
}

/// A row by its name, and by how many of that name came before it.
type Key = (String, String, usize);

fn keys(rows: &[Row]) -> Vec<Key> {
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut keys = Vec::new();
    for row in rows {
        let count = seen.entry((&row.bench, &row.name)).or_default();
        keys.push((row.bench.clone(), row.name.clone(), *count));
        *count += 1;
    }
    keys
}

fn named(rows: &[Row]) -> BTreeMap<Key, &Row> {
    keys(rows).into_iter().zip(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &[&str] = &[
        "valid 5 MB dense vs jiter JsonValue               12.50ms      31.20ms    2.50x  PASS",
        "  same value as serde_json, no repairs                                           PASS",
        "1 MB of [ (Llm)                                  120.00ms     100.00ms    0.83x  BELOW",
    ];

    fn rows(lines: &[&str]) -> Vec<Row> {
        lines.iter().filter_map(|line| Row::read("json", line)).collect()
    }

    #[test]
    fn a_line_is_a_name_figures_and_a_verdict() {
        let rows = rows(LINES);
        assert_eq!(rows[0].figures, ["12.50ms", "31.20ms", "2.50x"]);
        assert_eq!(
            rows[1],
            Row {
                bench: "json".into(),
                name: "same value as serde_json, no repairs".into(),
                figures: Vec::new(),
                passed: true
            }
        );
        assert!(!rows[2].passed);
        assert_eq!(Row::read("json", "what ours peer"), None);
    }

    #[test]
    fn an_earlier_table_is_read_back_and_shown_beside() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("before.json");
        save(&rows(&LINES[..2]), &file).expect("saved");
        let before = load(&file).expect("loaded");
        let now =
            rows(&[&LINES[0].replace("12.50ms", "15.00ms").replace("PASS", "BELOW"), LINES[2]]);
        let table = table(&now, Some(&before));
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[0].ends_with("before 12.50ms 31.20ms 2.50x (+20 %) was PASS"), "{table}");
        assert!(lines[1].ends_with("BELOW  new"), "{table}");
        assert!(lines[2].ends_with("not measured now"), "{table}");
    }
}
