//! What the environment sets for this run, and how times are judged.
//!
//! In: environment variables. Out: sizes, addresses, and whether a slow machine is a failure. The only
//! place of the suite that reads the environment.
#![expect(clippy::disallowed_methods, reason = "tests are told from outside what to run against")]

use crate::worker::WorkerConfig;
use std::env;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Under this name a worker finds what it is to do.
pub(crate) const WORKER: &str = "SALVE_JOBS_TEST_WORKER";

/// Under this name a process that pays for calls finds its folder.
pub(crate) const PAYER: &str = "SALVE_JOBS_TEST_PAYER";

/// Returns the folder of a process that was started to pay for calls.
pub(crate) fn payer_folder() -> Option<PathBuf> {
    env::var(PAYER).ok().map(PathBuf::from)
}

/// Returns what this process is to do when it was started as a worker.
pub(crate) fn worker_config() -> Option<WorkerConfig> {
    let text = env::var(WORKER).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

/// Returns the address of a Postgres server in which databases may be made.
#[cfg(feature = "fleet")]
pub(crate) fn postgres_address() -> Option<String> {
    env::var("SALVE_TEST_POSTGRES").ok().filter(|address| !address.is_empty())
}

/// Returns a size that can be chosen from outside.
pub(crate) fn size<T: FromStr>(name: &str, usual: T) -> T {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Returns whether a stored history is to be written anew.
pub(crate) fn writes_fixtures() -> bool {
    env::var("SALVE_WRITE_FIXTURES").is_ok()
}

fn judges() -> bool {
    env::var("SALVE_JUDGE_TIMES").is_ok_and(|value| !value.is_empty() && value != "0")
}

/// Prints a time, and judges it if times are judged.
pub(crate) fn at_most(what: &str, seen: Duration, most: Duration) {
    let verdict = if seen <= most { "PASS" } else { "BELOW" };
    println!("{what}: {:.2} s (at most {:.2} s) {verdict}", seen.as_secs_f64(), most.as_secs_f64());
    assert!(seen <= most || !judges(), "{what} took {seen:?}, at most {most:?} is allowed");
}

/// Prints a figure, and judges it if times are judged.
pub(crate) fn figure(what: &str, seen: f64, goal: f64, fits: bool) {
    let verdict = if fits { "PASS" } else { "BELOW" };
    println!("{what}: {seen:.1} (goal {goal:.1}) {verdict}");
    assert!(fits || !judges(), "{what} is {seen:.1}, the goal is {goal:.1}");
}
