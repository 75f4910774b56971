//! `cargo xtask bench`: the speed goals, as ratios against peers measured in the same run.
//!
//! In: the benchmarks of the crates and the rig `speed`, each of which prints lines that end a goal with PASS or BELOW.
//! Out: their output as it comes, then all goal lines in one table. Never fails on a slow machine by
//! itself: only `--strict` turns a missed goal into an error.

use anyhow::{Context, bail};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
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
    flags.finish()?;
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
    for line in &goals {
        println!("{line}");
    }
    let below = goals.iter().filter(|line| line.contains("BELOW")).count();
    println!("\n{} goals, {below} below", goals.len());
    if goals.is_empty() {
        bail!("no benchmark printed a goal");
    }
    if strict && below > 0 {
        bail!("{below} goals are below");
    }
    Ok(())
}

fn goal_lines(command: &mut Command, bench: &str) -> anyhow::Result<Vec<String>> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("could not start the benchmark {bench}"))?;
    let output = child.stdout.take().context("the benchmark has no output")?;
    let mut goals = Vec::new();
    for line in BufReader::new(output).lines() {
        let line = line.with_context(|| format!("could not read the benchmark {bench}"))?;
        println!("{line}");
        if line.contains("PASS") || line.contains("BELOW") {
            goals.push(line);
        }
    }
    let status = child.wait().with_context(|| format!("the benchmark {bench} was lost"))?;
    if !status.success() {
        bail!("the benchmark {bench} ended with {status}");
    }
    Ok(goals)
}
