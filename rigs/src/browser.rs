//! `cargo xtask browser`: the workbench in a real browser, driven by what people and programs see.
//!
//! In: the built `salve`, Debian's chromium, Node, and the packages of `rigs/browser/package-lock.json`; `--only NAME`
//! runs one part or test, `--speed` the part that measures, `--show` prints whole errors. Out: a line per test, a
//! table, pictures in `target/browser`, and an error when a test failed. Never a page beyond this machine, and never
//! part of the product. The servers are started by the tests themselves, because they kill them and start them again.

mod tools;

use crate::product;
use anyhow::{Context, bail};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use tools::Tools;
use xtask::{Flags, Outcome, process, workspace};

/// Runs the parts that were asked for.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let arguments = flags.rest();
    let tools = match Tools::find(true)? {
        Ok(tools) => tools,
        Err(reason) => bail!("skipped: {reason}"),
    };
    node(&tools, &arguments).map(|note| println!("{note}"))
}

/// The smoke part, as a step of the tests.
pub(crate) fn short() -> anyhow::Result<Outcome> {
    match Tools::find(false)? {
        Ok(tools) => node(&tools, &["--smoke".to_owned()]).map(Outcome::Passed),
        Err(reason) => Ok(Outcome::Skipped(reason)),
    }
}

fn node(tools: &Tools, arguments: &[String]) -> anyhow::Result<String> {
    let shots = workspace::target_dir()?.join("browser");
    std::fs::create_dir_all(&shots)?;
    let outcome = shots.join("outcome.json");
    let _ = std::fs::remove_file(&outcome);
    let mut command = Command::new("node");
    command.arg(workspace::root().join("rigs/browser/run.mjs")).args(arguments);
    command.env("SALVE", product::salve()?).env("CHROMIUM", &tools.chromium);
    command.env("BROWSER_PACKAGES", &tools.packages).env("BROWSER_SHOTS", &shots);
    command.env("BROWSER_OUTCOME", &outcome);
    if let Some(schemathesis) = &tools.schemathesis {
        command.env("SCHEMATHESIS", schemathesis);
    }
    let ended = process::run(&mut command);
    let report = report(&outcome);
    ended.with_context(|| report.as_ref().map_or_else(ToString::to_string, Clone::clone))?;
    report
}

fn report(path: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(path).context("the tests of the browser said nothing")?;
    let report: Value = serde_json::from_str(&text)?;
    let failed: Vec<&str> =
        report["failed"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let tests = report["tests"].as_u64().unwrap_or_default();
    Ok(match failed.is_empty() {
        true => format!("{tests} tests in the browser, 0 failed"),
        false => format!("{} of {tests} tests failed: {}", failed.len(), failed.join(", ")),
    })
}
