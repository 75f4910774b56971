//! Edits nobody wrote down: the generator of `cargo xtask edits` with further files and habits.
//!
//! In: a number of cases and a seed. Out: a table by format and trap, the habits that are refused, and
//! the goals. Fails for an edit that landed as it was not meant, and for an impossible one accepted.

use crate::edits::{self, Figures, Show, Tally};
use anyhow::{Result, bail};

/// The goal, in percent of the possible edits.
const RIGHT: f64 = 98.0;

/// Measures and prints.
pub(super) fn run(count: usize, seed: u64, show: Show) -> Result<()> {
    let figures = edits::further(count, seed, show, false)?;
    for note in &figures.notes {
        println!("note: {note}");
    }
    println!("{count} draws, seed {seed}");
    print(&figures);
    let (possible, accepted) =
        (sum(figures.possible.values()), sum(figures.impossible.values()).wrong);
    let right = 100.0 * possible.right as f64 / possible.cases().max(1) as f64;
    let verdict = |good: bool| if good { "PASS" } else { "BELOW" };
    println!("\ngoals");
    println!("  right at least {RIGHT} %: {right:.1}  {}", verdict(right >= RIGHT));
    println!("  wrong, none: {}  {}", possible.wrong, verdict(possible.wrong == 0));
    println!("  impossible accepted, none: {accepted}  {}", verdict(accepted == 0));
    match possible.wrong + accepted {
        0 => Ok(()),
        wrong => bail!("{wrong} edits landed as they were not meant"),
    }
}

/// Runs a few cases on files at hand; returns how many landed right, and how many wrongly.
pub(super) fn sample(count: usize, seed: u64) -> Result<(usize, usize)> {
    let figures = edits::further(count, seed, Show { wrong: 3, refused: 0 }, true)?;
    let possible = sum(figures.possible.values());
    Ok((possible.right, possible.wrong + sum(figures.impossible.values()).wrong))
}

fn sum<'a>(tallies: impl Iterator<Item = &'a Tally>) -> Tally {
    tallies.fold(Tally::default(), |mut sum, tally| {
        sum.add(*tally);
        sum
    })
}

fn print(figures: &Figures) {
    let line = |name: &str, tally: &Tally| {
        let right = 100.0 * tally.right as f64 / tally.cases().max(1) as f64;
        println!(
            "{name:<58} {:>6} {right:>7.1} {:>8} {:>6}",
            tally.cases(),
            tally.refused,
            tally.wrong
        );
    };
    println!("{:<58} {:>6} {:>7} {:>8} {:>6}", "format", "cases", "right %", "refused", "wrong");
    figures.possible.iter().for_each(|(name, tally)| line(name, tally));
    line("all", &sum(figures.possible.values()));
    println!("\n{:<58} {:>6} {:>7} {:>8} {:>6}", "impossible", "cases", "same", "refused", "wrong");
    figures.impossible.iter().for_each(|(name, tally)| line(name, tally));
    println!("\nhabits below the goal");
    for ((format, habit), tally) in &figures.habits {
        if (tally.right as f64) < RIGHT / 100.0 * tally.cases() as f64 {
            line(&format!("{format}: {habit}"), tally);
        }
    }
}
