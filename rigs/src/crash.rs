//! `cargo xtask crash`: transactions that end at any instant.
//!
//! In: the workloads and how thorough to be. Out: one table of workloads, points and what was wrong
//! at them, and for each failure the command that repeats it. Never recovers by itself what it
//! judges: the real binary does.
//!
//! A child process works on a folder through a disk that ends the process, refuses a step, writes
//! less than it is given, or lets the user write in between. Then `salve recover` brings the folder
//! to rest, and the invariants in `check` must hold.

mod black_box;
mod check;
mod child;
mod duet;
mod fault;
mod faulty;
mod grid;
mod listing;
mod point;
mod power;
mod process;
mod report;
mod sabotage;
mod workload;

use crate::product;
use anyhow::{Context, bail};
use check::Kind;
use grid::{Effort, Tally};
use listing::Scratch;
use point::{Bench, Point, Prepared};
use process::Programs;
use report::{Expected, Row};
use sabotage::Sabotage;
use std::path::PathBuf;
use workload::{Beside, WORKLOADS};
use xtask::{Flags, Outcome, workspace};

pub(crate) use child::run as run_child;

/// What `--full` does, on a disk.
const FULL: Effort = Effort {
    kills: usize::MAX,
    slow: 150,
    errors: 250,
    users: 800,
    doubles: 500,
    black_box: 150,
    power: 1_500,
};

/// What `cargo xtask test` does, in memory.
const BOUNDED: Effort = Effort {
    kills: usize::MAX,
    slow: 12,
    errors: 80,
    users: 250,
    doubles: 150,
    black_box: 20,
    power: 150,
};

/// Runs the grid, or one point of it.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let is_full = flags.switch("--full");
    let name: Option<String> = flags.value("--workload")?;
    let one = one_point(flags)?;
    let duet: Option<usize> = flags.value("--duet")?;
    flags.finish()?;
    let place = Place::choose(is_full)?;
    match (name, one, duet) {
        (Some(name), one, duet) if one.is_some() || duet.is_some() => {
            repeat(&name, one, duet, &place.bench)
        }
        (name, None, None) => {
            let effort = if is_full { FULL } else { BOUNDED };
            let rows = rows(name.as_deref(), effort, &place.bench)?;
            report::print(&rows)?;
            if is_full { identity_of_undo() } else { Ok(()) }
        }
        _ => bail!("--faults and --duet need --workload"),
    }
}

/// Runs the bounded grid, as a step of `cargo xtask test`.
pub(crate) fn check() -> anyhow::Result<Outcome> {
    let place = Place::choose(false)?;
    let points = report::print(&rows(None, BOUNDED, &place.bench)?)?;
    Ok(Outcome::Passed(format!("{points} points, nothing torn, lost or left over")))
}

/// Where a run takes place; its folder is removed with it.
struct Place {
    bench: Bench,
    _folder: Scratch,
}

impl Place {
    fn choose(is_full: bool) -> anyhow::Result<Self> {
        let memory = PathBuf::from("/dev/shm");
        let base = match (is_full, memory.is_dir()) {
            (false, true) => memory,
            (false, false) => std::env::temp_dir(),
            (true, _) => workspace::target_dir()?.join("crash"),
        };
        let folder = Scratch::new(&base)?;
        println!("folders are made below {}", folder.path().display());
        let own = std::env::current_exe().context("this program has no path")?;
        let salve = product::salve()?;
        let bench = Bench { base: folder.path().to_owned(), programs: Programs { own, salve } };
        Ok(Self { bench, _folder: folder })
    }
}

fn one_point(flags: &mut Flags) -> anyhow::Result<Option<Point>> {
    let faults: Option<String> = flags.value("--faults")?;
    let in_recovery: Option<String> = flags.value("--in-recovery")?;
    let sabotage: Option<Sabotage> = flags.value("--sabotage")?;
    let Some(faults) = faults else { return Ok(None) };
    Ok(Some(Point {
        faults: fault::read_all(&faults)?,
        in_recovery: fault::read_all(&in_recovery.unwrap_or_default())?,
        sabotage: sabotage.unwrap_or(Sabotage::None),
    }))
}

/// Runs one point again and tells its steps.
fn repeat(
    name: &str,
    point: Option<Point>,
    duet: Option<usize>,
    bench: &Bench,
) -> anyhow::Result<()> {
    let workload = workload::named(name).with_context(|| format!("no such workload: {name}"))?;
    let prepared = Prepared::new(workload, bench)?;
    for (number, (call, name)) in (1..).zip(&prepared.steps) {
        println!("{number:>4} {call} {name}");
    }
    let mut tally = Tally::default();
    if let Some(point) = point {
        tally.count(&point.command(name), &prepared.run(&point, bench)?);
    }
    if let Some(at) = duet {
        let (again, violations) = duet::run(&prepared, at, bench)?;
        tally.count(&again, &violations);
    }
    report::print(&[Row::clean(name, tally)]).map(|_| ())
}

fn rows(only: Option<&str>, effort: Effort, bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut prepared = Vec::new();
    for workload in WORKLOADS {
        if only.is_none_or(|name| workload::named(name).is_some_and(|w| w.name == workload.name)) {
            let one = Prepared::new(workload, bench)?;
            rows.extend(of_workload(&one, effort, bench)?);
            prepared.push(one);
        }
    }
    if prepared.is_empty() {
        bail!("no such workload");
    }
    rows.push(doubles(&prepared, effort, bench)?);
    rows.extend(without_safeties(&prepared, effort, bench)?);
    if only.is_none() {
        rows.extend(power::rows(&prepared, effort, bench)?);
        rows.extend(black_box::rows(&prepared, effort, bench)?);
    }
    Ok(rows)
}

fn of_workload(one: &Prepared, effort: Effort, bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let name = one.workload.name;
    let row = |what: &str, points: Vec<Point>| -> anyhow::Result<Row> {
        Ok(told(Row::clean(format!("{name}{what}"), run_all(one, &points, bench)?)))
    };
    Ok(match one.workload.beside {
        Beside::Nothing => {
            vec![row("", grid::kills(one, effort))?, row(": errors", grid::errors(one, effort))?]
        }
        Beside::User(_) => vec![row("", grid::users(one, effort.users))?],
        Beside::Process => {
            let points = grid::thin((1..=one.steps.len() + 1).collect(), 150);
            let tally = grid::run(&points, |at| duet::run(one, *at, bench))?;
            vec![told(Row::clean(name, tally))]
        }
    })
}

fn doubles(prepared: &[Prepared], effort: Effort, bench: &Bench) -> anyhow::Result<Row> {
    let points = grid::doubles(prepared, effort, bench)?;
    let tally = grid::run(&points, |(number, point)| {
        let one = prepared.get(*number).context("a point belongs to a workload")?;
        Ok((point.command(one.workload.name), one.run(point, bench)?))
    })?;
    Ok(told(Row::clean("ended again inside the recovery", tally)))
}

/// The rows that must fail, because a safety was taken away.
fn without_safeties(
    prepared: &[Prepared],
    effort: Effort,
    bench: &Bench,
) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for one in prepared {
        let (name, points, sabotage, kind) = match one.workload.name {
            "five edits" => {
                let points = grid::kills(one, effort);
                ("without the journal", points, Sabotage::NoJournal, Kind::Torn)
            }
            "user edits meanwhile" => {
                let points = grid::users(one, effort.users.min(250));
                ("without the hash before the rename", points, Sabotage::NoRehash, Kind::Lost)
            }
            _ => continue,
        };
        let points = grid::sabotaged(points, sabotage);
        let tally = run_all(one, &points, bench)?;
        rows.push(told(Row { name: name.to_owned(), tally, expected: Expected::Some(kind) }));
    }
    Ok(rows)
}

fn run_all(one: &Prepared, points: &[Point], bench: &Bench) -> anyhow::Result<Tally> {
    grid::run(points, |point| Ok((point.command(one.workload.name), one.run(point, bench)?)))
}

/// Tells that a row is done, since a full run takes a while.
fn told(row: Row) -> Row {
    println!("{}: {} points in {:.1} s", row.name, row.tally.points, row.tally.time.as_secs_f64());
    row
}

/// Undo is the inverse of apply on ten thousand random trees, which the tests do for fewer.
fn identity_of_undo() -> anyhow::Result<()> {
    println!("\nundo is the inverse of apply on 10,000 random trees");
    let arguments = ["test", "--quiet", "--package", "salve-tree", "--lib", "undo_is_identity"];
    xtask::process::run(xtask::process::cargo(&arguments).env("PROPTEST_CASES", "10000"))
}
