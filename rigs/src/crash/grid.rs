//! Which points are tried, and by how many hands.
//!
//! In: a prepared workload and how thorough to be. Out: points, and the outcome of all of them.
//! Never a random choice that another run would not make.

use super::check::{Kind, Violation};
use super::fault::{Deed, Fault, Planned};
use super::point::{Bench, Point, Prepared};
use super::sabotage::Sabotage;
use crate::corpus::Random;
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How thorough a run is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// Ends of the process per workload, at most.
    pub(crate) kills: usize,
    /// Points of each kind per workload whose points are slow, at most.
    pub(crate) slow: usize,
    /// Errors of the system per workload, at most.
    pub(crate) errors: usize,
    /// Acts of the user per workload, at most.
    pub(crate) users: usize,
    /// Ends inside a recovery, over all workloads.
    pub(crate) doubles: usize,
    /// Ends and errors of the real binary, each.
    pub(crate) black_box: usize,
    /// States after a power loss per workload, at most.
    pub(crate) power: usize,
}

/// The outcome of the points of one row of the table.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// How many points were run.
    pub(crate) points: usize,
    /// At how many of them something was wrong, by kind.
    pub(crate) wrong: BTreeMap<Kind, usize>,
    /// The first failures, with the command that repeats each.
    pub(crate) failures: Vec<String>,
    /// How long it took.
    pub(crate) time: Duration,
}

/// How many failures are shown of one row; the others are counted.
const TOLD: usize = 3;

impl Tally {
    /// Counts one point.
    pub(crate) fn count(&mut self, again: &str, violations: &[Violation]) {
        self.points += 1;
        let mut kinds: Vec<Kind> = violations.iter().map(|violation| violation.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in &kinds {
            *self.wrong.entry(*kind).or_default() += 1;
        }
        if !violations.is_empty() && self.failures.len() < TOLD {
            let what: Vec<String> = violations
                .iter()
                .map(|violation| format!("    {:?}: {}", violation.kind, violation.what))
                .collect();
            self.failures.push(format!("  {again}\n{}", what.join("\n")));
        }
    }

    /// Returns at how many points something of a kind was wrong.
    pub(crate) fn of(&self, kind: Kind) -> usize {
        self.wrong.get(&kind).copied().unwrap_or(0)
    }

    /// Returns whether nothing at all was wrong.
    pub(crate) fn is_clean(&self) -> bool {
        self.wrong.is_empty()
    }
}

/// Lists the points of a workload in which the process ends: before every step that changes the
/// disk, after the last one, and at three places inside every write.
pub(crate) fn kills(prepared: &Prepared, effort: Effort) -> Vec<Point> {
    let mut faults: Vec<Planned> = Vec::new();
    for at in prepared.changing_steps() {
        faults.push(Planned::new(Fault::Kill, at));
        if is_write(prepared, at) {
            faults.extend([1, 4, 7].map(|eighths| Planned::new(Fault::Torn(eighths), at)));
        }
    }
    faults.push(Planned::new(Fault::Kill, prepared.steps.len() + 1));
    let most = prepared.at_most(effort.kills, effort);
    thin(faults, most).into_iter().map(|fault| Point::new(vec![fault])).collect()
}

/// Lists the points of a workload in which the system refuses a step, or takes less than it is
/// given.
pub(crate) fn errors(prepared: &Prepared, effort: Effort) -> Vec<Point> {
    let mut faults = Vec::new();
    for at in 1..=prepared.steps.len() {
        for errno in [Errno::NOSPC, Errno::IO, Errno::ACCESS, Errno::INTR] {
            faults.push(Planned::new(Fault::Refuse(errno), at));
        }
        faults.push(Planned::new(Fault::Full, at));
        if is_write(prepared, at) {
            faults.push(Planned::new(Fault::Short, at));
        }
    }
    // A step that is left out for one error is kept for another, since their number is odd.
    let most = prepared.at_most(effort.errors, effort);
    thin(faults, most).into_iter().map(|fault| Point::new(vec![fault])).collect()
}

/// Lists the points of a workload in which the user writes meanwhile; every second time the process
/// ends some steps later. What is written before the files are looked at is not meanwhile.
pub(crate) fn users(prepared: &Prepared, most: usize) -> Vec<Point> {
    let mut random = Random::new(5).for_name(prepared.workload.name);
    let mut points = Vec::new();
    for at in prepared.opening + 1..=prepared.steps.len() {
        for path in prepared.users() {
            for deed in [Deed::InPlace, Deed::Replace, Deed::Remove] {
                let deed = Planned::new(Fault::Meanwhile(deed, (*path).to_owned()), at);
                points.push(Point::new(vec![deed.clone()]));
                let later = at + 1 + random.below(12);
                points.push(Point::new(vec![deed, Planned::new(Fault::Kill, later)]));
            }
        }
    }
    random.shuffle(&mut points);
    points.truncate(most);
    points
}

/// Takes a safety away from points.
pub(crate) fn sabotaged(points: Vec<Point>, sabotage: Sabotage) -> Vec<Point> {
    points.into_iter().map(|point| Point { sabotage, ..point }).collect()
}

/// Lists points in which the process ends, and the recovery ends as well.
pub(crate) fn doubles(
    prepared: &[Prepared],
    effort: Effort,
    bench: &Bench,
) -> anyhow::Result<Vec<(usize, Point)>> {
    let most = effort.doubles;
    let mut random = Random::new(6);
    let mut points = Vec::new();
    // One end in the workload gives up to eight in its recovery.
    let each = most.div_ceil(prepared.len().max(1)).div_ceil(8) + 1;
    for round in 0..20 {
        let fast = prepared.iter().enumerate().filter(|(_, one)| !one.workload.is_slow);
        for (number, one) in fast {
            let mut first = kills(one, effort);
            random.shuffle(&mut first);
            for point in first.into_iter().take(if round == 0 { each } else { 1 }) {
                let mut inner = one.recovery_steps(&point, bench)?;
                random.shuffle(&mut inner);
                for at in inner.into_iter().take(8) {
                    let in_recovery = vec![Planned::new(Fault::Kill, at)];
                    points.push((number, Point { in_recovery, ..point.clone() }));
                }
            }
            if points.len() >= most {
                points.truncate(most);
                return Ok(points);
            }
        }
    }
    Ok(points)
}

/// Runs points with all hands.
pub(crate) fn run<P: Sync>(
    points: &[P],
    one: impl Fn(&P) -> anyhow::Result<(String, Vec<Violation>)> + Sync,
) -> anyhow::Result<Tally> {
    let begin = Instant::now();
    let next = AtomicUsize::new(0);
    let tally = Mutex::new(Tally::default());
    let failure = Mutex::new(None);
    let hands = std::thread::available_parallelism().map_or(2, usize::from).clamp(1, 8);
    std::thread::scope(|scope| {
        for _ in 0..hands {
            scope.spawn(|| {
                while let Some(point) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match one(point) {
                        Ok((again, violations)) => {
                            let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
                            tally.count(&again, &violations);
                        }
                        Err(error) => {
                            next.store(points.len(), Ordering::Relaxed);
                            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        }
                    }
                }
            });
        }
    });
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.time = begin.elapsed();
    Ok(tally)
}

/// Leaves items out evenly until at most `most` are left; the first and the last stay.
pub(crate) fn thin<T>(items: Vec<T>, most: usize) -> Vec<T> {
    let count = items.len();
    if count <= most || most < 2 {
        return items.into_iter().take(most).collect();
    }
    let mut taken = 0;
    let keep = |at: usize, taken: &mut usize| {
        let due = *taken * (count - 1) / (most - 1);
        let is_due = at == due;
        *taken += usize::from(is_due);
        is_due
    };
    items
        .into_iter()
        .enumerate()
        .filter_map(|(at, item)| keep(at, &mut taken).then_some(item))
        .collect()
}

impl Prepared {
    fn at_most(&self, most: usize, effort: Effort) -> usize {
        let slow = if self.workload.is_slow { effort.slow } else { usize::MAX };
        most.min(slow).min(self.workload.most)
    }
}

fn is_write(prepared: &Prepared, at: usize) -> bool {
    prepared.steps.get(at - 1).is_some_and(|(call, _)| call == "write")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_left_out_evenly() {
        assert_eq!(thin((0..10).collect(), 4), [0, 3, 6, 9]);
        assert_eq!(thin((0..3).collect(), 4), [0, 1, 2]);
        assert_eq!(thin((0..1000).collect(), 150).len(), 150);
        assert_eq!(thin((0..5).collect(), 1), [0]);
        assert_eq!(thin((0..5).collect(), 0), [0; 0]);
    }
}
