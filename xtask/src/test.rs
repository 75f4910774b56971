//! `cargo xtask test`: everything CI checks, in order.
//!
//! In: the repository. Out: every step announced, its own output, then one table with its result,
//! its time and that of the processors. Never stops at the first failure: one run tells everything
//! that is wrong.

mod as_user;
mod clock;

use crate::{fuzz, score, tidy};
use anyhow::bail;
use clock::{Clock, Used};
use std::process::Command;
use xtask::{Flags, Outcome, process, rig, tools, workspace};

struct Step {
    name: &'static str,
    run: fn() -> anyhow::Result<Outcome>,
}

/// Fetches what the others need, so its time is told apart.
const TOOLS: Step = Step { name: "tools", run: tools::install };

const STEPS: &[Step] = &[
    Step { name: "format", run: format },
    Step { name: "tidy", run: tidy::check },
    Step { name: "unused", run: unused },
    Step { name: "licences", run: licences },
    Step { name: "lints", run: lints },
    Step { name: "tests", run: tests },
    Step { name: "as a user", run: as_user::tests },
    Step { name: "doc tests", run: doc_tests },
    Step { name: "docs", run: docs },
    Step { name: "short fuzz", run: fuzz::short },
    Step { name: "crashes", run: || rig::short("crash") },
    Step { name: "scorers", run: score::check },
    Step { name: "ambiguity", run: || rig::short("ambiguity") },
    Step { name: "edits", run: || rig::short("edits") },
    Step { name: "unseen", run: || rig::short("mutate") },
    Step { name: "heals", run: || rig::short("heal-bench") },
    Step { name: "chats", run: || rig::short("chat-bench") },
    Step { name: "plans", run: || rig::short("plan-bench") },
    Step { name: "real diffs", run: || rig::short("landed") },
    Step { name: "cut matrix", run: || rig::short("matrix") },
    Step { name: "garbled streams", run: || rig::short("garble") },
    Step { name: "workbench in a browser", run: || rig::short("browser") },
    Step { name: "SDK clients", run: || rig::short("clients") },
    Step { name: "load", run: || rig::short("load") },
];

/// Installs a model, so it runs only when asked for.
const REAL_MODEL: Step = Step { name: "real model", run: || rig::short("real-model") };

/// A step that ran.
struct Done {
    name: &'static str,
    result: anyhow::Result<Outcome>,
    used: Used,
}

/// Runs every step and fails if one failed.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let real_model = flags.switch("--real-model");
    flags.finish()?;
    let steps: Vec<&Step> = STEPS.iter().chain(real_model.then_some(&REAL_MODEL)).collect();
    let tools = perform(&TOOLS, "before the steps", &Clock::start());
    let begin = Clock::start();
    let mut done = Vec::new();
    for (step, number) in steps.iter().zip(1..) {
        done.push(perform(step, &format!("step {number} of {}", steps.len()), &begin));
    }
    println!("\n{:<12} {:<8} {:>8} {:>8}  note", "step", "result", "seconds", "CPU s");
    for done in [&tools].into_iter().chain(&done) {
        println!("{}", row(done.name, word(&done.result), done.used, &note(&done.result)));
    }
    let failed: Vec<&str> =
        done.iter().filter(|done| done.result.is_err()).map(|done| done.name).collect();
    let word = if failed.is_empty() { "ok" } else { "FAILED" };
    println!("{}", row("total", word, begin.used(), "without tools"));
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

fn perform(step: &Step, place: &str, begin: &Clock) -> Done {
    println!("\n=== {} === {place}, {:.0} s so far", step.name, begin.used().wall.as_secs_f64());
    let clock = Clock::start();
    let result = (step.run)();
    let used = clock.used();
    println!("{}: {} after {:.1} s", step.name, word(&result), used.wall.as_secs_f64());
    Done { name: step.name, result, used }
}

fn word(result: &anyhow::Result<Outcome>) -> &'static str {
    match result {
        Ok(Outcome::Passed(_)) => "ok",
        Ok(Outcome::Skipped(_)) => "skipped",
        Err(_) => "FAILED",
    }
}

fn note(result: &anyhow::Result<Outcome>) -> String {
    match result {
        Ok(Outcome::Passed(note) | Outcome::Skipped(note)) => note.clone(),
        Err(error) => format!("{error:#}"),
    }
}

fn row(name: &str, word: &str, used: Used, note: &str) -> String {
    // A note may be an error chain of several lines; the table keeps its first.
    let note = note.lines().next().unwrap_or_default();
    format!("{name:<12} {word:<8} {}  {note}", used.columns()).trim_end().to_owned()
}

fn format() -> anyhow::Result<Outcome> {
    cargo(&["fmt", "--all", "--check"])
}

fn unused() -> anyhow::Result<Outcome> {
    with_tool("cargo-shear", &[&[]])
}

// Bans hold for what everyone builds; licences and sources for what anyone can. The advisories need a
// network and are not asked for.
fn licences() -> anyhow::Result<Outcome> {
    let bans = ["--offline", "check", "--hide-inclusion-graph", "bans"];
    let licences = ["--offline", "--all-features", "check", "licenses", "sources"];
    with_tool("cargo-deny", &[&bans, &licences])
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

fn cargo(arguments: &[&str]) -> anyhow::Result<Outcome> {
    process::run(&mut process::cargo(arguments))?;
    Ok(Outcome::Passed(String::new()))
}

fn with_tool(name: &str, runs: &[&[&str]]) -> anyhow::Result<Outcome> {
    let Some(program) = tools::cargo_tool(name)? else {
        return Ok(Outcome::Skipped(format!("{name} could not be installed")));
    };
    for arguments in runs {
        let mut command = Command::new(&program);
        process::run(command.args(*arguments).current_dir(workspace::root()))?;
    }
    Ok(Outcome::Passed(String::new()))
}
