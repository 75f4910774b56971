//! `cargo xtask ambiguity`: hunks on files full of copies and on files that moved on.
//!
//! In: cases from a generator that knows where every line belongs and never calls the matcher. Out:
//! one table of how many landed right, were refused or landed wrong, and a failure when one landed
//! wrong. Never: a case whose truth is in question: a hunk tells its place in the base it was written
//! against, by its lines or by its line number or heading, and a copy that only a number told apart
//! is never removed whole, for then nothing in the world tells.

mod generate;

use anyhow::{Result, bail};
use generate::{Case, Kind, generate};
use salve_tree::{FileText, HunkOutcome, MatchOptions, match_hunks};
use xtask::{Flags, Outcome};

const CASES: usize = 20_000;
const SHORT: usize = 4_000;
const SEED: u64 = 20_261_116;

/// Runs the measurement. Flags: `--n N` cases, `--seed N`, `--show N` wrong cases.
pub(crate) fn run(flags: &mut Flags) -> Result<()> {
    let count = flags.value("--n")?.unwrap_or(CASES);
    let seed = flags.value("--seed")?.unwrap_or(SEED);
    let shown = flags.value("--show")?.unwrap_or(5);
    flags.finish()?;
    println!("{}", measure(count, seed, shown)?);
    Ok(())
}

/// Runs fewer cases, for the checks of every day.
pub(crate) fn short() -> Result<Outcome> {
    Ok(Outcome::Passed(measure(SHORT, SEED, 5)?))
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    right: usize,
    refused: usize,
    wrong: usize,
}

fn measure(count: usize, seed: u64, shown: usize) -> Result<String> {
    let mut tallies = vec![Tally::default(); Kind::ALL.len()];
    let mut left = shown;
    for number in 0..count {
        let case = generate(seed, number);
        let tally = &mut tallies[case.kind as usize];
        match judge(&case) {
            Mark::Right => tally.right += 1,
            Mark::Refused => tally.refused += 1,
            Mark::Wrong(found) => {
                tally.wrong += 1;
                if left > 0 {
                    left -= 1;
                    show(number, &case, &found);
                }
            }
        }
    }
    println!("{:<34} {:>8} {:>8} {:>8}", "what happened to the file", "right", "refused", "wrong");
    let mut all = Tally::default();
    for (kind, tally) in Kind::ALL.iter().zip(&tallies) {
        println!("{:<34} {:>8} {:>8} {:>8}", kind.name(), tally.right, tally.refused, tally.wrong);
        all.right += tally.right;
        all.refused += tally.refused;
        all.wrong += tally.wrong;
    }
    println!("{:<34} {:>8} {:>8} {:>8}", "all", all.right, all.refused, all.wrong);
    if all.wrong > 0 {
        bail!("{} of {count} hunks landed in the wrong place", all.wrong);
    }
    if all.right * 4 < count {
        bail!("only {} of {count} hunks landed: refusing everything is no answer", all.right);
    }
    Ok(format!("{} landed right, {} refused, 0 wrong", all.right, all.refused))
}

enum Mark {
    Right,
    Refused,
    Wrong(String),
}

fn judge(case: &Case) -> Mark {
    let Ok(text) = FileText::read(case.file.as_bytes()) else { return Mark::Refused };
    let options = MatchOptions {
        scored: case.scored,
        base_known: case.base_known,
        ..MatchOptions::default()
    };
    let matched = match_hunks(&text, &case.hunks, &options);
    match matched.text {
        None => Mark::Refused,
        // What is there already was not put anywhere.
        Some(found) if found == case.file && all_applied(&matched.outcomes) => Mark::Refused,
        Some(found) if case.expected.as_ref() == Some(&found) => Mark::Right,
        Some(found) => Mark::Wrong(found),
    }
}

fn all_applied(outcomes: &[HunkOutcome]) -> bool {
    outcomes.iter().all(|outcome| matches!(outcome, HunkOutcome::AlreadyApplied { .. }))
}

fn show(number: usize, case: &Case, found: &str) {
    println!("=== case {number}: {}, base known: {}", case.kind.name(), case.base_known);
    for hunk in &case.hunks {
        println!("hint {:?}, heading {:?}\n{:?}", hunk.hint, hunk.anchors, hunk.body);
    }
    println!(
        "--- file\n{}--- wanted\n{}",
        case.file,
        case.expected.as_deref().unwrap_or("(refusal)\n")
    );
    println!("--- found\n{found}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hunk_lands_in_the_wrong_place() {
        assert!(measure(300, SEED, 1).is_ok());
    }
}
