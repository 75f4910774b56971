//! One point: a workload, what goes wrong in it, and what is left afterwards.
//!
//! In: a prepared workload and faults. Out: every violation. Never judges before the real binary
//! has recovered the folder, but for what an error must leave behind at once.

use super::check::{self, Kind, Known, Meanwhile, Violation};
use super::fault::{self, Deed, Fault, Planned};
use super::faulty::Step;
use super::listing::{self, Listing, Node, Scratch};
use super::process::{self, Ended, Programs};
use super::sabotage::Sabotage;
use super::workload::{Beside, Stage, Workload};
use anyhow::{Context, bail};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// A workload with its folder, the trees it goes through and its steps.
pub(crate) struct Prepared {
    /// The workload.
    pub(crate) workload: &'static Workload,
    /// The folder as it is before the acts; copied for each point.
    pub(crate) template: Scratch,
    /// The tree before everything.
    pub(crate) begin: Listing,
    /// The trees it goes through.
    pub(crate) stages: Vec<Stage>,
    /// Its steps when nothing goes wrong.
    pub(crate) steps: Vec<(String, String)>,
    /// How many of them come before the files are looked at.
    pub(crate) opening: usize,
}

/// Where and with what points are run.
pub(crate) struct Bench {
    /// Below which folders are made.
    pub(crate) base: PathBuf,
    /// The programs.
    pub(crate) programs: Programs,
}

/// One point.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    /// What goes wrong in the workload.
    pub(crate) faults: Vec<Planned>,
    /// What goes wrong in the recovery after it.
    pub(crate) in_recovery: Vec<Planned>,
    /// The safety that is taken away.
    pub(crate) sabotage: Sabotage,
}

impl Point {
    /// A point with faults in the workload alone.
    pub(crate) fn new(faults: Vec<Planned>) -> Self {
        Self { faults, in_recovery: Vec::new(), sabotage: Sabotage::None }
    }

    /// Returns the command line that runs this point again.
    pub(crate) fn command(&self, workload: &str) -> String {
        let mut line = format!("cargo xtask crash --workload '{workload}'");
        line.push_str(&format!(" --faults '{}'", fault::write_all(&self.faults)));
        if !self.in_recovery.is_empty() {
            line.push_str(&format!(" --in-recovery '{}'", fault::write_all(&self.in_recovery)));
        }
        if self.sabotage != Sabotage::None {
            line.push_str(&format!(" --sabotage {}", self.sabotage.name()));
        }
        line
    }
}

impl Prepared {
    /// Makes the folder of a workload, does what was done before, and counts its steps.
    pub(crate) fn new(workload: &'static Workload, bench: &Bench) -> anyhow::Result<Self> {
        let template = Scratch::new(&bench.base)?;
        for file in (workload.files)() {
            put(template.path(), &file.path, &file.bytes, file.mode)?;
        }
        bystanders(template.path())?;
        let begin = listing::tree(template.path())?;
        if !(workload.prior)().is_empty() {
            let arguments = ["--workload", workload.name, "--prior"];
            let done = process::run(&mut bench.programs.child(template.path(), &arguments))?;
            if done.acks() != (workload.prior)().len() {
                bail!("{}: could not be prepared: {done:?}", workload.name);
            }
        }
        let stages = workload.stages(&begin);
        let mut prepared =
            Self { workload, template, begin, stages, steps: Vec::new(), opening: 0 };
        let done = prepared.count_steps(bench)?;
        prepared.steps = steps_in(&done);
        let opened = done.line("opened ").and_then(|line| line.get(7..)?.parse().ok());
        prepared.opening = opened.context("the child does not say when it was ready")?;
        Ok(prepared)
    }

    /// Lists the steps at which the disk changes, counted from 1.
    pub(crate) fn changing_steps(&self) -> Vec<usize> {
        let steps = self.steps.iter().zip(1..);
        steps.filter(|((call, _), _)| Step::changes(call)).map(|(_, number)| number).collect()
    }

    fn count_steps(&self, bench: &Bench) -> anyhow::Result<Ended> {
        let copy = Scratch::copy_of(self.template.path(), &bench.base)?;
        let arguments = ["--workload", self.workload.name, "--trace"];
        let done = process::run(&mut bench.programs.child(copy.path(), &arguments))?;
        if done.acks() + 1 != self.stages.len() {
            bail!("{}: does not work even without faults: {done:?}", self.workload.name);
        }
        let last = self.stages.last().context("a workload has a last tree")?;
        let wrong = listing::differences(&listing::tree(copy.path())?, &last.tree);
        if !wrong.is_empty() {
            bail!("{}: ends in another tree: {}", self.workload.name, wrong.join("; "));
        }
        Ok(done)
    }

    /// Runs one point.
    pub(crate) fn run(&self, point: &Point, bench: &Bench) -> anyhow::Result<Vec<Violation>> {
        let copy = Scratch::copy_of(self.template.path(), &bench.base)?;
        let folder = copy.path();
        let mut still = listing::identities(folder)?;
        for path in self.workload.touched() {
            still.remove(&path);
        }
        let faults = fault::write_all(&point.faults);
        let arguments = ["--workload", self.workload.name, "--faults", &faults];
        let sabotage = ["--sabotage", point.sabotage.name()];
        let ended = process::run(bench.programs.child(folder, &arguments).args(sabotage))?;
        let meanwhile = meanwhile_of(point, &ended);
        let allowed = allowed(&ended);
        let may_keep = point.faults.iter().any(|planned| matches!(planned.fault, Fault::Refuse(_)));
        let known =
            Known { stages: &self.stages, allowed, meanwhile, may_keep, bystanders: &still };
        let mut wrong = at_once(folder, &ended, &known)?;
        if is_only(point, &Fault::Short) && ended.acks() + 1 != self.stages.len() {
            let why = format!("a short write was not continued: {:?}", ended.lines);
            wrong.push(Violation::new(Kind::Broken, why));
        }
        if !point.in_recovery.is_empty() {
            let faults = fault::write_all(&point.in_recovery);
            let arguments = ["--recover", "--faults", &faults];
            process::run(&mut bench.programs.child(folder, &arguments))?;
        }
        wrong.extend(settle_and_check(folder, &known, bench)?);
        if meanwhile.is_none() && wrong.is_empty() && !self.has_user_writes() {
            wrong.extend(check::by_going_back(folder, &self.begin)?);
        }
        Ok(wrong)
    }

    /// Lists the steps of the recovery that a point needs, counted from 1, where they change the
    /// disk.
    pub(crate) fn recovery_steps(
        &self,
        point: &Point,
        bench: &Bench,
    ) -> anyhow::Result<Vec<usize>> {
        let copy = Scratch::copy_of(self.template.path(), &bench.base)?;
        let faults = fault::write_all(&point.faults);
        let arguments = ["--workload", self.workload.name, "--faults", &faults];
        process::run(&mut bench.programs.child(copy.path(), &arguments))?;
        let done = process::run(&mut bench.programs.child(copy.path(), &["--recover", "--trace"]))?;
        let steps = steps_in(&done).into_iter().zip(1..);
        Ok(steps.filter(|((call, _), _)| Step::changes(call)).map(|(_, at)| at).collect())
    }

    fn has_user_writes(&self) -> bool {
        (self.workload.prior)()
            .iter()
            .any(|act| matches!(act, super::workload::Act::UserWrites(..)))
    }

    /// Returns the files that the user changes meanwhile.
    pub(crate) fn users(&self) -> &'static [&'static str] {
        match self.workload.beside {
            Beside::User(paths) => paths,
            Beside::Nothing | Beside::Process => &[],
        }
    }
}

/// Recovers a folder with the real binary, twice, and checks it.
pub(crate) fn settle_and_check(
    folder: &Path,
    known: &Known<'_>,
    bench: &Bench,
) -> anyhow::Result<Vec<Violation>> {
    let mut wrong = Vec::new();
    if let Err(error) = bench.programs.recover(folder) {
        wrong.push(Violation::new(Kind::Broken, format!("{error:#}")));
    }
    wrong.extend(check::after_recovery(folder, known)?);
    let once = (listing::tree(folder)?, listing::state(folder)?);
    if let Err(error) = bench.programs.recover(folder) {
        wrong.push(Violation::new(Kind::Broken, format!("the second recovery: {error:#}")));
    }
    let twice = (listing::tree(folder)?, listing::state(folder)?);
    if once != twice {
        let mut what = listing::differences(&twice.0, &once.0);
        what.extend(listing::differences(&twice.1, &once.1));
        let what = format!("the second recovery changed something: {}", what.join("; "));
        wrong.push(Violation::new(Kind::Broken, what));
    }
    Ok(wrong)
}

/// The trees that are allowed after recovery: what was promised is there, and what was refused is
/// not; only what was interrupted may be there or not.
fn allowed(ended: &Ended) -> Vec<usize> {
    let acks = ended.acks();
    if ended.was_killed() { vec![acks, acks + 1] } else { vec![acks] }
}

/// After an error, the tree must be right before anybody recovers it, unless the error says that it
/// could not be. After a promise too; only folders that are empty now may wait to be removed.
fn at_once(folder: &Path, ended: &Ended, known: &Known<'_>) -> anyhow::Result<Vec<Violation>> {
    if ended.was_killed() || ended.line("error the change failed and could not").is_some() {
        return Ok(Vec::new());
    }
    if !ended.status.success() {
        let what = format!("the child ended with {}: {}", ended.status, ended.complaint);
        return Ok(vec![Violation::new(Kind::Broken, what)]);
    }
    let tree = listing::tree(folder)?;
    let has_failed = ["error", "refused", "conflict"].iter().any(|word| ended.line(word).is_some());
    if has_failed {
        return Ok(check::torn(&tree, known).into_iter().collect());
    }
    let stages: Vec<Stage> = known
        .stages
        .iter()
        .map(|stage| Stage { tree: files_of(&stage.tree), in_effect: stage.in_effect })
        .collect();
    let files = Known { stages: &stages, allowed: known.allowed.clone(), ..*known };
    Ok(check::torn(&files_of(&tree), &files).into_iter().collect())
}

fn files_of(tree: &Listing) -> Listing {
    let files = tree.iter().filter(|(_, node)| **node != Node::Dir);
    files.map(|(path, node)| (path.clone(), node.clone())).collect()
}

fn meanwhile_of<'p>(point: &'p Point, ended: &Ended) -> Option<Meanwhile<'p>> {
    ended.line("meanwhile done")?;
    point.faults.iter().find_map(|planned| match &planned.fault {
        Fault::Meanwhile(deed, path) => Some(Meanwhile { path, removed: *deed == Deed::Remove }),
        _ => None,
    })
}

fn is_only(point: &Point, fault: &Fault) -> bool {
    point.faults.iter().all(|planned| planned.fault == *fault)
}

fn steps_in(ended: &Ended) -> Vec<(String, String)> {
    let lines = ended.lines.iter().filter_map(|line| line.strip_prefix("step "));
    lines
        .map(|line| line.split_once(' ').unwrap_or((line, "")))
        .map(|(call, name)| (call.to_owned(), name.to_owned()))
        .collect()
}

/// What else lives in the folder and must not be touched: permissions, links, git's own folder, a
/// name that looks like one of Salve's temporary files.
fn bystanders(folder: &Path) -> anyhow::Result<()> {
    put(folder, "keep/run.sh", b"#!/bin/sh\n", 0o755)?;
    put(folder, "keep/secret", b"hush\n", 0o600)?;
    put(folder, "keep/.salve-notes.txt", b"mine, not yours\n", 0o644)?;
    put(folder, ".git/config", b"[core]\n", 0o644)?;
    std::fs::create_dir_all(folder.join("keep/empty"))?;
    symlink("../a.txt", folder.join("keep/link"))?;
    symlink("nowhere", folder.join("keep/dangling"))?;
    if folder.join("a.txt").exists() {
        listing::attach(&folder.join("a.txt"), b"kept?");
    }
    Ok(())
}

fn put(folder: &Path, path: &str, bytes: &[u8], mode: u32) -> anyhow::Result<()> {
    let path = folder.join(path);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(&path, bytes).with_context(|| path.display().to_string())?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode))?;
    Ok(())
}
