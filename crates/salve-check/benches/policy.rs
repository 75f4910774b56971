//! How fast a command line is judged.
//!
//! In: the lines of the case file, and hostile lines of 16 KiB. Out: one table, each line with the
//! figure asked for and PASS or BELOW. The facts about paths are a table here, so that what is
//! measured is the decision and not a disk. Never takes a mean where a bad day matters: the case
//! file counts by its 99th percentile, hostile lines by the worst of them.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use salve_check::{
    GlobMatches, ListFolder, MAX_LINE_BYTES, PathFacts, PathJudgement, PathUse, PolicyRules,
    RepoFacts, RepoHazard, expand_pattern, judge_command,
};
use std::hint::black_box;
use std::time::{Duration, Instant};

const CASES: &str = include_str!("../tests/data/commands.jsonl");
const ROUNDS: usize = 30;

fn main() {
    println!("{:<52} {:>11} {:>11}  verdict", "what", "median", "figure");
    let lines: Vec<String> = CASES.lines().filter_map(command).collect();
    let rules = PolicyRules::default();
    let mut times: Vec<Duration> = lines.iter().map(|line| best(line, &rules)).collect();
    times.sort_unstable();
    let (median, p99) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    goal("case file: p99 of a decision, <= 1 ms", median, p99, 1.0);

    let mut worst: Vec<(Duration, &str)> = Vec::new();
    for unit in HOSTILE {
        let time = best(&hostile(unit, MAX_LINE_BYTES), &rules);
        println!("  16 KiB of {unit:<42} {time:>11.2?}");
        worst.push((time, unit));
    }
    worst.sort_unstable();
    let (median, (slowest, unit)) = (worst[worst.len() / 2].0, worst[worst.len() - 1]);
    goal("16 KiB: the slowest hostile line, <= 20 ms", median, slowest, 20.0);

    let quarter = best(&hostile(unit, MAX_LINE_BYTES / 4), &rules);
    let growth = slowest.as_secs_f64() / quarter.as_secs_f64();
    let verdict = if growth <= 6.0 { "PASS" } else { "BELOW" };
    let what = format!("from 4 KiB to 16 KiB of `{unit}`, <= 6x");
    println!("{what:<52} {quarter:>11.2?} {growth:>10.1}x  {verdict}");
}

#[rustfmt::skip]
const HOSTILE: &[&str] = &[
    "a", "a ", "aaaaaaa ", "aaa>bbb ", "a>b ", "2>&1 ", "''", "'' ", "\"\\\\\" ", "\\a", "*", "*a", "*/", "[a]", "[!a-z]", "[[:alpha:]]*", "\"$\"",
    "-a ", "--x=y ", "é", "漢 ", "a=", "../", "x/", "\"a\"'b'\\c ",
];

fn hostile(unit: &str, bytes: usize) -> String {
    let start = "ls ";
    format!("{start}{}", unit.repeat((bytes - start.len()) / unit.len()))
}

fn command(case: &str) -> Option<String> {
    let case: serde_json::Value = serde_json::from_str(case).ok()?;
    case.get("command")?.as_str().map(str::to_owned)
}

fn best(line: &str, rules: &PolicyRules) -> Duration {
    let once = || {
        let start = Instant::now();
        let _ = black_box(judge_command(black_box(line), rules, &Table, &Table));
        start.elapsed()
    };
    (0..ROUNDS).map(|_| once()).min().unwrap_or_default()
}

fn goal(what: &str, median: Duration, figure: Duration, milliseconds: f64) {
    let verdict = if figure.as_secs_f64() * 1e3 <= milliseconds { "PASS" } else { "BELOW" };
    println!("{what:<52} {median:>11.2?} {figure:>11.2?}  {verdict}");
}

/// A workspace of 200 files in 10 folders, known by heart.
struct Table;

impl PathFacts for Table {
    fn judge(&self, path: &str, _usage: PathUse) -> PathJudgement {
        if path.starts_with('/') || path.split('/').any(|step| step == "..") {
            let why = "it leads out".to_owned();
            return PathJudgement::Ask {
                concern: salve_check::PathConcern::Outside,
                rule: "outside_workspace",
                why,
            };
        }
        PathJudgement::Fine
    }

    fn is_folder(&self, path: &str) -> bool {
        ListFolder::is_folder(self, path)
    }

    fn expand(&self, pattern: &str, budget: &mut salve_check::ListingBudget) -> GlobMatches {
        expand_pattern(pattern, self, budget)
    }

    fn kind(&self, path: &str) -> salve_check::PathKind {
        if ListFolder::is_folder(self, path) {
            salve_check::PathKind::Folder
        } else {
            salve_check::PathKind::File
        }
    }

    fn real(&self, path: &str) -> String {
        path.to_owned()
    }

    fn picks_secrets(&self, _pattern: &str) -> bool {
        false
    }
}

impl ListFolder for Table {
    fn names(&self, folder: &str) -> Result<Vec<String>, String> {
        let is_root = folder == ".";
        let folders = (0..10).filter(|_| is_root).map(|number| format!("folder{number}"));
        Ok(folders.chain((0..20).map(|number| format!("file{number}.txt"))).collect())
    }

    fn exists(&self, _path: &str) -> bool {
        true
    }

    fn is_folder(&self, path: &str) -> bool {
        path == "."
            || path
                .trim_end_matches('/')
                .rsplit('/')
                .next()
                .is_some_and(|name| name.starts_with("folder"))
    }
}

impl RepoFacts for Table {
    fn hazards(&self) -> Vec<RepoHazard> {
        Vec::new()
    }
}
