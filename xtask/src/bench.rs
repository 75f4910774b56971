//! `cargo xtask bench`: the speed goals, as ratios against peers measured in the same run.
//!
//! In: the benchmarks of the crates and the rig `speed`, each of which prints lines that end a goal with PASS or BELOW.
//! Out: their output as it comes, then all goal lines in one table, beside an earlier one where one was saved. Never fails on a slow machine by
//! itself: only `--strict` turns a missed goal into an error.

mod table;

use anyhow::{Context, bail};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use table::Row;
use xtask::Flags;
use xtask::{process, rig};

const BENCHES: &[(&str, &str)] = &[
    ("salve-text", "json"),
    ("salve-text", "inspect"),
    ("salve-text", "redact"),
    ("salve-tree", "matching"),
    ("salve-check", "policy"),
    ("salve-check", "signature"),
    ("salve-check", "runner"),
    ("salve-check", "shadow"),
    ("salve-store", "ledger"),
    ("salve-store", "knowledge"),
    ("salve-store", "sessions"),
    ("salve-engine", "jobs"),
    ("salve-engine", "answer"),
    ("salve-engine", "heal"),
    ("salve-engine", "knowledge"),
    ("salve-engine", "session"),
];

/// Runs every benchmark and collects the goal lines.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let strict = flags.switch("--strict");
    let only: Option<String> = flags.value("--only")?;
    let saved: Option<PathBuf> = flags.value("--save")?;
    let against: Option<PathBuf> = flags.value("--against")?;
    flags.finish()?;
    // Read before anything runs: a file that is not there shall not cost the measurement.
    let earlier = against.as_deref().map(table::load).transpose()?;
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let mut goals = Vec::new();
    for (package, bench) in BENCHES.iter().filter(|(_, bench)| wanted(bench)) {
        println!("\n=== {package}: {bench} ===");
        let mut command = process::cargo(&["bench", "-p", package, "--bench", bench]);
        goals.extend(goal_lines(&mut command, bench)?);
    }
    if wanted("gateway") {
        println!("\n=== gateway ===");
        goals.extend(goal_lines(&mut rig::built("speed")?, "gateway")?);
    }
    println!("\n=== goals ===");
    let wanted_row = |row: &Row| wanted(&row.bench);
    let earlier = earlier.map(|rows| rows.into_iter().filter(wanted_row).collect::<Vec<_>>());
    print!("{}", table::table(&goals, earlier.as_deref()));
    let below = goals.iter().filter(|row| !row.passed).count();
    println!("\n{} goals, {below} below", goals.len());
    if let Some(path) = saved {
        table::save(&goals, &path)?;
        println!("saved to {}", path.display());
    }
    if goals.is_empty() {
        bail!("no benchmark printed a goal");
    }
    if strict && below > 0 {
        bail!("{below} goals are below");
    }
    Ok(())
}

fn goal_lines(command: &mut Command, bench: &str) -> anyhow::Result<Vec<Row>> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("could not start the benchmark {bench}"))?;
    let output = child.stdout.take().context("the benchmark has no output")?;
    let mut goals = Vec::new();
    for line in BufReader::new(output).lines() {
        let line = line.with_context(|| format!("could not read the benchmark {bench}"))?;
        println!("{line}");
        goals.extend(Row::read(bench, &line));
    }
    let status = child.wait().with_context(|| format!("the benchmark {bench} was lost"))?;
    if !status.success() {
        bail!("the benchmark {bench} ended with {status}");
    }
    Ok(goals)
}
