//! The table of requirements in `docs/seeds.md`.
//!
//! In: the table, the repository's files and, where the machine has it, the ledger. Out: every row
//! that is missing, double, or cites a file or test that does not exist. Never trusts a status: a
//! row that claims work names the test that proves it.

use anyhow::Context;
use std::collections::BTreeSet;
use xtask::workspace::{self, SourceFile};

const TABLE: &str = "docs/seeds.md";
const SUITES: &str = "rigs/browser/suites/";

/// Checks the table and prints how far it is.
pub(super) fn problems(files: &[SourceFile]) -> anyhow::Result<Vec<String>> {
    let Some(table) = files.iter().find(|file| file.path == TABLE) else {
        return Ok(vec![format!("{TABLE} is missing")]);
    };
    let rows = rows(&table.text);
    let mut problems = wrong_rows(&rows, files);
    let count = |status: &str| rows.iter().filter(|row| row.status.starts_with(status)).count();
    let counts = [count("done"), count("part"), count("open")];
    println!(
        "seeds: {} rows, {} done, {} part, {} open",
        rows.len(),
        counts[0],
        counts[1],
        counts[2]
    );
    match ledger()? {
        Some(ledger) => problems.extend(differences(&rows, &ledger)),
        None => println!("seeds: the ledger is not on this machine; ids were not compared with it"),
    }
    Ok(problems)
}

#[derive(Debug)]
struct Row<'a> {
    line: usize,
    id: &'a str,
    status: &'a str,
    files: &'a str,
    tests: &'a str,
}

fn rows(text: &str) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, id, _, status, files, tests, ..] = cells[..] else { continue };
        if is_id(id) {
            rows.push(Row { line: at + 1, id, status, files, tests });
        }
    }
    rows
}

fn is_id(cell: &str) -> bool {
    cell.split_once('-').is_some_and(|(letter, number)| {
        matches!(letter, "T" | "H" | "R" | "C" | "O" | "X")
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn wrong_rows(rows: &[Row<'_>], files: &[SourceFile]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    let tests = test_names(files);
    for row in rows {
        let mut report =
            |what: String| problems.push(format!("{TABLE}:{}: {}: {what}", row.line, row.id));
        if !seen.insert(row.id) {
            report("stands twice".to_owned());
        }
        match row.status {
            "open" => continue,
            "done" | "part" | "part (browser)" => {}
            status => report(format!("unknown status: {status}")),
        }
        for path in quoted(row.files) {
            if !files.iter().any(|file| file.path == path) {
                report(format!("no such file: {path}"));
            }
        }
        for name in quoted(row.tests) {
            if !tests.contains(name) {
                report(format!("no such test: {name}"));
            }
        }
        if quoted(row.files).next().is_none() || quoted(row.tests).next().is_none() {
            report(format!("{} without a file and a test", row.status));
        }
    }
    problems
}

// The names in backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

// Functions of Rust, and the tests of the browser: `test('name', …`.
fn test_names(files: &[SourceFile]) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let suites = files.iter().filter(|file| file.path.starts_with(SUITES));
    for line in suites.flat_map(|file| file.text.lines()) {
        let Some(rest) = line.strip_prefix("test('") else { continue };
        names.extend(rest.split('\'').next());
    }
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        for line in file.text.lines() {
            let Some((_, rest)) = line.split_once("fn ") else { continue };
            names.insert(rest.split(['(', '<']).next().unwrap_or(rest).trim());
        }
    }
    names
}

fn ledger() -> anyhow::Result<Option<String>> {
    let Some(cases) = workspace::cases() else { return Ok(None) };
    let path = cases.join("../spec/LEDGER.md");
    if !path.is_file() {
        return Ok(None);
    }
    std::fs::read_to_string(&path).map(Some).context("could not read the ledger")
}

fn differences(rows: &[Row<'_>], ledger: &str) -> Vec<String> {
    let wanted: BTreeSet<&str> = ledger
        .lines()
        .filter_map(|line| line.split('|').nth(1))
        .map(str::trim)
        .filter(|id| is_id(id))
        .collect();
    let found: BTreeSet<&str> = rows.iter().map(|row| row.id).collect();
    let missing = wanted.difference(&found).map(|id| format!("{TABLE}: {id} is missing"));
    let unknown = found.difference(&wanted).map(|id| format!("{TABLE}: {id} is not in the ledger"));
    missing.chain(unknown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(table: &str) -> Vec<String> {
        let code = "//! A.\n#[test]\nfn t05_lifetime_is_not_a_string() {}\n";
        let files = [SourceFile { path: "crates/a/src/a.rs".to_owned(), text: code.to_owned() }];
        wrong_rows(&rows(table), &files)
    }

    #[test]
    fn a_row_that_claims_work_cites_what_exists() {
        let good = "| T-05 | x | done | `crates/a/src/a.rs` | `t05_lifetime_is_not_a_string` |\n";
        assert_eq!(check(good), Vec::<String>::new());
        assert_eq!(check("| T-05 | x | open | | |\n"), Vec::<String>::new());
        assert_eq!(check("| T-05 | x | done | | |\n").len(), 1);
        assert_eq!(check("| T-05 | x | part | `b.rs` | `t05_gone` |\n").len(), 2);
        assert_eq!(check("| T-05 | x | maybe | | |\n").len(), 2);
        assert_eq!(check(&format!("{good}{good}")), ["docs/seeds.md:2: T-05: stands twice"]);
    }

    #[test]
    fn a_test_of_the_browser_is_known_by_its_name() {
        let text = "// Suite.\ntest('c001_send', {}, async (t) => {\n  same('c002_not', 1);\n});\n";
        let file = |path: &str| SourceFile { path: path.to_owned(), text: text.to_owned() };
        let files = [file("rigs/browser/suites/send.mjs"), file("web/send.mjs")];
        assert_eq!(test_names(&files), BTreeSet::from(["c001_send"]));
    }

    #[test]
    fn the_ids_equal_those_of_the_ledger() {
        let table = rows("| T-01 | x | open | | |\n| T-03 | x | open | | |\n");
        let ledger = "| id | requirement |\n| T-01 | a | b |\n| T-02 | a | b |\n";
        assert_eq!(
            differences(&table, ledger),
            ["docs/seeds.md: T-02 is missing", "docs/seeds.md: T-03 is not in the ledger"]
        );
    }
}
