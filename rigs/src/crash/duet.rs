//! Two processes on one folder.
//!
//! In: the workload that the first process does, and the step at which it is held. Out: what is
//! wrong after the first was ended there and the second did its work. Never lets both be ended:
//! the second is the one whose promise counts.

use super::check::{Kind, Known, Violation};
use super::listing::{self, Scratch};
use super::point::{Bench, Prepared, settle_and_check};
use super::process::{self, Started};
use super::workload::{Stage, with_second};
use std::time::Duration;

/// How long the second process has the folder in its sight before the first one ends.
const TOGETHER: Duration = Duration::from_millis(8);

/// Holds the first process at a step, lets a second one knock, ends the first.
pub(crate) fn run(
    prepared: &Prepared,
    at: usize,
    bench: &Bench,
) -> anyhow::Result<(String, Vec<Violation>)> {
    let again = format!("cargo xtask crash --workload '{}' --duet {at}", prepared.workload.name);
    let copy = Scratch::copy_of(prepared.template.path(), &bench.base)?;
    let folder = copy.path();
    let mut still = listing::identities(folder)?;
    for path in prepared.workload.touched().into_iter().chain(["src/b.txt".to_owned()]) {
        still.remove(&path);
    }
    let mut wrong = Vec::new();
    let hold = format!("hold@{at}");
    let arguments = ["--workload", prepared.workload.name, "--faults", &hold];
    let (first, is_held) = Started::until_held(&mut bench.programs.child(folder, &arguments))?;
    let has_lock = is_held && at > lock_step(prepared);
    if has_lock {
        wrong.extend(knock(folder, bench)?);
    }
    let second = Started::aside(&mut bench.programs.child(folder, &["--second"]))?;
    std::thread::sleep(TOGETHER);
    let first_acks = if is_held {
        first.kill()?;
        0
    } else {
        process::finish(first)?.acks()
    };
    let ended = process::finish(second)?;
    if !ended.status.success() {
        let what = format!("the second process ended with {}", ended.status);
        wrong.push(Violation::new(Kind::Broken, what));
    }
    if let Some(error) = ended.line("error") {
        wrong.push(Violation::new(Kind::Broken, format!("the second process: {error}")));
    }
    let stages = stages(prepared);
    // 0 and 1: the first alone; 2 and 3: the second after it.
    let begin = if ended.acks() == 1 { 2 } else { 0 };
    let allowed = if first_acks == 1 { vec![begin + 1] } else { vec![begin, begin + 1] };
    let known =
        Known { stages: &stages, allowed, meanwhile: None, may_keep: false, bystanders: &still };
    wrong.extend(settle_and_check(folder, &known, bench)?);
    Ok((again, wrong))
}

/// A second process that may not wait long must say who is writing, and change nothing.
fn knock(folder: &std::path::Path, bench: &Bench) -> anyhow::Result<Vec<Violation>> {
    let before = listing::tree(folder)?;
    let ended = process::run(&mut bench.programs.child(folder, &["--second", "--wait", "10"]))?;
    let mut wrong = Vec::new();
    // An edit that does not fit the half-written tree is refused before it asks for the lock.
    let is_told = ended.line("error the workspace is being written by").is_some();
    if !is_told && ended.line("refused").is_none() {
        let what = format!("the second process did not wait or refuse: {:?}", ended.lines);
        wrong.push(Violation::new(Kind::Broken, what));
    }
    if listing::tree(folder)? != before {
        wrong.push(Violation::new(Kind::Torn, "a process without the lock changed the tree"));
    }
    Ok(wrong)
}

fn lock_step(prepared: &Prepared) -> usize {
    let locked = prepared.steps.iter().position(|(call, _)| call == "try_lock");
    locked.map_or(usize::MAX, |at| at + 1)
}

fn stages(prepared: &Prepared) -> Vec<Stage> {
    let mut stages = prepared.stages.clone();
    stages.extend(with_second(prepared.workload, &prepared.begin));
    stages
}
