//! `cargo xtask mutate`: input nobody wrote down, for JSON, edits and joins.
//!
//! In: seeds. Out: tables with the goals beside the figures; peers in the same run. Documents, styles
//! and faults are generated, and the truth is known before the text is. Never looks into the parser.
//!
//! How JSON is counted:
//! - A case is *right* when the value is the truth: arrays in order, objects in any, whole numbers digit
//!   by digit, other numbers by value.
//! - Several readings count as right only where the text cannot tell: of a value that was cut, the part
//!   that is there, nothing of it, or null for a key alone; of a missing value null, `""` or no member;
//!   of a text block, with or without the line break at its border; of `\d`, with or without the
//!   backslash; of a document given twice, it or a list of both. Everywhere else, also where a lost
//!   closer could have been in several places, only what was meant counts. How often the answer was
//!   another value that one mark more or less gives is told beside it.
//! - A mutation that leaves a sound document of another value is no case and is drawn again.
//! - A scalar is *lost* when the truth has it more often than the answer has it as a scalar; it is
//!   *gone* when its text is not even inside another string or a key of the answer.
//! - A string or key is *invented* when it is in the answer, but not a part of any string or key of the
//!   truth, nor of the text, nor of the text with its escapes read, with or without indentation
//!   and the seams (`" + "`) of strings that are joined from parts.
//! - *Wrong but called complete*: the value is wrong and `complete` is true.

mod document;
mod edits;
mod fault;
mod joins;
mod json;
mod peers;
mod score;
mod style;
mod table;
mod token;
mod words;

pub(crate) use peers::run_child;

use crate::edits::Show;
use anyhow::{Context, Result, bail};
use std::process::Command;
use xtask::{Flags, Outcome, workspace};

const CASES: usize = 2_880;
/// Draws; about half of them go together.
const EDITS: usize = 30_000;
const JOINS: usize = 10_000;

// A sample takes some seconds of each sort, on two cores and without optimisation.
const SAMPLE_CASES: usize = 1_200;
const SAMPLE_EDITS: usize = 1_200;
const SAMPLE_JOINS: usize = 400;

// How many of a sample may be wrong. The goal is none; these are what samples of many seeds had at most,
// and are lowered with every class that is closed. One more fails the check.
const MOST_INVENTED: usize = 1;
const MOST_WRONG_EDITS: usize = 2;
const MOST_WRONG_JOINS: usize = 4;

/// Runs the measurement.
///
/// Flags: `--only json|edits|joins`, `--n N`, `--seed N`, `--show CLASS` (a fault, a style, a kind of
/// document, `lost`, `invented`, `complete` or `all`), `--shown 10`, `--refused N` edits,
/// `--no-peers`, `--format json`.
pub(crate) fn run(flags: &mut Flags) -> Result<()> {
    let only = flags.value::<String>("--only")?;
    let count = flags.value("--n")?;
    let seed = flags.value("--seed")?.unwrap_or_else(fresh_seed);
    let format = flags.value::<String>("--format")?;
    let shown = flags.value("--shown")?;
    let refused = flags.value("--refused")?.unwrap_or(0);
    let options = json::Options {
        count: count.unwrap_or(CASES),
        seed,
        show: flags.value("--show")?,
        shown: shown.unwrap_or(10),
        peers: !flags.switch("--no-peers"),
        document: match format.as_deref() {
            None | Some("text") => false,
            Some("json") => true,
            Some(other) => bail!("unknown format `{other}`; use `text` or `json`"),
        },
    };
    flags.finish()?;
    let edits =
        || edits::run(count.unwrap_or(EDITS), seed, Show { wrong: shown.unwrap_or(3), refused });
    let joins = || joins::run(count.unwrap_or(JOINS), seed, shown.unwrap_or(3));
    match only.as_deref() {
        Some("json") => json::run(&options),
        Some("edits") => edits(),
        Some("joins") => joins(),
        None => {
            let results = [("json", json::run(&options)), ("edits", edits()), ("joins", joins())];
            let failed = results.iter().filter_map(|(name, result)| {
                result.as_ref().err().map(|error| format!("{name}: {error:#}"))
            });
            let failed: Vec<String> = failed.collect();
            if failed.is_empty() { Ok(()) } else { bail!("{}", failed.join("; ")) }
        }
        Some(other) => bail!("`--only {other}` is not known; use `json`, `edits` or `joins`"),
    }
}

/// A small sample with the seed of the commit and the day, for the checks of every day.
///
/// Fails on more invented strings or panics, wrong edits or wrong joins than are known to be left. Fetches nothing.
pub(crate) fn short() -> Result<Outcome> {
    let seed = seed_of_the_day();
    println!(
        "seed {seed}: `cargo xtask mutate --only json|edits|joins --seed {seed}` draws from it"
    );
    let (json, faults) = json::sample(SAMPLE_CASES, seed);
    for fault in faults.iter().take(5) {
        println!("{fault}");
    }
    let (landed, wrong_edits) = edits::sample(SAMPLE_EDITS, seed)?;
    let (equal, wrong_joins) = joins::sample(SAMPLE_JOINS, seed)?;
    let invented = faults.len();
    if invented > MOST_INVENTED || wrong_edits > MOST_WRONG_EDITS || wrong_joins > MOST_WRONG_JOINS
    {
        bail!(
            "seed {seed}: {invented} strings invented or panics, {wrong_edits} wrong edits, {wrong_joins} wrong joins"
        );
    }
    let right = json.percent(json.right);
    Ok(Outcome::Passed(format!(
        "seed {seed}: {} JSON texts {right:.0} % right, {invented} invented; {landed} edits right, {wrong_edits} wrong; {equal} joins right, {wrong_joins} wrong",
        json.cases
    )))
}

// Another one every second, and printed with the figures.
fn fresh_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |now| now.as_secs())
}

// The same for everybody who tests this commit today, so that what fails can be repeated.
fn seed_of_the_day() -> u64 {
    let commit = commit().unwrap_or_default();
    let day = fresh_seed() / 86_400;
    commit.bytes().fold(day, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)))
        % 1_000_000_000
}

fn commit() -> Result<String> {
    let mut git = Command::new("git");
    let output = git.args(["rev-parse", "HEAD"]).current_dir(workspace::root()).output();
    let output = output.context("git could not be started")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests;
