//! `cargo xtask chat-bench`: conversations that are killed, answers that are cut, tasks in real packages, random walks.
//!
//! In: `--runs`: turns that are killed at random moments (200) or walks (500), `--cuts` every how many bytes a
//! structured answer is cut (1 is every byte), `--seed`, `--only kills|cuts|packages|walks`. Out: a line for each, and an
//! error at the first thing that was lost, done twice, done by half, or not what it should be. Never the machine's own settings or a model beyond loopback.

mod cuts;
mod kills;
mod packages;
mod stage;
mod walks;

use crate::corpus::Random;
use crate::product;
use anyhow::ensure;
use xtask::{Flags, Outcome};

const PARTS: [&str; 4] = ["kills", "cuts", "walks", "packages"];

/// Runs the parts that were asked for.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let runs: Option<usize> = flags.value("--runs")?;
    let every = flags.value("--cuts")?.unwrap_or(1);
    let seed = flags.value("--seed")?.unwrap_or(7);
    let only: Option<String> = flags.value("--only")?;
    flags.finish()?;
    if let Some(part) = &only {
        ensure!(PARTS.contains(&&**part), "there is no part {part}; there is {}", PARTS.join(", "));
    }
    let is_asked = |part: &str| only.as_deref().is_none_or(|only| only == part);
    if is_asked("kills") {
        println!(
            "{}",
            kills::run(&product::salve()?, runs.unwrap_or(200), &mut Random::new(seed))?
        );
    }
    if is_asked("cuts") {
        println!("{}", cuts::run(&product::salve()?, every)?);
    }
    if is_asked("packages") {
        println!("{}", packages::run(&product::salve()?)?);
    }
    if is_asked("walks") {
        println!(
            "{}",
            walks::run(&product::salve()?, runs.unwrap_or(500), &mut Random::new(seed))?
        );
    }
    Ok(())
}

/// A few of each, as a step of the tests.
pub(crate) fn short() -> anyhow::Result<Outcome> {
    let salve = product::salve()?;
    let killed = kills::run(&salve, 8, &mut Random::new(11))?;
    let cut = cuts::run(&salve, 211)?;
    let walked = walks::run(&salve, 4, &mut Random::new(13))?;
    Ok(Outcome::Passed(format!("{killed}; {cut}; {walked}")))
}
