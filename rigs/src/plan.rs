//! `cargo xtask plan-bench`: plans of random graphs, plans and workflows that are killed, and what they take.
//!
//! In: `--only graphs|kills|speed|fleet`, `--runs`: graphs (500) or kills (200), `--seed`. Out: a line for each, and an
//! error at the first plan that is out of order, beyond its limit, written by half or twice, or not ended. Never the
//! machine's own settings or a model beyond loopback.

mod fleet;
mod graph;
mod graphs;
mod kills;
mod speed;
mod stage;

use crate::corpus::Random;
use crate::product;
use anyhow::ensure;
use xtask::{Flags, Outcome};

const PARTS: [&str; 4] = ["graphs", "kills", "speed", "fleet"];

/// Runs the parts that were asked for.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let runs: Option<usize> = flags.value("--runs")?;
    let seed = flags.value("--seed")?.unwrap_or(7);
    let only: Option<String> = flags.value("--only")?;
    flags.finish()?;
    if let Some(part) = &only {
        ensure!(PARTS.contains(&&**part), "there is no part {part}; there is {}", PARTS.join(", "));
    }
    let is_asked = |part: &str| only.as_deref().is_none_or(|only| only == part);
    if is_asked("graphs") {
        let graphs = graphs::run(&product::salve()?, runs.unwrap_or(500), &Random::new(seed))?;
        println!("{graphs}");
    }
    if is_asked("kills") {
        let kills = kills::run(&product::salve()?, runs.unwrap_or(200), &mut Random::new(seed))?;
        println!("{kills}");
    }
    if is_asked("speed") {
        println!("{}", speed::run(&product::salve()?)?);
    }
    if is_asked("fleet") {
        println!("{}", fleet::run(runs.unwrap_or(500), &Random::new(seed))?);
    }
    Ok(())
}

/// A few of each, as a step of the tests.
pub(crate) fn short() -> anyhow::Result<Outcome> {
    let salve = product::salve()?;
    let graphs = graphs::run(&salve, 12, &Random::new(11))?;
    let killed = kills::run(&salve, 8, &mut Random::new(13))?;
    Ok(Outcome::Passed(format!("{graphs}; {killed}")))
}
