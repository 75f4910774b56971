//! The real binary, ended or refused at system calls that it does not know we count.
//!
//! In: `salve apply` on a prepared folder, under `strace`. Out: rows of the table. Never skipped in
//! silence where strace is missing and cannot be installed.

use super::check::{Kind, Known, Violation};
use super::grid::{self, Effort, Tally};
use super::listing::{self, Scratch};
use super::point::{Bench, Prepared, settle_and_check};
use super::process::{self, Ended};
use super::report::{Expected, Row};
use super::workload::{Act, as_diff};
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The calls that change something, or without which nothing is changed.
const CALLS: &[&str] = &[
    "openat",
    "openat2",
    "write",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "fchmod",
    "fchown",
    "ftruncate",
    "flock",
    "fsetxattr",
];

/// The workloads that are done by the binary, together one of everything.
const WORKLOADS: &[&str] = &["five edits", "nested creates", "delete", "rename", "mode"];

/// What is done to one call.
#[derive(Debug, Clone)]
struct Injection {
    workload: usize,
    call: &'static str,
    when: usize,
    what: &'static str,
}

/// Returns the rows of the real binary.
pub(crate) fn rows(
    prepared: &[Prepared],
    effort: Effort,
    bench: &Bench,
) -> anyhow::Result<Vec<Row>> {
    let names = ["the real binary: SIGKILL", "the real binary: errors"];
    if !has_strace() {
        let why = "strace is missing and could not be installed";
        let skipped = |name: &str| Row {
            name: name.to_owned(),
            tally: Tally::default(),
            expected: Expected::Skipped(why),
        };
        return Ok(names.map(skipped).into());
    }
    let fit: Vec<&Prepared> =
        prepared.iter().filter(|one| WORKLOADS.contains(&one.workload.name)).collect();
    let mut kills = Vec::new();
    let mut errors = Vec::new();
    for (workload, one) in fit.iter().enumerate() {
        for (call, count) in count_calls(one, bench)? {
            for when in 1..=count {
                let at = |what| Injection { workload, call, when, what };
                kills.push(at("signal=SIGKILL"));
                // Short writes are made inside the process: strace would leave the call out and claim a
                // byte that is nowhere, which no kernel does.
                errors.extend(["error=ENOSPC", "error=EIO", "error=EACCES"].map(at));
            }
        }
    }
    let mut rows = Vec::new();
    for (name, all) in names.into_iter().zip([kills, errors]) {
        let points = grid::thin(all, effort.black_box);
        let tally = grid::run(&points, |point| {
            let one = fit.get(point.workload).context("a point belongs to a workload")?;
            inject(one, point, bench)
        })?;
        rows.push(super::told(Row::clean(name, tally)));
    }
    Ok(rows)
}

fn has_strace() -> bool {
    let answers = || xtask::process::answers(Command::new("strace").arg("--version"));
    if answers() {
        return true;
    }
    println!("strace is missing; trying to install it");
    let _ = xtask::process::answers(Command::new("apt-get").args(["install", "-y", "strace"]));
    answers()
}

/// Counts the calls of a run in which nothing goes wrong, and checks that it does what it should.
fn count_calls(one: &Prepared, bench: &Bench) -> anyhow::Result<BTreeMap<&'static str, usize>> {
    let stage = Stage::new(one, bench)?;
    let log = stage.aside.path().join("calls");
    let trace = format!("trace={}", CALLS.join(","));
    let ended = stage.apply(&["-o", &log.to_string_lossy(), "-e", &trace], bench)?;
    let last = one.stages.last().context("a workload has a last tree")?;
    let wrong = listing::differences(&listing::tree(stage.folder.path())?, &last.tree);
    if !ended.status.success() || !wrong.is_empty() {
        bail!("{}: does not work even without faults: {ended:?} {wrong:?}", one.workload.name);
    }
    let text = std::fs::read_to_string(&log).context("strace wrote nothing")?;
    let mut counts = BTreeMap::new();
    for call in CALLS {
        // Each line begins with the number of the process.
        let count = text.lines().filter(|line| line.contains(&format!(" {call}("))).count();
        if count > 0 {
            counts.insert(*call, count);
        }
    }
    Ok(counts)
}

fn inject(
    one: &Prepared,
    point: &Injection,
    bench: &Bench,
) -> anyhow::Result<(String, Vec<Violation>)> {
    let stage = Stage::new(one, bench)?;
    let mut still = listing::identities(stage.folder.path())?;
    for path in one.workload.touched() {
        still.remove(&path);
    }
    let how = format!("inject={}:{}:when={}", point.call, point.what, point.when);
    let trace = format!("trace={}", point.call);
    let ended = stage.apply(&["-o", "/dev/null", "-e", &trace, "-e", &how], bench)?;
    let again = format!("strace -f -e {how} salve apply ('{}')", one.workload.name);
    let is_kill = point.what.starts_with("signal");
    let allowed = if ended.status.success() {
        vec![1]
    } else if is_kill || point.call == "write" || is_open(&ended) {
        // The end may have come after the commit; and where the report could not be written, the
        // status is a failure although the change is done.
        vec![0, 1]
    } else {
        vec![0]
    };
    let known = Known {
        stages: &one.stages,
        allowed,
        meanwhile: None,
        may_keep: !is_kill,
        bystanders: &still,
    };
    let mut wrong = Vec::new();
    if !is_kill && ended.status.code().is_none_or(|code| code == 101) {
        let what = format!("salve apply ended with {}: {}", ended.status, ended.complaint);
        wrong.push(Violation::new(Kind::Broken, what));
    }
    wrong.extend(settle_and_check(stage.folder.path(), &known, bench)?);
    Ok((again, wrong))
}

/// Whether the error says itself that the change could not be taken back.
fn is_open(ended: &Ended) -> bool {
    ended.complaint.contains("could not be taken back")
}

/// A copy of a workload's folder and the diff that is applied to it.
struct Stage {
    folder: Scratch,
    aside: Scratch,
}

impl Stage {
    fn new(one: &Prepared, bench: &Bench) -> anyhow::Result<Self> {
        let folder = Scratch::copy_of(one.template.path(), &bench.base)?;
        let aside = Scratch::new(&bench.base)?;
        let acts = (one.workload.acts)();
        let Some(Act::Apply(changes)) = acts.first() else { bail!("no changes to apply") };
        let diff = as_diff((one.workload.files)(), changes);
        std::fs::write(aside.path().join("edits.diff"), diff)?;
        Ok(Self { folder, aside })
    }

    fn apply(&self, strace: &[&str], bench: &Bench) -> anyhow::Result<Ended> {
        let edits = self.aside.path().join("edits.diff");
        let folder: &Path = self.folder.path();
        let mut command = Command::new("strace");
        command.args(["-f", "-qq"]).args(strace).arg(&bench.programs.salve);
        command.arg("apply").arg("-C").arg(folder).arg("--root").arg(folder);
        command.arg("--edits").arg(&edits);
        process::run(&mut command)
    }
}
