//! The conformance suites of the store and of the jobs, in full, on every store.
//!
//! In: a Postgres. Out: how many tests passed, and what they printed of themselves. Never with the
//! short sizes of `cargo xtask test`: times are judged here, and loops are whole.

use super::postgres::Postgres;
use super::report::Row;
use anyhow::{Context, bail};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;
use xtask::process;

/// What is run: the store's own tests, the engine's adapter, and the conformance of jobs.
const WHICH: &str = "package(salve-store) | package(salve-jobs) | \
                     (package(salve-engine) & (binary(jobs) | binary(flows)))";

/// The sizes of a full run, where `cargo xtask test` has a sample.
const FULL: &[(&str, &str)] = &[
    ("SALVE_JOBS_FAULT_JOBS", "40"),
    ("SALVE_JOBS_FAULT_STEPS", "8"),
    ("SALVE_JOBS_FAULT_KILLS", "32"),
    ("SALVE_CUT_JOBS", "1000"),
];

/// Runs them.
pub(crate) fn run(postgres: &Postgres) -> anyhow::Result<Vec<Row>> {
    let begin = Instant::now();
    let features = ["--workspace", "--features", "salve-cli/fleet"];
    let mut command = process::cargo(&["nextest", "run"]);
    command.args(features).args(["--no-fail-fast", "--success-output", "final", "-E", WHICH]);
    command.env("SALVE_TEST_POSTGRES", postgres.url_for_tests()).env("SALVE_JUDGE_TIMES", "1");
    command.envs(FULL.iter().copied());
    let told = tee(&mut command)?;
    let took = format!("{} in {:.0?}", told.summary, begin.elapsed());
    let mut rows = vec![Row::new("suites", "tests of store, jobs and flows", took)];
    rows.extend(told.figures.into_iter().map(|line| Row::new("suites", line, String::new())));
    Ok(rows)
}

struct Told {
    summary: String,
    figures: Vec<String>,
}

// Everything is shown as it comes; the summary and the figures are kept.
fn tee(command: &mut Command) -> anyhow::Result<Told> {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("could not start cargo nextest")?;
    let output = child.stdout.take().context("no output")?;
    let errors = child.stderr.take().context("no errors")?;
    let reader = std::thread::spawn(move || {
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        lines.inspect(|line| println!("{line}")).collect::<Vec<String>>()
    });
    let lines = BufReader::new(errors).lines().map_while(Result::ok);
    let mut lines: Vec<String> = lines.inspect(|line| eprintln!("{line}")).collect();
    lines.extend(reader.join().unwrap_or_default());
    let status = child.wait()?;
    let summary = lines.iter().rev().find_map(|line| line.trim().strip_prefix("Summary"));
    let summary = summary.and_then(|line| Some(line.split_once(']')?.1.trim().to_owned()));
    let judged = |line: &&String| line.ends_with(" PASS") || line.ends_with(" BELOW");
    let mut figures: Vec<String> =
        lines.iter().filter(judged).map(|line| line.trim().to_owned()).collect();
    figures.dedup();
    if !status.success() {
        bail!("the suites: {}", summary.unwrap_or_else(|| status.to_string()));
    }
    Ok(Told { summary: summary.context("nextest printed no summary")?, figures })
}
