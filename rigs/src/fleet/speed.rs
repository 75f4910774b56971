//! How fast a fleet is, and what a worker costs that has nothing to do.
//!
//! In: a Postgres and the built `salve`. Out: rows with goals. Never judged by the tests: a busy
//! machine is slow, and not wrong.

use super::desk::Desk;
use super::report::Row;
use anyhow::Context;
use std::path::Path;
use std::time::{Duration, Instant};
use xtask::process;

const IDLE: Duration = Duration::from_secs(20);
const MOST_PROCESSOR: f64 = 5.0;
const MOST_MEMORY: f64 = 40.0;

/// Measures.
pub(crate) fn run(salve: &Path, release: bool) -> anyhow::Result<Vec<Row>> {
    let desk = Desk::new(salve, 1, "{\"reply\":{\"text\":\"x\"}}\n")?;
    let mut rows = benchmark(&desk, release)?;
    rows.extend(idle(&desk)?);
    Ok(rows)
}

// The benchmark of salve-jobs, on this database; the tests' build is what there is already.
fn benchmark(desk: &Desk, release: bool) -> anyhow::Result<Vec<Row>> {
    let verb = if release { "bench" } else { "test" };
    let mut command = process::cargo(&[verb, "--workspace", "--features", "salve-cli/fleet"]);
    command.args(["--bench", "jobs", "--", "--postgres", &desk.postgres.url_for_tests()]);
    let text = process::output(&mut command)?;
    print!("{text}");
    let lines = text.lines().filter(|line| line.ends_with("PASS") || line.ends_with("BELOW"));
    let row = |line: &str| {
        let (words, verdict) = line.rsplit_once(' ').unwrap_or((line, ""));
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        Row::new("speed", words, String::new()).with_goal("", verdict == "PASS")
    };
    Ok(lines.map(row).collect())
}

fn idle(desk: &Desk) -> anyhow::Result<Vec<Row>> {
    let mut worker = desk.worker(0, &[])?;
    std::thread::sleep(Duration::from_secs(5));
    anyhow::ensure!(!worker.has_ended(), "the worker did not stay: {}", desk.said(0));
    let (before, begin) = (worker.processor_time()?, Instant::now());
    std::thread::sleep(IDLE);
    let used = worker.processor_time()?.saturating_sub(before);
    let share = used.as_secs_f64() / begin.elapsed().as_secs_f64() * 100.0;
    let memory = worker.memory().context("the worker is gone")?;
    Ok(vec![
        Row::new("speed", "idle worker, of a core", format!("{share:.1} %"))
            .with_goal(format!("at most {MOST_PROCESSOR} %"), share <= MOST_PROCESSOR),
        Row::new("speed", "idle worker, memory", format!("{memory:.1} MiB"))
            .with_goal(format!("at most {MOST_MEMORY} MiB"), memory <= MOST_MEMORY),
    ])
}
