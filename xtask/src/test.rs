//! `cargo xtask test`: everything CI checks, in order.
//!
//! In: the repository. Out: every step's own output, then one table with its result and time. Never
//! stops at the first failure: one run tells everything that is wrong.

use crate::{fuzz, score, tidy};
use anyhow::bail;
use std::time::{Duration, Instant};
use xtask::{Flags, Outcome, process, rig, tools};

struct Step {
    name: &'static str,
    run: fn() -> anyhow::Result<Outcome>,
}

const STEPS: &[Step] = &[
    Step { name: "tools", run: tools::install },
    Step { name: "format", run: format },
    Step { name: "lints", run: lints },
    Step { name: "tests", run: tests },
    Step { name: "doc tests", run: doc_tests },
    Step { name: "docs", run: docs },
    Step { name: "short fuzz", run: fuzz::short },
    Step { name: "crashes", run: || rig::short("crash") },
    Step { name: "scorers", run: score::check },
    Step { name: "ambiguity", run: || rig::short("ambiguity") },
    Step { name: "real diffs", run: || rig::short("landed") },
    Step { name: "cut matrix", run: || rig::short("matrix") },
    Step { name: "SDK clients", run: || rig::short("clients") },
    Step { name: "load", run: || rig::short("load") },
    Step { name: "tidy", run: tidy::check },
    Step { name: "licences", run: licences },
];

/// Installs a model, so it runs only when asked for.
const REAL_MODEL: Step = Step { name: "real model", run: || rig::short("real-model") };

/// Runs every step and fails if one failed.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let real_model = flags.switch("--real-model");
    flags.finish()?;
    let begin = Instant::now();
    let mut rows = Vec::new();
    let mut failed = Vec::new();
    for step in STEPS.iter().chain(real_model.then_some(&REAL_MODEL)) {
        println!("\n=== {} ===", step.name);
        let start = Instant::now();
        let outcome = (step.run)();
        let (word, note) = match outcome {
            Ok(Outcome::Passed(note)) => ("ok", note),
            Ok(Outcome::Skipped(reason)) => ("skipped", reason),
            Err(error) => {
                failed.push(step.name);
                ("FAILED", format!("{error:#}"))
            }
        };
        println!("{}: {word}", step.name);
        rows.push(row(step.name, word, start.elapsed(), &note));
    }
    println!("\n{:<12} {:<8} {:>8}  note", "step", "result", "seconds");
    for row in rows {
        println!("{row}");
    }
    println!(
        "{}",
        row("total", if failed.is_empty() { "ok" } else { "FAILED" }, begin.elapsed(), "")
    );
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

fn row(name: &str, word: &str, time: Duration, note: &str) -> String {
    // A note may be an error chain of several lines; the table keeps its first.
    let note = note.lines().next().unwrap_or_default();
    format!("{name:<12} {word:<8} {:>8.1}  {note}", time.as_secs_f64()).trim_end().to_owned()
}

fn format() -> anyhow::Result<Outcome> {
    cargo(&["fmt", "--all", "--check"])
}

fn lints() -> anyhow::Result<Outcome> {
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
}

fn tests() -> anyhow::Result<Outcome> {
    if process::answers(&mut process::cargo(&["nextest", "--version"])) {
        cargo(&["nextest", "run", "--workspace", "--no-fail-fast"])
    } else {
        println!("cargo-nextest is not installed; `cargo test` runs the same tests.");
        cargo(&["test", "--workspace", "--all-targets", "--no-fail-fast"])
    }
}

fn doc_tests() -> anyhow::Result<Outcome> {
    cargo(&["test", "--doc", "--workspace"])
}

fn docs() -> anyhow::Result<Outcome> {
    let arguments = ["doc", "--no-deps", "--workspace"];
    process::run(process::cargo(&arguments).env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Outcome::Passed(String::new()))
}

fn licences() -> anyhow::Result<Outcome> {
    if !process::answers(&mut process::cargo(&["deny", "--version"])) {
        let reason = "cargo-deny is not installed, so deny.toml was not checked";
        return Ok(Outcome::Skipped(reason.to_owned()));
    }
    cargo(&["deny", "--offline", "check", "licenses", "bans", "sources"])
}

fn cargo(arguments: &[&str]) -> anyhow::Result<Outcome> {
    process::run(&mut process::cargo(arguments))?;
    Ok(Outcome::Passed(String::new()))
}
